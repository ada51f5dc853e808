"""A tree of boxes over groups: finds the group that costs least to merge with, and looks at few others.

A box holds one member of each of its groups. Whatever a group grows to, it keeps that member, so the cost of reaching
the nearest point of the box bounds the cost of merging with any group in it from below, also after mergers.
"""

from typing import NamedTuple

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.local.cell_penalty import Floats, Scale, hull_cost, span
from paranym.kernels.local.groups import Groups
from paranym.kernels.packing import Codes, Ints

LEAF = 8
"""Groups in a leaf, at most twice as many."""


class Index(NamedTuple):
    """A complete binary tree; the children of node i are 2i + 1 and 2i + 2."""

    order: Ints
    """The groups, leaf by leaf."""
    begin: Ints
    """Per node."""
    end: Ints
    low: Codes
    """(nodes, attributes): the box around one member of each group."""
    high: Codes
    least_rows: Ints
    """Of the groups, when the tree was built; they only grow."""
    most_cost: Floats
    """Current upper bound of the cost of a row in any of them."""
    alive: Ints
    """Groups that have not merged into others."""
    leaf: Ints
    """Per group: its leaf."""


@jit
def build(positions: Codes, scale: Scale, groups: Groups, index: Index) -> None:
    """Cut at the median of the attribute that spans most, level by level."""
    nodes = len(index.begin)
    index.begin[0], index.end[0] = 0, len(index.order)
    for node in range(nodes):
        begin, end = index.begin[node], index.end[node]
        mine = index.order[begin:end]
        _fit(positions, groups, mine, index, node)
        if 2 * node + 2 >= nodes:
            for g in mine:
                index.leaf[g] = node
            continue
        j = _widest(scale, index.low[node], index.high[node])
        keys, before = np.empty(len(mine)), mine.copy()
        for i in range(len(mine)):
            keys[i] = positions[groups.tuples[groups.head[mine[i]]], j]
        order = np.argsort(keys, kind="mergesort")
        for i in range(len(mine)):
            mine[i] = before[order[i]]
        middle = begin + (end - begin) // 2
        index.begin[2 * node + 1], index.end[2 * node + 1] = begin, middle
        index.begin[2 * node + 2], index.end[2 * node + 2] = middle, end


@jit
def _fit(positions: Codes, groups: Groups, mine: Ints, index: Index, node: int) -> None:
    index.alive[node] = len(mine)
    index.least_rows[node], index.most_cost[node] = groups.rows[mine[0]], groups.cost[mine[0]]
    first = groups.tuples[groups.head[mine[0]]]
    for j in range(positions.shape[1]):
        index.low[node, j] = positions[first, j]
        index.high[node, j] = positions[first, j]
    for g in mine:
        index.least_rows[node] = min(index.least_rows[node], groups.rows[g])
        index.most_cost[node] = max(index.most_cost[node], groups.cost[g])
        member = groups.tuples[groups.head[g]]
        for j in range(positions.shape[1]):
            index.low[node, j] = min(index.low[node, j], positions[member, j])
            index.high[node, j] = max(index.high[node, j], positions[member, j])


@jit
def _widest(scale: Scale, low: Codes, high: Codes) -> int:
    best, most = 0, -1.0
    for j in range(len(low)):
        cost = span(scale, j, low[j], high[j])
        if cost > most:
            best, most = j, cost
    return best


@jit
def note_merger(groups: Groups, index: Index, g: int, into: int) -> None:
    """Group `g` became part of another."""
    node = index.leaf[g]
    while node >= 0:
        index.alive[node] -= 1
        node = (node + 1) // 2 - 1
    node = index.leaf[into]
    while node >= 0:
        index.most_cost[node] = max(index.most_cost[node], groups.cost[into])
        node = (node + 1) // 2 - 1


@jit
def cheapest(scale: Scale, groups: Groups, index: Index, g: int, increase: bool, reach: int, stack: Ints) -> int:
    """The group that it costs least to merge with, of several the first that is met.

    What counts is the `increase` of the penalty over all rows, or the penalty of the union. Exact, unless more than
    `reach` leaves would have to be looked at.
    """
    best, least, seen = -1, np.inf, 0
    own = groups.cost[g] * groups.rows[g] if increase else 0.0
    first_leaf = len(index.begin) // 2
    stack[0], depth = 0, 1
    while depth > 0 and seen < reach:
        depth -= 1
        node = stack[depth]
        if index.alive[node] == 0 or _bound(scale, groups, index, g, node, increase) >= least:
            continue
        if node < first_leaf:
            left, right = 2 * node + 1, 2 * node + 2
            to_left = _bound(scale, groups, index, g, left, increase)
            to_right = _bound(scale, groups, index, g, right, increase)
            stack[depth] = right if to_left <= to_right else left
            stack[depth + 1] = left if to_left <= to_right else right
            depth += 2
            continue
        seen += 1
        for other in index.order[index.begin[node] : index.end[node]]:
            if other != g and groups.alive[other]:
                rows = groups.rows[g] + groups.rows[other]
                before = own + groups.cost[other] * groups.rows[other] if increase else 0.0
                enough = (least + before) / rows
                cost = hull_cost(scale, groups.low, groups.high, g, groups.low, groups.high, other, enough)
                if cost * rows - before < least:
                    best, least = other, cost * rows - before
    return best


@jit
def _bound(scale: Scale, groups: Groups, index: Index, g: int, node: int, increase: bool) -> float:
    """Lower bound of merging `g` with any group of a node: the union contains the nearest point of its box.

    Spelled out here, and not a call: passing all these arrays would cost more than the sum.
    """
    cost = 0.0
    for j in range(groups.low.shape[1]):
        low = min(groups.low[g, j], index.high[node, j])
        high = max(groups.high[g, j], index.low[node, j])
        cost += span(scale, j, low, high)
    if increase:
        own = max(cost - index.most_cost[node], 0.0) * index.least_rows[node]
        return float((cost - groups.cost[g]) * groups.rows[g] + own)
    return float(cost * (groups.rows[g] + index.least_rows[node]))
