"""Assessing nodes one after the other: roll up from the smallest set below, climb the staircase, write the ledger."""

from typing import NamedTuple

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.packing import Fields, Ints, Lifts
from paranym.kernels.rolling import Counted, Scratch, roll
from paranym.kernels.staircase import Floats, Stairs, climb, find_heaviest, lose, lose_cells, scatter
from paranym.kernels.store import Store, fetch, keep, smallest_below


class Task(NamedTuple):
    """What is assessed: the bottom frequency set, the way up from it, and what the loss needs to know of a class."""

    bottom: Counted
    stones: Store
    """Frequency sets that are kept for good and shared by all threads."""
    rows: int
    limit: int
    """At most this many rows may be suppressed."""
    words: int
    """Words per tuple."""
    width: int
    """Histogram columns in all."""
    label_begin: int
    label_end: int
    """The histogram columns of the label; equal if there is none."""
    fields: Fields
    lifts: Lifts
    costs: Ints
    """What one cell costs, value by value; empty if the loss does not ask."""
    costs_start: Ints
    """(attributes, levels): where the costs of a level begin."""
    spread: bool
    """Whether the loss asks how the suppressed rows scatter over the published values."""


class Ledger(NamedTuple):
    """Where results go: a row for every node, and a row for every step of its staircase."""

    classes: Ints
    squares: Ints
    majority: Ints
    first_step: Ints
    """(nodes + 1,): where the steps of each node begin."""
    step_k: Ints
    step_rows: Ints
    """Rows that the step suppresses; likewise below, what it loses against the node without suppression."""
    step_classes: Ints
    step_squares: Ints
    step_majority: Ints
    step_costs: Ints
    """(steps, attributes)"""
    step_spread: Floats
    """(steps, attributes)"""


@jit
def assess(
    levels: Ints,
    begin: int,
    stop: Ints,
    task: Task,
    store: Store,
    scratch: Scratch,
    stairs: Stairs,
    ledger: Ledger,
) -> int:
    """Assess `levels[begin:]` (nodes, attributes) while the ledger has room; return the first node not assessed.

    The ledger has room while the longest possible staircase, `len(stairs.sizes)` steps, still fits. Another thread ends
    the work by setting `stop[0]`.
    """
    lowest = np.zeros(levels.shape[1], np.int64)
    for n in range(begin, len(levels)):
        if stop[0] != 0 or ledger.first_step[n] + len(stairs.sizes) > len(ledger.step_k):
            return n
        slot = smallest_below(store, levels[n], len(task.bottom.counts))
        bound = len(task.bottom.counts) if slot < 0 else store.spans[slot, 1]
        stone = smallest_below(task.stones, levels[n], bound)
        # two calls: the bottom set is read-only, and so of another type than those in a store
        if slot < 0 and stone < 0:
            classes, entries = roll(
                task.bottom, lowest, levels[n], task.words, task.width, task.fields, task.lifts, scratch
            )
        else:
            home, place = (store, slot) if stone < 0 else (task.stones, stone)
            source, lower = fetch(home, task.words, place), home.levels[place]
            classes, entries = roll(source, lower, levels[n], task.words, task.width, task.fields, task.lifts, scratch)
        _write(n, levels[n], classes, entries, task, scratch.rolled, stairs, ledger)
        keep(store, levels[n], task.words, scratch.rolled, classes, entries)
    return len(levels)


@jit
def _write(
    n: int, node: Ints, classes: int, entries: int, task: Task, rolled: Counted, stairs: Stairs, ledger: Ledger
) -> None:
    ledger.classes[n] = classes
    ledger.majority[n] = 0
    if task.label_begin < task.label_end:
        ledger.majority[n] = find_heaviest(rolled, classes, entries, task.label_begin, task.label_end, stairs.heaviest)
    steps, ledger.squares[n] = climb(rolled.counts, classes, task.rows, task.limit, stairs)
    lose(rolled, classes, task.rows, steps, stairs)
    begin = ledger.first_step[n]
    end = begin + steps
    ledger.first_step[n + 1] = end
    ledger.step_k[begin:end] = stairs.sizes[:steps]
    ledger.step_rows[begin:end] = stairs.rows[:steps]
    ledger.step_classes[begin:end] = stairs.classes[:steps]
    ledger.step_squares[begin:end] = stairs.squares[:steps]
    ledger.step_majority[begin:end] = stairs.majority[:steps]
    if len(task.costs) > 0:
        start = _at(task.costs_start, node)
        lose_cells(rolled, task.words, steps, task.fields, task.costs, start, stairs, ledger.step_costs[begin:end])
    if task.spread:
        radix = _at(task.lifts.radix, node)
        scatter(rolled, task.words, steps, task.fields, radix, stairs, ledger.step_spread[begin:end])


@jit
def _at(table: Ints, node: Ints) -> Ints:
    """The entry of every attribute at its level."""
    entries = np.empty(len(node), np.int64)
    for j in range(len(node)):
        entries[j] = table[j, node[j]]
    return entries
