"""A tree over groups that change: bounds from below what a row costs in any group of a node.

A node has the highest lower end and the lowest upper end of its groups on every axis. A group that also holds a point
spans at least from the one to the other, through the point. While groups grow, these bounds stay valid; where a group
shrinks, they are loosened up to the root.
"""

from typing import NamedTuple

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.local.cell_penalty import Floats, Scale, span
from paranym.kernels.packing import Codes, Ints


class ClusterTree(NamedTuple):
    """A complete binary tree; the children of node i are 2i + 1 and 2i + 2."""

    order: Ints
    """The groups, leaf by leaf."""
    begin: Ints
    """Per node."""
    end: Ints
    most_low: Codes
    """(nodes, attributes): at least the lower end of every group."""
    least_high: Codes
    """At most the upper end of every group."""
    least_rows: Ints
    least_cost: Floats
    most_cost: Floats
    leaf: Ints
    """Per group: its leaf."""
    stack: Ints
    """Scratch memory: nodes to be looked at."""
    bounds: Floats
    """Scratch memory: what groups of these nodes cost at least."""


@jit
def build(low: Codes, high: Codes, rows: Ints, cost: Floats, scale: Scale, tree: ClusterTree) -> None:
    """Halve the groups by the middle of their intervals on the axis that spans most, level by level."""
    nodes = len(tree.begin)
    tree.begin[0], tree.end[0] = 0, len(tree.order)
    for node in range(nodes):
        begin, end = tree.begin[node], tree.end[node]
        mine = tree.order[begin:end]
        _fit(low, high, rows, cost, mine, tree, node)
        if 2 * node + 2 >= nodes:
            for g in mine:
                tree.leaf[g] = node
            continue
        j = _widest(low, high, scale, mine)
        keys, before = np.empty(len(mine)), mine.copy()
        for i in range(len(mine)):
            keys[i] = low[mine[i], j] + high[mine[i], j]
        order = np.argsort(keys, kind="mergesort")
        for i in range(len(mine)):
            mine[i] = before[order[i]]
        middle = begin + (end - begin) // 2
        tree.begin[2 * node + 1], tree.end[2 * node + 1] = begin, middle
        tree.begin[2 * node + 2], tree.end[2 * node + 2] = middle, end


@jit
def _fit(low: Codes, high: Codes, rows: Ints, cost: Floats, mine: Ints, tree: ClusterTree, node: int) -> None:
    first = mine[0]
    tree.least_rows[node], tree.least_cost[node], tree.most_cost[node] = rows[first], cost[first], cost[first]
    for j in range(low.shape[1]):
        tree.most_low[node, j], tree.least_high[node, j] = low[first, j], high[first, j]
    for g in mine:
        _include(low, high, rows, cost, tree, node, g)


@jit
def _include(low: Codes, high: Codes, rows: Ints, cost: Floats, tree: ClusterTree, node: int, g: int) -> bool:
    """Make the bounds of a node valid for a group; return whether that changed them."""
    changed = rows[g] < tree.least_rows[node] or cost[g] < tree.least_cost[node] or cost[g] > tree.most_cost[node]
    tree.least_rows[node] = min(tree.least_rows[node], rows[g])
    tree.least_cost[node] = min(tree.least_cost[node], cost[g])
    tree.most_cost[node] = max(tree.most_cost[node], cost[g])
    for j in range(low.shape[1]):
        if low[g, j] > tree.most_low[node, j]:
            tree.most_low[node, j] = low[g, j]
            changed = True
        if high[g, j] < tree.least_high[node, j]:
            tree.least_high[node, j] = high[g, j]
            changed = True
    return bool(changed)


@jit
def loosen(low: Codes, high: Codes, rows: Ints, cost: Floats, tree: ClusterTree, g: int) -> None:
    """Make the bounds valid again after a group has changed."""
    node = tree.leaf[g]
    while node >= 0 and _include(low, high, rows, cost, tree, node, g):
        node = (node + 1) // 2 - 1


@jit
def _widest(low: Codes, high: Codes, scale: Scale, mine: Ints) -> int:
    """The axis on which the nearest ends of the groups lie farthest apart."""
    best, most = 0, -1.0
    for j in range(low.shape[1]):
        first, last = low[mine[0], j], high[mine[0], j]
        for g in mine:
            first, last = min(first, high[g, j]), max(last, low[g, j])
        cost = span(scale, j, first, last) if first < last else 0.0
        if cost > most:
            best, most = j, cost
    return best
