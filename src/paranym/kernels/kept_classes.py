"""Adding up the published classes of several recodings, once it is known which classes are kept."""

from typing import NamedTuple

from paranym.kernels._jit import jit
from paranym.kernels.assessment import Flags, Task
from paranym.kernels.class_batches import ClassBatch
from paranym.kernels.packing import Ints


class Spared(NamedTuple):
    """Where results go: one row for every recoding of a batch."""

    k: Ints
    """The size of the smallest published class; 0 if none is."""
    rows: Ints
    """Rows that are suppressed."""
    squares: Ints
    """Squared sizes of all classes, summed."""
    costs: Ints
    """(recodings, attributes): what the published cells cost."""


@jit
def add_spared(levels: Ints, batch: ClassBatch, spared: Flags, task: Task, sums: Spared) -> None:
    """Add up the classes of the recodings in the batch, which are `levels`, that are spared."""
    sums.costs[:] = 0
    for n in range(len(levels)):
        least, lost, squares = 0, 0, 0
        for c in range(batch.first_class[n], batch.first_class[n + 1]):
            size = batch.counts[c]
            squares += size * size
            if not spared[c]:
                lost += size
                continue
            least = size if least == 0 else min(least, size)
            for j in range(levels.shape[1]):
                word = batch.words[c * task.words + task.fields.word[j]]
                value = (word >> task.fields.shift[j]) & task.fields.mask[j]
                sums.costs[n, j] += size * task.costs[task.costs_start[j, levels[n, j]] + value]
        sums.k[n], sums.rows[n], sums.squares[n] = least, lost, squares
