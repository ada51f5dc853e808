"""What a recipe may write in place of a hierarchy file: one table for every builder, or a list of them."""

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
"""One, or a list of some."""
DateUnit = Literal["minute", "hour", "day", "week", "month", "quarter", "year", "decade"]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class CodingTable(_Table):
    """Numbers below `bottom` are one value, and those from `top` on."""

    bottom: Number | None = None
    top: Number | None = None
    cover: list[int] | None = Field(default=None, min_length=2, max_length=2)
    """The first and the last of the whole numbers that are leaves whether they occur or not."""
    apart: list[Any] = []
    """Values that stay by themselves below the top, such as 99 where it means unknown."""


class IntervalsTable(CodingTable):
    """A ladder of intervals."""

    intervals: list[Number] = Field(min_length=1)
    """Their widths, level by level."""


class BreaksTable(_Table):
    """Intervals between chosen bounds."""

    breaks: list[Numbers] = Field(min_length=1)
    """The bounds, or one list of bounds for every level."""
    cover: list[int] | None = Field(default=None, min_length=2, max_length=2)
    apart: list[Any] = []


class QuantilesTable(_Table):
    """Intervals with about equally many rows."""

    quantiles: Numbers
    """How many, level by level."""
    apart: list[Any] = []


class PrefixTable(_Table):
    """Codes whose end is masked."""

    prefix: list[int] = Field(min_length=1)
    """How many characters each level keeps."""
    apart: list[Any] = []


class DatesTable(_Table):
    """The calendar."""

    dates: list[DateUnit] = Field(min_length=1)
    format: str | None = Field(default=None, min_length=1)
    """How dates are written, in the signs of `strptime`; ISO unless given."""
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
    """Values that few rows have become one."""

    rare: Numbers
    """Fewer rows than this, or than this share of them; level by level."""
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
"""By the key that asks for them; `bottom` and `top` alone ask for a `CodingTable`."""
_CODING = ("bottom", "top")
_KEYS = (*TABLES, *_CODING)


def _kind(written: object) -> str:
    """Which of the tables is meant."""
    if isinstance(written, str):
        return "file"
    if isinstance(written, list):
        return "list"
    keys = [str(key) for key in (written if isinstance(written, dict) else _known(written))]
    asked = [key for key in keys if key in TABLES]
    if len(asked) == 1:
        return asked[0]
    if not asked and set(keys) & set(_CODING):
        return "coding"
    return "levels" if keys and all(key.isdecimal() for key in keys) else "none"


def _known(written: object) -> tuple[str, ...]:
    """The keys of a table that is validated already."""
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
    Union[  # noqa: UP007 - likewise
        Annotated[_Step, Tag("one")],
        Annotated[list[_Step], Field(min_length=1), Tag("several")],
    ],
    Discriminator(lambda written: "several" if isinstance(written, list) else "one"),
]
"""A file, a table, or a list of these that are put one on top of the other."""


def place_without_tags(place: tuple[int | str, ...]) -> tuple[int | str, ...]:
    """Where a fault is, without the names that only tell the tables apart.

    The part behind `hierarchy` says whether there is one table or a list; behind that, or behind the number of one in
    the list, stands the kind of the table.

    >>> place_without_tags(("attributes", "age", "hierarchy", "one", "intervals", "intervals", 0))
    ('attributes', 'age', 'hierarchy', 'intervals', 0)
    """
    if len(place) < 4 or place[0] != "attributes" or place[2] != "hierarchy":
        return place
    before, several, rest = place[:3], place[3] == "several", place[4:]
    return (*before, *rest[:1], *rest[2:]) if several else (*before, *rest[1:])


def keys_of(place: tuple[int | str, ...]) -> tuple[str, ...] | None:
    """The keys that an inline table knows at a place (with tags); None if there is none at that place."""
    if len(place) < 5 or place[0] != "attributes" or place[2] != "hierarchy":
        return None
    kind = place[5] if place[3] == "several" and len(place) > 5 else place[4]
    table = CodingTable if kind == "coding" else TABLES.get(str(kind))
    return None if table is None else tuple(table.model_fields)


def written(table: object) -> Any:
    """The table as it was written, for builders."""
    return table.model_dump(exclude_unset=True) if isinstance(table, _Table) else table
