"""Evolution of cuts, from a problem to its front: resolves names, seeds the first population, reads the result."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, BudgetTooSmall, Unattainable
from paranym.evaluation.cuts import REPORTED, CutEvaluator, Floats, Ints, Rule
from paranym.measures.base import CellLoss
from paranym.measures.class_assessment import MeasuredModel
from paranym.measures.privacy.anonymity import Suppression, Unit
from paranym.model.cuts import Bits, CutSpace
from paranym.model.values import is_number
from paranym.problem import Problem
from paranym.results.assessment import TOLERANCE, Assessments
from paranym.results.front import Front, Point, Solution
from paranym.results.objectives import Objective, Objectives
from paranym.search.base import Budget, BudgetSpent, Meter
from paranym.search.cuts.formulations import PROBLEMS
from paranym.search.cuts.formulations.archive import Archive, EvaluateCuts, Formulated
from paranym.search.cuts.formulations.base import D1, GL, LOSS, SL, WEIGHTED_K, Formulation, K, Property, RecodedClasses
from paranym.search.cuts.formulations.safety import Safety
from paranym.solve.signature import with_arguments_of
from paranym.solve.starts import Setting, Start, Starter

_LOSSES = (GL, SL, LOSS)
EVOLUTIONS = ("nsga2", "nsga3", "moead", "sms-emoa")
"""The evolutionary searches, by the names that commands use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """A generation as it ends."""

    generation: int
    """0 is the first population, with everything found for it."""
    evaluated: int
    """Recodings evaluated so far, each once."""
    points: int
    """Non-dominated recodings so far."""
    hypervolume: float
    """Share of the objective space that they dominate; it never decreases."""


class Evolving:
    """A running evolution: iterate over its progress, and take the front whenever it is good enough.

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
        start: Front | str = Start.BOTH,
        greedy: bool = False,
        budget: Budget | None = None,
        seed: int = 0,
        cores: int | None = None,
    ) -> None:
        from paranym.search.cuts.nsga2 import Evolution  # noqa: PLC0415 - an extra

        if not (is_number(max_loss) and 0 <= max_loss <= 1):
            raise BadInput(f"The most that may be lost is a share from 0 to 1; got {max_loss!r}.")
        begin = start if isinstance(start, Front) else Start.named(start)
        self._problem = problem
        self._formulation = _formulation(problem, number, preferred)
        self._diversity_model = _diversity(problem, self._formulation.number)
        self._space = CutSpace.of(problem.hierarchies, unconstrained=unconstrained, granularity=granularity)
        self._columns = (*REPORTED, *self._formulation.reported)
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
        formulated = Formulated(
            self._formulation,
            self._objectives(self._formulation.selects),
            self._lists,
            len(self._columns),
            self._ceilings(),
            max_loss * self._evaluator.worst * (1 + TOLERANCE),
        )
        meter = Meter(budget or Budget())
        self._archive = Archive(self._space.length, formulated, _metered(meter, self._evaluator))
        self._starter = Starter(
            Setting(
                problem=problem,
                formulation=self._formulation,
                space=self._space,
                archive=self._archive,
                meter=meter,
                seed=seed,
                cores=cores,
            )
        )
        self._steps = self._run(begin, greedy=greedy, seed=seed)

    def __iter__(self) -> Iterator[Progress]:
        return self._steps

    def _run(self, start: Front | Start, *, greedy: bool, seed: int) -> Iterator[Progress]:
        from paranym.search.cuts.nsga2 import generations, hypervolume  # noqa: PLC0415 - an extra

        space, archive, starter = self._space, self._archive, self._starter
        try:
            first = self._first(start)
            if greedy or (isinstance(start, Start) and start.takes_greed):
                for _ in starter.greed():
                    yield self._progress(0, hypervolume(archive))
            first = np.unique(np.concatenate([first, self._non_dominated_cuts()]), axis=0)
            for number, volume in enumerate(generations(space, archive, self._evolution, seed=seed, start=first)):
                yield self._progress(number, volume)
        except BudgetSpent:
            if not len(archive):
                raise BudgetTooSmall("the first population") from None

    def _first(self, start: Front | Start) -> Bits:
        """Cuts for the first population, before greedy specialization."""
        if isinstance(start, Front):
            return self._starter.given(start)
        return self._starter.levels() if start.takes_levels else np.empty((0, self._space.length), bool)

    def front(self) -> Front:
        """Return the front that was found so far."""
        problem, found, evaluated = self._problem, self._archive.found, len(self._archive)
        if not len(found):
            raise Unattainable(f"Nothing was found so far that meets {self._requirements}; there may be something.")
        return Front(
            method=self._evolution.algorithm,
            complete=evaluated == self._space.size,
            points=self._points(found),
            lattice_nodes=self._space.size,
            evaluated_nodes=evaluated,
            decided_nodes=evaluated,
            rows=problem.rows,
            unit=problem.unit.value,
            people=None if problem.unit is Unit.ROW else problem.people,
            metric=problem.loss.name,
            suppression_use=problem.suppression.use.value,
            suppression_limit=self._limit,
            heights={},
            objectives=self._lists.names,
            demands=self._requirements or None,
            start=" and ".join(self._starter.sources or ["cuts drawn at random"]),
        )

    @property
    def _requirements(self) -> str:
        """The requirements of all solutions, in words."""
        privacy = [str(self._problem.demands)] if self._problem.demands.are_made else []
        return " and ".join([*privacy, *([f"a loss of at most {self._max_loss:.10g}"] if self._max_loss < 1 else [])])

    def _progress(self, generation: int, volume: float) -> Progress:
        return Progress(
            generation=generation,
            evaluated=len(self._archive),
            points=len(self._archive.found),
            hypervolume=volume,
        )

    def _non_dominated_cuts(self) -> Bits:
        """Return cuts of the front found so far, evenly spaced, to fill at most half of a population."""
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
        if self._diversity_model is not None and self._diversity_model.attribute is not None:
            values = len(self._problem.counted.histogram.blocks[self._diversity_model.attribute])
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
        if not by_staircases:
            problem.must_count_rows(f"Problem {formulation.number}")
        if not by_staircases and problem.demands.requirements:
            raise BadInput(
                f"Problem {formulation.number} selects suppressed rows itself; it accepts no requirement except k."
            )
        if formulation.needs_diversity and self._limit >= problem.rows and formulation.number != PROBLEMS[3].number:
            raise BadInput("Where every row may be suppressed there is no l to reach; allow less suppression.")
        return CutEvaluator(
            problem.combinations,
            self._space,
            cast("CellLoss", problem.loss),
            Suppression(rows=self._limit, use=problem.suppression.use),
            weights=[attribute.weight for attribute in problem.schema.quasi_identifiers],
            requirements=problem.demands,
            rule=None if by_staircases else _rule(formulation, problem.rows, self._limit),
            diversity=self._diversity_model,
            cores=problem.cores(cores),
        )


@with_arguments_of(Evolving)
def evolve(evolving: Evolving) -> Front:
    """Search for the front of one of the four multi-objective problems by evolution, over cuts instead of levels.

    A cut may generalize some values of a tree more than others. `unconstrained` attributes are cut into any intervals
    of the order of their leaves, or of the values of a level that `granularity` gives; by default these are the numeric
    ones. `number` is 1 (no suppression), 2 (suppression up to the limit of the problem), 3 (any suppression) or 4 (k
    and l at once; `preferred` is the more desired one), or a formulation of your own.
    Problems 1 to 3 are about k-anonymity, or about l-diversity if the problem's objectives are l and loss; problem 4
    needs k, l and loss.

    `start` determines the first population besides random cuts: "exact" (the front of levels), "greedy" (greedy
    specialization from the top), "both", "random" (nothing else, as in the paper), or an earlier front; with `greedy`,
    greedy specialization in addition. The result matches or dominates every solution of the start. The front of levels
    is exact if 100,000 evaluations suffice, or, for objectives other than k and loss, if there are at most 50,000
    nodes; `Front.start` says how it was found. Solutions have at least the required k of the problem and at most the
    loss `max_loss`, a share. Each start may take half of the remaining `budget`. `algorithm` is nsga2, or nsga3, moead
    or sms-emoa, which are made for three objectives and more. The front is proved only if all cuts were evaluated.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> [(point.k, point.cuts["age"].values) for point in evolve(problem, population=16, generations=1)]
    [(4, ('*',)), (2, ('*',)), (1, ('31', '34', '38', '52'))]
    """
    for _ in evolving:
        pass
    return evolving.front()


class EvolvedSearch:
    """Evolution by k and loss, run like the other searches for a front."""

    def __init__(
        self,
        problem: Problem,
        *,
        algorithm: str,
        unconstrained: Sequence[str] | None,
        granularity: Mapping[str, int] | None,
        budget: Budget | None,
        seed: int,
        cores: int | None,
    ) -> None:
        self._evolving = Evolving(
            problem,
            algorithm=algorithm,
            unconstrained=unconstrained,
            granularity=granularity,
            budget=budget,
            seed=seed,
            cores=cores,
        )

    def run(self) -> Front:
        """Return the front at the end of the search."""
        for _ in self._evolving:
            pass
        return self._evolving.front()

    def fronts(self) -> Iterator[Front]:
        """Yield the front after every generation."""
        for progress in self._evolving:
            if progress.points:
                yield self._evolving.front()


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


def _diversity(problem: Problem, number: int) -> MeasuredModel | None:
    """The model of l among the objectives of the problem, if the formulation needs one."""
    names, measured_models = problem.objectives.names, problem.measured_models
    wanted = "k, l and loss" if number == Safety.number else "k and loss, or l and loss"
    diverse = [measured for measured in measured_models if measured.model.facts.is_diversity]
    expected = {LOSS, *([K] if K in names else []), *(measured.name for measured in diverse)}
    counts = (len(diverse), K in names) in (((1, True),) if number == Safety.number else ((0, True), (1, False)))
    if set(names) != expected or not counts:
        raise BadInput(f"Problem {number} trades off {wanted}; the objectives are {', '.join(names)}.")
    return diverse[0] if diverse else None


def _rule(formulation: Formulation, rows: int, limit: int) -> Rule:
    """Return the rule by which a formulation selects classes, for the evaluator."""

    def rule(recoding: Ints, sizes: Ints, diversity: Ints, recodings: int) -> tuple[NDArray[np.bool_], Floats]:
        outcome = formulation.spare(RecodedClasses(recoding, sizes, diversity, recodings, rows, limit))
        columns = [outcome.values[name].astype(float) for name in formulation.reported]
        return outcome.spared, np.column_stack(columns) if columns else np.empty((recodings, 0))

    return rule


def _metered(meter: Meter, evaluator: CutEvaluator) -> EvaluateCuts:
    def metered(bits: Bits) -> Assessments:
        meter.charge(len(bits))
        return evaluator.assess(bits)

    return metered
