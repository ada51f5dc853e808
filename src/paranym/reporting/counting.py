"""What a release does to columns and to groups of rows, counted: detail lost, answers that are off, rows left out."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Coding, Column, Table
from paranym.engines.coding import OrderedValues
from paranym.measures.utility.queries import Boxes, answered, boxes_of_labels, usual_workload
from paranym.model.axis import Axis
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing
from paranym.model.recoding import AttributeRecoding
from paranym.model.schema import Role
from paranym.model.wording import counted
from paranym.releases.planning import Plan, packed
from paranym.report.account import Group, LeftOut, Published, Queries

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]

_EXAMPLES = 4
_GROUPS = 12
"""More groups than these are told by those that are hit hardest."""
_RANGES = 5
"""Numbers of many different sizes are told in so many ranges."""
_RARE = 0.1
"""Where a larger share of the rows is in groups too small to be told, a coarser level is told."""
_BROAD = 0.01
"""A question is broad if it is truly about so large a share of the rows."""
_NONE = "(missing)"


class View:
    """A plan, seen from the combinations of the table that it is about."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._problem = plan, plan.problem
        frequency, recoding = plan.problem.frequency, plan.recoding
        self._leaves, self._counts = frequency.codes, frequency.counts
        self._labelled = [np.array(each.codes, np.int64) for each in recoding.attributes]
        self._labels = np.column_stack([codes[self._leaves[:, j]] for j, codes in enumerate(self._labelled)])
        sizes = [len(each.labels) for each in recoding.attributes]
        self._gone = _among(packed(self._labels, sizes), packed(plan.suppressed, sizes))

    def published(self) -> tuple[Published, ...]:
        return tuple(self._attribute(j, each) for j, each in enumerate(self._plan.recoding.attributes))

    def queries(self) -> Queries:
        """How far counting questions are off."""
        weights = [each.weight for each in self._plan.recoding.attributes]
        axes = [Axis(*pair) for pair in zip(self._problem.hierarchies, weights, strict=True)]
        positions = np.column_stack([axis.positions[self._leaves[:, j]] for j, axis in enumerate(axes)])
        classes, member = np.unique(self._labels[~self._gone], axis=0, return_inverse=True)
        rows = np.bincount(member.reshape(-1), weights=self._counts[~self._gone], minlength=len(classes))
        answers = answered(
            usual_workload(axes, combinations=len(positions)),
            axes,
            Boxes(positions, positions, self._counts),
            boxes_of_labels(axes, self._labelled, classes, rows.astype(np.int64)),
        )
        every, broad = answers.error(), answers.error(least=_BROAD * self._problem.rows)
        return Queries(
            asked=every.queries, zero=every.zero, median=every.median, broad=broad.queries, broad_median=broad.median
        )

    def left_out(self) -> Iterator[LeftOut]:
        """Whom it hits among the quasi-identifiers, each at its finest level that has few values."""
        if not self._gone.any():
            return
        for j, hierarchy in enumerate(self._problem.hierarchies):
            level = self._level(j, hierarchy)
            if level is not None:
                names = [_name(label) for label in hierarchy.labels[level]]
                rows, gone = self._rows(j, hierarchy, level), self._rows(j, hierarchy, level, self._gone)
                yield _groups(hierarchy.attribute, names, rows, gone, self._plan.promise.k, is_sensitive=False)

    def _level(self, j: int, hierarchy: Hierarchy) -> int | None:
        """The finest level of few values, hardly any of fewer than k rows; or else the last below the top."""
        few = [n for n, labels in enumerate(hierarchy.labels[:-1]) if len(labels) <= _GROUPS]
        for level in few:
            rows = self._rows(j, hierarchy, level)
            if rows[rows < self._plan.promise.k].sum() <= _RARE * self._plan.promise.rows:
                return level
        return few[-1] if few else None

    def _rows(self, j: int, hierarchy: Hierarchy, level: int, among: Truths | None = None) -> Ints:
        """How many rows have each value of a level."""
        codes, counts = hierarchy.codes[level][self._leaves[:, j]], self._counts
        if among is not None:
            codes, counts = codes[among], counts[among]
        return np.bincount(codes, weights=counts, minlength=len(hierarchy.labels[level])).astype(np.int64)

    def _attribute(self, j: int, recoding: AttributeRecoding) -> Published:
        kept = ~self._gone
        rows = np.bincount(self._labels[kept, j], weights=self._counts[kept], minlength=len(recoding.labels)).astype(
            np.int64
        )
        common = [int(label) for label in np.argsort(-rows, kind="stable")[:_EXAMPLES] if rows[label]]
        return Published(
            attribute=recoding.attribute,
            level=recoding.level,
            height=recoding.height,
            values_before=len(np.unique(self._leaves[:, j])),
            values_after=int(np.count_nonzero(rows)),
            is_kept=recoding.keeps_values,
            examples=tuple(_name(recoding.labels[label]) for label in sorted(common)),
            lost=self._lost(j, recoding, rows),
            weight=recoding.weight,
        )

    def _lost(self, j: int, recoding: AttributeRecoding, rows: NDArray[np.int64]) -> float:
        """The general loss of one attribute: leaves under a published value, a row left out as the top."""
        hierarchy = self._problem.hierarchies[j]
        leaves = len(hierarchy.leaves)
        if leaves == 1:
            return 0.0
        under = np.bincount(self._labelled[j], minlength=len(recoding.labels))
        told = float((rows * (under - 1)).sum()) / (leaves - 1)
        return (told + self._plan.promise.suppressed) / self._plan.promise.rows


def hit_groups(plan: Plan, table: Table) -> Iterator[LeftOut]:
    """Whom it hits among those with each value of a sensitive attribute, or of the label."""
    schema, label = plan.problem.schema, plan.problem.schema.label
    names = [*(each.name for each in schema.having(Role.SENSITIVE)), *([label.name] if label is not None else [])]
    if not names or not len(plan.suppressed):
        return
    rewriting = plan.rewriting(table)
    keys = [each.coding for each in rewriting.replaced]
    for column in table.profile(names).columns:
        values = OrderedValues(column)
        rows, gone = _counted(table, keys, values.coding, rewriting.packing, rewriting.suppressed)
        listed, rows, gone = _ranges(values, column, rows, gone)
        yield _groups(column.name, listed, rows, gone, plan.promise.k, is_sensitive=True)


def _counted(table: Table, keys: list[Coding], coding: Coding, packing: Packing, gone: Ints) -> tuple[Ints, Ints]:
    """How many rows have each value, and how many of these are left out."""
    rows, lost = np.zeros(coding.size, np.int64), np.zeros(coding.size, np.int64)
    for part in table.parts(keys, coding):
        histogram, start = part.histogram, next(iter(part.histogram.blocks.values())).start
        columns = histogram.columns - start
        left = _among(packing.pack(part.codes), gone)[histogram.owners]
        rows += np.bincount(columns, weights=histogram.amounts, minlength=coding.size).astype(np.int64)
        lost += np.bincount(columns[left], weights=histogram.amounts[left], minlength=coding.size).astype(np.int64)
    return rows, lost


def _ranges(values: OrderedValues, column: Column, rows: Ints, gone: Ints) -> tuple[list[str], Ints, Ints]:
    """Values by name; numbers of many sizes in a few ranges of about as many rows each."""
    known = len(column.values)
    if not values.have_order or known <= _GROUPS:
        return [_name(value) for value in values.listed], rows, gone
    begun = np.cumsum(rows[:known]) - rows[:known]
    member = np.minimum(begun * _RANGES // max(int(rows[:known].sum()), 1), _RANGES - 1)
    names = []
    for number in np.unique(member).tolist():
        first, last = np.flatnonzero(member == number)[[0, -1]].tolist()
        names.append(f"{_name(values.listed[first])} to {_name(values.listed[last])}")
    _, member = np.unique(member, return_inverse=True)
    member = np.append(member, [len(names)] * (len(rows) - known)).astype(np.int64)
    names += [_NONE] * (len(rows) - known)
    sums = [np.bincount(member, weights=each, minlength=len(names)).astype(np.int64) for each in (rows, gone)]
    return names, sums[0], sums[1]


def _groups(attribute: str, names: Sequence[str], rows: Ints, gone: Ints, k: int, *, is_sensitive: bool) -> LeftOut:
    """The groups that are hit hardest; those of fewer than k rows, and those beyond the first dozen, are together."""
    groups = [Group(*each) for each in zip(names, rows.tolist(), gone.tolist(), strict=True) if each[1]]
    large = sorted((each for each in groups if each.rows >= k), key=lambda each: (-each.share, -each.rows))
    small = [each for each in groups if each.rows < k]
    shown, others = (large, []) if len(large) <= _GROUPS else (large[: _GROUPS - 1], large[_GROUPS - 1 :])
    pooled = [_pooled(counted(len(others), "other value"), others), _pooled(counted(len(small), "rare value"), small)]
    told = (*shown, *(each for each in pooled if each.rows))
    return LeftOut(attribute=attribute, is_sensitive=is_sensitive, groups=told)


def _pooled(name: str, groups: Sequence[Group]) -> Group:
    return Group(name, sum(each.rows for each in groups), sum(each.left_out for each in groups))


def _among(words: Ints, wanted: Ints) -> Truths:
    """Which of the packed rows are among the wanted ones."""
    _, member = np.unique(np.concatenate([wanted, words]), axis=0, return_inverse=True)
    member = member.reshape(-1)
    found: Truths = np.isin(member[len(wanted) :], member[: len(wanted)])
    return found


def _name(value: object) -> str:
    return _NONE if value is None else str(value)
