"""What every search takes and yields."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.model.assessment import Assessments
from paranym.model.lattice import Lattice
from paranym.model.objectives import Objectives
from paranym.model.values import is_number, is_whole

Evaluate = Callable[[NDArray[np.int64]], Assessments]
"""Nodes (nodes, attributes) in, their staircases out."""


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """What is known of all nodes before any is evaluated."""

    lattice: Lattice
    rows: int
    """N, which no k exceeds."""
    one_step: bool
    """Whether a node has one solution, and reaches at least the k of every node below it."""
    surcharge_falls: bool
    """Whether what suppression adds to the loss at a given k never increases upwards."""
    least_k: int = 1
    """A smaller k is no solution."""
    floor: tuple[int, ...] | int = 0
    """The node that was counted, where that is not the bottom: whatever does not lie above it is dear."""
    bottom_counts: bool = False
    """Whether it is a solution to publish everything as it is."""
    staircases: bool = True
    """Whether rows may be suppressed, so that a node may have several solutions."""
    objectives: Objectives = field(default_factory=Objectives.plain)
    per_level: tuple[NDArray[np.float64], ...] | None = None
    """What each attribute adds to the loss without suppression at each of its levels, if the loss is such a sum."""


class Corners(NamedTuple):
    """Where nothing better is excluded: every solution is matched or beaten by one of these. k descends, and loss."""

    k: NDArray[np.int64]
    loss: NDArray[np.float64]

    @classmethod
    def of(cls, k: NDArray[np.int64], loss: NDArray[np.float64]) -> "Corners":
        """Those that no other one beats."""
        order = np.lexsort((loss, -k))
        k, loss = k[order], loss[order]
        rival = np.minimum.accumulate(np.append(np.inf, loss))[:-1]
        return cls(k[loss < rival], loss[loss < rival])


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """How far a search has come. The last step is its result; a caller that stops early keeps a valid part."""

    evaluated: int
    """Nodes evaluated so far."""
    decided: int
    """Nodes evaluated or shown to be beaten so far."""
    found: Assessments
    """The solutions that no other one found so far beats."""
    complete: bool
    """Whether nothing can be missing."""
    possible: Callable[[], Corners] | None = None
    """What is left to hope for, where a search knows it, as it stands when asked."""
    record: tuple[Assessments, ...] = ()
    """The staircases from which the bounds follow, where a search leaves nodes out."""


class BudgetSpent(Exception):
    """The next nodes would exceed the budget; the last step that a search has yielded is its result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a search may spend: whichever ends first ends it.

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
        """The same, until the budget is spent. The clock starts now, and does not stop the first call."""
        start, spent = time.monotonic(), 0

        def metered(nodes: NDArray[np.int64]) -> Assessments:
            nonlocal spent
            if self.evaluations is not None and spent + len(nodes) > self.evaluations:
                raise BudgetSpent
            if self.seconds is not None and spent and time.monotonic() - start >= self.seconds:
                raise BudgetSpent
            spent += len(nodes)
            return evaluate(nodes)

        return metered


def orders(space: Space, seed: int) -> list[NDArray[np.int64]]:
    """All nodes, by their numbers, in the orders in which undecided ones take their turns.

    The highest first, of several the one that loses least. Where losses are not known beforehand, every other turn goes
    to a node drawn at random: it takes nodes from below to bound losses.
    """
    heights = _over_lattice([np.arange(height + 1.0) for height in space.lattice.heights])
    if space.per_level is not None:
        return [np.lexsort((loss_over_lattice(space), -heights))]
    highest_first = np.argsort(-heights, kind="stable")
    return [highest_first, np.random.default_rng(seed).permutation(space.lattice.size)]


def loss_over_lattice(space: Space) -> NDArray[np.float64]:
    """What every node loses at least without suppression, before any is evaluated."""
    return np.zeros(space.lattice.size) if space.per_level is None else _over_lattice(space.per_level)


def _over_lattice(tables: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """For every node, the sum of the entries of its levels."""
    return reduce(np.add.outer, tables).reshape(-1)
