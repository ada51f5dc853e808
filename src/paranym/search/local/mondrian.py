"""Mondrian (LeFevre, DeWitt and Ramakrishnan, ICDE 2006): cut the widest attribute at its median, again and again.

The widest attribute is that of the largest range over the range of the attribute, times its weight. Strict: tuples of
equal value stay together; relaxed: they may be on both sides of a cut, and so may rows of one tuple. Categories are
cut anywhere in the order of their tree, or only between children of their closest common ancestor. A cut is not
allowed if one side would have fewer than k rows or break another requirement; the next widest attribute is tried.
"""

import numpy as np

from paranym.kernels.local.median_cuts import Cutting, cut_all
from paranym.search.local.base import Ints, LocalStep, LocalSteps, Partition, Truths, Tuples, check, finished


def mondrian(tuples: Tuples, k: int, *, seed: int = 0, relaxed: bool = False, by_tree: bool = False) -> LocalSteps:
    """Cut tuples into groups of at least k rows."""
    check(tuples, k)
    steps = tuples.scale.ceiling / np.maximum(np.array(tuples.sizes) - 1, 1)
    how = Cutting(k, relaxed, by_tree, tuples.divisible, steps)
    sets = tuples.whole(seed)
    done: list[Partition] = []
    barred = np.zeros((1, len(tuples.sizes)), bool)
    settled = 0
    while len(sets):
        yield LocalStep("cutting", len(sets) + sum(map(len, done)), settled, tuples.rows)
        cut, cut_at = _cut(tuples, how, sets, barred)
        sets, barred, closed = _sorted_out(tuples, cut, cut_at, barred, k)
        settled += int(closed.amounts.sum())
        done.append(closed)
    yield finished(tuples, Partition.join(done))


def _cut(tuples: Tuples, how: Cutting, sets: Partition, barred: Truths) -> tuple[Partition, Ints]:
    entries = len(sets.tuples) + len(sets)
    out = Partition(np.empty(entries, np.int64), np.empty(entries, np.int64), np.empty(len(sets) + 1, np.int64))
    cut_at = np.empty((len(sets), 2), np.int64)
    cut_all(
        tuples.positions,
        tuples.scale,
        how,
        sets.tuples,
        sets.amounts,
        sets.begins,
        barred,
        out.tuples,
        out.amounts,
        out.begins,
        cut_at,
    )
    end = out.begins[-1]
    return Partition(out.tuples[:end], out.amounts[:end], out.begins), cut_at


def _sorted_out(
    tuples: Tuples, cut: Partition, cut_at: Ints, barred: Truths, k: int
) -> tuple[Partition, Truths, Partition]:
    """The parts to be cut further, with the attributes along which each cannot be cut, and the finished parts.

    A cut that breaks a requirement besides k is undone, and its attribute is barred for that set.
    """
    was_cut = cut_at[:, 0] >= 0
    begins = np.sort(np.concatenate([cut.begins, cut_at[was_cut, 0]]))
    parts = Partition(cut.tuples, cut.amounts, begins)
    of_part = np.repeat(np.arange(len(cut)), 1 + was_cut)
    if tuples.judge is None:
        again = was_cut[of_part]
        fresh = np.zeros((len(parts), barred.shape[1]), bool)
        return parts.chosen(again), fresh[again], parts.chosen(~again)
    fails = np.zeros(len(cut), bool)
    fails[of_part[~tuples.meets(parts, k)]] = True
    barred = barred.copy()
    barred[fails, cut_at[fails, 1]] = True
    undone, kept = cut.chosen(fails), (was_cut & ~fails)[of_part]
    good = parts.chosen(kept)
    fresh = np.zeros((len(good), barred.shape[1]), bool)
    return Partition.join([good, undone]), np.concatenate([fresh, barred[fails]]), parts.chosen(~was_cut[of_part])
