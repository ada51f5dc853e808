"""From a problem to its front: resolves names to searches and runs them."""

from collections.abc import Iterator

from paranym.errors import BadInput, UnsuitableLoss, did_you_mean
from paranym.evaluation import Evaluator
from paranym.measures.privacy.anonymity import SuppressionUse
from paranym.model.front import Front
from paranym.problem import Problem
from paranym.report.front_plot import check_plot_format, save_front_plot
from paranym.search.base import Space, Step
from paranym.search.exact import MOST_NODES, exact, stepping_stones
from paranym.search.exhaustive import exhaustive
from paranym.search.poka import Depth, poka

METHODS = ("exact", "poka", "exhaustive")
"""The searches, by the names that commands use."""


def frontier(
    problem: Problem, *, method: str = "exact", depth: Depth | None = None, seed: int = 0, cores: int | None = None
) -> Front:
    """Every choice of k and loss that no other one beats.

    `exact` evaluates or proves beaten every node, `exhaustive` evaluates every node. `poka` is the published heuristic,
    which proves nothing; `depth` is its own. `seed` is for what is drawn at random; it changes which nodes are
    evaluated, never the front.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> front = frontier(Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}))
    >>> [(point.k, dict(point.levels)) for point in front]
    [(4, {'age': 2, 'sex': 1}), (2, {'age': 2, 'sex': 0}), (1, {'age': 0, 'sex': 0})]
    """
    evaluator = problem.evaluator(cores=cores)
    *_, last = _search(problem, evaluator, method, depth, seed)
    return _front(problem, evaluator, method, last)


def approach(
    problem: Problem, *, method: str = "exact", depth: Depth | None = None, seed: int = 0, cores: int | None = None
) -> Iterator[Front]:
    """The same, front by front as the search goes on; stop whenever the last one is good enough.

    >>> from paranym.datasets import adult
    >>> first = next(approach(Problem.from_recipe(adult())))
    >>> first.complete, first.evaluated_nodes
    (False, 3)
    """
    evaluator = problem.evaluator(cores=cores)
    for step in _search(problem, evaluator, method, depth, seed):
        yield _front(problem, evaluator, method, step)


def _search(problem: Problem, evaluator: Evaluator, method: str, depth: Depth | None, seed: int) -> Iterator[Step]:
    """Run the search of that name, if its proof holds for the problem."""
    if method not in METHODS:
        raise BadInput(f"There is no method {method!r}; known are {', '.join(METHODS)}.{did_you_mean(method, METHODS)}")
    if depth is not None and method != "poka":
        raise BadInput(f"Only the method 'poka' has a depth; the method is {method!r}.")
    facts = problem.loss.facts
    space = Space(
        problem.lattice,
        one_step=problem.suppression.use is SuppressionUse.ALL,
        surcharge_falls=facts.surcharge_falls,
        per_level=evaluator.per_level() if facts.additive else None,
    )
    if method == "exhaustive":
        return exhaustive(space, evaluator)
    if method == "poka":
        return poka(space, evaluator, depth="average" if depth is None else depth)
    if not (facts.monotone and facts.bounded_by_unsuppressed):
        raise UnsuitableLoss(
            problem.loss.name,
            "may decrease upwards, so that the exact search could prove nothing. Use method exhaustive.",
        )
    if problem.lattice.size > MOST_NODES:
        raise BadInput(
            f"The lattice has {problem.lattice.size:,} nodes; the exact search takes {MOST_NODES:,} at most. "
            "Leave out levels or attributes."
        )
    evaluator.prepare(stepping_stones(problem.lattice))
    return exact(space, evaluator, seed=seed)


def _front(problem: Problem, evaluator: Evaluator, method: str, step: Step) -> Front:
    return Front(
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


__all__ = ["METHODS", "Problem", "approach", "check_plot_format", "frontier", "save_front_plot"]
