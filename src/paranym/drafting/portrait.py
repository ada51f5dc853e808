"""Profiles of columns: how many values and rows, and of which kind."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from paranym.drafting.kinds import Kind, Sort, missing_tokens, recognize
from paranym.engines.base import Column, Table
from paranym.errors import BadInput, EmptyTable
from paranym.model.values import to_text
from paranym.recognition.words import is_postal

_MOST_LISTED = 200_000
"""The values of columns with more distinct values than this are not listed."""
_SMALL = 50
"""In a table of fewer rows, distinct values in most rows mean little."""
_BATCH = 50


@dataclass(frozen=True, slots=True, eq=False)
class Portrait:
    """The profile of one column."""

    name: str
    rows: int
    different: int
    """Distinct values, without missing ones."""
    missing: int
    kind: Kind
    column: Column | None
    """The values; None if they are too many to list, or of a type that cannot be generalized."""

    @property
    def is_constant(self) -> bool:
        """True if all rows have the same value."""
        return self.different + bool(self.missing) <= 1

    @property
    def is_unique(self) -> bool:
        """True if no two rows have the same value."""
        return self.different + self.missing == self.rows > 1 and self.missing <= 1

    @property
    def is_nearly_unique(self) -> bool:
        """True if more than half as many values occur as there are rows."""
        return self.different > 1 and 2 * self.different > self.rows

    @property
    def is_nearly_identifying(self) -> bool:
        """True if the column is nearly unique in a table that is large enough for this to matter."""
        return self.is_nearly_unique and self.rows >= _SMALL

    @property
    def is_mostly_missing(self) -> bool:
        """True if most rows have no value."""
        return 2 * self.missing > self.rows

    @property
    def is_of_other_type(self) -> bool:
        """True if the values are neither numbers nor dates nor text, such as lists."""
        return self.column is None and self.different <= _MOST_LISTED

    @property
    def texts(self) -> tuple[str, ...]:
        """Return the values as leaves of a hierarchy."""
        return () if self.column is None else tuple(str(to_text(value)) for value in self.column.values)


def look(table: Table) -> tuple[Portrait, ...]:
    """Return the profile of every column."""
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
    """Return the texts in a table that most likely mean a missing value."""
    columns = [portrait.column for portrait in portraits if portrait.column is not None]
    return tuple(dict.fromkeys(token for column in columns for token in missing_tokens(column.values)))


def _batched(names: Sequence[str]) -> Iterator[Sequence[str]]:
    """Return the names in batches: an engine takes long to list the values of hundreds of columns at once."""
    return (names[start : start + _BATCH] for start in range(0, len(names), _BATCH))


def _listed(table: Table, names: Sequence[str]) -> list[Column]:
    """Return the columns whose values can be listed, without those of other types."""
    try:
        return list(table.profile(names).columns)
    except BadInput:
        if len(names) == 1:
            return []
        half = len(names) // 2
        return [*_listed(table, names[:half]), *_listed(table, names[half:])]
