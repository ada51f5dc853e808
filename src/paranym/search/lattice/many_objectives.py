"""The exact front in more than two objectives: every node is evaluated, or proved to be dominated by evaluated nodes.

The bounds are those of the search in k and loss. Without suppression every privacy model that never gets worse upwards
is bounded like k is: a node below an evaluated one is at most as private. With suppression the number of suppressed
rows is bounded too: a node below suppresses at least as many for the same k. Nodes are taken in the same order.
"""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from paranym.kernels.objective_bounds import (
    FURTHER,
    LOSS,
    SUPPRESSION,
    Evaluated,
    FoundPoints,
    K,
    Reach,
    SpaceTerms,
    screen,
    spread,
)
from paranym.results.assessment import TOLERANCE, Assessments
from paranym.search.base import Evaluate, Space, Step, loss_over_lattice, orders

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_BATCH = 32


def many(space: Space, evaluate: Evaluate, *, seed: int = 0) -> Iterator[Step]:
    """Evaluate undecided nodes until there are none; the last step is complete."""
    lattice = space.lattice
    queues, places = orders(space, seed), [0, 0]
    record, terms, reach, batch = _Record(space), _terms(space), _reach(space), 1
    nodes = np.array([lattice.top.levels, lattice.bottom.levels])[: lattice.size]
    reach.settled[lattice.rank(nodes)] = True
    while len(nodes):
        before = len(record.known.loss)
        record.add(evaluate(nodes))
        spread(record.known, before, terms, reach)
        yield Step(len(record.known.loss), int(reach.settled.sum()), record.found, False, None, tuple(record.parts))
        front, ranks = record.front, []
        for turn, order in enumerate(queues):
            chosen = np.empty(max(batch // len(queues), 1), np.int64)
            count, places[turn] = screen(order, places[turn], terms, reach, record.known, front, chosen)
            ranks.append(chosen[:count])
        nodes = lattice.unrank(np.concatenate(ranks))
        batch = min(2 * batch, _BATCH)
    yield Step(len(record.known.loss), lattice.size, record.found, complete=True, record=tuple(record.parts))


class _Record:
    """The evaluated nodes, and their front."""

    def __init__(self, space: Space) -> None:
        attributes, further = len(space.lattice.heights), space.objectives.further
        self._space = space
        self.parts: list[Assessments] = []
        self.found = Assessments.join([], attributes, further)
        none, whole = np.empty(0), np.empty(0, np.int64)
        self.known = Evaluated(
            np.empty((0, attributes), np.int64), none, np.zeros(1, np.int64), whole, whole, none, np.empty((0, further))
        )

    @property
    def front(self) -> FoundPoints:
        return FoundPoints(self._space.objectives.costs(self.found), np.unique(self.found.k))

    def add(self, steps: Assessments) -> None:
        self.parts.append(steps)
        self.found = self._space.objectives.merge(self.found, steps.solutions)
        steps = steps.binding
        first = np.flatnonzero(steps.suppressed == 0)
        surcharge = steps.surcharge if self._space.surcharge_falls else np.zeros(len(steps))
        known, end = self.known, self.known.first_step[-1]
        self.known = Evaluated(
            np.concatenate([known.levels, steps.levels[first]]),
            np.concatenate([known.loss, steps.loss[first]]),
            np.concatenate([known.first_step[:-1], end + np.append(first, len(steps))]),
            np.concatenate([known.k, steps.k]),
            np.concatenate([known.rows, steps.suppressed]),
            np.concatenate([known.surcharge, surcharge]),
            np.concatenate([known.achieved, self._space.objectives.further_costs(steps[first])]),
        )


def _terms(space: Space) -> SpaceTerms:
    kinds = {"k": K, "suppression": SUPPRESSION, "loss": LOSS}
    listed = space.objectives.listed
    return SpaceTerms(
        np.array(space.lattice.heights, np.int64),
        np.array([kinds[each.name] if each.place is None else FURTHER + each.place for each in listed], np.int64),
        space.per_level is not None,
        space.staircases,
        space.least_k,
        TOLERANCE,
    )


def _reach(space: Space) -> Reach:
    size = space.lattice.size
    return Reach(
        np.zeros(size, bool),
        np.full(size, space.rows),
        loss_over_lattice(space),
        np.full((space.objectives.further, size), -np.inf),
    )
