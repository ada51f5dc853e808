"""Assessing nodes under privacy requirements: staircases from the verdicts that Python reaches about classes.

The classes of several nodes are gathered in a batch, so that they can be judged all at once; then every node gets its
staircases: one without the requirements, for bounds, and one for every verdict on its classes.
"""

from typing import NamedTuple

from paranym.kernels._jit import jit
from paranym.kernels.assessment import (
    Flags,
    Ledger,
    Task,
    describe_node,
    mark_solutions,
    reach,
    sizes_of,
    squares_of,
    write_staircase,
)
from paranym.kernels.frequency_store import Store, keep
from paranym.kernels.packing import Codes, Ints
from paranym.kernels.rollup import Counted, Scratch
from paranym.kernels.staircase import Stairs


class ClassBatch(NamedTuple):
    """The classes of several nodes, end to end."""

    words: Ints
    counts: Ints
    owners: Codes
    """Numbered through the whole batch."""
    columns: Codes
    amounts: Ints
    first_class: Ints
    first_entry: Ints
    """(nodes + 1,): where the classes and the histogram entries of each node begin."""


class Verdicts(NamedTuple):
    """Verdicts: for each its node, which of the classes meet the requirements, and a limit of rows.

    A limit below that of the task stands for a verdict on one step: more must not be suppressed.
    """

    node: Ints
    """Ascending; a node may have several verdicts, or none. One that suppresses nothing is the first of its node."""
    first: Ints
    """Where the flags of each verdict begin."""
    meets: Flags
    limit: Ints
    unresolved: Flags
    """True if the verdict is not a solution but a bound: undiscovered solutions suppress at least as many rows."""


@jit
def gather(levels: Ints, begin: int, stop: Ints, task: Task, store: Store, scratch: Scratch, batch: ClassBatch) -> int:
    """Roll up to `levels[begin:]` while the batch has room; return the first node that does not fit."""
    batch.first_class[0] = batch.first_entry[0] = 0
    for i in range(min(len(levels) - begin, len(batch.first_class) - 1)):
        if stop[0] != 0:
            return begin + i
        classes, entries = reach(levels[begin + i], task, store, scratch)
        first, entry = batch.first_class[i], batch.first_entry[i]
        if first + classes > len(batch.counts) or entry + entries > len(batch.amounts):
            return begin + i
        rolled = scratch.rolled
        batch.words[first * task.words : (first + classes) * task.words] = rolled.words[: classes * task.words]
        batch.counts[first : first + classes] = rolled.counts[:classes]
        for e in range(entries):
            batch.owners[entry + e] = first + rolled.owners[e]
        batch.columns[entry : entry + entries] = rolled.columns[:entries]
        batch.amounts[entry : entry + entries] = rolled.amounts[:entries]
        batch.first_class[i + 1] = first + classes
        batch.first_entry[i + 1] = entry + entries
        keep(store, levels[begin + i], task.words, rolled, classes, entries)
    return begin + min(len(levels) - begin, len(batch.first_class) - 1)


@jit
def judge(
    levels: Ints,
    batch: ClassBatch,
    verdicts: Verdicts,
    tight: int,
    task: Task,
    stairs: Stairs,
    sizes: Ints,
    ledger: Ledger,
) -> None:
    """Write the staircases of all nodes of the batch, which are `levels`.

    If `tight` is 1, the staircase under the requirements bounds the nodes below; otherwise only that of k does.
    """
    v = 0
    for n in range(len(levels)):
        counted = _bundle(batch, task.words, n)
        classes = len(counted.counts)
        describe_node(n, counted, classes, len(counted.amounts), task, stairs, ledger)
        begin = ledger.first_step[n]
        whole = sizes_of(counted, classes, len(counted.amounts), task, stairs)
        end, ledger.products[n] = write_staircase(
            begin, levels[n], counted, whole, classes, 0, task.limit, task, stairs, ledger
        )
        ledger.squares[n] = squares_of(counted, classes, ledger.products[n], task)
        ledger.step_binds[begin:end] = True
        ledger.step_solves[begin:end] = False
        ledger.step_open[begin:end] = False
        judged = False
        while v < len(verdicts.node) and verdicts.node[v] == n:
            lost = _spare(counted.counts, whole, verdicts.meets[verdicts.first[v] :], sizes)
            if lost == 0 and verdicts.unresolved[v]:
                ledger.step_open[begin] = True
            elif lost == 0:
                plain = end if verdicts.limit[v] == task.limit else begin + 1
                mark_solutions(begin, plain, task, ledger)
                judged = True
            elif lost <= verdicts.limit[v]:
                end = _cut(begin, end, ledger) if tight == 1 else end
                after, _ = write_staircase(
                    end, levels[n], counted, sizes, classes, lost, verdicts.limit[v], task, stairs, ledger
                )
                ledger.step_binds[end:after] = tight == 1
                ledger.step_open[end:after] = verdicts.unresolved[v]
                if verdicts.unresolved[v]:
                    ledger.step_solves[end:after] = False
                else:
                    mark_solutions(end, after, task, ledger)
                end = after
                judged = True
            v += 1
        if tight == 1 and not judged:
            end = _cut(begin, end, ledger)
        ledger.first_step[n + 1] = end


@jit
def _cut(begin: int, end: int, ledger: Ledger) -> int:
    """Keep only the first step, for the loss without suppression, and set its k to 0; return the new end."""
    ledger.step_k[begin] = 0
    return min(begin + 1, end)


@jit
def _spare(counts: Ints, whole: Ints, meets: Flags, sizes: Ints) -> int:
    """Write the sizes of the classes that meet the requirements, and 0 for others; return the rows of those."""
    lost = 0
    for c in range(len(counts)):
        sizes[c] = whole[c] if meets[c] else 0
        lost += 0 if meets[c] else counts[c]
    return lost


@jit
def _bundle(batch: ClassBatch, words: int, n: int) -> Counted:
    """The classes of one node."""
    first, last = batch.first_class[n], batch.first_class[n + 1]
    entry, after = batch.first_entry[n], batch.first_entry[n + 1]
    owners = batch.owners[entry:after] - first
    return Counted(
        batch.words[first * words : last * words],
        batch.counts[first:last],
        owners.astype(batch.owners.dtype),
        batch.columns[entry:after],
        batch.amounts[entry:after],
    )
