"""NSGA-II (Deb et al., 2002) over cuts, through pymoo: populations of bit strings that cross, mutate and are selected.

An attribute whose cuts are unconstrained crosses at any point of its string; one that is constrained by a tree crosses
where both parents tell neighbours apart (Lunacek et al., 2006), so that every child is a cut of the tree. Other
algorithms of pymoo select otherwise, among the same children.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, MissingExtra
from paranym.model.cuts import Bits, CutSpace
from paranym.model.values import is_number, is_whole
from paranym.search.base import BudgetSpent
from paranym.search.problems.archive import Archive

try:
    from pymoo.algorithms.moo.moead import ParallelMOEAD
    from pymoo.algorithms.moo.nsga2 import NSGA2
    from pymoo.algorithms.moo.nsga3 import NSGA3
    from pymoo.algorithms.moo.sms import SMSEMOA
    from pymoo.core.crossover import Crossover
    from pymoo.core.duplicate import DuplicateElimination
    from pymoo.core.mutation import Mutation
    from pymoo.core.problem import Problem
    from pymoo.indicators.hv import HV
    from pymoo.util.ref_dirs import get_reference_directions
except ImportError as error:
    raise MissingExtra("pymoo", "evolution") from error

Floats = NDArray[np.float64]

ALGORITHMS = ("nsga2", "nsga3", "moead", "sms-emoa")
"""How survivors are selected: by crowding, by directions, by neighbouring directions, by their share of hypervolume."""

_DRAWS = 20
"""So often is drawn again for a first population without twins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolution:
    """How evolution goes: by default as in section 6.5 of the paper.

    >>> Evolution(generations=50).crossover
    0.9
    """

    algorithm: str = "nsga2"
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
        if self.algorithm not in ALGORITHMS:
            raise BadInput(f"Evolution goes by {', '.join(ALGORITHMS)}; got {self.algorithm!r}.")
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


def generations(
    space: CutSpace, archive: Archive, evolution: Evolution, *, start: Bits, seed: int = 0
) -> Iterator[float]:
    """Yield the hypervolume of all that was found, generation by generation.

    The first population holds the cuts `start`, and others drawn at random. What was met is in the archive.
    """
    archive.fitness(start)  # all of them count, however few find room in the population
    algorithm = _algorithm(space, archive, evolution, start, np.random.default_rng(seed))
    problem = _Problem(archive, space.length, len(archive.sought.selects.listed))
    algorithm.setup(problem, termination=("n_gen", evolution.generations + 1), seed=seed, verbose=False)
    idle, number, volume = 0, 0, 0.0
    while algorithm.has_next():
        try:
            algorithm.next()
        except BudgetSpent:
            if number == 0:
                raise
            return
        before, volume = volume, max(hypervolume(archive), volume)
        yield volume
        idle = 0 if volume > before else idle + 1
        number += 1
        if len(archive) == space.size or (evolution.patience is not None and idle >= evolution.patience):
            return


def hypervolume(archive: Archive) -> float:
    """The share of all that could be wished for that was matched or beaten; counts and l by their logarithms."""
    found = archive.found
    if not len(found):
        return 0.0
    ills = archive.sought.ills(archive.sought.lists, found)
    return float(HV(ref_point=np.ones(ills.shape[1]))(ills))


def _algorithm(
    space: CutSpace, archive: Archive, evolution: Evolution, start: Bits, random: np.random.Generator
) -> Any:
    """The algorithm that was asked for, with the operators of cuts."""
    size = evolution.population or archive.sought.formulation.population
    operators = {
        "crossover": _CutCrossover(space, evolution.crossover),
        "mutation": _CutMutation(space, evolution.mutation),
    }
    first = _first_population(space, size, start, random)
    alone = {"sampling": first, "eliminate_duplicates": _Twins(), **operators}
    if evolution.algorithm == "nsga2":
        return _NSGA2(pop_size=size, **alone)
    if evolution.algorithm == "sms-emoa":
        return SMSEMOA(pop_size=size, n_offsprings=size, **alone)
    directions = _directions(len(archive.sought.selects.listed), size)
    if evolution.algorithm == "nsga3":
        return NSGA3(directions, pop_size=size, **alone)
    # one individual for every direction, no more and no fewer
    fitted = first if len(first) == space.size else np.resize(first, (len(directions), space.length))
    return ParallelMOEAD(directions, n_neighbors=min(20, len(directions)), sampling=fitted, **operators)


def _directions(objectives: int, most: int) -> Floats:
    """As many evenly spread directions as there can be of at most so many."""
    parts = 1
    while len(get_reference_directions("das-dennis", objectives, n_partitions=parts + 1)) <= most:
        parts += 1
    directions: Floats = get_reference_directions("das-dennis", objectives, n_partitions=parts)
    return directions


def _first_population(space: CutSpace, size: int, start: Bits, random: np.random.Generator) -> Bits:
    """The given cuts, then cuts drawn at random, none of them twice if enough can be had; all where all find room."""
    if space.size <= size:
        return np.array(list(space.each()), bool)
    drawn = start
    for _ in range(_DRAWS):
        _, first = np.unique(drawn, axis=0, return_index=True)
        drawn = drawn[np.sort(first)]
        if len(drawn) >= size:
            break
        drawn = np.concatenate([drawn, space.draw(size, random)])
    return drawn[: max(size, len(start))]


class _Problem(Problem):  # type: ignore[misc]  # pymoo is untyped
    """What pymoo asks: the ills of a population."""

    def __init__(self, archive: Archive, bits: int, objectives: int) -> None:
        super().__init__(n_var=bits, n_obj=objectives, xl=0, xu=1, vtype=bool)
        self._archive = archive

    def _evaluate(self, x: Bits, out: dict[str, Any], *_: object, **__: object) -> None:
        out["F"] = self._archive.fitness(np.asarray(x, bool))


class _NSGA2(NSGA2):  # type: ignore[misc]
    """Without looking for the best after every generation: the archive knows them."""

    def _set_optimum(self, **_: object) -> None:
        self.opt = self.pop


class _Twins(DuplicateElimination):  # type: ignore[misc]
    """Recodings that the population has already."""

    def _do(self, pop: Any, other: Any, is_duplicate: NDArray[np.bool_]) -> NDArray[np.bool_]:
        seen = set() if other is None else {each.X.tobytes() for each in other}
        for i, each in enumerate(pop):
            key = each.X.tobytes()
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
