"""Effects of a release on columns and groups of rows: detail lost, query errors, suppressed rows."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Coding, Column, Table
from paranym.engines.codes import OrderedValues
from paranym.measures.utility.queries import Boxes, answered, usual_workload
from paranym.model.axis import Axis
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing
from paranym.model.recoding import AttributeRecoding
from paranym.model.schema import Role
from paranym.publishing.plan import Plan, packed
from paranym.report.account import GeneralizedColumn, Group, LeftOut, Queries
from paranym.wording.numbers import counted

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]

_EXAMPLES = 4
_GROUPS = 12
"""The most groups that are listed; of more, those with the largest share of suppressed rows are."""
_RANGES = 5
"""The number of ranges into which a column with many different numbers is divided."""
_RARE = 0.1
"""The largest share of rows in pooled groups; beyond it, a coarser level is shown."""
_BROAD = 0.01
"""A query is broad if its true answer is at least this share of the rows."""
_NONE = "(missing)"


class View:
    """The effects of a plan, measured on the combinations of values in its table."""

    def __init__(self, plan: Plan) -> None:
        self._plan, self._problem = plan, plan.problem
        frequency, recoding = plan.problem.frequency, plan.recoding
        self._leaves, self._counts = frequency.codes, frequency.counts
        self._labelled = [np.array(each.codes, np.int64) for each in recoding.attributes]
        self._labels = np.column_stack([codes[self._leaves[:, j]] for j, codes in enumerate(self._labelled)])
        sizes = [len(each.labels) for each in recoding.attributes]
        self._is_suppressed = _among(packed(self._labels, sizes), packed(plan.suppressed, sizes))

    def published(self) -> tuple[GeneralizedColumn, ...]:
        return tuple(self._attribute(j, each) for j, each in enumerate(self._plan.recoding.attributes))

    def queries(self) -> Queries:
        """Return the error of counting queries."""
        weights = [each.weight for each in self._plan.recoding.attributes]
        axes = [Axis(*pair) for pair in zip(self._problem.hierarchies, weights, strict=True)]
        positions = np.column_stack([axis.positions[self._leaves[:, j]] for j, axis in enumerate(axes)])
        answers = answered(
            usual_workload(axes, combinations=len(positions)),
            axes,
            Boxes(positions, positions, self._counts),
            self._plan.boxes(axes),
        )
        every, broad = answers.error(), answers.error(least=_BROAD * self._problem.rows)
        return Queries(
            asked=every.queries, zero=every.zero, median=every.median, broad=broad.queries, broad_median=broad.median
        )

    def left_out(self) -> Iterator[LeftOut]:
        """Yield suppressed rows by group of each quasi-identifier, at its finest level with few values."""
        if not self._is_suppressed.any():
            return
        for j, hierarchy in enumerate(self._problem.hierarchies):
            level = self._level(j, hierarchy)
            if level is not None:
                names = [_name(label) for label in hierarchy.labels[level]]
                rows, suppressed = self._rows(j, hierarchy, level), self._rows(j, hierarchy, level, self._is_suppressed)
                yield _groups(hierarchy.attribute, names, rows, suppressed, self._plan.claims.k, is_sensitive=False)

    def _level(self, j: int, hierarchy: Hierarchy) -> int | None:
        """Return the finest level of few values, hardly any with fewer than k rows; or else the last below the top."""
        few = [n for n, labels in enumerate(hierarchy.labels[:-1]) if len(labels) <= _GROUPS]
        for level in few:
            rows = self._rows(j, hierarchy, level)
            if rows[rows < self._plan.claims.k].sum() <= _RARE * self._plan.claims.rows:
                return level
        return few[-1] if few else None

    def _rows(self, j: int, hierarchy: Hierarchy, level: int, among: Truths | None = None) -> Ints:
        """Count the rows with each value of a level."""
        codes, counts = hierarchy.codes[level][self._leaves[:, j]], self._counts
        if among is not None:
            codes, counts = codes[among], counts[among]
        return np.bincount(codes, weights=counts, minlength=len(hierarchy.labels[level])).astype(np.int64)

    def _attribute(self, j: int, recoding: AttributeRecoding) -> GeneralizedColumn:
        kept = ~self._is_suppressed
        rows = np.bincount(self._labels[kept, j], weights=self._counts[kept], minlength=len(recoding.labels)).astype(
            np.int64
        )
        common = [int(label) for label in np.argsort(-rows, kind="stable")[:_EXAMPLES] if rows[label]]
        return GeneralizedColumn(
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
        """Return the general loss of one attribute; a suppressed row counts as fully generalized."""
        hierarchy = self._problem.hierarchies[j]
        leaves = len(hierarchy.leaves)
        if leaves == 1:
            return 0.0
        under = np.bincount(self._labelled[j], minlength=len(recoding.labels))
        generalized = float((rows * (under - 1)).sum()) / (leaves - 1)
        return (generalized + self._plan.claims.suppressed) / self._plan.claims.rows


def hit_groups(plan: Plan, table: Table) -> Iterator[LeftOut]:
    """Yield suppressed rows by value of each sensitive attribute and of the label."""
    schema, label = plan.problem.schema, plan.problem.schema.label
    names = [*(each.name for each in schema.having(Role.SENSITIVE)), *([label.name] if label is not None else [])]
    if not names or not len(plan.suppressed):
        return
    rewriting = plan.rewriting(table)
    keys = [each.coding for each in rewriting.replaced]
    for column in table.profile(names).columns:
        values = OrderedValues(column)
        rows, suppressed = _counted(table, keys, values.coding, rewriting.packing, rewriting.suppressed)
        listed, rows, suppressed = _ranges(values, column, rows, suppressed)
        yield _groups(column.name, listed, rows, suppressed, plan.claims.k, is_sensitive=True)


def _counted(table: Table, keys: list[Coding], coding: Coding, packing: Packing, suppressed: Ints) -> tuple[Ints, Ints]:
    """Count the rows with each value, and those of them that are suppressed."""
    rows, lost = np.zeros(coding.size, np.int64), np.zeros(coding.size, np.int64)
    for part in table.parts(keys, coding):
        histogram, start = part.histogram, next(iter(part.histogram.blocks.values())).start
        columns = histogram.columns - start
        left = _among(packing.pack(part.codes), suppressed)[histogram.owners]
        rows += np.bincount(columns, weights=histogram.amounts, minlength=coding.size).astype(np.int64)
        lost += np.bincount(columns[left], weights=histogram.amounts[left], minlength=coding.size).astype(np.int64)
    return rows, lost


def _ranges(values: OrderedValues, column: Column, rows: Ints, suppressed: Ints) -> tuple[list[str], Ints, Ints]:
    """Return the groups by name; many different numbers form a few ranges with about equally many rows."""
    known = len(column.values)
    if not values.have_order or known <= _GROUPS:
        return [_name(value) for value in values.listed], rows, suppressed
    begun = np.cumsum(rows[:known]) - rows[:known]
    member = np.minimum(begun * _RANGES // max(int(rows[:known].sum()), 1), _RANGES - 1)
    names = []
    for number in np.unique(member).tolist():
        first, last = np.flatnonzero(member == number)[[0, -1]].tolist()
        names.append(f"{_name(values.listed[first])} to {_name(values.listed[last])}")
    _, member = np.unique(member, return_inverse=True)
    member = np.append(member, [len(names)] * (len(rows) - known)).astype(np.int64)
    names += [_NONE] * (len(rows) - known)
    sums = [np.bincount(member, weights=each, minlength=len(names)).astype(np.int64) for each in (rows, suppressed)]
    return names, sums[0], sums[1]


def _groups(
    attribute: str, names: Sequence[str], rows: Ints, suppressed: Ints, k: int, *, is_sensitive: bool
) -> LeftOut:
    """Return the groups, the largest shares first; those of fewer than k rows, and those beyond a dozen, are pooled."""
    groups = [Group(*each) for each in zip(names, rows.tolist(), suppressed.tolist(), strict=True) if each[1]]
    large = sorted((each for each in groups if each.rows >= k), key=lambda each: (-each.share, -each.rows))
    small = [each for each in groups if each.rows < k]
    shown, others = (large, []) if len(large) <= _GROUPS else (large[: _GROUPS - 1], large[_GROUPS - 1 :])
    pooled = [_pooled(counted(len(others), "other value"), others), _pooled(counted(len(small), "rare value"), small)]
    listed = (*shown, *(each for each in pooled if each.rows))
    return LeftOut(attribute=attribute, is_sensitive=is_sensitive, groups=listed)


def _pooled(name: str, groups: Sequence[Group]) -> Group:
    return Group(name, sum(each.rows for each in groups), sum(each.left_out for each in groups))


def _among(words: Ints, wanted: Ints) -> Truths:
    """Return which packed rows are among the wanted ones."""
    _, member = np.unique(np.concatenate([wanted, words]), axis=0, return_inverse=True)
    member = member.reshape(-1)
    found: Truths = np.isin(member[len(wanted) :], member[: len(wanted)])
    return found


def _name(value: object) -> str:
    return _NONE if value is None else str(value)
