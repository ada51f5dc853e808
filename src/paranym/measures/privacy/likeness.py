"""beta-likeness (Cao and Karras, VLDB 2012): how much more frequent a value may be in a class than in the reference."""

from typing import ClassVar

import numpy as np

from paranym.measures.privacy.base import ALIKE, Classes, Facts, Floats, WorstClass

_FACTS = Facts(larger_is_better=False, monotone=True, survives_growth=False, needs_reference=True)


class BasicLikeness(WorstClass):
    """The largest relative gain (p - q) / q of a value, p its share in the class and q in the reference."""

    name: ClassVar[str] = "basic-beta"
    title: ClassVar[str] = "basic beta-likeness"
    facts: ClassVar[Facts] = _FACTS

    def of(self, classes: Classes) -> Floats:
        return classes.most(_gains(classes))


class EnhancedLikeness(WorstClass):
    """The same where no gain may exceed -ln q either, whatever beta: infinite for a class in which one does."""

    name: ClassVar[str] = "enhanced-beta"
    title: ClassVar[str] = "enhanced beta-likeness"
    facts: ClassVar[Facts] = _FACTS

    def of(self, classes: Classes) -> Floats:
        gains = _gains(classes)
        with np.errstate(divide="ignore"):
            bound = -np.log(classes.expected)[classes.columns]
        # a value that every row of the reference has gains nothing, and rounding is no gain
        return classes.most(np.where(gains > bound * (1 + ALIKE) + ALIKE, np.inf, gains))


def _gains(classes: Classes) -> Floats:
    """Per entry; infinite for a value that the reference does not have."""
    with np.errstate(divide="ignore"):
        return classes.excess / classes.expected[classes.columns]
