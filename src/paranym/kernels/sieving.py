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
from paranym.kernels.walking import covers, list_above, rank_of, strides, unrank, walk

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
    loss_is_known: bool
    """Whether the loss of every node without suppression is known beforehand."""
    one_step: bool
    """Whether a node has one solution, and reaches at least the k of every node below it."""
    least_k: int
    """A smaller k is no solution."""
    tolerance: float


class Bounds(NamedTuple):
    """What the evaluated nodes leave to every node, by its number."""

    settled: Flags
    """Evaluated, chosen, or shown to be beaten."""
    most_k: Ints
    """No larger k can be reached."""
    least_loss: Floats
    """No smaller loss without suppression."""


@jit
def tighten(known: Known, begin: int, rules: Rules, bounds: Bounds) -> None:
    """Carry what the evaluated nodes from `begin` on say to those below them (their k) and above them (their loss)."""
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
    """Go through `order[begin:]`, settle nodes that cannot win, and choose others until `chosen` is full.

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
        if bounds.most_k[rank] < rules.least_k or _is_beaten(low, bounds.most_k[rank], goals, rules.tolerance):
            continue
        unrank(rank, rules.heights, node)
        if _could_win(node, low, bounds.most_k[rank], rules, known, goals, above):
            chosen[found] = rank
            found += 1
    return found, len(order)


@jit
def hope(bounds: Bounds, ks: Ints, least: Floats) -> None:
    """Lower `least[i]` to the least loss that an unsettled node might have whose bound on k is `ks[i]`.

    `ks` ascends, and holds every bound that occurs.
    """
    for rank in range(len(bounds.settled)):
        if not bounds.settled[rank]:
            i = np.searchsorted(ks, bounds.most_k[rank])
            least[i] = min(least[i], bounds.least_loss[rank])


@jit
def _is_beaten(low: float, limit: int, goals: Goals, tolerance: float) -> bool:
    """Whether a goal strictly beats the best that the two bounds leave: the quick test before the thorough one."""
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
    """Whether a node might match or beat the front somewhere, for all that is known.

    Between two goals the cheapest way to win is to just exceed the smaller k; at a goal, to match its loss.
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
    """The k that a node surely reaches on its highest step: that of any evaluated node below."""
    least = 1
    for m in range(len(known.loss)):
        k = known.k[known.first_step[m + 1] - 1]
        if k > least and covers(node, known.levels[m]):
            least = k
    return least


@jit
def _surcharge(k: int, above: Ints, known: Known) -> float:
    """What suppression costs at least where `k` is reached: as much as any evaluated node above pays for it."""
    most = 0.0
    for m in above:
        step = known.first_step[m]
        while known.k[step] < k:  # the last step reaches k: no larger one is asked for
            step += 1
        most = max(most, known.surcharge[step])
    return most
