"""The input and the steps of every search for a fixed requirement.

A search decides which frequency set is derived from which, and how long each is kept.
"""

import heapq
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from paranym.model.derivation import Derive, Frequencies, Levels, Order
from paranym.model.lattice import Lattice

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
Family = tuple[int, ...]
"""Attributes by their numbers, ascending: generalizations of the same attributes form a family."""

Key = TypeVar("Key", bound=Hashable)

BATCH = 16
"""Nodes that are ordered together. Fixed, so that no count depends on the number of cores."""


@dataclass(frozen=True)
class Choices:
    """The levels that each attribute may take."""

    levels: tuple[Levels, ...]
    """Per attribute, ascending. A search numbers them from 0 on, also if levels between them are missing."""
    tops: Levels
    """Per attribute, its top level, which is used for attributes that a family does not contain."""
    values: tuple[Levels, ...] = ()
    """Per attribute and level of its hierarchy, the number of values that occur."""

    @cached_property
    def lattice(self) -> Lattice:
        """The lattice of the allowed levels."""
        return Lattice(tuple(len(levels) - 1 for levels in self.levels))

    @property
    def attributes(self) -> Family:
        """The family of all attributes."""
        return tuple(range(len(self.levels)))

    def node(self, family: Family, levels: Sequence[int]) -> Levels:
        """Return the node of the whole lattice with `family` at its choices number `levels`, and the rest at the top.

        >>> Choices(((0, 1), (1, 3), (0,)), (1, 3, 2)).node((1, 2), (1, 0))
        (1, 3, 0)
        """
        node = list(self.tops)
        for attribute, level in zip(family, levels, strict=True):
            node[attribute] = self.levels[attribute][level]
        return tuple(node)

    def nodes(self, chosen: Truths) -> Ints:
        """Return the chosen nodes of all attributes, as rows; `chosen` is shaped like the lattice.

        >>> Choices(((0, 1), (1, 3)), (1, 3)).nodes(np.array([[False, True], [False, True]])).tolist()
        [[0, 3], [1, 3]]
        """
        places = chosen.nonzero()
        return np.column_stack([np.array(levels)[place] for levels, place in zip(self.levels, places, strict=True)])


@dataclass(frozen=True, slots=True)
class Effort:
    """Cost of a search so far."""

    checked: int = 0
    """Nodes whose frequency set was checked, including nodes of fewer attributes."""
    scans: int = 0
    """Frequency sets that were derived from the bottom set."""
    rollups: int = 0
    """Frequency sets that were derived from others."""
    read: int = 0
    """Combinations that were read to derive them."""
    largest: int = 0
    """Combinations of the largest set that was derived."""
    held: int = 0
    """Most bytes of sets that were kept at one time."""


class DerivationLog:
    """Passes orders on and records their cost."""

    def __init__(self, derive: Derive, memory: int) -> None:
        """At most `memory` bytes of frequency sets are to be kept at a time; those being derived come on top."""
        self._derive = derive
        self._held = 0
        self.memory = memory
        self.effort = Effort()

    def check(self, orders: Sequence[Order]) -> list[Frequencies]:
        """Return the sets of nodes whose requirement is checked."""
        done = self.build(orders)
        self.effort = replace(self.effort, checked=self.effort.checked + len(orders))
        return done

    def build(self, orders: Sequence[Order]) -> list[Frequencies]:
        """Return the sets of nodes that others are derived from. An existing set is not derived again."""
        work = [order for order in orders if _there(order) is None]
        fresh = list(self._derive(work)) if work else []
        scans = sum(order.source is None for order in work)
        before = self.effort
        self.effort = replace(
            before,
            scans=before.scans + scans,
            rollups=before.rollups + len(work) - scans,
            read=before.read + sum(self._read_for(order) for order in work),
            largest=max([before.largest, *(each.size for each in fresh)]),
        )
        derived = iter(fresh)
        return [_there(order) or next(derived) for order in orders]

    def hold(self, memory: int) -> None:
        """Record that this many bytes more, or less, are kept."""
        self._held += memory
        if self._held > self.effort.held:
            self.effort = replace(self.effort, held=self._held)

    def _read_for(self, order: Order) -> int:
        return self._derive.bottom_size if order.source is None else order.source.size


def _there(order: Order) -> Frequencies | None:
    """Return the source if it is the ordered set itself."""
    return order.source if order.source is not None and order.source.node == order.node else None


class SetCache(Generic[Key]):
    """Frequency sets that are kept, up to a number of bytes; the largest are dropped first."""

    def __init__(self, log: DerivationLog, limit: int) -> None:
        self._log = log
        self._limit = limit
        self._sets: dict[Key, Frequencies] = {}
        self._largest: list[tuple[int, int, Key]] = []
        self._by_size: tuple[list[Frequencies], Ints] | None = None
        self._held = 0

    def put(self, key: Key, frequencies: Frequencies) -> None:
        """Keep a set, if memory allows."""
        self._by_size = None
        self._sets[key] = frequencies
        heapq.heappush(self._largest, (-frequencies.memory, len(self._largest), key))
        self._hold(frequencies.memory)
        while self._held > self._limit:
            *_, largest = heapq.heappop(self._largest)
            self._hold(-self._sets.pop(largest).memory)

    def get(self, key: Key) -> Frequencies | None:
        """The set under that key, if it is still kept."""
        return self._sets.get(key)

    def smallest_below(self, node: Levels) -> Frequencies | None:
        """The set of fewest combinations from which that of `node` can be derived."""
        if self._by_size is None:
            sets = sorted(self._sets.values(), key=lambda each: each.size)
            self._by_size = sets, np.array([each.node for each in sets], np.int64).reshape(len(sets), len(node))
        sets, nodes = self._by_size
        below = np.flatnonzero((nodes <= np.array(node)).all(axis=1))
        return sets[below[0]] if len(below) else None

    def clear(self) -> None:
        """Drop all sets."""
        self._hold(-self._held)
        self._sets.clear()
        self._largest.clear()
        self._by_size = None

    def _hold(self, memory: int) -> None:
        self._held += memory
        self._log.hold(memory)


@dataclass(frozen=True, slots=True, eq=False)
class Stage:
    """Progress of a search. The last stage is its result."""

    effort: Effort
    done: int
    total: int
    """Progress and total, in the unit of the search."""
    unit: str
    found: Callable[[], Ints]
    """(nodes, attributes): nodes that are known to meet the requirement."""
    complete: bool = False
    """Whether these are all nodes that meet it."""


def as_nodes(found: Iterable[Levels], attributes: int) -> Ints:
    """Nodes as rows, in ascending order."""
    nodes = sorted(found)
    return np.array(nodes, np.int64).reshape(len(nodes), attributes)
