"""Suppression of outliers in finished groups: without a few rows, the ranges of a group can be much narrower.

A suppressed row costs the sum of all weights, which is more than it costs in any group. Suppressing whole groups never
lowers the total cost; suppressing rows at an end of an attribute does, if the others then have a much narrower range. A
group of just k rows may lose its outliers too, if the rest then merges with its nearest group.
"""

import heapq
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from paranym.kernels.local.outliers import propose, strike
from paranym.search.local.base import EVERYWHERE, Codes, Floats, Ints, Partition, Truths, Tuples, mend

_ROUNDING = 1e-9
"""A smaller gain counts as zero."""
_FEWER = 4
"""By how much the limit falls from one try to the next."""


def suppressing(tuples: Tuples, partition: Partition, k: int, limit: int) -> Iterator[tuple[Partition, Ints]]:
    """Return ways to suppress at most `limit` rows, each with the suppressed rows per tuple; there may be none.

    The first way suppresses outliers of groups that keep k rows. Others suppress outliers of any group, fewer each
    time, and merge groups that fall below k with their nearest.
    """
    yield suppress_outliers(tuples, partition, k, limit)
    while limit:
        rest, suppressed = suppress_outliers(replace(tuples, judge=None), partition, 1, limit)
        if not suppressed.any():
            return
        left = replace(tuples, counts=tuples.counts - suppressed)
        together = Partition(rest.tuples, rest.amounts, np.array([0, len(rest.tuples)], np.int64))
        if not left.meets(together, k).all():  # then no merger could meet the requirements
            limit //= _FEWER
            continue
        *_, last = mend(left, rest, k, EVERYWHERE)
        if last.partition is not None:
            further, more = suppress_outliers(tuples, last.partition, k, limit - int(suppressed.sum()))
            yield further, suppressed + more
        limit //= _FEWER


def suppress_outliers(tuples: Tuples, partition: Partition, k: int, limit: int) -> tuple[Partition, Ints]:
    """Suppress rows if that lowers the total cost; return the groups, and the suppressed rows per tuple.

    At most `limit` rows, those with the largest gain per row first; every group still meets all requirements.
    """
    turns, rows, gains = _turns(tuples, partition, k, limit)
    taken = _chosen(rows, gains, limit)
    goes = (turns >= 0) & (turns < taken[partition.owners])
    suppressed = np.bincount(partition.tuples[goes], partition.amounts[goes], len(tuples)).astype(np.int64)
    return _without(partition, goes), suppressed


def _turns(tuples: Tuples, partition: Partition, k: int, limit: int) -> tuple[Codes, list[Ints], list[Floats]]:
    """In which turn every entry would go, -1 for never; and per turn what every group would lose and gain."""
    groups = len(partition)
    removed, still = np.full(len(partition.tuples), -1, np.int32), np.ones(groups, bool)
    end_of = np.zeros((groups, 2), np.int64)
    all_rows: list[Ints] = []
    all_gains: list[Floats] = []
    while still.any():
        rows, gains = np.zeros(groups, np.int64), np.zeros(groups)
        where = partition.tuples, partition.amounts, partition.begins
        propose(tuples.positions, tuples.scale, *where, removed, still, k, limit, end_of, rows, gains)
        rows[gains <= _ROUNDING] = 0
        strike(tuples.positions, partition.tuples, partition.begins, removed, end_of, rows, len(all_rows))
        broken = _broken(tuples, partition, removed, rows > 0)
        removed[broken[partition.owners] & (removed == len(all_rows))] = -1
        rows[broken] = 0
        still = rows > 0
        all_rows.append(rows)
        all_gains.append(gains)
    return removed, all_rows, all_gains


def _broken(tuples: Tuples, partition: Partition, removed: Codes, changed: Truths) -> Truths:
    """Return which of the changed groups no longer meet a requirement besides k."""
    broken = np.zeros(len(partition), bool)
    if tuples.judge is not None and changed.any():
        rest = _without(partition, removed >= 0).chosen(changed)
        broken[changed] = ~tuples.judge(rest)
    return broken


def _without(partition: Partition, goes: Truths) -> Partition:
    """A partition without some of its entries; no group loses all of them."""
    kept = np.bincount(partition.owners[~goes], minlength=len(partition))
    begins = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
    return Partition(partition.tuples[~goes], partition.amounts[~goes], begins)


def _chosen(rows: list[Ints], gains: list[Floats], limit: int) -> Ints:
    """How many of its turns every group takes: those of the largest gain per row first, as far as the limit goes."""
    taken = np.zeros(len(rows[0]) if rows else 0, np.int64)
    open_turns = [(-gains[0][group] / rows[0][group], group) for group in np.flatnonzero(rows[0]).tolist()]
    heapq.heapify(open_turns)
    while open_turns:
        _, group = heapq.heappop(open_turns)
        turn = int(taken[group])
        if rows[turn][group] > limit:
            continue
        limit -= int(rows[turn][group])
        taken[group] += 1
        if turn + 1 < len(rows) and rows[turn + 1][group]:
            heapq.heappush(open_turns, (-gains[turn + 1][group] / rows[turn + 1][group], group))
    return taken
