"""Problem 4: k-anonymity and l-diversity at once (section 5.3.4)."""

from dataclasses import dataclass
from typing import ClassVar

from paranym.search.cuts.formulations.base import (
    D1,
    D2,
    GL,
    LOSS,
    Formulation,
    K,
    L,
    Outcome,
    Property,
    RecodedClasses,
    spare_in_order,
)


@dataclass(frozen=True)
class Safety(Formulation):
    """A large k, a large l and little generalization loss: (k,l)-safety.

    Classes are suppressed up to the limit, sorted by the less desired property and then by the preferred one. The paper
    takes the values (d1, d2) of the first published class for those of the table; later classes may have a smaller
    value of the preferred property. So the objectives are the values of the published rows, and d1 and d2 are reported
    besides.
    """

    number: ClassVar[int] = 4
    title: ClassVar[str] = "(k,l)-safety"
    population: ClassVar[int] = 500

    preferred: Property = Property.DIVERSITY

    @property
    def selects(self) -> tuple[str, ...]:
        return (K, L, GL)

    @property
    def lists(self) -> tuple[str, ...]:
        return (K, L, LOSS)

    @property
    def reported(self) -> tuple[str, ...]:
        return (L, D1, D2)

    @property
    def needs_diversity(self) -> bool:
        return True

    def spare(self, classes: RecodedClasses) -> Outcome:
        if self.preferred is Property.DIVERSITY:
            spared, d1, d2 = spare_in_order(classes, classes.sizes, classes.diversity)
        else:
            spared, d2, d1 = spare_in_order(classes, classes.diversity, classes.sizes)
        return Outcome(spared, {L: classes.least(classes.diversity, spared), D1: d1, D2: d2})
