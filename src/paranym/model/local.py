"""A local recoding: groups of rows, each published by its own values, and what is known of it."""

from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from paranym.model.axis import Axis
from paranym.model.hierarchy import Label
from paranym.model.values import to_text

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

_NO_VALUE = "no value"
"""How a missing value is told among the others of a set."""


class Style(StrEnum):
    """What is published of a group. Of categories it is their closest common ancestor, unless sets are asked for."""

    RANGE = "range"
    """Numbers as `24-30`."""
    LABEL = "label"
    """Numbers as the value of their hierarchy that covers them."""
    SET = "set"
    """The values that occur, of numbers and categories alike: `{24, 27, 30}`."""
    MEAN = "mean"
    """Numbers as their mean over the rows of the group."""
    MEDIAN = "median"
    """Likewise as their lower median, which occurs."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalRecoding:
    """Which group every row belongs to, and what is published of each group. Nothing is suppressed.

    Rows of one combination may be in several groups; an entry says how many of them are in one.
    """

    attributes: tuple[str, ...]
    axes: tuple[Axis, ...]
    positions: Codes
    """(combinations, attributes): where each combination lies on the axes."""
    combinations: Ints
    """Per entry."""
    groups: Ints
    """Per entry, ascending."""
    amounts: Ints
    """Per entry: how many rows."""
    low: Codes
    """(groups, attributes): the lowest position of any of its rows."""
    high: Codes
    style: Style = Style.RANGE

    def __len__(self) -> int:
        """How many groups there are."""
        return len(self.low)

    @cached_property
    def rows(self) -> Ints:
        """Rows of each group."""
        return np.bincount(self.groups, self.amounts, len(self)).astype(np.int64)

    @cached_property
    def box(self) -> tuple[Codes, Codes]:
        """Between which positions the published value of each group lies: its own values, or more under a label."""
        low, high = self.low.copy(), self.high.copy()
        for j, axis in enumerate(self.axes):
            if axis.numeric and self.style is Style.LABEL:
                low[:, j], high[:, j] = _covered(axis, *self._leaf_box(j))
        return low, high

    @cached_property
    def published(self) -> tuple[tuple[Label, ...], ...]:
        """Per attribute: what is published of each group."""
        return tuple(tuple(self._labels(j, axis)) for j, axis in enumerate(self.axes))

    @cached_property
    def classes(self) -> Ints:
        """The class of each group: groups of which the same is published are one."""
        codes = [np.unique([_sortable(label) for label in labels], return_inverse=True)[1] for labels in self.published]
        _, members = np.unique(np.column_stack(codes), axis=0, return_inverse=True)
        return members.reshape(-1).astype(np.int64)

    @cached_property
    def class_sizes(self) -> Ints:
        """Rows of each published class."""
        return np.bincount(self.classes, self.rows).astype(np.int64)

    def _labels(self, j: int, axis: Axis) -> list[Label]:
        if self.style is Style.SET:
            return self._sets(j, axis)
        if not axis.numeric or self.style is Style.LABEL:
            return _ancestors(axis, *self._leaf_box(j))
        if self.style is Style.RANGE:
            pairs = zip(self.low[:, j].tolist(), self.high[:, j].tolist(), strict=True)
            return [_range(axis, low, high) for low, high in pairs]
        return self._centres(j, axis)

    def _leaf_box(self, j: int) -> tuple[Ints, Ints]:
        """The first and the last leaf, in the order of the tree, that occurs in each group."""
        axis = self.axes[j]
        if not axis.numeric:
            return self.low[:, j].astype(np.int64), self.high[:, j].astype(np.int64)
        leaves = axis.leaves[self.positions[self.combinations, j]]
        begins = np.searchsorted(self.groups, np.arange(len(self)))
        return np.minimum.reduceat(leaves, begins), np.maximum.reduceat(leaves, begins)

    def _sets(self, j: int, axis: Axis) -> list[Label]:
        pairs = np.unique(np.column_stack([self.groups, self.positions[self.combinations, j]]), axis=0)
        members: list[list[Label]] = [[] for _ in range(len(self))]
        for group, position in pairs.tolist():
            members[group].append(axis.labels[position])
        return [_set(values) for values in members]

    def _centres(self, j: int, axis: Axis) -> list[Label]:
        """The mean or the median of the numbers of each group; of numbers and missing values the top."""
        values = self.positions[self.combinations, j]
        begins = [*np.searchsorted(self.groups, np.arange(len(self))).tolist(), len(self.groups)]
        labels: list[Label] = []
        for group in range(len(self)):
            low, high = int(self.low[group, j]), int(self.high[group, j])
            if low == high or axis.labels[high] is None:
                labels.append(_range(axis, low, high))
                continue
            mine = slice(begins[group], begins[group + 1])
            labels.append(_centre(axis, values[mine], self.amounts[mine], self.style))
        return labels


def _sortable(label: Label) -> str:
    """Labels as text that tells the missing value from all others."""
    return "" if label is None else f"={label}"


def _range(axis: Axis, low: int, high: int) -> Label:
    first, last = axis.labels[low], axis.labels[high]
    if low == high:
        return first
    if last is None:  # numbers and missing values have only the top in common
        return axis.hierarchy.labels[-1][0]
    if first is not None and (first.startswith("-") or last.startswith("-")):
        return f"{first} to {last}"
    return f"{first}-{last}"


def _set(values: list[Label]) -> Label:
    if len(values) == 1:
        return values[0]
    return "{" + ", ".join(_NO_VALUE if value is None else _in_set(value) for value in values) + "}"


def _in_set(value: str) -> str:
    """A value as it stands among others, in quotes where it could be taken for several or for none."""
    doubled = value.replace('"', '""')
    return f'"{doubled}"' if value == _NO_VALUE or set(value) & set(',"{}') else value


def _centre(axis: Axis, positions: Codes, amounts: Ints, style: Style) -> Label:
    if style is Style.MEDIAN:
        order = np.argsort(positions, kind="stable")
        upto = np.cumsum(amounts[order])
        middle = order[np.searchsorted(upto, (int(upto[-1]) + 1) // 2)]
        label: Label = axis.labels[positions[middle]]
        return label
    numbers = axis.hierarchy.numbers or ()
    leaves = axis.leaves[positions].tolist()
    total = sum(((numbers[leaf] or Decimal(0)) * amount for leaf, amount in zip(leaves, amounts.tolist(), strict=True)))
    return to_text(round(Decimal(total) / int(amounts.sum()), 6))


def _ancestors(axis: Axis, low: Ints, high: Ints) -> list[Label]:
    """The closest common ancestor of the leaves between two leaves."""
    levels, hierarchy = axis.common_level(low, high).tolist(), axis.hierarchy
    return [
        hierarchy.labels[level][hierarchy.codes[level, leaf]] for level, leaf in zip(levels, low.tolist(), strict=True)
    ]


def _covered(axis: Axis, low: Ints, high: Ints) -> tuple[Codes, Codes]:
    """Between which positions all leaves under the closest common ancestor lie."""
    levels, codes = axis.common_level(low, high), axis.hierarchy.codes
    first, last = np.empty(len(low), np.int32), np.empty(len(low), np.int32)
    for level in np.unique(levels).tolist():
        values = codes[level]
        least = np.full(int(values.max()) + 1, len(values), np.int32)
        most = np.zeros_like(least)
        np.minimum.at(least, values, axis.positions)
        np.maximum.at(most, values, axis.positions)
        mine = levels == level
        first[mine], last[mine] = least[values[low[mine]]], most[values[low[mine]]]
    return first, last
