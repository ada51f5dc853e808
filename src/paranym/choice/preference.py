"""The choice by an order of preference: the best of the first, of equals the best of the second (section 7.4)."""

from collections.abc import Sequence

from paranym.errors import BadInput, Unattainable
from paranym.model.assessment import TOLERANCE
from paranym.model.curve import value_of
from paranym.model.front import Front, Point
from paranym.model.objectives import names_of

_LARGE = ("k", "l", "weighted_k", "weighted_l", "d1", "d2")
"""What should be large, and likewise every model whose name ends in -l; all else should be small."""


def prefer(
    front: Front, order: str | Sequence[str], *, max_loss: float | None = None, min_k: int | None = None
) -> Point:
    """The point that is best in the first of `order`, of several the best in the second, and so on.

    `prefer(front, "l,k", max_loss=0.3)` is the largest k of the largest l within a loss, as in the paper. Points that
    are equal in all of `order` are told apart by their loss. Raises `Unattainable` if no point is within the limits.

    >>> import pyarrow as pa
    >>> import paranym as pn
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58], "ill": ["flu", "gout", "flu", "gout", "flu", "gout"]})
    >>> problem = pn.Problem(
    ...     people, quasi_identifiers={"age": {"intervals": [10, 30]}}, sensitive=["ill"], objectives=("k", "l", "loss")
    ... )
    >>> [(point.k, point.values["l"]) for point in (prefer(pn.frontier(problem), way) for way in ("loss", "l,k"))]
    [(1, 1.0), (6, 2.0)]
    """
    names = names_of(order)
    if not all(names):
        raise BadInput("An order of preference is a list of names, such as l,k.")
    within = front.within(max_loss=max_loss, min_k=min_k)
    if not within:
        raise Unattainable("No point of the front is within these limits.")
    left = list(within)
    for name in (*names, "loss"):
        sign = -1.0 if _is_large(name) else 1.0
        costs = [sign * value_of(point, name) for point in left]
        best = min(costs)
        left = [point for point, cost in zip(left, costs, strict=True) if cost - best <= TOLERANCE * abs(best)]
    return left[0]


def _is_large(name: str) -> bool:
    model = name.partition(":")[0]
    return model in _LARGE or model.endswith("-l")
