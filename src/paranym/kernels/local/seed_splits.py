"""Halving sets of tuples by two seeds that are far apart (Figure 4 of the utility-based paper, step 3)."""

from typing import NamedTuple

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.local.cell_penalty import Floats, Scale, between, span
from paranym.kernels.packing import Codes, Ints


class Rows(NamedTuple):
    """Tuples with their positions side by side, so that going through them goes through memory in order."""

    tuples: Ints
    positions: Codes
    """(tuples, attributes)"""
    near: Floats
    """Per tuple: what it costs together with the last seed but one."""
    far: Floats
    """Per tuple: what it costs together with the last seed."""


class Spare(NamedTuple):
    """Scratch memory for halves that are being moved, and for the cost of every position together with a seed."""

    tuples: Ints
    positions: Codes
    table: Floats
    starts: Ints
    """Where each attribute begins in the table, and its end."""


@jit
def measure(scale: Scale, positions: Codes, seed: int, spare: Spare, costs: Floats) -> int:
    """Write the cost of each tuple together with one of them; return the first of those that cost most."""
    here = positions[seed].copy()
    attributes, starts = positions.shape[1], spare.starts
    tabled = len(positions) * attributes > 2 * starts[attributes]
    if tabled:
        for j in range(attributes):
            for p in range(starts[j + 1] - starts[j]):
                spare.table[starts[j] + p] = span(scale, j, min(p, here[j]), max(p, here[j]))
    best, most = seed, 0.0
    for i in range(len(positions)):
        cost = 0.0
        if tabled:
            for j in range(attributes):
                cost += spare.table[starts[j] + positions[i, j]]
        else:
            cost = between(scale, here, positions[i])
        costs[i] = cost
        if cost > most:
            best, most = i, cost
    return best


@jit
def find_seeds(scale: Scale, rows: Rows, rounds: int, spare: Spare) -> tuple[int, int]:
    """Two tuples far apart: begin with the first, then take the farthest from the last one found, `rounds` times.

    `rows.near` becomes what tuples cost together with the first of the two, `rows.far` with the second.
    """
    u = int(np.int64(0))  # measuring from a plain 0 would be compiled apart
    v = measure(scale, rows.positions, u, spare, rows.near)
    for _ in range(1, rounds):
        found = measure(scale, rows.positions, v, spare, rows.far)
        if rows.far[found] <= rows.near[v]:
            return u, v
        for i in range(len(rows.near)):
            rows.near[i] = rows.far[i]
        u, v = v, found
    measure(scale, rows.positions, v, spare, rows.far)
    return u, v


@jit
def halve(scale: Scale, rows: Rows, rounds: int, spare: Spare) -> int:
    """Move the tuples that are nearer to the first seed to the front, in their order; return how many they are.

    A tuple as near to one seed as to the other goes to the second.
    """
    find_seeds(scale, rows, rounds, spare)
    near, far = 0, 0
    for i in range(len(rows.tuples)):
        if rows.near[i] < rows.far[i]:
            _move(rows.tuples, rows.positions, i, rows.tuples, rows.positions, near)
            near += 1
        else:
            _move(rows.tuples, rows.positions, i, spare.tuples, spare.positions, far)
            far += 1
    for i in range(far):
        _move(spare.tuples, spare.positions, i, rows.tuples, rows.positions, near + i)
    return near


@jit
def _move(tuples: Ints, positions: Codes, i: int, to_tuples: Ints, to_positions: Codes, place: int) -> None:
    """Spelled out here and elsewhere in these kernels: whole rows and slices would take long to compile."""
    to_tuples[place] = tuples[i]
    for j in range(positions.shape[1]):
        to_positions[place, j] = positions[i, j]


@jit
def halve_all(scale: Scale, rows: Rows, begin: Ints, end: Ints, rounds: int, spare: Spare, middle: Ints) -> None:
    """Halve each of the sets that lie between `begin` and `end`; the second half begins at `middle`."""
    for i in range(len(begin)):
        b, e = begin[i], end[i]
        inside = Rows(rows.tuples[b:e], rows.positions[b:e], rows.near[b:e], rows.far[b:e])
        middle[i] = b + halve(scale, inside, rounds, spare)


@jit
def split_evenly(
    positions: Codes,
    scale: Scale,
    tuples: Ints,
    amounts: Ints,
    k: int,
    rounds: int,
    divisible: bool,
    spare: Spare,
) -> list[tuple[Ints, Ints]]:
    """Split a group of at least 2k rows into groups of at least k, as many as there can be.

    Halved by seeds again and again, each cut moved to where both sides have enough rows. Where rows of one tuple must
    stay together (not `divisible`), the cut goes between tuples, and a group without such a place stays whole.
    """
    done = [(tuples, amounts)]
    open_ = [(tuples, amounts)]
    done.pop()
    while len(open_) > 0:
        mine, rows = open_.pop()
        total = rows.sum()
        parts = total // k
        if parts < 2 or len(mine) == 1:
            done.append((mine, rows))
            continue
        leaning = _leaning(positions, scale, mine, rounds, spare)
        order = np.argsort(leaning, kind="mergesort")
        mine, rows = _picked(mine, order), _picked(rows, order)
        wanted = 0
        for i in range(len(order)):
            if leaning[order[i]] < 0:
                wanted += rows[i]
        left = min(max((wanted + k // 2) // k, 1), parts - 1)
        wanted = min(max(wanted, left * k), total - (parts - left) * k)
        cut, rest = _cut(rows, wanted, k, divisible)
        if cut == 0 and rest == 0:
            done.append((mine, rows))
            continue
        if rest == 0:
            open_.append((mine[:cut], rows[:cut]))
            open_.append((mine[cut:], rows[cut:]))
        else:
            first, second = rows[: cut + 1].copy(), rows[cut:].copy()
            first[cut] = rest
            second[0] -= rest
            open_.append((mine[: cut + 1], first))
            open_.append((mine[cut:], second))
    return done


@jit
def _leaning(positions: Codes, scale: Scale, tuples: Ints, rounds: int, spare: Spare) -> Floats:
    """How much nearer each tuple is to the first seed, as a negative number."""
    mine = np.empty((len(tuples), positions.shape[1]), np.int32)
    for i in range(len(tuples)):
        for j in range(positions.shape[1]):
            mine[i, j] = positions[tuples[i], j]
    rows = Rows(tuples, mine, np.empty(len(tuples)), np.empty(len(tuples)))
    find_seeds(scale, rows, rounds, spare)
    for i in range(len(tuples)):
        rows.near[i] -= rows.far[i]
    return rows.near


@jit
def _picked(values: Ints, order: Ints) -> Ints:
    picked = np.empty(len(order), np.int64)
    for i in range(len(order)):
        picked[i] = values[order[i]]
    return picked


@jit
def _cut(rows: Ints, wanted: int, k: int, divisible: bool) -> tuple[int, int]:
    """Return where the first `wanted` rows end: whole entries, and rows of the next entry. Zeros if nowhere."""
    total, before, best, off = rows.sum(), 0, 0, -1
    for i in range(len(rows)):
        if divisible and before <= wanted < before + rows[i]:
            return i, wanted - before
        if before >= k and total - before >= k and (off < 0 or abs(before - wanted) < off):
            best, off = i, abs(before - wanted)
        before += rows[i]
    return best, 0


@jit
def split_large(
    positions: Codes,
    scale: Scale,
    tuples: Ints,
    amounts: Ints,
    begins: Ints,
    k: int,
    rounds: int,
    divisible: bool,
    spare: Spare,
    out_tuples: Ints,
    out_amounts: Ints,
    out_begins: Ints,
) -> int:
    """Split every group of at least 2k rows; write all groups one after the other and return how many there are."""
    groups, written = 0, 0
    for g in range(len(begins) - 1):
        mine, rows = tuples[begins[g] : begins[g + 1]], amounts[begins[g] : begins[g + 1]]
        for part, of_part in split_evenly(positions, scale, mine, rows, k, rounds, divisible, spare):
            out_begins[groups] = written
            out_tuples[written : written + len(part)] = part
            out_amounts[written : written + len(part)] = of_part
            written += len(part)
            groups += 1
    out_begins[groups] = written
    return groups
