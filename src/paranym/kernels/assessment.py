"""Assessing nodes one after the other: roll up from the smallest set below, climb the staircase, write the ledger."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.kernels._jit import jit
from paranym.kernels.attribute_parts import Parts
from paranym.kernels.frequency_store import Store, fetch, keep, smallest_below
from paranym.kernels.packing import Fields, Ints, Lifts
from paranym.kernels.rollup import NOBODY, Counted, Scratch, count_people, roll, roll_parts
from paranym.kernels.staircase import Floats, Stairs, climb, climb_people, find_heaviest, lose, lose_cells, scatter

Flags = NDArray[np.bool_]


class Task(NamedTuple):
    """The input of an assessment: the bottom frequency set, generalization tables, and class data for the loss."""

    bottom: Counted
    parts: Parts
    """The bottom set split into parts; no parts if nodes are mostly rolled up from other sets."""
    lowest: Ints
    """The node of the bottom set; no node below it is assessed."""
    sources: Store
    """Frequency sets that are kept for good and shared by all threads."""
    rows: int
    people: int
    """All people of the table; its rows if people are not counted."""
    nobody: int
    """The first histogram column about people, or `NOBODY`."""
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
    """Cost of one cell, value by value; empty if the loss does not need it."""
    costs_start: Ints
    """(attributes, levels): where the costs of a level begin."""
    spread: bool
    """Whether the loss asks how the suppressed rows scatter over the published values."""
    one_step: bool
    """Whether only the highest step of a staircase is a solution."""
    least_k: int
    """Steps with a smaller k are not solutions."""


class Ledger(NamedTuple):
    """Where results go: a row for every node, and a row for every step of its staircase."""

    classes: Ints
    squares: Ints
    """Squared numbers of rows of all classes, summed."""
    products: Ints
    """Rows times people of all classes, summed; the same as `squares` if people are not counted."""
    majority: Ints
    first_step: Ints
    """(nodes + 1,): where the steps of each node begin."""
    step_k: Ints
    step_rows: Ints
    """Rows that the step suppresses. The columns below compare the step with the node without suppression, too."""
    step_classes: Ints
    step_squares: Ints
    step_majority: Ints
    step_costs: Ints
    """(steps, attributes)"""
    step_spread: Floats
    """(steps, attributes)"""
    step_binds: Flags
    """True if this step bounds all descendants: none has a larger k, or the same k at a lower suppression cost."""
    step_solves: Flags
    """Whether the step is a solution."""
    step_open: Flags
    """True if the step only bounds undiscovered solutions of the same k."""


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
    for n in range(begin, len(levels)):
        if stop[0] != 0 or ledger.first_step[n] + len(stairs.sizes) > len(ledger.step_k):
            return n
        classes, entries = reach(levels[n], task, store, scratch)
        describe_node(n, scratch.rolled, classes, entries, task, stairs, ledger)
        begin_step = ledger.first_step[n]
        sizes = sizes_of(scratch.rolled, classes, entries, task, stairs)
        end, ledger.products[n] = write_staircase(
            begin_step, levels[n], scratch.rolled, sizes, classes, 0, task.limit, task, stairs, ledger
        )
        ledger.squares[n] = squares_of(scratch.rolled, classes, ledger.products[n], task)
        ledger.first_step[n + 1] = end
        ledger.step_binds[begin_step:end] = True
        ledger.step_open[begin_step:end] = False
        mark_solutions(begin_step, end, task, ledger)
        keep(store, levels[n], task.words, scratch.rolled, classes, entries)
    return len(levels)


@jit
def reach(node: Ints, task: Task, store: Store, scratch: Scratch) -> tuple[int, int]:
    """Roll up to a node from the smallest set below it; return how many classes and histogram entries it has."""
    slot = smallest_below(store, node, len(task.bottom.counts))
    bound = len(task.bottom.counts) if slot < 0 else store.spans[slot, 1]
    stone = smallest_below(task.sources, node, bound)
    # two calls: the bottom set is read-only, and so of another type than those in a store
    if slot < 0 and stone < 0:
        if len(task.parts.attributes) > 0:
            return roll_parts(task.bottom, task.parts, node, task.words, task.width, task.fields, task.lifts, scratch)
        return roll(task.bottom, task.lowest, node, task.words, task.width, task.fields, task.lifts, scratch)
    home, place = (store, slot) if stone < 0 else (task.sources, stone)
    source, lower = fetch(home, task.words, place), home.levels[place]
    return roll(source, lower, node, task.words, task.width, task.fields, task.lifts, scratch)


@jit
def describe_node(
    n: int, rolled: Counted, classes: int, entries: int, task: Task, stairs: Stairs, ledger: Ledger
) -> None:
    """Write the values of a node that do not depend on suppression, and find the most frequent label of every class."""
    ledger.classes[n] = classes
    ledger.majority[n] = 0
    if task.label_begin < task.label_end:
        ledger.majority[n] = find_heaviest(rolled, classes, entries, task.label_begin, task.label_end, stairs.heaviest)


@jit
def sizes_of(counted: Counted, classes: int, entries: int, task: Task, stairs: Stairs) -> Ints:
    """The sizes of classes that k is about: their people if these are counted, their rows otherwise."""
    if task.nobody == NOBODY:
        return counted.counts
    count_people(counted, classes, entries, task.nobody, stairs.people)
    return stairs.people


@jit
def squares_of(counted: Counted, classes: int, products: int, task: Task) -> int:
    """The sum of squared numbers of rows, given that of rows times people."""
    if task.nobody == NOBODY:
        return products
    squares = 0
    for c in range(classes):
        squares += counted.counts[c] * counted.counts[c]
    return squares


@jit
def write_staircase(
    begin: int,
    node: Ints,
    rolled: Counted,
    sizes: Ints,
    classes: int,
    lost: int,
    limit: int,
    task: Task,
    stairs: Stairs,
    ledger: Ledger,
) -> tuple[int, int]:
    """Write the steps of a node from `begin` on; return their end, and the sum of rows times size.

    `sizes` and `lost` are those of `climb`.
    """
    if task.nobody == NOBODY:
        steps, products = climb(sizes, classes, task.rows, lost, limit, stairs)
    else:
        steps, products = climb_people(sizes, rolled.counts, classes, task.people, lost, limit, stairs)
    if steps == 0:
        return begin, products
    lose(rolled, sizes, classes, task.rows, steps, stairs)
    end = begin + steps
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
    return end, products


@jit
def mark_solutions(begin: int, end: int, task: Task, ledger: Ledger) -> None:
    """Mark the steps of one staircase that are solutions under the suppression rule and the least k."""
    for step in range(begin, end):
        ledger.step_solves[step] = ledger.step_k[step] >= task.least_k and (not task.one_step or step == end - 1)


@jit
def _at(table: Ints, node: Ints) -> Ints:
    """The entry of every attribute at its level."""
    entries = np.empty(len(node), np.int64)
    for j in range(len(node)):
        entries[j] = table[j, node[j]]
    return entries
