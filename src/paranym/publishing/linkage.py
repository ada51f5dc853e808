"""Columns that undo a generalization: published as they are, they disclose the value behind a coarser label.

A column undoes the generalization of a quasi-identifier if, among rows with the same published label, each of its
values occurs with a single original value, and more often than by chance: a rare value occurs with a single value of
any column. Therefore only cells with several rows count, and the result is compared with the probability under
independence. A number also counts as disclosed if only it and its neighbour remain: a year of birth leaves two ages.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Replacement, Rewriting, Table
from paranym.engines.codes import OrderedValues
from paranym.frequency import FrequencySet
from paranym.publishing.findings import KINDS, Finding

Ints = NDArray[np.int64]

_MOST_VALUES = 200_000
_MOST_TOGETHER = 4
"""Largest number of columns that are also tried in pairs: those with most values, if these repeat."""
_REPEATED = 5
_FEWEST_ROWS = 20
_FEWEST_SHARE = 0.05
_DETERMINED = 0.95
_BY_CHANCE = 0.6
_MONOTONE = 0.98
_FEWEST_VALUES = 4
_FEWEST_CELLS = 10
_MANY_VALUES = 8
"""A label of at least this many values reveals much less than two adjacent values do."""
_DATES = (
    (re.compile(r"([0-9]{4})[-./]?([0-9]{1,2})[-./]?([0-9]{1,2})(.*)"), ((1, 2, 3),)),
    (re.compile(r"([0-9]{1,2})[-./ ]([0-9]{1,2})[-./ ]([0-9]{4}|[0-9]{2})(.*)"), ((3, 2, 1), (3, 1, 2))),
)
"""Forms of dates, with the positions of year, month and day."""


def undone(table: Table, rewriting: Rewriting, names: Sequence[str]) -> tuple[Finding, ...]:
    """Find the columns, or pairs of them, that disclose generalized values of quasi-identifiers."""
    generalized = [
        attribute for each in rewriting.replaced if (attribute := _Generalized.by(each, rewriting)).is_coarser
    ]
    if not generalized or not names:
        return ()
    return tuple(_Search(table, generalized).findings(names))


@dataclass(frozen=True, slots=True, eq=False)
class _Generalized:
    """A quasi-identifier, its original values in order, and the label that each is published as."""

    values: OrderedValues
    labels: Ints
    """Label of each value, a missing one last; all zero under local recoding, where labels depend on the group."""

    @classmethod
    def by(cls, replacement: Replacement, rewriting: Rewriting) -> "_Generalized":
        coding = replacement.coding
        values = OrderedValues(coding.column)
        labels = np.zeros(values.coding.size, np.int64)
        if rewriting.gathering is None:
            labels[values.coding.codes] = coding.codes
            if coding.column.missing and coding.missing is not None:
                labels[-1] = coding.missing
        return cls(values, labels)

    @property
    def name(self) -> str:
        return self.values.name

    @property
    def is_coarser(self) -> bool:
        return self.most > 1

    @property
    def most(self) -> int:
        """The largest number of values that one label represents."""
        return int(np.bincount(self.labels).max(initial=0))


class _Search:
    """The search for columns that undo a generalization."""

    def __init__(self, table: Table, generalized: Sequence[_Generalized]) -> None:
        self._table, self._generalized = table, generalized

    def findings(self, names: Sequence[str]) -> Iterator[Finding]:
        columns, rows = self._listed(names), self._table.profile(()).rows
        disclosed: dict[str, list[str]] = {}
        for column in columns:
            disclosed[column.name] = self._disclosed_by([column])
            if disclosed[column.name]:
                yield _finding([column.name], disclosed[column.name])
        others = [each for each in columns if not disclosed[each.name] and each.coding.size * _REPEATED <= rows]
        others = sorted(others, key=lambda column: -column.coding.size)[:_MOST_TOGETHER]
        for one, other in combinations(others, 2):
            if found := self._disclosed_by([one, other]):
                yield _finding([one.name, other.name], found)

    def _listed(self, names: Sequence[str]) -> list[OrderedValues]:
        """Return the columns that have several values, but not too many, of a type that can be compared."""
        spread = self._table.spread(names)
        some = [one.name for one in spread if one.different + bool(one.missing) >= 2 and one.different <= _MOST_VALUES]
        return [OrderedValues(column) for name in some for column in self._table.listed(name)]

    def _disclosed_by(self, columns: Sequence[OrderedValues]) -> list[str]:
        """Return the quasi-identifiers whose original values these columns disclose together."""
        # a column with few values cannot disclose most values of a label that represents many
        cells = prod(column.coding.size for column in columns)
        possible = [attribute for attribute in self._generalized if 2 * cells >= attribute.most]
        if not possible:
            return []
        counted = self._table.count(
            [column.coding for column in columns], [attribute.values.coding for attribute in possible]
        )
        orders = _orders(columns[0]) if len(columns) == 1 else []
        without = columns[0].coding.missing if len(columns) == 1 else None
        return [
            attribute.name
            for attribute in possible
            if _Cells.of(counted, attribute, without).disclose(orders if attribute.values.have_order else [])
        ]


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """Rows by the value of a column and the label of an attribute, for labels that represent several values."""

    owners: Ints
    """Per cell: the value of the column, as a code."""
    rows: Ints
    kinds: Ints
    """Number of original values in each cell."""
    values: Ints
    """The smallest original value of each cell, as a rank."""
    are_near: NDArray[np.bool_]
    """True for a cell with at most two adjacent numbers, out of many that its label represents."""
    near_chances: NDArray[np.float64]
    """Probability that the rows of a cell would have no other numbers if the column were independent."""
    chances: NDArray[np.float64]
    """Probability that the rows of a cell would share one value if the column were independent."""

    @classmethod
    def of(cls, counted: FrequencySet, attribute: _Generalized, without: int | None = None) -> "_Cells":
        """Return the cells of a column; rows with a missing value, which is coded as `without`, are skipped."""
        histogram = counted.histogram
        block = histogram.blocks[attribute.name]
        mine = (histogram.columns >= block.start) & (histogram.columns < block.stop)
        of = histogram.owners[mine].astype(np.int64)
        owners: Ints = counted.codes[of, 0].astype(np.int64) if counted.codes.shape[1] == 1 else of
        leaves, amounts = histogram.columns[mine].astype(np.int64) - block.start, histogram.amounts[mine]
        shares, several = _shares(leaves, amounts, attribute.labels)
        labels = attribute.labels[leaves]
        some = several[labels] if without is None else several[labels] & (owners != without)
        owners, leaves, amounts, labels = owners[some], leaves[some], amounts[some], labels[some]
        keys, member = np.unique(np.column_stack([owners, labels]), axis=0, return_inverse=True)
        member = member.reshape(-1)
        rows = np.bincount(member, amounts, len(keys)).astype(np.int64)
        values = np.full(len(keys), np.iinfo(np.int64).max)
        np.minimum.at(values, member, leaves)
        largest = np.full(len(keys), -1)
        np.maximum.at(largest, member, leaves)
        of_label = keys[:, 1] if len(keys) else rows
        many = np.bincount(attribute.labels)[of_label] >= _MANY_VALUES if attribute.values.have_order else False
        return cls(
            owners=keys[:, 0] if len(keys) else rows,
            rows=rows,
            kinds=np.bincount(member, minlength=len(keys)),
            values=values,
            are_near=(largest - values <= 1) & many,
            near_chances=_chances(rows, of_label, attribute.labels, shares + np.append(shares[1:], 0.0)),
            chances=_chances(rows, of_label, attribute.labels, shares),
        )

    def disclose(self, orders: Sequence[Ints]) -> bool:
        """Return whether the column discloses the value: in cells of several rows, or by increasing with it."""
        return (
            self._disclose_by_cells(self.kinds == 1, self.chances)
            or self._disclose_by_cells(self.are_near, self.near_chances)
            or any(map(self._disclose_by_order, orders))
        )

    def _disclose_by_cells(self, are_disclosed: NDArray[np.bool_], chances: NDArray[np.float64]) -> bool:
        several = self.rows > 1
        rows = self.rows[several]
        if rows.sum() < max(_FEWEST_ROWS, _FEWEST_SHARE * self.rows.sum()):
            return False
        disclosed = rows[are_disclosed[several]].sum()
        return bool(disclosed >= _DETERMINED * rows.sum() and rows @ chances[several] <= _BY_CHANCE * rows.sum())

    def _disclose_by_order(self, order: Ints) -> bool:
        if len(self.owners) < _FEWEST_CELLS or self.rows.sum() < _FEWEST_ROWS:
            return False
        if (
            self.rows[self.kinds == 1].sum() < _DETERMINED * self.rows.sum()
            or len(np.unique(self.values)) < _FEWEST_VALUES
        ):
            return False
        steps = np.diff(self.values[np.argsort(order[self.owners], kind="stable")])
        return max(float((steps >= 0).mean()), float((steps <= 0).mean())) >= _MONOTONE


def _orders(column: OrderedValues) -> list[Ints]:
    """Return the natural orders of a column (numbers, dates as text), each as a rank per code."""
    size = column.coding.size
    if column.have_order:
        return [np.arange(size)]
    texts = [value for value in column.listed if value is not None]
    if not all(isinstance(text, str) for text in texts):
        return []
    for pattern, places in _DATES:
        found = [pattern.fullmatch(str(text).strip()) for text in texts]
        if all(found):
            return [_ranks([_moment(one, place) for one in found if one is not None], size) for place in places]
    return []


def _moment(found: re.Match[str], place: tuple[int, ...]) -> tuple[int | str, ...]:
    return (*(int(found[part]) for part in place), found[4])


def _ranks(keys: Sequence[tuple[int | str, ...]], size: int) -> Ints:
    ranks = np.full(size, len(keys), np.int64)
    ranks[sorted(range(len(keys)), key=keys.__getitem__)] = np.arange(len(keys))
    return ranks


def _shares(leaves: Ints, amounts: Ints, labels: Ints) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the share of each value among the rows of its label, and whether each label represents several values."""
    by_leaf = np.bincount(leaves, amounts, len(labels))
    by_label = np.bincount(labels, by_leaf)
    shares = np.divide(by_leaf, by_label[labels], out=np.zeros_like(by_leaf), where=by_label[labels] > 0)
    return shares, np.bincount(labels, by_leaf > 0, len(by_label)) > 1


def _chances(rows: Ints, of: Ints, labels: Ints, shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability that this many rows of a label share one value, at most 1."""
    pairs, member = np.unique(np.column_stack([of, rows]), axis=0, return_inverse=True)
    found = np.array([(shares[labels == label] ** number).sum() for label, number in pairs.tolist()])
    return np.minimum(found[member.reshape(-1)], 1.0) if len(found) else np.zeros(0)


def _finding(columns: Sequence[str], disclosed: Sequence[str]) -> Finding:
    subject, verb = " and ".join(columns), "discloses" if len(columns) == 1 else "together disclose"
    what = KINDS["undoes-generalization"].removeprefix("discloses ")
    return Finding(
        kind="undoes-generalization",
        columns=tuple(columns),
        severity="stop",
        says=f"{subject} {verb} {what}: {', '.join(disclosed)}.",
    )
