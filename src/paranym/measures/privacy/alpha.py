"""(alpha,k)-anonymity (Wong et al., KDD 2006), without its k: how much of a class one sensitive value may take."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paranym.measures.privacy.base import Classes, Facts, Floats, WorstClass


@dataclass(frozen=True, slots=True)
class Deassociation(WorstClass):
    """The share of the most frequent value (general), or of one value that is more delicate than the others."""

    value: int | None = None
    """The code of the one value; None: every value."""

    name: ClassVar[str] = "alpha"
    title: ClassVar[str] = "alpha-deassociation"
    facts: ClassVar[Facts] = Facts(larger_is_better=False, monotone=True, survives_growth=False)

    def of(self, classes: Classes) -> Floats:
        if self.value is None:
            return classes.largest / classes.sizes
        return classes.most(np.where(classes.columns == self.value, classes.amounts, 0)) / classes.sizes
