"""How well any release would answer queries: of nodes, of cuts, or of groups."""

from collections.abc import Callable, Sequence

import numpy as np

from paranym.errors import BadInput, did_you_mean
from paranym.frequency import FrequencySet, lifts_of, rollup
from paranym.measures.utility.queries import (
    Answers,
    Boxes,
    QueryError,
    Workload,
    answers,
    boxes_of,
    boxes_of_labels,
    draw_workload,
)
from paranym.model.axis import Axis
from paranym.model.front import Point
from paranym.model.local_result import LocalResult
from paranym.model.values import is_whole
from paranym.problem import Problem
from paranym.releases.planning import Plan, plan_release


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
    """How far random queries are off when they are answered from a release instead of the table.

    The release is that of a point of a front, or of a local recoding; what it leaves out, it does not answer for. Rows
    are counted, or with `total_of` a numeric attribute is added up. Each query restricts all other attributes, or those
    that are named, or `at_once` of them drawn at random: numbers to a range, categories to one value or to all under a
    value of their hierarchy.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> problem = Problem(pa.table({"age": [24, 25, 30, 30, 32, 32]}), quasi_identifiers={"age": {"intervals": [5]}})
    >>> query_error(problem, pn.recode_locally(problem, k=1), queries=50).mean
    0.0
    >>> query_error(problem, pn.point_at(problem, {"age": 2}), queries=50).mean > 0
    True
    """
    if not (is_whole(queries) and queries >= 1):
        raise BadInput(f"A workload has a whole number of queries from 1 on; got {queries!r}.")
    if at_once is not None and not (is_whole(at_once) and at_once >= 1):
        raise BadInput(f"A query restricts a whole number of attributes from 1 on; got {at_once!r}.")
    table = QueriedTable(problem)
    workload = draw_workload(
        table.axes,
        queries=queries,
        attributes=None if attributes is None else [_number(problem, name) for name in attributes],
        at_once=at_once,
        total_of=None if total_of is None else _number(problem, total_of),
        seed=seed,
    )
    return table.asked(workload)(choice)


class QueriedTable:
    """A problem's table and the truth about it."""

    def __init__(self, problem: Problem) -> None:
        """Lay the combinations of the problem out on axes."""
        self._problem = problem
        weights = [attribute.weight for attribute in problem.schema.quasi_identifiers]
        self.axes = tuple(Axis(*pair) for pair in zip(problem.hierarchies, weights, strict=True))

    def asked(self, workload: Workload) -> Callable[[Point | LocalResult], QueryError]:
        """How far the answers of any release are off, once the truth is known."""
        right = answers(workload, self.axes, self._truth())

        def error(choice: Point | LocalResult) -> QueryError:
            return Answers(right, answers(workload, self.axes, self._released(choice))).error()

        return error

    def _released(self, choice: Point | LocalResult) -> Boxes:
        if isinstance(choice, LocalResult):
            return boxes_of(choice.recoding)
        return self._boxes(plan_release(self._problem, choice))

    def _truth(self) -> Boxes:
        """A box of one position for every combination."""
        codes = self._problem.frequency.codes
        columns = [axis.positions[codes[:, j]] for j, axis in enumerate(self.axes)]
        positions = np.ascontiguousarray(np.column_stack(columns), np.int32)
        return Boxes(positions, positions, self._problem.frequency.counts)

    def _boxes(self, plan: Plan) -> Boxes:
        """What the published classes of a global recoding tell about their rows."""
        kept = published_classes(plan)
        labelled = [np.array(attribute.codes) for attribute in plan.recoding.attributes]
        return boxes_of_labels(self.axes, labelled, kept.codes, kept.counts)


def published_classes(plan: Plan) -> FrequencySet:
    """The classes of a global recoding, without those that are left out."""
    attributes = plan.recoding.attributes
    lifts = lifts_of([each.hierarchy for each in attributes])
    classes = rollup(plan.problem.frequency, lifts, [each.place for each in attributes])
    gone = set(map(tuple, plan.suppressed.tolist()))
    kept = np.array([tuple(codes) not in gone for codes in classes.codes.tolist()])
    return FrequencySet(classes.levels, classes.packing, classes.words[kept], classes.counts[kept])


def _number(problem: Problem, attribute: str) -> int:
    known = problem.attributes
    if attribute not in known:
        raise BadInput(
            f"There is no quasi-identifier {attribute!r}; known are {', '.join(known)}.{did_you_mean(attribute, known)}"
        )
    return known.index(attribute)


__all__ = ["QueriedTable", "QueryError", "published_classes", "query_error"]
