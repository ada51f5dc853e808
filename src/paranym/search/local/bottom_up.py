"""The bottom-up method (Xu et al., KDD 2006, Figure 3): merge small groups, then split large ones.

A round visits the groups of fewer than k rows in an order drawn at random; each merges with the group that adds least
to the penalty of all rows. (The paper takes the least penalty of the union, which avoids large groups even if they
would not grow; on the Adult table its loss is a quarter higher.) Then groups of 2k rows or more are split by far seeds,
as the top-down method does. Identical tuples begin as one group: merging them costs nothing, so the paper's first
mergers do the same.
"""

import numpy as np

from paranym.kernels.local.box_index import LEAF, Index, build
from paranym.kernels.local.groups import Groups
from paranym.kernels.local.mergers import merge_small
from paranym.kernels.local.seed_splits import split_large
from paranym.search.local.base import (
    EVERYWHERE,
    LocalStep,
    LocalSteps,
    Partition,
    Tuples,
    check,
    dissolve,
    form,
    mend,
    spare_room,
)

ROUNDS = 3
"""How often a split looks for the farthest tuple."""
MOST_EXACT = 20_000
"""Tuples up to which every group looks for the best of all others."""
NEAR = 100
"""Leaves of the index that it looks at otherwise."""


def bottom_up(
    tuples: Tuples,
    k: int,
    *,
    seed: int = 0,
    rounds: int = ROUNDS,
    by_increase: bool = True,
    reach: int | None = None,
) -> LocalSteps:
    """Partition tuples into groups of at least k rows.

    Every group looks for the best of all others in a tree of boxes, or in at most `reach` leaves of that tree, which
    is the default for many tuples. `by_increase` takes the merger that adds least to the penalty of all rows;
    without it, as the paper writes it, the one whose union has the least.
    """
    check(tuples, k, rounds=rounds, reach=reach)
    if reach is None:
        reach = EVERYWHERE if len(tuples) <= MOST_EXACT else NEAR
    order = tuples.whole(seed).tuples
    partition = Partition(order, tuples.counts[order], np.arange(len(order) + 1))
    while len(small := np.flatnonzero(partition.rows < k)):
        yield LocalStep("merging", len(partition), len(partition) - len(small), len(partition))
        groups = form(tuples, partition)
        merge_small(tuples.scale, groups, _indexed(tuples, groups), small, k, by_increase, reach)
        partition = _split(tuples, dissolve(groups), k, rounds)
    yield from mend(tuples, partition, k, EVERYWHERE)


def _indexed(tuples: Tuples, groups: Groups) -> Index:
    count, attributes = len(groups.rows), tuples.positions.shape[1]
    depth = max(count // LEAF, 1).bit_length() - 1
    nodes = 2 ** (depth + 1) - 1
    index = Index(
        order=np.arange(count),
        begin=np.empty(nodes, np.int64),
        end=np.empty(nodes, np.int64),
        low=np.empty((nodes, attributes), np.int32),
        high=np.empty((nodes, attributes), np.int32),
        least_rows=np.empty(nodes, np.int64),
        most_cost=np.empty(nodes),
        alive=np.empty(nodes, np.int64),
        leaf=np.empty(count, np.int64),
    )
    build(tuples.positions, tuples.scale, groups, index)
    return index


def _split(tuples: Tuples, partition: Partition, k: int, rounds: int) -> Partition:
    """Groups of 2k rows or more in as many as there can be, each of at least k."""
    large = partition.rows >= 2 * k
    if not large.any():
        return partition
    whole = partition.chosen(large)
    parts = int((whole.rows // k).sum())
    entries = len(whole.tuples) + parts
    split, amounts = np.empty(entries, np.int64), np.empty(entries, np.int64)
    begins = np.empty(parts + 1, np.int64)
    count = split_large(
        tuples.positions,
        tuples.scale,
        whole.tuples,
        whole.amounts,
        whole.begins,
        k,
        rounds,
        tuples.divisible,
        spare_room(tuples),
        split,
        amounts,
        begins,
    )
    end = int(begins[count])
    return Partition.join([partition.chosen(~large), Partition(split[:end], amounts[:end], begins[: count + 1])])
