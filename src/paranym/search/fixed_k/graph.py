"""A graph of candidate generalizations: nodes of one family, and edges to their direct generalizations."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from paranym.model.derivation import Levels
from paranym.search.fixed_k.base import Family, Ints, Truths


@dataclass(frozen=True, eq=False)
class Graph:
    """The candidates of a family. All nodes above a candidate are candidates, so an edge is one level of one attribute.

    >>> graph = Graph((0, 1), np.array([[False, True], [True, True]]))
    >>> graph.nodes, graph.edges
    ([(0, 1), (1, 0), (1, 1)], [((0, 1), (1, 1)), ((1, 0), (1, 1))])
    """

    family: Family
    candidates: Truths
    """Shaped like the lattice of the family."""

    @property
    def nodes(self) -> list[Levels]:
        """The candidates, by the numbers of their levels."""
        return [self.levels(rank) for rank in np.flatnonzero(self.candidates).tolist()]

    @property
    def edges(self) -> list[tuple[Levels, Levels]]:
        """From every candidate to its direct generalizations."""
        start, end = self.above(np.flatnonzero(self.candidates))
        return sorted((self.levels(a), self.levels(b)) for a, b in zip(start.tolist(), end.tolist(), strict=True))

    @cached_property
    def roots(self) -> Ints:
        """The ranks of the candidates that are not a direct generalization of another one."""
        covered = np.zeros_like(self.candidates)
        for axis in range(self.candidates.ndim):
            upper, lower = [slice(None)] * self.candidates.ndim, [slice(None)] * self.candidates.ndim
            upper[axis], lower[axis] = slice(1, None), slice(-1)
            covered[tuple(upper)] |= self.candidates[tuple(lower)]
        return np.flatnonzero(self.candidates & ~covered)

    @property
    def meet(self) -> Levels:
        """The highest node below all roots."""
        levels = np.unravel_index(self.roots, self.candidates.shape)
        return tuple(int(level.min()) for level in levels)

    def levels(self, rank: int) -> Levels:
        """The node of that rank, by the numbers of its levels."""
        return tuple(int(level) for level in np.unravel_index(rank, self.candidates.shape))

    def by_height(self, ranks: Ints) -> dict[int, Ints]:
        """Ranks, gathered by the sums of their levels."""
        heights = sum(np.unravel_index(ranks, self.candidates.shape), np.zeros(len(ranks), np.int64))
        return {int(height): ranks[heights == height] for height in np.unique(heights)}

    def above(self, ranks: Ints) -> tuple[Ints, Ints]:
        """The edges from those nodes: where each starts and where it ends."""
        pairs = list(self._generalized(ranks))
        start = np.concatenate([np.empty(0, np.int64), *(a for a, _ in pairs)])
        end = np.concatenate([np.empty(0, np.int64), *(b for _, b in pairs)])
        real = self.candidates.reshape(-1)[end]
        return start[real], end[real]

    def _generalized(self, ranks: Ints) -> Iterator[tuple[Ints, Ints]]:
        """Attribute by attribute, the nodes that can be generalized in it, and the resulting nodes."""
        stride = self.candidates.size
        for size in self.candidates.shape:
            stride //= size
            low = ranks[(ranks // stride) % size < size - 1]
            yield low, low + stride
