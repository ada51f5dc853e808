"""What every search takes and yields."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paranym.model.assessment import Assessments

Evaluate = Callable[[NDArray[np.int64]], Assessments]
"""Nodes (nodes, attributes) in, every solution that they offer out."""


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """How far a search has come. The last step is its result; a caller that stops early keeps a valid part."""

    evaluated: int
    """Nodes evaluated so far."""
    found: Assessments
    """The solutions that no other one found so far beats."""
    complete: bool
    """Whether nothing can be missing."""
