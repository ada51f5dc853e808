"""Dependencies between columns, found in one count of their combinations."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from paranym.drafting.portrait import Portrait
from paranym.engines.base import Coding, Table
from paranym.engines.codes import number
from paranym.frequency import FrequencySet

Ints = NDArray[np.int64]

_ROWS_PER_VALUE = 5
"""The fewest rows per value, on average, for a dependency not to be an accident."""
_FEWEST_ROWS = 50


@dataclass(frozen=True, eq=False)
class Combinations:
    """Some columns of a table, counted together."""

    portraits: tuple[Portrait, ...]
    codings: tuple[Coding, ...]
    frequency: FrequencySet

    @classmethod
    def of(cls, table: Table, portraits: Sequence[Portrait]) -> "Combinations":
        """Count those of the columns whose values are listed."""
        listed = tuple(portrait for portrait in portraits if portrait.column is not None)
        codings = tuple(number(portrait.column) for portrait in listed if portrait.column is not None)
        return cls(listed, codings, table.count(codings, []))

    def rows_of(self, name: str) -> list[int]:
        """Return the number of rows with each value of a column."""
        position = self._position(name)
        known = len(self.codings[position].column.values)
        counts: list[int] = self.frequency.marginal(position, self.codings[position].size)[:known].tolist()
        return counts

    def unique_on(self, names: Sequence[str]) -> int:
        """Return the number of rows that are unique on these columns."""
        if not names:
            return self.frequency.rows if self.frequency.rows == 1 else 0
        _, counts = self._grouped([self._position(name) for name in names])
        return int((counts == 1).sum())

    def determining(self) -> list[tuple[str, str]]:
        """Return pairs of columns where the first determines the second, and this is hardly an accident."""
        rows = self.frequency.rows
        found = []
        for first, second in permutations(range(len(self.portraits)), 2):
            fine, coarse = self.codings[first].size, self.codings[second].size
            if not (2 <= coarse <= fine and rows >= max(_FEWEST_ROWS, _ROWS_PER_VALUE * fine)):
                continue
            if len(self._grouped([first, second])[1]) == fine:
                found.append((self.portraits[first].name, self.portraits[second].name))
        return found

    @cached_property
    def _codes(self) -> Ints:
        return self.frequency.codes

    def _position(self, name: str) -> int:
        return next(position for position, portrait in enumerate(self.portraits) if portrait.name == name)

    def _grouped(self, positions: Sequence[int]) -> tuple[Ints, Ints]:
        """Return the combinations of some columns, and the number of rows of each."""
        keys = np.zeros(len(self.frequency), np.int64)
        for position in positions:
            codes, size = self._codes[:, position], self.codings[position].size
            if keys.size and int(keys.max()) > np.iinfo(np.int64).max // (size + 1):
                keys = np.unique(keys, return_inverse=True)[1].astype(np.int64)
            keys = keys * size + codes
        found, member = np.unique(keys, return_inverse=True)
        return found, np.bincount(member, weights=self.frequency.counts).astype(np.int64)
