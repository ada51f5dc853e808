"""NSGA-II (Deb et al., 2002) over cuts, through pymoo: populations of bit strings that cross, mutate and are selected.

An attribute whose cuts are unconstrained crosses at any point of its string; one that is constrained by a tree crosses
where both parents tell neighbours apart (Lunacek et al., 2006), so that every child is a cut of the tree. Every
recoding is evaluated once, and all that was met and is not beaten is kept, not only what survives in the population.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, MissingExtra
from paranym.model.assessment import Assessments
from paranym.model.cuts import Bits, CutSpace
from paranym.model.objectives import Objectives
from paranym.model.values import is_number, is_whole
from paranym.search.base import BudgetSpent
from paranym.search.problems.base import Formulation

try:
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.core.crossover import Crossover
    from pymoo.core.duplicate import DuplicateElimination
    from pymoo.core.mutation import Mutation
    from pymoo.core.problem import Problem
    from pymoo.indicators.hv import HV
except ImportError as error:
    raise MissingExtra("pymoo", "evolution") from error

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
EvaluateCuts = Callable[[Bits], Assessments]
"""Cuts (cuts, bits) in, their steps out; `levels` tells which of the cuts a step belongs to."""

_DRAWS = 20
"""So often is drawn again for a first population without twins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolution:
    """How evolution goes: by default as in section 6.5 of the paper.

    >>> Evolution(generations=50).crossover
    0.9
    """

    population: int | None = None
    """None: as many as the paper has for the problem."""
    generations: int = 250
    crossover: float = 0.9
    """The share of pairs that cross."""
    mutation: float = 0.1
    """How likely the string of an unconstrained attribute is to have a bit flipped."""
    patience: int | None = None
    """Stop when the hypervolume has not grown for so many generations; None: never."""

    def __post_init__(self) -> None:
        for name in ("population", "generations", "patience"):
            value = getattr(self, name)
            if value is not None and not (is_whole(value) and value >= 1):
                raise BadInput(f"The {name} of evolution is a positive whole number; got {value!r}.")
        if self.population is not None and self.population < 2:
            raise BadInput("A population is two at least.")
        for name in ("crossover", "mutation"):
            value = getattr(self, name)
            if not (is_number(value) and 0 <= value <= 1):
                raise BadInput(f"The rate of {name} lies between 0 and 1; got {value!r}.")


@dataclass(frozen=True, slots=True, eq=False)
class Sought:
    """What evolution works towards, and how far each objective can go."""

    formulation: Formulation
    selects: Objectives
    """What individuals are compared by."""
    lists: Objectives
    """What the front trades off."""
    columns: int
    """How many values are told of every step."""
    ceilings: Mapping[str, float]
    """The most that can be had of each objective that should be large; the others are losses between 0 and this."""

    def ills(self, objectives: Objectives, steps: Assessments) -> Floats:
        """(steps, objectives): every objective between 0, the best, and 1; what should be large counts by ratios."""
        columns = []
        for objective in objectives.listed:
            value, most = objective.of(steps), self.ceilings[objective.name]
            if objective.larger_is_better:
                columns.append(1 - np.log(np.maximum(value, 1)) / (math.log(most) if most > 1 else 1.0))
            else:
                columns.append(value / (most or 1.0))
        return np.column_stack(columns)


@dataclass(frozen=True, slots=True, eq=False)
class Generation:
    """How far evolution has come."""

    number: int
    """0 is the first population."""
    evaluated: int
    """Recodings evaluated so far, each once."""
    found: Assessments
    """Of all that was evaluated, what is not beaten; `levels` number the recodings."""
    cuts: Callable[[Ints], Bits]
    """The recodings of some numbers."""
    hypervolume: float
    """The share of all that could be wished for that `found` matches or beats; counts and l by their logarithms."""
    complete: bool
    """Whether every recoding there is was evaluated."""


def nsga2(
    space: CutSpace,
    sought: Sought,
    evaluate: EvaluateCuts,
    evolution: Evolution,
    *,
    seed: int = 0,
    start: Bits | None = None,
) -> Iterator[Generation]:
    """Yield generation by generation; the first population holds the cuts `start`, and others drawn at random."""
    random = np.random.default_rng(seed)
    size = evolution.population or sought.formulation.population
    record = _Record(space, sought, evaluate)
    problem = _Problem(record, space.length, len(sought.selects.listed))
    algorithm = NSGA2(
        pop_size=size,
        sampling=_first_population(space, size, start, random),
        crossover=_CutCrossover(space, evolution.crossover),
        mutation=_CutMutation(space, evolution.mutation),
        eliminate_duplicates=_Twins(),
    )
    algorithm.setup(problem, termination=("n_gen", evolution.generations + 1), seed=seed, verbose=False)
    idle, number = 0, 0
    while algorithm.has_next():
        before = record.hypervolume
        try:
            algorithm.next()
        except BudgetSpent:
            if number == 0:
                raise
            return
        record.settle()
        complete = len(record) == space.size
        yield Generation(number, len(record), record.found, record.cuts, record.hypervolume, complete)
        idle = 0 if record.hypervolume > before else idle + 1
        number += 1
        if complete or (evolution.patience is not None and idle >= evolution.patience):
            return


class _Record:
    """Every recoding that was evaluated: how it fares in selection, and those that are not beaten."""

    def __init__(self, space: CutSpace, sought: Sought, evaluate: EvaluateCuts) -> None:
        self._length = space.length
        self._sought = sought
        self._evaluate = evaluate
        self._numbers: dict[bytes, int] = {}
        self._keys: list[bytes] = []
        self._fitness = np.empty((0, len(sought.selects.listed)))
        self._met: list[Assessments] = []
        self.found = Assessments.join([], 1, sought.columns)
        self.hypervolume = 0.0

    def __len__(self) -> int:
        return len(self._numbers)

    def fitness(self, bits: Bits) -> Floats:
        """The ills of those recodings; only those that were never met are evaluated."""
        keys = [key.tobytes() for key in np.packbits(bits, axis=1)]
        new = {key: i for i, key in enumerate(keys) if key not in self._numbers}
        if new:
            steps = self._evaluate(bits[list(new.values())])
            first = len(self._numbers)
            self._numbers.update((key, first + i) for i, key in enumerate(new))
            self._keys.extend(new)
            picked = self._sought.formulation.pick(steps)
            ills = self._sought.ills(self._sought.selects, steps if picked is None else steps[picked])
            self._fitness = np.concatenate([self._fitness, ills])
            self._met.append(_renumbered(steps.solutions, first))
        return self._fitness[[self._numbers[key] for key in keys]]

    def settle(self) -> None:
        """Merge what was met since the last time, and measure it."""
        for steps in self._met:
            self.found = self._sought.lists.merge(self.found, steps)
        self._met.clear()
        if len(self.found):
            ills = self._sought.ills(self._sought.lists, self.found)
            self.hypervolume = max(float(HV(ref_point=np.ones(ills.shape[1]))(ills)), self.hypervolume)

    def cuts(self, numbers: Ints) -> Bits:
        """The recodings of those numbers."""
        keys = b"".join([self._keys[number] for number in numbers.tolist()])
        packed = np.frombuffer(keys, np.uint8).reshape(len(numbers), (self._length + 7) // 8)
        return np.unpackbits(packed, axis=1, count=self._length).astype(bool)


def _renumbered(steps: Assessments, first: int) -> Assessments:
    """The same steps with recodings numbered from `first` on."""
    return replace(steps, levels=steps.levels + first)


def _first_population(space: CutSpace, size: int, start: Bits | None, random: np.random.Generator) -> Bits:
    """The given cuts, then cuts drawn at random, none of them twice if enough can be had; all where all find room."""
    if space.size <= size:
        return np.array(list(space.each()), bool)
    drawn = np.empty((0, space.length), bool) if start is None else start
    for _ in range(_DRAWS):
        _, first = np.unique(drawn, axis=0, return_index=True)
        drawn = drawn[np.sort(first)]
        if len(drawn) >= size:
            break
        drawn = np.concatenate([drawn, space.draw(size, random)])
    return drawn[: max(size, 0 if start is None else len(start))]


class _Problem(Problem):  # type: ignore[misc]  # pymoo is untyped
    """What pymoo asks: the ills of a population."""

    def __init__(self, record: _Record, bits: int, objectives: int) -> None:
        super().__init__(n_var=bits, n_obj=objectives, xl=0, xu=1, vtype=bool)
        self._record = record

    def _evaluate(self, x: Bits, out: dict[str, Any], *_: object, **__: object) -> None:
        out["F"] = self._record.fitness(np.asarray(x, bool))


class _Twins(DuplicateElimination):  # type: ignore[misc]
    """Recodings that the population has already."""

    def _do(self, pop: Any, other: Any, is_duplicate: NDArray[np.bool_]) -> NDArray[np.bool_]:
        seen = set() if other is None else {row.tobytes() for row in other.get("X")}
        for i, row in enumerate(pop.get("X")):
            key = row.tobytes()
            is_duplicate[i] = key in seen
            if other is None:
                seen.add(key)
        return is_duplicate


class _CutCrossover(Crossover):  # type: ignore[misc]
    """Two parents, two children: attribute by attribute, what lies behind one point is exchanged."""

    def __init__(self, space: CutSpace, rate: float) -> None:
        super().__init__(2, 2, prob=rate)
        self._space = space

    def _do(
        self, problem: Any, x: Bits, *_: object, random_state: np.random.Generator, **__: object
    ) -> NDArray[np.bool_]:
        return cross(self._space, np.asarray(x, bool), random_state)


class _CutMutation(Mutation):  # type: ignore[misc]
    """Bits of unconstrained attributes are flipped."""

    def __init__(self, space: CutSpace, rate: float) -> None:
        super().__init__(prob=1.0)
        self._space, self._rate = space, rate

    def _do(self, problem: Any, x: Bits, *_: object, random_state: np.random.Generator, **__: object) -> Bits:
        return mutate(self._space, np.asarray(x, bool), self._rate, random_state)


def cross(space: CutSpace, parents: Bits, random: np.random.Generator) -> Bits:
    """(2, pairs, bits): the children of every pair of parents."""
    children = parents.copy()
    for each, field in zip(space.attributes, space.fields, strict=True):
        points = np.ones(parents[0, :, field].shape, bool)
        if each.constrained:
            points = parents[0, :, field] & parents[1, :, field]
        # a string crosses after one of those bits, or, where there is none, goes over whole or not at all
        chances = np.where(points, random.random(points.shape), -1.0)
        after = np.argmax(chances, axis=1) if each.length else np.zeros(len(points), np.int64)
        whole = np.where(random.random(len(points)) < 1 / 2, each.length, -1)
        after = np.where(points.any(axis=1), after, whole)
        behind = np.arange(each.length) > after[:, np.newaxis]
        children[0, :, field] = np.where(behind, parents[1, :, field], parents[0, :, field])
        children[1, :, field] = np.where(behind, parents[0, :, field], parents[1, :, field])
    return children


def mutate(space: CutSpace, bits: Bits, rate: float, random: np.random.Generator) -> Bits:
    """The same recodings, one bit of each unconstrained attribute flipped with probability `rate`."""
    mutants = bits.copy()
    for each, field in zip(space.attributes, space.fields, strict=True):
        if not each.constrained and each.length:
            struck = np.flatnonzero(random.random(len(bits)) < rate)
            mutants[struck, field.start + random.integers(each.length, size=len(struck))] ^= True
    return mutants
