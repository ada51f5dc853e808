"""What the release of a local recoding will be: which rows go to which group, and the labels of the groups."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Coding, Gathering, LabelKind, Replacement, Rewriting, Table
from paranym.errors import BadInput
from paranym.model.local import LocalRecoding, Style
from paranym.model.local_labels import AttributeLabels, LocalLabels
from paranym.model.local_result import LocalResult
from paranym.model.release import Promise
from paranym.model.schema import Role
from paranym.model.values import to_number
from paranym.problem import Problem

Ints = NDArray[np.int64]

METRIC = "ncp"
"""What the loss of a local recoding is told in, whatever the problem measures: it is what the algorithms keep small."""


@dataclass(frozen=True, slots=True, eq=False)
class LocalPlan:
    """How the rows of a problem's table are gathered into groups, and what that promises."""

    problem: Problem
    result: LocalResult
    recoding: LocalLabels
    promise: Promise
    suppressed: Ints = field(default_factory=lambda: np.empty((0, 0), np.int64))
    """Nothing is left out."""

    @property
    def identifiers(self) -> tuple[str, ...]:
        """Dropped."""
        return tuple(each.name for each in self.problem.schema.having(Role.IDENTIFIER))

    @property
    def described(self) -> dict[str, Any]:
        """What a manifest says about the recoding."""
        values = {each.attribute: len(each.labels) for each in self.recoding.attributes}
        return {"model": self.result.assessment.as_dict(), "values": values}

    def rewriting(self, table: Table, *, keep_suppressed: bool = False, neutralize: bool = False) -> Rewriting:
        """The same in the terms of an engine that has the table open."""
        columns = table.profile(self.problem.attributes).columns
        replaced = []
        for column, hierarchy, labels in zip(columns, self.problem.hierarchies, self.recoding.attributes, strict=True):
            missing = hierarchy.leaves.index(None) if column.missing else None
            coding = Coding(column, hierarchy.place(column.values), missing, len(hierarchy.leaves))
            replaced.append(Replacement(coding, labels.labels))
        return Rewriting(
            replaced=tuple(replaced), dropped=self.identifiers, neutralize=neutralize, gathering=self._gathering()
        )

    def _gathering(self) -> Gathering:
        recoding = self.result.recoding
        order = np.argsort(recoding.combinations, kind="stable")
        combinations, upto = recoding.combinations[order], np.cumsum(recoding.amounts[order])
        before = np.concatenate([[0], upto])[np.searchsorted(combinations, combinations)]
        return Gathering(
            words=self.problem.frequency.words[combinations],
            after=upto - recoding.amounts[order] - before,
            upto=upto - before,
            labels=self._numbers(recoding)[recoding.groups[order]],
            kinds=tuple(_kind(each, recoding.style) for each in self.recoding.attributes),
        )

    def _numbers(self, recoding: LocalRecoding) -> NDArray[np.int32]:
        """(groups, attributes): the numbers of the labels."""
        columns = []
        for published, attribute in zip(recoding.published, self.recoding.attributes, strict=True):
            numbers = {label: number for number, label in enumerate(attribute.labels)}
            columns.append([numbers[label] for label in published])
        return np.array(columns, np.int32).T


def plan_local_release(problem: Problem, result: LocalResult) -> LocalPlan:
    """Which rows go to which group, and what is promised of them."""
    recoding, found = result.recoding, result.assessment
    rows = np.bincount(recoding.combinations, recoding.amounts, len(problem.frequency))
    same = recoding.attributes == problem.attributes and np.array_equal(rows, problem.frequency.counts)
    if not same or any(
        axis.hierarchy is not hierarchy for axis, hierarchy in zip(recoding.axes, problem.hierarchies, strict=True)
    ):
        raise BadInput("The local recoding is none of this problem. Was it found with other data?")
    promise = Promise(
        rows=found.rows,
        k=found.k,
        suppressed=0,
        metric=METRIC,
        loss=found.ncp,
        loss_fraction=found.ncp_fraction,
        weighted_k=found.dcn / found.rows,
    )
    return LocalPlan(problem, result, LocalLabels.of(recoding), promise)


def _kind(attribute: AttributeLabels, style: Style) -> LabelKind:
    """Labels that are all values of the column keep its type; means become numbers, unless some group has none."""
    if attribute.keeps_values:
        return "value"
    numeric = style is Style.MEAN and attribute.axis.numeric
    return "number" if numeric and all(label is None or to_number(label) for label in attribute.labels) else "text"
