"""(alpha,k)-anonymity (Wong et al., KDD 2006), without its k: how much of a class one sensitive value may take."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from paranym.errors import BadInput, shorten
from paranym.measures.privacy.base import Classes, Floats, ModelFacts, WorstClass
from paranym.measures.recipe_form import Parameter, RecipeForm
from paranym.measures.sensitive import SensitiveAttribute
from paranym.model.values import to_text


@dataclass(frozen=True, slots=True)
class Deassociation(WorstClass):
    """The share of the most frequent value (general), or of one value that is more sensitive than the others."""

    value: int | None = None
    """The code of the one value; None: every value."""

    name: ClassVar[str] = "alpha"
    title: ClassVar[str] = "alpha-deassociation"
    meaning: ClassVar[str] = "the share of a class that one value has, at most"
    forms: ClassVar[tuple[RecipeForm, ...]] = (
        RecipeForm("alpha", parameters=(Parameter("only", kinds=(str, int, float, bool), is_cell_value=True),)),
    )
    objectives: ClassVar[tuple[str, ...]] = ("alpha",)
    facts: ClassVar[ModelFacts] = ModelFacts(larger_is_better=False, monotone=True, survives_growth=False)

    @classmethod
    def required(cls, value: float, options: Mapping[str, Any], attribute: SensitiveAttribute) -> tuple[Self, float]:
        """Return the model of every value, or of the one that `only` names."""
        only = options["only"]
        return cls(None if only is None else _code(attribute, only)), value

    def of(self, classes: Classes) -> Floats:
        if self.value is None:
            return classes.largest / classes.sizes
        return classes.most(np.where(classes.columns == self.value, classes.amounts, 0)) / classes.sizes


def _code(attribute: SensitiveAttribute, value: object) -> int:
    texts = [to_text(listed) for listed in attribute.values]
    if to_text(value) not in texts:
        raise BadInput(f"{attribute.name!r} has no value {shorten((str(value),))}, which alpha is to limit.")
    return texts.index(to_text(value))
