"""Bottom-up breadth-first search of the whole lattice (Incognito, section 2.2), without and with rollup."""

from collections.abc import Iterator

import numpy as np

from paranym.model.derivation import Derive
from paranym.search.fixed_k.base import Choices, DerivationLog, Ints, Stage
from paranym.search.fixed_k.breadth_first import BreadthFirst, climb_together
from paranym.search.fixed_k.graph import Graph


def bottom_up(choices: Choices, derive: Derive, *, memory: int, rollup: bool = True) -> Iterator[Stage]:
    """All nodes that meet the requirement.

    With `rollup` a frequency set comes from that of a node right below, else from the bottom set. Sets that do not fit
    the memory are dropped, and nodes above them come from the bottom set.
    """
    log = DerivationLog(derive, memory)
    lattice = choices.lattice
    graph = Graph(choices.attributes, np.ones([height + 1 for height in lattice.heights], bool))
    climb = BreadthFirst(graph, choices, log, memory=memory, rollup=rollup)

    def found() -> Ints:
        return choices.nodes(climb.met)

    for _ in climb_together([climb], log):
        yield Stage(log.effort, log.effort.checked, lattice.size, "nodes", found)
    yield Stage(log.effort, lattice.size, lattice.size, "nodes", found, complete=True)
