"""From a problem to its front: resolves names to searches and runs them."""

from collections.abc import Callable, Iterator

from paranym.errors import BadInput, UnsuitableLoss, did_you_mean
from paranym.measures.privacy.anonymity import SuppressionUse
from paranym.model.front import Front
from paranym.problem import Problem
from paranym.report.front_plot import check_plot_format, save_front_plot
from paranym.search.base import Evaluate, Space, Step
from paranym.search.exact import MOST_NODES, exact
from paranym.search.exhaustive import exhaustive

Search = Callable[[Space, Evaluate], Iterator[Step]]

METHODS: dict[str, Search] = {"exact": exact, "exhaustive": exhaustive}
"""The searches, by the names that commands use."""


def frontier(problem: Problem, *, method: str = "exact", cores: int | None = None) -> Front:
    """Every choice of k and loss that no other one beats.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> front = frontier(Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}))
    >>> [(point.k, dict(point.levels)) for point in front]
    [(4, {'age': 2, 'sex': 1}), (2, {'age': 2, 'sex': 0}), (1, {'age': 0, 'sex': 0})]
    """
    front = None
    for front in approach(problem, method=method, cores=cores):  # noqa: B007 - the last one is the result
        pass
    if front is None:
        raise AssertionError("a search yields at least one step")
    return front


def approach(problem: Problem, *, method: str = "exact", cores: int | None = None) -> Iterator[Front]:
    """The same, front by front as the search goes on; stop whenever the last one is good enough.

    >>> from paranym.datasets import adult
    >>> first = next(approach(Problem.from_recipe(adult())))
    >>> first.complete, first.evaluated_nodes
    (False, 1)
    """
    search = _search(method, problem)
    evaluator = problem.evaluator(cores=cores)
    facts = problem.loss.facts
    space = Space(
        problem.lattice,
        one_step=problem.suppression.use is SuppressionUse.ALL,
        surcharge_falls=facts.surcharge_falls,
        per_level=evaluator.per_level() if facts.additive else None,
    )
    for step in search(space, evaluator):
        yield Front(
            method=method,
            complete=step.complete,
            points=Front.points_of(step.found, problem.attributes, evaluator.worst),
            lattice_nodes=problem.lattice.size,
            evaluated_nodes=step.evaluated,
            decided_nodes=step.decided,
            rows=problem.rows,
            metric=problem.loss.name,
            suppression_use=problem.suppression.use.value,
            suppression_limit=problem.suppression.limit(problem.rows),
            heights=dict(zip(problem.attributes, problem.lattice.heights, strict=True)),
            certificate=step.certificate,
        )


def _search(method: str, problem: Problem) -> Search:
    """The search of that name, if its proof holds for the problem."""
    if method not in METHODS:
        known = tuple(METHODS)
        raise BadInput(f"There is no method {method!r}; known are {', '.join(known)}.{did_you_mean(method, known)}")
    facts = problem.loss.facts
    if method == "exact" and not (facts.monotone and facts.bounded_by_unsuppressed):
        raise UnsuitableLoss(
            problem.loss.name,
            "may decrease upwards, so that the exact search could prove nothing. Use method exhaustive.",
        )
    if method == "exact" and problem.lattice.size > MOST_NODES:
        raise BadInput(
            f"The lattice has {problem.lattice.size:,} nodes; the exact search takes {MOST_NODES:,} at most. "
            "Leave out levels or attributes."
        )
    return METHODS[method]


__all__ = ["METHODS", "Problem", "approach", "check_plot_format", "frontier", "save_front_plot"]
