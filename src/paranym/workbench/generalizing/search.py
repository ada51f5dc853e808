"""One search of one problem for whatever meets one requirement."""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from paranym.errors import BadInput, Unattainable
from paranym.evaluation.checking import Checker, breaks_of
from paranym.evaluation.nodes import Evaluator
from paranym.model.algorithms import Algorithm
from paranym.model.assessment import Assessments
from paranym.model.derivation import Keep, Levels, Order
from paranym.model.generalizations import Cost, Generalization, Generalizations
from paranym.problem import Problem
from paranym.search.full_domain.base import Choices, Effort, Stage
from paranym.search.full_domain.bottom_up import bottom_up
from paranym.search.full_domain.datafly import datafly
from paranym.search.full_domain.mingen import mingen
from paranym.search.full_domain.samarati import samarati
from paranym.search.incognito.basic import incognito
from paranym.search.incognito.cube import cube
from paranym.search.incognito.partial import partial
from paranym.search.incognito.super_roots import super_roots
from paranym.workbench.generalizing.ranking import Ints, Truths, are_minimal, best_first, has_lower, least_steps
from paranym.workbench.generalizing.request import (
    AllowedLevels,
    allowed_levels,
    check_attainable,
    known_algorithm,
    known_memory,
    places_of,
    restated,
)

MEMORY = 2 * 2**30
"""Bytes of frequency sets that are kept unless something else is asked for."""


def generalize(
    problem: Problem,
    *,
    k: int | None = None,
    algorithm: str = "incognito-partial",
    by: str | None = None,
    priorities: Sequence[str] = (),
    levels: Mapping[str, AllowedLevels] | None = None,
    forbidden: Mapping[str, AllowedLevels] | None = None,
    memory: int = MEMORY,
    cores: int | None = None,
) -> Generalizations:
    """The generalizations that give `k` and whatever else the problem demands, the best first.

    All of them, unless the algorithm is `samarati` (those of least height) or `datafly` (one, with no promise). `by` is
    the loss that ranks them, the problem's own if not given; `height` counts levels. `priorities` come first: of all
    solutions the best keep the first attribute least general, then the second, and so on. `levels` are the levels that
    an attribute may take, `forbidden` those that it may not. At most `memory` bytes of frequency sets are kept.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> [dict(each.levels) for each in generalize(problem, k=2)]
    [{'age': 2, 'sex': 0}, {'age': 2, 'sex': 1}]
    >>> generalize(problem, k=2, algorithm="samarati").cost.checked_nodes
    4
    """
    search = FixedSearch(
        problem,
        k=k,
        algorithm=algorithm,
        by=by,
        priorities=priorities,
        levels=levels,
        forbidden=forbidden,
        memory=memory,
        cores=cores,
    )
    *_, last = search.stages()
    return search.result(last)


class FixedSearch:
    """What `generalize` does, for callers that follow it stage by stage."""

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
        memory: int = MEMORY,
        cores: int | None = None,
    ) -> None:
        self._problem = restated(problem, k, by)
        if k is None and not problem.demands.are_made:
            raise BadInput("Say which k is asked for; neither the request nor the recipe does.")
        self._algorithm: Algorithm = known_algorithm(algorithm)
        self._priorities = places_of(problem, "priorities", priorities)
        self._allowed = allowed_levels(problem, levels or {}, forbidden or {})
        self._memory = known_memory(memory)
        self._cores = problem.cores(cores)
        check_attainable(self._problem, self._algorithm, self._allowed)
        self._limit = problem.suppression.limit(problem.rows)
        self._evaluator = self._problem.evaluator(cores=cores)
        self._choices = _choices(self._allowed, self._evaluator)
        demands = self._problem.demands
        self._checker = Checker(
            problem.frequency,
            problem.hierarchies,
            k=demands.least_k,
            limit=self._limit,
            breaks=breaks_of(demands, problem.frequency, self._limit) if demands.requirements else None,
            cores=self._cores,
        )

    def stages(self) -> Iterator[Stage]:
        """The search, as it goes on; the last stage is its result."""
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
        """What a stage found, ranked."""
        problem, nodes = self._problem, stage.found()
        if not len(nodes):
            raise Unattainable(self._refusal())
        found = least_steps(self._evaluator(nodes), len(nodes))
        share = problem.suppression.share
        return Generalizations(
            algorithm=self._algorithm,
            requirement=self._requirement,
            k=problem.demands.least_k,
            complete=stage.complete,
            solutions=tuple(self._solutions(found, self._are_minimal(nodes))),
            cost=_cost(stage.effort),
            lattice_nodes=self._choices.lattice.size,
            rows=problem.rows,
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
        """Which nodes have none below them that meets the requirement."""
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
        """Why nothing was found, and what comes nearest: the most general node that is allowed."""
        problem = self._problem
        top = tuple(levels[-1] for levels in self._allowed)
        [checked] = self._checker([Order(top, None, Keep.NEVER)])
        told = ", ".join(f"{name} {level}" for name, level in zip(problem.attributes, top, strict=True))
        share = checked.broken / problem.rows
        lines = [
            f"No generalization that is allowed gives {self._requirement} with at most {self._limit:,} rows left out.",
            f"The most general one ({told}) would leave out {checked.broken:,} of {problem.rows:,} rows ({share:.2%}).",
        ]
        reached = restated(problem, 1, None).evaluator(cores=self._cores)(np.array([top])).solutions
        if len(reached) and not problem.demands.requirements:
            lines.append(f"Within the limit it gives k = {int(reached.k.max()):,}.")
        return " ".join([*lines, "Allow higher levels, or more rows left out."])


def _cost(effort: Effort) -> Cost:
    return Cost(
        checked_nodes=effort.checked,
        scans=effort.scans,
        rollups=effort.rollups,
        combinations_read=effort.read,
        largest_set=effort.largest,
        memory=effort.held,
    )


def _choices(allowed: tuple[Levels, ...], evaluator: Evaluator) -> Choices:
    domains = evaluator.domains
    return Choices(
        allowed,
        tuple(domain.hierarchy.height for domain in domains),
        tuple(
            tuple(int(np.count_nonzero(domain.rows_per_value(level))) for level in range(domain.hierarchy.height + 1))
            for domain in domains
        ),
    )
