"""Groups that are too small: merged with another, or filled up from one that can spare rows (section 4.2)."""

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.local.cell_penalty import Scale, Truths, box_cost, hull_cost, near_cost
from paranym.kernels.local.groups import Groups, fit_box, merge
from paranym.kernels.packing import Codes, Ints


@jit
def nearest(scale: Scale, groups: Groups, g: int, reach: int) -> tuple[int, float]:
    """The group whose merger with `g` adds least to the total penalty, and how much that is.

    Looks at `reach` living groups on either side.
    """
    best, least = -1, np.inf
    own, size = groups.cost[g] * groups.rows[g], groups.rows[g]
    for step in (-1, 1):
        other, seen = g + step, 0
        while 0 <= other < len(groups.rows) and seen < reach:
            if groups.alive[other]:
                seen += 1
                rows = size + groups.rows[other]
                before = own + groups.cost[other] * groups.rows[other]
                enough = (least + before) / rows
                cost = hull_cost(scale, groups.low, groups.high, g, groups.low, groups.high, other, enough)
                if cost * rows - before < least:
                    best, least = other, cost * rows - before
            other += step
    return best, least


@jit
def adjust(positions: Codes, scale: Scale, groups: Groups, small: Ints, k: int, reach: int, divisible: bool) -> None:
    """Until every group has at least k rows: take the alternative that adds less to the total penalty."""
    scratch = np.empty(2 * k + 2, np.int64)
    for start in small:
        g = start
        while groups.alive[g] and groups.rows[g] < k:
            into, price = nearest(scale, groups, g, reach)
            donor = -1
            if divisible:
                donor, taken, scratch = _best_donor(positions, scale, groups, g, k, reach, price, scratch)
            if donor >= 0:
                _give(positions, scale, groups, donor, g, k - groups.rows[g], scratch[:taken])
            else:
                merge(scale, groups, g, into)
                g = into


@jit
def merge_failing(scale: Scale, groups: Groups, failing: Truths, reach: int) -> None:
    """Every group that fails, and was not merged meanwhile, becomes part of the nearest."""
    for g in range(len(failing)):
        if failing[g] and groups.alive[g]:
            into, _ = nearest(scale, groups, g, reach)
            if into >= 0:
                merge(scale, groups, g, into)
                failing[into] = False


@jit
def _best_donor(
    positions: Codes, scale: Scale, groups: Groups, g: int, k: int, reach: int, price: float, scratch: Ints
) -> tuple[int, int, Ints]:
    """The group that fills `g` up to k for less than the price given, and keeps k; and how many entries it gives."""
    missing = k - groups.rows[g]
    best, taken = -1, 0
    low, high = np.empty(groups.low.shape[1], np.int32), np.empty(groups.low.shape[1], np.int32)
    for step in (-1, 1):
        other, seen = g + step, 0
        while 0 <= other < len(groups.rows) and seen < reach:
            if groups.alive[other]:
                seen += 1
                if groups.rows[other] >= k + missing and _could_cost_less(scale, groups, g, other, k, price):
                    chosen = _closest(positions, scale, groups, g, other, missing)
                    cost = _price(positions, scale, groups, g, other, chosen, missing, low, high)
                    if cost < price:
                        best, price, taken = other, cost, len(chosen)
                        if len(scratch) < taken:
                            scratch = np.empty(2 * taken, np.int64)
                        for i in range(taken):
                            scratch[i] = chosen[i]
            other += step
    return best, taken, scratch


@jit
def _could_cost_less(scale: Scale, groups: Groups, g: int, donor: int, k: int, price: float) -> bool:
    """Whether filling `g` from the donor could cost less, if `g` grows to the nearest point of the donor's box."""
    before = groups.cost[g] * groups.rows[g] + groups.cost[donor] * groups.rows[donor]
    enough = (price + before) / k
    return bool(near_cost(scale, groups.low, groups.high, g, groups.low, groups.high, donor, enough) < enough)


@jit
def _closest(positions: Codes, scale: Scale, groups: Groups, g: int, donor: int, missing: int) -> Ints:
    """The entries of a donor that are closest to group `g`, as many as have the missing rows."""
    count, e = 0, groups.head[donor]
    while e >= 0:
        count += 1
        e = groups.after[e]
    entries, costs = np.empty(count, np.int64), np.empty(count)
    e = groups.head[donor]
    for i in range(count):
        entries[i] = e
        member = groups.tuples[e]
        costs[i] = hull_cost(scale, groups.low, groups.high, g, positions, positions, member, np.inf)
        e = groups.after[e]
    order = np.argsort(costs, kind="mergesort")
    rows, chosen = 0, 0
    while rows < missing:
        rows += groups.amounts[entries[order[chosen]]]
        chosen += 1
    picked = np.empty(chosen, np.int64)
    for i in range(chosen):
        picked[i] = entries[order[i]]
    return picked


@jit
def _price(
    positions: Codes,
    scale: Scale,
    groups: Groups,
    g: int,
    donor: int,
    chosen: Ints,
    missing: int,
    low: Codes,
    high: Codes,
) -> float:
    """Increase of the total penalty if the chosen entries of the donor move to group `g`."""
    for j in range(len(low)):
        low[j], high[j] = groups.low[g, j], groups.high[g, j]
    rows = 0
    for e in chosen:
        _widen(low, high, positions, groups.tuples[e])
        rows += groups.amounts[e]
    before = groups.cost[g] * groups.rows[g] + groups.cost[donor] * groups.rows[donor]
    after = box_cost(scale, low, high) * (groups.rows[g] + missing)
    partly = chosen[-1] if rows > missing else -1
    started = False
    e = groups.head[donor]
    while e >= 0:
        if e == partly or not _contains(chosen, e):
            member = groups.tuples[e]
            if not started:
                for j in range(len(low)):
                    low[j], high[j] = positions[member, j], positions[member, j]
                started = True
            _widen(low, high, positions, member)
        e = groups.after[e]
    return float(after + box_cost(scale, low, high) * (groups.rows[donor] - missing) - before)


@jit
def _widen(low: Codes, high: Codes, positions: Codes, member: int) -> None:
    for j in range(len(low)):
        low[j] = min(low[j], positions[member, j])
        high[j] = max(high[j], positions[member, j])


@jit
def _contains(chosen: Ints, e: int) -> bool:
    for other in chosen:
        if other == e:
            return True
    return False


@jit
def _give(positions: Codes, scale: Scale, groups: Groups, donor: int, to: int, missing: int, chosen: Ints) -> None:
    """Move `missing` rows of the chosen entries; of the last one perhaps only a part, which becomes a new entry."""
    of_last = _missing_of_last(groups, chosen, missing)
    e = groups.head[donor]
    groups.head[donor] = -1
    while e >= 0:
        following = groups.after[e]
        if e == chosen[-1]:
            _give_last(groups, donor, to, e, of_last)
        elif _contains(chosen, e):
            _append(groups, to, e)
        else:
            _append(groups, donor, e)
        e = following
    groups.rows[donor] -= missing
    groups.rows[to] += missing
    fit_box(positions, scale, groups, donor)
    fit_box(positions, scale, groups, to)


@jit
def _missing_of_last(groups: Groups, chosen: Ints, missing: int) -> int:
    for i in range(len(chosen) - 1):
        missing -= groups.amounts[chosen[i]]
    return missing


@jit
def _give_last(groups: Groups, donor: int, to: int, e: int, wanted: int) -> None:
    if wanted < groups.amounts[e]:
        part = groups.used[0]
        groups.used[0] += 1
        groups.tuples[part] = groups.tuples[e]
        groups.amounts[part] = wanted
        groups.amounts[e] -= wanted
        _append(groups, donor, e)
        _append(groups, to, part)
    else:
        _append(groups, to, e)


@jit
def _append(groups: Groups, g: int, e: int) -> None:
    groups.after[e] = -1
    if groups.head[g] < 0:
        groups.head[g] = e
    else:
        groups.after[groups.tail[g]] = e
    groups.tail[g] = e
