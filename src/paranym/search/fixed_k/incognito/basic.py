"""Basic Incognito (section 3.1), and the loop that its variants share."""

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Protocol

import numpy as np

from paranym.model.derivation import Derive, Frequencies, Levels
from paranym.search.fixed_k.base import Choices, DerivationLog, Family, Ints, Stage, Truths
from paranym.search.fixed_k.breadth_first import BreadthFirst, climb_together
from paranym.search.fixed_k.graph import Graph
from paranym.search.fixed_k.incognito.candidates import extendable, next_graphs, single_graphs

TOGETHER = 8
"""Families that are searched side by side."""


class Roots(Protocol):
    """The source of the frequency sets of roots, which distinguishes the variants."""

    memory: int
    """Bytes for the sets to roll up from within families."""

    def prepare(self, size: int, graphs: Sequence[Graph]) -> Iterator[None]:
        """Prepare for the graphs of all families of `size` attributes."""

    def open(self, graphs: Sequence[Graph]) -> None:
        """Prepare for some of the graphs, and drop the sets that only others needed."""

    def below(self, family: Family, node: Levels) -> Frequencies | None:
        """Return the frequency set that a root is derived from; None for the bottom set."""


class Scans:
    """Basic Incognito: every root comes from the bottom set."""

    def __init__(self, log: DerivationLog) -> None:
        self.memory = log.memory

    def prepare(self, size: int, graphs: Sequence[Graph]) -> Iterator[None]:
        yield from ()

    def open(self, graphs: Sequence[Graph]) -> None:
        pass

    def below(self, family: Family, node: Levels) -> Frequencies | None:
        return None


def incognito(choices: Choices, derive: Derive, *, memory: int) -> Iterator[Stage]:
    """All nodes that meet the requirement; the bottom set is read once per root."""
    log = DerivationLog(derive, memory)
    return grow(choices, log, Scans(log))


def grow(choices: Choices, log: DerivationLog, roots: Roots) -> Iterator[Stage]:
    """The algorithm of Figure 8: search the graphs of one attribute, of two, and so on to all."""
    attributes = choices.attributes
    total, done = 2 ** len(attributes) - 1, 0
    met: dict[Family, Truths] = {}

    def none() -> Ints:
        return np.empty((0, len(attributes)), np.int64)

    for size in range(1, len(attributes) + 1):
        families = list(combinations(attributes, size))
        graphs = extendable(choices, single_graphs(choices) if size == 1 else next_graphs(families, met))
        for _ in roots.prepare(size, graphs):
            yield Stage(log.effort, done, total, "sets of attributes", none)
        met = {}
        for begin in range(0, len(graphs), TOGETHER):
            some = graphs[begin : begin + TOGETHER]
            roots.open(some)
            climbs = [_climb(graph, choices, log, roots) for graph in some]
            for _ in climb_together(climbs, log):
                yield Stage(log.effort, done, total, "sets of attributes", none)
            met |= {climb.graph.family: climb.met for climb in climbs}
            done += len(some)
        roots.open(())
    whole = met[attributes]

    yield Stage(log.effort, total, total, "sets of attributes", lambda: choices.nodes(whole), complete=True)


def _climb(graph: Graph, choices: Choices, log: DerivationLog, roots: Roots) -> BreadthFirst:
    def below(node: Levels) -> Frequencies | None:
        return roots.below(graph.family, node)

    return BreadthFirst(graph, choices, log, below, memory=roots.memory // TOGETHER)
