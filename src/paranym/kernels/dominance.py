"""Pareto dominance between vectors of costs; smaller is better in every cost."""

import numpy as np
from numpy.typing import NDArray

from paranym.kernels._jit import jit

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@jit
def mark_dominated(rivals: Floats, costs: Floats, tolerance: float, dominated: Flags) -> None:
    """Set `dominated[i]` if some row of `rivals` dominates row i of `costs`: never worse, and better in one cost.

    Two costs within the tolerance, relative to the larger, are equal.
    """
    for i in range(len(costs)):
        dominated[i] = is_dominated(rivals, costs[i], tolerance)


@jit
def is_dominated(rivals: Floats, cost: Floats, tolerance: float) -> bool:
    """Whether some row of `rivals` dominates `cost`."""
    for r in range(len(rivals)):
        better, worse = False, False
        for d in range(len(cost)):
            mine, theirs = cost[d], rivals[r, d]
            if mine == theirs:
                continue
            slack = tolerance * max(abs(mine), abs(theirs))
            if np.isfinite(slack) and abs(mine - theirs) <= slack:
                continue
            if theirs < mine:
                better = True
            else:
                worse = True
                break
        if better and not worse:
            return True
    return False
