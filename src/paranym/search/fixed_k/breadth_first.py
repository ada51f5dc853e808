"""The breadth-first search of one graph of candidates (Incognito, Figure 8), bottom to top."""

from collections.abc import Callable, Generator, Iterator, Sequence

import numpy as np

from paranym.model.derivation import Frequencies, Keep, Levels, Order
from paranym.search.fixed_k.base import BATCH, Choices, DerivationLog, Ints, SetCache, Truths
from paranym.search.fixed_k.graph import Graph

Below = Callable[[Levels], Frequencies | None]
"""Returns the set that a node is derived from if no set of this search lies below it; None for the bottom set."""


def scan(_: Levels) -> Frequencies | None:
    """Derive every node from the bottom set."""
    return None


class BreadthFirst:
    """Decides for every candidate whether it meets the requirement.

    Roots first, height by height. The direct generalizations of a node that meets it are marked, and not checked; those
    of a node that does not are checked next, from the smallest frequency set among the nodes that led to them.
    """

    def __init__(
        self,
        graph: Graph,
        choices: Choices,
        log: DerivationLog,
        below: Below = scan,
        *,
        memory: int,
        rollup: bool = True,
    ) -> None:
        """Keep at most `memory` bytes of sets to roll up from; without `rollup`, none."""
        self.graph = graph
        self._choices = choices
        self._below = below
        self._keep = Keep.IF_BROKEN if rollup else Keep.NEVER
        self._marked = np.zeros(graph.candidates.size, bool)
        self._good = np.zeros(graph.candidates.size, bool)
        # sets of the height below and of this one
        self._lower: SetCache[int] = SetCache(log, memory // 2)
        self._upper: SetCache[int] = SetCache(log, memory // 2)

    @property
    def met(self) -> Truths:
        """The candidates at or above one that was found to meet the requirement.

        After the search these are all that meet it: minimal ones are roots or lie above a failing node, and were
        checked.
        """
        met = self._good.reshape(self.graph.candidates.shape).copy()
        for axis in range(met.ndim):
            np.logical_or.accumulate(met, axis=axis, out=met)
        return met

    def orders(self) -> Generator[list[Order], list[Frequencies], None]:
        """Run the search as a generator: yields batches of orders, and is sent their frequency sets."""
        roots = self.graph.by_height(self.graph.roots)
        waiting: dict[int, list[int]] = {}
        height = min(roots, default=0)
        while waiting or any(other >= height for other in roots):
            ranks = np.union1d(roots.get(height, np.empty(0, np.int64)), np.array(list(waiting), np.int64))
            todo = ranks[~self._marked[ranks]].tolist()
            bad: list[int] = []
            for begin in range(0, len(todo), BATCH):
                batch = todo[begin : begin + BATCH]
                done = yield [self._order(rank, waiting.get(rank, [])) for rank in batch]
                bad += self._sort(batch, done)
            waiting = self._go_up(np.array(todo, np.int64), np.array(bad, np.int64))
            height += 1
        self._lower.clear()
        self._upper.clear()

    def _order(self, rank: int, parents: list[int]) -> Order:
        """Order a node from the smallest kept set of a parent, or from the source of roots."""
        node = self._choices.node(self.graph.family, self.graph.levels(rank))
        kept = [each for each in map(self._lower.get, parents) if each is not None]
        source = min(kept, key=lambda each: each.size) if kept else self._below(node)
        return Order(node, source, self._keep)

    def _sort(self, ranks: list[int], checked: list[Frequencies]) -> list[int]:
        """Record nodes that meet the requirement; return those that fail, and keep their sets."""
        bad = []
        for rank, each in zip(ranks, checked, strict=True):
            self._good[rank] = each.holds
            if not each.holds:
                bad.append(rank)
                if self._keep is not Keep.NEVER:
                    self._upper.put(rank, each)
        return bad

    def _go_up(self, checked: Ints, bad: Ints) -> dict[int, list[int]]:
        """Mark direct generalizations of nodes that meet it; return those of failing nodes, with these as parents."""
        self._marked[self.graph.above(checked[self._good[checked]])[1]] = True
        waiting: dict[int, list[int]] = {}
        for start, end in zip(*(ends.tolist() for ends in self.graph.above(bad)), strict=True):
            waiting.setdefault(end, []).append(start)
        self._lower.clear()
        self._lower, self._upper = self._upper, self._lower
        return waiting


def climb_together(climbs: Sequence[BreadthFirst], log: DerivationLog) -> Iterator[None]:
    """Search several graphs side by side, so that all cores find work; a step checks a batch of each."""
    waiting = [(orders, batch) for orders in (climb.orders() for climb in climbs) for batch in _next_batch(orders)]
    while waiting:
        done = iter(log.check([order for _, batch in waiting for order in batch]))
        waiting = [
            (orders, following)
            for orders, batch in waiting
            for following in _next_batch(orders, [next(done) for _ in batch])
        ]
        yield


def _next_batch(
    orders: Generator[list[Order], list[Frequencies], None], done: list[Frequencies] | None = None
) -> Iterator[list[Order]]:
    """Send the last results to a search and return its next batch, if there is one."""
    try:
        yield next(orders) if done is None else orders.send(done)
    except StopIteration:
        return
