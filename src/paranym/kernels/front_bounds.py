"""Bounds on k and loss of nodes that are not evaluated yet, and the test whether such a node could be on the front.

A node below an evaluated node has no larger k, and its suppression costs at least as much for the same k. Without
suppression, the loss of a node is at least that of every evaluated node below it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.kernels._jit import jit
from paranym.kernels.lattice_indices import covers, list_above, rank_of, strides, unrank, walk
from paranym.kernels.packing import Ints
from paranym.kernels.staircase import Floats

Flags = NDArray[np.bool_]


class Known(NamedTuple):
    """The staircases of the evaluated nodes."""

    levels: Ints
    """(nodes, attributes)"""
    loss: Floats
    """Of every node, without suppression."""
    first_step: Ints
    """(nodes + 1,): where the steps of each node begin."""
    k: Ints
    surcharge: Floats


class Goals(NamedTuple):
    """The front so far: k descending, and the least loss known for at least that k."""

    k: Ints
    loss: Floats


class Rules(NamedTuple):
    """Facts that hold for every node."""

    heights: Ints
    loss_is_known: bool
    """Whether the loss of every node without suppression is known beforehand."""
    one_step: bool
    """True if every node has one solution, with at least the k of every node below it."""
    least_k: int
    """Solutions have at least this k."""
    tolerance: float


class Bounds(NamedTuple):
    """Bounds that the evaluated nodes imply for every node, by its number."""

    settled: Flags
    """Evaluated, chosen, or shown to be dominated."""
    most_k: Ints
    """Upper bound of k."""
    least_loss: Floats
    """Lower bound of the loss without suppression."""


@jit
def tighten(known: Known, begin: int, rules: Rules, bounds: Bounds) -> None:
    """Propagate the evaluated nodes from `begin` on: their k bounds the nodes below, their loss the nodes above."""
    attributes = known.levels.shape[1]
    stride, room, left = strides(rules.heights), np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    for m in range(begin, len(known.loss)):
        node, k = known.levels[m], known.k[known.first_step[m + 1] - 1]
        rank = rank_of(node, rules.heights)
        room[:] = node
        walk(rank, room, left, -stride, k, -1, bounds.most_k)
        if not rules.loss_is_known:
            room[:] = rules.heights - node
            walk(rank, room, left, stride, known.loss[m], 1, bounds.least_loss)


@jit
def sieve(
    order: Ints, begin: int, rules: Rules, bounds: Bounds, known: Known, goals: Goals, chosen: Ints
) -> tuple[int, int]:
    """Go through `order[begin:]`, settle nodes that cannot be on the front, and choose others until `chosen` is full.

    Returns how many were chosen and where to go on.
    """
    node = np.empty(len(rules.heights), np.int64)
    above = np.empty(len(known.loss), np.int64)
    found = 0
    for position in range(begin, len(order)):
        rank = order[position]
        if bounds.settled[rank]:
            continue
        if found == len(chosen):
            return found, position
        bounds.settled[rank] = True
        low = bounds.least_loss[rank]
        if bounds.most_k[rank] < rules.least_k or _is_dominated(low, bounds.most_k[rank], goals, rules.tolerance):
            continue
        unrank(rank, rules.heights, node)
        if _could_win(node, low, bounds.most_k[rank], rules, known, goals, above):
            chosen[found] = rank
            found += 1
    return found, len(order)


@jit
def best_cases(bounds: Bounds, ks: Ints, least: Floats) -> None:
    """Lower `least[i]` to the least loss that an unsettled node might have whose bound on k is `ks[i]`.

    `ks` ascends, and holds every bound that occurs.
    """
    for rank in range(len(bounds.settled)):
        if not bounds.settled[rank]:
            i = np.searchsorted(ks, bounds.most_k[rank])
            least[i] = min(least[i], bounds.least_loss[rank])


@jit
def _is_dominated(low: float, limit: int, goals: Goals, tolerance: float) -> bool:
    """Whether a goal dominates the best case that the two bounds allow: a quick test before the thorough one."""
    reaching = 0
    while reaching < len(goals.k) and goals.k[reaching] >= limit:
        reaching += 1
    for i in range(max(reaching - 2, 0), reaching):
        slack = tolerance * max(abs(goals.loss[i]), abs(low))
        if goals.loss[i] < low - slack or (goals.k[i] > limit and goals.loss[i] <= low + slack):
            return True
    return False


@jit
def _could_win(node: Ints, low: float, limit: int, rules: Rules, known: Known, goals: Goals, above: Ints) -> bool:
    """Whether the bounds allow that a solution of the node is on the front.

    Between two goals the cheapest such solution just exceeds the smaller k; at a goal, it matches the loss.
    """
    least = _least_k(node, known) if rules.one_step else 1
    covering = list_above(node, known.levels, above)
    for i in range(len(goals.k) - 1, -1, -1):
        best = goals.loss[i]
        slack = rules.tolerance * max(abs(best), abs(low))
        if best < low - slack or goals.k[i] < least:
            continue  # out of reach even without suppression, or a k that the node exceeds
        beyond = max(goals.k[i + 1] + 1 if i + 1 < len(goals.k) else rules.least_k, least)
        if beyond > limit:
            return False
        if beyond < goals.k[i] and low + _surcharge(beyond, above[:covering], known) < best - slack:
            return True
        if goals.k[i] <= limit and low + _surcharge(goals.k[i], above[:covering], known) <= best + slack:
            return True
    return len(goals.k) == 0 or limit > goals.k[0]


@jit
def _least_k(node: Ints, known: Known) -> int:
    """Lower bound of k on the highest step of a node: the largest k of an evaluated node below."""
    least = 1
    for m in range(len(known.loss)):
        k = known.k[known.first_step[m + 1] - 1]
        if k > least and covers(node, known.levels[m]):
            least = k
    return least


@jit
def _surcharge(k: int, above: Ints, known: Known) -> float:
    """Lower bound of the suppression cost at this `k`: the largest cost at an evaluated node above."""
    most = 0.0
    for m in above:
        step = known.first_step[m]
        while known.k[step] < k:  # never beyond the last step, whose k is at least this one
            step += 1
        most = max(most, known.surcharge[step])
    return most
