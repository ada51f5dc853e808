"""delta-disclosure privacy (Brickell and Shmatikov, KDD 2008)."""

from typing import ClassVar

import numpy as np

from paranym.measures.privacy.base import Classes, Facts, Floats, WorstClass


class DeltaDisclosure(WorstClass):
    """The largest |log2(p / q)| of a value, p its share in the class and q in the reference.

    Infinite for a class that lacks a value of the reference: whoever is in it is known not to have that value.
    """

    name: ClassVar[str] = "delta-disclosure"
    title: ClassVar[str] = "delta-disclosure privacy"
    facts: ClassVar[Facts] = Facts(
        larger_is_better=False, monotone=True, survives_growth=False, strict=True, needs_reference=True
    )

    def of(self, classes: Classes) -> Floats:
        with np.errstate(divide="ignore"):
            told = np.abs(np.log2(classes.shares / classes.expected[classes.columns]))
        lacking = classes.distinct < np.count_nonzero(classes.expected)
        return np.where(lacking, np.inf, classes.most(told))
