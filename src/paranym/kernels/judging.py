"""Assessing nodes whose classes must meet requirements: what Python judges about classes goes back into staircases.

The classes of several nodes are gathered in a sheaf, so that they can be judged all at once; then every node gets its
staircases: one without the requirements, for bounds, and one for every verdict on its classes.
"""

from typing import NamedTuple

from paranym.kernels._jit import jit
from paranym.kernels.assessing import Flags, Ledger, Task, describe, mark_solutions, reach, write_staircase
from paranym.kernels.packing import Codes, Ints
from paranym.kernels.rolling import Counted, Scratch
from paranym.kernels.staircase import Stairs
from paranym.kernels.store import Store, keep


class Sheaf(NamedTuple):
    """The classes of several nodes, end to end."""

    words: Ints
    counts: Ints
    owners: Codes
    """Numbered through the whole sheaf."""
    columns: Codes
    amounts: Ints
    first_class: Ints
    first_entry: Ints
    """(nodes + 1,): where the classes and the histogram entries of each node begin."""


class Verdicts(NamedTuple):
    """What was judged: for every verdict its node, which of the classes meet the requirements, and a limit of rows.

    A limit below that of the task stands for a verdict on one step: more must not be suppressed.
    """

    node: Ints
    """Ascending; a node may have several verdicts, or none."""
    first: Ints
    """Where the flags of each verdict begin."""
    meets: Flags
    limit: Ints


@jit
def gather(levels: Ints, begin: int, stop: Ints, task: Task, store: Store, scratch: Scratch, sheaf: Sheaf) -> int:
    """Roll up to `levels[begin:]` while the sheaf has room; return the first node that was left out."""
    sheaf.first_class[0] = sheaf.first_entry[0] = 0
    for i in range(min(len(levels) - begin, len(sheaf.first_class) - 1)):
        if stop[0] != 0:
            return begin + i
        classes, entries = reach(levels[begin + i], task, store, scratch)
        first, entry = sheaf.first_class[i], sheaf.first_entry[i]
        if first + classes > len(sheaf.counts) or entry + entries > len(sheaf.amounts):
            return begin + i
        rolled = scratch.rolled
        sheaf.words[first * task.words : (first + classes) * task.words] = rolled.words[: classes * task.words]
        sheaf.counts[first : first + classes] = rolled.counts[:classes]
        for e in range(entries):
            sheaf.owners[entry + e] = first + rolled.owners[e]
        sheaf.columns[entry : entry + entries] = rolled.columns[:entries]
        sheaf.amounts[entry : entry + entries] = rolled.amounts[:entries]
        sheaf.first_class[i + 1] = first + classes
        sheaf.first_entry[i + 1] = entry + entries
        keep(store, levels[begin + i], task.words, rolled, classes, entries)
    return begin + min(len(levels) - begin, len(sheaf.first_class) - 1)


@jit
def judge(
    levels: Ints, sheaf: Sheaf, verdicts: Verdicts, tight: int, task: Task, stairs: Stairs, sizes: Ints, ledger: Ledger
) -> None:
    """Write the staircases of all nodes of the sheaf, which are `levels`.

    If `tight` is 1, what the requirements leave binds the nodes below; otherwise only what k alone leaves does.
    """
    v = 0
    for n in range(len(levels)):
        counted = _bundle(sheaf, task.words, n)
        classes = len(counted.counts)
        describe(n, counted, classes, len(counted.amounts), task, stairs, ledger)
        begin = ledger.first_step[n]
        end, ledger.squares[n] = write_staircase(
            begin, levels[n], counted, counted.counts, classes, 0, task.limit, task, stairs, ledger
        )
        ledger.step_binds[begin:end] = True
        ledger.step_solves[begin:end] = False
        judged = False
        while v < len(verdicts.node) and verdicts.node[v] == n:
            lost = _spare(counted.counts, verdicts.meets[verdicts.first[v] :], sizes)
            if lost == 0:
                plain = end if verdicts.limit[v] == task.limit else begin + 1
                mark_solutions(begin, plain, task, ledger)
                judged = True
            elif lost <= verdicts.limit[v]:
                end = _cut(begin, end, ledger) if tight == 1 else end
                after, _ = write_staircase(
                    end, levels[n], counted, sizes, classes, lost, verdicts.limit[v], task, stairs, ledger
                )
                ledger.step_binds[end:after] = tight == 1
                mark_solutions(end, after, task, ledger)
                end = after
                judged = True
            v += 1
        if tight == 1 and not judged:
            end = _cut(begin, end, ledger)
        ledger.first_step[n + 1] = end


@jit
def _cut(begin: int, end: int, ledger: Ledger) -> int:
    """Leave only the first step, for the loss without suppression, and let it reach no k; return the new end."""
    ledger.step_k[begin] = 0
    return min(begin + 1, end)


@jit
def _spare(counts: Ints, meets: Flags, sizes: Ints) -> int:
    """Write the sizes of the classes that meet the requirements, and 0 for others; return the rows of those."""
    lost = 0
    for c in range(len(counts)):
        sizes[c] = counts[c] if meets[c] else 0
        lost += counts[c] - sizes[c]
    return lost


@jit
def _bundle(sheaf: Sheaf, words: int, n: int) -> Counted:
    """The classes of one node."""
    first, last = sheaf.first_class[n], sheaf.first_class[n + 1]
    entry, after = sheaf.first_entry[n], sheaf.first_entry[n + 1]
    owners = sheaf.owners[entry:after] - first
    return Counted(
        sheaf.words[first * words : last * words],
        sheaf.counts[first:last],
        owners.astype(sheaf.owners.dtype),
        sheaf.columns[entry:after],
        sheaf.amounts[entry:after],
    )
