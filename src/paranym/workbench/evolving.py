"""Evolution of cuts, from a problem to its front: resolves names, seeds the first population, reads the result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, Unattainable
from paranym.evaluation.cutting import TOLD, CutEvaluator, Floats, Ints, Rule
from paranym.measures.base import CellLoss
from paranym.measures.privacy.anonymity import Suppression
from paranym.measures.verdicts import Gauge
from paranym.model.assessment import TOLERANCE, Assessments
from paranym.model.cuts import Bits, CutSpace
from paranym.model.front import Front, Point, Solution
from paranym.model.objectives import Objective, Objectives
from paranym.model.values import is_number
from paranym.problem import Problem
from paranym.reporting import Reporter
from paranym.search.base import Budget, BudgetSpent, Evaluate
from paranym.search.greedy import descend, floors_of, specialize
from paranym.search.problems import PROBLEMS
from paranym.search.problems.archive import Archive, EvaluateCuts, Sought
from paranym.search.problems.base import D1, GL, LOSS, SL, WEIGHTED_K, Classes, Formulation, K, Property
from paranym.search.problems.safety import Safety

_LOSSES = (GL, SL, LOSS)
_FLOORS = 12
"""So many floors of privacy are specialized for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A generation as it ends."""

    generation: int
    """0 is the first population, and what is found for it."""
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
        number: int | Formulation = 2,
        *,
        algorithm: str = "nsga2",
        population: int | None = None,
        generations: int = 250,
        crossover: float = 0.9,
        mutation: float = 0.1,
        patience: int | None = None,
        unconstrained: Sequence[str] | None = None,
        granularity: Mapping[str, int] | None = None,
        preferred: str = "l",
        max_loss: float = 1.0,
        start: Front | None = None,
        greedy: bool = False,
        budget: Budget | None = None,
        seed: int = 0,
        cores: int | None = None,
    ) -> None:
        from paranym.search.nsga2 import Evolution  # noqa: PLC0415 - an extra

        if not (is_number(max_loss) and 0 <= max_loss <= 1):
            raise BadInput(f"The most that may be lost is a share from 0 to 1; got {max_loss!r}.")
        self._problem = problem
        self._formulation = _formulation(problem, number, preferred)
        self._gauge = _diversity(problem, self._formulation.number)
        self._space = CutSpace.of(problem.hierarchies, unconstrained=unconstrained, granularity=granularity)
        self._columns = (*TOLD, *self._formulation.told)
        self._limit = self._formulation.limit(problem.suppression.limit(problem.rows), problem.rows)
        self._max_loss = max_loss
        self._evaluator = self._new_evaluator(cores)
        self._lists = self._objectives(self._formulation.lists)
        self._evolution = Evolution(
            algorithm=algorithm,
            population=population,
            generations=generations,
            crossover=crossover,
            mutation=mutation,
            patience=patience,
        )
        sought = Sought(
            self._formulation,
            self._objectives(self._formulation.selects),
            self._lists,
            len(self._columns),
            self._ceilings(),
            max_loss * self._evaluator.worst * (1 + TOLERANCE),
        )
        self._archive = Archive(self._space.length, sought, _metered(budget, self._evaluator))
        self._steps = self._run(greedy=greedy, start=start, seed=seed)

    def __iter__(self) -> Iterator[Progress]:
        return self._steps

    def _run(self, *, greedy: bool, start: Front | None, seed: int) -> Iterator[Progress]:
        from paranym.search.nsga2 import generations, hypervolume  # noqa: PLC0415 - an extra

        space, archive = self._space, self._archive
        try:
            if greedy:
                for _ in chain(specialize(space, archive, floors_of(archive, _FLOORS)), descend(space, archive)):
                    yield self._progress(0, hypervolume(archive))
            first = self._unbeaten_cuts() if start is None else _recodings(start, space, self._unbeaten_cuts())
            for number, volume in enumerate(generations(space, archive, self._evolution, seed=seed, start=first)):
                yield self._progress(number, volume)
        except BudgetSpent:
            if not len(self._archive):
                raise BadInput(
                    "The budget does not suffice for the first population; allow more evaluations."
                ) from None

    def front(self) -> Front:
        """What was found so far."""
        problem, found, evaluated = self._problem, self._archive.found, len(self._archive)
        if not len(found):
            raise Unattainable(f"Nothing was found so far that meets {self._demanded}; there may be something.")
        return Front(
            method=self._evolution.algorithm,
            complete=evaluated == self._space.size,
            points=self._points(found),
            lattice_nodes=self._space.size,
            evaluated_nodes=evaluated,
            decided_nodes=evaluated,
            rows=problem.rows,
            metric=problem.loss.name,
            suppression_use=problem.suppression.use.value,
            suppression_limit=self._limit,
            heights={},
            objectives=self._lists.names,
            demands=self._demanded or None,
            reporter=Reporter(problem),
        )

    @property
    def _demanded(self) -> str:
        """All that solutions must meet."""
        told = [str(self._problem.demands)] if self._problem.demands.are_made else []
        return " and ".join([*told, *([f"a loss of at most {self._max_loss:.10g}"] if self._max_loss < 1 else [])])

    def _progress(self, generation: int, volume: float) -> Progress:
        return Progress(
            generation=generation,
            evaluated=len(self._archive),
            points=len(self._archive.found),
            hypervolume=volume,
        )

    def _unbeaten_cuts(self) -> Bits:
        """What was found so far, from end to end, to fill half of a population at most."""
        size = self._evolution.population or self._formulation.population
        found = self._archive.found
        points = [point[0] for point in self._lists.groups(found)]
        evenly = np.linspace(0, len(points) - 1, min(len(points), size // 2)).astype(int)
        return self._archive.cuts(np.unique(found.levels[[points[i] for i in evenly], 0]))

    def _points(self, found: Assessments) -> tuple[Point, ...]:
        worst, points = self._evaluator.worst, []
        for shared in self._lists.groups(found):
            one = found[shared]
            cuts = [self._space.cuts(bits) for bits in self._archive.cuts(one.levels[:, 0])]
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
            D1: self._problem.rows,
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
            cores=problem.cores(cores),
        )


def evolve(
    problem: Problem,
    number: int | Formulation = 2,
    *,
    algorithm: str = "nsga2",
    population: int | None = None,
    generations: int = 250,
    crossover: float = 0.9,
    mutation: float = 0.1,
    patience: int | None = None,
    unconstrained: Sequence[str] | None = None,
    granularity: Mapping[str, int] | None = None,
    preferred: str = "l",
    max_loss: float = 1.0,
    start: Front | None = None,
    greedy: bool = False,
    budget: Budget | None = None,
    seed: int = 0,
    cores: int | None = None,
) -> Front:
    """What evolution finds for one of the four multi-objective problems, over cuts instead of levels.

    A cut publishes some values of a tree as they are and others far up; attributes that `unconstrained` lists are cut
    into any intervals of their leaves' order, or of the values of a level that `granularity` gives. By default those
    whose leaves are numbers are. `number` is 1 (nothing suppressed), 2 (at most what the problem allows), 3 (any
    suppression) or 4 (k and l at once, by which `preferred` says what is desired more), or a formulation of your own.
    Problems 1 to 3 are about k-anonymity, or about l-diversity if the problem's objectives are l and loss; problem 4
    needs k, l and loss.

    The first population holds what `start` found, so that the result matches or beats it; with `greedy`, half of it is
    what greedy specialization from the top finds. The least k that the problem demands and `max_loss`, a share, bound
    what is listed, and evolution keeps within them. `algorithm` is nsga2, or nsga3, moead or sms-emoa, which are made
    for three objectives and more. Nothing is proved, unless there are so few cuts that all were evaluated.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> [(point.k, point.cuts["age"].values) for point in evolve(problem, population=16, generations=1)]
    [(4, ('*',)), (2, ('*',)), (1, ('31', '34', '38', '52'))]
    """
    evolving = Evolving(
        problem,
        number,
        algorithm=algorithm,
        population=population,
        generations=generations,
        crossover=crossover,
        mutation=mutation,
        patience=patience,
        unconstrained=unconstrained,
        granularity=granularity,
        preferred=preferred,
        max_loss=max_loss,
        start=start,
        greedy=greedy,
        budget=budget,
        seed=seed,
        cores=cores,
    )
    for _ in evolving:
        pass
    return evolving.front()


def _formulation(problem: Problem, number: int | Formulation, preferred: str) -> Formulation:
    if isinstance(number, Formulation):
        return number
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


def _recodings(start: Front, space: CutSpace, others: Bits) -> Bits:
    """The solutions of a front as cuts, and others."""
    rows = []
    for solution in (solution for point in start for solution in point.solutions):
        if solution.cuts is None:
            rows.append(space.at_levels([solution.levels[name] for name in space.names]))
        else:
            rows.append(space.parse({name: cut.bits for name, cut in solution.cuts.items()}))
    return np.unique(np.concatenate([np.array(rows, bool), others]), axis=0)


def _metered(budget: Budget | None, evaluator: CutEvaluator) -> EvaluateCuts:
    return cast("EvaluateCuts", (budget or Budget()).meter(cast("Evaluate", evaluator.assess)))
