"""One search of one problem for all nodes that meet one requirement."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from paranym.errors import BadInput, Unattainable
from paranym.evaluation.nodes import NodeEvaluator
from paranym.evaluation.requirement import Checker, breaks_of
from paranym.model.derivation import Keep, Levels, Order
from paranym.problem import Problem
from paranym.results.assessment import Assessments
from paranym.results.generalizations import Cost, Generalization, Generalizations
from paranym.search.fixed_k.base import Choices, Effort, Stage
from paranym.search.fixed_k.bottom_up import bottom_up
from paranym.search.fixed_k.datafly import datafly
from paranym.search.fixed_k.incognito.basic import incognito
from paranym.search.fixed_k.incognito.cube import cube
from paranym.search.fixed_k.incognito.partial import partial
from paranym.search.fixed_k.incognito.super_roots import super_roots
from paranym.search.fixed_k.mingen import mingen
from paranym.search.fixed_k.names import Algorithm
from paranym.search.fixed_k.samarati import samarati
from paranym.solve.fixed_k.ranking import Ints, Truths, are_minimal, best_first, has_lower, least_steps
from paranym.solve.fixed_k.request import (
    AllowedLevels,
    allowed_levels,
    check_attainable,
    known_algorithm,
    places_of,
    restated,
)
from paranym.solve.signature import with_arguments_of
from paranym.wording.numbers import rows_of
from paranym.wording.sizes import read_size

MEMORY = 2 * 10**9
"""Default limit for kept frequency sets, in bytes."""


class FixedSearch:
    """One search for a fixed k; `generalize` runs it to its end, other callers follow it stage by stage."""

    def __init__(
        self,
        problem: Problem,
        *,
        k: int | None = None,
        algorithm: str = "incognito-partial",
        by: str | None = None,
        priorities: Sequence[str] = (),
        levels: Mapping[str, AllowedLevels] | None = None,
        forbidden: Mapping[str, AllowedLevels] | None = None,
        memory: str | int = MEMORY,
        cores: int | None = None,
    ) -> None:
        self._problem = restated(problem, k, by)
        if k is None and not problem.demands.are_made:
            raise BadInput("Say which k is required; neither the request nor the recipe does.")
        self._algorithm: Algorithm = known_algorithm(algorithm)
        self._priorities = places_of(problem, "priorities", priorities)
        self._allowed = allowed_levels(problem, levels or {}, forbidden or {})
        self._memory = read_size(memory)
        self._cores = problem.cores(cores)
        check_attainable(self._problem, self._algorithm, self._allowed)
        self._limit = problem.suppression.limit(problem.rows)
        self._evaluator = self._problem.evaluator(cores=cores)
        self._choices = _choices(self._allowed, self._evaluator)
        demands = self._problem.demands
        self._checker = Checker(
            problem.combinations,
            problem.hierarchies,
            k=demands.least_k,
            limit=self._limit,
            breaks=breaks_of(demands, problem.combinations, self._limit) if demands.requirements else None,
            cores=self._cores,
        )

    def stages(self) -> Iterator[Stage]:
        """Run the search stage by stage; the last stage is its result."""
        choices, checker, memory = self._choices, self._checker, self._memory
        match self._algorithm:
            case "incognito":
                return incognito(choices, checker, memory=memory)
            case "incognito-super-roots":
                return super_roots(choices, checker, memory=memory)
            case "incognito-cube":
                return cube(choices, checker, memory=memory)
            case "incognito-partial":
                return partial(choices, checker, memory=memory)
            case "samarati":
                return samarati(choices, checker)
            case "bottom-up":
                return bottom_up(choices, checker, memory=memory, rollup=False)
            case "bottom-up-rollup":
                return bottom_up(choices, checker, memory=memory)
            case "datafly":
                return datafly(choices, checker)
            case "mingen":
                return mingen(choices, checker)

    def result(self, stage: Stage) -> Generalizations:
        """Return the generalizations that a stage found, the best first."""
        problem, nodes = self._problem, stage.found()
        if not len(nodes):
            raise Unattainable(self._refusal())
        found = least_steps(self._evaluator(nodes), len(nodes))
        share = problem.suppression.share
        return Generalizations(
            algorithm=self._algorithm,
            requirement=self._requirement,
            k=problem.demands.least_k,
            complete=stage.complete and not self._checker.undecided,
            solutions=tuple(self._solutions(found, self._are_minimal(nodes))),
            cost=_cost(stage.effort),
            lattice_nodes=self._choices.lattice.size,
            rows=problem.rows,
            unit=problem.unit.value,
            metric=problem.loss.name,
            priorities=tuple(problem.attributes[j] for j in self._priorities),
            suppression=self._limit / problem.rows if share is None else share,
            suppression_limit=self._limit,
            suppression_use=problem.suppression.use.value,
            heights=dict(zip(problem.attributes, problem.lattice.heights, strict=True)),
        )

    def _solutions(self, found: Assessments, minimal: Truths) -> Iterator[Generalization]:
        worst = self._evaluator.worst
        for i in best_first(found, self._priorities):
            yield Generalization(
                levels=dict(zip(self._problem.attributes, found.levels[i].tolist(), strict=True)),
                k=int(found.k[i]),
                loss=float(found.loss[i]),
                loss_fraction=float(found.loss[i] / worst) if worst else 0.0,
                suppressed=int(found.suppressed[i]),
                minimal=bool(minimal[i]),
            )

    def _are_minimal(self, nodes: Ints) -> Truths:
        """Return which nodes are minimal: no node below meets the requirement."""
        match self._algorithm:
            case "samarati":
                return np.ones(len(nodes), bool)
            case "datafly":
                return np.array([not has_lower(tuple(node), self._allowed, self._checker) for node in nodes.tolist()])
        return are_minimal(nodes, self._allowed)

    @property
    def _requirement(self) -> str:
        demands = self._problem.demands
        return " and ".join([f"k = {demands.least_k:,}", *map(str, demands.requirements)])

    def _refusal(self) -> str:
        """Explain why nothing was found, with the values of the most general node that is allowed."""
        problem = self._problem
        top = tuple(levels[-1] for levels in self._allowed)
        [checked] = self._checker([Order(top, None, Keep.NEVER)])
        levels = ", ".join(f"{name} {level}" for name, level in zip(problem.attributes, top, strict=True))
        lines = [
            f"No allowed generalization achieves {self._requirement} with at most {self._limit:,} suppressed rows.",
            f"The most general ({levels}) would suppress {rows_of(checked.broken, problem.rows)}.",
        ]
        achieved = restated(problem, 1, None).evaluator(cores=self._cores)(np.array([top])).solutions
        if len(achieved) and not problem.demands.requirements:
            lines.append(f"Within the limit it achieves k = {int(achieved.k.max()):,}.")
        return " ".join([*lines, "Allow higher levels, or more suppression."])


@with_arguments_of(FixedSearch)
def generalize(search: FixedSearch) -> Generalizations:
    """Find the generalizations that meet `k` and the other requirements of the problem, the best first.

    All of them, unless the algorithm is `samarati` (those of least height) or `datafly` (one, without any guarantee).
    `by` is the loss that ranks them, the problem's own if not given; `height` counts levels. `priorities` come first:
    of all solutions the best keep the first attribute least general, then the second, and so on. `levels` are the
    levels that an attribute may take, `forbidden` those that it may not. Frequency sets are kept up to `memory`, such
    as "500MB".

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> [dict(each.levels) for each in generalize(problem, k=2)]
    [{'age': 2, 'sex': 0}, {'age': 2, 'sex': 1}]
    >>> generalize(problem, k=2, algorithm="samarati").cost.checked_nodes
    4
    """
    *_, last = search.stages()
    return search.result(last)


def _cost(effort: Effort) -> Cost:
    return Cost(
        checked_nodes=effort.checked,
        scans=effort.scans,
        rollups=effort.rollups,
        combinations_read=effort.read,
        largest_set=effort.largest,
        memory=effort.held,
    )


def _choices(allowed: tuple[Levels, ...], evaluator: NodeEvaluator) -> Choices:
    domains = evaluator.domains
    return Choices(
        allowed,
        tuple(domain.hierarchy.height for domain in domains),
        tuple(
            tuple(int(np.count_nonzero(domain.rows_per_value(level))) for level in range(domain.hierarchy.height + 1))
            for domain in domains
        ),
    )
