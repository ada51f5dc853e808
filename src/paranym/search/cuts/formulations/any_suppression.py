"""Problem 3: suppression is an objective, not a limit (section 5.3.3)."""

from typing import ClassVar

from paranym.search.cuts.formulations.base import (
    GL,
    SL,
    WEIGHTED_K,
    WEIGHTED_L,
    Formulation,
    L,
    Outcome,
    RecodedClasses,
)


class AnySuppression(Formulation):
    """A large weighted k, or weighted l, and little of both losses; classes below the weighted value are suppressed."""

    number: ClassVar[int] = 3
    title: ClassVar[str] = "any suppression"
    population: ClassVar[int] = 500

    @property
    def selects(self) -> tuple[str, ...]:
        return (WEIGHTED_L if self.needs_diversity else WEIGHTED_K, GL, SL)

    @property
    def reported(self) -> tuple[str, ...]:
        return (WEIGHTED_L, L) if self.needs_diversity else ()

    def limit(self, allowed: int, rows: int) -> int:
        return rows

    def spare(self, classes: RecodedClasses) -> Outcome:
        values = classes.diversity if self.needs_diversity else classes.sizes
        expected = classes.weighed(values)
        spared = values >= expected[classes.recoding] * (1 - 1e-12)
        return Outcome(spared, {WEIGHTED_L: expected, L: classes.least(values, spared)} if self.needs_diversity else {})
