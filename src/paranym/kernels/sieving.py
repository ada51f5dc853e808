"""Which nodes could still be on the front, given what is known of the nodes evaluated so far.

A node that lies below an evaluated one reaches no larger k, and pays for suppression at least what that one pays for
the same k. Without suppression its loss is at least that of every evaluated node below it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.kernels._jit import jit
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
    """What holds of every node."""

    heights: Ints
    per_level: Floats
    """(attributes, levels): the parts of an additive loss; empty if the loss is not additive."""
    one_step: bool
    """Whether only the highest step of a staircase is a solution."""
    tolerance: float


@jit
def sieve(
    order: Ints, begin: int, rules: Rules, settled: Flags, known: Known, goals: Goals, chosen: Ints
) -> tuple[int, int]:
    """Go through `order[begin:]`, settle nodes that cannot win, and choose others until `chosen` is full.

    Nodes are numbered like the lattice with the last attribute changing fastest. Returns how many were chosen and where
    to go on.
    """
    node = np.empty(len(rules.heights), np.int64)
    above = np.empty(len(known.loss), np.int64)
    found = 0
    for position in range(begin, len(order)):
        rank = order[position]
        if settled[rank]:
            continue
        if found == len(chosen):
            return found, position
        _unrank(rank, rules.heights, node)
        settled[rank] = True
        if _could_win(node, rules, known, goals, above):
            chosen[found] = rank
            found += 1
    return found, len(order)


@jit
def _unrank(rank: int, heights: Ints, node: Ints) -> None:
    for j in range(len(heights) - 1, -1, -1):
        node[j] = rank % (heights[j] + 1)
        rank //= heights[j] + 1


@jit
def _could_win(node: Ints, rules: Rules, known: Known, goals: Goals, above: Ints) -> bool:
    """Whether a node might match or beat the front somewhere, for all that is known.

    Between two goals the cheapest way to win is to just exceed the smaller k; at a goal, to match its loss.
    """
    low = _least_loss(node, rules.per_level, known)
    least = _least_k(node, known) if rules.one_step else 1
    covering, limit = _look_up(node, known, above)
    for i in range(len(goals.k) - 1, -1, -1):
        best = goals.loss[i]
        slack = rules.tolerance * max(abs(best), abs(low))
        if best < low - slack or goals.k[i] < least:
            continue  # out of reach even without suppression, or a k that the node exceeds
        beyond = goals.k[i + 1] + 1 if i + 1 < len(goals.k) else 1
        if beyond > limit:
            return False
        if beyond < goals.k[i] and low + _surcharge(beyond, above[:covering], known) < best - slack:
            return True
        if goals.k[i] <= limit and low + _surcharge(goals.k[i], above[:covering], known) <= best + slack:
            return True
    return len(goals.k) == 0 or limit > goals.k[0]


@jit
def _least_loss(node: Ints, per_level: Floats, known: Known) -> float:
    """The loss of a node without suppression: what it is, if the loss is additive, else the best bound from below."""
    low = 0.0
    if per_level.size > 0:
        for j in range(len(node)):
            low += per_level[j, node[j]]
        return low
    for m in range(len(known.loss)):
        if known.loss[m] > low and _covers(node, known.levels[m]):
            low = known.loss[m]
    return low


@jit
def _least_k(node: Ints, known: Known) -> int:
    """The k that a node surely reaches on its highest step: that of any evaluated node below."""
    least = 1
    for m in range(len(known.loss)):
        k = known.k[known.first_step[m + 1] - 1]
        if k > least and _covers(node, known.levels[m]):
            least = k
    return least


@jit
def _look_up(node: Ints, known: Known, above: Ints) -> tuple[int, int]:
    """List the evaluated nodes above a node; return how many there are, and the k that it cannot exceed."""
    count, limit = 0, np.iinfo(np.int64).max
    for m in range(len(known.loss)):
        if _covers(known.levels[m], node):
            above[count] = m
            count += 1
            limit = min(limit, known.k[known.first_step[m + 1] - 1])
    return count, limit


@jit
def _surcharge(k: int, above: Ints, known: Known) -> float:
    """What suppression costs at least where `k` is reached: as much as any evaluated node above pays for it."""
    most = 0.0
    for m in above:
        step = known.first_step[m]
        while known.k[step] < k:  # the last step reaches k, or `_look_up` would have said so
            step += 1
        most = max(most, known.surcharge[step])
    return most


@jit
def _covers(upper: Ints, lower: Ints) -> bool:
    for j in range(len(upper)):
        if upper[j] < lower[j]:
            return False
    return True
