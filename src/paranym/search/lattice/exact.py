"""The exact front: every node is evaluated, or proved to be dominated by evaluated nodes.

An evaluated node bounds whole parts of the lattice: nodes below it reach no larger k and pay no smaller surcharge for
suppression at the same k; nodes above it lose no less without suppression. A node that some known solution strictly
beats in the best case that these bounds leave is decided. That the bottom reaches a k of 1, and what it loses if losses
are sums over attributes, is known before it is evaluated, and decides nodes too. When no node is undecided the front is
complete, and the staircases of the evaluated nodes are the certificate.

The search keeps three arrays shaped like the lattice and the order of the nodes, about 25 bytes per node and 40 while
it starts: 10 million nodes take 400 MB. Larger lattices are searched box by box.
"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from paranym.kernels.front_bounds import Bounds, Goals, Known, Rules, best_cases, sieve, tighten
from paranym.results.assessment import TOLERANCE, Assessments
from paranym.search.base import Corners, Evaluate, Space, Step, loss_over_lattice, orders

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MOST_NODES = 50_000_000
"""Lattices larger than this do not fit the arrays of this search."""

_BATCH = 32
"""Nodes per step, once the search has warmed up. Fixed, so that results do not depend on the number of cores."""
_FLOOR_BATCH = 2
"""Nodes per step on a table counted at a floor, where evaluation is expensive: one node may make the other needless."""
_MOST_STEPS = 16384
"""Every step looks at all nodes, so larger lattices take larger steps: about this many if all nodes were evaluated."""


def rollup_sources(space: Space) -> Ints:
    """Nodes that the search evaluates first: two thirds, a half, a third and a quarter of the way up.

    Most nodes on its way down lie above one of them, and are cheaper to roll up from there than from the bottom.
    """
    top = np.array(space.lattice.heights, np.int64)
    return np.unique(np.maximum([2 * top // 3, top // 2, top // 3, top // 4], space.floor), axis=0)


def exact(space: Space, evaluate: Evaluate, *, seed: int = 0) -> Iterator[Step]:
    """Evaluate undecided nodes until there are none; the last step is complete.

    The next node is the highest undecided one, and among several the one with the least loss. If the loss of a node is
    not known before evaluation, every other node is drawn at random under `seed`: only nodes from below bound losses.
    """
    lattice = space.lattice
    queues = [_Queue(order) for order in orders(space, seed)]
    record = _Record(len(lattice.heights), space)
    rules, bounds, batch = _rules(space), _bounds(space), 1
    given = float(bounds.least_loss[0]) if space.bottom_counts and space.per_level is not None else np.inf
    largest = _FLOOR_BATCH if any(space.floor) else max(_BATCH, lattice.size // _MOST_STEPS)
    nodes = rollup_sources(space)
    bounds.settled[lattice.rank(nodes)] = True
    while len(nodes):
        try:
            steps = evaluate(nodes)
        except BaseException:
            bounds.settled[lattice.rank(nodes)] = False  # chosen but not evaluated: undecided again
            raise
        before = record.nodes
        record.add(steps)
        tighten(record.known, before, rules, bounds)
        possible, goals = partial(_best_cases, record, bounds), _goals(record.found, given)
        yield Step(record.nodes, int(bounds.settled.sum()), record.found, False, possible, tuple(record.parts))
        ranks = [queue.take(max(batch // len(queues), 1), rules, bounds, record.known, goals) for queue in queues]
        nodes = lattice.unrank(np.concatenate(ranks))
        batch = min(2 * batch, largest)
    yield Step(record.nodes, lattice.size, record.found, complete=True, record=tuple(record.parts))


class _Queue:
    """Nodes in a fixed order, and the position of the next one."""

    def __init__(self, order: Ints) -> None:
        self._order = order
        self._position = 0

    def take(self, most: int, rules: Rules, bounds: Bounds, known: Known, goals: Goals) -> Ints:
        """Return at most `most` next nodes that could be on the front; settle those before them that cannot."""
        chosen = np.empty(most, np.int64)
        count, self._position = sieve(self._order, self._position, rules, bounds, known, goals, chosen)
        return chosen[:count]


class _Record:
    """The staircases of the evaluated nodes, as they come in."""

    def __init__(self, attributes: int, space: Space) -> None:
        self.parts: list[Assessments] = []
        self.found = Assessments.join([], attributes)
        """The non-dominated solutions."""
        self._surcharge_falls = space.surcharge_falls
        self._rows = space.rows
        self.least_k = space.least_k
        self.known = Known(
            np.empty((0, attributes), np.int64), np.empty(0), np.zeros(1, np.int64), np.empty(0, np.int64), np.empty(0)
        )

    @property
    def nodes(self) -> int:
        return len(self.known.loss)

    @property
    def bounds_on_k(self) -> Ints:
        """All upper bounds on k that evaluated nodes imply, ascending."""
        return np.unique(np.append(self.known.k[self.known.first_step[1:] - 1], self._rows))

    def add(self, steps: Assessments) -> None:
        self.parts.append(steps)
        self.found = self.found.merged(steps.solutions)
        steps = steps.binding
        first = np.flatnonzero(steps.suppressed == 0)
        known = self.known
        surcharge = steps.surcharge if self._surcharge_falls else np.zeros(len(steps))
        self.known = Known(
            np.concatenate([known.levels, steps.levels[first]]),
            np.concatenate([known.loss, steps.loss[first]]),
            np.concatenate([known.first_step[:-1], known.first_step[-1] + np.append(first, len(steps))]),
            np.concatenate([known.k, steps.k]),
            np.concatenate([known.surcharge, surcharge]),
        )


def _rules(space: Space) -> Rules:
    heights = np.array(space.lattice.heights, np.int64)
    return Rules(heights, space.per_level is not None, space.one_step, space.least_k, TOLERANCE)


def _bounds(space: Space) -> Bounds:
    size = space.lattice.size
    return Bounds(
        np.zeros(size, bool),
        np.full(size, space.rows),
        loss_over_lattice(space),
    )


def _best_cases(record: _Record, bounds: Bounds) -> Corners:
    """The points so far, and the best cases of the undecided nodes."""
    ks, goals = record.bounds_on_k, _goals(record.found, np.inf)
    least = np.full(len(ks), np.inf)
    best_cases(bounds, ks, least)
    open_ = np.isfinite(least) & (ks >= record.least_k)
    return Corners.of(np.append(goals.k, ks[open_]), np.append(goals.loss, least[open_]))


def _goals(found: Assessments, given: float) -> Goals:
    """The points of a non-dominated set: each k with the least loss for it.

    Includes k = 1 at the bottom node, if its loss is `given` before evaluation.
    """
    k, start = np.unique(-found.k, return_index=True)
    loss = np.minimum.reduceat(found.loss, start) if len(found) else np.empty(0)
    if given < loss.min(initial=np.inf):
        others = k < -1
        k, loss = np.append(k[others], -1), np.append(loss[others], given)
    return Goals(-k, loss)
