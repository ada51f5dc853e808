"""From a problem to its front: resolves names to searches and runs them."""

from collections import deque
from collections.abc import Iterator

from paranym.errors import BadInput, Unattainable, UnsuitableLoss, did_you_mean
from paranym.measures.privacy.anonymity import SuppressionUse
from paranym.model.assessment import Assessments
from paranym.model.front import Corner, Front, Point
from paranym.model.values import is_whole
from paranym.problem import Problem
from paranym.report.front_plot import check_plot_format, save_front_plot
from paranym.reporting import Reporter
from paranym.search import boxes, exact
from paranym.search.base import Budget, BudgetSpent, Space, Step
from paranym.search.exact import MOST_NODES
from paranym.search.exhaustive import exhaustive
from paranym.search.many import many
from paranym.search.poka import Depth, poka

METHODS = ("exact", "poka", "exhaustive")
"""The searches, by the names that commands use."""


def frontier(
    problem: Problem,
    *,
    method: str = "exact",
    depth: Depth | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    cores: int | None = None,
) -> Front:
    """Every choice of k and loss that no other one beats.

    `exact` evaluates or proves beaten every node, `exhaustive` evaluates every node. `poka` is the published heuristic,
    which proves nothing; `depth` is its own. `seed` is for what is drawn at random; it changes which nodes are
    evaluated, never a complete front. When the `budget` is spent the search ends with what it has.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> front = frontier(Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}))
    >>> [(point.k, dict(point.levels)) for point in front]
    [(4, {'age': 2, 'sex': 1}), (2, {'age': 2, 'sex': 0}), (1, {'age': 0, 'sex': 0})]
    """
    search = _Search(problem, method, depth=depth, budget=budget, seed=seed, cores=cores)
    (last,) = deque(search.steps(), maxlen=1)  # the others would keep all that they refer to
    return search.result(last)


def approach(
    problem: Problem,
    *,
    method: str = "exact",
    depth: Depth | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    cores: int | None = None,
) -> Iterator[Front]:
    """The same, front by front as the search goes on; stop whenever the last one is good enough.

    >>> from paranym.datasets import adult
    >>> first = next(approach(Problem.from_recipe(adult())))
    >>> first.complete, first.evaluated_nodes
    (False, 4)
    """
    search = _Search(problem, method, depth=depth, budget=budget, seed=seed, cores=cores)
    step: Step | None = None
    for step in search.steps():
        if len(step.found) and not step.complete:
            yield search.front(step)
    if step is not None:
        yield search.result(step)


class _Search:
    """One search of one problem."""

    def __init__(
        self,
        problem: Problem,
        method: str,
        *,
        depth: Depth | None,
        budget: Budget | None,
        seed: int,
        cores: int | None,
    ) -> None:
        _check(problem, method, depth)
        _check_objectives(problem, method)
        self._problem = problem
        self._method = method
        self._depth: Depth = "average" if depth is None else depth
        self._budget = budget or Budget()
        self._seed = seed
        self._evaluator = problem.evaluator(cores=cores)
        self._reporter = Reporter(problem)

    def steps(self) -> Iterator[Step]:
        """Until the search is done or the budget is spent."""
        begun = False
        try:
            for step in self._run():
                begun = True
                yield step
        except BudgetSpent:
            if not begun:
                raise BadInput("The budget does not suffice for the first step; allow more evaluations.") from None

    def result(self, step: Step) -> Front:
        """What the last step found, with all that was evaluated on the way."""
        if not len(step.found):
            raise Unattainable(self._unmet(step))
        return self.front(step, whole=True)

    def _unmet(self, step: Step) -> str:
        problem = self._problem
        rows = problem.suppression.limit(problem.rows)
        limit = f"suppressing at most {rows:,} of {problem.rows:,} rows"
        if step.complete:
            return f"No generalization meets {problem.demands} by {limit}. Ask for less, or allow more suppression."
        return f"Nothing that meets {problem.demands} by {limit} was found so far; there may be something."

    def front(self, step: Step, *, whole: bool = False) -> Front:
        """What a step found; `whole` with all that was evaluated on the way."""
        problem, points = self._problem, self._points(step.found)
        return Front(
            method=self._method,
            complete=step.complete,
            points=points,
            lattice_nodes=problem.lattice.size,
            evaluated_nodes=step.evaluated,
            decided_nodes=step.decided,
            rows=problem.rows,
            metric=problem.loss.name,
            suppression_use=problem.suppression.use.value,
            suppression_limit=problem.suppression.limit(problem.rows),
            heights=dict(zip(problem.attributes, problem.lattice.heights, strict=True)),
            objectives=problem.objectives.names,
            floor=problem.floor,
            demands=str(problem.demands) if problem.demands.are_made else None,
            possible=self._possible(step, points),
            certificate=Assessments.join(step.record, len(problem.attributes)) if whole and step.record else None,
            reporter=self._reporter,
        )

    def _points(self, found: Assessments) -> tuple[Point, ...]:
        problem, worst = self._problem, self._evaluator.worst
        if problem.objectives.are_plain:
            return Front.points_of(found, problem.attributes, worst)
        return Front.many_points_of(found, problem.attributes, worst, problem.objectives)

    def _possible(self, step: Step, points: tuple[Point, ...]) -> tuple[Corner, ...] | None:
        """Bounds in k and loss; none in more objectives."""
        if not self._problem.objectives.are_plain:
            return None
        return tuple(map(Corner.of, points)) if step.complete else _corners(step, self._evaluator.worst)

    def _run(self) -> Iterator[Step]:
        evaluate = self._budget.meter(self._evaluator)
        space = self._space()
        match self._method:
            case "exhaustive":
                return exhaustive(space, evaluate)
            case "poka":
                return poka(space, evaluate, depth=self._depth)
        if not space.objectives.are_plain:
            return many(space, evaluate, seed=self._seed)
        if space.lattice.size > MOST_NODES:
            self._evaluator.prepare(boxes.stepping_stones(space.lattice))
            return boxes.boxes(space, evaluate)
        self._evaluator.prepare(exact.stepping_stones(space))
        return exact.exact(space, evaluate, seed=self._seed)

    def _space(self) -> Space:
        problem, facts = self._problem, self._problem.loss.facts
        return Space(
            problem.lattice,
            problem.rows,
            one_step=self._evaluator.one_step,
            surcharge_falls=facts.surcharge_falls,
            least_k=problem.demands.least_k,
            floor=problem.counted.levels,
            bottom_counts=not problem.demands.are_made and problem.suppression.use is SuppressionUse.NEEDED,
            staircases=problem.suppression.limit(problem.rows) > 0,
            objectives=problem.objectives,
            per_level=self._evaluator.per_level() if facts.additive else None,
        )


def _check(problem: Problem, method: str, depth: Depth | None) -> None:
    """Raise unless there is such a method and its proof holds for the problem."""
    if method not in METHODS:
        raise BadInput(f"There is no method {method!r}; known are {', '.join(METHODS)}.{did_you_mean(method, METHODS)}")
    if depth is not None and method != "poka":
        raise BadInput(f"Only the method 'poka' has a depth; the method is {method!r}.")
    if not isinstance(depth, str | None) and not (is_whole(depth) and depth > 0):
        raise BadInput(f"A depth is a positive whole number; got {depth!r}.")
    facts = problem.loss.facts
    if method == "exact" and not (facts.monotone and facts.bounded_by_unsuppressed):
        raise UnsuitableLoss(
            problem.loss.name,
            "may decrease upwards, so that the exact search could prove nothing. Use method exhaustive.",
        )


def _check_objectives(problem: Problem, method: str) -> None:
    """Raise unless the method can trade off what is asked for."""
    objectives, limit = problem.objectives, problem.suppression.limit(problem.rows)
    if objectives.are_plain or method == "exhaustive":
        return
    if method == "poka":
        raise BadInput("POkA trades off k and loss alone. Use method exact or exhaustive.")
    if problem.lattice.size > MOST_NODES:
        raise BadInput(f"More than two objectives are searched on at most {MOST_NODES:,} nodes.")
    if limit and objectives.further:
        raise BadInput(
            "Once rows may be suppressed, nothing bounds the models of a sensitive attribute from one node to another. "
            "Use method exhaustive, or allow no suppression."
        )


def _corners(step: Step, worst: float) -> tuple[Corner, ...] | None:
    if step.possible is None:
        return None
    corners = step.possible()
    pairs = zip(corners.k.tolist(), corners.loss.tolist(), strict=True)
    return tuple(Corner(k, loss, loss / worst if worst else 0.0) for k, loss in pairs)


__all__ = ["METHODS", "Budget", "Problem", "approach", "check_plot_format", "frontier", "save_front_plot"]
