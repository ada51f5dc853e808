"""From a problem and a k to generalizations: resolves names to searches, runs them, and ranks what they find."""

import copy
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.checking import Checker, breaks_of
from paranym.errors import BadInput, Unattainable, did_you_mean
from paranym.evaluation import Evaluator
from paranym.measures.base import Loss
from paranym.measures.loss import LOSSES
from paranym.model.assessment import Assessments
from paranym.model.derivation import Keep, Order
from paranym.model.generalizations import Cost, Generalization, Generalizations
from paranym.model.values import is_whole
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

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
AllowedLevels = int | Sequence[int]

ALGORITHMS = (
    "incognito",
    "incognito-super-roots",
    "incognito-cube",
    "incognito-partial",
    "samarati",
    "bottom-up",
    "bottom-up-rollup",
    "datafly",
    "mingen",
)
"""The searches, by the names that commands use."""

MEMORY = 2 * 2**30
"""Bytes of frequency sets that are kept unless something else is asked for."""
MOST_NODES = 5_000_000
_FOR_ANY_LATTICE = ("samarati", "datafly")


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
    """One search of one problem for whatever meets one requirement."""

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
        self._problem = _restated(problem, k, by)
        if k is None and not problem.demands.are_made:
            raise BadInput("Say which k is asked for; neither the request nor the recipe does.")
        self._algorithm = _known(algorithm)
        self._priorities = tuple(_place(problem, name) for name in _names("priorities", priorities))
        self._allowed = _allowed(problem, levels or {}, forbidden or {})
        self._cores = cores
        if not (is_whole(memory) and memory > 0):
            raise BadInput(f"The memory for frequency sets is a positive number of bytes; got {memory!r}.")
        self._memory = memory
        self._check()
        self._evaluator = self._problem.evaluator(cores=cores)
        self._choices = _choices(self._allowed, self._evaluator)
        limit = self._problem.suppression.limit(problem.rows)
        demands = self._problem.demands
        self._checker = Checker(
            problem.frequency,
            problem.hierarchies,
            k=demands.least_k,
            limit=limit,
            breaks=breaks_of(demands, problem.frequency, limit) if demands.requirements else None,
            cores=cores,
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
        return mingen(choices, checker)

    def result(self, stage: Stage) -> Generalizations:
        """What a stage found, ranked."""
        problem, nodes = self._problem, stage.found()
        if not len(nodes):
            raise Unattainable(self._refusal())
        minimal = self._are_minimal(nodes)
        found = _first_steps(self._evaluator(nodes), len(nodes))
        order = np.lexsort((*found.levels.T[::-1], found.levels.sum(axis=1), found.loss, *self._by_priority(found)))
        return Generalizations(
            algorithm=self._algorithm,
            requirement=self._requirement,
            k=problem.demands.least_k,
            complete=stage.complete,
            solutions=tuple(self._solutions(found, minimal, order.tolist())),
            cost=_cost(stage.effort),
            lattice_nodes=self._choices.lattice.size,
            rows=problem.rows,
            metric=problem.loss.name,
            priorities=tuple(problem.attributes[j] for j in self._priorities),
            suppression=_share(problem),
            suppression_limit=problem.suppression.limit(problem.rows),
            suppression_use=problem.suppression.use.value,
            heights=dict(zip(problem.attributes, problem.lattice.heights, strict=True)),
        )

    def _solutions(self, found: Assessments, minimal: Truths, order: list[int]) -> Iterator[Generalization]:
        worst = self._evaluator.worst
        for i in order:
            yield Generalization(
                levels=dict(zip(self._problem.attributes, found.levels[i].tolist(), strict=True)),
                k=int(found.k[i]),
                loss=float(found.loss[i]),
                loss_fraction=float(found.loss[i] / worst) if worst else 0.0,
                suppressed=int(found.suppressed[i]),
                minimal=bool(minimal[i]),
            )

    @property
    def _requirement(self) -> str:
        demands = self._problem.demands
        return " and ".join([f"k = {demands.least_k:,}", *map(str, demands.requirements)])

    def _check(self) -> None:
        """Raise if the request cannot be met, or if its answer would prove nothing."""
        problem, name = self._problem, self._algorithm
        if problem.demands.least_k > problem.rows:
            raise Unattainable(
                f"Nobody can be one of {problem.demands.least_k:,} alike: the table has {problem.rows:,} rows. "
                f"The most that can be asked for is k = {problem.rows:,}."
            )
        if name != "mingen" and not problem.demands.bind(problem.suppression.limit(problem.rows)):
            raise BadInput(
                f"{name} judges nodes by others, which is right only if all that is more general than one that meets "
                f"the requirement meets it too. With these requirements and suppression that need not be so. "
                f"Use mingen, which checks every node."
            )
        size = math.prod(map(len, self._allowed))
        if size > MOST_NODES and name not in _FOR_ANY_LATTICE:
            raise BadInput(
                f"There are {size:,} generalizations, too many to list ({name} takes up to {MOST_NODES:,}). "
                f"Allow fewer levels, use {' or '.join(_FOR_ANY_LATTICE)}, or take the best for this k from the front."
            )

    def _by_priority(self, found: Assessments) -> list[Ints]:
        """Sort keys, the last of which counts most."""
        return [found.levels[:, j] for j in reversed(self._priorities)]

    def _are_minimal(self, nodes: Ints) -> Truths:
        """Which nodes have none below them that meets the requirement."""
        if self._algorithm == "samarati":
            return np.ones(len(nodes), bool)
        if self._algorithm == "datafly":
            return np.array([not self._has_lower(node) for node in nodes.tolist()])
        ranks = np.column_stack([np.searchsorted(levels, nodes[:, j]) for j, levels in enumerate(self._choices.levels)])
        covered = np.zeros([len(levels) for levels in self._choices.levels], bool)
        covered[tuple(ranks.T)] = True
        for axis in range(covered.ndim):
            np.logical_or.accumulate(covered, axis=axis, out=covered)
        minimal = np.ones(len(nodes), bool)
        for j in range(ranks.shape[1]):
            raised = np.flatnonzero(ranks[:, j] > 0)
            lower = ranks[raised].copy()
            lower[:, j] -= 1
            minimal[raised] &= ~covered[tuple(lower.T)]
        return minimal

    def _has_lower(self, node: list[int]) -> bool:
        """Whether a node right below meets the requirement too."""
        places = [levels.index(level) for levels, level in zip(self._choices.levels, node, strict=True)]
        lower = [
            tuple(self._choices.levels[j][place - 1] if i == j else level for i, level in enumerate(node))
            for j, place in enumerate(places)
            if place > 0
        ]
        return any(each.holds for each in self._checker([Order(each, None, Keep.NEVER) for each in lower]))

    def _refusal(self) -> str:
        """Why nothing was found, and what comes nearest: the most general node that is allowed."""
        problem = self._problem
        limit = problem.suppression.limit(problem.rows)
        top = tuple(levels[-1] for levels in self._allowed)
        [checked] = self._checker([Order(top, None, Keep.NEVER)])
        told = ", ".join(f"{name} {level}" for name, level in zip(problem.attributes, top, strict=True))
        share = checked.broken / problem.rows
        lines = [
            f"No generalization that is allowed gives {self._requirement} with at most {limit:,} rows left out.",
            f"The most general one ({told}) would leave out {checked.broken:,} of {problem.rows:,} rows ({share:.2%}).",
        ]
        reached = _restated(problem, 1, None).evaluator(cores=self._cores)(np.array([top])).solutions
        if len(reached) and not problem.demands.requirements:
            lines.append(f"Within the limit it gives k = {int(reached.k.max()):,}.")
        return " ".join([*lines, "Allow higher levels, or more rows left out."])


def _restated(problem: Problem, k: int | None, by: str | None) -> Problem:
    """The same counted table, with another k demanded and another loss."""
    if k is not None and not (is_whole(k) and k >= 1):
        raise BadInput(f"k is a whole number from 1 on; got {k!r}.")
    other = copy.copy(problem)
    other.demands = problem.demands if k is None else replace(problem.demands, least_k=int(k))
    if by is not None and by != "loss":
        other.loss = _loss(by)
    return other


def _cost(effort: Effort) -> Cost:
    return Cost(
        checked_nodes=effort.checked,
        scans=effort.scans,
        rollups=effort.rollups,
        combinations_read=effort.read,
        largest_set=effort.largest,
        memory=effort.held,
    )


def _share(problem: Problem) -> float:
    """The share of the rows that may be left out, as it was given."""
    suppression = problem.suppression
    return suppression.limit(problem.rows) / problem.rows if suppression.share is None else suppression.share


def _loss(name: str) -> Loss:
    if name not in LOSSES:
        known = tuple(LOSSES)
        raise BadInput(f"There is no loss {name!r}; known are {', '.join(known)}.{did_you_mean(name, known)}")
    return LOSSES[name]


def _known(algorithm: str) -> str:
    if algorithm not in ALGORITHMS:
        raise BadInput(
            f"There is no algorithm {algorithm!r}; known are {', '.join(ALGORITHMS)}."
            f"{did_you_mean(algorithm, ALGORITHMS)}"
        )
    return algorithm


def _names(what: str, given: Sequence[str]) -> tuple[str, ...]:
    """What an argument lists; a text would come apart into letters."""
    if isinstance(given, str):
        raise BadInput(f"{what} takes a list, such as [{given!r}]; got {given!r}.")
    return tuple(map(str, given))


def _place(problem: Problem, name: str) -> int:
    """The number of a quasi-identifier."""
    if name not in problem.attributes:
        raise BadInput(
            f"There is no quasi-identifier {name!r}; there are {', '.join(problem.attributes)}."
            f"{did_you_mean(name, problem.attributes)}"
        )
    return problem.attributes.index(name)


def _allowed(
    problem: Problem, levels: Mapping[str, AllowedLevels], forbidden: Mapping[str, AllowedLevels]
) -> tuple[tuple[int, ...], ...]:
    """The levels that each attribute may take."""
    allowed = [set(range(height + 1)) for height in problem.lattice.heights]
    for name, given in levels.items():
        place = _place(problem, name)
        allowed[place] &= _levels_of(problem, place, given)
    for name, given in forbidden.items():
        place = _place(problem, name)
        allowed[place] -= _levels_of(problem, place, given)
        if not allowed[place]:
            raise BadInput(f"No level of {name!r} is left that it may take.")
    return tuple(tuple(sorted(each)) for each in allowed)


def _levels_of(problem: Problem, place: int, given: AllowedLevels) -> set[int]:
    asked = [given] if is_whole(given) else list(cast("Sequence[int]", given))
    height, name = problem.lattice.heights[place], problem.attributes[place]
    wrong = [level for level in asked if not (is_whole(level) and 0 <= level <= height)]
    if wrong or not asked:
        raise BadInput(f"The levels of {name!r} are 0 to {height}; got {given!r}.")
    return {int(level) for level in asked}


def _choices(allowed: tuple[tuple[int, ...], ...], evaluator: Evaluator) -> Choices:
    domains = evaluator.domains
    return Choices(
        allowed,
        tuple(domain.hierarchy.height for domain in domains),
        tuple(
            tuple(int(np.count_nonzero(domain.rows_per_value(level))) for level in range(domain.hierarchy.height + 1))
            for domain in domains
        ),
    )


def _first_steps(steps: Assessments, nodes: int) -> Assessments:
    """Of each node the solution of least k, which leaves out no more rows than that needs."""
    solutions = steps.solutions
    new = np.any(solutions.levels[1:] != solutions.levels[:-1], axis=1)
    first = solutions[np.flatnonzero(np.concatenate([[True], new]))]
    if len(first) != nodes:
        raise AssertionError(f"{nodes} nodes were found to meet the requirement, but {len(first)} do")
    return first


__all__ = ["ALGORITHMS", "FixedSearch", "Stage", "generalize"]
