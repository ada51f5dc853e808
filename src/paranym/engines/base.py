"""The interface of engines: the `Table` protocol, and the values that go in and come out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from paranym.engines.formats import Format
from paranym.frequency import FrequencySet
from paranym.model.packing import Packing

if TYPE_CHECKING:
    import pyarrow as pa

Codes = NDArray[np.int32]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table and the values that occur in it."""

    name: str
    values: tuple[object, ...]
    """Distinct values without missing ones."""
    missing: int
    """Number of rows with a missing value."""


@dataclass(frozen=True, slots=True)
class Profile:
    """The number of rows of a table, and the values of its columns."""

    rows: int
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """The numbers of distinct and missing values of a column, without the values."""

    name: str
    different: int
    """Distinct values without missing ones: exact if they may exceed half of the number of rows, otherwise an
    estimate."""
    missing: int


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """The mapping from the values of one column to codes."""

    column: Column
    codes: Codes
    """The code of each value of the column."""
    missing: int | None
    """The code of a missing value, if there are missing values."""
    size: int
    """Upper bound (exclusive) of the codes."""


@dataclass(frozen=True, slots=True, eq=False)
class Replacement:
    """The labels that replace the values of one column."""

    coding: Coding
    """The index of the label of each value."""
    labels: tuple[str | None, ...]
    keeps: bool = False
    """True if cells other than text are published unchanged: numbers as numbers, dates as dates."""


LabelKind = Literal["text", "number", "value"]
"""The kind of labels: text, numbers, or values of the column itself, which keep its type."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Gathering:
    """Groups of a local recoding, each with its own labels: rows with the same combination may be in several groups."""

    words: Ints
    """(entries, words): the packed codes of a combination of values."""
    after: Ints
    """Per entry: it takes the rows of its combination, numbered from 1, after this one."""
    upto: Ints
    """Per entry: up to and including this one."""
    labels: Codes
    """(entries, replaced columns): the indices of the labels."""
    kinds: tuple[LabelKind, ...]
    """The kind of the labels of each replaced column."""
    is_partial: bool = False
    """True if some rows are in no entry: these are suppressed."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rewriting:
    """The transformation of rows into published rows. Columns that it does not name keep their values and types."""

    replaced: tuple[Replacement, ...]
    dropped: tuple[str, ...] = ()
    suppressed: Ints = field(default_factory=lambda: np.empty((0, 1), np.int64))
    """(classes, words): the packed labels of the suppressed rows."""
    mark: str | None = None
    """If given, suppressed rows are kept, with this mark in the replaced columns and empty cells in all others."""
    neutralize: bool = False
    """True if text that a spreadsheet would run as a formula gets a leading quote."""
    gathering: Gathering | None = None
    """If given, the labels of a row depend on all of its replaced columns; codes then belong to combinations."""

    @property
    def suppresses(self) -> bool:
        """True if any row is suppressed (removed or marked)."""
        return len(self.suppressed) > 0 or (self.gathering is not None and self.gathering.is_partial)

    @property
    def packing(self) -> Packing:
        """The packing of the labels of a row into words."""
        return Packing.of(tuple(each.coding.size for each in self.replaced))


@dataclass(frozen=True, slots=True)
class Target:
    """A file or a table to write."""

    path: Path
    format: Format
    table: str | None = None
    """The name of the table in a DuckDB file or a database."""
    is_folder: bool = False
    """Whether it is a folder of files, each written by a worker."""

    @property
    def file(self) -> Path | None:
        """The file or folder, if it is one."""
        return None if self.format.is_database else self.path

    @property
    def where(self) -> str:
        """The name in messages."""
        return f"table {self.table}" if self.file is None else str(self.path)

    @property
    def is_packed(self) -> bool:
        """True if a CSV file is compressed with gzip."""
        return self.path.suffix.lower() == ".gz"


class Table(Protocol):
    """A table opened in an engine. Further engines implement this; `tests/contract/engines` states the contract.

    Three kinds of methods: profiling (`profile`, `spread`, `listed`, `texts`, `unique`, `groups`), counting (`count`,
    `people`, `parts`, `fewest`), and rewriting (`apply`, `write`, `formulas`).
    """

    name: str
    """The name of the table in messages."""
    columns: tuple[str, ...]
    peculiarity: str
    """The format of the file, where it had to be detected; otherwise empty."""

    def materialize(self, names: Sequence[str]) -> None:
        """Read these columns once, and answer further queries from a copy that is deleted when the table closes.

        An engine that holds the table itself, or has no room for a copy, does nothing.
        """

    def pass_over(self, values: Mapping[str, str | None]) -> None:
        """Ignore from now on the rows that have all of these values, in every column that is named."""

    def profile(self, names: Sequence[str]) -> Profile:
        """Count the rows, and list the distinct values of some columns."""

    def spread(self, names: Sequence[str], *, exactly: Sequence[str] = ()) -> tuple[Spread, ...]:
        """Count the distinct values of some columns without listing them; exactly for the columns in `exactly`."""

    def listed(self, name: str) -> tuple[Column, ...]:
        """Return a column with its values; nothing if their type cannot be compared, such as lists."""

    def texts(self, name: str, most: int) -> tuple[str, ...]:
        """Return up to `most` distinct values of a column as text, each cut to its first characters."""

    def unique(self, names: Sequence[str]) -> int:
        """Return the number of rows that are unique on these columns."""

    def groups(self, keys: Sequence[Coding]) -> int:
        """Estimate the number of combinations of codes, within a few percent."""

    def count(self, keys: Sequence[Coding], histograms: Sequence[Coding], person: str | None = None) -> FrequencySet:
        """Count the combinations of codes of `keys`, with a histogram of each of `histograms`.

        If the column `person` identifies people, these are counted besides rows. A row without a value there counts as
        a separate person.
        """

    def people(self, keys: Sequence[Coding], person: str) -> tuple[Ints, Ints]:
        """Return the packed combinations, in ascending order, and how many different people each has.

        The engine counts the distinct values of the column `person` in each combination. A row without a value there
        counts as a separate person.
        """

    def parts(self, keys: Sequence[Coding], histogram: Coding | None) -> Iterator[FrequencySet]:
        """Count part by part, for combinations that may not fit in memory together: each is complete in one part.

        No part is empty. The engine counts and sorts, on disk if necessary; no other method may be called before the
        last part has arrived.
        """

    def fewest(self, keys: Sequence[Coding], person: str) -> int:
        """Return the smallest number of distinct persons of a combination, where the column `person` identifies them.

        A row without a value there counts as a separate person.
        """

    def apply(self, rewriting: Rewriting) -> "pa.Table":
        """Return the labels of the replaced columns, row by row in the order of the table.

        The columns are `suppressed`, true if a row is suppressed, and `p0`, `p1`, ... for the replaced ones.
        """

    def write(self, rewriting: Rewriting, target: Target) -> None:
        """Write the published rows in random order; the table may be larger than memory."""

    def formulas(self, rewriting: Rewriting, *, bare: bool = False) -> int:
        """Count the cells of the published rows that a spreadsheet would run as formulas.

        Cells behind a quote count, since the quote may be what neutralized them; with `bare` they do not.
        """

    def digest(self) -> bytes:
        """Return a hash of the names, types and cells; also of the order of rows where they have one."""

    def close(self) -> None:
        """Release files, connections and memory."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
