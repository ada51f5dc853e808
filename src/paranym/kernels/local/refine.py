"""Refinement of groups: rows move or change places between groups, groups are dissolved or split, if that loses less.

A group keeps its box and its core: the box that is left whichever of its entries goes, or an empty one of a single
entry. With both, the box without one entry takes one look per attribute.
"""

from typing import NamedTuple

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.local.cell_penalty import Floats, Scale, box_cost, hull_cost, span
from paranym.kernels.local.cluster_tree import ClusterTree, loosen
from paranym.kernels.packing import Codes, Ints

GAIN = 1e-9
"""A smaller gain may be an error of rounding."""
ALL_PAIRS = 16
"""Entries of a group up to which every pair of them is tried as the seeds of a split."""
MOST_SEEDS = 64
"""Entries of a larger group that are tried, each with the one that is farthest from it."""
NOWHERE = np.iinfo(np.int32).max


class Clusters(NamedTuple):
    """Groups whose entries come and go; a group without entries is gone."""

    low: Codes
    """(groups, attributes): the lowest position of any entry."""
    high: Codes
    core_low: Codes
    """The lowest position but one, with repetitions."""
    core_high: Codes
    rows: Ints
    cost: Floats
    """Cost of each row of the group."""
    size: Ints
    """Entries."""
    head: Ints
    """The first entry of each group; -1 if there is none."""
    tuples: Ints
    """Per entry: which tuple. No two entries of a group have the same."""
    amounts: Ints
    """Per entry: how many of its rows."""
    after: Ints
    """Per entry: the next of the same group, or -1."""
    spare: Ints
    """Entries that are not in use."""
    used: Ints
    """Two numbers: how many entries are spare, and how many groups there are."""


@jit
def load(positions: Codes, scale: Scale, tuples: Ints, amounts: Ints, begins: Ints, clusters: Clusters) -> None:
    """Fill `clusters` from entries lying group by group."""
    entries, groups = len(tuples), len(begins) - 1
    for e in range(entries):
        clusters.tuples[e], clusters.amounts[e] = tuples[e], amounts[e]
    clusters.used[0], clusters.used[1] = len(clusters.tuples) - entries, groups
    for i in range(clusters.used[0]):
        clusters.spare[i] = len(clusters.tuples) - 1 - i
    for g in range(groups):
        clusters.head[g], clusters.size[g], clusters.rows[g] = begins[g], begins[g + 1] - begins[g], 0
        for e in range(begins[g], begins[g + 1]):
            clusters.after[e] = e + 1 if e + 1 < begins[g + 1] else -1
            clusters.rows[g] += amounts[e]
        _refit(positions, scale, clusters, g)


@jit
def unload(clusters: Clusters, tuples: Ints, amounts: Ints, begins: Ints) -> None:
    """Write the entries of all groups group by group; groups that are gone have none."""
    written = 0
    for g in range(clusters.used[1]):
        begins[g] = written
        e = clusters.head[g]
        while e >= 0:
            tuples[written], amounts[written] = clusters.tuples[e], clusters.amounts[e]
            written += 1
            e = clusters.after[e]
    begins[clusters.used[1]] = written


@jit
def _refit(positions: Codes, scale: Scale, clusters: Clusters, g: int) -> None:
    """Find the box and the core of a group, and what its rows cost."""
    for j in range(positions.shape[1]):
        clusters.low[g, j], clusters.high[g, j] = NOWHERE, -1
        clusters.core_low[g, j], clusters.core_high[g, j] = NOWHERE, -1
    e = clusters.head[g]
    while e >= 0:
        _widen(positions, clusters, g, clusters.tuples[e])
        e = clusters.after[e]
    clusters.cost[g] = box_cost(scale, clusters.low[g], clusters.high[g]) if clusters.size[g] else 0.0


@jit
def _widen(positions: Codes, clusters: Clusters, g: int, t: int) -> None:
    for j in range(positions.shape[1]):
        p = positions[t, j]
        clusters.core_low[g, j] = max(clusters.low[g, j], min(clusters.core_low[g, j], p))
        clusters.low[g, j] = min(clusters.low[g, j], p)
        clusters.core_high[g, j] = min(clusters.high[g, j], max(clusters.core_high[g, j], p))
        clusters.high[g, j] = max(clusters.high[g, j], p)


@jit
def _put(positions: Codes, scale: Scale, clusters: Clusters, g: int, t: int, amount: int) -> None:
    """Add rows of a tuple to a group."""
    clusters.rows[g] += amount
    e = clusters.head[g]
    while e >= 0:
        if clusters.tuples[e] == t:
            clusters.amounts[e] += amount
            return
        e = clusters.after[e]
    clusters.used[0] -= 1
    e = clusters.spare[clusters.used[0]]
    clusters.tuples[e], clusters.amounts[e] = t, amount
    clusters.after[e] = clusters.head[g]
    clusters.head[g] = e
    clusters.size[g] += 1
    _widen(positions, clusters, g, t)
    clusters.cost[g] = box_cost(scale, clusters.low[g], clusters.high[g])


@jit
def _take(positions: Codes, scale: Scale, clusters: Clusters, g: int, t: int, amount: int) -> None:
    """Remove rows of a tuple from a group, and their entry with the last of them."""
    clusters.rows[g] -= amount
    before, e = -1, clusters.head[g]
    while clusters.tuples[e] != t:
        before, e = e, clusters.after[e]
    clusters.amounts[e] -= amount
    if clusters.amounts[e] > 0:
        return
    if before < 0:
        clusters.head[g] = clusters.after[e]
    else:
        clusters.after[before] = clusters.after[e]
    clusters.size[g] -= 1
    clusters.spare[clusters.used[0]] = e
    clusters.used[0] += 1
    _refit(positions, scale, clusters, g)


@jit
def _box_without(positions: Codes, scale: Scale, clusters: Clusters, g: int, t: int, low: Codes, high: Codes) -> float:
    """Write the box of a group without the entry of one tuple, and return what it costs; 0 if nothing is left."""
    total = 0.0
    for j in range(positions.shape[1]):
        p = positions[t, j]
        low[j] = clusters.core_low[g, j] if p == clusters.low[g, j] else clusters.low[g, j]
        high[j] = clusters.core_high[g, j] if p == clusters.high[g, j] else clusters.high[g, j]
        if low[j] < high[j]:
            total += span(scale, j, low[j], high[j])
    return total


@jit
def _nearest(scale: Scale, positions: Codes, tree: ClusterTree, t: int, node: int) -> float:
    """Lower bound of the cost of a row in any group of a node that also holds a tuple."""
    total = 0.0
    for j in range(positions.shape[1]):
        p = positions[t, j]
        low, high = min(p, tree.most_low[node, j]), max(p, tree.least_high[node, j])
        total += span(scale, j, low, high)
    return total


@jit
def _best_host(
    positions: Codes,
    scale: Scale,
    clusters: Clusters,
    tree: ClusterTree,
    change: Ints,
    t: int,
    amount: int,
    apart: int,
    limit: float,
    reach: int,
) -> tuple[int, float]:
    """The group to which rows of a tuple add least to the total penalty, if that is below a limit, and how much it is.

    Exact, unless more than `reach` leaves would have to be looked at. Groups that `change` marks are passed over.
    """
    best, seen, depth = -1, 0, 1
    first_leaf = len(tree.begin) // 2
    tree.stack[0], tree.bounds[0] = 0, 0.0
    while depth > 0 and seen < reach:
        depth -= 1
        node = tree.stack[depth]
        if tree.bounds[depth] >= limit:
            continue
        if node < first_leaf:
            left = _least_added(scale, positions, tree, t, amount, 2 * node + 1)
            right = _least_added(scale, positions, tree, t, amount, 2 * node + 2)
            is_left = left <= right
            tree.stack[depth], tree.bounds[depth] = (2 * node + 2, right) if is_left else (2 * node + 1, left)
            tree.stack[depth + 1], tree.bounds[depth + 1] = (2 * node + 1, left) if is_left else (2 * node + 2, right)
            depth += 2
            continue
        seen += 1
        for i in range(tree.begin[node], tree.end[node]):
            g = tree.order[i]
            if g == apart or clusters.size[g] == 0 or change[g] >= 0:
                continue
            rows, before = clusters.rows[g] + amount, clusters.rows[g] * clusters.cost[g]
            cost = hull_cost(scale, clusters.low, clusters.high, g, positions, positions, t, (limit + before) / rows)
            if rows * cost - before < limit:
                best, limit = g, rows * cost - before
    return best, limit


@jit
def _least_added(scale: Scale, positions: Codes, tree: ClusterTree, t: int, amount: int, node: int) -> float:
    cost = _nearest(scale, positions, tree, t, node)
    return float(
        amount * max(cost, tree.least_cost[node]) + max(cost - tree.most_cost[node], 0.0) * tree.least_rows[node]
    )


@jit
def move_all(
    positions: Codes,
    scale: Scale,
    clusters: Clusters,
    tree: ClusterTree,
    order: Ints,
    k: int,
    swaps: bool,
    divisible: bool,
    once: bool,
    change: Ints,
    reach: int,
) -> int:
    """Move every entry that its group can spare to where it adds least, if that gains; return how many moved.

    With `swaps`, an entry that its group cannot spare changes places with one of another group, if that gains. Where
    `once`, each group changes at most once, and `change` has the same number for both groups.
    """
    changes = 0
    low, high = np.empty(positions.shape[1], np.int32), np.empty(positions.shape[1], np.int32)
    for g in order:
        members = np.empty(clusters.size[g], np.int64)
        e = clusters.head[g]
        for i in range(len(members)):
            members[i] = clusters.tuples[e]
            e = clusters.after[e]
        for t in members:
            if clusters.cost[g] <= GAIN or change[g] >= 0:
                break
            amount = _amount(clusters, g, t)
            without = _box_without(positions, scale, clusters, g, t, low, high)
            free, host, other, theirs = clusters.rows[g] - k, -1, -1, 0
            if amount > 0 and free > 0 and (free >= amount or (divisible and clusters.used[0] > 0)):
                moved = min(free, amount)
                left = without if moved == amount else clusters.cost[g]
                saved = clusters.rows[g] * clusters.cost[g] - (clusters.rows[g] - moved) * left
                host, _ = _best_host(positions, scale, clusters, tree, change, t, moved, g, saved - GAIN, reach)
                if host >= 0:
                    _take(positions, scale, clusters, g, t, moved)
                    _put(positions, scale, clusters, host, t, moved)
            if host < 0 and swaps and amount > 0 and free < amount and without < clusters.cost[g] - GAIN:
                host, other = _best_swap(
                    positions, scale, clusters, tree, change, g, t, amount, without, low, high, k, reach
                )
                if host >= 0:
                    theirs = _amount(clusters, host, other)
                    _take(positions, scale, clusters, g, t, amount)
                    _take(positions, scale, clusters, host, other, theirs)
                    _put(positions, scale, clusters, g, other, theirs)
                    _put(positions, scale, clusters, host, t, amount)
            if host >= 0:
                changes += 1
                loosen(clusters.low, clusters.high, clusters.rows, clusters.cost, tree, g)
                loosen(clusters.low, clusters.high, clusters.rows, clusters.cost, tree, host)
                if once:
                    change[g], change[host] = g, g
    return changes


@jit
def _amount(clusters: Clusters, g: int, t: int) -> int:
    """How many rows of a tuple a group has."""
    e = clusters.head[g]
    while e >= 0:
        if clusters.tuples[e] == t:
            return int(clusters.amounts[e])
        e = clusters.after[e]
    return 0


@jit
def _best_swap(
    positions: Codes,
    scale: Scale,
    clusters: Clusters,
    tree: ClusterTree,
    change: Ints,
    g: int,
    t: int,
    amount: int,
    without: float,
    low: Codes,
    high: Codes,
    k: int,
    reach: int,
) -> tuple[int, int]:
    """The group, and the tuple in it, with which an entry of group `g` changes places for the largest gain.

    Only groups that the entry widens moderately are looked at: by at most their own cost, or what `g` saves.
    """
    best, tuple_, gain, seen, depth = -1, -1, GAIN, 0, 1
    mine, saved = clusters.rows[g] * clusters.cost[g], clusters.rows[g] * (clusters.cost[g] - without)
    first_leaf = len(tree.begin) // 2
    tree.stack[0], tree.bounds[0] = 0, 0.0
    while depth > 0 and seen < reach:
        depth -= 1
        node = tree.stack[depth]
        if node < first_leaf:
            for child in (2 * node + 1, 2 * node + 2):
                widest = tree.most_cost[child] + max(tree.most_cost[child], saved / tree.least_rows[child])
                if _nearest(scale, positions, tree, t, child) <= widest:
                    tree.stack[depth] = child
                    depth += 1
            continue
        seen += 1
        for i in range(tree.begin[node], tree.end[node]):
            b = tree.order[i]
            if b == g or clusters.size[b] == 0 or change[b] >= 0:
                continue
            both = mine + clusters.rows[b] * clusters.cost[b]
            enough = clusters.cost[b] + max(clusters.cost[b], saved / clusters.rows[b])
            if hull_cost(scale, clusters.low, clusters.high, b, positions, positions, t, enough) > enough:
                continue
            least = (both - gain) / k - without  # of the other group, whichever entry goes: both groups keep k rows
            if hull_cost(scale, clusters.core_low, clusters.core_high, b, positions, positions, t, least) >= least:
                continue
            e = clusters.head[b]
            while e >= 0:
                won = both - _after_swap(positions, scale, clusters, g, b, e, t, amount, low, high, k, both - gain)
                if won > gain:
                    best, tuple_, gain = b, clusters.tuples[e], won
                e = clusters.after[e]
    return best, tuple_


@jit
def _after_swap(
    positions: Codes,
    scale: Scale,
    clusters: Clusters,
    g: int,
    b: int,
    e: int,
    t: int,
    amount: int,
    low: Codes,
    high: Codes,
    k: int,
    enough: float,
) -> float:
    """The penalty of both groups after entry `e` of group `b` has changed places with tuple `t` of group `g`.

    Infinite if a group would fall below k, or if it is no less than `enough`.
    """
    other, theirs = clusters.tuples[e], clusters.amounts[e]
    of_g, of_b = clusters.rows[g] - amount + theirs, clusters.rows[b] - theirs + amount
    if other == t or of_g < k or of_b < k:
        return np.inf
    total = 0.0
    for j in range(positions.shape[1]):
        p = positions[other, j]
        total += of_g * span(scale, j, min(low[j], p), max(high[j], p))
        if total >= enough:
            return np.inf
    for j in range(positions.shape[1]):
        p, q = positions[other, j], positions[t, j]
        first = clusters.core_low[b, j] if p == clusters.low[b, j] else clusters.low[b, j]
        last = clusters.core_high[b, j] if p == clusters.high[b, j] else clusters.high[b, j]
        total += of_b * span(scale, j, min(first, q), max(last, q))
        if total >= enough:
            return np.inf
    return total


@jit
def dissolve_all(
    positions: Codes,
    scale: Scale,
    clusters: Clusters,
    tree: ClusterTree,
    order: Ints,
    once: bool,
    change: Ints,
    reach: int,
) -> int:
    """Give all entries of a group to others, if that gains; return how many groups are gone."""
    changes = 0
    for g in order:
        size, left = clusters.size[g], clusters.rows[g] * clusters.cost[g] - GAIN
        if left <= 0 or change[g] >= 0 or clusters.used[0] < size:
            continue
        tuples, amounts, hosts = np.empty(size, np.int64), np.empty(size, np.int64), np.empty(size, np.int64)
        e, placed = clusters.head[g], 0
        for i in range(size):
            tuples[i], amounts[i] = clusters.tuples[e], clusters.amounts[e]
            e = clusters.after[e]
        while placed < size:
            t, amount = tuples[placed], amounts[placed]
            host, added = _best_host(positions, scale, clusters, tree, change, t, amount, g, left, reach)
            if host < 0:
                break
            left -= added
            hosts[placed] = host
            placed += 1
            _put(positions, scale, clusters, host, t, amount)
            loosen(clusters.low, clusters.high, clusters.rows, clusters.cost, tree, host)
        if placed == size:
            changes += 1
            for i in range(size):
                _take(positions, scale, clusters, g, tuples[i], amounts[i])
                if once:
                    change[g], change[hosts[i]] = g, g
        else:
            for i in range(placed - 1, -1, -1):
                _take(positions, scale, clusters, hosts[i], tuples[i], amounts[i])
    return changes


@jit
def split_all(
    positions: Codes, scale: Scale, clusters: Clusters, k: int, divisible: bool, once: bool, change: Ints
) -> int:
    """Split groups of 2k rows or more in two, again and again, wherever that gains; return how many were split."""
    changes, g = 0, 0
    while g < clusters.used[1]:
        while clusters.rows[g] >= 2 * k and clusters.cost[g] > GAIN and change[g] < 0:
            if clusters.used[1] >= len(clusters.rows) or not _split(positions, scale, clusters, g, k, divisible):
                break
            changes += 1
            if once:
                change[g], change[clusters.used[1] - 1] = g, g
        g += 1
    return changes


@jit
def _split(positions: Codes, scale: Scale, clusters: Clusters, g: int, k: int, divisible: bool) -> bool:
    """Split a group by the order and the cut that lose least; the second part becomes the last group.

    The orders are those of the axes, of the distance from one tuple, and of the difference of distances from two.
    """
    m, attributes = clusters.size[g], positions.shape[1]
    mine, amounts = np.empty((m, attributes), np.int32), np.empty(m, np.int64)
    tuples, e = np.empty(m, np.int64), clusters.head[g]
    for i in range(m):
        tuples[i], amounts[i] = clusters.tuples[e], clusters.amounts[e]
        for j in range(attributes):
            mine[i, j] = positions[tuples[i], j]
        e = clusters.after[e]
    divides = divisible and clusters.used[0] > 0
    least, cut, part = clusters.rows[g] * clusters.cost[g] - GAIN, -1, 0
    best, keys = np.empty(m, np.int64), np.empty(m)
    near, far, costs = np.empty(m), np.empty(m), np.empty(m)
    balls = min(m, MOST_SEEDS)
    pairs = m * (m - 1) // 2 if m <= ALL_PAIRS else balls
    x, y = 0, 0
    for turn in range(attributes + balls + pairs):
        if turn < attributes:
            if clusters.low[g, turn] == clusters.high[g, turn]:
                continue
            for i in range(m):
                keys[i] = mine[i, turn]
        elif turn < attributes + balls:
            _measure(scale, mine, (turn - attributes) * m // balls, keys)
        else:
            if m <= ALL_PAIRS:
                x, y = (x, y + 1) if y + 1 < m else (x + 1, x + 2)
            else:
                x = (turn - attributes - balls) * m // balls
                y = _measure(scale, mine, x, near)
            _measure(scale, mine, x, near)
            _measure(scale, mine, y, far)
            for i in range(m):
                keys[i] = near[i] - far[i]
        order = np.argsort(keys, kind="mergesort")
        found, place, rest = _best_cut(scale, mine, amounts, order, k, divides, costs, least)
        if place >= 0:
            least, cut, part = found, place, rest
            for i in range(m):
                best[i] = order[i]
    if cut < 0:
        return False
    _part(positions, scale, clusters, g, tuples, amounts, best, cut, part)
    return True


@jit
def _measure(scale: Scale, mine: Codes, x: int, costs: Floats) -> int:
    """Write the cost of each tuple together with tuple `x`; return the one that costs most."""
    farthest = x
    for i in range(len(mine)):
        costs[i] = 0.0
        for j in range(mine.shape[1]):
            costs[i] += span(scale, j, min(mine[i, j], mine[x, j]), max(mine[i, j], mine[x, j]))
        if costs[i] > costs[farthest]:
            farthest = i
    return farthest


@jit
def _best_cut(
    scale: Scale, mine: Codes, amounts: Ints, order: Ints, k: int, divides: bool, costs: Floats, least: float
) -> tuple[float, int, int]:
    """The cut of an order into two parts of at least k rows that costs less than `least`.

    Returns its cost, the place of the first entry of the second part (-1 if there is none), and how many rows of this
    entry belong to the first part nevertheless.
    """
    m, attributes = mine.shape
    low, high = np.full(attributes, NOWHERE, np.int32), np.full(attributes, -1, np.int32)
    total = 0
    for i in range(m - 1, -1, -1):
        _stretch(mine, order[i], low, high)
        costs[i] = box_cost(scale, low, high)
        total += amounts[order[i]]
    for j in range(attributes):
        low[j], high[j] = NOWHERE, -1
    place, rest, before, first = -1, 0, 0, 0.0
    for i in range(m):
        if before >= k and total - before >= k and before * first + (total - before) * costs[i] < least:
            least, place, rest = before * first + (total - before) * costs[i], i, 0
        _stretch(mine, order[i], low, high)
        first = box_cost(scale, low, high)
        if divides:
            fewest = max(k - before, 1)
            most = min(total - k - before, amounts[order[i]] - 1)
            for inside in (fewest, most):
                if fewest <= inside <= most:
                    cost = (before + inside) * first + (total - before - inside) * costs[i]
                    if cost < least:
                        least, place, rest = cost, i, inside
        before += amounts[order[i]]
    return least, place, rest


@jit
def _stretch(mine: Codes, i: int, low: Codes, high: Codes) -> None:
    for j in range(len(low)):
        low[j], high[j] = min(low[j], mine[i, j]), max(high[j], mine[i, j])


@jit
def _part(
    positions: Codes,
    scale: Scale,
    clusters: Clusters,
    g: int,
    tuples: Ints,
    amounts: Ints,
    order: Ints,
    cut: int,
    rest: int,
) -> None:
    """Make a group of the entries from a cut on; of the first one, `rest` rows stay."""
    new = clusters.used[1]
    clusters.used[1] += 1
    clusters.head[new], clusters.size[new], clusters.rows[new] = -1, 0, 0
    _refit(positions, scale, clusters, new)
    for i in range(cut, len(order)):
        amount = amounts[order[i]] - (rest if i == cut else 0)
        _take(positions, scale, clusters, g, tuples[order[i]], amount)
        _put(positions, scale, clusters, new, tuples[order[i]], amount)
