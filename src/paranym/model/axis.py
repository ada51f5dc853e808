"""An axis: the values of one attribute in an order in which every group of rows spans an interval."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from paranym.kernels.local.cell_penalty import LARGE_TREE, NUMBERS, SMALL_TREE, Scale
from paranym.model.hierarchy import Hierarchy, Label

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

SMALL = 64
"""Leaves of a tree up to which the cost of every pair is kept."""


@dataclass(frozen=True, eq=False)
class Axis:
    """Numbers in their order, with missing values at the end; categories in the order of their tree.

    Numbers are charged by their range over the range of the hierarchy's leaves; a group of numbers and missing values
    has no range, and costs as much as the whole. Categories are charged by the leaves under their closest common
    ancestor over all leaves. A single value costs nothing.

    >>> rows = [["cat", "fur", "*"], ["dog", "fur", "*"], ["owl", "feathers", "*"]]
    >>> pets = Axis(Hierarchy.from_rows(rows, attribute="pet"))
    >>> pets.costs_of_neighbours  # cat and dog are fur, two leaves of three; dog and owl have only the top in common
    array([0.66666667, 1.        ])
    """

    hierarchy: Hierarchy
    weight: float = 1.0

    @cached_property
    def numeric(self) -> bool:
        """Whether values are charged by their range."""
        numbers = self.hierarchy.numbers
        return numbers is not None and len(set(numbers) - {None}) > 1

    @cached_property
    def leaves(self) -> Ints:
        """The leaf at every position."""
        numbers = self.hierarchy.numbers
        every = range(len(self.hierarchy.leaves))
        if not self.numeric or numbers is None:
            return np.array(every, np.int64)
        known = {leaf: number for leaf in every if (number := numbers[leaf]) is not None}
        return np.array([*sorted(known, key=lambda leaf: known[leaf]), *(set(every) - set(known))], np.int64)

    @cached_property
    def positions(self) -> Codes:
        """The position of every leaf."""
        positions = np.empty(len(self.leaves), np.int32)
        positions[self.leaves] = np.arange(len(self.leaves), dtype=np.int32)
        return positions

    @cached_property
    def known(self) -> int:
        """Number of positions without those of missing values, which come last."""
        return len(self.labels) - self.labels.count(None)

    @cached_property
    def labels(self) -> tuple[Label, ...]:
        """The value at every position."""
        return tuple(self.hierarchy.leaves[leaf] for leaf in self.leaves.tolist())

    @cached_property
    def shares(self) -> Floats:
        """Of numbers: where in the range each position lies, from 0 to 1; missing values lie one range beyond it."""
        numbers = self.hierarchy.numbers or ()
        known = [number for number in numbers if number is not None]
        least, extent = min(known), max(known) - min(known)
        ordered = [numbers[leaf] for leaf in self.leaves.tolist()]
        return np.array([2.0 if number is None else float((number - least) / extent) for number in ordered])

    @cached_property
    def costs_of_neighbours(self) -> Floats:
        """Of categories: the cost of each position together with the next."""
        codes, leaves = self.hierarchy.codes, len(self.hierarchy.leaves)
        costs = np.zeros(max(leaves - 1, 0))
        for level in range(self.hierarchy.height, 0, -1):
            together = codes[level, 1:] == codes[level, :-1]
            costs[together] = self.hierarchy.leaf_counts(level)[codes[level, 1:][together]] / leaves
        return costs

    def common_level(self, low: Ints, high: Ints) -> Ints:
        """The lowest level at which all leaves between two leaves share a value."""
        level = np.full(len(low), self.hierarchy.height, np.int64)
        for lower in range(self.hierarchy.height - 1, -1, -1):
            level[self.hierarchy.codes[lower, low] == self.hierarchy.codes[lower, high]] = lower
        return level


def scale_of(axes: Sequence[Axis]) -> Scale:
    """Costs of intervals of all axes, for kernels."""
    kinds = [_kind(axis) for axis in axes]
    made = {NUMBERS: _numbers, SMALL_TREE: _pairs, LARGE_TREE: _runs}
    entries = [made[kind](axis) for kind, axis in zip(kinds, axes, strict=True)]
    longest = max(len(axis.leaves) for axis in axes)
    return Scale(
        kind=np.array(kinds, np.int64),
        first=np.cumsum([0, *(each.size for each in entries)])[:-1].astype(np.int64),
        stride=np.array([each.shape[-1] for each in entries], np.int64),
        entries=np.concatenate([np.empty(0), *(each.reshape(-1) for each in entries)]),
        ceiling=np.array([axis.weight for axis in axes], np.float64),
        halvings=np.array([0, *(length.bit_length() - 1 for length in range(1, longest + 1))], np.int64),
    )


def _kind(axis: Axis) -> int:
    if axis.numeric:
        return NUMBERS
    return SMALL_TREE if len(axis.leaves) <= SMALL else LARGE_TREE


def _numbers(axis: Axis) -> Floats:
    shares: Floats = axis.weight * axis.shares
    return shares


def _pairs(axis: Axis) -> Floats:
    """(positions, positions): the cost of two of them together."""
    leaves = len(axis.leaves)
    costs = np.zeros((leaves, leaves))
    for low in range(leaves - 1):
        costs[low, low + 1 :] = axis.weight * np.maximum.accumulate(axis.costs_of_neighbours[low:])
    return costs + costs.T


def _runs(axis: Axis) -> Floats:
    """(run lengths, positions): the most that any neighbours cost within the run of 1, 2, 4, ... that begins here."""
    runs = [axis.weight * axis.costs_of_neighbours]
    length = 1
    while 2 * length <= len(runs[0]):
        last = runs[-1]
        runs.append(np.append(np.maximum(last[:-length], last[length:]), np.zeros(length)))
        length *= 2
    return np.array(runs)
