"""Nodes and the lattice they form: pure arithmetic on levels."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.int64]
"""Nodes as rows: (nodes, attributes)."""


@dataclass(frozen=True, slots=True)
class Node:
    """The level of each quasi-identifier. The order is partial: use `covers`, not `<`.

    >>> Node((1, 2)).covers(Node((1, 0)))
    True
    """

    levels: tuple[int, ...]

    def covers(self, other: "Node") -> bool:
        """Whether `self` is at least as general as `other` in every attribute."""
        return all(a >= b for a, b in zip(self.levels, other.levels, strict=True))

    @property
    def height(self) -> int:
        """The sum of the levels."""
        return sum(self.levels)


@dataclass(frozen=True, slots=True)
class Lattice:
    """All nodes between the original table and the fully generalized one.

    >>> lattice = Lattice((1, 2))
    >>> lattice.size, lattice.top
    (6, Node(levels=(1, 2)))
    """

    heights: tuple[int, ...]
    """The highest level of every attribute."""

    @property
    def size(self) -> int:
        """Number of nodes."""
        return math.prod(height + 1 for height in self.heights)

    @property
    def bottom(self) -> Node:
        """The node of the original table."""
        return Node((0,) * len(self.heights))

    @property
    def top(self) -> Node:
        """The node of the fully generalized table."""
        return Node(self.heights)

    def __contains__(self, node: object) -> bool:
        return (
            isinstance(node, Node)
            and len(node.levels) == len(self.heights)
            and all(0 <= level <= height for level, height in zip(node.levels, self.heights, strict=True))
        )

    def __iter__(self) -> Iterator[Node]:
        for batch in self.batches(4096):
            yield from (Node(tuple(levels)) for levels in batch.tolist())

    def batches(self, size: int, *, order: Sequence[int] | None = None) -> Iterator[Levels]:
        """All nodes, at most `size` at a time; the attribute that `order` names last changes fastest."""
        for begin in range(0, self.size, size):
            yield self.nodes(begin, min(begin + size, self.size), order=order)

    def nodes(self, begin: int, end: int, *, order: Sequence[int] | None = None) -> Levels:
        """Nodes number `begin` to `end` in that order."""
        return self.unrank(np.arange(begin, end, dtype=np.int64), order=order)

    def rank(self, levels: Levels) -> NDArray[np.int64]:
        """The numbers of nodes."""
        ranks = np.zeros(len(levels), np.int64)
        for attribute, height in enumerate(self.heights):
            ranks = ranks * (height + 1) + levels[:, attribute]
        return ranks

    def unrank(self, ranks: NDArray[np.int64], *, order: Sequence[int] | None = None) -> Levels:
        """The nodes of those numbers."""
        levels = np.empty((len(ranks), len(self.heights)), np.int64)
        for attribute in reversed(range(len(self.heights)) if order is None else order):
            ranks, levels[:, attribute] = np.divmod(ranks, self.heights[attribute] + 1)
        return levels
