"""A local recoding: groups of rows, each with published values of its own."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.model.axis import Axis
from paranym.model.hierarchy import Label, another_text
from paranym.model.values import to_text

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

_NO_VALUE = "no value"
"""The text of a missing value within a set."""


@dataclass(frozen=True, slots=True)
class OpenEnds:
    """Positions from which an ordered attribute is published as an open range: `under 20`, `90 and over`.

    >>> ends = OpenEnds(under=1, over=4, below="20")
    >>> ends.text_under(("17", "18", "30", "50", "90", "103"), 1), ends.text_over(("17", "18", "30", "50", "90"), 4)
    ('under 20', '90 and over')
    """

    under: int = -1
    """The last position of the lower end; -1 if it is closed."""
    over: int = -1
    """The first position of the upper end; -1 if it is closed."""
    below: str | None = None
    """The bound of the lower end, where it was given."""
    above: str | None = None
    """The bound of the upper end, where it was given."""

    @property
    def has_over(self) -> bool:
        """Whether the upper end is open."""
        return self.over >= 0

    def widened(self, low: Codes, high: Codes, known: int) -> tuple[Codes, Codes]:
        """The positions that are published, where the first `known` ones are numbers, and missing values follow."""
        numbers = high < known  # numbers and missing values are published as the top
        is_under = numbers & (low <= self.under)
        is_over = numbers & self.has_over & (high >= self.over)
        first = np.where(is_under, 0, np.where(is_over, np.minimum(low, self.over), low))
        last = np.where(is_over, known - 1, np.where(is_under, np.maximum(high, self.under), high))
        return first.astype(np.int32), last.astype(np.int32)

    def text_under(self, labels: Sequence[Label], high: int) -> str:
        """The label of a range up to a position, or to the end that is open."""
        if high <= self.under and self.below is not None:
            return f"under {self.below}"
        last = str(labels[max(high, self.under)])
        return f"up to {last}" if "." in last else f"under {int(last) + 1}"

    def text_over(self, labels: Sequence[Label], low: int) -> str:
        """The label of a range from a position on, or from where the open end begins."""
        if low >= self.over and self.above is not None:
            return f"{self.above} and over"
        return f"{labels[min(low, self.over)]} and over"


class Style(StrEnum):
    """The published form of a group. Categories become their closest common ancestor, except with `SET`."""

    RANGE = "range"
    """Numbers as `24-30`."""
    LABEL = "label"
    """Numbers as the value of their hierarchy that covers them."""
    SET = "set"
    """The set of values that occur, for numbers and categories: `{24, 27, 30}`."""
    MEAN = "mean"
    """Numbers as their mean over the rows of the group."""
    MEDIAN = "median"
    """Numbers as their lower median, which is one of them."""


class LabelUse(NamedTuple):
    """How many different labels a column has, and whether two of them cover the same value."""

    different: int
    overlapping: bool

    def as_dict(self) -> dict[str, int | bool]:
        """Return both for JSON."""
        return {"different": self.different, "overlapping": self.overlapping}


@dataclass(frozen=True, eq=False, kw_only=True)
class LocalRecoding:
    """The group of every row, and the published values of each group.

    Rows of one combination may be in several groups; an entry has the number of its rows in one group.
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
    suppressed: Ints | None = None
    """Per combination: the number of its rows in no group. None if all rows are in a group."""
    open_ends: Mapping[str, OpenEnds] = field(default_factory=dict)
    """Of attributes whose outermost values are not published."""

    @property
    def left_out(self) -> int:
        """Number of suppressed rows."""
        return 0 if self.suppressed is None else int(self.suppressed.sum())

    def __len__(self) -> int:
        """Number of groups."""
        return len(self.low)

    @cached_property
    def rows(self) -> Ints:
        """Rows of each group."""
        return np.bincount(self.groups, self.amounts, len(self)).astype(np.int64)

    @cached_property
    def box(self) -> tuple[Codes, Codes]:
        """The first and the last position that the published value of each group covers."""
        low, high = self.low.copy(), self.high.copy()
        for j, axis in enumerate(self.axes):
            if axis.numeric and self.style is Style.LABEL:
                low[:, j], high[:, j] = _covered(axis, *self._leaf_box(j))
            elif self.attributes[j] in self.open_ends:
                ends = self.open_ends[self.attributes[j]]
                low[:, j], high[:, j] = ends.widened(low[:, j], high[:, j], axis.known)
        return low, high

    @cached_property
    def published(self) -> tuple[tuple[Label, ...], ...]:
        """Per attribute: the published value of each group."""
        return tuple(tuple(self._labels(j, axis)) for j, axis in enumerate(self.axes))

    @cached_property
    def label_use(self) -> dict[str, LabelUse]:
        """Per attribute: the number of different labels, and whether they overlap."""
        return {name: self._label_use(j) for j, name in enumerate(self.attributes)}

    def _label_use(self, j: int) -> LabelUse:
        labels, numbers = np.unique([_sortable(label) for label in self.published[j]], return_inverse=True)
        if self.style is Style.SET:  # a set covers its members only
            members = np.column_stack([numbers[self.groups], self.positions[self.combinations, j]])
            values = np.unique(members, axis=0)[:, 1]
            return LabelUse(len(labels), len(np.unique(values)) < len(values))
        axis = self.axes[j]
        low, high = self.box[0][:, j], self.box[1][:, j]
        if not axis.numeric:
            low, high = _covered(axis, low.astype(np.int64), high.astype(np.int64))
        is_top = (low < high) & (high >= axis.known)  # numbers and missing values are published as the top
        low, high = np.where(is_top, 0, low), np.where(is_top, len(axis.leaves) - 1, high)
        spans = np.unique(np.column_stack([low, high, numbers]), axis=0)
        one = spans[1:, 2] == spans[:-1, 2]  # groups of one label may have different ends: means, medians
        before = np.maximum.accumulate(spans[:, 1])[:-1]
        return LabelUse(len(labels), bool(((spans[1:, 0] <= before) & ~one).any()))

    @cached_property
    def classes(self) -> Ints:
        """The equivalence class of each group: groups with equal published values form one class."""
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
            ends = self.open_ends.get(self.attributes[j], OpenEnds())
            return [_open_range(axis, low, high, ends) for low, high in pairs]
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
        return [_set(values, axis.labels) for values in members]

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
    """Labels as text, such that the missing value differs from all others."""
    return "" if label is None else f"={label}"


def _range(axis: Axis, low: int, high: int) -> Label:
    first, last = axis.labels[low], axis.labels[high]
    if low == high:
        return first
    if last is None:  # numbers and missing values have only the top in common
        return axis.hierarchy.distinct_labels[-1][0]
    if first is not None and (first.startswith("-") or last.startswith("-")):
        return f"{first} to {last}"
    return f"{first}-{last}"


def _open_range(axis: Axis, low: int, high: int, ends: OpenEnds) -> Label:
    """A range, open where it overlaps an open end."""
    is_under, is_over = low <= ends.under, high >= ends.over and ends.has_over
    if axis.labels[high] is None or not (is_under or is_over):
        return _range(axis, low, high)
    if is_under and is_over:
        return axis.hierarchy.distinct_labels[-1][0]
    return ends.text_under(axis.labels, high) if is_under else ends.text_over(axis.labels, low)


def _set(values: list[Label], leaves: Collection[Label]) -> Label:
    if len(values) == 1:
        return values[0]
    listed = "{" + ", ".join(_NO_VALUE if value is None else _in_set(value) for value in values) + "}"
    return another_text(listed, leaves, " (set)")


def _in_set(value: str) -> str:
    """A value as a member of a set, in quotes if it could be taken for several values or for none."""
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
        hierarchy.distinct_labels[level][hierarchy.codes[level, leaf]]
        for level, leaf in zip(levels, low.tolist(), strict=True)
    ]


def _covered(axis: Axis, low: Ints, high: Ints) -> tuple[Codes, Codes]:
    """The first and the last position of the leaves under the closest common ancestor."""
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
