"""Evolution of cuts, from a problem to its front: resolves names, seeds the first population, reads the result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from paranym.cutting import TOLD, CutEvaluator, Floats, Ints, Rule
from paranym.errors import BadInput, Unattainable
from paranym.measures.base import CellLoss
from paranym.measures.privacy.anonymity import Suppression
from paranym.measures.verdicts import Gauge
from paranym.model.assessment import Assessments
from paranym.model.cuts import Bits, CutSpace
from paranym.model.front import Front, Point, Solution
from paranym.model.objectives import Objective, Objectives
from paranym.problem import Problem
from paranym.reporting import Reporter
from paranym.search.base import Budget, BudgetSpent, Evaluate
from paranym.search.problems import PROBLEMS
from paranym.search.problems.base import GL, LOSS, SL, WEIGHTED_K, Classes, Formulation, K, Property
from paranym.search.problems.safety import Safety

if TYPE_CHECKING:
    from paranym.search.nsga2 import EvaluateCuts, Generation

_LOSSES = (GL, SL, LOSS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A generation as it ends."""

    generation: int
    """0 is the first population."""
    evaluated: int
    """Recodings evaluated so far, each once."""
    points: int
    """Recodings that no other one found so far beats."""
    hypervolume: float
    """The share of all that could be wished for that they match or beat; it never falls."""


class Evolving:
    """Evolution under way: iterate over its progress, and take the front whenever it is good enough.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> evolving = Evolving(problem, 2, population=8, generations=5)
    >>> progress = list(evolving)
    >>> progress[-1].evaluated, evolving.front().complete
    (16, True)
    """

    def __init__(
        self,
        problem: Problem,
        number: int = 2,
        *,
        population: int | None = None,
        generations: int = 250,
        crossover: float = 0.9,
        mutation: float = 0.1,
        patience: int | None = None,
        unconstrained: Sequence[str] | None = None,
        granularity: Mapping[str, int] | None = None,
        preferred: str = "l",
        start: Front | None = None,
        budget: Budget | None = None,
        seed: int = 0,
        cores: int | None = None,
    ) -> None:
        from paranym.search.nsga2 import Evolution, Sought, nsga2  # noqa: PLC0415 - an extra

        self._problem = problem
        self._gauge = _diversity(problem, number)
        self._formulation = _formulation(problem, number, preferred)
        self._space = CutSpace.of(problem.hierarchies, unconstrained=unconstrained, granularity=granularity)
        self._columns = (*TOLD, *self._formulation.told)
        self._limit = self._formulation.limit(problem.suppression.limit(problem.rows), problem.rows)
        self._evaluator = self._new_evaluator(cores)
        self._lists = self._objectives(self._formulation.lists)
        self._last: Generation | None = None
        sought = Sought(
            self._formulation,
            self._objectives(self._formulation.selects),
            self._lists,
            len(self._columns),
            self._ceilings(),
        )
        self._generations = nsga2(
            self._space,
            sought,
            _metered(budget, self._evaluator),
            Evolution(
                population=population,
                generations=generations,
                crossover=crossover,
                mutation=mutation,
                patience=patience,
            ),
            seed=seed,
            start=None if start is None else _recodings(start, self._space),
        )

    def __iter__(self) -> Iterator[Progress]:
        try:
            for last in self._generations:
                self._last = last
                yield Progress(
                    generation=last.number,
                    evaluated=last.evaluated,
                    points=len(last.found),
                    hypervolume=last.hypervolume,
                )
        except BudgetSpent:
            raise BadInput("The budget does not suffice for the first population; allow more evaluations.") from None

    def front(self) -> Front:
        """What was found so far."""
        last = self._last
        if last is None or not len(last.found):
            raise Unattainable(f"Nothing that meets {self._problem.demands} was found so far; there may be something.")
        problem = self._problem
        return Front(
            method="nsga2",
            complete=last.complete,
            points=self._points(last),
            lattice_nodes=self._space.size,
            evaluated_nodes=last.evaluated,
            decided_nodes=last.evaluated,
            rows=problem.rows,
            metric=problem.loss.name,
            suppression_use=problem.suppression.use.value,
            suppression_limit=self._limit,
            heights={},
            objectives=self._lists.names,
            demands=str(problem.demands) if problem.demands.are_made else None,
            reporter=Reporter(problem),
        )

    def _points(self, generation: "Generation") -> tuple[Point, ...]:
        found, worst = generation.found, self._evaluator.worst
        points = []
        for shared in self._lists.groups(found):
            one = found[shared]
            cuts = [self._space.cuts(bits) for bits in generation.cuts(one.levels[:, 0])]
            solutions = tuple(
                Solution({}, suppressed, weighted_k, cuts=cut)
                for suppressed, weighted_k, cut in zip(
                    one.suppressed.tolist(), one.weighted_k.tolist(), cuts, strict=True
                )
            )
            values = dict(zip(self._columns, one.values[0].tolist(), strict=True))
            loss = float(one.loss[0])
            points.append(Point(int(one.k[0]), loss, loss / worst if worst else 0.0, solutions, values))
        return tuple(points)

    def _objectives(self, names: Sequence[str]) -> Objectives:
        return Objectives(
            tuple(
                Objective(name, name not in _LOSSES, None if name in (K, LOSS) else self._columns.index(name))
                for name in names
            )
        )

    def _ceilings(self) -> dict[str, float]:
        """The most of each objective: k the rows, l the sensitive values; fractions of loss are at most 1."""
        values = 1
        if self._gauge is not None and self._gauge.attribute is not None:
            values = len(self._problem.counted.histogram.blocks[self._gauge.attribute])
        most = {name: float(values) for name in self._columns}
        return {
            **most,
            K: self._problem.rows,
            WEIGHTED_K: self._problem.rows,
            GL: 1.0,
            SL: 1.0,
            LOSS: self._evaluator.worst,
        }

    def _new_evaluator(self, cores: int | None) -> CutEvaluator:
        problem, formulation = self._problem, self._formulation
        by_staircases = formulation.pick(Assessments.join([], 1)) is not None
        if not by_staircases and problem.demands.requirements:
            raise BadInput(
                f"Problem {formulation.number} chooses what is suppressed by itself, and takes no demand but a least k."
            )
        if formulation.needs_diversity and self._limit >= problem.rows and formulation.number != PROBLEMS[3].number:
            raise BadInput("Where every row may be suppressed there is no l to reach; allow less suppression.")
        return CutEvaluator(
            problem.frequency,
            self._space,
            cast("CellLoss", problem.loss),
            Suppression(rows=self._limit, use=problem.suppression.use),
            weights=[attribute.weight for attribute in problem.schema.quasi_identifiers],
            demands=problem.demands,
            rule=None if by_staircases else _rule(formulation, problem.rows, self._limit),
            diversity=self._gauge,
            cores=cores,
        )


def evolve(
    problem: Problem,
    number: int = 2,
    *,
    population: int | None = None,
    generations: int = 250,
    crossover: float = 0.9,
    mutation: float = 0.1,
    patience: int | None = None,
    unconstrained: Sequence[str] | None = None,
    granularity: Mapping[str, int] | None = None,
    preferred: str = "l",
    start: Front | None = None,
    budget: Budget | None = None,
    seed: int = 0,
    cores: int | None = None,
) -> Front:
    """What evolution finds for one of the four multi-objective problems, over cuts instead of levels.

    A cut publishes some values of a tree as they are and others far up; attributes that `unconstrained` lists are cut
    into any intervals of their leaves' order, or of the values of a level that `granularity` gives. By default those
    whose leaves are numbers are. `number` is 1 (nothing suppressed), 2 (at most what the problem allows), 3 (any
    suppression) or 4 (k and l at once, by which `preferred` says what is desired more). Problems 1 to 3 are about
    k-anonymity, or about l-diversity if the problem's objectives are l and loss; problem 4 needs k, l and loss.

    The first population holds what `start` found, so that the result matches or beats it. Nothing is proved, unless
    there are so few cuts that all were evaluated.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> [(point.k, point.cuts["age"].values) for point in evolve(problem, population=16, generations=1)]
    [(4, ('*',)), (2, ('*',)), (1, ('31', '34', '38', '52'))]
    """
    evolving = Evolving(
        problem,
        number,
        population=population,
        generations=generations,
        crossover=crossover,
        mutation=mutation,
        patience=patience,
        unconstrained=unconstrained,
        granularity=granularity,
        preferred=preferred,
        start=start,
        budget=budget,
        seed=seed,
        cores=cores,
    )
    for _ in evolving:
        pass
    return evolving.front()


def _formulation(problem: Problem, number: int, preferred: str) -> Formulation:
    if number not in PROBLEMS:
        raise BadInput(f"The multi-objective problems are 1, 2, 3 and 4; got {number!r}.")
    if preferred not in [each.value for each in Property]:
        raise BadInput(f"What is preferred is 'k' or 'l'; got {preferred!r}.")
    if number == Safety.number:
        return Safety(preferred=Property(preferred))
    return PROBLEMS[number](Property.SIZE if K in problem.objectives.names else Property.DIVERSITY)


def _diversity(problem: Problem, number: int) -> Gauge | None:
    """The model of l that the problem's objectives name, if the formulation asks for one."""
    names, gauges = problem.objectives.names, problem.gauges
    wanted = "k, l and loss" if number == Safety.number else "k and loss, or l and loss"
    diverse = [gauge for gauge in gauges if gauge.model.name.endswith("-l")]
    expected = {LOSS, *([K] if K in names else []), *(gauge.name for gauge in diverse)}
    counts = (len(diverse), K in names) in (((1, True),) if number == Safety.number else ((0, True), (1, False)))
    if set(names) != expected or not counts:
        raise BadInput(f"Problem {number} trades off {wanted}; the objectives are {', '.join(names)}.")
    return diverse[0] if diverse else None


def _rule(formulation: Formulation, rows: int, limit: int) -> Rule:
    """What a formulation spares, as the evaluator asks for it."""

    def rule(recoding: Ints, sizes: Ints, diversity: Ints, recodings: int) -> tuple[NDArray[np.bool_], Floats]:
        outcome = formulation.spare(Classes(recoding, sizes, diversity, recodings, rows, limit))
        columns = [outcome.values[name].astype(float) for name in formulation.told]
        return outcome.spared, np.column_stack(columns) if columns else np.empty((recodings, 0))

    return rule


def _recodings(start: Front, space: CutSpace) -> Bits:
    """The solutions of a front as cuts."""
    rows = []
    for solution in (solution for point in start for solution in point.solutions):
        if solution.cuts is None:
            rows.append(space.at_levels([solution.levels[name] for name in space.names]))
        else:
            rows.append(space.parse({name: cut.bits for name, cut in solution.cuts.items()}))
    return np.unique(np.array(rows, bool), axis=0)


def _metered(budget: Budget | None, evaluator: CutEvaluator) -> "EvaluateCuts":
    return cast("EvaluateCuts", (budget or Budget()).meter(cast("Evaluate", evaluator.assess)))
