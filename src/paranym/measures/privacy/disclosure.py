"""delta-disclosure privacy (Brickell and Shmatikov, KDD 2008)."""

from typing import ClassVar

import numpy as np

from paranym.measures.privacy.base import Classes, Floats, ModelFacts, WorstClass
from paranym.measures.recipe_form import RecipeForm

_ROUNDING = 1e-12


class DeltaDisclosure(WorstClass):
    """The largest |log2(p / q)| of a value, p its share in the class and q in the reference.

    Infinite for a class that lacks a value of the reference: its people are known not to have that value.
    """

    name: ClassVar[str] = "delta-disclosure"
    title: ClassVar[str] = "delta-disclosure privacy"
    meaning: ClassVar[str] = "how much more or less frequent a value is in a class than in the table, in doublings"
    forms: ClassVar[tuple[RecipeForm, ...]] = (RecipeForm("delta"),)
    infinite: ClassVar[str] = "a class lacks a value that others have"
    facts: ClassVar[ModelFacts] = ModelFacts(
        larger_is_better=False, monotone=True, survives_growth=False, strict=True, needs_reference=True
    )

    def of(self, classes: Classes) -> Floats:
        with np.errstate(divide="ignore"):
            gaps = np.abs(np.log2(classes.shares / classes.expected[classes.columns]))
        lacking = classes.distinct < np.count_nonzero(classes.expected)
        return np.where(lacking, np.inf, classes.most(gaps))

    def at_best(self, values: Floats, classes: Classes, spare: int) -> Floats:
        """Bound the value: a missing value is harmless once all its rows are suppressed; other shares come nearer."""
        counts = classes.compared_with
        rows = max(int(counts.sum()), 1)
        left = max(rows - spare, 1)
        with np.errstate(divide="ignore"):
            above = np.log2(classes.shares * left / counts[classes.columns])
            below = np.log2(np.maximum(counts[classes.columns] - spare, 0) / left / classes.shares)
        lasting = counts > spare
        lacking = classes.total(lasting[classes.columns].astype(np.int64)) < np.count_nonzero(lasting)
        return np.where(lacking, np.inf, classes.most(np.maximum(above, below)) - _ROUNDING)
