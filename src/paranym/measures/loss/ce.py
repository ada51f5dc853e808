"""Classification error (Iyengar, KDD 2002)."""

from typing import ClassVar

from paranym.measures.base import Domain, Floats, LossFacts, Tally


class ClassificationError:
    """Rows that are suppressed, or do not have the most frequent label of their class."""

    name: ClassVar[str] = "ce"
    title: ClassVar[str] = "classification error"
    meaning: ClassVar[str] = (
        "rows that are suppressed or do not have the most frequent label of their equivalence class"
    )
    facts: ClassVar[LossFacts] = LossFacts(
        additive=False, monotone=True, bounded_by_unsuppressed=True, surcharge_falls=True, needs_label=True
    )

    def of(self, tally: Tally) -> Floats:
        return (tally.rows - tally.kept_majority).astype(float)

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return float(rows)
