"""Recursive (c,l)-diversity (Machanavajjhala et al., ICDE 2006): r1 < c * (rl + ... + rm), where r1, r2, ... are the
rows of the most frequent value, of the next, and so on.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np

from paranym.errors import BadInput
from paranym.measures.privacy.base import TOLERANCE, Classes, Floats, Ints, ModelFacts, WorstClass
from paranym.measures.recipe_form import Parameter, RecipeForm
from paranym.measures.sensitive import SensitiveAttribute
from paranym.model.values import is_number, is_whole


@dataclass(frozen=True, slots=True)
class RecursiveRatio(WorstClass):
    """For a given l, what c must exceed: r1 / (rl + ... + rm), infinite with fewer than l values.

    >>> RecursiveRatio(l=2).achieved(Classes(np.array([10]), *map(np.array, ([0, 0], [0, 1], [9, 1]))))
    9.0
    """

    l: int = 2  # noqa: E741 - the papers' name

    name: ClassVar[str] = "recursive-c"
    title: ClassVar[str] = "the ratio c of recursive (c,l)-diversity"
    meaning: ClassVar[str] = (
        "the most frequent value has at most c times the rows of the l-th and all rarer ones; here l = 2"
    )
    forms: ClassVar[tuple[RecipeForm, ...]] = (
        RecipeForm("l", ("kind", "recursive"), parameters=(Parameter("c", default=1.0, positive=True),), whole=True),
    )
    infinite: ClassVar[str] = "a class has one value only, so that no c is large enough for l = 2"
    facts: ClassVar[ModelFacts] = ModelFacts(larger_is_better=False, monotone=True, survives_growth=False, strict=True)

    def __post_init__(self) -> None:
        if not (is_whole(self.l) and self.l >= 1):
            raise BadInput(f"The l of recursive (c,l)-diversity is a whole number from 1 on; got {self.l!r}.")

    @classmethod
    def required(
        cls,
        value: float,
        options: Mapping[str, Any],
        attribute: SensitiveAttribute,  # noqa: ARG003 - any will do
    ) -> tuple[Self, float]:
        """Return the model of an l, with the c that the ratio must stay below."""
        return cls(l=int(value)), float(options["c"])

    def of(self, classes: Classes) -> Floats:
        ranked, rank = _ranked(classes)
        tail = ranked.total(np.where(rank >= self.l - 1, ranked.amounts, 0))
        with np.errstate(divide="ignore"):
            return classes.largest / tail


@dataclass(frozen=True, slots=True)
class RecursiveDiversity(WorstClass):
    """For a given c, the largest l such that r1 < c * (rl + ... + rm); 0 if there is none."""

    c: float = 2.0

    name: ClassVar[str] = "recursive-l"
    title: ClassVar[str] = "recursive l-diversity"
    meaning: ClassVar[str] = "the largest l for which recursive (c,l)-diversity holds with a given c"
    audited: ClassVar[bool] = False
    facts: ClassVar[ModelFacts] = ModelFacts(larger_is_better=True, monotone=True, survives_growth=False)

    def __post_init__(self) -> None:
        if not (is_number(self.c) and 0 < self.c < float("inf")):
            raise BadInput(f"The c of recursive (c,l)-diversity is a positive number; got {self.c!r}.")

    def of(self, classes: Classes) -> Floats:
        ranked, rank = _ranked(classes)
        before = np.cumsum(ranked.amounts) - ranked.amounts
        first = np.flatnonzero(rank == 0)
        tail = classes.sizes[ranked.owners] - (before - before[first][ranked.owners])
        return ranked.total((classes.largest[ranked.owners] < self.c * (1 - TOLERANCE) * tail).astype(float))


def _ranked(classes: Classes) -> tuple[Classes, Ints]:
    """The entries by class, the most frequent value first, and the rank of each from 0 on."""
    order = np.lexsort((-classes.amounts, classes.owners))
    ranked = Classes(classes.sizes, classes.owners[order], classes.columns[order], classes.amounts[order])
    first = np.concatenate([[0], np.cumsum(classes.distinct)[:-1]])
    return ranked, np.arange(len(order)) - first[ranked.owners]
