"""Why a question has no answer, and the nearest solutions."""

from collections.abc import Iterator

from paranym.choice.bounds import corners_of, fits, reason_to_doubt
from paranym.choice.points import price_tag, protection
from paranym.choice.question import Question
from paranym.results.front import Front
from paranym.wording.numbers import counted, limit


def refusal(front: Front, question: Question) -> Iterator[str]:
    """Say why no point meets all limits, and name the nearest ones."""
    most, least, allowed = question.max_loss, question.min_k, question.allowed_in(front)
    none = "No solution" if reason_to_doubt(front, allowed) is None else "No solution was found that"
    if least is not None and least > front.largest_k:
        yield f"k = {least:,} is impossible: the table has {front.everyone}."
    points = front.within(max_suppressed=allowed)
    if not points:
        fewest = min((point.suppressed for point in front), default=0)
        yield f"{none} suppresses at most {counted(allowed, 'row')}; the fewest is {fewest:,}."
        yield from _unproved(front, question, allowed)
        return
    private = [point for point in points if least is None or point.k >= least]
    cheap = [point for point in points if most is None or fits(point.loss_fraction, most)]
    if most is not None and not cheap:
        yield f"{none} loses at most {limit(most)}; the least is {price_tag(points[-1], most)}."
    elif most is not None and least is not None and private:
        yield f"{none} achieves {protection(least)} with an information loss of at most {limit(most)}."
        yield f"The nearest are {price_tag(private[-1], most)}, and {price_tag(cheap[0])}."
    if least is not None and not private:
        known = "" if least > front.largest_k else f"{none} achieves {protection(least)}. "
        yield f"{known}The largest is {price_tag(points[0])}."
    yield from _unproved(front, question, allowed)


def _unproved(front: Front, question: Question, allowed: int) -> Iterator[str]:
    """Add that such a solution may exist, unless it is proved that none does."""
    doubt, corners = reason_to_doubt(front, allowed), corners_of(front, allowed)
    most, least = question.max_loss, min(question.min_k or 1, front.largest_k + 1)
    possible = corners is None or any(
        corner.k >= least and (most is None or fits(corner.loss_fraction, most)) for corner in corners
    )
    if doubt is not None and possible and least <= front.largest_k:
        yield f"{doubt}, so such a solution may exist."
