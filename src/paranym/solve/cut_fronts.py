"""From a problem to its Pareto front over cuts, with a proof."""

import time
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, BudgetTooSmall, Unattainable, UnsuitableLoss
from paranym.evaluation.cuts import CutEvaluator
from paranym.evaluation.splits import SplitTable
from paranym.measures.base import CellLoss
from paranym.measures.privacy.anonymity import SuppressionUse
from paranym.model.cuts import Bits, CutSpace
from paranym.problem import Problem
from paranym.results.assessment import TOLERANCE, Assessments
from paranym.results.division import CutCertificate
from paranym.results.front import Corner, Front, Point, Solution
from paranym.search.base import Budget, BudgetSpent, Meter
from paranym.search.cuts.exact import CutTable, Sweep, SweepStep
from paranym.solve.fronts import LatticeSearch

Flags = NDArray[np.bool_]

CUT_METHODS = ("exact", "greedy")
"""The searches over cuts that bound what they do not find, by name."""
MOST_LEVELS = 5_000
"""Most nodes that are evaluated for the front of levels, from which the search starts."""
_PULSE = 1.0
_SHARE = 0.1
"""Share of the budget for the start."""


class CutSearch:
    """One search of one problem for its Pareto front over cuts."""

    def __init__(
        self,
        problem: Problem,
        *,
        method: str = "exact",
        unconstrained: Sequence[str] | None = None,
        granularity: Mapping[str, int] | None = None,
        budget: Budget | None = None,
        seed: int = 0,
        cores: int | None = None,
    ) -> None:
        _check(problem)
        self._problem, self._method, self._seed = problem, method, seed
        self._space = CutSpace.of(problem.hierarchies, unconstrained=unconstrained, granularity=granularity)
        self._cores = problem.cores(cores)
        self._evaluator = CutEvaluator(
            problem.frequency,
            self._space,
            cast("CellLoss", problem.loss),
            problem.suppression,
            weights=[attribute.weight for attribute in problem.schema.quasi_identifiers],
            requirements=problem.demands,
            cores=self._cores,
        )
        self._splits = SplitTable.of(
            problem.frequency, self._space, cast("CellLoss", problem.loss), self._evaluator.domains, problem.rows
        )
        self._budget = budget or Budget()
        self._starts: list[Flags] = []

    def steps(self) -> Iterator[SweepStep]:
        """Run the search until it is done or the budget is spent."""
        meter, begun = Meter(self._budget), False
        starts = self._levels(meter)
        table = CutTable(
            splits=self._splits.splits,
            codes=self._splits.codes,
            counts=self._splits.counts,
            limit=self._problem.suppression.limit(self._problem.rows),
            made=np.zeros(len(self._splits.edges), bool),
            excluded=np.zeros(len(self._splits.edges), bool),
        )
        sweep = Sweep(table, least_k=self._problem.demands.least_k, divides=self._method == "exact")
        evaluated = 0
        try:
            for stage in sweep.steps(starts):
                begun = True
                yield stage
                meter.charge(stage.evaluated - evaluated)
                evaluated = stage.evaluated
        except BudgetSpent:
            if not begun:
                raise BudgetTooSmall("the first step") from None

    def run(self) -> Front:
        """Return the front at the end of the search."""
        (last,) = deque(self.steps(), maxlen=1)
        return self.result(last)

    def fronts(self) -> Iterator[Front]:
        """Yield the front about every second, and at the end."""
        stage, last = None, -np.inf
        for stage in self.steps():
            if time.monotonic() - last > _PULSE and not stage.complete:
                yield self.front(stage)
                last = time.monotonic()
        if stage is not None:
            yield self.result(stage)

    def result(self, stage: SweepStep) -> Front:
        """Return the front of the last stage, with its certificate."""
        return self.front(stage, whole=True)

    def front(self, stage: SweepStep, *, whole: bool = False) -> Front:
        """Return the front of a stage; `whole` with the certificate."""
        problem, space = self._problem, self._space
        cuts = [*(answer.made for answer in stage.answers), *self._starts]
        bits = np.unique([self._splits.bits(made) for made in cuts], axis=0)
        found = self._evaluator.assess(bits).solutions
        points = self._points(found[found.k >= problem.demands.least_k].non_dominated(), bits)
        if not points:
            raise Unattainable(f"No cut meets {problem.demands} within the suppression limit.")
        evaluated = min(stage.evaluated, space.size)
        return Front(
            method=self._method,
            complete=stage.complete,
            points=points,
            lattice_nodes=space.size,
            evaluated_nodes=evaluated,
            decided_nodes=space.size if stage.complete else evaluated,
            rows=problem.rows,
            metric=problem.loss.name,
            suppression_use=problem.suppression.use.value,
            suppression_limit=problem.suppression.limit(problem.rows),
            heights={},
            objectives=problem.objectives.names,
            demands=str(problem.demands) if problem.demands.are_made else None,
            possible=tuple(map(Corner.of, points)) if stage.complete else self._possible(stage, points),
            cut_certificate=self._certificate(stage) if whole and stage.complete else None,
        )

    def _certificate(self, stage: SweepStep) -> CutCertificate:
        return CutCertificate(
            unconstrained=tuple(each.hierarchy.attribute for each in self._space.attributes if not each.constrained),
            granularity=dict(zip(self._space.names, self._space.granularity, strict=True)),
            divisions=tuple(answer.division for answer in stage.answers),
        )

    def _possible(self, stage: SweepStep, points: tuple[Point, ...]) -> tuple[Corner, ...]:
        """The bound of every answer, at the largest k before the next one."""
        worst, corners = self._evaluator.worst, []
        for answer in stage.answers:
            loss = max(worst - float(answer.bound / self._splits.scale), 0.0) * (1 - TOLERANCE)
            best = min((point.loss for point in points if point.k >= answer.last), default=np.inf)
            corners.append(Corner(answer.last, min(loss, best), min(loss, best) / worst if worst else 0.0))
        return tuple(reversed(corners))

    def _points(self, found: Assessments, bits: Bits) -> tuple[Point, ...]:
        """Group solutions that share a point."""
        worst, points = self._evaluator.worst, []
        for k in np.unique(found.k)[::-1].tolist():
            shared = found[found.k == k]
            solutions = tuple(
                Solution({}, suppressed, weighted_k, cuts=self._space.cuts(bits[number]))
                for suppressed, weighted_k, number in zip(
                    shared.suppressed.tolist(), shared.weighted_k.tolist(), shared.levels[:, 0].tolist(), strict=True
                )
            )
            loss = float(shared.loss.min())
            points.append(Point(k, loss, loss / worst if worst else 0.0, solutions))
        return tuple(points)

    def _levels(self, meter: Meter) -> list[tuple[int, Flags]]:
        """The front of levels, or a part of it, as cuts, each with the k that it achieves."""
        own = meter.share(_SHARE, MOST_LEVELS)
        search = LatticeSearch(self._problem, budget=own, seed=self._seed, cores=self._cores)
        try:
            *_, last = search.steps()
            front = search.result(last)
        except (Unattainable, BudgetTooSmall):
            return []
        found = [
            (point.k, self._splits.made(self._space.at_levels([point.levels[name] for name in self._space.names])))
            for point in front
        ]
        self._starts = [made for _, made in found]
        return found


def _check(problem: Problem) -> None:
    """Raise unless the search can prove something about the problem."""
    facts, instead = problem.loss.facts, "Use method nsga2."
    if not facts.needs_costs:
        raise UnsuitableLoss(problem.loss.name, "does not charge cells by what they are published as. Use glm or ncp.")
    if not (facts.additive and facts.monotone and facts.bounded_by_unsuppressed and facts.surcharge_falls):
        raise UnsuitableLoss(problem.loss.name, f"is not additive, so that nothing is proved about its cuts. {instead}")
    if not problem.objectives.are_plain:
        names = ", ".join(problem.objectives.names)
        raise BadInput(f"The exact search over cuts trades off k and loss; the objectives are {names}. {instead}")
    if problem.demands.requirements:
        raise BadInput(
            f"The exact search over cuts knows no privacy requirement but k, not {problem.demands}. {instead}"
        )
    if problem.suppression.use is SuppressionUse.ALL and problem.suppression.limit(problem.rows):
        raise BadInput(
            "The exact search over cuts suppresses what a k needs, not all that the limit allows. Take suppression_use "
            f"needed, or allow no suppression. {instead}"
        )
