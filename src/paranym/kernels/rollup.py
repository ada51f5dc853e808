"""Rolling a counted table up to a node: equal generalized tuples become one class, counts and histograms add up."""

from typing import NamedTuple

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.attribute_parts import Parts, generalize_parts
from paranym.kernels.grouping import group
from paranym.kernels.packing import Codes, Fields, Ints, Lifts, raise_words

NOBODY = -1
"""Where a frequency set counts rows alone: no histogram column holds people."""


class Counted(NamedTuple):
    """A frequency set as bare arrays: the classes of some node with their sizes and histograms."""

    words: Ints
    """Packed codes, the words of each tuple one after the other."""
    counts: Ints
    owners: Codes
    """The tuple that each histogram entry belongs to."""
    columns: Codes
    """The value of a sensitive attribute or of the label that each histogram entry counts.

    If people are counted, the last columns are about them. The first of these has the rows that add nobody to the
    people of a tuple: a tuple has as many people as rows, less these rows, and one more for every entry in the columns
    after it. Each of those stands for a person with rows in several tuples.
    """
    amounts: Ints


class Scratch(NamedTuple):
    """Working memory of one thread, large enough for the bottom frequency set."""

    keys: Ints
    member: Codes
    slots: Codes
    distinct: Ints
    rolled: Counted
    """Where `roll` leaves the classes of a node."""
    nobody: int
    """The first column about people, or `NOBODY`."""
    homes: Codes
    """Per column about a person: in how many classes the person has rows."""
    repeats: Codes
    """Per class: its entry in the first column about people."""


@jit
def roll(
    source: Counted,
    lower: Ints,
    upper: Ints,
    words: int,
    width: int,
    fields: Fields,
    lifts: Lifts,
    scratch: Scratch,
) -> tuple[int, int]:
    """Write the classes of node `upper` into `scratch.rolled`; return how many classes and histogram entries there are.

    `source` stands at node `lower`; `width` is the number of histogram columns.
    """
    target, counts = scratch.rolled, source.counts
    raise_words(source.words, lower, upper, words, len(counts), fields, lifts, scratch.keys)
    classes = group(scratch.keys, words, counts, scratch.slots, scratch.member, target.words, target.counts)
    return classes, _roll_histograms(source, width, scratch)


@jit
def roll_parts(
    source: Counted, parts: Parts, node: Ints, words: int, width: int, fields: Fields, lifts: Lifts, scratch: Scratch
) -> tuple[int, int]:
    """Roll up the bottom set, split into parts; otherwise as `roll`."""
    target, counts = scratch.rolled, source.counts
    generalize_parts(parts, node, words, fields, lifts, scratch.keys)
    classes = group(scratch.keys, words, counts, scratch.slots, scratch.member, target.words, target.counts)
    return classes, _roll_histograms(source, width, scratch)


@jit
def _roll_histograms(source: Counted, width: int, scratch: Scratch) -> int:
    target, entries = scratch.rolled, len(source.amounts)
    if entries == 0:
        return 0
    for e in range(entries):
        scratch.keys[e] = np.int64(scratch.member[source.owners[e]]) * width + source.columns[e]
    merged = group(scratch.keys, 1, source.amounts, scratch.slots, scratch.member, scratch.distinct, target.amounts)
    for m in range(merged):
        target.owners[m] = scratch.distinct[m] // width
        target.columns[m] = scratch.distinct[m] % width
    return merged if scratch.nobody == NOBODY else _settle_people(merged, scratch)


@jit
def _settle_people(entries: int, scratch: Scratch) -> int:
    """Count people whose rows now lie in one class as part of it, and drop their entries; return how many are left.

    Above this node such a person never lies in two classes again.
    """
    target, first = scratch.rolled, scratch.nobody
    scratch.homes[:] = 0
    for e in range(entries):
        if target.columns[e] > first:
            scratch.homes[target.columns[e] - first] += 1
        elif target.columns[e] == first:
            scratch.repeats[target.owners[e]] = e
    for e in range(entries):
        if target.columns[e] > first and scratch.homes[target.columns[e] - first] == 1:
            target.amounts[scratch.repeats[target.owners[e]]] -= 1
    left = 0
    for e in range(entries):
        if target.columns[e] <= first or scratch.homes[target.columns[e] - first] > 1:
            target.owners[left] = target.owners[e]
            target.columns[left] = target.columns[e]
            target.amounts[left] = target.amounts[e]
            left += 1
    return left


@jit
def count_people(counted: Counted, classes: int, entries: int, nobody: int, people: Ints) -> None:
    """Write the number of different people of every class; `nobody` is the first column about people."""
    people[:classes] = counted.counts[:classes]
    for e in range(entries):
        if counted.columns[e] > nobody:
            people[counted.owners[e]] += 1
        elif counted.columns[e] == nobody:
            people[counted.owners[e]] -= counted.amounts[e]
