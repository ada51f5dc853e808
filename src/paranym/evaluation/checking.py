"""Checking nodes against one fixed requirement: frequency sets derived one from another, on all cores."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from queue import SimpleQueue
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.evaluation.nodes import copied, count_cores, filled_part
from paranym.frequency import FrequencySet, lifts_of, new_scratch
from paranym.kernels.deriving import derive, rows_below
from paranym.kernels.rolling import Counted, Scratch
from paranym.measures.demands import Demands
from paranym.measures.privacy.base import Classes, Reference
from paranym.model.derivation import Keep, Levels, Order
from paranym.model.hierarchy import Hierarchy

Ints = NDArray[np.int64]
Break = Callable[[Counted], int]
"""How many rows stand in classes that a requirement does not allow, given all classes with their histograms."""

_PULSE = 0.1
_WORTH_A_THREAD = 20_000
"""Combinations to be read, below which handing work to another thread costs more than it saves."""


@dataclass(frozen=True, slots=True, eq=False)
class CheckedSet:
    """The frequency set of a node, and how many of its rows break the requirement."""

    node: Levels
    size: int
    broken: int
    """Rows that would have to be suppressed."""
    holds: bool
    counted: Counted | None
    """The combinations, if they are kept."""
    memory: int


class Checker:
    """Derives frequency sets of one table, and checks whether their nodes meet a requirement.

    That is k, unless `breaks` says how many rows a node would have to suppress. A node holds if they number at most
    `limit`. Keeps nothing but the bottom set: what is kept is decided by whoever orders.
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
        self._words, self._fields = frequency.packing.size, frequency.packing.fields
        self._width = 0 if breaks is None else frequency.histogram.width
        self._lifts = lifts_of(hierarchies)
        counted = frequency.counted if breaks is not None else _without_histograms(frequency.counted)
        self._bottom = CheckedSet(frequency.levels, len(frequency), 0, False, counted, memory=0)
        self._cores = count_cores() if cores is None else cores
        self._pool = ThreadPoolExecutor(self._cores)
        self._scratches: SimpleQueue[Scratch] = SimpleQueue()
        for _ in range(self._cores):
            self._scratches.put(new_scratch(counted, self._words))

    @property
    def bottom_size(self) -> int:
        """Combinations of the bottom set."""
        return self._bottom.size

    def __call__(self, orders: Sequence[Order]) -> list[CheckedSet]:
        """The sets that were ordered. An interrupt ends the call when the sets in work are done."""
        work = sum(self._source(order).size for order in orders)
        if len(orders) == 1 or work < _WORTH_A_THREAD or self._cores == 1:
            return [self._check(order) for order in orders]
        jobs: list[Future[CheckedSet]] = []
        try:
            jobs += [self._pool.submit(self._check, order) for order in orders]
            while wait(jobs, timeout=_PULSE).not_done:
                pass  # a signal that reached another thread is noticed here
            return [job.result() for job in jobs]
        except BaseException:
            for job in jobs:
                job.cancel()
            wait(jobs)
            raise

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
        """Check classes that stand in borrowed memory, and copy them if they are wanted."""
        if self._breaks is not None:
            short = self._breaks(rolled)
        elif short is None:
            short = rows_below(rolled.counts, len(rolled.counts), self._k)
        holds = short <= self._limit
        if order.keep is Keep.NEVER or (order.keep is Keep.IF_BROKEN and holds):
            return CheckedSet(order.node, len(rolled.counts), short, holds, None, memory=0)
        kept = copied(rolled) if copy else rolled
        memory = sum(part.nbytes for part in kept) if copy else 0
        return CheckedSet(order.node, len(kept.counts), short, holds, kept, memory)

    @contextmanager
    def _scratch(self) -> Iterator[Scratch]:
        """Working memory for one thread at a time."""
        scratch = self._scratches.get()
        try:
            yield scratch
        finally:
            self._scratches.put(scratch)


def breaks_of(demands: Demands, frequency: FrequencySet, limit: int) -> Break:
    """How many rows the demands make a node suppress: those in classes too small, or that break a requirement.

    Where what is suppressed changes what the others are compared with, larger classes may have to go too; then the
    first verdict counts that keeps within the limit.
    """
    blocks = frequency.histogram.blocks
    original = {name: frequency.histogram.dense(name, len(frequency)).sum(axis=0) for name in demands.attributes}

    def breaks(rolled: Counted) -> int:
        sizes = rolled.counts.copy()

        def see(attribute: str | None, reference: Reference) -> Classes:
            if attribute is None:
                return Classes(sizes)
            block = blocks[attribute]
            mine = (rolled.columns >= block.start) & (rolled.columns < block.stop)
            compared = original[attribute] if reference is Reference.ORIGINAL else None
            columns = rolled.columns[mine] - np.int32(block.start)
            return Classes(sizes, rolled.owners[mine], columns, rolled.amounts[mine], compared)

        if demands.are_local(limit):
            return int(sizes[~(demands.met_by(see) & (sizes >= demands.least_k))].sum())
        least = np.unique(np.maximum([*sizes.tolist(), int(sizes.max()) + 1], demands.least_k)).tolist()
        lost = [int(sizes[~demands.settle(see, sizes >= size)].sum()) for size in least]
        return next((rows for rows in lost if rows <= limit), lost[0])

    return breaks


def _without_histograms(counted: Counted) -> Counted:
    none = np.empty(0, np.int32)
    return Counted(counted.words, counted.counts, none, none, np.empty(0, np.int64))
