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
    Entries about people come first: those of each person together, then the rows that add nobody.
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
    marks: Codes
    """Per class: the column of the last person found in it."""
    repeats: Ints
    """Per class: the rows that add nobody to its people."""


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
    return classes, _roll_histograms(source, classes, width, scratch)


@jit
def roll_parts(
    source: Counted, parts: Parts, node: Ints, words: int, width: int, fields: Fields, lifts: Lifts, scratch: Scratch
) -> tuple[int, int]:
    """Roll up the bottom set, split into parts; otherwise as `roll`."""
    target, counts = scratch.rolled, source.counts
    generalize_parts(parts, node, words, fields, lifts, scratch.keys)
    classes = group(scratch.keys, words, counts, scratch.slots, scratch.member, target.words, target.counts)
    return classes, _roll_histograms(source, classes, width, scratch)


@jit
def _roll_histograms(source: Counted, classes: int, width: int, scratch: Scratch) -> int:
    target, entries = scratch.rolled, len(source.amounts)
    if entries == 0:
        return 0
    begin, people = (0, 0) if scratch.nobody == NOBODY else _roll_people(source, classes, scratch)
    if begin == entries:
        return people
    for e in range(begin, entries):
        scratch.keys[e - begin] = np.int64(scratch.member[source.owners[e]]) * width + source.columns[e]
    merged = group(
        scratch.keys,
        1,
        source.amounts[begin:],
        scratch.slots,
        scratch.member,
        scratch.distinct,
        target.amounts[people:],
    )
    for m in range(merged):
        target.owners[people + m] = scratch.distinct[m] // width
        target.columns[people + m] = scratch.distinct[m] % width
    return people + merged


@jit
def _roll_people(source: Counted, classes: int, scratch: Scratch) -> tuple[int, int]:
    """Roll up the entries about people, which come first; return how many were read, and how many there are now.

    The entries of a person are adjacent, so that a mark per class suffices to find those that fall together. People
    whose rows now lie in one class count as part of it, and lose their entries: above this node they never lie in two.
    """
    target, first, member = scratch.rolled, scratch.nobody, scratch.member
    marks, repeats = scratch.marks, scratch.repeats
    marks[:classes] = first
    repeats[:classes] = 0
    e, left, entries = 0, 0, len(source.columns)
    while e < entries and source.columns[e] > first:
        person, begin = source.columns[e], left
        while e < entries and source.columns[e] == person:
            owner = member[source.owners[e]]
            if marks[owner] != person:
                marks[owner] = person
                target.owners[left] = owner
                target.columns[left] = person
                target.amounts[left] = 1
                left += 1
            e += 1
        if left == begin + 1:
            repeats[target.owners[begin]] -= 1
            left = begin
    while e < entries and source.columns[e] == first:
        repeats[member[source.owners[e]]] += source.amounts[e]
        e += 1
    for c in range(classes):
        if repeats[c] != 0:
            target.owners[left] = c
            target.columns[left] = first
            target.amounts[left] = repeats[c]
            left += 1
    return e, left


@jit
def count_people(counted: Counted, classes: int, entries: int, nobody: int, people: Ints) -> None:
    """Write the number of different people of every class; `nobody` is the first column about people."""
    people[:classes] = counted.counts[:classes]
    for e in range(entries):
        if counted.columns[e] > nobody:
            people[counted.owners[e]] += 1
        elif counted.columns[e] == nobody:
            people[counted.owners[e]] -= counted.amounts[e]
