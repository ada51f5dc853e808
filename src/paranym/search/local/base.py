"""Input and steps of all local recoding algorithms, and operations that several of them share."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, Unattainable
from paranym.kernels.local.cell_penalty import Scale
from paranym.kernels.local.groups import Groups, gather, rows_of, scatter
from paranym.kernels.local.seed_splits import Spare
from paranym.kernels.local.small_groups import merge_failing
from paranym.model.values import is_whole
from paranym.wording.numbers import counted

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Truths = NDArray[np.bool_]
Floats = NDArray[np.float64]

EVERYWHERE = np.iinfo(np.int64).max
"""How far to look if no limit is set."""


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Groups of tuples. Their entries lie group by group; rows of one tuple may be in several groups."""

    tuples: Ints
    """Per entry: which tuple."""
    amounts: Ints
    """Per entry: how many of its rows."""
    begins: Ints
    """Where the entries of each group begin, and where the last ones end."""

    def __len__(self) -> int:
        return len(self.begins) - 1

    @property
    def rows(self) -> Ints:
        """How many rows each group has."""
        rows = np.empty(len(self), np.int64)
        rows_of(self.amounts, self.begins, rows)
        return rows

    @property
    def owners(self) -> Ints:
        """The group of every entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.begins))

    def chosen(self, which: Truths) -> "Partition":
        """Some of the groups, in their order."""
        kept = np.repeat(which, np.diff(self.begins))
        begins = np.concatenate([[0], np.cumsum(np.diff(self.begins)[which])])
        return Partition(self.tuples[kept], self.amounts[kept], begins)

    @classmethod
    def join(cls, parts: "list[Partition]") -> "Partition":
        """All groups one after the other."""
        begins, offset = [np.zeros(1, np.int64)], 0
        for part in parts:
            begins.append(part.begins[1:] + offset)
            offset += len(part.tuples)
        none = np.empty(0, np.int64)
        return cls(
            np.concatenate([none, *(part.tuples for part in parts)]),
            np.concatenate([none, *(part.amounts for part in parts)]),
            np.concatenate(begins),
        )


Judge = Callable[[Partition], Truths]
"""Returns which groups meet the privacy requirements besides k."""


@dataclass(frozen=True, slots=True, eq=False)
class Tuples:
    """The tuples to be grouped: distinct, on the axes of their attributes, with their rows."""

    positions: Codes
    """(tuples, attributes)"""
    counts: Ints
    scale: Scale
    sizes: tuple[int, ...]
    """How many positions each attribute has."""
    divisible: bool = True
    """Whether rows of one tuple may go to different groups."""
    judge: Judge | None = None

    @property
    def rows(self) -> int:
        """N."""
        return int(self.counts.sum())

    def __len__(self) -> int:
        return len(self.counts)

    def whole(self, seed: int) -> Partition:
        """All tuples in one group, in an order drawn at random."""
        order = np.random.default_rng(seed).permutation(len(self)).astype(np.int64)
        return Partition(order, self.counts[order], np.array([0, len(order)], np.int64))

    def meets(self, partition: Partition, k: int) -> Truths:
        """Return which groups have k rows and meet the other privacy requirements."""
        meets: Truths = partition.rows >= k
        return meets & self.judge(partition) if self.judge is not None and len(partition) else meets


@dataclass(frozen=True, slots=True, eq=False)
class LocalStep:
    """Progress of an algorithm; the last step has the result."""

    phase: str
    groups: int
    done: int
    """Rows, groups or rounds that are done, of `total`."""
    total: int
    partition: Partition | None = None
    start: str | None = None
    """Of several algorithms, the one whose result it is."""


LocalSteps = Iterator[LocalStep]


def check(tuples: Tuples, k: int, **positive: int | None) -> None:
    """Raise if k is impossible, or if another parameter is not valid."""
    for name, value in {"k": k, **positive}.items():
        if value is not None and not (is_whole(value) and value >= 1):
            raise BadInput(f"{name} is a whole number from 1 on; got {value!r}.")
    if k > tuples.rows:
        raise Unattainable(f"k = {k:,} cannot be had: the table has {counted(tuples.rows, 'row')}.")
    if not tuples.meets(tuples.whole(0), k).all():
        raise Unattainable("Even a single group of all rows does not meet the privacy requirements. Require less.")


def spare_room(tuples: Tuples) -> Spare:
    """Allocate the scratch memory of a split."""
    starts = np.cumsum([0, *tuples.sizes]).astype(np.int64)
    return Spare(np.empty(len(tuples), np.int64), np.empty_like(tuples.positions), np.empty(starts[-1]), starts)


def form(tuples: Tuples, partition: Partition) -> Groups:
    """The groups of a partition, ready to merge. Each of them may give one part of an entry away."""
    groups, attributes = len(partition), tuples.positions.shape[1]
    room = len(partition.tuples) + groups
    formed = Groups(
        low=np.empty((groups, attributes), np.int32),
        high=np.empty((groups, attributes), np.int32),
        rows=np.empty(groups, np.int64),
        cost=np.empty(groups),
        alive=np.empty(groups, bool),
        head=np.empty(groups, np.int64),
        tail=np.empty(groups, np.int64),
        tuples=np.empty(room, np.int64),
        amounts=np.empty(room, np.int64),
        after=np.empty(room, np.int64),
        used=np.zeros(1, np.int64),
    )
    gather(tuples.positions, tuples.scale, partition.tuples, partition.amounts, partition.begins, formed)
    return formed


def dissolve(groups: Groups) -> Partition:
    """The groups that are left, as a partition."""
    entries = int(groups.used[0])
    tuples, amounts = np.empty(entries, np.int64), np.empty(entries, np.int64)
    begins = np.empty(len(groups.rows) + 1, np.int64)
    alive = scatter(groups, tuples, amounts, begins)
    return Partition(tuples, amounts, begins[: alive + 1].copy())


def mend(tuples: Tuples, partition: Partition, k: int, reach: int) -> Iterator[LocalStep]:
    """Merge groups that break a requirement with their nearest, until all groups meet the requirements.

    This terminates: every round leaves fewer groups, and one group of all rows meets the requirements.
    """
    while not (meets := tuples.meets(partition, k)).all():
        yield LocalStep("mending", len(partition), int(np.count_nonzero(meets)), len(partition))
        groups = form(tuples, partition)
        merge_failing(tuples.scale, groups, ~meets, reach)
        partition = dissolve(groups)
    yield finished(tuples, partition)


def finished(tuples: Tuples, partition: Partition) -> LocalStep:
    """The last step of every algorithm. No row may be lost or come twice."""
    if not np.array_equal(np.bincount(partition.tuples, partition.amounts, len(tuples)), tuples.counts):
        raise AssertionError("some rows were lost or came twice")
    return LocalStep("done", len(partition), tuples.rows, tuples.rows, partition)
