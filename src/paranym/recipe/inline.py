"""Hierarchies written inline in a recipe instead of a file: one table for every builder, or a list of them."""

from datetime import date
from typing import Annotated, Any, Literal, Union

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag

from paranym.errors import did_you_mean


def _to_number(given: Any) -> Any:
    # rather than by a union of types, which would complain once for each of them
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise ValueError(f"should be a number; got {given!r}")  # noqa: TRY004 - pydantic's
    return given


def _to_numbers(given: Any) -> Any:
    for number in given if isinstance(given, list) and given else [given]:
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ValueError(f"should be a number or a list of numbers; got {given!r}")  # noqa: TRY004 - likewise
    return given


Number = Annotated[Any, AfterValidator(_to_number)]
Numbers = Annotated[Any, AfterValidator(_to_numbers)]
"""One value, or a list of values."""
DateUnit = Literal["minute", "hour", "day", "week", "month", "quarter", "year", "decade"]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class CodingTable(_Table):
    """Bottom and top coding: numbers below `bottom` form one value, and so do those from `top` on."""

    bottom: Number | None = None
    top: Number | None = None
    cover: list[int] | None = Field(default=None, min_length=2, max_length=2)
    """The first and the last whole number of the domain: all between are leaves, even if they do not occur."""
    apart: list[Any] = []
    """Values that are not grouped below the top, such as 99 for unknown."""


class IntervalsTable(CodingTable):
    """Nested intervals of fixed widths."""

    intervals: list[Number] = Field(min_length=1)
    """The width of the intervals at each level."""


class BreaksTable(_Table):
    """Intervals between chosen bounds."""

    breaks: list[Numbers] = Field(min_length=1)
    """The bounds, or one list of bounds for every level."""
    cover: list[int] | None = Field(default=None, min_length=2, max_length=2)
    apart: list[Any] = []


class QuantilesTable(_Table):
    """Intervals with about equally many rows."""

    quantiles: Numbers
    """The number of intervals at each level."""
    apart: list[Any] = []


class PrefixTable(_Table):
    """Codes whose end is masked."""

    prefix: list[int] = Field(min_length=1)
    """The number of characters that each level keeps."""
    apart: list[Any] = []


class DatesTable(_Table):
    """Calendar units of dates."""

    dates: list[DateUnit] = Field(min_length=1)
    format: str | None = Field(default=None, min_length=1)
    """The format of dates, in the notation of `strptime`; by default ISO."""
    cover: list[date] | None = Field(default=None, min_length=2, max_length=2)
    apart: list[Any] = []


class TimesTable(_Table):
    """The time of day."""

    times: list[int] = Field(min_length=1)
    """Widths in minutes."""
    format: str | None = Field(default=None, min_length=1)
    apart: list[Any] = []


class TreeTable(_Table):
    """Groups of values, and groups of groups."""

    tree: dict[str, Any] = Field(min_length=1)
    others: str | None = Field(default=None, min_length=1)
    """The group of values that are not listed."""


class RareTable(_Table):
    """Grouping of rare values into one."""

    rare: Numbers
    """The number or share of rows below which a value is rare, at each level."""
    others: str = Field(default="other", min_length=1)


class RowsTable(_Table):
    """One row per leaf."""

    rows: list[list[Any]] = Field(min_length=1)


TABLES: dict[str, type[_Table]] = {
    "intervals": IntervalsTable,
    "breaks": BreaksTable,
    "quantiles": QuantilesTable,
    "prefix": PrefixTable,
    "dates": DatesTable,
    "times": TimesTable,
    "tree": TreeTable,
    "rare": RareTable,
    "rows": RowsTable,
}
"""The tables by their keys; `bottom` and `top` alone select a `CodingTable`."""
_CODING = ("bottom", "top")
_KEYS = (*TABLES, *_CODING)


def _kind(written: object) -> str:
    """Return the kind of an inline hierarchy, by its keys."""
    if isinstance(written, str):
        return "file"
    if isinstance(written, list):
        return "list"
    keys = [str(key) for key in (written if isinstance(written, dict) else _known(written))]
    selected = [key for key in keys if key in TABLES]
    if len(selected) == 1:
        return selected[0]
    if not selected and set(keys) & set(_CODING):
        return "coding"
    return "levels" if keys and all(key.isdecimal() for key in keys) else "none"


def _known(written: object) -> tuple[str, ...]:
    """Return the keys of a table that is already validated."""
    return tuple(type(written).model_fields) if isinstance(written, _Table) else ()


def _refuse(written: Any) -> Any:
    if not isinstance(written, dict):
        raise ValueError(f"should be a file name or an inline table; got {written!r}")  # noqa: TRY004 - pydantic's
    keys = tuple(map(str, written))
    hint = next(filter(None, (did_you_mean(key, _KEYS) for key in keys if key not in _KEYS)), "")
    got = f"got {', '.join(keys)}" if keys else "it is empty"
    raise ValueError(f"should hold one of {', '.join(_KEYS)}, or numbered levels; {got}.{hint}")


_Step = Annotated[
    Union[  # noqa: UP007 - built from pieces
        Annotated[str, Tag("file")],
        Annotated[IntervalsTable, Tag("intervals")],
        Annotated[BreaksTable, Tag("breaks")],
        Annotated[QuantilesTable, Tag("quantiles")],
        Annotated[PrefixTable, Tag("prefix")],
        Annotated[DatesTable, Tag("dates")],
        Annotated[TimesTable, Tag("times")],
        Annotated[TreeTable, Tag("tree")],
        Annotated[RareTable, Tag("rare")],
        Annotated[RowsTable, Tag("rows")],
        Annotated[CodingTable, Tag("coding")],
        Annotated[dict[str, list[Any]], Tag("levels")],
        Annotated[Any, AfterValidator(_refuse), Tag("none")],
        Annotated[Any, AfterValidator(_refuse), Tag("list")],
    ],
    Discriminator(_kind),
]
InlineHierarchy = Annotated[
    Union[  # noqa: UP007 - built from pieces
        Annotated[_Step, Tag("one")],
        Annotated[list[_Step], Field(min_length=1), Tag("several")],
    ],
    Discriminator(lambda written: "several" if isinstance(written, list) else "one"),
]
"""A file, a table, or a list of these that are stacked on one another."""


def place_without_tags(place: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Return the place of a fault without the tags of the inline tables.

    The part after `hierarchy` states whether there is one table or a list. The kind of the table follows it, or follows
    the number of the table in the list.

    >>> place_without_tags(("attributes", "age", "hierarchy", "one", "intervals", "intervals", 0))
    ('attributes', 'age', 'hierarchy', 'intervals', 0)
    """
    if len(place) < 4 or place[0] != "attributes" or place[2] != "hierarchy":
        return place
    before, several, rest = place[:3], place[3] == "several", place[4:]
    return (*before, *rest[:1], *rest[2:]) if several else (*before, *rest[1:])


def keys_of(place: tuple[int | str, ...]) -> tuple[str, ...] | None:
    """Return the known keys of the inline table at a place (with tags); None if there is no table."""
    if len(place) < 5 or place[0] != "attributes" or place[2] != "hierarchy":
        return None
    kind = place[5] if place[3] == "several" and len(place) > 5 else place[4]
    table = CodingTable if kind == "coding" else TABLES.get(str(kind))
    return None if table is None else tuple(table.model_fields)


def written(table: object) -> Any:
    """Return the table as it was written, for builders."""
    return table.model_dump(exclude_unset=True) if isinstance(table, _Table) else table
