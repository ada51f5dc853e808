"""First populations of evolution: the front of levels, greedy specialization, or random cuts alone."""

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from paranym.errors import BadInput, BudgetTooSmall, Unattainable
from paranym.model.cuts import Bits, CutSpace
from paranym.model.lattice import Lattice
from paranym.problem import Problem
from paranym.results.front import Front, Solution
from paranym.search.base import BudgetSpent, Meter
from paranym.search.cuts.formulations.archive import Archive
from paranym.search.cuts.formulations.base import Formulation
from paranym.search.cuts.formulations.limited_suppression import LimitedSuppression
from paranym.search.cuts.greedy import descend, floors_of, specialize
from paranym.solve.fronts import frontier, is_provable
from paranym.wording.numbers import counted

MOST_EVALUATED = 100_000
"""Most nodes that are evaluated for the front of levels."""
MOST_NODES = 50_000
"""Most nodes that are all evaluated as cuts, if the objectives are not k and loss."""
MOST_SPECIALIZED = 10_000
"""About the most recodings that each greedy specialization evaluates."""
_FLOORS = 12
"""Number of privacy floors for greedy specialization."""
_BATCH = 1_000
_SHARE = 0.5
"""Share of the remaining budget that each start may take."""


class Start(StrEnum):
    """Contents of the first population besides cuts drawn at random.

    >>> Start("both").takes_levels, Start("random").takes_greed
    (True, False)
    """

    BOTH = "both"
    EXACT = "exact"
    GREEDY = "greedy"
    RANDOM = "random"

    @property
    def takes_levels(self) -> bool:
        """Whether it contains the front of levels."""
        return self in (Start.BOTH, Start.EXACT)

    @property
    def takes_greed(self) -> bool:
        """Whether it contains greedy specialization."""
        return self in (Start.BOTH, Start.GREEDY)

    @classmethod
    def named(cls, name: object) -> "Start":
        """Return the start of that name."""
        if not isinstance(name, str) or name not in [each.value for each in cls]:
            raise BadInput(
                f"Evolution starts from a front that is given, or from {', '.join(cls)}, by name; got {name!r}."
            )
        return cls(name)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Setting:
    """Problem, space and budget of an evolution, as a start needs them."""

    problem: Problem
    formulation: Formulation
    space: CutSpace
    archive: Archive
    """Keeps everything that a start evaluates."""
    meter: Meter
    seed: int = 0
    cores: int | None = None


class Starter:
    """Finds cuts for the first population, and lists their sources in words."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        self.sources: list[str] = []

    def given(self, front: Front) -> Bits:
        """Evaluate the solutions of an earlier front; return one per point for the population."""
        self.sources.append("a given front")
        return self._take(front)

    def levels(self) -> Bits:
        """Evaluate the front of levels, in the objectives of the cuts; return one solution per point.

        The front is exact unless the lattice is too large or the budget too small.
        """
        problem, formulation, space = self._setting.problem, self._setting.formulation, self._setting.space
        in_k_and_loss = isinstance(formulation, LimitedSuppression) and not formulation.needs_diversity
        if in_k_and_loss and not any(space.granularity) and is_provable(problem):
            return self._search(problem, "front of levels")
        if self._evaluate_all_nodes() or not is_provable(problem):
            return np.empty((0, space.length), bool)
        allowed = problem.suppression.limit(problem.rows)
        limit = min(allowed, formulation.limit(allowed, problem.rows))
        return self._search(problem.of_k_and_loss().with_suppression(rows=limit), "front of levels by k and loss")

    def greed(self) -> Iterator[None]:
        """Run greedy specialization from the top, split by split."""
        space, archive = self._setting.space, self._setting.archive
        to_floors = yield from self._climb(specialize(space, archive, floors_of(archive, _FLOORS)))
        to_bottom = yield from self._climb(descend(space, archive))
        self.sources.append(f"greedy specialization{'' if to_floors and to_bottom else ', ended early'}")

    def _search(self, problem: Problem, what: str) -> Bits:
        """Return the front of levels of a problem, or the part that the budget allows."""
        setting = self._setting
        try:
            front = frontier(
                problem,
                budget=setting.meter.share(_SHARE, MOST_EVALUATED),
                seed=setting.seed,
                cores=setting.cores,
            )
        except (Unattainable, BudgetTooSmall):  # cuts may meet what no node meets, and random cuts need no budget
            return np.empty((0, setting.space.length), bool)
        setting.meter.spend(front.evaluated_nodes)
        part = f"the part of the {what} that {counted(front.evaluated_nodes, 'evaluation')} found"
        self.sources.append(f"the exact {what}" if front.complete else part)
        return self._take(front)

    def _evaluate_all_nodes(self) -> bool:
        """Evaluate every node as cuts, unless there are too many; return whether this was done."""
        setting, units = self._setting, np.array(self._setting.space.granularity)
        lattice = Lattice(tuple((np.array(setting.problem.lattice.heights) - units).tolist()))
        budget = setting.meter.share(_SHARE, MOST_NODES)
        if lattice.size > (budget.evaluations or 0):
            return False
        own = Meter(budget)
        try:
            for first in range(0, lattice.size, _BATCH):
                nodes = lattice.unrank(np.arange(first, min(first + _BATCH, lattice.size))) + units
                own.charge(len(nodes))
                setting.archive.fitness(setting.space.at_nodes(nodes))
        except BudgetSpent:
            self.sources.append("the part of the front of levels that there was time for")
        else:
            self.sources.append("the exact front of levels")
        return True

    def _climb(self, climb: Iterator[int]) -> Generator[None, None, bool]:
        """Run a descent within its budget; return whether it was completed."""
        own, before = Meter(self._setting.meter.share(_SHARE, MOST_SPECIALIZED)), len(self._setting.archive)
        try:
            for _ in climb:
                yield
                own.charge(len(self._setting.archive) - before)
                before = len(self._setting.archive)
        except BudgetSpent:
            return False
        return True

    def _take(self, front: Front) -> Bits:
        """Evaluate all solutions of a front; return the first one of every point for the population."""
        space = self._setting.space
        self._setting.archive.fitness(_cuts_of(space, [each for point in front for each in point.solutions]))
        return _cuts_of(space, [point.solutions[0] for point in front])


def _cuts_of(space: CutSpace, solutions: Iterable[Solution]) -> Bits:
    rows = [
        space.at_levels([each.levels[name] for name in space.names])
        if each.cuts is None
        else space.parse({name: cut.bits for name, cut in each.cuts.items()})
        for each in solutions
    ]
    return np.array(rows, bool).reshape(len(rows), space.length)
