"""What every search takes and yields."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.model.assessment import Assessments
from paranym.model.lattice import Lattice
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
    """Whether only the highest step of a staircase is a solution, so that a node has one k."""
    surcharge_falls: bool
    """Whether what suppression adds to the loss at a given k never increases upwards."""
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
