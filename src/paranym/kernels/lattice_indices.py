"""Going about a lattice whose nodes are numbered, the last attribute changing fastest."""

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.packing import Ints
from paranym.kernels.staircase import Floats


@jit
def strides(heights: Ints) -> Ints:
    """Difference between the numbers of a node and its direct generalization, for every attribute."""
    stride = np.ones(len(heights), np.int64)
    for j in range(len(heights) - 2, -1, -1):
        stride[j] = stride[j + 1] * (heights[j + 1] + 1)
    return stride


@jit
def rank_of(node: Ints, heights: Ints) -> int:
    rank = 0
    for j in range(len(heights)):
        rank = rank * (heights[j] + 1) + node[j]
    return rank


@jit
def unrank(rank: int, heights: Ints, node: Ints) -> None:
    for j in range(len(heights) - 1, -1, -1):
        node[j] = rank % (heights[j] + 1)
        rank //= heights[j] + 1


@jit
def walk(rank: int, room: Ints, left: Ints, stride: Ints, value: float, sign: int, bound: Ints | Floats) -> None:
    """Tighten `bound` to `value` at every node from `rank` on, in steps of `stride`, at most `room` per attribute.

    A bound from below has the sign 1, one from above -1. Bounds never get looser on the way, so the walk
    skips the rest where one is tight enough.
    """
    last = len(room) - 1
    left[:] = room
    depth = 0  # the attribute that moved last; those behind it have not left their first place
    while True:
        j = last
        if sign * (value - bound[rank]) > 0:
            bound[rank] = value
        else:
            j = depth - 1
            rank -= (room[depth] - left[depth]) * stride[depth]
            left[depth] = room[depth]
        while j >= 0 and left[j] == 0:
            rank -= room[j] * stride[j]
            left[j] = room[j]
            j -= 1
        if j < 0:
            return
        rank += stride[j]
        left[j] -= 1
        depth = j


@jit
def list_above(node: Ints, nodes: Ints, above: Ints) -> int:
    """Number those of some nodes that lie at or above one; return how many there are."""
    count = 0
    for m in range(len(nodes)):
        if covers(nodes[m], node):
            above[count] = m
            count += 1
    return count


@jit
def covers(upper: Ints, lower: Ints) -> bool:
    for j in range(len(upper)):
        if upper[j] < lower[j]:
            return False
    return True
