"""A lower bound on the penalty of every recoding: values of rows that no box with k rows can violate.

A k-anonymous recoding publishes rows as boxes: an ancestor of each category, a range of each number. Let p(B) be the
normalized certainty penalty (NCP) of a row in box B. Give each row a value such that in every box with at least k rows
the k largest values sum to at most k p(B), and no value exceeds the cost of a suppressed row. For every group of at
least k rows, the values then sum to at most its penalty: the k largest to at most k p(B), and no other one exceeds
their mean. So the sum of all values bounds every recoding from below, with or without suppression.

Starting from equal values, each pass lowers the values that violate a box, and lifts those that none holds back; from
values that no box violates it lowers none. Every pass gives a valid bound.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.errors import Unattainable
from paranym.kernels.local.dual_bound import Aim, BoxTable, Stack, project
from paranym.model.axis import Axis
from paranym.results.bound import SCALE
from paranym.wording.numbers import counted

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]

_SAFE = 1 - 2.0**-30
"""Values are lowered by this factor when they are rounded: far more than floats may err."""
_SLACK = 4.0
"""Subtracted from the width of a window, as both of its ends are rounded."""
_ENOUGH = 3e-4
"""A pass that gains less, relatively, is the last one."""


class Schedule(NamedTuple):
    """How a search proceeds from pass to pass."""

    start: float
    """The value of every row before the first pass."""
    least: tuple[float, ...]
    """By pass: boxes are examined from this ratio of values to cost on, and values rise to 1 / least of what they were.

    The last one holds for all further passes.
    """


_SMALL, _SMALL_TABLE = 2000, Schedule(float(SCALE), (0.8,))
"""Combinations up to which passes are so cheap that they may examine many boxes."""
_LARGE_TABLE = Schedule(SCALE / 16, (0.5, 0.5, 0.8, 0.8, 0.95))
"""From low values, the first passes examine few boxes."""


def usual_passes(k: int) -> int:
    """How many passes pay: beyond k = 50 each takes longer, and fewer are enough for most of the gain."""
    return 32 if k <= 50 else 16


@dataclass(frozen=True, slots=True, eq=False)
class BoundStep:
    """A valid bound after some passes."""

    passes: int
    values: Ints
    """By combination: the value of each of its rows, as a part of `SCALE`."""
    complete: bool = False
    """True if further passes would gain next to nothing."""


class BoxSpace:
    """The boxes of a table."""

    def __init__(self, axes: Sequence[Axis], positions: Codes, counts: Ints) -> None:
        """Round the costs of all values down to whole numbers."""
        whole = sum(axis.weight for axis in axes)
        shares = [axis.weight / whole * SCALE for axis in axes]
        self.counts = np.ascontiguousarray(counts, np.int64)
        columns = [_Column.of(axis, shares[j], positions[:, j]) for j, axis in enumerate(axes)]
        columns.sort(key=lambda column: (column.is_ordered, column.size))  # trees first, the finest order last
        self._columns = columns
        self._positions = np.array([column.positions for column in columns], np.int32)
        self._stack = self._room()

    @property
    def rows(self) -> int:
        """N."""
        return int(self.counts.sum())

    def passed(self, values: Floats, k: int, least: float) -> Floats:
        """Return values that no box violates, at most 1 / `least` times as large as the given ones."""
        order = np.argsort(-values, kind="stable")
        before = values[order]
        after = np.minimum(before / least, float(SCALE))
        project(self._boxes(order), Aim(k, least, before, after), self._stack)
        found = np.empty_like(values)
        found[order] = after
        return found

    def _boxes(self, order: Ints) -> BoxTable:
        columns = self._columns
        return BoxTable(
            positions=np.ascontiguousarray(self._positions[:, order]),
            counts=self.counts[order],
            trees=sum(not column.is_ordered for column in columns),
            first=np.cumsum([0, *(column.costs.size for column in columns)])[:-1].astype(np.int64),
            size=np.array([column.size for column in columns], np.int64),
            top=np.array([column.top for column in columns], np.int64),
            values=np.concatenate([column.values.reshape(-1) for column in columns]),
            costs=np.concatenate([column.costs.reshape(-1) for column in columns]),
            starts=np.concatenate([column.starts.reshape(-1) for column in columns]),
            known=np.array([column.known for column in columns], np.int64),
            mixed=np.array([column.mixed for column in columns], np.float64),
            slack=_SLACK,
        )

    def _room(self) -> Stack:
        tuples, columns = len(self.counts), self._columns
        frames = sum(column.size + column.top + 4 for column in columns) + 8
        depth = sum(column.top + 2 for column in columns) + 2
        widest = max(column.size for column in columns) + 1
        return Stack(
            used=np.zeros(1, np.int64),
            attribute=np.empty(frames, np.int64),
            level=np.empty(frames, np.int64),
            begin=np.empty(frames, np.int64),
            end=np.empty(frames, np.int64),
            low=np.empty(frames, np.int64),
            high=np.empty(frames, np.int64),
            cost=np.empty(frames),
            sum=np.empty(frames),
            tuples=np.empty(tuples * depth, np.int32),
            slots=np.full(widest, -1, np.int64),
            seen=np.empty(3 * widest, np.int64),
        )


@dataclass(frozen=True, slots=True, eq=False)
class _Column:
    """One attribute as `BoxTable` has it."""

    is_ordered: bool
    positions: Codes
    size: int
    top: int
    values: Codes
    costs: Floats
    starts: Floats
    known: int
    mixed: float

    @classmethod
    def of(cls, axis: Axis, share: float, positions: Codes) -> "_Column":
        return cls._ordered(axis, share, positions) if axis.numeric else cls._tree(axis, share, positions)

    @classmethod
    def _ordered(cls, axis: Axis, share: float, positions: Codes) -> "_Column":
        """Cells are the numbers that occur."""
        occurring = np.unique(positions)
        places = np.floor(axis.shares[occurring] * share)
        return cls(
            is_ordered=True,
            positions=np.searchsorted(occurring, positions).astype(np.int32),
            size=len(occurring),
            top=0,
            values=np.zeros(len(occurring), np.int32),
            costs=places,
            starts=places,
            known=int(np.count_nonzero(occurring < axis.known)),
            mixed=float(_rounded(np.array(2 / len(axis.leaves) * share))),
        )

    @classmethod
    def _tree(cls, axis: Axis, share: float, positions: Codes) -> "_Column":
        codes, leaves = axis.hierarchy.codes, len(axis.leaves)
        costs = np.zeros(codes.shape)
        for level in range(len(codes)):
            under = axis.hierarchy.leaf_counts(level)[codes[level]]
            if axis.hierarchy.numbers is not None:  # cuts may publish any two of them together
                under = np.minimum(under, 2)
            costs[level] = np.where(under > 1, _rounded(under / leaves * share), 0.0)
        return cls(
            is_ordered=False,
            positions=positions,
            size=leaves,
            top=len(codes) - 1,
            values=codes.astype(np.int32),
            costs=costs,
            starts=costs,
            known=0,
            mixed=0.0,
        )


def _rounded(costs: Floats) -> Floats:
    """Whole numbers that are not larger, however a float may err; sums of them are exact."""
    rounded: Floats = np.maximum(np.floor(costs) - 1, 0.0)
    return rounded


def raise_bound(space: BoxSpace, k: int, *, passes: int | None = None) -> Iterator[BoundStep]:
    """Yield better and better bounds for one k; the first one is 0, before any pass."""
    if k > space.rows:
        raise Unattainable(f"k = {k:,} cannot be had: the table has {counted(space.rows, 'row')}.")
    yield _step(0, np.zeros(len(space.counts)))
    schedule = _SMALL_TABLE if len(space.counts) <= _SMALL else _LARGE_TABLE
    values, reached = np.where(space.counts < k, schedule.start, 0.0), 0.0
    for done in range(1, (passes or usual_passes(k)) + 1):
        values = space.passed(values, k, schedule.least[min(done, len(schedule.least)) - 1])
        total = float(values @ space.counts)
        finished = done >= len(schedule.least) and total - reached <= _ENOUGH * total
        yield _step(done, values, complete=finished)
        if finished:
            return
        reached = total


def _step(passes: int, values: Floats, *, complete: bool = False) -> BoundStep:
    return BoundStep(passes, np.floor(values * _SAFE).astype(np.int64), complete)
