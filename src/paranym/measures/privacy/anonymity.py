"""k-anonymity under a suppression limit, and the weighted k of a whole table."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar

from paranym.errors import BadInput
from paranym.measures.privacy.base import Classes, Floats, Ints, ModelFacts, WorstClass
from paranym.model.values import is_number, is_whole


class SuppressionUse(StrEnum):
    """How much of the suppression limit a solution uses."""

    NEEDED = "needed"
    """Each k suppresses what that k needs: the whole staircase of a node counts."""
    ALL = "all"
    """POkA's rule: suppress as many classes as the limit allows, so that a node has one k."""


class Unit(StrEnum):
    """The unit that the size of an equivalence class counts."""

    ROW = "row"
    PERSON = "person"
    """Different people, told by a person key. A person with rows in several classes counts in each of them."""

    @property
    def many(self) -> str:
        """The word for several of them.

        >>> Unit.ROW.many, Unit.PERSON.many
        ('rows', 'people')
        """
        return "people" if self is Unit.PERSON else "rows"

    def counted(self, number: int) -> str:
        """Return a number of them in words.

        >>> Unit.ROW.counted(1), Unit.PERSON.counted(1200)
        ('1 row', '1,200 people')
        """
        one = "person" if self is Unit.PERSON else "row"
        return f"{number:,} {one if number == 1 else self.many}"


@dataclass(frozen=True, slots=True)
class Suppression:
    """The suppression limit, as a share of the table or as a number of rows, and how solutions use it.

    >>> Suppression(share=0.29).limit(100)
    29
    """

    share: float | None = None
    rows: int | None = None
    use: SuppressionUse = SuppressionUse.NEEDED

    def __post_init__(self) -> None:
        if self.share is not None and self.rows is not None:
            raise BadInput("Give the suppression limit as a share or as a number of rows, not both.")
        if self.share is not None and not (is_number(self.share) and 0 <= self.share <= 1):
            raise BadInput(
                f"The suppression limit is a share between 0 and 1 (0.01 is 1% of the rows); got {self.share!r}."
            )
        if self.rows is not None and not (is_whole(self.rows) and self.rows >= 0):
            raise BadInput(
                "The number of rows that may be suppressed is a whole number and cannot be negative; "
                f"got {self.rows!r}."
            )

    def limit(self, rows: int) -> int:
        """Most rows that may be suppressed: the floor of share * rows, exact in the decimal digits that were given."""
        if self.rows is not None:
            return min(int(self.rows), rows)
        return int(Decimal(str(self.share or 0.0)) * rows)


class Anonymity(WorstClass):
    """k-anonymity (Samarati and Sweeney, 1998): the size of the smallest equivalence class."""

    name: ClassVar[str] = "k"
    title: ClassVar[str] = "k-anonymity"
    meaning: ClassVar[str] = "every row is in an equivalence class of at least k rows"
    audited: ClassVar[bool] = False
    facts: ClassVar[ModelFacts] = ModelFacts(
        larger_is_better=True, monotone=True, survives_growth=True, needs_sensitive=False
    )

    def of(self, classes: Classes) -> Floats:
        return classes.sizes.astype(float)


def weighted_k(products: Ints, rows: int) -> Floats:
    """The class size that a row can expect, before suppression: the sum of rows times size over all classes / N.

    >>> import numpy as np
    >>> weighted_k(np.array([2 * 2 + 5 * 5]), 7)  # T1 of the multi-objective paper: 29/7
    array([4.14285714])
    """
    return products / rows
