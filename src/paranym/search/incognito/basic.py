"""Basic Incognito (section 3.1), and the loop that its variants share."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Protocol

import numpy as np

from paranym.model.derivation import Derive, Frequencies, Levels
from paranym.search.full_domain.base import Choices, Desk, Family, Ints, Stage, Truths
from paranym.search.full_domain.climbing import Climb, climb_together
from paranym.search.full_domain.graph import Graph
from paranym.search.incognito.candidates import extendable, next_graphs, single_graphs

TOGETHER = 8
"""Families that are searched side by side."""


class Roots(Protocol):
    """Where the frequency sets of roots come from: what the variants differ in."""

    memory: int
    """Bytes that are left for sets to roll up from within families."""

    def prepare(self, size: int, graphs: Sequence[Graph]) -> Iterator[None]:
        """Get ready for the graphs of all families of so many attributes."""

    def open(self, graphs: Sequence[Graph]) -> None:
        """Get ready for some of them, and let go of what was for others alone."""

    def below(self, family: Family, node: Levels) -> Frequencies | None:
        """What the set of a root is derived from; None: from the bottom set."""


class Scans:
    """Basic: every root from the bottom set."""

    def __init__(self, desk: Desk) -> None:
        self.memory = desk.memory

    def prepare(self, size: int, graphs: Sequence[Graph]) -> Iterator[None]:
        yield from ()

    def open(self, graphs: Sequence[Graph]) -> None:
        pass

    def below(self, family: Family, node: Levels) -> Frequencies | None:
        return None


def incognito(choices: Choices, derive: Derive, *, memory: int) -> Iterator[Stage]:
    """All nodes that meet the requirement; the bottom set is read once per root."""
    desk = Desk(derive, memory)
    return grow(choices, desk, Scans(desk))


def grow(choices: Choices, desk: Desk, roots: Roots) -> Iterator[Stage]:
    """The algorithm of Figure 8: search the graphs of one attribute, of two, and so on to all."""
    attributes = choices.attributes
    total, done = 2 ** len(attributes) - 1, 0
    standing: dict[Family, Truths] = {}

    def none() -> Ints:
        return np.empty((0, len(attributes)), np.int64)

    for size in range(1, len(attributes) + 1):
        families = list(combinations(attributes, size))
        graphs = extendable(choices, single_graphs(choices) if size == 1 else next_graphs(families, standing))
        for _ in roots.prepare(size, graphs):
            yield Stage(desk.effort, done, total, "sets of attributes", none)
        standing = {}
        for begin in range(0, len(graphs), TOGETHER):
            some = graphs[begin : begin + TOGETHER]
            roots.open(some)
            climbs = [_climb(graph, choices, desk, roots) for graph in some]
            for _ in climb_together(climbs, desk):
                yield Stage(desk.effort, done, total, "sets of attributes", none)
            standing |= {climb.graph.family: climb.met for climb in climbs}
            done += len(some)
        roots.open(())
    whole = standing[attributes]

    yield Stage(desk.effort, total, total, "sets of attributes", lambda: choices.nodes(whole), complete=True)


def _climb(graph: Graph, choices: Choices, desk: Desk, roots: Roots) -> Climb:
    def below(node: Levels) -> Frequencies | None:
        return roots.below(graph.family, node)

    return Climb(graph, choices, desk, below, memory=roots.memory // TOGETHER)
