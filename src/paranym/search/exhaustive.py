"""Every node of the lattice."""

from collections.abc import Iterator

from paranym.model.assessment import Assessments
from paranym.model.lattice import Lattice
from paranym.search.base import Evaluate, Step

BATCH = 4096
"""Nodes per step."""


def exhaustive(lattice: Lattice, evaluate: Evaluate) -> Iterator[Step]:
    """Evaluate every node, bottom to top, the tallest hierarchy changing fastest.

    In that order the frequency set one level below a node was computed a moment ago.
    """
    order = sorted(range(len(lattice.heights)), key=lambda attribute: lattice.heights[attribute])
    found = Assessments.none(len(lattice.heights))
    evaluated = 0
    for nodes in lattice.batches(BATCH, order=order):
        found = (found + evaluate(nodes)).unbeaten()
        evaluated += len(nodes)
        yield Step(evaluated, found, complete=evaluated == lattice.size)
