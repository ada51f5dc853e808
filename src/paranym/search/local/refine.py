"""Refinement of groups that any algorithm has found: a local search whose every step lowers the penalty.

A round visits the groups in an order drawn at random. (1) Rows that a group can spare move to the group where they add
least to the penalty of all rows; in every second round, rows that it cannot spare change places with rows of another
group. (2) A group whose rows cost less in other groups is dissolved. (3) A group of 2k rows or more is split if that
gains: along every axis, and by seeds. All groups keep k rows. Where other requirements are set, each group changes at
most once before all changed groups are judged, and changes that break a requirement are undone.
"""

import time

import numpy as np

from paranym.kernels.local.box_index import LEAF
from paranym.kernels.local.cell_penalty import box_costs
from paranym.kernels.local.cluster_tree import ClusterTree, build
from paranym.kernels.local.groups import boxes_of
from paranym.kernels.local.refine import Clusters, dissolve_all, load, move_all, split_all, unload
from paranym.search.local.base import EVERYWHERE, Ints, LocalStep, LocalSteps, Partition, Tuples, finished

MOVES, SWAPS, DISSOLVE, SPLIT = "moves", "swaps", "dissolve", "split"
"""The phases of a round."""

MOST_ROUNDS, LEAST_ROUNDS = 6, 2
"""Rounds on small and on large tables, unless told otherwise."""
WORK = 120_000
"""Tuples that all rounds together should visit, unless told otherwise."""
ENOUGH = 5e-4
"""The share of the penalty that two rounds have to gain together, else refinement ends."""
WORTHWHILE = 1e-3
"""The share of the penalty that dissolving groups has to gain, else later rounds leave it out."""
MOST_EXACT = 4_000
"""Groups up to which a row looks for the best of all groups."""
NEAR = 64
"""Leaves of the tree that it looks at otherwise."""
PASSES = 4
"""How often groups may change within a round where each change is judged."""


def usual_rounds(tuples: Tuples) -> int:
    """How many rounds are worth their time: fewer on larger tables, but the same on every machine."""
    return max(LEAST_ROUNDS, min(MOST_ROUNDS, WORK // max(len(tuples), 1)))


def refine(
    tuples: Tuples,
    partition: Partition,
    k: int,
    *,
    seed: int = 0,
    rounds: int | None = None,
    deadline: float | None = None,
) -> LocalSteps:
    """Lower the penalty of groups of at least k rows that meet all requirements; the result is no worse.

    It ends after `rounds`, when nothing gains any more, or at a `deadline` on the clock `time.perf_counter`.
    """
    rounds = usual_rounds(tuples) if rounds is None else rounds
    random = np.random.default_rng(seed)
    partition = united(tuples, partition)
    losses = [penalty(tuples, partition)]
    dissolves = True
    for number in range(rounds):
        for phase in _phases(tuples, with_swaps=number % 2 == 1, dissolves=dissolves):
            if is_late(deadline):
                break
            yield LocalStep(f"refining: {phase}", len(partition), number, rounds)
            before = penalty(tuples, partition)
            partition = _changed(tuples, partition, k, phase, random)
            if phase == DISSOLVE:
                dissolves = before - penalty(tuples, partition) > WORTHWHILE * before
        losses.append(penalty(tuples, partition))
        if is_late(deadline) or (number % 2 == 1 and losses[-3] - losses[-1] <= ENOUGH * losses[-3]):
            break
    yield finished(tuples, partition)


def is_late(deadline: float | None) -> bool:
    """Whether a deadline has passed."""
    return deadline is not None and time.perf_counter() >= deadline


def penalty(tuples: Tuples, partition: Partition) -> float:
    """NCP of all rows, weighted by attribute."""
    low = np.empty((len(partition), tuples.positions.shape[1]), np.int32)
    high, costs = np.empty_like(low), np.empty(len(partition))
    boxes_of(tuples.positions, partition.tuples, partition.begins, low, high)
    box_costs(tuples.scale, low, high, costs)
    return float(costs @ partition.rows)


def united(tuples: Tuples, partition: Partition) -> Partition:
    """The same groups, with one entry for all rows of a tuple in a group."""
    width = len(tuples)
    places, entries = np.unique(partition.owners * width + partition.tuples, return_inverse=True)
    amounts = np.bincount(entries, partition.amounts, len(places)).astype(np.int64)
    begins = np.searchsorted(places // width, np.arange(len(partition) + 1)).astype(np.int64)
    return Partition(places % width, amounts, begins)


def _phases(tuples: Tuples, *, with_swaps: bool, dissolves: bool) -> list[str]:
    moves = [SWAPS if with_swaps else MOVES] * (1 if tuples.judge is None else PASSES)
    return [*moves, DISSOLVE, SPLIT] if dissolves else [*moves, SPLIT]


def _changed(tuples: Tuples, partition: Partition, k: int, phase: str, random: np.random.Generator) -> Partition:
    """The groups after one phase."""
    groups = len(partition)
    clusters = _clusters(tuples, partition, k)
    change, once = np.full(len(clusters.rows), -1, np.int64), tuples.judge is not None
    order = random.permutation(groups).astype(np.int64)
    if phase == SPLIT:
        changes = split_all(tuples.positions, tuples.scale, clusters, k, tuples.divisible, once, change)
    else:
        tree, reach = _tree(tuples, clusters), EVERYWHERE if groups <= MOST_EXACT else NEAR
        where = tuples.positions, tuples.scale, clusters, tree, order
        if phase == DISSOLVE:
            changes = dissolve_all(*where, once, change, reach)
        else:
            changes = move_all(*where, k, phase == SWAPS, tuples.divisible, once, change, reach)
    if not changes:
        return partition
    return _judged(tuples, partition, _partition(clusters), change, k)


def _judged(tuples: Tuples, before: Partition, after: Partition, change: Ints, k: int) -> Partition:
    """The groups after a phase, without the changes that break a requirement."""
    change = change[: len(after)]
    is_left = np.diff(after.begins) > 0
    if tuples.judge is None:
        return after.chosen(is_left)
    changed = is_left & (change >= 0)
    broken = np.zeros(len(after), bool)
    broken[change[np.flatnonzero(changed)[~tuples.meets(after.chosen(changed), k)]]] = True
    is_undone = (change >= 0) & broken[change]
    return Partition.join([after.chosen(is_left & ~is_undone), before.chosen(is_undone[: len(before)])])


def _clusters(tuples: Tuples, partition: Partition, k: int) -> Clusters:
    """The groups of a partition, with room for entries that are divided and groups that are split."""
    attributes, entries = tuples.positions.shape[1], 2 * len(partition.tuples) + 64
    groups = len(partition) + int((partition.rows // k).sum())
    clusters = Clusters(
        low=np.empty((groups, attributes), np.int32),
        high=np.empty((groups, attributes), np.int32),
        core_low=np.empty((groups, attributes), np.int32),
        core_high=np.empty((groups, attributes), np.int32),
        rows=np.zeros(groups, np.int64),
        cost=np.zeros(groups),
        size=np.zeros(groups, np.int64),
        head=np.full(groups, -1, np.int64),
        tuples=np.empty(entries, np.int64),
        amounts=np.empty(entries, np.int64),
        after=np.empty(entries, np.int64),
        spare=np.empty(entries, np.int64),
        used=np.zeros(2, np.int64),
    )
    load(tuples.positions, tuples.scale, partition.tuples, partition.amounts, partition.begins, clusters)
    return clusters


def _partition(clusters: Clusters) -> Partition:
    """The groups as they are; those that are gone have no entries."""
    groups = int(clusters.used[1])
    entries = int(clusters.size[:groups].sum())
    tuples, amounts = np.empty(entries, np.int64), np.empty(entries, np.int64)
    begins = np.empty(groups + 1, np.int64)
    unload(clusters, tuples, amounts, begins)
    return Partition(tuples, amounts, begins)


def _tree(tuples: Tuples, clusters: Clusters) -> ClusterTree:
    count, attributes = int(clusters.used[1]), tuples.positions.shape[1]
    depth = max(count // LEAF, 1).bit_length() - 1
    nodes = 2 ** (depth + 1) - 1
    tree = ClusterTree(
        order=np.arange(count),
        begin=np.empty(nodes, np.int64),
        end=np.empty(nodes, np.int64),
        most_low=np.empty((nodes, attributes), np.int32),
        least_high=np.empty((nodes, attributes), np.int32),
        least_rows=np.empty(nodes, np.int64),
        least_cost=np.empty(nodes),
        most_cost=np.empty(nodes),
        leaf=np.empty(count, np.int64),
        stack=np.empty(depth + 2, np.int64),
        bounds=np.empty(depth + 2),
    )
    build(clusters.low, clusters.high, clusters.rows, clusters.cost, tuples.scale, tree)
    return tree
