"""The top-down method (Xu et al., KDD 2006, Figure 4): halve by two distant seeds, then adjust small groups.

Where the paper is silent or slips: tuples are assigned by the seeds alone, not by the groups formed so far, which
would depend on their order and lose twice as much; a set both of whose halves would fail stays whole; a group that
gives rows away keeps k; the two alternatives of the adjustment are compared by what they add to the total penalty.
"""

from dataclasses import dataclass

import numpy as np

from paranym.kernels.local.seed_splits import Rows, halve_all
from paranym.kernels.local.small_groups import adjust
from paranym.search.local.base import (
    EVERYWHERE,
    Ints,
    LocalStep,
    LocalSteps,
    Partition,
    Truths,
    Tuples,
    check,
    dissolve,
    form,
    mend,
    spare_room,
)

ROUNDS = 3
"""How often a split looks for the farthest tuple; the paper reports 97% of the largest penalty."""
NEAR = 64
"""Groups on either side that an adjustment considers if there are too many to consider all."""
MOST_PAIRS = 2**24
"""Most pairs of a small group and any group for which all are considered."""


def top_down(tuples: Tuples, k: int, *, seed: int = 0, rounds: int = ROUNDS, reach: int | None = None) -> LocalSteps:
    """Partition tuples into groups of at least k rows.

    An adjustment considers `reach` groups on either side, siblings in the tree of halves first; None for all groups,
    unless there are too many.
    """
    check(tuples, k, rounds=rounds, reach=reach)
    order, spare = tuples.whole(seed).tuples, spare_room(tuples)
    rows = Rows(order, tuples.positions[order], np.empty(len(order)), np.empty(len(order)))
    open_, leaves = _Sets(np.array([0]), np.array([len(order)])), _Sets.none()
    while len(open_):
        yield LocalStep("halving", len(open_) + len(leaves), len(order) - open_.size, len(order))
        middle = np.empty(len(open_), np.int64)
        halve_all(tuples.scale, rows, open_.begin, open_.end, rounds, spare, middle)
        open_, closed = _sorted_out(tuples, order, open_, middle, k)
        leaves += closed
    partition = Partition(order, tuples.counts[order], np.append(np.sort(leaves.begin), len(order)))
    yield from _adjusted(tuples, partition, k, reach)


@dataclass(frozen=True, slots=True, eq=False)
class _Sets:
    """Sets of tuples that lie one after the other, ascending, in one order."""

    begin: Ints
    end: Ints

    @classmethod
    def none(cls) -> "_Sets":
        return cls(np.empty(0, np.int64), np.empty(0, np.int64))

    def __len__(self) -> int:
        return len(self.begin)

    def __add__(self, other: "_Sets") -> "_Sets":
        return _Sets(np.append(self.begin, other.begin), np.append(self.end, other.end))

    def __getitem__(self, which: Truths) -> "_Sets":
        return _Sets(self.begin[which], self.end[which])

    @property
    def size(self) -> int:
        """Tuples in all."""
        return int((self.end - self.begin).sum())

    def halves(self, middle: Ints) -> "_Sets":
        """Return the two halves of each set."""
        return _Sets(np.column_stack([self.begin, middle]).reshape(-1), np.column_stack([middle, self.end]).reshape(-1))

    def partition(self, tuples: Tuples, order: Ints) -> Partition:
        """Return the sets as groups."""
        inside = np.zeros(len(order) + 1, np.int64)
        inside[self.begin] += 1
        inside[self.end] -= 1
        mine = order[np.cumsum(inside[:-1]) > 0]
        return Partition(mine, tuples.counts[mine], np.append(0, np.cumsum(self.end - self.begin)))


def _sorted_out(tuples: Tuples, order: Ints, sets: _Sets, middle: Ints, k: int) -> tuple[_Sets, _Sets]:
    """The sets to be split further, and the finished ones: sets that cannot be split, and halves that are done."""
    divided = (middle > sets.begin) & (middle < sets.end)
    halves = sets[divided].halves(middle[divided])
    partition = halves.partition(tuples, order)
    meets = tuples.meets(partition, k)
    useful = meets.reshape(-1, 2).any(axis=1)
    whole = ~divided
    whole[divided] = ~useful
    more = meets & (partition.rows > k) & (halves.end - halves.begin > 1)
    return halves[more], sets[whole] + halves[np.repeat(useful, 2) & ~more]


def _adjusted(tuples: Tuples, partition: Partition, k: int, reach: int | None) -> LocalSteps:
    """Fill small groups up or merge them; then merge those that break a requirement besides k."""
    small = np.flatnonzero(partition.rows < k)
    yield LocalStep("adjusting", len(partition), len(partition) - len(small), len(partition))
    if reach is None:
        reach = EVERYWHERE if len(small) * len(partition) <= MOST_PAIRS else NEAR
    groups = form(tuples, partition)
    adjust(tuples.positions, tuples.scale, groups, small, k, reach, tuples.divisible)
    yield from mend(tuples, dissolve(groups), k, reach)
