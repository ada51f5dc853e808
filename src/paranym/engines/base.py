"""What an engine is asked, and what it answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray

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
    """Distinct values, missing ones not among them."""
    missing: int
    """How many rows have none."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What one look at a table tells."""

    rows: int
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Spread:
    """How the rows spread over the values of a column, which are not listed."""

    name: str
    different: int
    """Distinct values, missing ones not among them: exact where they may be more than half as many as the rows, else
    an estimate."""
    missing: int


@dataclass(frozen=True, slots=True, eq=False)
class Coding:
    """How the values of one column become codes."""

    column: Column
    codes: Codes
    """The code of each value of the column."""
    missing: int | None
    """The code of a missing value, if any occurs."""
    size: int
    """Codes are smaller than this."""


@dataclass(frozen=True, slots=True, eq=False)
class Replacement:
    """What the values of one column are published as."""

    coding: Coding
    """The number of the label of each value."""
    labels: tuple[str | None, ...]
    keeps: bool = False
    """Whether cells that are no text are published as they are: numbers as numbers, dates as dates."""


LabelKind = Literal["text", "number", "value"]
"""Of labels: text, numbers, or values of the column itself, which keep its type."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Gathering:
    """Rows gathered into groups, each published by labels of its own: rows of one combination may be in several."""

    words: Ints
    """(entries, words): the packed codes of a combination."""
    after: Ints
    """Per entry: which of the rows of its combination it takes, counted from 1: those after this one."""
    upto: Ints
    """To this one."""
    labels: Codes
    """(entries, replaced columns): the numbers of the labels."""
    kinds: tuple[LabelKind, ...]
    """What the labels of each replaced column are."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Rewriting:
    """How rows become published rows. Columns that it does not name stay as they are, in value and type."""

    replaced: tuple[Replacement, ...]
    dropped: tuple[str, ...] = ()
    suppressed: Ints = field(default_factory=lambda: np.empty((0, 1), np.int64))
    """(classes, words): the packed labels of the rows that are left out."""
    mark: str | None = None
    """If given, these rows stay, with this in the replaced columns and nothing in all others."""
    neutralize: bool = False
    """Whether text that a spreadsheet would run as a formula is made harmless by a leading quote."""
    gathering: Gathering | None = None
    """If given, the label of a row depends on all of its replaced columns; codes are then those of combinations."""

    @property
    def packing(self) -> Packing:
        """How the labels of a row are packed."""
        return Packing.of(tuple(each.coding.size for each in self.replaced))


Format = Literal["csv", "parquet", "duckdb", "postgres"]


@dataclass(frozen=True, slots=True)
class Target:
    """A file or a table to be written."""

    path: Path
    format: Format
    table: str | None = None
    """Of a DuckDB file or a database."""
    is_folder: bool = False
    """Whether it is a folder of Parquet files."""

    @property
    def is_packed(self) -> bool:
        """Whether a CSV file is written as gzip."""
        return self.path.suffix.lower() == ".gz"


class Table(Protocol):
    """A table opened in an engine. A further engine implements this; `tests/contract/engines` says what it promises.

    Three verbs: it is profiled (`profile`, `spread`, `groups`), counted (`count`, `parts`, `fewest`), and rewritten
    (`apply`, `write`, `formulas`).
    """

    name: str
    """What messages call it."""
    columns: tuple[str, ...]
    peculiarity: str
    """How a file is written, where that had to be found out."""

    def profile(self, names: Sequence[str]) -> Profile:
        """Count the rows and list the distinct values of some columns."""

    def spread(self, names: Sequence[str], *, exactly: Sequence[str] = ()) -> tuple[Spread, ...]:
        """Count the distinct values of some columns without listing them; to the last one for those of `exactly`."""

    def groups(self, keys: Sequence[Coding]) -> int:
        """About how many combinations of codes there are, give or take a few percent."""

    def count(self, keys: Sequence[Coding], histograms: Sequence[Coding]) -> FrequencySet:
        """Count the combinations of codes of `keys`, with a histogram of each of `histograms`."""

    def parts(self, keys: Sequence[Coding], histogram: Coding | None) -> Iterator[FrequencySet]:
        """The same, part after part, for combinations that need not fit memory together: each is whole in one part.

        No part is empty. The engine counts and sorts, on disk if need be; nothing else may be asked until the last part
        has come.
        """

    def fewest(self, keys: Sequence[Coding], person: str) -> int:
        """How many different persons a combination has at least, where `person` names the column that tells them apart.

        A row without a value there is a person of its own.
        """

    def apply(self, rewriting: Rewriting) -> "pa.Table":
        """What the replaced columns become, row by row in the order of the table.

        The columns are `suppressed`, whether a row is left out, and `p0`, `p1`, ... for the replaced ones.
        """

    def write(self, rewriting: Rewriting, target: Target) -> None:
        """Write the published rows, in an order drawn by chance, larger than memory if need be."""

    def formulas(self, rewriting: Rewriting) -> int:
        """How many cells of the published rows a spreadsheet would run as formulas."""

    def digest(self) -> bytes:
        """A hash of the names, types and cells; of their order too where rows have one."""

    def close(self) -> None:
        """Let go of files, connections and memory."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
