"""Rows whose suppression makes a group narrower: which ones pay, group by group."""

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.local.cell_penalty import Floats, Scale, Truths, box_cost
from paranym.kernels.packing import Codes, Ints


@jit
def propose(
    positions: Codes,
    scale: Scale,
    tuples: Ints,
    amounts: Ints,
    begins: Ints,
    removed: Codes,
    still: Truths,
    k: int,
    most: int,
    end_of: Ints,
    rows: Ints,
    gain: Floats,
) -> None:
    """Find for every group in `still` the rows at one end of one attribute whose suppression lowers the cost most.

    Entries that are `removed` (not negative) do not count. At least `k` rows remain, and at most `most` are suppressed.
    A suppressed row costs all weights. Written are `end_of` (groups, 2): the attribute, and the outermost position that
    stays, negated and less one where positions below it go; the `rows` that go, 0 if none pay; and what is gained.
    """
    worst = scale.ceiling.sum()
    attributes = positions.shape[1]
    for g in range(len(begins) - 1):
        rows[g], gain[g] = 0, 0.0
        if not still[g]:
            continue
        members = np.array([e for e in range(begins[g], begins[g + 1]) if removed[e] < 0])
        size = amounts[members].sum()
        whole_low, whole_high = positions[tuples[members[0]]].copy(), positions[tuples[members[0]]].copy()
        for e in members[1:]:
            for j in range(attributes):
                whole_low[j] = min(whole_low[j], positions[tuples[e], j])
                whole_high[j] = max(whole_high[j], positions[tuples[e], j])
        cost = box_cost(scale, whole_low, whole_high)
        best = 0.0
        for j in range(attributes):
            if whole_low[j] == whole_high[j]:
                continue
            order = members[np.argsort(positions[tuples[members], j], kind="mergesort")]
            for upper in range(2):  # which end goes
                low, high = whole_high.copy(), whole_low.copy()
                kept = 0
                for n in range(len(order)):
                    e = order[n] if upper == 1 else order[len(order) - 1 - n]
                    here = positions[tuples[e], j]
                    for i in range(attributes):
                        low[i] = min(low[i], positions[tuples[e], i])
                        high[i] = max(high[i], positions[tuples[e], i])
                    kept += amounts[e]
                    last = n == len(order) - 1
                    following = order[min(n + 1, len(order) - 1)] if upper == 1 else order[max(len(order) - 2 - n, 0)]
                    if last or kept < k or size - kept > most or positions[tuples[following], j] == here:
                        continue
                    left = size - kept
                    gained = kept * (cost - box_cost(scale, low, high)) - left * (worst - cost)
                    if gained > 0 and gained / left > best:
                        best = gained / left
                        end_of[g, 0], end_of[g, 1] = j, here if upper == 1 else -here - 1
                        rows[g], gain[g] = left, gained


@jit
def strike(positions: Codes, tuples: Ints, begins: Ints, removed: Codes, end_of: Ints, rows: Ints, turn: int) -> None:
    """Mark the entries that were proposed as removed in this turn."""
    for g in range(len(begins) - 1):
        if rows[g] == 0:
            continue
        j, end = end_of[g, 0], end_of[g, 1]
        for e in range(begins[g], begins[g + 1]):
            here = positions[tuples[e], j]
            if removed[e] < 0 and ((end >= 0 and here > end) or (end < 0 and here < -end - 1)):
                removed[e] = turn
