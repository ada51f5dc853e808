"""A lower bound on the information loss of every k-anonymous recoding, with the values that prove it."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paranym.wording.numbers import percent

SCALE = 2**40
"""The value of a row that costs as much as a suppressed one."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LowerBound:
    """No k-anonymous recoding has a normalized certainty penalty (NCP) below this, whatever its model.

    It holds for every recoding that publishes numbers as ranges or as values of their hierarchy, and categories as
    values of their hierarchy, whether or not rows are suppressed.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> problem = pn.Problem(pa.table({"age": [20, 30, 60]}), quasi_identifiers=["age"])
    >>> bound = pn.lower_bound(problem, k=3)  # one group, from 20 to 60, costs each of its rows the whole range
    >>> round(bound.ncp, 6), round(bound.ncp_fraction, 6), bound.values.shape
    (3.0, 1.0, (3,))
    """

    k: int
    rows: int
    weight: float
    """The NCP of a suppressed row: the sum of all weights."""
    values: NDArray[np.int64]
    """The certificate: the value of each row of a combination, in parts of `SCALE`, in the order of the frequency set.

    In every box with at least k rows the k largest values sum to at most k times what a row of that box costs.
    """
    counts: NDArray[np.int64]
    """Rows of each combination."""
    passes: int
    """Passes over all boxes."""
    complete: bool = False
    """True if further passes would hardly raise the bound."""
    seconds: float = 0.0

    def __post_init__(self) -> None:
        for array in (self.values, self.counts):
            array.flags.writeable = False

    @cached_property
    def share(self) -> Fraction:
        """The sum of all values over the cost of suppressing all rows, exactly."""
        pairs = zip(self.values.tolist(), self.counts.tolist(), strict=True)
        return Fraction(sum(value * rows for value, rows in pairs), SCALE * self.rows)

    @property
    def ncp_fraction(self) -> float:
        """The least NCP per cell, weighted by attribute."""
        return _down(self.share)

    @property
    def ncp(self) -> float:
        """The least NCP of the table."""
        return _down(self.share * self.rows * Fraction(self.weight))

    def as_dict(self, *, certificate: bool = False) -> dict[str, Any]:
        """Return the bound for JSON, with one value per combination if the `certificate` is requested."""
        return {
            "recoding": "any",
            "metric": "ncp",
            "k": self.k,
            "rows": self.rows,
            "bound": self.ncp,
            "bound_fraction": self.ncp_fraction,
            "passes": self.passes,
            "complete": self.complete,
            "seconds": round(self.seconds, 3),
            **({"scale": SCALE, "values": self.values.tolist()} if certificate else {}),
        }

    def __repr__(self) -> str:
        return f"LowerBound(k = {self.k:,}: no recoding has an NCP below {percent(self.ncp_fraction)} per cell)"


def _down(exact: Fraction) -> float:
    """The nearest float that is not larger."""
    near = float(exact)
    return near if Fraction(near) <= exact else nextafter(near, -inf)
