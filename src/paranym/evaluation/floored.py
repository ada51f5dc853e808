"""Assessing nodes of a table that was counted at a floor: from there, from footholds, or part by part in the engine.

What lies above the floor is rolled up from its counts. A search that comes to another node has the engine count at a
foothold: as far below that node as memory allows, so that it serves the next nodes as well. A node that is itself too
large for one is counted in the engine and looked at part by part; as a rule it has so many small classes that none can
be suppressed, and then their sizes tell all there is to tell.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paranym.evaluation.nodes import Evaluator
from paranym.frequency import FrequencySet
from paranym.kernels.assessing import Ledger
from paranym.model.assessment import Assessments

Ints = NDArray[np.int64]
Node = tuple[int, ...]

HOLDS = 3
"""So many footholds are kept, those that were asked last."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What the engine does for nodes that do not lie above the floor."""

    fits: Callable[[Sequence[int]], bool]
    """Whether a node can be a foothold."""
    count: Callable[[Node], FrequencySet]
    parts: Callable[[Node], Iterator[FrequencySet]]
    """The same part after part."""


class FlooredEvaluator(Evaluator):
    """Assesses nodes from the counts at a floor and at footholds, which the engine makes when they are needed."""

    def __init__(self, engine: Engine, *given: Any, **options: Any) -> None:
        """Like an evaluator of what was counted at the floor."""
        super().__init__(*given, **options)
        self._engine = engine
        self._holds: list[Evaluator] = []  # the one that was asked last at the end

    def __call__(self, levels: Ints) -> Assessments:
        """The staircases of the nodes `levels` (nodes, attributes), in their order."""
        levels = np.ascontiguousarray(levels, np.int64)
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
        elif self._engine.fits(node.tolist()):
            while len(self._holds) >= HOLDS:
                self._holds.pop(0).close()
            found = self.at(self._engine.count(self._foothold(node.tolist())), cache_bytes=None)
        else:
            return None
        self._holds.append(found)
        return found

    def _foothold(self, node: list[int]) -> Node:
        """As far below a node as fits; short hierarchies first, whose levels are a larger part of the lattice each."""
        heights = [domain.hierarchy.height for domain in self.domains]
        for j in sorted(range(len(node)), key=heights.__getitem__):
            lower = (level for level in range(node[j]) if self._engine.fits([*node[:j], level, *node[j + 1 :]]))
            node[j] = next(lower, node[j])
        return tuple(node)

    def _alone(self, nodes: Ints) -> Assessments:
        """One node that is too large for a foothold."""
        node: Node = tuple(nodes[0].tolist())
        if not (self._court.is_needed or self.loss.facts.needs_label):
            sizes = Counter[int]()
            for part in self._engine.parts(node):
                size, classes = np.unique(part.counts, return_counts=True)
                sizes.update(dict(zip(size.tolist(), classes.tolist(), strict=True)))
            least = min(sizes)
            if least * sizes[least] > self._task.limit:
                return self._read(nodes, self._one_step(sizes), 0, 1)
        alone = self.at(self._engine.count(node))
        try:
            return alone(nodes)
        finally:
            alone.close()

    def _one_step(self, sizes: Counter[int]) -> Ledger:
        """What is told of a node of which no class can be suppressed."""
        none, attributes = np.zeros(1, np.int64), len(self.domains)
        least = min(sizes)
        return Ledger(
            classes=np.array([sizes.total()], np.int64),
            squares=np.array([sum(size * size * classes for size, classes in sizes.items())], np.int64),
            majority=none,
            first_step=np.array([0, 1], np.int64),
            step_k=np.array([least], np.int64),
            step_rows=none,
            step_classes=none,
            step_squares=none,
            step_majority=none,
            step_costs=np.zeros((1, attributes if len(self._task.costs) else 0), np.int64),
            step_spread=np.zeros((1, attributes if self._task.spread else 0)),
            step_binds=np.ones(1, bool),
            step_solves=np.array([least >= self._task.least_k]),
        )
