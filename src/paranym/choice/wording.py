"""Numbers and points of a front in plain words, for somebody who has read no paper."""

from collections.abc import Iterator

from paranym.model.assessment import TOLERANCE
from paranym.model.front import Front, Point
from paranym.model.wording import is_about_cells


def percent(share: float, *others: float) -> str:
    """A share in percent: two decimals, or as many as it takes to tell it from nothing, from all, and from `others`.

    >>> percent(0.25), percent(0.00001), percent(0.250041, 0.25), percent(1)
    ('25.00%', '0.001%', '25.004%', '100%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    apart = [other for other in (0.0, 1.0, *others) if abs(share - other) > TOLERANCE * max(share, other)]
    for digits in range(2, 12):
        text = f"{share:.{digits}%}"
        if text not in [f"{other:.{digits}%}" for other in apart]:
            break
    return text


def limit(share: float) -> str:
    """A share that somebody gave, in the digits that were given.

    >>> limit(0.29), limit(0.125)
    ('29%', '12.5%')
    """
    return f"{100 * share:.10g}%"


def difference(share: float) -> str:
    """The distance of two percentages.

    >>> difference(0.008)
    '0.80 points'
    """
    return f"{percent(share).removesuffix('%')} points"


def alike(k: int) -> str:
    """What a k means to a person.

    >>> alike(12), alike(1)
    ('at least 12 alike', 'no protection (k = 1)')
    """
    return f"at least {k:,} alike" if k > 1 else "no protection (k = 1)"


def hidden(who: str, verb: str, k: int) -> str:
    """Among how many somebody hides, as a sentence without its end.

    >>> hidden("everyone in it", "is", 12), hidden("everyone in it", "is", 1)
    ('everyone in it is one of at least 12 alike', 'nobody is protected (k = 1)')
    """
    return f"{who} {verb} one of {alike(k)}" if k > 1 else f"nobody {verb} protected (k = 1)"


def price_tag(point: Point, *others: float) -> str:
    """What a point gives, and for how much."""
    return f"{alike(point.k)} at {percent(point.loss_fraction, *others)}"


def rows_of(some: int, rows: int) -> str:
    """Some rows of a table, with their share.

    >>> rows_of(284, 30162), rows_of(1, 2), rows_of(0, 7)
    ('284 of 30,162 rows (0.94%)', '1 of 2 rows (50.00%)', 'no row')
    """
    return f"{some:,} of {rows:,} rows ({percent(some / rows)})" if some else "no row"


def what_is_lost(metric: str) -> str:
    """What a loss is a share of; only some measures are about cells and what they tell.

    >>> what_is_lost("glm"), what_is_lost("dcn")
    ('the information (measured by glm)', 'what could be lost (measured by dcn)')
    """
    return f"{'the information' if is_about_cells(metric) else 'what could be lost'} (measured by {metric})"


def cost(point: Point, front: Front, allowed: int) -> str:
    """What a point loses and leaves out, where `allowed` rows may be left out."""
    lost = f"This loses {percent(point.loss_fraction)} of {what_is_lost(front.metric)}"
    if not allowed:
        return f"{lost}. No row is left out, and none may be."
    if not point.suppressed:
        return f"{lost}. No row is left out, though {allowed:,} may be."
    if point.suppressed == front.rows:
        return f"{lost}. All rows are left out: the published table is empty."
    verb = "is" if point.suppressed == 1 else "are"
    return f"{lost}. {rows_of(point.suppressed, front.rows)} {verb} left out; at most {allowed:,} may be."


def columns(point: Point, front: Front) -> str:
    """What happens to each quasi-identifier."""
    return " ".join(_columns(point, front))


def _columns(point: Point, front: Front) -> Iterator[str]:
    raised = {name: level for name, level in point.levels.items() if level}
    partly = [f"{name} {level} of {top}" for name, level in raised.items() if level < (top := front.heights[name])]
    gone = [name for name, level in raised.items() if level == front.heights[name]]
    kept = [name for name in point.levels if name not in raised]
    if partly:
        yield f"Raised to level: {', '.join(partly)}."
    if gone:
        yield f"Replaced by *: {', '.join(gone)}."
    if kept:
        yield f"Kept as {'it is' if len(kept) == 1 else 'they are'}: {', '.join(kept)}."
