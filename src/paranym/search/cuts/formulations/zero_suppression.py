"""Problem 1: nothing is suppressed (section 5.3.1)."""

from typing import ClassVar

import numpy as np

from paranym.results.assessment import Assessments
from paranym.search.cuts.formulations.base import (
    GL,
    WEIGHTED_K,
    WEIGHTED_L,
    Floats,
    Formulation,
    Ints,
    L,
    Outcome,
    RecodedClasses,
)


class ZeroSuppression(Formulation):
    """A large weighted k, or weighted l, and little generalization loss; every row is published."""

    number: ClassVar[int] = 1
    title: ClassVar[str] = "zero suppression"
    population: ClassVar[int] = 200

    @property
    def selects(self) -> tuple[str, ...]:
        return (WEIGHTED_L if self.needs_diversity else WEIGHTED_K, GL)

    @property
    def reported(self) -> tuple[str, ...]:
        return (WEIGHTED_L, L) if self.needs_diversity else ()

    def limit(self, allowed: int, rows: int) -> int:
        return 0

    def pick(self, steps: Assessments) -> Ints | None:
        return None if self.needs_diversity else np.arange(len(steps))

    def spare(self, classes: RecodedClasses) -> Outcome:
        spared = np.ones(len(classes.sizes), bool)
        values: dict[str, Floats | Ints] = {
            WEIGHTED_L: classes.weighed(classes.diversity),
            L: classes.least(classes.diversity, spared),
        }
        return Outcome(spared, values)
