"""Which nodes could still be on the front, given what is known of the nodes evaluated so far.

A node that lies below an evaluated one reaches no larger k, and pays for suppression at least what that one pays for the
same k. Without suppression its loss is at least that of every evaluated node below it.
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


@jit
def sieve(
    order: Ints,
    begin: int,
    heights: Ints,
    per_level: Floats,
    settled: Flags,
    known: Known,
    goals: Goals,
    tolerance: float,
    chosen: Ints,
) -> tuple[int, int]:
    """Go through `order[begin:]`, settle nodes that cannot win, and choose others until `chosen` is full.

    Nodes are numbered like the lattice with the last attribute changing fastest. Returns how many were chosen and where
    to go on. `per_level` (attributes, levels) holds the parts of an additive loss; it is empty if the loss is not additive.
    """
    node = np.empty(len(heights), np.int64)
    found, killer = 0, -1
    for position in range(begin, len(order)):
        rank = order[position]
        if settled[rank]:
            continue
        if found == len(chosen):
            return found, position
        _unrank(rank, heights, node)
        low = _least_loss(node, per_level, known)
        won, killer = _could_win(node, low, known, goals, tolerance, killer)
        settled[rank] = True
        if won:
            chosen[found] = rank
            found += 1
    return found, len(order)


@jit
def _unrank(rank: int, heights: Ints, node: Ints) -> None:
    for j in range(len(heights) - 1, -1, -1):
        node[j] = rank % (heights[j] + 1)
        rank //= heights[j] + 1


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
def _could_win(
    node: Ints, low: float, known: Known, goals: Goals, tolerance: float, killer: int
) -> tuple[bool, int]:
    """Whether a node might match or beat the front somewhere; also, the evaluated node that last ruled one out.

    Between two goals the cheapest way to win is to just exceed the smaller k; at a goal, to match its loss.
    """
    for i in range(len(goals.k) - 1, -1, -1):
        best = goals.loss[i]
        slack = tolerance * max(abs(best), abs(low))
        if best < low - slack:
            continue  # even without suppression this goal is out of reach
        beyond = goals.k[i + 1] + 1 if i + 1 < len(goals.k) else 1
        for k, must_be_less in ((beyond, True), (goals.k[i], False)):
            rest = best - low - slack if must_be_less else best - low + slack
            if must_be_less and k >= goals.k[i]:
                continue
            out, killer = _is_out(node, k, rest, must_be_less, known, killer)
            if not out:
                return True, killer
    # only a larger k than any known is left
    out, killer = _is_out(node, goals.k[0] + 1 if len(goals.k) > 0 else 1, np.inf, True, known, killer)
    return not out, killer


@jit
def _is_out(
    node: Ints, k: int, rest: float, must_be_less: bool, known: Known, killer: int
) -> tuple[bool, int]:
    """Whether an evaluated node above shows that `k` costs a surcharge beyond `rest`, or cannot be reached at all."""
    if killer >= 0 and _rules_out(killer, node, k, rest, must_be_less, known):
        return True, killer
    for m in range(len(known.loss) - 1, -1, -1):
        if _rules_out(m, node, k, rest, must_be_less, known):
            return True, m
    return must_be_less and rest <= 0, killer


@jit
def _rules_out(m: int, node: Ints, k: int, rest: float, must_be_less: bool, known: Known) -> bool:
    if not _covers(known.levels[m], node):
        return False
    for step in range(known.first_step[m], known.first_step[m + 1]):
        if known.k[step] >= k:
            return known.surcharge[step] >= rest if must_be_less else known.surcharge[step] > rest
    return True


@jit
def _covers(upper: Ints, lower: Ints) -> bool:
    for j in range(len(upper)):
        if upper[j] < lower[j]:
            return False
    return True
