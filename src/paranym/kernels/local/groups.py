"""Groups of tuples that merge and give tuples away: their boxes, their rows, and linked lists of their members."""

from typing import NamedTuple

from paranym.kernels._jit import jit
from paranym.kernels.local.cell_penalty import Floats, Scale, Truths, box_cost
from paranym.kernels.packing import Codes, Ints


class Groups(NamedTuple):
    """Groups as they are at the moment; those that merged into others are dead."""

    low: Codes
    """(groups, attributes): the lowest position of any member."""
    high: Codes
    rows: Ints
    cost: Floats
    """Cost of each row of the group."""
    alive: Truths
    head: Ints
    """The first entry of each group; -1 if there is none."""
    tail: Ints
    tuples: Ints
    """Per entry: which tuple."""
    amounts: Ints
    """Per entry: how many of its rows."""
    after: Ints
    """Per entry: the next of the same group, or -1."""
    used: Ints
    """One number: how many entries there are."""


@jit
def gather(positions: Codes, scale: Scale, tuples: Ints, amounts: Ints, begins: Ints, groups: Groups) -> None:
    """Fill `groups` from entries lying group by group; group g begins at `begins[g]`, and ends where the next does."""
    groups.used[0] = len(tuples)
    for e in range(len(tuples)):
        groups.tuples[e] = tuples[e]
        groups.amounts[e] = amounts[e]
    for g in range(len(begins) - 1):
        groups.alive[g] = True
        groups.head[g] = begins[g]
        groups.tail[g] = begins[g + 1] - 1
        groups.rows[g] = 0
        for e in range(begins[g], begins[g + 1]):
            groups.after[e] = e + 1
            groups.rows[g] += amounts[e]
        groups.after[begins[g + 1] - 1] = -1
        fit_box(positions, scale, groups, g)


@jit
def fit_box(positions: Codes, scale: Scale, groups: Groups, g: int) -> None:
    """The smallest box around the members of a group, and what it costs."""
    e = groups.head[g]
    for j in range(positions.shape[1]):
        groups.low[g, j] = positions[groups.tuples[e], j]
        groups.high[g, j] = positions[groups.tuples[e], j]
    while e >= 0:
        member = groups.tuples[e]
        for j in range(positions.shape[1]):
            groups.low[g, j] = min(groups.low[g, j], positions[member, j])
            groups.high[g, j] = max(groups.high[g, j], positions[member, j])
        e = groups.after[e]
    groups.cost[g] = box_cost(scale, groups.low[g], groups.high[g])


@jit
def merge(scale: Scale, groups: Groups, g: int, into: int) -> None:
    """Group `g` becomes part of group `into`."""
    for j in range(groups.low.shape[1]):
        groups.low[into, j] = min(groups.low[into, j], groups.low[g, j])
        groups.high[into, j] = max(groups.high[into, j], groups.high[g, j])
    groups.cost[into] = box_cost(scale, groups.low[into], groups.high[into])
    groups.rows[into] += groups.rows[g]
    groups.after[groups.tail[into]] = groups.head[g]
    groups.tail[into] = groups.tail[g]
    groups.alive[g] = False


@jit
def scatter(groups: Groups, tuples: Ints, amounts: Ints, begins: Ints) -> int:
    """Write the entries of the living groups group by group; return how many groups there are."""
    alive, written = 0, 0
    for g in range(len(groups.rows)):
        if groups.alive[g]:
            begins[alive] = written
            e = groups.head[g]
            while e >= 0:
                tuples[written] = groups.tuples[e]
                amounts[written] = groups.amounts[e]
                written += 1
                e = groups.after[e]
            alive += 1
    begins[alive] = written
    return alive


@jit
def boxes_of(positions: Codes, tuples: Ints, begins: Ints, low: Codes, high: Codes) -> None:
    """The smallest box around each of the groups whose entries lie group by group."""
    for g in range(len(begins) - 1):
        for j in range(positions.shape[1]):
            low[g, j] = positions[tuples[begins[g]], j]
            high[g, j] = low[g, j]
        for e in range(begins[g] + 1, begins[g + 1]):
            for j in range(positions.shape[1]):
                low[g, j] = min(low[g, j], positions[tuples[e], j])
                high[g, j] = max(high[g, j], positions[tuples[e], j])


@jit
def rows_of(amounts: Ints, begins: Ints, rows: Ints) -> None:
    """How many rows each group has."""
    for g in range(len(begins) - 1):
        rows[g] = 0
        for e in range(begins[g], begins[g + 1]):
            rows[g] += amounts[e]
