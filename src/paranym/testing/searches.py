"""Contract check of a search for the Pareto front, by comparison with the exhaustive search."""

from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, BudgetTooSmall, ParanymError
from paranym.problem import Problem
from paranym.results.assessment import TOLERANCE, Assessments
from paranym.results.front import Front, Point
from paranym.search.base import Budget, Evaluate, FrontSearch, Space, Step
from paranym.solve.fronts import approach, frontier
from paranym.testing.contracts import ContractCheck, ContractFault

Ints = NDArray[np.int64]
_Known = dict[tuple[int, ...], list[tuple[int, float, int]]]
"""Per node: the k, the loss and the suppressed rows of each of its solutions."""


def check_search(search: str | FrontSearch, problem: Problem) -> ContractCheck:
    """Check a search on a problem whose lattice is small enough to evaluate every node.

    Every step must contain non-dominated solutions of evaluated nodes, and the correct number of evaluated nodes. A
    front may be marked complete only if it is that of the exhaustive search. The search must stop when the budget ends,
    and must be reproducible.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52, 57], "sex": ["F", "M", "F", "M", "M"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
    >>> check_search("exact", problem).holds
    True
    """
    if not problem.objectives.are_plain:
        raise BadInput("A search is checked on a problem whose objectives are k and loss.")
    counter = _Counter()
    try:
        fronts = list(approach(problem, method=counter.watch(search)))
        again = frontier(problem, method=search)
    except (ParanymError, ValueError) as error:
        fault = ContractFault("result", f"the search ends with {type(error).__name__}: {error}")
        return ContractCheck(counter.evaluated, (fault,))
    if not fronts:
        return ContractCheck(counter.evaluated, (ContractFault("steps", "it yields none; the last is the result"),))
    every, known = frontier(problem, method="exhaustive"), _solutions(problem)
    faults = [fault for front in fronts for fault in _front(front, known)]
    faults += _counts(fronts, counter)
    faults += _result(fronts, every)
    if _values(again) != _values(fronts[-1]):
        faults.append(ContractFault("result", "two runs give two fronts; draw random numbers from a fixed seed"))
    faults += _budget(search, problem, fronts[-1])
    distinct = {fault.rule: fault for fault in reversed(faults)}
    return ContractCheck(fronts[-1].evaluated_nodes, tuple(reversed(distinct.values())))


class _Counter:
    """Counts the nodes that a search evaluates; a built-in search, given by name, counts by itself."""

    def __init__(self) -> None:
        self.evaluated, self.is_used = 0, False

    def watch(self, search: str | FrontSearch) -> str | FrontSearch:
        if isinstance(search, str):
            return search
        self.is_used = True

        def watched(space: Space, evaluate: Evaluate, /) -> Iterator[Step]:
            def counting(nodes: Ints) -> Assessments:
                found = evaluate(nodes)
                self.evaluated += len(nodes)
                return found

            yield from search(space, counting)

        return watched


def _solutions(problem: Problem) -> _Known:
    """Return every solution of every node."""
    found: _Known = {}
    evaluator = problem.evaluator(cores=1)
    try:
        for nodes in problem.lattice.batches(1024):
            steps = evaluator(nodes).solutions
            each = zip(steps.k.tolist(), steps.loss.tolist(), steps.suppressed.tolist(), strict=True)
            for levels, step in zip(steps.levels.tolist(), each, strict=True):
                found.setdefault(tuple(levels), []).append(step)
    finally:
        evaluator.close()
    return found


def _front(front: Front, known: _Known) -> Iterator[ContractFault]:
    for point in front:
        for solution in point.solutions:
            steps = known.get(tuple(solution.levels.values()), [])
            if not any(_is(point, solution.suppressed, step) for step in steps):
                where = ", ".join(f"{name} {level}" for name, level in solution.levels.items())
                yield ContractFault("found", f"at {where} there is no solution with k = {point.k}, loss {point.loss:g}")
    for one in front:
        if any(_dominates(other, one) for other in front if other is not one):
            yield ContractFault("found", f"the solution with k = {one.k} is dominated by another one of the same step")


def _is(point: Point, suppressed: int, step: tuple[int, float, int]) -> bool:
    k, loss, rows = step
    return (point.k, suppressed) == (k, rows) and abs(point.loss - loss) <= TOLERANCE * max(abs(loss), 1.0)


def _dominates(one: Point, other: Point) -> bool:
    as_good = one.k >= other.k and one.loss <= other.loss * (1 + TOLERANCE)
    return as_good and (one.k > other.k or one.loss < other.loss * (1 - TOLERANCE))


def _counts(fronts: list[Front], counter: _Counter) -> Iterator[ContractFault]:
    last = fronts[-1]
    if counter.is_used and last.evaluated_nodes != counter.evaluated:
        yield ContractFault("evaluated", f"it says {last.evaluated_nodes:,} nodes, and evaluated {counter.evaluated:,}")
    for front in fronts:
        if not front.evaluated_nodes <= front.decided_nodes <= front.lattice_nodes:
            yield ContractFault("decided", "it lies between the nodes evaluated and those of the lattice")
    what: dict[str, Callable[[Front], int]] = {
        "evaluated": lambda front: front.evaluated_nodes,
        "decided": lambda front: front.decided_nodes,
    }
    for rule, count in what.items():
        if any(count(after) < count(before) for before, after in pairwise(fronts)):
            yield ContractFault(rule, "it decreases from one step to the next")


def _result(fronts: list[Front], every: Front) -> Iterator[ContractFault]:
    last = fronts[-1]
    if last.complete and _values(last) != _values(every):
        yield ContractFault(
            "complete",
            f"it is stated, but the front has {len(last)} points; exhaustive search finds {len(every)}",
        )
    for front in fronts:
        for point in front:
            if not any(other.k >= point.k and other.loss <= point.loss * (1 + TOLERANCE) for other in last):
                yield ContractFault("steps", f"the solution with k = {point.k} of an earlier step is lost")


def _budget(search: str | FrontSearch, problem: Problem, whole: Front) -> Iterator[ContractFault]:
    """Check that with one evaluation less than needed, the search ends early and does not claim to be complete."""
    allowed = whole.evaluated_nodes - 1
    if allowed < 1:
        return
    try:
        front = frontier(problem, method=search, budget=Budget(evaluations=allowed))
    except BudgetTooSmall:
        return
    if front.complete or front.evaluated_nodes > allowed:
        yield ContractFault("budget", f"it goes on, or claims to be complete, beyond {allowed:,} evaluations")


def _values(front: Front) -> list[tuple[int, float]]:
    return [(point.k, float(f"{point.loss:.9g}")) for point in front]
