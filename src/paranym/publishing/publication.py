"""The publication of a solution, computed once: release, report and query errors all read the same value.

Each recoding model has its own form: `plan.py` for nodes and cuts, `local_plan.py` for local groups. The check of a
written release (`releases/inspection.py`) shares nothing with them.
"""

from collections.abc import Mapping, Sequence
from functools import singledispatch
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Rewriting, Table
from paranym.measures.utility.queries import Boxes
from paranym.model.axis import Axis
from paranym.model.hierarchy import Label
from paranym.model.local_labels import LocalLabels
from paranym.model.recoding import Recoding
from paranym.problem import Problem
from paranym.publishing.local_plan import LocalPlan, plan_local_release
from paranym.publishing.plan import Plan, plan_release
from paranym.results.front import Point
from paranym.results.local_result import LocalResult
from paranym.results.published import PublishedColumn
from paranym.results.release import Claims

Ints = NDArray[np.int64]


class Publication(Protocol):
    """The publication of one solution. A new recoding model implements this, and registers with `publication_of`."""

    @property
    def problem(self) -> Problem:
        """The table, with a role for each column that is published."""

    @property
    def recoding(self) -> Recoding | LocalLabels:
        """The published labels, as the private recoding file stores them."""

    @property
    def claims(self) -> Claims:
        """The claims of the manifest: k, suppressed rows and information loss."""

    @property
    def columns(self) -> tuple[PublishedColumn, ...]:
        """The quasi-identifiers, with the labels that are published."""

    @property
    def unpublished(self) -> tuple[str, ...]:
        """The columns that are not published."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings about the published labels."""

    @property
    def class_sizes(self) -> Ints:
        """Rows of each published equivalence class."""

    @property
    def original_rows(self) -> Mapping[str, Mapping[Label, int]]:
        """Per quasi-identifier: rows of the original table under each label, if the loss depends on them."""

    def boxes(self, axes: Sequence[Axis]) -> Boxes:
        """Return the published equivalence classes as boxes on axes, for queries to be answered from."""

    def described(self, columns: Sequence[PublishedColumn]) -> dict[str, Any]:
        """Return the fields of a manifest about the recoding; `columns` are given as the file contains them."""

    def rewriting(self, table: Table, *, keep_suppressed: bool = False, neutralize: bool = False) -> Rewriting:
        """Return the instructions for an engine that has the table open to rewrite its rows."""


@singledispatch
def publication_of(choice: object, problem: Problem) -> Publication:
    """Return the publication of a solution; raise if it does not belong to the problem.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}})
    >>> publication_of(pn.point_at(problem, {"age": 1}), problem).class_sizes.tolist()
    [3, 3]
    """
    raise TypeError(f"no recoding model can publish {problem.source.name} by a {type(choice).__name__}")


@publication_of.register
def _(choice: Point, problem: Problem) -> Plan:
    return plan_release(problem, choice)


@publication_of.register
def _(choice: LocalResult, problem: Problem) -> LocalPlan:
    return plan_local_release(problem, choice)
