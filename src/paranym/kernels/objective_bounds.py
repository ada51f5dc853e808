"""Bounds on nodes that are not evaluated yet, and whether they could be on a front of more than two objectives.

As in `front_bounds`, but the best case of a node is compared with the front in all objectives at once.
"""

from typing import NamedTuple

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.dominance import Flags, Floats, is_dominated
from paranym.kernels.lattice_indices import list_above, rank_of, strides, unrank, walk
from paranym.kernels.packing import Ints

K, SUPPRESSION, LOSS, FURTHER = range(4)
"""Kinds of objectives; further ones are numbered from the last on."""


class Evaluated(NamedTuple):
    """The staircases of the evaluated nodes, and their values in each objective that never gets worse upwards."""

    levels: Ints
    """(nodes, attributes)"""
    loss: Floats
    """Of every node, without suppression."""
    first_step: Ints
    """(nodes + 1,): where the steps of each node begin."""
    k: Ints
    rows: Ints
    """Rows that the step suppresses."""
    surcharge: Floats
    achieved: Floats
    """(nodes, further objectives): smaller is better."""


class FoundPoints(NamedTuple):
    """The front so far."""

    costs: Floats
    """(points, objectives): smaller is better."""
    ks: Ints
    """The ks that occur, ascending."""


class SpaceTerms(NamedTuple):
    """Facts that hold for every node."""

    heights: Ints
    kinds: Ints
    """Of every objective."""
    loss_is_known: bool
    staircases: bool
    """Whether a node may have several solutions: rows may be suppressed."""
    least_k: int
    tolerance: float


class Reach(NamedTuple):
    """Bounds that the evaluated nodes imply for every node, by its number."""

    settled: Flags
    most_k: Ints
    least_loss: Floats
    least_cost: Floats
    """(further objectives, nodes)"""


@jit
def spread(known: Evaluated, begin: int, terms: SpaceTerms, reach: Reach) -> None:
    """Propagate the evaluated nodes from `begin` on to the nodes below and above them."""
    attributes = known.levels.shape[1]
    stride, room, left = strides(terms.heights), np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    for m in range(begin, len(known.loss)):
        node = known.levels[m]
        rank = rank_of(node, terms.heights)
        room[:] = node
        walk(rank, room, left, -stride, known.k[known.first_step[m + 1] - 1], -1, reach.most_k)
        for d in range(known.achieved.shape[1]):
            walk(rank, room, left, -stride, known.achieved[m, d], 1, reach.least_cost[d])
        if not terms.loss_is_known:
            room[:] = terms.heights - node
            walk(rank, room, left, stride, known.loss[m], 1, reach.least_loss)


@jit
def screen(
    order: Ints, begin: int, terms: SpaceTerms, reach: Reach, known: Evaluated, front: FoundPoints, chosen: Ints
) -> tuple[int, int]:
    """Go through `order[begin:]`, settle nodes that cannot be on the front, and choose others until `chosen` is full.

    Returns how many were chosen and where to go on.
    """
    node = np.empty(len(terms.heights), np.int64)
    corner = np.empty(len(terms.kinds))
    above = np.empty(len(known.loss), np.int64)
    found = 0
    for position in range(begin, len(order)):
        rank = order[position]
        if reach.settled[rank]:
            continue
        if found == len(chosen):
            return found, position
        reach.settled[rank] = True
        if reach.most_k[rank] < terms.least_k:
            continue
        _set_corner(rank, reach.most_k[rank], 0, reach.least_loss[rank], terms, reach, corner)
        if is_dominated(front.costs, corner, terms.tolerance):
            continue
        if terms.staircases:
            unrank(rank, terms.heights, node)
            covering = list_above(node, known.levels, above)
            if _loses_everywhere(rank, above[:covering], terms, reach, known, front, corner):
                continue
        chosen[found] = rank
        found += 1
    return found, len(order)


@jit
def _set_corner(rank: int, k: int, rows: int, loss: float, terms: SpaceTerms, reach: Reach, corner: Floats) -> None:
    """Write the best case of a node: a lower bound of each cost."""
    for d in range(len(terms.kinds)):
        if terms.kinds[d] == K:
            corner[d] = -k
        elif terms.kinds[d] == SUPPRESSION:
            corner[d] = rows
        elif terms.kinds[d] == LOSS:
            corner[d] = loss
        else:
            corner[d] = reach.least_cost[terms.kinds[d] - FURTHER, rank]


@jit
def _loses_everywhere(
    rank: int, above: Ints, terms: SpaceTerms, reach: Reach, known: Evaluated, front: FoundPoints, corner: Floats
) -> bool:
    """Whether the best case of the node is dominated at every k that it could have.

    Between two ks of the front, the cheapest case just exceeds the smaller; at one of them, it matches it.
    """
    most = reach.most_k[rank]
    if len(front.ks) == 0 or most > front.ks[-1]:
        return False
    last = terms.least_k - 1
    for k in front.ks:
        if last + 1 > most:
            return True
        if last + 1 < k and not _loses_at(last + 1, rank, above, terms, reach, known, front, corner):
            return False
        if last < k <= most and not _loses_at(k, rank, above, terms, reach, known, front, corner):
            return False
        last = max(last, k)
    return True


@jit
def _loses_at(
    k: int,
    rank: int,
    above: Ints,
    terms: SpaceTerms,
    reach: Reach,
    known: Evaluated,
    front: FoundPoints,
    corner: Floats,
) -> bool:
    rows, surcharge = 0, 0.0
    for m in above:
        step, end = known.first_step[m], known.first_step[m + 1]
        while step < end - 1 and known.k[step] < k:
            step += 1
        rows = max(rows, known.rows[step])
        surcharge = max(surcharge, known.surcharge[step])
    _set_corner(rank, k, rows, reach.least_loss[rank] + surcharge, terms, reach, corner)
    return is_dominated(front.costs, corner, terms.tolerance)
