"""From a problem to its Pareto front: methods by name, and how they are run."""

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from paranym.errors import BadInput, BudgetTooSmall, Unattainable, UnsuitableLoss, did_you_mean
from paranym.extensions import installed_names, load_installed
from paranym.measures.privacy.anonymity import SuppressionUse, Unit
from paranym.model.values import is_whole
from paranym.problem import Problem
from paranym.results.assessment import Assessments
from paranym.results.front import Corner, Front, Point
from paranym.search.base import Budget, BudgetSpent, Corners, FrontSearch, Space, Step
from paranym.search.lattice import boxes, exact
from paranym.search.lattice.exact import MOST_NODES
from paranym.search.lattice.exhaustive import exhaustive
from paranym.search.lattice.many_objectives import many
from paranym.search.lattice.poka import Depth, poka
from paranym.search.lattice.unresolved import Unresolved
from paranym.solve.signature import with_arguments_of

if TYPE_CHECKING:
    from paranym.solve.cut_fronts import CutSearch
    from paranym.solve.cuts import EvolvedSearch

METHODS = ("exact", "poka", "exhaustive")
"""The searches over nodes, by the names that commands use."""
RECODINGS = ("levels", "cuts")
"""The families of recodings that a front may be about."""


class LatticeSearch:
    """One search of one problem for its Pareto front."""

    def __init__(
        self,
        problem: Problem,
        *,
        method: str | FrontSearch = "exact",
        depth: Depth | None = None,
        budget: Budget | None = None,
        seed: int = 0,
        cores: int | None = None,
    ) -> None:
        self._own = _own_search(method)
        self._method = name_of(method)
        _check(problem, self._method, depth, is_own=self._own is not None)
        if self._own is None:
            _check_objectives(problem, self._method)
        self._problem = problem
        self._depth: Depth = "average" if depth is None else depth
        self._budget = budget or Budget()
        self._seed = seed
        self._evaluator = problem.evaluator(cores=cores)
        self._unresolved = Unresolved(problem.objectives, len(problem.attributes))

    def steps(self) -> Iterator[Step]:
        """Run the search until it is done or the budget is spent."""
        begun = False
        try:
            for step in self._run():
                begun = True
                yield self._resolved(step) if step.complete else step
        except BudgetSpent:
            if not begun:
                raise BudgetTooSmall("the first step") from None

    def run(self) -> Front:
        """Return the front at the end of the search."""
        (last,) = deque(self.steps(), maxlen=1)  # the others would keep all that they refer to
        return self.result(last)

    def fronts(self) -> Iterator[Front]:
        """Yield the front as the search goes on."""
        step: Step | None = None
        for step in self.steps():
            if len(step.found) and not step.complete:
                yield self.front(step)
        if step is not None:
            yield self.result(step)

    def _resolved(self, step: Step) -> Step:
        """Search thoroughly for the suppression sets that the last step depends on."""
        return replace(step, found=self._unresolved.resolve(step.found, self._evaluator.resolve))

    def result(self, step: Step) -> Front:
        """Return the front of the last step, with all that was evaluated on the way."""
        if not len(step.found):
            raise Unattainable(self._unmet(step))
        return self.front(step, whole=True)

    def _unmet(self, step: Step) -> str:
        problem = self._problem
        rows = problem.suppression.limit(problem.rows)
        limit = f"suppressing at most {rows:,} of {problem.rows:,} rows"
        if self._is_complete(step):
            return f"No generalization meets {problem.demands} by {limit}. Ask for less, or allow more suppression."
        return f"Nothing that meets {problem.demands} by {limit} was found so far; there may be something."

    def front(self, step: Step, *, whole: bool = False) -> Front:
        """Return the front of a step; `whole` with all that was evaluated on the way."""
        problem, points = self._problem, self._points(step.found)
        return Front(
            method=self._method,
            complete=self._is_complete(step),
            points=points,
            lattice_nodes=problem.lattice.size,
            evaluated_nodes=step.evaluated,
            decided_nodes=step.decided - self._unresolved.nodes(step.found),
            rows=problem.rows,
            unit=problem.unit.value,
            people=None if problem.unit is Unit.ROW else problem.people,
            metric=problem.loss.name,
            suppression_use=problem.suppression.use.value,
            suppression_limit=problem.suppression.limit(problem.rows),
            heights=dict(zip(problem.attributes, problem.lattice.heights, strict=True)),
            objectives=problem.objectives.names,
            floor=problem.floor,
            demands=str(problem.demands) if problem.demands.are_made else None,
            suppression_searched=not problem.demands.are_local(problem.suppression.limit(problem.rows)),
            possible=self._possible(step, points),
            certificate=Assessments.join(step.record, len(problem.attributes)) if whole and step.record else None,
        )

    def _points(self, found: Assessments) -> tuple[Point, ...]:
        problem, worst = self._problem, self._evaluator.worst
        if problem.objectives.are_plain:
            return Front.points_of(found, problem.attributes, worst)
        return Front.many_points_of(found, problem.attributes, worst, problem.objectives)

    def _possible(self, step: Step, points: tuple[Point, ...]) -> tuple[Corner, ...] | None:
        """Bounds in k and loss; none in more objectives, nor if sets that suppress more may lose less."""
        if not (self._problem.objectives.are_plain and self._is_provable):
            return None
        if self._is_complete(step):
            return tuple(map(Corner.of, points))
        if step.complete:
            return _corners(self._unresolved.corners(step.found), self._evaluator.worst)
        if step.possible is None:
            return None
        return _corners(step.possible().with_those(self._unresolved.left(step.found)), self._evaluator.worst)

    def _is_complete(self, step: Step) -> bool:
        """Whether the search is done, and every choice of classes to suppress that matters was searched to the end."""
        return step.complete and self._is_provable and not self._unresolved.nodes(step.found)

    @property
    def _is_provable(self) -> bool:
        """Whether minimal suppression sets suffice, because suppressing more never lowers the loss."""
        problem = self._problem
        is_a_choice = not problem.demands.are_local(problem.suppression.limit(problem.rows))
        return not is_a_choice or (problem.loss.facts.bounded_by_unsuppressed and not problem.objectives.further)

    def _run(self) -> Iterator[Step]:
        evaluate = self._unresolved.watch(self._budget.meter(self._evaluator))
        space = self._space()
        if self._own is not None:
            return iter(self._own(space, evaluate))
        match self._method:
            case "exhaustive":
                return exhaustive(space, evaluate)
            case "poka":
                return poka(space, evaluate, depth=self._depth)
        if not space.objectives.are_plain:
            return many(space, evaluate, seed=self._seed)
        if space.lattice.size > MOST_NODES:
            self._evaluator.prepare(boxes.rollup_sources(space.lattice))
            return boxes.boxes(space, evaluate)
        self._evaluator.prepare(exact.rollup_sources(space))
        return exact.exact(space, evaluate, seed=self._seed)

    def _space(self) -> Space:
        problem, facts = self._problem, self._problem.loss.facts
        return Space(
            problem.lattice,
            problem.people,
            one_step=self._evaluator.one_step,
            surcharge_falls=facts.surcharge_falls,
            least_k=problem.demands.least_k,
            floor=problem.counted.levels,
            bottom_counts=not problem.demands.are_made and problem.suppression.use is SuppressionUse.NEEDED,
            staircases=problem.suppression.limit(problem.rows) > 0,
            objectives=problem.objectives,
            per_level=self._evaluator.per_level() if facts.additive else None,
        )


def begin(
    problem: Problem,
    *,
    recoding: str = "levels",
    method: str | FrontSearch = "exact",
    depth: Depth | None = None,
    unconstrained: Sequence[str] | None = None,
    granularity: Mapping[str, int] | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    cores: int | None = None,
) -> "LatticeSearch | CutSearch | EvolvedSearch":
    """Return the search that the arguments name.

    >>> import pyarrow as pa
    >>> problem = Problem(pa.table({"age": [31, 34]}), quasi_identifiers=["age"])
    >>> type(begin(problem, recoding="cuts")).__name__
    'CutSearch'
    """
    from paranym.solve.cut_fronts import CUT_METHODS, CutSearch  # noqa: PLC0415 - it starts from a front of levels
    from paranym.solve.cuts import EVOLUTIONS, EvolvedSearch  # noqa: PLC0415 - as evolution does

    if recoding not in RECODINGS:
        raise BadInput(f"The recodings of a front are {' and '.join(RECODINGS)}; got {recoding!r}.")
    if recoding == "levels":
        if unconstrained is not None or granularity is not None:
            raise BadInput("Only cuts have unconstrained attributes and a granularity; ask for recoding='cuts'.")
        return LatticeSearch(problem, method=method, depth=depth, budget=budget, seed=seed, cores=cores)
    if depth is not None:
        raise BadInput(f"Only the method 'poka' has a depth; the method is {method!r}.")
    if isinstance(method, str) and method in CUT_METHODS:
        return CutSearch(
            problem,
            method=method,
            unconstrained=unconstrained,
            granularity=granularity,
            budget=budget,
            seed=seed,
            cores=cores,
        )
    if not isinstance(method, str) or method not in EVOLUTIONS:
        known = (*CUT_METHODS, *EVOLUTIONS)
        raise BadInput(f"The methods for cuts are {', '.join(known)}; got {name_of(method)!r}.")
    return EvolvedSearch(
        problem,
        algorithm=method,
        unconstrained=unconstrained,
        granularity=granularity,
        budget=budget,
        seed=seed,
        cores=cores,
    )


@with_arguments_of(begin)
def frontier(search: "LatticeSearch | CutSearch | EvolvedSearch") -> Front:
    """Compute the Pareto front of a problem between k-anonymity and information loss, over all nodes of its lattice.

    `method` "exact" evaluates every node or proves that it is dominated, "exhaustive" evaluates every node, "poka" is
    the published heuristic, which proves nothing; `depth` belongs to it. `seed` is for random draws; it changes which
    nodes are evaluated, never a complete front. When the `budget` is spent the search ends with what it has.
    `method` may also be your own search (`paranym.search.base.FrontSearch`), or the name of an installed one.

    With `recoding` "cuts", the front is over all cuts of the hierarchies instead: some values of a column may be
    generalized more than others. The attributes in `unconstrained`, by default those whose leaves are numbers, are cut
    into any intervals of their order, all others by their trees; `granularity` gives the finest level of an attribute.
    `method` "exact" finds the best cut for every k and proves it, for losses that charge cells (glm, ncp); it lists at
    least one solution of every point. "greedy" splits from the top and bounds what it misses; "nsga2", "nsga3", "moead"
    and "sms-emoa" are evolutionary searches, which prove nothing.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> front = frontier(Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}))
    >>> [(point.k, dict(point.levels)) for point in front]
    [(4, {'age': 2, 'sex': 1}), (2, {'age': 2, 'sex': 0}), (1, {'age': 0, 'sex': 0})]
    >>> front = frontier(Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}), recoding="cuts")
    >>> front.complete, [(point.k, point.cuts["age"].values) for point in front]
    (True, [(4, ('*',)), (2, ('*',)), (1, ('31', '34', '38', '52'))])
    """
    return search.run()


@with_arguments_of(begin)
def approach(search: "LatticeSearch | CutSearch | EvolvedSearch") -> Iterator[Front]:
    """Compute the Pareto front as `frontier` does, and yield it as the search goes on; stop when it is good enough.

    >>> from paranym.datasets import adult
    >>> first = next(approach(Problem.from_recipe(adult())))
    >>> first.complete, first.evaluated_nodes
    (False, 4)
    """
    return search.fronts()


def name_of(method: str | FrontSearch) -> str:
    """Return the name of a search: that of a built-in or installed one, or what an object calls itself.

    >>> name_of("exact")
    'exact'
    """
    if isinstance(method, str):
        return method
    return str(getattr(method, "name", None) or getattr(method, "__name__", None) or type(method).__name__)


def _own_search(method: str | FrontSearch) -> FrontSearch | None:
    """Return a search that is not built in: the object itself, or that of an installed package; None for others."""
    if not isinstance(method, str):
        if not callable(method) or isinstance(method, type):
            raise BadInput(f"A search is a name, or a function of a space and of evaluate; got {method!r}.")
        return method
    if method in METHODS:
        return None
    found = load_installed("paranym.searches", method)
    if found is None:
        known = (*METHODS, *installed_names("paranym.searches"))
        raise BadInput(f"There is no method {method!r}; known are {', '.join(known)}.{did_you_mean(method, known)}")
    return cast("FrontSearch", found() if isinstance(found, type) else found)


def _check(problem: Problem, method: str, depth: Depth | None, *, is_own: bool) -> None:
    """Raise unless the depth fits the method, and the proof of a built-in one holds for the problem."""
    if depth is not None and (is_own or method != "poka"):
        raise BadInput(f"Only the method 'poka' has a depth; the method is {method!r}.")
    if not isinstance(depth, str | None) and not (is_whole(depth) and depth > 0):
        raise BadInput(f"A depth is a positive whole number; got {depth!r}.")
    if not is_own and method == "exact" and not is_provable(problem):
        raise UnsuitableLoss(
            problem.loss.name,
            "may decrease upwards, so that the exact search could prove nothing. Use method exhaustive.",
        )


def is_provable(problem: Problem) -> bool:
    """Whether the exact search can prove anything about the loss of a problem.

    >>> import pyarrow as pa
    >>> is_provable(Problem(pa.table({"age": [31, 34]}), quasi_identifiers=["age"]))
    True
    """
    facts = problem.loss.facts
    return facts.monotone and facts.bounded_by_unsuppressed


def _check_objectives(problem: Problem, method: str) -> None:
    """Raise unless the method supports the objectives of the problem."""
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


def _corners(corners: Corners, worst: float) -> tuple[Corner, ...]:
    pairs = zip(corners.k.tolist(), corners.loss.tolist(), strict=True)
    return tuple(Corner(k, loss, loss / worst if worst else 0.0) for k, loss in pairs)
