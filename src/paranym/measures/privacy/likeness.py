"""beta-likeness (Cao and Karras, VLDB 2012): how much more frequent a value may be in a class than in the reference."""

from typing import ClassVar

import numpy as np

from paranym.measures.privacy.base import TOLERANCE, Classes, Floats, ModelFacts, WorstClass
from paranym.measures.recipe_form import RecipeForm

_FACTS = ModelFacts(larger_is_better=False, monotone=True, survives_growth=False, needs_reference=True)


class BasicLikeness(WorstClass):
    """The largest relative gain (p - q) / q of a value, p its share in the class and q in the reference."""

    name: ClassVar[str] = "basic-beta"
    title: ClassVar[str] = "basic beta-likeness"
    meaning: ClassVar[str] = "how much more likely a value becomes for a person who is known to be in a class, at most"
    forms: ClassVar[tuple[RecipeForm, ...]] = (RecipeForm("beta", ("kind", "basic"), usual=True),)
    infinite: ClassVar[str] = "a class has a value that the reference lacks"
    objectives: ClassVar[tuple[str, ...]] = ("basic-beta",)
    facts: ClassVar[ModelFacts] = _FACTS

    def of(self, classes: Classes) -> Floats:
        return classes.most(_gains(classes))

    def at_best(self, values: Floats, classes: Classes, spare: int) -> Floats:
        return _least_gains(values, classes, spare)


class EnhancedLikeness(WorstClass):
    """Basic likeness with one more bound: a class in which a gain exceeds -ln q has an infinite value."""

    name: ClassVar[str] = "enhanced-beta"
    title: ClassVar[str] = "enhanced beta-likeness"
    meaning: ClassVar[str] = "basic beta-likeness, with a tighter limit for frequent values"
    forms: ClassVar[tuple[RecipeForm, ...]] = (RecipeForm("beta", ("kind", "enhanced")),)
    infinite: ClassVar[str] = "in a class a value gains more than any beta allows"
    facts: ClassVar[ModelFacts] = _FACTS

    def of(self, classes: Classes) -> Floats:
        gains = _gains(classes)
        with np.errstate(divide="ignore"):
            bound = -np.log(classes.expected)[classes.columns]
        # a value that every row of the reference has gains nothing, and a rounding error is not a gain
        return classes.most(np.where(gains > bound * (1 + TOLERANCE) + TOLERANCE, np.inf, gains))

    def at_best(self, values: Floats, classes: Classes, spare: int) -> Floats:
        return _least_gains(classes.most(_gains(classes)), classes, spare)


def _gains(classes: Classes) -> Floats:
    """Gain per entry; infinite for a value that the reference does not have."""
    with np.errstate(divide="ignore"):
        return classes.excess / classes.expected[classes.columns]


def _least_gains(gains: Floats, classes: Classes, spare: int) -> Floats:
    """Lower bound of a gain p / q - 1, if q grows as far as possible: all suppressed rows have other values."""
    rows = max(int(classes.compared_with.sum()), 1)
    return (1 + gains) * max(rows - spare, 0) / rows - 1 - TOLERANCE
