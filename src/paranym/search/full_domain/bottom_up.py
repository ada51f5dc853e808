"""Bottom-up breadth-first search of the whole lattice (Incognito, section 2.2), without and with rollup."""

from collections.abc import Iterator

import numpy as np

from paranym.model.derivation import Derive
from paranym.search.full_domain.base import Choices, Desk, Ints, Stage
from paranym.search.full_domain.climbing import Climb, climb_together
from paranym.search.full_domain.graph import Graph


def bottom_up(choices: Choices, derive: Derive, *, memory: int, rollup: bool = True) -> Iterator[Stage]:
    """All nodes that meet the requirement.

    With `rollup` a frequency set comes from that of a node right below, else from the bottom set. Sets that do not fit
    the memory are let go, and what lies above them comes from the bottom set.
    """
    desk = Desk(derive, memory)
    lattice = choices.lattice
    graph = Graph(choices.attributes, np.ones([height + 1 for height in lattice.heights], bool))
    climb = Climb(graph, choices, desk, memory=memory, rollup=rollup)

    def found() -> Ints:
        return choices.nodes(climb.met)

    for _ in climb_together([climb], desk):
        yield Stage(desk.effort, desk.effort.checked, lattice.size, "nodes", found)
    yield Stage(desk.effort, lattice.size, lattice.size, "nodes", found, complete=True)
