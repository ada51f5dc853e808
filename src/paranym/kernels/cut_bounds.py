"""Bounds on all cuts between two cuts, for the branch and bound on splits.

A cut is a set of splits: an inner value of a tree is split into its children, or two neighbouring units of an order are
separated. A part of the search space is given by the splits that are made and those that are excluded; all others are
free. *Savings* are what publishing saves, compared with suppressing everything: whole numbers, so that sums are exact.

Making a further split never makes an equivalence class larger. Let S(u) be the rows that are suppressed if a free split
u is made in addition (with its ancestors). A cut that makes the free splits U suppresses at least the union of S(u)
over U. Therefore:

- rows that are suppressed with the made splits alone are suppressed by all cuts of the part;
- a split whose S(u) exceeds the suppression limit is excluded;
- the savings of a cut are at most those of the made splits, plus, for every u in U, what u saves on rows outside S(u),
  minus what rows of S(u) saved before. A row that is suppressed by several splits is charged to each of them with an
  equal share, rounded down, so that it is never charged more than once in all.

The limit on suppressed rows is priced: for any price, the savings of U are at most the price of the whole limit plus
the positive parts of each split's savings minus the price of its rows. A split is forced if the bound without it, and
without the splits below it, does not exceed the savings of the best cut that is known.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.kernels._jit import jit
from paranym.kernels.grouping import group, slot_bits
from paranym.kernels.packing import Codes, Ints

Flags = NDArray[np.bool_]

OPEN, CLOSED, INFEASIBLE = 0, 1, 2
_SHARES = 5040
"""Parts of a row, so that most shares of it are whole numbers."""
_MOST_KEY = 2**62
_ENTRIES = 16
"""Suppressed combinations that are listed, per combination; if there are more, the others are not charged, which only
weakens bounds."""


class Splits(NamedTuple):
    """All splits, each behind its parent, and the blocks of units that they lead to."""

    attribute: Ints
    parent: Ints
    """The split that makes the value of this one; -1 for none. Separations in an order have no parent."""
    depth: Ints
    begin: Ints
    """The first unit of the value; of a separation, the unit before it."""
    end: Ints
    """The unit after the last of the value."""
    units: Ints
    """Units of every attribute."""
    unit_start: Ints
    """Where the units of every attribute begin, if those of all attributes stand in a row."""
    is_free: Flags
    """Whether an attribute is cut into any intervals."""
    first_split: Ints
    """The first split of every attribute."""
    table_start: Ints
    """Where the tables of every attribute begin: by depth and unit for trees, by begin and end for intervals."""
    value_begin: Ints
    """By depth and unit: the first unit of the value that contains the unit."""
    value_split: Ints
    """By depth and unit: the split of that value; -1 if it has none."""
    savings: Ints
    """By depth and unit, or by begin and end: savings of one row that is published with the value."""


class Probing(NamedTuple):
    """Results of bounding one part of the search space."""

    status: int
    bound: int
    """Most savings of any cut of the part; not less than those of the made splits."""
    savings: int
    """Savings of the made splits alone."""
    combinations: int
    """Combinations that are not suppressed, merged if no free split tells them apart."""
    room: int
    """Rows that may still be suppressed."""
    evaluated: int
    """Cuts whose classes were counted."""
    best: int
    """Largest savings met on the way."""


class _Scratch(NamedTuple):
    """Memory for the combinations of a part."""

    keys: Ints
    distinct: Ints
    totals: Ints
    member: Codes
    slots: Codes


class _Probed(NamedTuple):
    """Effects of making each free split."""

    effect: Ints
    """Savings on rows that stay published, minus the split's share of what suppressed rows saved before."""
    weight: Ints
    """The split's share of the rows that become suppressed."""
    listed: Ints
    """The combinations that become suppressed, of all splits in a row."""
    listed_from: Ints
    listed_to: Ints
    times: Ints
    """How many splits suppress each combination."""


@jit
def bound_part(
    splits: Splits,
    k: int,
    goal: int,
    made: Flags,
    excluded: Flags,
    codes: Codes,
    counts: Ints,
    room: int,
    gains: Ints,
    scores: Ints,
    best: Flags,
) -> Probing:
    """Bound the savings of all cuts that contain `made` and nothing `excluded`, and decide what follows for splits.

    `codes` (attributes, combinations) and `counts` are changed in place: suppressed combinations are removed, and those
    that no free split tells apart are merged. Splits that must be made or cannot be made are marked in `made` and
    `excluded`. `goal` are the savings to exceed; a part that cannot exceed them is closed. `gains` becomes, for every
    free split, the change of savings if it is made, or a negative number if it cannot be; `scores` becomes how much the
    bound depends on each split that can be made next, -1 for others. `best` becomes the splits of the best cut met.
    """
    total, n = len(splits.parent), len(counts)
    attributes, all_units = len(splits.units), splits.unit_start[-1]
    begin, saves = np.empty(all_units, np.int64), np.empty(all_units, np.int64)
    fine, fine_saves = np.empty(all_units, np.int64), np.empty(all_units, np.int64)
    scratch = _Scratch(
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int32),
        np.empty(1 << slot_bits(n), np.int32),
    )
    below, shares, finest = np.empty(total, np.int64), np.empty(attributes, np.int64), np.empty(attributes, np.int64)
    evaluated, most = 0, -1
    while True:
        if not _close(splits, made, excluded):
            return Probing(INFEASIBLE, -1, -1, n, room, evaluated, most)
        find_blocks(splits, ~excluded, fine, fine_saves)
        find_blocks(splits, made, begin, saves)
        n = _merge(splits, codes, counts, n, fine, scratch)
        first, n, suppressed = _sort_into_classes(splits, k, codes, counts, n, begin, scratch)
        evaluated += 1
        room -= suppressed
        if room < 0:
            return Probing(INFEASIBLE, -1, -1, n, room, evaluated, most)
        own = _add_up(splits, codes, n, saves)
        savings = 0
        for i in range(n):
            savings += own[i] * counts[i]
        if savings > most:
            most = savings
            best[:] = made
        goal = max(goal, savings)
        probed = _Probed(
            np.zeros(total, np.int64),
            np.zeros(total, np.int64),
            np.empty(_ENTRIES * n + 64, np.int64),
            np.zeros(total, np.int64),
            np.zeros(total, np.int64),
            np.zeros(n, np.int64),
        )
        evaluated += _probe(splits, k, made, excluded, codes, counts, room, first, begin, probed)
        _charge(made, excluded, counts, own, gains, probed)
        for j in range(attributes):
            start = splits.unit_start[j]
            finest[j] = 0
            for i in range(n):
                finest[j] += counts[i] * (fine_saves[start + codes[j, i]] - saves[start + codes[j, i]])
        limit = savings + _most_gain(splits, made, excluded, room * _SHARES, probed, finest, shares, below)
        scores[:] = -1
        if limit <= goal:
            return Probing(CLOSED, limit, savings, n, room, evaluated, most)
        if not _force(splits, made, excluded, limit, goal, finest, shares, below, scores):
            return Probing(OPEN, limit, savings, n, room, evaluated, most)


@jit
def _merge(splits: Splits, codes: Codes, counts: Ints, n: int, fine: Ints, scratch: _Scratch) -> int:
    """Merge combinations that no split tells apart any more; return how many there are."""
    _make_keys(splits, codes, n, fine, scratch)
    groups = group(scratch.keys[:n], 1, counts[:n], scratch.slots, scratch.member, scratch.distinct, scratch.totals)
    met = 0
    for i in range(n):
        if scratch.member[i] == met:
            for j in range(len(splits.units)):
                codes[j, met] = codes[j, i]
            met += 1
    counts[:groups] = scratch.totals[:groups]
    return groups


@jit
def _sort_into_classes(
    splits: Splits, k: int, codes: Codes, counts: Ints, n: int, begin: Ints, scratch: _Scratch
) -> tuple[Ints, int, int]:
    """Put the combinations of every class side by side, and remove classes that are smaller than k.

    Return where each class begins, how many combinations there are, and the rows of the removed classes.
    """
    _make_keys(splits, codes, n, begin, scratch)
    classes = group(scratch.keys[:n], 1, counts[:n], scratch.slots, scratch.member, scratch.distinct, scratch.totals)
    number, kept, suppressed = np.full(classes, -1, np.int64), 0, 0
    for q in range(classes):
        if scratch.totals[q] >= k:
            number[q] = kept
            kept += 1
        else:
            suppressed += scratch.totals[q]
    first = np.zeros(kept + 1, np.int64)
    for i in range(n):
        q = number[scratch.member[i]]
        if q >= 0:
            first[q + 1] += 1
    for q in range(kept):
        first[q + 1] += first[q]
    place, left = first[:kept].copy(), first[kept]
    sorted_codes, amounts = np.empty((len(splits.units), left), np.int32), np.empty(left, np.int64)
    for i in range(n):
        q = number[scratch.member[i]]
        if q >= 0:
            at = place[q]
            place[q] += 1
            amounts[at] = counts[i]
            for j in range(len(splits.units)):
                sorted_codes[j, at] = codes[j, i]
    codes[:, :left] = sorted_codes
    counts[:left] = amounts
    return first, left, suppressed


@jit
def _add_up(splits: Splits, codes: Codes, n: int, saves: Ints) -> Ints:
    """Return the savings of one row of every combination."""
    own = np.zeros(n, np.int64)
    for j in range(len(splits.units)):
        start = splits.unit_start[j]
        for i in range(n):
            own[i] += saves[start + codes[j, i]]
    return own


@jit
def _probe(
    splits: Splits,
    k: int,
    made: Flags,
    excluded: Flags,
    codes: Codes,
    counts: Ints,
    room: int,
    first: Ints,
    begin: Ints,
    probed: _Probed,
) -> int:
    """Make every free split in turn: write its savings and list what becomes suppressed, or exclude it.

    Return the number of free splits.
    """
    most_units = splits.units.max()
    part, gain = np.empty(most_units, np.int64), np.empty(most_units, np.int64)
    inside, head = np.zeros(most_units, np.int64), np.empty(most_units, np.int64)
    classes, entries, evaluated = len(first) - 1, 0, 0
    after = np.empty(classes, np.int64)
    for j in range(len(splits.units)):
        start = splits.unit_start[j]
        head[:] = -1
        for q in range(classes):
            at = begin[start + codes[j, first[q]]]
            after[q] = head[at]
            head[at] = q
        for u in range(splits.first_split[j], splits.first_split[j + 1]):
            if splits.parent[u] >= 0 and excluded[splits.parent[u]]:
                excluded[u] = True
            if made[u] or excluded[u]:
                continue
            evaluated += 1
            q = head[_divide(splits, u, made, begin, part, gain)]
            newly, saved, before = 0, 0, entries
            while q >= 0 and newly <= room:
                for i in range(first[q], first[q + 1]):
                    inside[part[codes[j, i]]] += counts[i]
                for i in range(first[q], first[q + 1]):
                    x = codes[j, i]
                    if inside[part[x]] >= k:
                        saved += counts[i] * gain[x]
                        continue
                    newly += counts[i]
                    if entries < len(probed.listed):
                        probed.listed[entries] = i
                        entries += 1
                for i in range(first[q], first[q + 1]):
                    inside[part[codes[j, i]]] = 0
                q = after[q]
            if newly > room:
                excluded[u] = True
                entries = before
                continue
            probed.effect[u] = saved
            probed.listed_from[u], probed.listed_to[u] = before, entries
            for z in range(before, entries):
                probed.times[probed.listed[z]] += 1
    return evaluated


@jit
def _charge(made: Flags, excluded: Flags, counts: Ints, own: Ints, gains: Ints, probed: _Probed) -> None:
    """Charge suppressed rows to the splits that suppress them."""
    gains[:] = -1
    for u in range(len(made)):
        if made[u] or excluded[u]:
            continue
        rows, lost, alone = 0, 0, 0
        for z in range(probed.listed_from[u], probed.listed_to[u]):
            i = probed.listed[z]
            rows += counts[i] * _SHARES // probed.times[i]
            lost += counts[i] * own[i] // probed.times[i]
            alone += counts[i] * own[i]
        gains[u] = max(probed.effect[u] - alone, -1)
        probed.weight[u] = rows
        probed.effect[u] -= lost


@jit
def _most_gain(
    splits: Splits,
    made: Flags,
    excluded: Flags,
    limit: int,
    probed: _Probed,
    finest: Ints,
    shares: Ints,
    below: Ints,
) -> int:
    """Return the most that free splits can save in addition, if suppressed rows have their price.

    `below` becomes what each split and those below it contribute, `shares` what each attribute does. No attribute
    contributes more than its finest cut saves on all rows, `finest`.
    """
    price = _find_price(made, excluded, probed.effect, probed.weight, limit)
    below[:] = 0
    shares[:] = 0
    for u in range(len(made) - 1, -1, -1):
        if made[u] or excluded[u]:
            continue
        worth = probed.effect[u] - price * probed.weight[u] if probed.effect[u] > 0 else 0
        if worth > 0:
            below[u] += worth
            shares[splits.attribute[u]] += worth
        p = splits.parent[u]
        if p >= 0 and not made[p]:
            below[p] += below[u]
    most = price * limit
    for j in range(len(shares)):
        most += min(shares[j], finest[j])
    return most


@jit
def _force(
    splits: Splits,
    made: Flags,
    excluded: Flags,
    limit: int,
    goal: int,
    finest: Ints,
    shares: Ints,
    below: Ints,
    scores: Ints,
) -> bool:
    """Make the splits without which the goal cannot be exceeded; return whether there were any.

    `scores` becomes what those that can be made next contribute to the bound.
    """
    forced = False
    for u in range(len(made)):
        if made[u] or excluded[u]:
            continue
        share, most = shares[splits.attribute[u]], finest[splits.attribute[u]]
        if limit - min(share, most) + min(share - below[u], most) <= goal:
            made[u] = True
            forced = True
        elif splits.parent[u] < 0 or made[splits.parent[u]]:
            scores[u] = below[u]
    return forced


@jit
def find_blocks(splits: Splits, chosen: Flags, begin: Ints, savings: Ints) -> None:
    """Write, for the units of all attributes, the first unit of the block that the chosen splits leave, and savings."""
    for j in range(len(splits.units)):
        units, start, table = splits.units[j], splits.unit_start[j], splits.table_start[j]
        if splits.is_free[j]:
            first = 0
            for x in range(units):
                if x == units - 1 or chosen[splits.first_split[j] + x]:
                    saved = splits.savings[table + first * (units + 1) + x + 1]
                    for y in range(first, x + 1):
                        begin[start + y] = first
                        savings[start + y] = saved
                    first = x + 1
        else:
            for x in range(units):
                at = table + x
                while splits.value_split[at] >= 0 and chosen[splits.value_split[at]]:
                    at += units
                begin[start + x] = splits.value_begin[at]
                savings[start + x] = splits.savings[at]


@jit
def _close(splits: Splits, made: Flags, excluded: Flags) -> bool:
    """Exclude the splits below excluded ones, make those above made ones; return whether these do not meet."""
    for u in range(len(made)):
        p = splits.parent[u]
        if p >= 0 and excluded[p]:
            excluded[u] = True
    for u in range(len(made) - 1, -1, -1):
        p = splits.parent[u]
        if made[u] and p >= 0:
            made[p] = True
    for u in range(len(made)):
        if made[u] and excluded[u]:
            return False
    return True


@jit
def _make_keys(splits: Splits, codes: Codes, n: int, begin: Ints, scratch: _Scratch) -> None:
    """Write a key for every combination: equal keys if and only if all blocks are equal."""
    keys, room = scratch.keys[:n], _MOST_KEY
    keys[:] = 0
    for j in range(len(splits.units)):
        units, start = splits.units[j], splits.unit_start[j]
        if room < units:
            groups = group(keys, 1, keys, scratch.slots, scratch.member, scratch.distinct, scratch.totals)
            room = _MOST_KEY // max(groups, 1)
            for i in range(n):
                keys[i] = scratch.member[i]
        room //= units
        for i in range(n):
            keys[i] = keys[i] * units + begin[start + codes[j, i]]


@jit
def _divide(splits: Splits, u: int, made: Flags, begin: Ints, part: Ints, gain: Ints) -> int:
    """Write, for the units of the block that split u divides, with its ancestors, their new blocks and what u saves.

    Return the first unit of that block.
    """
    j = splits.attribute[u]
    units, start, table = splits.units[j], splits.unit_start[j], splits.table_start[j]
    if splits.is_free[j]:
        p = splits.begin[u]
        b = begin[start + p]
        e = p + 1
        while e < units and begin[start + e] == b:
            e += 1
        row = table + b * (units + 1)
        left = splits.savings[row + p + 1] - splits.savings[row + e]
        right = splits.savings[table + (p + 1) * (units + 1) + e] - splits.savings[row + e]
        for x in range(b, p + 1):
            part[x] = b
            gain[x] = left
        for x in range(p + 1, e):
            part[x] = p + 1
            gain[x] = right
        return int(b)
    top = u
    while splits.parent[top] >= 0 and not made[splits.parent[top]]:
        top = splits.parent[top]
    for x in range(splits.begin[top], splits.end[top]):
        at = table + splits.depth[top] * units + x
        depth = splits.depth[top]
        while depth <= splits.depth[u]:
            v = splits.value_split[at]
            if v < 0 or splits.begin[v] > splits.begin[u] or splits.end[v] < splits.end[u]:
                break
            depth += 1
            at += units
        part[x] = splits.value_begin[at]
        within = splits.begin[u] <= x < splits.end[u]
        gain[x] = splits.savings[at] - splits.savings[at - units] if within else 0
    return int(splits.begin[top])


@jit
def _find_price(made: Flags, excluded: Flags, effect: Ints, weight: Ints, limit: int) -> int:
    """Return a price of suppressed rows that gives a low bound: the ratio where a fractional knapsack is full."""
    total, listed = len(made), 0
    which = np.empty(total, np.int64)
    ratio = np.empty(total, np.float64)
    for u in range(total):
        if not made[u] and not excluded[u] and effect[u] > 0 and weight[u] > 0:
            which[listed] = u
            ratio[listed] = -effect[u] / weight[u]
            listed += 1
    left = limit
    for z in np.argsort(ratio[:listed]):
        u = which[z]
        if weight[u] > left:
            return int(effect[u] // weight[u])
        left -= weight[u]
    return 0
