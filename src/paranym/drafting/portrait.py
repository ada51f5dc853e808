"""A first look at a table: how its rows spread over each column, and what the values are."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paranym.drafting.kinds import Kind, Sort, missing_tokens, recognize
from paranym.drafting.words import is_postal
from paranym.engines.base import Column, Table
from paranym.errors import BadInput, EmptyTable
from paranym.model.values import to_text

_MOST_LISTED = 200_000
"""Columns with more different values than this are not listed: nothing sensible could be said about each."""
_SMALL = 50
"""In a table of fewer rows, different values in most of them mean little."""
_BATCH = 50


@dataclass(frozen=True, slots=True, eq=False)
class Portrait:
    """What is known of one column."""

    name: str
    rows: int
    different: int
    """How many values there are, missing ones not among them."""
    missing: int
    kind: Kind
    column: Column | None
    """Its values; None if they are too many to list, or of a type that cannot be generalized."""

    @property
    def is_constant(self) -> bool:
        """Whether all rows are alike in it."""
        return self.different + bool(self.missing) <= 1

    @property
    def is_unique(self) -> bool:
        """Whether no two rows have the same value."""
        return self.different + self.missing == self.rows > 1 and self.missing <= 1

    @property
    def is_nearly_unique(self) -> bool:
        """Whether the column tells most rows apart."""
        return self.different > 1 and 2 * self.different > self.rows

    @property
    def tells_most_apart(self) -> bool:
        """The same in a table that is large enough for it to mean something."""
        return self.is_nearly_unique and self.rows >= _SMALL

    @property
    def is_mostly_missing(self) -> bool:
        """Whether most rows have no value."""
        return 2 * self.missing > self.rows

    @property
    def is_of_other_type(self) -> bool:
        """Whether the values are neither numbers nor dates nor text, such as lists."""
        return self.column is None and self.different <= _MOST_LISTED

    @property
    def texts(self) -> tuple[str, ...]:
        """The values as leaves of a hierarchy."""
        return () if self.column is None else tuple(str(to_text(value)) for value in self.column.values)


def look(table: Table) -> tuple[Portrait, ...]:
    """A portrait of every column."""
    rows = table.profile([]).rows
    if rows == 0:
        raise EmptyTable(table.name)
    spreads = table.spread(table.columns)
    few = [one.name for one in spreads if one.different <= _MOST_LISTED]
    listed = {column.name: column for batch in _batched(few) for column in _listed(table, batch)}
    portraits = []
    for one in spreads:
        column = listed.get(one.name)
        if column is None:
            portraits.append(Portrait(one.name, rows, one.different, one.missing, Kind(Sort.TEXT), None))
        else:
            kind = recognize(column.values, are_codes=is_postal(one.name))
            portraits.append(Portrait(one.name, rows, len(column.values), column.missing, kind, column))
    return tuple(portraits)


def find_tokens(portraits: Sequence[Portrait]) -> tuple[str, ...]:
    """Texts in a table that most likely mean a missing value."""
    columns = [portrait.column for portrait in portraits if portrait.column is not None]
    return tuple(dict.fromkeys(token for column in columns for token in missing_tokens(column.values)))


def _batched(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """The names, some at a time: an engine takes long to list the values of hundreds of columns at once."""
    return (names[start : start + _BATCH] for start in range(0, len(names), _BATCH))


def _listed(table: Table, names: Sequence[str]) -> list[Column]:
    """The columns whose values can be listed; those of other types are left out."""
    try:
        return list(table.profile(names).columns)
    except BadInput:
        if len(names) == 1:
            return []
        half = len(names) // 2
        return [*_listed(table, names[:half]), *_listed(table, names[half:])]
