"""NSGA-II (Deb et al., 2002) over cuts with pymoo: crossover, mutation and selection of bit strings.

Evaluating cuts is faster than passing individuals through pymoo. NSGA-II therefore keeps its population in arrays, and
takes only ranks and crowding distances from pymoo. The other algorithms run in pymoo, with the same operators.
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
from paranym.search.cuts.formulations.archive import Archive
from paranym.search.cuts.variation import Breeder, first_population

try:
    from pymoo.algorithms.moo.moead import ParallelMOEAD
    from pymoo.algorithms.moo.nsga3 import NSGA3
    from pymoo.algorithms.moo.sms import SMSEMOA
    from pymoo.core.crossover import Crossover
    from pymoo.core.duplicate import DuplicateElimination
    from pymoo.core.population import Population
    from pymoo.core.problem import Problem
    from pymoo.core.termination import NoTermination
    from pymoo.indicators.hv import HV
    from pymoo.operators.mutation.nom import NoMutation
    from pymoo.operators.survival.rank_and_crowding.metrics import get_crowding_function
    from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting
    from pymoo.util.ref_dirs import get_reference_directions
except ImportError as error:
    raise MissingExtra("pymoo", "evolution") from error

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ALGORITHMS = ("nsga2", "nsga3", "moead", "sms-emoa")
"""How survivors are selected: by crowding, by directions, by neighbouring directions, by their share of hypervolume."""
_CROWDING = get_crowding_function("cd")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evolution:
    """Parameters of evolution; the defaults are those of section 6.5 of the paper.

    >>> Evolution(generations=50).crossover
    0.9
    """

    algorithm: str = "nsga2"
    population: int | None = None
    """Size of the population; None for that of the paper."""
    generations: int = 250
    crossover: float = 0.9
    """Crossover rate: the share of pairs that cross."""
    mutation: float = 0.1
    """Mutation rate: the probability that a bit of an unconstrained attribute is flipped."""
    patience: int | None = None
    """Stop when the hypervolume has not grown for this many generations; None for never."""

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
    """Yield the hypervolume of the front so far, generation by generation.

    The first population consists of the cuts `start` and random ones. All evaluated cuts go to the archive.
    """
    archive.fitness(start)  # all of them count, even if the population is too small for some
    size = evolution.population or archive.formulated.formulation.population
    first = first_population(space, size, start, np.random.default_rng(seed))
    breeder = Breeder(space, evolution.crossover, evolution.mutation)
    objectives = len(archive.formulated.selects.listed)
    if evolution.algorithm == "nsga2":
        run = _nsga2(archive, breeder, first, size, np.random.default_rng(seed))
    else:
        run = _by_pymoo(
            _algorithm(evolution.algorithm, objectives, breeder, first, size),
            _Problem(archive, space.length, objectives),
            seed,
        )
    idle, volume = 0, 0.0
    for number in range(evolution.generations + 1):
        try:
            next(run)
        except BudgetSpent:
            if number == 0:
                raise
            return
        except StopIteration:
            return
        before, volume = volume, max(hypervolume(archive), volume)
        yield volume
        idle = 0 if volume > before else idle + 1
        if len(archive) == space.size or (evolution.patience is not None and idle >= evolution.patience):
            return


def hypervolume(archive: Archive) -> float:
    """Dominated share of the objective space, with k and l on logarithmic scales."""
    found = archive.found
    if not len(found):
        return 0.0
    costs = archive.formulated.normalized_costs(archive.formulated.lists, found)
    return float(HV(ref_point=np.ones(costs.shape[1]))(costs))


def _nsga2(archive: Archive, breeder: Breeder, first: Bits, size: int, random: np.random.Generator) -> Iterator[None]:
    """Run generation by generation, until no new child can be produced."""
    bits, costs, most = first, archive.fitness(first), len(first)
    while True:
        kept, crowding = _survivors(costs, most, random)
        bits, costs, most = bits[kept], costs[kept], size
        yield
        born = breeder.offspring(bits, costs, crowding, size, random)
        if not len(born):
            return
        bits, costs = np.concatenate([bits, born]), np.concatenate([costs, archive.fitness(born)])


def _survivors(costs: Floats, most: int, random: np.random.Generator) -> tuple[Ints, Floats]:
    """Select front by front, in the last one by crowding distance; return who survives, and the distances."""
    kept: list[Ints] = []
    crowding: list[Floats] = []
    left = most
    for front in NonDominatedSorting().do(costs, n_stop_if_ranked=most):
        around = _CROWDING.do(costs[front])
        chosen = np.arange(len(front))
        if len(front) > left:
            drawn = random.permutation(len(front))
            chosen = drawn[np.argsort(-around[drawn], kind="stable")][:left]
        kept.append(front[chosen])
        crowding.append(around[chosen])
        left -= len(chosen)
    return np.concatenate(kept), np.concatenate(crowding)


def _by_pymoo(algorithm: Any, problem: Problem, seed: int) -> Iterator[None]:
    """Run an algorithm of pymoo generation by generation."""
    algorithm.setup(problem, termination=NoTermination(), seed=seed, verbose=False)
    while algorithm.has_next():
        algorithm.next()
        yield


def _algorithm(name: str, objectives: int, breeder: Breeder, first: Bits, size: int) -> Any:
    """Return the algorithm of that name, with the operators of cuts."""
    operators = {"crossover": _Breeding(breeder), "mutation": NoMutation()}
    alone = {"sampling": first, "eliminate_duplicates": _Duplicates(), **operators}
    if name == "sms-emoa":
        return SMSEMOA(pop_size=size, n_offsprings=size, **alone)
    directions = _directions(objectives, size)
    if name == "nsga3":
        return NSGA3(directions, pop_size=size, **alone)
    # one individual for every direction, no more and no fewer
    space = breeder.space
    fitted = first if len(first) == space.size else np.resize(first, (len(directions), space.length))
    return ParallelMOEAD(directions, n_neighbors=min(20, len(directions)), sampling=fitted, **operators)


def _directions(objectives: int, most: int) -> Floats:
    """Return the largest set of evenly spread directions with at most `most` of them."""
    parts = 1
    while len(get_reference_directions("das-dennis", objectives, n_partitions=parts + 1)) <= most:
        parts += 1
    directions: Floats = get_reference_directions("das-dennis", objectives, n_partitions=parts)
    return directions


class _Problem(Problem):  # type: ignore[misc]  # pymoo is untyped
    """The problem as pymoo sees it: the costs of a population."""

    def __init__(self, archive: Archive, bits: int, objectives: int) -> None:
        super().__init__(n_var=bits, n_obj=objectives, xl=0, xu=1, vtype=bool)
        self._archive = archive

    def _evaluate(self, x: Bits, out: dict[str, Any], *_: object, **__: object) -> None:
        out["F"] = self._archive.fitness(np.asarray(x, bool))


class _Duplicates(DuplicateElimination):  # type: ignore[misc]
    """Finds recodings that the population already contains."""

    def _do(self, pop: Any, other: Any, is_duplicate: NDArray[np.bool_]) -> NDArray[np.bool_]:
        seen = set() if other is None else {each.X.tobytes() for each in other}
        for i, each in enumerate(pop):
            key = each.X.tobytes()
            is_duplicate[i] = key in seen
            if other is None:
                seen.add(key)
        return is_duplicate


class _Breeding(Crossover):  # type: ignore[misc]
    """Crossover and mutation in one step: two parents, two children."""

    def __init__(self, breeder: Breeder) -> None:
        super().__init__(2, 2)
        self._breeder = breeder

    def do(self, problem: Any, pop: Any, *_: object, random_state: np.random.Generator, **__: object) -> Population:
        parents = np.array([each.X for each in np.ravel(pop)], bool).reshape(len(pop), 2, problem.n_var)
        return Population.new("X", self._breeder.children(parents.swapaxes(0, 1), random_state))
