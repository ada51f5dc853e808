"""The time of day in intervals of minutes and hours."""

import itertools
from collections.abc import Iterable, Sequence
from datetime import datetime, time

from paranym.errors import BadHierarchy
from paranym.hierarchies.reading import ParsedValues, check_whole, climb, listed, read
from paranym.model.hierarchy import Hierarchy

_DAY = 24 * 60
_WHAT = "times take a list of widths in minutes, such as [15, 60, 360]"


def time_hierarchy(
    values: Iterable[object],
    minutes: Sequence[int],
    *,
    attribute: str,
    format: str | None = None,  # noqa: A002 - what recipes call it
    apart: Sequence[object] = (),
) -> Hierarchy:
    """Levels of intervals in minutes from midnight on, each a multiple of the one before and a divisor of the day.

    >>> time_hierarchy(["08:30", "08:59:59"], [15, 60], attribute="arrival").labels[1:3]
    (('08:30-08:44', '08:45-08:59'), ('08:00-08:59',))
    """
    widths = _check(minutes, attribute)
    form = "as 08:30 or 08:30:00" if format is None else f"written as {format}"
    found = read(
        values, lambda text: to_time(text, format), needs=f"times must be {form}", apart=apart, attribute=attribute
    )
    ordered = dict(sorted(found.known.items(), key=lambda item: item[1].replace(tzinfo=None)))

    def labels(moment: time) -> list[str]:
        minute = 60 * moment.hour + moment.minute
        return [_label(minute // width * width, width) for width in widths]

    return climb(ParsedValues(ordered, found.apart), labels, levels=len(widths), attribute=attribute)


def to_time(text: str, form: str | None = None) -> time | None:
    """Return the time of day in a text; None if it is not one."""
    try:
        return time.fromisoformat(text) if form is None else datetime.strptime(text, form).time()  # noqa: DTZ007 - as written
    except ValueError:
        return None


def _label(minute: int, width: int) -> str:
    first, last = (f"{some // 60:02d}:{some % 60:02d}" for some in (minute, minute + width - 1))
    return first if width == 1 else f"{first}-{last}"


def _check(minutes: Sequence[int], attribute: str) -> list[int]:
    given = listed(minutes, attribute=attribute, what=_WHAT)
    widths = check_whole(given, least=1, what=_WHAT, attribute=attribute)
    for level, width in enumerate(widths, start=1):
        if _DAY % width:
            raise BadHierarchy(attribute, level, f"a day cannot be divided into parts of {width} minutes.")
    for level, (narrow, wide) in enumerate(itertools.pairwise(widths), start=2):
        if wide <= narrow or wide % narrow:
            raise BadHierarchy(
                attribute, level, f"{wide} minutes do not nest {narrow}: take a larger multiple of {narrow}."
            )
    return widths
