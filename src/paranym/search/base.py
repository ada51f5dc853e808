"""What every search takes and yields."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paranym.model.assessment import Assessments
from paranym.model.lattice import Lattice

Evaluate = Callable[[NDArray[np.int64]], Assessments]
"""Nodes (nodes, attributes) in, their staircases out."""


@dataclass(frozen=True, slots=True, eq=False)
class Space:
    """What is known of all nodes before any is evaluated."""

    lattice: Lattice
    one_step: bool
    """Whether only the highest step of a staircase is a solution, so that a node has one k."""
    surcharge_falls: bool
    """Whether what suppression adds to the loss at a given k never increases upwards."""
    per_level: tuple[NDArray[np.float64], ...] | None = None
    """What each attribute adds to the loss without suppression at each of its levels, if the loss is such a sum."""


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
    certificate: Assessments | None = None
    """The staircases from which completeness follows, where a search leaves nodes out."""
