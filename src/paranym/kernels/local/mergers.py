"""One round of mergers of the bottom-up method (Figure 3 of the utility-based paper, steps 3 to 5)."""

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.local.box_index import Index, cheapest, note_merger
from paranym.kernels.local.cell_penalty import Scale
from paranym.kernels.local.groups import Groups, merge
from paranym.kernels.packing import Ints


@jit
def merge_small(scale: Scale, groups: Groups, index: Index, small: Ints, k: int, increase: bool, reach: int) -> None:
    """Every group of `small` that still has fewer than k rows merges with the one that it costs least to join."""
    stack = np.empty(128, np.int64)
    for g in small:
        if groups.alive[g] and groups.rows[g] < k:
            into = cheapest(scale, groups, index, g, increase, reach, stack)
            if into >= 0:
                merge(scale, groups, g, into)
                note_merger(groups, index, g, into)
