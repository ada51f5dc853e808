"""Cutting sets of tuples in two at the median of one attribute: Mondrian (LeFevre, DeWitt and Ramakrishnan, 2006)."""

from typing import NamedTuple

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.local.cell_penalty import NUMBERS, Floats, Scale, Truths, span
from paranym.kernels.packing import Codes, Ints


class Cutting(NamedTuple):
    """How sets are cut."""

    k: int
    relaxed: bool
    """Whether tuples of equal value may come to lie on both sides."""
    by_tree: bool
    """Whether categories are cut between children of their closest common ancestor, not anywhere in their order."""
    divisible: bool
    """Whether rows of one tuple may come to lie on both sides, where tuples of equal value may."""
    widths: Floats
    """Per attribute: what one step along the order of categories is wide."""


@jit
def cut_all(
    positions: Codes,
    scale: Scale,
    how: Cutting,
    tuples: Ints,
    amounts: Ints,
    begins: Ints,
    barred: Truths,
    out_tuples: Ints,
    out_amounts: Ints,
    out_begins: Ints,
    cut_at: Ints,
) -> None:
    """Cut every set once, along the widest attribute that allows it and is not barred.

    Sets are written one after the other; `cut_at` says where the second part begins in the output and along which
    attribute it was cut, or -1 for a set that cannot be cut.
    """
    written = begins[0]
    for i in range(len(begins) - 1):
        mine, rows = tuples[begins[i] : begins[i + 1]], amounts[begins[i] : begins[i + 1]]
        out_begins[i] = written
        j, order, cut, rest = _cut_once(positions, scale, how, mine, rows, barred[i])
        if j < 0:
            order, cut = np.arange(len(mine)), len(mine)
        written = _copy(mine, rows, order[:cut], out_tuples, out_amounts, written)
        if j >= 0 and rest > 0:
            out_tuples[written], out_amounts[written] = mine[order[cut]], rest
            written += 1
        cut_at[i, 0], cut_at[i, 1] = (written if j >= 0 else -1), j
        if j >= 0:
            begin = written
            written = _copy(mine, rows, order[cut:], out_tuples, out_amounts, written)
            out_amounts[begin] -= rest
    out_begins[len(begins) - 1] = written


@jit
def _copy(mine: Ints, rows: Ints, which: Ints, out_tuples: Ints, out_amounts: Ints, written: int) -> int:
    for i in range(len(which)):
        out_tuples[written + i] = mine[which[i]]
        out_amounts[written + i] = rows[which[i]]
    return written + len(which)


@jit
def _cut_once(
    positions: Codes, scale: Scale, how: Cutting, mine: Ints, rows: Ints, barred: Truths
) -> tuple[int, Ints, int, int]:
    """The attribute, the order along it, how many entries come before the cut, and how many rows of the next one."""
    order = np.empty(0, np.int64)
    total = rows.sum()
    if total < 2 * how.k or len(mine) < 2:
        return -1, order, 0, 0
    low, high, wide = _spans(positions, scale, how, mine, barred)
    for _ in range(len(wide)):
        j = int(np.argmax(wide))
        if wide[j] <= 0.0:
            break
        order = _sorted_along(positions, mine, j, low[j], high[j])
        whole = span(scale, j, low[j], high[j])
        cut, rest = _median(positions, scale, how, mine, rows, order, total, j, whole)
        if cut > 0 or rest > 0:
            return j, order, cut, rest
        wide[j] = -1.0
    return -1, order, 0, 0


@jit
def _spans(positions: Codes, scale: Scale, how: Cutting, mine: Ints, barred: Truths) -> tuple[Codes, Codes, Floats]:
    """Between which positions each attribute lies, and how wide that is; barred attributes have no width."""
    low, high = positions[mine[0]].copy(), positions[mine[0]].copy()
    for t in mine:
        for j in range(len(low)):
            low[j] = min(low[j], positions[t, j])
            high[j] = max(high[j], positions[t, j])
    wide = np.empty(len(low))
    for j in range(len(low)):
        if barred[j]:
            wide[j] = -1.0
        elif scale.kind[j] == NUMBERS or how.by_tree:
            wide[j] = span(scale, j, low[j], high[j])
        else:
            wide[j] = how.widths[j] * (high[j] - low[j])
    return low, high, wide


@jit
def _sorted_along(positions: Codes, mine: Ints, j: int, low: int, high: int) -> Ints:
    """The order of the tuples along one attribute; by counting where that is cheaper than sorting."""
    if high - low > 2 * len(mine) + 64:
        keys = np.empty(len(mine))
        for i in range(len(mine)):
            keys[i] = positions[mine[i], j]
        return np.argsort(keys, kind="mergesort")
    place = np.zeros(high - low + 2, np.int64)
    for t in mine:
        place[positions[t, j] - low + 1] += 1
    place = np.cumsum(place)
    order = np.empty(len(mine), np.int64)
    for i in range(len(mine)):
        at = positions[mine[i], j] - low
        order[place[at]] = i
        place[at] += 1
    return order


@jit
def _median(
    positions: Codes, scale: Scale, how: Cutting, mine: Ints, rows: Ints, order: Ints, total: int, j: int, whole: float
) -> tuple[int, int]:
    """The allowed cut that is nearest to the middle of the rows, of two the first: entries, and rows of the next."""
    if how.relaxed and how.divisible and not (how.by_tree and scale.kind[j] != NUMBERS):
        return _middle(rows, order, total)
    best, off, before = 0, total, 0
    for i in range(1, len(mine)):
        before += rows[order[i - 1]]
        if abs(2 * before - total) >= off or before < how.k or total - before < how.k:
            continue
        below, above = positions[mine[order[i - 1]], j], positions[mine[order[i]], j]
        if below == above:
            allowed = how.relaxed
        else:
            allowed = scale.kind[j] == NUMBERS or not how.by_tree or span(scale, j, below, above) >= whole
        if allowed:
            best, off = i, abs(2 * before - total)
    return best, 0


@jit
def _middle(rows: Ints, order: Ints, total: int) -> tuple[int, int]:
    """Where half of the rows end."""
    before = 0
    for i in range(len(rows)):
        if before + rows[order[i]] > total // 2:
            return i, total // 2 - before
        before += rows[order[i]]
    return len(rows) - 1, 0
