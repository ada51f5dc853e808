"""The publication of a local recoding: the group of each row, and the labels of the groups."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Coding, Gathering, LabelKind, Replacement, Rewriting, Table
from paranym.errors import BadInput, Unattainable
from paranym.measures.loss.ncp import CertaintyPenalty
from paranym.measures.utility.queries import Boxes, boxes_of
from paranym.model.axis import Axis
from paranym.model.hierarchy import Label
from paranym.model.local import LocalRecoding, Style
from paranym.model.local_labels import AttributeLabels, LocalLabels
from paranym.model.values import to_number
from paranym.problem import Problem
from paranym.publishing.labels import locally_published_columns
from paranym.results.local_result import LocalResult
from paranym.results.published import PublishedColumn
from paranym.results.release import MARK, Claims

Ints = NDArray[np.int64]

METRIC = CertaintyPenalty.name
"""The loss of a local recoding is always reported as NCP, because the algorithms minimize it."""


@dataclass(frozen=True, slots=True, eq=False)
class LocalPlan:
    """The publication of groups of rows, each with labels of its own."""

    problem: Problem
    result: LocalResult
    recoding: LocalLabels
    claims: Claims
    columns: tuple[PublishedColumn, ...]
    """The quasi-identifiers, with the labels that are published."""

    @property
    def class_sizes(self) -> Ints:
        """Rows of each published equivalence class; groups with equal labels are one class."""
        return self.result.recoding.class_sizes

    @property
    def original_rows(self) -> dict[str, dict[Label, int]]:
        """Empty: NCP depends on the published rows only."""
        return {}

    @property
    def unpublished(self) -> tuple[str, ...]:
        """The columns that are not published."""
        return tuple(each.name for each in self.problem.schema.attributes if not each.role.is_published)

    @property
    def warnings(self) -> tuple[str, ...]:
        """A warning if exact values of outliers are published; it does not name them."""
        shown = {name: few for name, few in rare_values_shown(self.result.recoding, self.claims.k).items() if few}
        if not shown:
            return ()
        counts = ", ".join(f"{name}: {few:,}" for name, few in shown.items())
        warning = (
            f"Published ranges and sets show exact values that fewer than {self.claims.k:,} rows have ({counts}): "
            "a reader who knows such a person can tell that they are in the table. Leave the ends of ranges open "
            "(--open-ends auto), or publish values of the hierarchies (--style label)."
        )
        return (warning,)

    def boxes(self, _: Sequence[Axis]) -> Boxes:
        """Return the groups as boxes; they know their own axes."""
        return boxes_of(self.result.recoding)

    def described(self, _: Sequence[PublishedColumn]) -> dict[str, Any]:
        """Return the fields of a manifest about the groups, besides their columns."""
        return {"model": self.result.assessment.as_dict()}

    def rewriting(self, table: Table, *, keep_suppressed: bool = False, neutralize: bool = False) -> Rewriting:
        """Return the instructions for an engine that has the table open to rewrite its rows."""
        columns = table.profile(self.problem.attributes).columns
        replaced = []
        for column, hierarchy, labels in zip(columns, self.problem.hierarchies, self.recoding.attributes, strict=True):
            missing = hierarchy.leaves.index(None) if column.missing else None
            coding = Coding(column, hierarchy.place(column.values), missing, len(hierarchy.leaves))
            replaced.append(Replacement(coding, labels.labels))
        marks = keep_suppressed and self.claims.suppressed > 0
        return Rewriting(
            replaced=tuple(replaced),
            dropped=self.unpublished,
            mark=MARK if keep_suppressed else None,
            neutralize=neutralize,
            gathering=self._gathering(as_text=marks),
        )

    def _gathering(self, *, as_text: bool) -> Gathering:
        """Return the entries of each combination by the positions of their rows; suppressed rows come last."""
        recoding = self.result.recoding
        order = np.argsort(recoding.combinations, kind="stable")
        combinations, upto = recoding.combinations[order], np.cumsum(recoding.amounts[order])
        before = np.concatenate([[0], upto])[np.searchsorted(combinations, combinations)]
        return Gathering(
            words=self.problem.frequency.words[combinations],
            after=upto - recoding.amounts[order] - before,
            upto=upto - before,
            labels=self._numbers(recoding)[recoding.groups[order]],
            kinds=tuple("text" if as_text else _kind(each, recoding.style) for each in self.recoding.attributes),
            is_partial=self.claims.suppressed > 0,
        )

    def _numbers(self, recoding: LocalRecoding) -> NDArray[np.int32]:
        """Return (groups, attributes) the numbers of the labels."""
        columns = []
        for published, attribute in zip(recoding.published, self.recoding.attributes, strict=True):
            numbers = {label: number for number, label in enumerate(attribute.labels)}
            columns.append([numbers[label] for label in published])
        return np.array(columns, np.int32).T


def rare_values_shown(recoding: LocalRecoding, k: int) -> dict[str, int]:
    """Count, per attribute, the values of fewer than k published rows that can be read off the labels of groups."""
    return {
        name: len(_shown(recoding, j, axis) & _rare(recoding, j, k))
        for j, (name, axis) in enumerate(zip(recoding.attributes, recoding.axes, strict=True))
    }


def _rare(recoding: LocalRecoding, j: int, k: int) -> set[int]:
    rows = np.bincount(recoding.positions[recoding.combinations, j], recoding.amounts)
    return set(np.flatnonzero((rows > 0) & (rows < k)).tolist())


def _shown(recoding: LocalRecoding, j: int, axis: Axis) -> set[int]:
    """Return the positions whose values are ends of ranges, members of sets, or medians."""
    if recoding.style is Style.SET:
        return set(recoding.positions[recoding.combinations, j].tolist())
    published = set(recoding.published[j])
    if recoding.style is Style.MEDIAN:
        return {place for place, label in enumerate(axis.labels) if label in published}
    if recoding.style is not Style.RANGE or not axis.numeric:
        return set()
    low, high = recoding.low[:, j], recoding.high[:, j]
    ranges = (low < high) & (high < axis.known)
    ends = recoding.open_ends.get(recoding.attributes[j])
    if ends is None:
        return {*low[ranges].tolist(), *high[ranges].tolist()}
    is_under = low <= ends.under
    is_over = ends.has_over & (high >= ends.over)
    lower = ranges & ~is_under & ~(is_over & (low >= ends.over))
    upper = ranges & ~is_over & ~(is_under & (high <= ends.under))
    return {*low[lower].tolist(), *high[upper].tolist()}


def plan_local_release(problem: Problem, result: LocalResult) -> LocalPlan:
    """Return the group of each row, and the claims of the release."""
    recoding, found = result.recoding, result.assessment
    rows = np.bincount(recoding.combinations, recoding.amounts, len(problem.frequency))
    rows = rows if recoding.suppressed is None else rows + recoding.suppressed
    same = recoding.attributes == problem.attributes and np.array_equal(rows, problem.frequency.counts)
    if not same or any(
        axis.hierarchy is not hierarchy for axis, hierarchy in zip(recoding.axes, problem.hierarchies, strict=True)
    ):
        raise BadInput("This local recoding does not belong to this problem. Was it computed from other data?")
    limit = problem.suppression.limit(problem.rows)
    if found.suppressed > limit:
        raise Unattainable(
            f"This recoding suppresses {found.suppressed:,} of {problem.rows:,} rows; the limit is {limit:,}."
        )
    sizes = recoding.class_sizes
    claims = Claims(
        rows=found.rows,
        k=found.k,
        suppressed=found.suppressed,
        metric=METRIC,
        loss=found.ncp,
        loss_fraction=found.ncp_fraction,
        weighted_k=float(sizes @ sizes) / int(sizes.sum()),
    )
    labels = LocalLabels.of(recoding)
    return LocalPlan(problem, result, labels, claims, locally_published_columns(recoding, labels))


def _kind(attribute: AttributeLabels, style: Style) -> LabelKind:
    """Return the kind of labels: values of the column keep its type, and means are numbers if all groups have one."""
    if attribute.keeps_values:
        return "value"
    numeric = style is Style.MEAN and attribute.axis.numeric
    return "number" if numeric and all(label is None or to_number(label) for label in attribute.labels) else "text"
