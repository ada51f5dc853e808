"""The calendar: days, weeks, months, quarters, years, decades."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime, timedelta

from paranym.errors import BadHierarchy, did_you_mean
from paranym.hierarchies.reading import MOST_COVERED, ParsedValues, climb, listed, read
from paranym.model.hierarchy import Hierarchy
from paranym.model.values import to_text

_UNITS: dict[str, Callable[[datetime], str]] = {
    "minute": lambda moment: f"{moment.date()} {moment:%H:%M}",
    "hour": lambda moment: f"{moment.date()} {moment:%H}h",
    "day": lambda moment: moment.date().isoformat(),
    "week": lambda moment: "{:04d}-W{:02d}".format(*moment.isocalendar()[:2]),
    "month": lambda moment: f"{moment.year:04d}-{moment.month:02d}",
    "quarter": lambda moment: f"{moment.year:04d}-Q{(moment.month + 2) // 3}",
    "year": lambda moment: f"{moment.year:04d}",
    "decade": lambda moment: _decade(moment.year),
}
"""From fine to coarse. A week nests in no month, quarter or year of the calendar."""
_OF_WEEKS: dict[str, Callable[[datetime], str]] = {
    "year": lambda moment: f"{moment.isocalendar().year:04d}",
    "decade": lambda moment: _decade(moment.isocalendar().year),
}
"""Above weeks, years are those that ISO 8601 counts a week to."""

DATE_UNITS = tuple(_UNITS)
_WHAT = f"dates take a list of {', '.join(DATE_UNITS)}, such as ['month', 'year']"


def date_hierarchy(
    values: Iterable[object],
    units: Sequence[str],
    *,
    attribute: str,
    format: str | None = None,  # noqa: A002 - what recipes call it
    cover: Sequence[date] | None = None,
    apart: Sequence[object] = (),
) -> Hierarchy:
    """Levels of the calendar over dates or moments, in ISO form unless `format` says otherwise (as `strptime` does).

    >>> date_hierarchy(["1899-12-31", "1900-01-01"], ["month", "decade"], attribute="born").rows()[0]
    ('1899-12-31', '1899-12', '1890-1899', '*')
    """
    climbs = _check(units, attribute)
    found = read_dates(values, attribute=attribute, format=format, apart=apart)
    known = dict(found.known)
    for day in _covered(cover, attribute):
        known.setdefault(day.strftime(format) if format else day.date().isoformat(), day)
    ordered = dict(sorted(known.items(), key=lambda item: item[1].replace(tzinfo=None)))
    return climb(
        ParsedValues(ordered, found.apart),
        lambda moment: [label(moment) for label in climbs],
        levels=len(climbs),
        attribute=attribute,
    )


def read_dates(
    values: Iterable[object],
    *,
    attribute: str,
    format: str | None = None,  # noqa: A002 - as above
    apart: Sequence[object] = (),
) -> ParsedValues[datetime]:
    """Read the values of a column as moments; a date is its first moment."""
    form = "in ISO form, such as 2024-01-31" if format is None else f"written as {format}"
    return read(
        values, lambda text: to_moment(text, format), needs=f"dates must be {form}", apart=apart, attribute=attribute
    )


def to_moment(text: str, form: str | None = None) -> datetime | None:
    """Return the moment in a text; None if it is not one."""
    try:
        return datetime.fromisoformat(text) if form is None else datetime.strptime(text, form)  # noqa: DTZ007 - as written
    except ValueError:
        return None


def _decade(year: int) -> str:
    return f"{year // 10 * 10:04d}-{year // 10 * 10 + 9:04d}"


def _check(units: Sequence[str], attribute: str) -> list[Callable[[datetime], str]]:
    given = listed(units, attribute=attribute, what=_WHAT)
    strange = [unit for unit in given if unit not in _UNITS]
    if strange or not given:
        hint = did_you_mean(str(strange[0]), DATE_UNITS) if strange else ""
        raise BadHierarchy(attribute, None, f"{_WHAT}; got {given}.{hint}")
    for level, (fine, coarse) in enumerate(itertools.pairwise(given), start=2):
        if DATE_UNITS.index(coarse) <= DATE_UNITS.index(fine):
            raise BadHierarchy(attribute, level, f"a {coarse} does not come above a {fine}.")
    if "week" in given and {"month", "quarter"} & set(given):
        raise BadHierarchy(attribute, None, "weeks do not nest in months or quarters: take either.")
    return [(_OF_WEEKS if "week" in given else _UNITS).get(unit, _UNITS[unit]) for unit in given]


def _covered(cover: Sequence[date] | None, attribute: str) -> Iterable[datetime]:
    if cover is None:
        return ()
    what = "cover takes the first and the last of some days, such as [1900-01-01, 2029-12-31]"
    bounds = [to_moment(to_text(day) or "") for day in listed(cover, attribute=attribute, what=what)]
    if len(bounds) != 2 or bounds[0] is None or bounds[1] is None or bounds[0] > bounds[1]:
        raise BadHierarchy(attribute, None, f"{what}; got {[to_text(day) for day in cover]}.")
    days = (bounds[1] - bounds[0]).days
    if days >= MOST_COVERED:
        raise BadHierarchy(attribute, None, f"cover spans more than {MOST_COVERED:,} days.")
    first = bounds[0]
    return (first + timedelta(day) for day in range(days + 1))
