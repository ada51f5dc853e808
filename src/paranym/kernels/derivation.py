"""Deriving one frequency set from another, and counting its rows in classes that are too small."""

from paranym.kernels._jit import jit
from paranym.kernels.packing import Fields, Ints, Lifts
from paranym.kernels.rollup import Counted, Scratch, roll


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

    Returns how many classes and histogram entries there are, and the rows in classes of fewer than `least`.
    """
    classes, entries = roll(source, lower, upper, words, width, fields, lifts, scratch)
    return classes, entries, rows_below(scratch.rolled.counts, classes, least)


@jit
def rows_below(counts: Ints, classes: int, least: int) -> int:
    """The rows in classes of fewer than `least`."""
    rows = 0
    for i in range(classes):
        if counts[i] < least:
            rows += counts[i]
    return rows
