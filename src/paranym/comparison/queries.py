"""The error of queries that are answered from a release, of any recoding model."""

from collections.abc import Callable, Sequence

import numpy as np

from paranym.errors import BadInput, did_you_mean
from paranym.measures.utility.queries import (
    Answers,
    Boxes,
    QueryError,
    Workload,
    answers,
    draw_workload,
)
from paranym.model.axis import Axis
from paranym.model.values import is_whole
from paranym.problem import Problem
from paranym.publishing.publication import publication_of
from paranym.results.front import Point
from paranym.results.local_result import LocalResult


def query_error(
    problem: Problem,
    choice: Point | LocalResult,
    *,
    queries: int = 1000,
    attributes: Sequence[str] | None = None,
    at_once: int | None = None,
    total_of: str | None = None,
    seed: int = 0,
) -> QueryError:
    """Return the error of random queries that are answered from a release instead of the table.

    The release is that of a point of a front or of a local recoding; its suppressed rows do not count in the answers.
    Queries count rows, or sum the numeric attribute `total_of`. Each query restricts all other attributes, or the
    given `attributes`, or `at_once` of them drawn at random: numbers to a range, categories to one value or to all
    values below a value of their hierarchy.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> problem = Problem(pa.table({"age": [24, 25, 30, 30, 32, 32]}), quasi_identifiers={"age": {"intervals": [5]}})
    >>> query_error(problem, pn.recode_locally(problem, k=1), queries=50).mean
    0.0
    >>> query_error(problem, pn.point_at(problem, {"age": 2}), queries=50).mean > 0
    True
    """
    if not (is_whole(queries) and queries >= 1):
        raise BadInput(f"The number of queries must be a whole number from 1 on; got {queries!r}.")
    if at_once is not None and not (is_whole(at_once) and at_once >= 1):
        raise BadInput(
            f"The number of attributes that a query restricts must be a whole number from 1 on; got {at_once!r}."
        )
    table = QueriedTable(problem)
    workload = draw_workload(
        table.axes,
        queries=queries,
        attributes=None if attributes is None else [_number(problem, name) for name in attributes],
        at_once=at_once,
        total_of=None if total_of is None else _number(problem, total_of),
        seed=seed,
    )
    return table.errors(workload)(choice)


class QueriedTable:
    """The table of a problem, with the true answers to queries."""

    def __init__(self, problem: Problem) -> None:
        """Order the values of each quasi-identifier along an axis."""
        self._problem = problem
        weights = [attribute.weight for attribute in problem.schema.quasi_identifiers]
        self.axes = tuple(Axis(*pair) for pair in zip(problem.hierarchies, weights, strict=True))

    def errors(self, workload: Workload) -> Callable[[Point | LocalResult], QueryError]:
        """Return a function that gives the error of any release; the true answers are computed once."""
        right = answers(workload, self.axes, self._truth())

        def error(choice: Point | LocalResult) -> QueryError:
            boxes = publication_of(choice, self._problem).boxes(self.axes)
            return Answers(right, answers(workload, self.axes, boxes)).error()

        return error

    def _truth(self) -> Boxes:
        """Return a box of one position for every combination."""
        codes = self._problem.frequency.codes
        columns = [axis.positions[codes[:, j]] for j, axis in enumerate(self.axes)]
        positions = np.ascontiguousarray(np.column_stack(columns), np.int32)
        return Boxes(positions, positions, self._problem.frequency.counts)


def _number(problem: Problem, attribute: str) -> int:
    known = problem.attributes
    if attribute not in known:
        near = did_you_mean(attribute, known)
        raise BadInput(f"There is no quasi-identifier {attribute!r}. Choose from {', '.join(known)}.{near}")
    return known.index(attribute)
