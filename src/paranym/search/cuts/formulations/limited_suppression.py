"""Problem 2: suppression up to the limit of the recipe (section 5.3.2)."""

from typing import ClassVar

import numpy as np

from paranym.results.assessment import Assessments
from paranym.search.cuts.formulations.base import (
    GL,
    LOSS,
    Formulation,
    Ints,
    K,
    L,
    Outcome,
    RecodedClasses,
    spare_in_order,
)


class LimitedSuppression(Formulation):
    """A large k, or l, and little generalization loss, where the worst classes are suppressed up to the limit.

    Evolution selects by the generalization loss of kept rows, as the paper says. The front lists the least total loss,
    with suppressed rows, for every k that a recoding can have within the limit.
    """

    number: ClassVar[int] = 2
    title: ClassVar[str] = "maximum allowed suppression"
    population: ClassVar[int] = 200

    @property
    def selects(self) -> tuple[str, ...]:
        return (L if self.needs_diversity else K, GL)

    @property
    def lists(self) -> tuple[str, ...]:
        return (L if self.needs_diversity else K, LOSS)

    @property
    def reported(self) -> tuple[str, ...]:
        return (L,) if self.needs_diversity else ()

    def pick(self, steps: Assessments) -> Ints | None:
        """The highest step: d + 1 of the paper."""
        if self.needs_diversity:
            return None
        return np.flatnonzero(np.append(steps.levels[1:, 0] != steps.levels[:-1, 0], True))

    def spare(self, classes: RecodedClasses) -> Outcome:
        spared, least, _ = spare_in_order(classes, classes.diversity)
        return Outcome(spared, {L: least})
