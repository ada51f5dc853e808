"""Assessing nodes of a table that was counted at a floor, with further frequency sets counted on demand.

Nodes above the floor are rolled up from its counts. For any other node the engine counts at a *materialized node*: as
far below as memory allows, so that the counts serve the next nodes as well. The counts of a node that is too large for
memory arrive from the engine part by part; only classes that might be suppressed are kept.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from threading import Lock
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paranym.evaluation.nodes import Evaluator, by_node
from paranym.frequency import FrequencySet
from paranym.kernels.assessment import Ledger
from paranym.measures.base import Domain
from paranym.measures.suppression_sets import tries_for
from paranym.results.assessment import Assessments

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Node = tuple[int, ...]

HOLDS = 3
"""Number of materialized nodes of the largest size that are kept; more if they are smaller."""


@dataclass(frozen=True, slots=True)
class FloorCounter:
    """Counting in the engine, for nodes that do not lie above the floor."""

    capacity: int
    """Most combinations that a materialized node may have."""
    fits: Callable[[Node], bool]
    """Whether a node is small enough to be materialized."""
    count: Callable[[Node], FrequencySet]
    parts: Callable[[Node], Iterator[FrequencySet]]
    """Counts of a node, part by part."""


class FlooredEvaluator:
    """Assesses nodes from the counts at a floor and at materialized nodes, which the engine counts when needed."""

    _busy: ClassVar[Lock] = Lock()  # memory suffices for one call at a time

    def __init__(self, floor: Evaluator, engine: FloorCounter) -> None:
        self.floor = floor
        """For the nodes at or above the floor."""
        self.engine = engine
        """For all other nodes."""
        self._materialized: list[Evaluator] = []
        """In order of use, the most recent one last."""

    @property
    def domains(self) -> tuple[Domain, ...]:
        """The quasi-identifiers, with their hierarchies and weights."""
        return self.floor.domains

    @property
    def worst(self) -> float:
        """The loss that has the fraction 1."""
        return self.floor.worst

    @property
    def one_step(self) -> bool:
        """True if every node has one solution, with at least the k of every node below it."""
        return self.floor.one_step

    def per_level(self) -> tuple[Floats, ...]:
        """Return the unsuppressed loss of each attribute at each of its levels; the loss must be additive."""
        return self.floor.per_level()

    def __call__(self, levels: Ints) -> Assessments:
        """Return the staircases of the nodes `levels` (nodes, attributes), in their order."""
        with self._busy:
            return self._assessed(np.ascontiguousarray(levels, np.int64))

    def _assessed(self, levels: Ints) -> Assessments:
        parts, begin = [], 0
        while begin < len(levels):
            home, end = self._home(levels[begin]), begin + 1
            while home is not None and end < len(levels) and home.reaches(levels[end]):
                end += 1
            nodes = levels[begin:end]
            parts.append(self._alone(nodes) if home is None else home(nodes))
            begin = end
        return Assessments.join(parts, levels.shape[1])

    def resolve(self, bounds: Assessments, tries: int | None = None) -> Assessments:
        """Search for the solutions of unresolved steps, node by node where each was counted."""
        parts = []
        if tries is None:
            tries = tries_for(sum(len(ks) for _, ks in by_node(bounds)))
        with self._busy:
            for node in np.unique(bounds.levels, axis=0):
                mine = bounds[(bounds.levels == node).all(axis=1)]
                home = self._home(node)
                if home is None:
                    with closing(self.floor.at(self.engine.count(tuple(node.tolist())))) as alone:
                        parts.append(alone.resolve(mine, tries))
                else:
                    parts.append(home.resolve(mine, tries))
        return Assessments.join(parts, bounds.levels.shape[1], bounds.values.shape[1])

    def prepare(self, levels: Ints) -> None:
        """Keep the frequency sets of those nodes that lie above the floor."""
        self.floor.prepare(np.array([node for node in levels if self.floor.reaches(node)], np.int64))

    def close(self) -> None:
        """End the threads."""
        while self._materialized:
            self._materialized.pop().close()
        self.floor.close()

    def _home(self, node: Ints) -> Evaluator | None:
        """Find or make the evaluator whose counts a node is rolled up from; None if the node is too large."""
        if self.floor.reaches(node):
            return self.floor
        found = next((each for each in reversed(self._materialized) if each.reaches(node)), None)
        if found is not None:
            self._materialized.remove(found)
        elif self.engine.fits(tuple(node.tolist())):
            while self._materialized and sum(map(len, self._materialized)) > (HOLDS - 1) * self.engine.capacity:
                self._materialized.pop(0).close()
            counted = self.engine.count(self._node_to_materialize(node))
            found = self.floor.at(counted, cache_bytes=16 * len(counted))
        else:
            return None
        self._materialized.append(found)
        return found

    def _node_to_materialize(self, node: Ints) -> Node:
        """Go down from a node in all attributes at once, as far as fits: an estimate costs as much as a count."""
        steps: list[Node] = [tuple(np.maximum(node - down, 0).tolist()) for down in range(int(node.max()), -1, -1)]
        return steps[bisect_left(steps[:-1], True, key=self.engine.fits)]

    def _alone(self, nodes: Ints) -> Assessments:
        """Assess one node that is too large to be materialized."""
        node: Node = tuple(nodes[0].tolist())
        if self.floor.needs_classes:
            with closing(self.floor.at(self.engine.count(node))) as alone:
                return alone(nodes)
        packing = self.floor.frequency.packing
        short = _Abridged(self.floor.suppression.limit(self.floor.rows), packing.size)
        for part in self.engine.parts(node):
            short.add(part.words, part.counts)
        words, counts = short.classes()
        with closing(self.floor.at(FrequencySet.build(node, packing, words, counts))) as alone:
            return alone.assess_completed(nodes, short.completed)


class _Abridged:
    """The classes of a node that might be suppressed, in full, and the others only by their sizes.

    A class might be suppressed if all classes up to its size have no more rows than the limit. A staircase ends at the
    first larger size, so a few classes of that size represent all of them; the rest is represented by one large class.
    """

    def __init__(self, limit: int, words: int) -> None:
        """At most `limit` rows may be suppressed; every class is identified by this many words."""
        self._limit = limit
        self._sizes = Counter[int]()
        self._words, self._counts = np.empty((0, words), np.int64), np.empty(0, np.int64)

    def add(self, words: Ints, counts: Ints) -> None:
        """Look at further classes, one at least."""
        size, classes = np.unique(counts, return_counts=True)
        self._sizes.update(dict(zip(size.tolist(), classes.tolist(), strict=True)))
        end = self._end
        words, counts = np.concatenate([self._words, words]), np.concatenate([self._counts, counts])
        small = np.flatnonzero(counts < end)
        enough = self._limit // end + 2  # one may grow to represent the classes that are dropped
        last, larger = np.flatnonzero(counts == end)[:enough], np.flatnonzero(counts > end)[:1]
        kept = np.concatenate([small, last, larger])
        self._words, self._counts = words[kept], counts[kept]

    @property
    def _end(self) -> int:
        """The first size that cannot be suppressed, or the largest."""
        rows = 0
        for size in sorted(self._sizes):
            rows += size * self._sizes[size]
            if rows > self._limit:
                break
        return size

    def classes(self) -> tuple[Ints, Ints]:
        """Return the classes that represent all: words, and sizes that add up to all rows."""
        rows = sum(size * classes for size, classes in self._sizes.items())
        counts = self._counts.copy()
        counts[-1] += rows - counts.sum()
        return self._words, counts

    def completed(self, ledger: Ledger) -> Ledger:
        """Return the ledger of the representatives with the number and the squared sizes of all classes."""
        ledger.classes[0] = self._sizes.total()
        ledger.squares[0] = sum(size * size * classes for size, classes in self._sizes.items())
        ledger.products[0] = ledger.squares[0]
        return ledger
