"""The input and the steps of every search."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.model.lattice import Lattice
from paranym.model.values import is_number, is_whole
from paranym.results.assessment import Assessments
from paranym.results.objectives import Objectives

Ints = NDArray[np.int64]
Evaluate = Callable[[Ints], Assessments]
"""Nodes (nodes, attributes) in, their staircases out."""


_MOMENT = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """Facts about all nodes that are known before any is evaluated."""

    lattice: Lattice
    rows: int
    """N, or the number of people if k counts those: no k exceeds it."""
    one_step: bool
    """True if every node has one solution, with at least the k of every node below it."""
    surcharge_falls: bool
    """True if the suppression cost at a given k never increases upwards."""
    least_k: int = 1
    """Solutions have at least this k."""
    floor: tuple[int, ...] = (0,)
    """The node where the table was counted; nodes that are not above it are expensive to evaluate."""
    bottom_counts: bool = False
    """True if publishing the table unchanged is a solution."""
    staircases: bool = True
    """Whether rows may be suppressed, so that a node may have several solutions."""
    objectives: Objectives = field(default_factory=Objectives.plain)
    per_level: tuple[NDArray[np.float64], ...] | None = None
    """Unsuppressed loss of each attribute at each of its levels, if the loss is additive."""


class Corners(NamedTuple):
    """Best cases that the bounds allow: one of them matches or dominates any solution. k and loss descend."""

    k: NDArray[np.int64]
    loss: NDArray[np.float64]

    @classmethod
    def of(cls, k: NDArray[np.int64], loss: NDArray[np.float64]) -> "Corners":
        """Return the non-dominated ones of these corners."""
        order = np.lexsort((loss, -k))
        k, loss = k[order], loss[order]
        rival = np.minimum.accumulate(np.append(np.inf, loss))[:-1]
        return cls(k[loss < rival], loss[loss < rival])

    def with_those(self, steps: Assessments) -> "Corners":
        """Return the non-dominated ones of these corners and of further steps."""
        return Corners.of(np.append(self.k, steps.k), np.append(self.loss, steps.loss))


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """How far a search has come. The last step is its result; a caller that stops early keeps a valid part."""

    evaluated: int
    """Nodes evaluated so far."""
    decided: int
    """Nodes evaluated or shown to be dominated so far."""
    found: Assessments
    """The non-dominated solutions so far."""
    complete: bool
    """True if no Pareto-optimal solution is missing."""
    possible: Callable[[], Corners] | None = None
    """Current bounds on undiscovered solutions, if a search knows them."""
    record: tuple[Assessments, ...] = ()
    """The staircases that imply the bounds, if a search does not evaluate all nodes."""


class FrontSearch(Protocol):
    """A search for the Pareto front on the lattice: a function, or an object that can be called like one.

    `paranym.testing.check_search` tries out what callers rely on. Every solution in `Step.found` was evaluated, no
    solution of a step dominates another one, and counts never decrease. A step is `complete` only if no solution of any
    node is missing. `evaluate` raises `BudgetSpent` when the budget ends; let it pass.
    """

    def __call__(self, space: Space, evaluate: Evaluate, /) -> Iterator[Step]:
        """Yield how far the search has come, at least once; the last step is its result."""


class BudgetSpent(Exception):
    """The next nodes would exceed the budget; the last step that a search has yielded is its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Limits of a search; the first limit that is exceeded ends it.

    >>> Budget(seconds=60)
    Budget(seconds=60, evaluations=None)
    """

    seconds: float | None = None
    evaluations: int | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not (is_number(self.seconds) and self.seconds > 0):
            raise BadInput(f"A budget of seconds is a positive number; got {self.seconds!r}.")
        if self.evaluations is not None and not (is_whole(self.evaluations) and self.evaluations > 0):
            raise BadInput(f"A budget of evaluations is a positive whole number; got {self.evaluations!r}.")

    def meter(self, evaluate: Evaluate) -> Evaluate:
        """Return `evaluate` with a meter, which raises once the budget is spent.

        The clock starts now, but never stops the first call.
        """
        meter = Meter(self)

        def metered(nodes: NDArray[np.int64]) -> Assessments:
            meter.charge(len(nodes))
            return evaluate(nodes)

        return metered


class Meter:
    """The spent part of a budget. The clock starts on construction; time never stops the first charge.

    >>> meter = Meter(Budget(evaluations=100))
    >>> meter.charge(40)
    >>> meter.share(0.5, most=1000)
    Budget(seconds=None, evaluations=30)
    """

    def __init__(self, budget: Budget) -> None:
        self._budget, self._start, self._spent, self._begun = budget, time.monotonic(), 0, False

    def charge(self, evaluations: int) -> None:
        """Spend this many evaluations; raise if the budget has too few, or no time."""
        most, seconds = self._budget.evaluations, self._budget.seconds
        if most is not None and self._spent + evaluations > most:
            raise BudgetSpent
        if seconds is not None and self._begun and time.monotonic() - self._start >= seconds:
            raise BudgetSpent
        self._begun = True
        self._spent += evaluations

    def spend(self, evaluations: int) -> None:
        """Record the evaluations that a share of the budget has used; the next charge still counts as the first."""
        self._spent += evaluations

    def share(self, share: float, most: int) -> Budget:
        """Return a share of the remaining budget, with at most `most` evaluations and at least one."""
        evaluations, seconds = self._budget.evaluations, self._budget.seconds
        left = most if evaluations is None else int((evaluations - self._spent) * share)
        time_left = None if seconds is None else max((seconds - (time.monotonic() - self._start)) * share, _MOMENT)
        return Budget(seconds=time_left, evaluations=max(min(left, most), 1))


def orders(space: Space, seed: int) -> list[NDArray[np.int64]]:
    """Return the orders in which undecided nodes take turns; each lists all nodes by number.

    The first order begins with the highest nodes, and among those with the least loss. If losses are not known before
    evaluation, a random order alternates with it: only nodes from below bound losses.
    """
    heights = _over_lattice([np.arange(height + 1.0) for height in space.lattice.heights])
    if space.per_level is not None:
        return [np.lexsort((loss_over_lattice(space), -heights))]
    highest_first = np.argsort(-heights, kind="stable")
    return [highest_first, np.random.default_rng(seed).permutation(space.lattice.size)]


def loss_over_lattice(space: Space) -> NDArray[np.float64]:
    """Lower bound of the unsuppressed loss of every node, before any is evaluated."""
    return np.zeros(space.lattice.size) if space.per_level is None else _over_lattice(space.per_level)


def _over_lattice(tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Sum of the entries of its levels, for every node."""
    return reduce(np.add.outer, tables).reshape(-1)
