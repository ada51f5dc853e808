"""l-diversity (Machanavajjhala et al., ICDE 2006): frequency, distinct values, entropy."""

from typing import ClassVar

import numpy as np

from paranym.measures.privacy.base import TOLERANCE, Classes, Floats, ModelFacts, WorstClass
from paranym.measures.recipe_form import RecipeForm


class FrequencyDiversity(WorstClass):
    """1 / the share of the most frequent value (Definition 4 of the multi-objective paper): nobody who finds a person's
    class can name the person's value with more confidence than 1 in l.
    """

    name: ClassVar[str] = "frequency-l"
    title: ClassVar[str] = "frequency l-diversity"
    meaning: ClassVar[str] = "the most frequent value of a class has at most one in l rows"
    forms: ClassVar[tuple[RecipeForm, ...]] = (RecipeForm("l", ("kind", "frequency"), usual=True),)
    objectives: ClassVar[tuple[str, ...]] = ("l", "frequency-l")
    facts: ClassVar[ModelFacts] = ModelFacts(
        larger_is_better=True, monotone=True, survives_growth=False, is_diversity=True
    )

    def of(self, classes: Classes) -> Floats:
        return classes.sizes / classes.largest


class DistinctDiversity(WorstClass):
    """How many values occur; also the p of p-sensitive k-anonymity (Truta and Vinay, 2006)."""

    name: ClassVar[str] = "distinct-l"
    title: ClassVar[str] = "distinct l-diversity"
    meaning: ClassVar[str] = "a class has at least l different values"
    forms: ClassVar[tuple[RecipeForm, ...]] = (RecipeForm("l", ("kind", "distinct")), RecipeForm("p"))
    objectives: ClassVar[tuple[str, ...]] = ("distinct-l",)
    facts: ClassVar[ModelFacts] = ModelFacts(
        larger_is_better=True, monotone=True, survives_growth=True, is_diversity=True
    )

    def of(self, classes: Classes) -> Floats:
        return classes.distinct.astype(float)


class EntropyDiversity(WorstClass):
    """e to the Shannon entropy: the number of equally frequent values with the same uncertainty."""

    name: ClassVar[str] = "entropy-l"
    title: ClassVar[str] = "entropy l-diversity"
    meaning: ClassVar[str] = "the values of a class are as varied as l equally frequent values"
    forms: ClassVar[tuple[RecipeForm, ...]] = (RecipeForm("l", ("kind", "entropy")),)
    objectives: ClassVar[tuple[str, ...]] = ("entropy-l",)
    facts: ClassVar[ModelFacts] = ModelFacts(
        larger_is_better=True, monotone=True, survives_growth=False, is_diversity=True
    )

    def of(self, classes: Classes) -> Floats:
        weighed = classes.total(classes.amounts * np.log(classes.amounts))
        return _whole_where_whole(np.exp(np.log(classes.sizes) - weighed / classes.sizes))


def _whole_where_whole(values: Floats) -> Floats:
    """Two equally frequent values are 2, not 1.9999999999999998: truncated, that would be 1."""
    whole = np.rint(values)
    return np.where(np.abs(values - whole) <= TOLERANCE * whole, whole, values)
