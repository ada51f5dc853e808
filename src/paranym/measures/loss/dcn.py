"""Discernibility (Bayardo and Agrawal, ICDE 2005)."""

from typing import ClassVar

from paranym.measures.base import Domain, Floats, LossFacts, Tally


class Discernibility:
    """A kept row costs the size of its class, a suppressed row N."""

    name: ClassVar[str] = "dcn"
    title: ClassVar[str] = "discernibility"
    meaning: ClassVar[str] = (
        "every row is charged the number of rows that it is indistinguishable from, a suppressed row all rows"
    )
    facts: ClassVar[LossFacts] = LossFacts(
        additive=False, monotone=True, bounded_by_unsuppressed=True, surcharge_falls=True
    )

    def of(self, tally: Tally) -> Floats:
        return (tally.kept_squares + tally.rows * tally.suppressed).astype(float)

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return float(rows) ** 2
