"""What is known of solutions that a front does not hold: how good they could be at most."""

from collections.abc import Sequence
from typing import Any

from paranym.model.assessment import TOLERANCE
from paranym.model.front import Corner, Front, Point

ONE_POINT = 0.01
"""A percentage point: how much more loss is looked at unasked, and what is worth telling."""


def fits(loss: float, most: float) -> bool:
    """Whether a loss is within a limit, or equal to it as losses are."""
    return loss <= most * (1 + TOLERANCE)


def corners_of(front: Front, allowed: int) -> Sequence[Point | Corner] | None:
    """What bounds every solution that leaves out at most `allowed` rows, if anything does.

    Where rows are suppressed as needed, a smaller limit only takes solutions away. A larger one adds some, and where
    all that may go is suppressed, solutions change with the limit.
    """
    narrower = allowed < front.suppression_limit and front.suppression_use == "needed"
    if allowed != front.suppression_limit and not narrower:
        return None
    return front.points if front.complete else front.possible


def reason_to_doubt(front: Front, allowed: int) -> str | None:
    """Why the front may lack something; None if it does not."""
    if not front.complete:
        return "Not every generalization was tried or proved worse"
    if allowed != front.suppression_limit:
        return f"The front was computed for at most {front.suppression_limit:,} rows left out, not {allowed:,}"
    return None


def facts(front: Front) -> dict[str, Any]:
    """How the front came about, as it is written with the front itself."""
    return {key: value for key, value in front.as_dict().items() if key not in ("points", "possible")}
