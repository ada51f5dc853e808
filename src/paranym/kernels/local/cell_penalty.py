"""Cost of an interval of positions: the weighted normalized certainty penalty of one cell.

Every attribute lies on an axis of positions: numbers in their order, categories in the order of their tree. The values
of a group then span an interval of it. The range of numbers is a difference. The closest common ancestor of categories
is that of the outermost two, since leaves of one value are neighbours. For a small tree a table holds the cost of every
pair; for a large one, the largest cost among neighbours in runs of 1, 2, 4, ...: the closest common ancestor of an
interval is the largest of those of its neighbours, so two look-ups answer.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.kernels._jit import jit
from paranym.kernels.packing import Codes, Ints

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]


NUMBERS = 0
"""Charged by their range."""
SMALL_TREE = 1
"""Charged by a table of all pairs."""
LARGE_TREE = 2
"""Charged by tables of runs."""


class Scale(NamedTuple):
    """The axes of all attributes, with weights."""

    kind: Ints
    """Numbers, a small tree or a large tree."""
    first: Ints
    """Where the entries of each attribute begin."""
    stride: Ints
    """Positions, or of a large tree entries per run length."""
    entries: Floats
    """Numbers: their place in the range. Trees: what the pair, or the run that begins here, costs. Times the weight."""
    ceiling: Floats
    """The weights: no cell costs more."""
    halvings: Ints
    """By length: the exponent of the largest power of two that is not longer."""


@jit
def span(scale: Scale, j: int, low: int, high: int) -> float:
    """Cost of a cell of attribute `j` in a group whose values lie between two positions."""
    if low == high:
        return 0.0
    begin = scale.first[j]
    if scale.kind[j] == SMALL_TREE:
        return float(scale.entries[begin + low * scale.stride[j] + high])
    if scale.kind[j] == NUMBERS:
        return float(min(scale.entries[begin + high] - scale.entries[begin + low], scale.ceiling[j]))
    run = scale.halvings[high - low]
    begin += run * scale.stride[j]
    return float(max(scale.entries[begin + low], scale.entries[begin + high - (1 << run)]))


@jit
def between(scale: Scale, a: Codes, b: Codes) -> float:
    """Cost of a row in a group of two tuples."""
    total = 0.0
    for j in range(len(a)):
        total += span(scale, j, min(a[j], b[j]), max(a[j], b[j]))
    return total


@jit
def box_cost(scale: Scale, low: Codes, high: Codes) -> float:
    """Cost of a row in a group that spans the box from `low` to `high`."""
    total = 0.0
    for j in range(len(low)):
        total += span(scale, j, low[j], high[j])
    return total


@jit
def hull_cost(
    scale: Scale, low: Codes, high: Codes, g: int, other_low: Codes, other_high: Codes, o: int, enough: float
) -> float:
    """Cost of a row in the smallest box around box `g` of some and box `o` of others.

    Some number above `enough` where it costs more. Boxes come by number: cutting them out of their arrays would cost
    more than the sum.
    """
    total = 0.0
    for j in range(low.shape[1]):
        total += span(scale, j, min(low[g, j], other_low[o, j]), max(high[g, j], other_high[o, j]))
        if total > enough:
            break
    return total


@jit
def near_cost(
    scale: Scale, low: Codes, high: Codes, g: int, other_low: Codes, other_high: Codes, o: int, enough: float
) -> float:
    """Cost of a row in the smallest box around box `g` and the nearest point of box `o`."""
    total = 0.0
    for j in range(low.shape[1]):
        total += span(scale, j, min(low[g, j], other_high[o, j]), max(high[g, j], other_low[o, j]))
        if total > enough:
            break
    return total


@jit
def box_costs(scale: Scale, lows: Codes, highs: Codes, costs: Floats) -> None:
    """Cost of a row in each of many boxes."""
    for g in range(len(lows)):
        costs[g] = box_cost(scale, lows[g], highs[g])
