"""The points of a front in plain words."""

from collections.abc import Iterator

from paranym.measures.catalogue import is_about_cells
from paranym.results.front import Front, Point
from paranym.wording.numbers import percent, rows_of


def protection(k: int) -> str:
    """Return a k as it is named in a sentence.

    >>> protection(1200), protection(1)
    ('k = 1,200', 'k = 1 (no protection)')
    """
    return f"k = {k:,}" if k > 1 else "k = 1 (no protection)"


def anonymity(k: int) -> str:
    """Return the meaning of a k, as the end of a sentence that begins with the table.

    >>> anonymity(12)
    'is k-anonymous with k = 12'
    >>> anonymity(1)
    'protects nobody (k = 1)'
    """
    return f"is k-anonymous with k = {k:,}" if k > 1 else "protects nobody (k = 1)"


def price_tag(point: Point, *others: float) -> str:
    """Return the k of a point with its information loss."""
    return f"{protection(point.k)} at {percent(point.loss_fraction, *others)}"


def what_is_lost(metric: str) -> str:
    """Return what a loss is a share of: of the information, or of the largest value that the measure can take.

    >>> what_is_lost("glm"), what_is_lost("dcn")
    ('the information (glm)', 'the largest possible loss (dcn)')
    """
    return f"{'the information' if is_about_cells(metric) else 'the largest possible loss'} ({metric})"


def cost(point: Point, front: Front, allowed: int) -> str:
    """Return the information loss of a point and its suppressed rows, where `allowed` rows may be suppressed."""
    lost = f"Information loss: {percent(point.loss_fraction)} of {what_is_lost(front.metric)}."
    if not allowed:
        return f"{lost} No rows are suppressed; the limit is 0."
    if not point.suppressed:
        return f"{lost} No rows are suppressed; the limit is {allowed:,}."
    if point.suppressed == front.rows:
        return f"{lost} All rows are suppressed: the published table is empty."
    verb = "is" if point.suppressed == 1 else "are"
    return f"{lost} {rows_of(point.suppressed, front.rows)} {verb} suppressed; the limit is {allowed:,}."


def columns(point: Point, front: Front) -> str:
    """Return what happens to each quasi-identifier."""
    return " ".join(_columns(point, front))


def _columns(point: Point, front: Front) -> Iterator[str]:
    generalized = {name: level for name, level in point.levels.items() if level}
    partly = [f"{name} {level} of {top}" for name, level in generalized.items() if level < (top := front.heights[name])]
    topmost = [name for name, level in generalized.items() if level == front.heights[name]]
    kept = [name for name in point.levels if name not in generalized]
    if partly:
        yield f"Generalized to level: {', '.join(partly)}."
    if topmost:
        yield f"Fully generalized (*): {', '.join(topmost)}."
    if kept:
        yield f"Unchanged: {', '.join(kept)}."
