"""Which of many costs are beaten by others; every cost is better when it is smaller."""

import numpy as np
from numpy.typing import NDArray

from paranym.kernels._jit import jit

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]


@jit
def beaten_by(rivals: Floats, costs: Floats, tolerance: float, beaten: Flags) -> None:
    """Set `beaten[i]` if some row of `rivals` is at least as good as row i of `costs` everywhere, and better somewhere.

    Two costs within the tolerance, relative to the larger, are equal.
    """
    for i in range(len(costs)):
        beaten[i] = is_beaten(rivals, costs[i], tolerance)


@jit
def is_beaten(rivals: Floats, cost: Floats, tolerance: float) -> bool:
    """Whether some row of `rivals` beats `cost`."""
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
