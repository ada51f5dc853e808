"""How large the published classes are on average."""

from typing import ClassVar

import numpy as np

from paranym.measures.base import Domain, Floats, LossFacts, Tally


class AverageClassSize:
    """N / published classes, where the suppressed rows together count as one more class."""

    name: ClassVar[str] = "average-class-size"
    title: ClassVar[str] = "average class size"
    meaning: ClassVar[str] = "how many rows an equivalence class has on average"
    facts: ClassVar[LossFacts] = LossFacts(
        additive=False, monotone=True, bounded_by_unsuppressed=True, surcharge_falls=False
    )

    def of(self, tally: Tally) -> Floats:
        return tally.rows / (tally.kept_classes + (tally.suppressed > 0))

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return float(rows)


class NormalizedClassSize:
    """C_AVG (LeFevre, DeWitt and Ramakrishnan, ICDE 2006): kept rows / (kept classes * k), at best 1.

    A release without rows counts as the worst, N. Not monotone: k grows with the classes.
    """

    name: ClassVar[str] = "c-avg"
    title: ClassVar[str] = "normalized average class size"
    meaning: ClassVar[str] = "how much larger equivalence classes are, on average, than k requires"
    facts: ClassVar[LossFacts] = LossFacts(
        additive=False, monotone=False, bounded_by_unsuppressed=False, surcharge_falls=False
    )

    def of(self, tally: Tally) -> Floats:
        ideal = tally.kept_classes * tally.k
        return np.where(ideal > 0, tally.kept / np.maximum(ideal, 1), float(tally.rows))

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return float(rows)
