"""Bounds on solutions that a front does not hold."""

from collections.abc import Sequence
from typing import Any

from paranym.results.assessment import TOLERANCE
from paranym.results.front import Corner, Front, Point

ONE_POINT = 0.01
"""One percentage point: how far beyond a limit an answer looks, and the smallest difference worth mentioning."""


def fits(loss: float, most: float) -> bool:
    """True if a loss is at most the limit, up to the tolerance of losses."""
    return loss <= most * (1 + TOLERANCE)


def corners_of(front: Front, allowed: int) -> Sequence[Point | Corner] | None:
    """Return bounds on every solution that suppresses at most `allowed` rows, or None if there are none.

    Where rows are suppressed as needed, a smaller limit only removes solutions. A larger limit adds some, and where
    suppression is always used in full, the solutions change with the limit.
    """
    narrower = allowed < front.suppression_limit and front.suppression_use == "needed"
    if allowed != front.suppression_limit and not narrower:
        return None
    return front.points if front.complete else front.possible


def reason_to_doubt(front: Front, allowed: int) -> str | None:
    """Return why the front may be incomplete, or None if it is complete."""
    if not front.complete and front.suppression_searched and front.evaluated_nodes == front.lattice_nodes:
        return "Not every set of classes that could be suppressed was tried or proved to be dominated"
    if not front.complete and front.is_private:
        return "Not every cut was evaluated or proved to be no better"
    if not front.complete:
        return "Not every node was evaluated or proved to be dominated"
    if allowed != front.suppression_limit:
        return f"The front was computed for at most {front.suppression_limit:,} suppressed rows, not {allowed:,}"
    return None


def facts(front: Front) -> dict[str, Any]:
    """Return how the front was computed, with the keys of the front's own document."""
    return {key: value for key, value in front.as_dict().items() if key not in ("points", "possible")}
