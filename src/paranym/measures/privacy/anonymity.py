"""k-anonymity under a suppression limit, and the weighted k of a whole table."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class SuppressionUse(StrEnum):
    """How much of the suppression limit a solution uses."""

    NEEDED = "needed"
    """Each k suppresses what that k needs: the whole staircase of a node counts."""
    ALL = "all"
    """POkA's rule: suppress all that may be suppressed, so that a node has one k."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """How many rows may be left out, as a share of the table or as a count, and how that is used.

    >>> Suppression(share=0.29).limit(100)
    29
    """

    share: float | None = None
    rows: int | None = None
    use: SuppressionUse = SuppressionUse.NEEDED

    def __post_init__(self) -> None:
        if self.share is not None and self.rows is not None:
            raise BadInput("Give the suppression limit as a share or as a number of rows, not both.")
        if self.share is not None and not 0 <= self.share <= 1:
            raise BadInput(
                f"The suppression limit is a share between 0 and 1 (0.01 is 1% of the rows); got {self.share}."
            )
        if self.rows is not None and self.rows < 0:
            raise BadInput(f"The number of rows that may be suppressed cannot be negative; got {self.rows}.")

    def limit(self, rows: int) -> int:
        """At most this many of `rows` may go: the floor of share * rows, in the decimal digits that were given."""
        if self.rows is not None:
            return min(self.rows, rows)
        return int(Decimal(str(self.share or 0.0)) * rows)

    def steps(self, first_step: Ints) -> Ints:
        """Which steps count, where the staircase of node n is the steps from `first_step[n]` to `first_step[n + 1]`."""
        if self.use is SuppressionUse.ALL:
            return first_step[1:] - 1
        return np.arange(first_step[0], first_step[-1])


def weighted_k(squares: Ints, rows: int) -> Floats:
    """The class size that a row can expect, before suppression: the sum of squared class sizes / N.

    >>> weighted_k(np.array([2 * 2 + 5 * 5]), 7)  # T1 of the multi-objective paper: 29/7
    array([4.14285714])
    """
    return squares / rows
