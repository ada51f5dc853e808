"""What an engine is asked, and what it answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

from paranym.frequency import FrequencySet

Codes = NDArray[np.int32]


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


class Table(Protocol):
    """A table opened in an engine. A third engine implements this; `tests/contract` says what it promises."""

    name: str
    """What messages call it."""
    columns: tuple[str, ...]

    def profile(self, names: Sequence[str]) -> Profile:
        """Count the rows and list the distinct values of some columns."""

    def spread(self, names: Sequence[str], *, exactly: Sequence[str] = ()) -> tuple[Spread, ...]:
        """Count the distinct values of some columns without listing them; to the last one for those of `exactly`."""

    def count(self, keys: Sequence[Coding], histograms: Sequence[Coding]) -> FrequencySet:
        """Count the combinations of codes of `keys`, with a histogram of each of `histograms`."""

    def parts(self, keys: Sequence[Coding], histogram: Coding | None) -> Iterator[FrequencySet]:
        """The same, part after part, for combinations that need not fit memory together: each is whole in one part.

        The engine counts and sorts, on disk if need be; nothing else may be asked until the last part has come.
        """

    def fewest(self, keys: Sequence[Coding], person: str) -> int:
        """How many different persons a combination has at least, where `person` names the column that tells them apart.

        A row without a value there is a person of its own.
        """

    def close(self) -> None:
        """Let go of files and memory."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
