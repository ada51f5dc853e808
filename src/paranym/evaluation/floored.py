"""Assessing nodes of a table that was counted at a floor: from there, from footholds, or part by part in the engine.

What lies above the floor is rolled up from its counts. A search that comes to another node has the engine count at a
foothold: as far below that node as memory allows, so that it serves the next nodes as well. A node that is itself too
large for one is counted in the engine and comes part by part; only classes that might be suppressed are kept.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from paranym.evaluation.nodes import Evaluator
from paranym.frequency import FrequencySet
from paranym.kernels.assessing import Ledger
from paranym.model.assessment import Assessments

Ints = NDArray[np.int64]
Node = tuple[int, ...]

HOLDS = 3
"""So many footholds of the largest size are kept, or more that are smaller: those that were asked last."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What the engine does for nodes that do not lie above the floor."""

    foothold: int
    """So many combinations a foothold may have."""
    fits: Callable[[Node], bool]
    """Whether a node can be one."""
    count: Callable[[Node], FrequencySet]
    parts: Callable[[Node], Iterator[FrequencySet]]
    """The same part after part."""


class FlooredEvaluator(Evaluator):
    """Assesses nodes from the counts at a floor and at footholds, which the engine makes when they are needed."""

    engine: Engine
    """To be set by whoever makes one."""
    _busy: ClassVar[Lock] = Lock()  # memory is enough for one question at a time

    @cached_property
    def _holds(self) -> list[Evaluator]:
        """The footholds, the one that was asked last at the end."""
        return []

    def __call__(self, levels: Ints) -> Assessments:
        """The staircases of the nodes `levels` (nodes, attributes), in their order."""
        with self._busy:
            return self._assessed(np.ascontiguousarray(levels, np.int64))

    def _assessed(self, levels: Ints) -> Assessments:
        parts, begin = [], 0
        while begin < len(levels):
            home, end = self._home(levels[begin]), begin + 1
            while home is not None and end < len(levels) and home.reaches(levels[end]):
                end += 1
            nodes = levels[begin:end]
            parts.append(self._alone(nodes) if home is None else Evaluator.__call__(home, nodes))
            begin = end
        return Assessments.join(parts, levels.shape[1])

    def prepare(self, levels: Ints) -> None:
        """Keep the frequency sets of those nodes that lie above the floor."""
        super().prepare(np.array([node for node in levels if self.reaches(node)], np.int64))

    def close(self) -> None:
        """Let go of the threads."""
        while self._holds:
            self._holds.pop().close()
        super().close()

    def _home(self, node: Ints) -> Evaluator | None:
        """Whose counts a node is rolled up from; None if there is no place for any."""
        if self.reaches(node):
            return self
        found = next((hold for hold in reversed(self._holds) if hold.reaches(node)), None)
        if found is not None:
            self._holds.remove(found)
        elif self.engine.fits(tuple(node.tolist())):
            while self._holds and sum(map(len, self._holds)) > (HOLDS - 1) * self.engine.foothold:
                self._holds.pop(0).close()
            counted = self.engine.count(self._foothold(node))
            found = self.at(counted, cache_bytes=16 * len(counted))
        else:
            return None
        self._holds.append(found)
        return found

    def _foothold(self, node: Ints) -> Node:
        """So many levels below a node, in all attributes, as fits: an estimate costs hardly less than a count."""
        steps: list[Node] = [tuple(np.maximum(node - down, 0).tolist()) for down in range(int(node.max()), -1, -1)]
        return steps[bisect_left(steps[:-1], True, key=self.engine.fits)]

    def _alone(self, nodes: Ints) -> Assessments:
        """One node that is too large for a foothold."""
        node: Node = tuple(nodes[0].tolist())
        if self._court.is_needed or self.loss.facts.needs_label:
            with closing(self.at(self.engine.count(node))) as alone:
                return alone(nodes)
        short = _Abridged(self._task.limit, self._task.words)
        for part in self.engine.parts(node):
            short.add(part.words, part.counts)
        words, counts = short.classes()
        with closing(self.at(FrequencySet.build(node, self._frequency.packing, words, counts))) as alone:
            return self._read(nodes, short.completed(alone.ledger_of(nodes)), 0, 1)


class _Abridged:
    """Of the classes of a node those that might be suppressed, in full; the others only by their sizes.

    A class might be if all that are no larger have together no more rows than the limit. To a staircase the first size
    beyond that is the end, so some classes of that size stand for all; what else there is stands as one large class.
    """

    def __init__(self, limit: int, words: int) -> None:
        """No more rows than `limit` may be suppressed; a class is told by so many words."""
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
        enough = self._limit // end + 2  # one may grow to stand for what is left out
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
        """What stands for all: words, and sizes that add up to all rows."""
        rows = sum(size * classes for size, classes in self._sizes.items())
        counts = self._counts.copy()
        counts[-1] += rows - counts.sum()
        return self._words, counts

    def completed(self, ledger: Ledger) -> Ledger:
        """The ledger of what stands for all, with the number of all classes and the sum of their squares."""
        ledger.classes[0] = self._sizes.total()
        ledger.squares[0] = sum(size * size * classes for size, classes in self._sizes.items())
        return ledger
