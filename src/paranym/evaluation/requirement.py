"""Checking nodes against one fixed requirement: frequency sets derived one from another, on all cores."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from queue import SimpleQueue
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from paranym.evaluation.pool import Threads, copied, count_cores, filled_part
from paranym.frequency import FrequencySet, lifts_of, new_scratch
from paranym.kernels.derivation import derive, rows_below
from paranym.kernels.rollup import NOBODY, Counted, Scratch
from paranym.measures.privacy.base import Classes, Reference
from paranym.measures.requirements import PrivacyRequirements
from paranym.measures.suppression_sets import sets_at
from paranym.model.derivation import Keep, Levels, Order
from paranym.model.hierarchy import Hierarchy

Ints = NDArray[np.int64]


class Broken(NamedTuple):
    """Rows that a node must suppress to meet the requirement, as far as is known."""

    rows: int
    undecided: bool = False
    """True if fewer rows may suffice: not every set of classes to suppress was tried."""


Break = Callable[[Counted], Broken]
"""Rows that a requirement makes a node suppress, given all classes with their histograms."""

_WORTH_A_THREAD = 20_000
"""Combinations to be read, below which handing work to another thread costs more than it saves."""


@dataclass(frozen=True, slots=True, eq=False)
class CheckedSet:
    """The frequency set of a node, and the number of its rows that break the requirement."""

    node: Levels
    size: int
    broken: int
    """Rows that would have to be suppressed."""
    holds: bool
    counted: Counted | None
    """The combinations, if they are kept."""
    memory: int
    undecided: bool = False
    """True if the requirement is neither met nor proved to be broken."""


class Checker:
    """Derives frequency sets of one table, and checks whether their nodes meet a requirement.

    The requirement is k, unless `breaks` counts the rows that a node would have to suppress. A node meets it if these
    are at most `limit`. Keeps nothing but the bottom set: the caller decides which other sets are kept.
    """

    def __init__(
        self,
        frequency: FrequencySet,
        hierarchies: Sequence[Hierarchy],
        *,
        k: int,
        limit: int,
        breaks: Break | None = None,
        cores: int | None = None,
    ) -> None:
        self._k, self._limit, self._breaks = k, limit, breaks
        self.undecided = 0
        """Nodes that were not found to meet the requirement, and not proved to break it either."""
        self._words, self._fields = frequency.packing.size, frequency.packing.fields
        self._nobody = frequency.histogram.nobody
        counted = frequency.counted if breaks is not None else _with_people_alone(frequency.counted, self._nobody)
        self._width = frequency.histogram.width if len(counted.amounts) else 0
        self._lifts = lifts_of(hierarchies)
        self._bottom = CheckedSet(frequency.levels, len(frequency), 0, False, counted, memory=0)
        self._cores = count_cores() if cores is None else cores
        self._threads = Threads(self._cores)
        self._scratches: SimpleQueue[Scratch] = SimpleQueue()
        for _ in range(self._cores):
            self._scratches.put(new_scratch(counted, self._words, self._nobody))

    @property
    def bottom_size(self) -> int:
        """Combinations of the bottom set."""
        return self._bottom.size

    def __call__(self, orders: Sequence[Order]) -> list[CheckedSet]:
        """Return the ordered sets. An interrupt ends the call when the sets in progress are done."""
        done = self._derive(orders)
        self.undecided += sum(each.undecided for each in done)
        return done

    def _derive(self, orders: Sequence[Order]) -> list[CheckedSet]:
        work = sum(self._source(order).size for order in orders)
        if len(orders) == 1 or work < _WORTH_A_THREAD or self._cores == 1:
            return [self._check(order) for order in orders]
        return self._threads.run([partial(self._check, order) for order in orders])

    def _source(self, order: Order) -> CheckedSet:
        return self._bottom if order.source is None else cast("CheckedSet", order.source)

    def _check(self, order: Order) -> CheckedSet:
        source = self._source(order)
        if order.node == source.node:
            return self._judge(order, cast("Counted", source.counted), copy=False)
        with self._scratch() as scratch:
            classes, entries, short = derive(
                cast("Counted", source.counted),
                np.array(source.node, np.int64),
                np.array(order.node, np.int64),
                self._words,
                self._width,
                self._fields,
                self._lifts,
                self._k,
                scratch,
            )
            return self._judge(order, filled_part(scratch.rolled, self._words, classes, entries), short)

    def _judge(self, order: Order, rolled: Counted, short: int | None = None, *, copy: bool = True) -> CheckedSet:
        """Check classes in borrowed memory, and copy them if they are to be kept."""
        undecided = False
        if self._breaks is not None:
            short, undecided = self._breaks(rolled)
        elif short is None:
            short = rows_below(rolled, len(rolled.counts), len(rolled.amounts), self._nobody, self._k)
        holds = short <= self._limit
        if order.keep is Keep.NEVER or (order.keep is Keep.IF_BROKEN and holds):
            return CheckedSet(order.node, len(rolled.counts), short, holds, None, memory=0, undecided=undecided)
        kept = copied(rolled) if copy else rolled
        memory = sum(part.nbytes for part in kept) if copy else 0
        return CheckedSet(order.node, len(kept.counts), short, holds, kept, memory, undecided)

    @contextmanager
    def _scratch(self) -> Iterator[Scratch]:
        """Working memory for one thread at a time."""
        scratch = self._scratches.get()
        try:
            yield scratch
        finally:
            self._scratches.put(scratch)


def breaks_of(requirements: PrivacyRequirements, frequency: FrequencySet, limit: int) -> Break:
    """Count the rows that a node must suppress: those in classes that are too small or break a requirement.

    If suppression changes the distribution that classes are compared with, this is the smallest set of classes that was
    found. If no set within the limit was found, and the search was not complete, the node is undecided.
    """
    blocks = frequency.histogram.blocks
    original = {name: frequency.histogram.dense(name, len(frequency)).sum(axis=0) for name in requirements.attributes}

    def breaks(rolled: Counted) -> Broken:
        sizes = rolled.counts.copy()

        def see(attribute: str | None, reference: Reference) -> Classes:
            if attribute is None:
                return Classes(sizes)
            block = blocks[attribute]
            mine = (rolled.columns >= block.start) & (rolled.columns < block.stop)
            compared = original[attribute] if reference is Reference.ORIGINAL else None
            columns = rolled.columns[mine] - np.int32(block.start)
            return Classes(sizes, rolled.owners[mine], columns, rolled.amounts[mine], compared)

        if requirements.are_local(limit):
            return Broken(int(sizes[~(requirements.met_by(see) & (sizes >= requirements.least_k))].sum()))
        sets = sets_at(requirements, see, sizes, limit, k=requirements.least_k)
        if sets.published:
            return Broken(min(int(sizes[~one].sum()) for one in sets.published))
        rows = int(sizes[~requirements.settle(see, sizes >= requirements.least_k)].sum())
        return Broken(max(rows, limit + 1), undecided=bool(sets.unresolved))

    return breaks


def _with_people_alone(counted: Counted, nobody: int) -> Counted:
    """Return the combinations without the histograms of attributes; people are kept if they are counted."""
    mine = counted.columns >= nobody if nobody != NOBODY else np.zeros(len(counted.columns), bool)
    kept = Counted(counted.words, counted.counts, counted.owners[mine], counted.columns[mine], counted.amounts[mine])
    for array in kept:
        array.flags.writeable = False  # the one type that the kernels are compiled for
    return kept
