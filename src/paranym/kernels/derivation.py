"""Deriving one frequency set from another, and counting its rows in classes that are too small."""

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.packing import Fields, Ints, Lifts
from paranym.kernels.rollup import NOBODY, Counted, Scratch, count_people, roll


@jit
def derive(
    source: Counted,
    lower: Ints,
    upper: Ints,
    words: int,
    width: int,
    fields: Fields,
    lifts: Lifts,
    least: int,
    scratch: Scratch,
) -> tuple[int, int, int]:
    """Roll `source` up from node `lower` to `upper`, into `scratch.rolled`.

    Returns how many classes and histogram entries there are, and the rows in classes of fewer than `least` rows, or
    people if these are counted.
    """
    classes, entries = roll(source, lower, upper, words, width, fields, lifts, scratch)
    return classes, entries, rows_below(scratch.rolled, classes, entries, scratch.nobody, least)


@jit
def rows_below(counted: Counted, classes: int, entries: int, nobody: int, least: int) -> int:
    """The rows in classes of fewer than `least` rows; or people, whose first histogram column is `nobody`."""
    counts, rows = counted.counts, 0
    if nobody == NOBODY:
        for i in range(classes):
            if counts[i] < least:
                rows += counts[i]
        return rows
    people = np.empty(classes, np.int64)
    count_people(counted, classes, entries, nobody, people)
    for i in range(classes):
        if people[i] < least:
            rows += counts[i]
    return rows
