"""Every node of the lattice."""

import time
from collections.abc import Iterator

from paranym.results.assessment import Assessments
from paranym.search.base import Evaluate, Space, Step

_FIRST, _MOST = 64, 4096
_PACE = 0.25
"""Seconds that a step should take at most, so that progress shows and a caller can stop."""


def exhaustive(space: Space, evaluate: Evaluate) -> Iterator[Step]:
    """Evaluate every node, bottom to top, the tallest hierarchy changing fastest.

    In that order the frequency set one level below a node was computed a moment ago.
    """
    lattice = space.lattice
    order = sorted(range(len(lattice.heights)), key=lambda attribute: lattice.heights[attribute])
    found = Assessments.join([], len(lattice.heights), space.objectives.further)
    evaluated, size = 0, _FIRST
    while evaluated < lattice.size:
        begin = time.monotonic()
        nodes = lattice.nodes(evaluated, min(evaluated + size, lattice.size), order=order)
        found = space.objectives.merge(found, evaluate(nodes).solutions)
        evaluated += len(nodes)
        if time.monotonic() - begin < _PACE / 2:
            size = min(2 * size, _MOST)
        yield Step(evaluated, evaluated, found, complete=evaluated == lattice.size)
