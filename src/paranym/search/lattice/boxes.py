"""The exact front of lattices too large for arrays of their shape: branch and bound over boxes of nodes.

A box contains all nodes between a lowest and a highest one. Evaluated nodes bound its solutions: a node of the box
with attribute j at level l lies below the highest node with j lowered to l, and so has no larger k. Every k therefore
implies a lowest level of each attribute, and a least loss: the sum over the attributes if the loss is additive, else
the loss of the lowest node. A box that cannot match the front at any k is dropped; others are split by the attribute
with the loosest bound.

Values of k are grouped into the cells of a fixed grid, always rounded in favour of the box. An open box takes about
2 KB and an evaluated node about 1 KB, whatever the size of the lattice. If the search stops early, the open boxes bound
all undiscovered solutions.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, fields
from functools import partial

import numpy as np
from numpy.typing import NDArray

from paranym.model.lattice import Lattice
from paranym.results.assessment import TOLERANCE, Assessments
from paranym.search.base import Corners, Evaluate, Space, Step

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
Levels = NDArray[np.int16]
Caps = NDArray[np.uint8]

_CELLS = 192
"""Cells of the grid of ks."""
_DIVES = 32
"""How many ks are aimed at by a greedy descent before boxes are split."""
_MOST_CALLED = 2048
"""Nodes evaluated at a time, so that a budget of seconds is kept."""


def rollup_sources(lattice: Lattice) -> Ints:
    """Nodes worth keeping to roll up from: some way up, and near the top but for two of the tall attributes.

    Almost all nodes that bound a box have most attributes at the top.
    """
    top = np.array(lattice.heights, np.int64)
    tall = np.flatnonzero(top > 1)
    part_way = [(share * top).astype(np.int64) for share in (1 / 4, 1 / 3, 1 / 2, 2 / 3, 3 / 4)]
    pairs = np.tile(np.where(top > 1, top, 0), (len(tall) * (len(tall) - 1) // 2, 1))
    for node, pair in zip(pairs, itertools.combinations(tall, 2), strict=True):
        node[list(pair)] = 0
    return np.unique([*part_way, *pairs], axis=0)


def boxes(space: Space, evaluate: Evaluate) -> Iterator[Step]:
    """Split the most promising boxes until none is left; the last step is complete."""
    memory = _Memory(space, evaluate)
    open_boxes = _OpenBoxes(memory, _everything(memory))
    for _ in _dive(memory):
        yield open_boxes.step()
    while len(open_boxes):
        yield open_boxes.step()
        chosen = open_boxes.most_promising()
        open_boxes.replace(chosen, _split(open_boxes.boxes[chosen], memory))
    yield Step(memory.evaluated, space.lattice.size, memory.found, complete=True, record=tuple(memory.parts))


class _Memory:
    """The evaluated nodes, each once, and what follows for every cell of the grid of ks."""

    def __init__(self, space: Space, evaluate: Evaluate) -> None:
        self._evaluate = evaluate
        self._known: dict[bytes, tuple[int, float]] = {}
        self.heights = np.array(space.lattice.heights, np.int64)
        self.size = space.lattice.size
        self.per_level = space.per_level or ()
        """The shares of an additive loss; empty if the loss is not additive."""
        self.rows = space.rows
        self.ks = np.unique(np.append(0, np.geomspace(1, space.rows, _CELLS).astype(np.int64)))
        self.ends = np.append(self.ks[1:] - 1, space.rows)
        """The largest k of every cell; the first cell is for nodes without any solution."""
        self._least_k = space.least_k
        self.parts: list[Assessments] = []
        self.found = Assessments.join([], len(self.heights))

    @property
    def evaluated(self) -> int:
        return len(self._known)

    def look(self, nodes: Ints) -> tuple[Ints, Floats]:
        """The cell of the largest k of every node, and its loss without suppression."""
        keys = [node.tobytes() for node in nodes.astype(np.int16)]
        new = {key: row for row, key in enumerate(keys) if key not in self._known}
        rows = np.fromiter(new.values(), np.int64, len(new))
        for begin in range(0, len(rows), _MOST_CALLED):
            self._learn(nodes[rows[begin : begin + _MOST_CALLED]])
        known = [self._known[key] for key in keys]
        k = np.array([k for k, _ in known], np.int64)
        return self.cell_of(k), np.array([loss for _, loss in known], float)

    def cell_of(self, k: Ints) -> Ints:
        return np.searchsorted(self.ks, k, side="right") - 1

    def to_match(self) -> Floats:
        """For every cell, the largest loss that is not certainly dominated there."""
        reaching = np.searchsorted(-self.found.k, -self.ends, side="right")
        least = np.append(np.inf, np.minimum.accumulate(self.found.loss))
        return np.where(self.ends < self._least_k, -np.inf, least[reaching] * (1 + TOLERANCE))

    def _learn(self, nodes: Ints) -> None:
        steps = self._evaluate(nodes)
        self.parts.append(steps)
        self.found = self.found.merged(steps.solutions)
        steps = steps.binding
        first = np.flatnonzero(steps.suppressed == 0)
        last = np.append(first[1:], len(steps)) - 1
        keys = (node.tobytes() for node in steps.levels[first].astype(np.int16))
        self._known.update(zip(keys, zip(steps.k[last].tolist(), steps.loss[first].tolist(), strict=True), strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class _Boxes:
    """Boxes of nodes, one per row."""

    low: Levels
    high: Levels
    """(boxes, attributes): the lowest and the highest node."""
    cap: Caps
    """(boxes, attributes, levels): the last cell that a node with the attribute at that level might reach."""
    loss: Floats
    """(boxes, cells): no node that reaches the cell loses less without suppression."""

    @classmethod
    def of(cls, low: Levels, high: Levels, cap: Caps, memory: _Memory) -> "_Boxes":
        """With the least loss for every cell."""
        if memory.per_level:
            shares = (_least_share(j, low, high, cap, memory) for j in range(low.shape[1]))
            return cls(low, high, cap, sum(shares, np.zeros((len(low), len(memory.ks)))))
        _, loss = memory.look(low.astype(np.int64))
        reach = cap[np.arange(len(high))[:, None], np.arange(high.shape[1]), high].min(axis=1)
        return cls(low, high, cap, np.where(np.arange(len(memory.ks)) <= reach[:, None], loss[:, None], np.inf))

    def __len__(self) -> int:
        return len(self.low)

    def __getitem__(self, which: Ints | Flags) -> "_Boxes":
        return _Boxes(*(getattr(self, each.name)[which] for each in fields(self)))

    def __add__(self, other: "_Boxes") -> "_Boxes":
        names = [each.name for each in fields(self)]
        return _Boxes(*(np.concatenate([getattr(self, name), getattr(other, name)]) for name in names))

    def could_match(self, to_match: Floats) -> Flags:
        """(boxes, cells): whether the front might be matched there."""
        matching: Flags = np.isfinite(self.loss) & (self.loss <= to_match)
        return matching

    def are_open(self, to_match: Floats) -> Flags:
        """(boxes,): whether the front might be matched anywhere."""
        matching: Flags = np.logical_or.reduce(self.could_match(to_match), axis=1)
        return matching


class _OpenBoxes:
    """The open boxes."""

    def __init__(self, memory: _Memory, boxes: _Boxes) -> None:
        self._memory = memory
        self.boxes = boxes

    def __len__(self) -> int:
        return len(self.boxes)

    def step(self) -> Step:
        memory = self._memory
        open_nodes = (self.boxes.high - self.boxes.low + 1.0).prod(axis=1).sum()
        decided = max(memory.size - int(open_nodes), memory.evaluated)
        return Step(memory.evaluated, decided, memory.found, False, partial(self._best_cases), tuple(memory.parts))

    def most_promising(self) -> Ints:
        """For every cell, the box with the least loss there."""
        loss = np.where(self.boxes.could_match(self._memory.to_match()), self.boxes.loss, np.inf)
        best = loss.argmin(axis=0)
        return np.unique(best[np.isfinite(loss[best, np.arange(loss.shape[1])])])

    def replace(self, which: Ints, children: _Boxes) -> None:
        """Replace boxes by their children, and drop boxes that are dominated by now."""
        stays = np.ones(len(self), bool)
        stays[which] = False
        boxes = self.boxes[stays] + children
        self.boxes = boxes[boxes.are_open(self._memory.to_match())]

    def _best_cases(self) -> Corners:
        memory = self._memory
        open_ = np.where(self.boxes.could_match(memory.to_match()), self.boxes.loss, np.inf)
        least = open_.min(axis=0, initial=np.inf)
        some = np.isfinite(least)
        return Corners.of(np.append(memory.found.k, memory.ends[some]), np.append(memory.found.loss, least[some]))


def _everything(memory: _Memory) -> _Boxes:
    """The whole lattice as one box."""
    attributes, levels = len(memory.heights), int(memory.heights.max()) + 1
    low = np.zeros((1, attributes), np.int16)
    cap = np.full((1, attributes, levels), len(memory.ks) - 1, np.uint8)
    return _bounded(_Boxes.of(low, memory.heights.astype(np.int16)[None], cap, memory), np.ones(1, bool), memory)


def _split(parents: _Boxes, memory: _Memory) -> _Boxes:
    """The parts of every box, one for each level of one of its attributes, as far as they might match the front."""
    attribute = _loosest_attribute(parents, memory)
    every = np.arange(len(parents))
    levels = np.arange(parents.cap.shape[2])
    least, most = parents.low[every, attribute], parents.high[every, attribute]
    own, level = np.nonzero((least[:, None] <= levels) & (levels <= most[:, None]))
    part, split = np.arange(len(own)), attribute[own]
    low, high, cap = parents.low[own], parents.high[own], parents.cap[own]
    low[part, split] = high[part, split] = level
    cap = np.minimum(cap, cap[part, split, level][:, None, None])
    return _bounded(_Boxes.of(low, high, cap, memory), level < most[own], memory)


def _bounded(boxes: _Boxes, moved: Flags, memory: _Memory) -> _Boxes:
    """Tighten the bounds of boxes; drop those that are dominated and those that consist of one evaluated node.

    `moved` are those whose highest node is new: nodes right below it are evaluated to bound the others.
    """
    alive = boxes.are_open(memory.to_match())
    boxes, moved = boxes[alive], moved[alive]
    first = boxes.could_match(memory.to_match()).argmax(axis=1)
    _lower_caps(boxes, moved, first, memory)
    _raise_low(boxes, first)
    boxes = _Boxes.of(boxes.low, boxes.high, boxes.cap, memory)
    several: Flags = np.logical_or.reduce(boxes.low < boxes.high, axis=1)
    return boxes[several & boxes.are_open(memory.to_match())]


def _lower_caps(boxes: _Boxes, moved: Flags, first: Ints, memory: _Memory) -> None:
    """Evaluate the highest node of the moved boxes with each attribute lowered, where that might still matter."""
    levels = np.arange(boxes.cap.shape[2])
    inside = (boxes.low[:, :, None] <= levels) & (levels < boxes.high[:, :, None])
    box, attribute, level = np.nonzero(inside & (boxes.cap >= first[:, None, None]) & moved[:, None, None])
    nodes = boxes.high[box].astype(np.int64)
    nodes[np.arange(len(nodes)), attribute] = level
    cells, _ = memory.look(nodes)
    boxes.cap[box, attribute, level] = np.minimum(boxes.cap[box, attribute, level], cells)


def _raise_low(boxes: _Boxes, first: Ints) -> None:
    """Cut off lowest levels whose cells all lie before the `first`, which cannot match the front."""
    levels = np.arange(boxes.cap.shape[2])
    enough = (boxes.cap >= first[:, None, None]) | (levels >= boxes.high[:, :, None])
    boxes.low[:] = ((levels >= boxes.low[:, :, None]) & enough).argmax(axis=2)


def _least_share(attribute: int, low: Levels, high: Levels, cap: Caps, memory: _Memory) -> Floats:
    """(boxes, cells): the least that one attribute adds to an additive loss."""
    cells = np.arange(len(memory.ks))
    share = np.full((len(low), len(cells)), np.inf)
    for level in range(len(memory.per_level[attribute]) - 1, -1, -1):
        inside = (low[:, attribute] <= level) & (level <= high[:, attribute])
        share[inside[:, None] & (cells <= cap[:, attribute, level][:, None])] = memory.per_level[attribute][level]
    return share


def _loosest_attribute(boxes: _Boxes, memory: _Memory) -> Ints:
    """The attribute of every box whose least share of the loss lies farthest below that of the highest node."""
    if not memory.per_level:
        widest: Ints = (boxes.high - boxes.low).argmax(axis=1)
        return widest
    matching = boxes.could_match(memory.to_match())
    gain = np.empty(boxes.low.shape)
    for j, table in enumerate(memory.per_level):
        share = _least_share(j, boxes.low, boxes.high, boxes.cap, memory)
        gain[:, j] = np.where(matching, table[boxes.high[:, j]][:, None] - share, 0).sum(axis=1)
    gain[boxes.low == boxes.high] = -1
    most: Ints = gain.argmax(axis=1)
    return most


def _dive(memory: _Memory) -> Iterator[None]:
    """Descend from the top towards many ks at once, always where a step saves most loss for the k that it costs."""
    aims = np.unique(np.linspace(0, len(memory.ks) - 1, _DIVES).astype(int))
    nodes = np.tile(memory.heights, (len(aims), 1))
    while len(nodes):
        owner, attribute = np.nonzero(nodes > 0)
        below = nodes[owner]
        below[np.arange(len(below)), attribute] -= 1
        (cell, loss), (above, most) = memory.look(below), memory.look(nodes)
        saved = (most[owner] - loss) / (1 + above[owner] - cell)
        saved[cell < aims[owner]] = -1
        best = np.full(len(nodes), -1.0)
        np.maximum.at(best, owner, saved)
        winner = {int(owner[i]): i for i in np.flatnonzero((saved == best[owner]) & (saved >= 0))}
        aims = aims[list(winner)]
        nodes = below[list(winner.values())]
        yield
