"""The choice by an order of preference: the best in the first value, ties broken by the second (section 7.4)."""

from collections.abc import Sequence

from paranym.errors import BadInput, Unattainable
from paranym.measures.catalogue import find_objective
from paranym.results.assessment import TOLERANCE
from paranym.results.curve import value_of
from paranym.results.front import Front, Point
from paranym.results.objectives import LARGER_IS_BETTER, names_of


def prefer(
    front: Front, order: str | Sequence[str], *, max_loss: float | None = None, min_k: int | None = None
) -> Point:
    """Return the point that is best in the first value of `order`; ties are broken by the second, and so on.

    `prefer(front, "l,k", max_loss=0.3)` is the largest k of the largest l within a loss, as in the paper. Points that
    are equal in all of `order` are ranked by their loss. Raises `Unattainable` if no point is within the limits.

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
    """True if a value is to be maximized; losses, and values that no installed model knows, are to be minimized."""
    model = find_objective(name)
    return name in LARGER_IS_BETTER if model is None else model.facts.larger_is_better
