"""Counting a table: at the bottom of its lattice, or at a floor if memory is too small for that.

Nodes above the counted node are rolled up from it. For nodes below a floor the engine counts again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Table
from paranym.engines.source import Source
from paranym.errors import BadInput, UnreadableSource
from paranym.evaluation.floor import FloorCounter
from paranym.evaluation.pool import count_cores
from paranym.frequency import FrequencySet, lifts_of, rollup
from paranym.model.packing import Packing
from paranym.model.recoding import Recoding
from paranym.problem.floor import (
    MemoryPlan,
    Node,
    Sizes,
    combinations_in,
    engine_share,
    generalized,
    memory_of,
    plan_memory,
    recoded,
)
from paranym.problem.reading import Reading, read
from paranym.problem.request import Request

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Counts:
    """The frequency set of a table, and how the engine counts at other nodes."""

    source: Source
    reading: Reading
    memory: int
    """Bytes that the counts may take."""
    plan: MemoryPlan
    sizes: Sizes
    counted: FrequencySet
    """The combinations at the floor, which is the bottom of the lattice unless they do not fit in memory."""
    spread: tuple[FrequencySet, ...] | None
    """The rows of each leaf, attribute by attribute, if a floor was counted, which does not contain them."""

    @property
    def floor(self) -> Node | None:
        """The node that was counted, if it is not the bottom."""
        return self.counted.levels if any(self.counted.levels) else None

    @property
    def rows_per_leaf(self) -> tuple[Ints, ...]:
        """How the rows spread over the leaves of each quasi-identifier."""
        sizes = [len(hierarchy.leaves) for hierarchy in self.reading.hierarchies]
        if self.spread is None:
            return tuple(self.counted.marginal(j, size) for j, size in enumerate(sizes))
        return tuple(one.marginal(0, size) for one, size in zip(self.spread, sizes, strict=True))

    @property
    def engine(self) -> FloorCounter:
        """The engine that counts nodes below the floor."""
        return FloorCounter(self.plan.capacity, self._can_be_held, self._count_again, self._count_in_parts)

    def classes(self, recoding: Recoding) -> FrequencySet:
        """Return the equivalence classes of a recoding; their codes are the numbers of its labels."""
        if self.floor is None:
            lifts = lifts_of([each.hierarchy for each in recoding.attributes])
            return rollup(self.counted, lifts, [each.place for each in recoding.attributes])
        labels = [np.array(each.codes, np.int32) for each in recoding.attributes]
        keys = [
            replace(recoded(key, codes), size=len(each.labels))
            for key, codes, each in zip(self.reading.keys, labels, recoding.attributes, strict=True)
        ]
        with self._open() as opened:
            return opened.count(keys, self.reading.histograms, self.reading.person)

    @contextmanager
    def counting_people(self) -> Iterator[Callable[[Node], Ints]]:
        """Open the table; within, the function counts different people at a node, class by class as `counting`."""
        reading = self.reading
        if reading.person is None:
            raise BadInput("People are counted by a person key; this problem counts rows.")
        with self._open() as opened:
            yield lambda node: opened.people(
                generalized(reading.keys, reading.hierarchies, node), cast("str", reading.person)
            )[1]

    @contextmanager
    def counting(self) -> Iterator[Callable[[Node], FrequencySet]]:
        """Open the table; within, the function counts the rows at a node and rolls nothing up."""
        with self._open() as opened:
            yield partial(_count_at, opened, self.reading)

    def _open(self) -> Table:
        """Open the table again, with the half of the memory that the counts do not take."""
        return self.source.open(memory=engine_share(self.memory // 2))

    def _can_be_held(self, node: Node) -> bool:
        """Whether there is memory for the counts of one more node."""

        def estimate(node: Node) -> int:
            with self._open() as opened:
                return _estimate(opened, self.reading, node)

        return self.sizes.fit(node, self.plan.capacity, estimate)

    def _count_again(self, node: Node) -> FrequencySet:
        with self._open() as opened:
            found = _count_at(opened, self.reading, node)
        self._check_rows(found.rows)
        return found

    def _count_in_parts(self, node: Node) -> Iterator[FrequencySet]:
        """Count without histograms, part after part."""
        rows = 0
        with self._open() as opened:
            for part in opened.parts(generalized(self.reading.keys, self.reading.hierarchies, node), None):
                rows += part.rows
                yield part
        self._check_rows(rows)

    def _check_rows(self, found: int) -> None:
        if found != self.reading.rows:
            raise UnreadableSource(self.source.name, "it changed while it was read. Run again.")


def read_and_count(request: Request) -> Counts:
    """Open the table of a request, read it, and count it where memory allows."""
    memory = memory_of(request.memory)
    with request.source.open(memory=engine_share(memory)) as table:
        reading = read(request, table)
        return _count(table, request.source, reading, memory)


def _count(table: Table, source: Source, reading: Reading, memory: int) -> Counts:
    sizes = Sizes(reading.hierarchies, reading.rows)
    plan = _plan(table, reading, sizes, memory)
    counted = _count_at(table, reading, plan.floor)
    if counted.rows != reading.rows:
        raise AssertionError(f"counted {counted.rows} of {reading.rows} rows")
    return Counts(
        source=source,
        reading=reading,
        memory=memory,
        plan=plan,
        sizes=sizes,
        counted=counted,
        spread=tuple(table.count([key], []) for key in reading.keys) if any(plan.floor) else None,
    )


def _plan(table: Table, reading: Reading, sizes: Sizes, memory: int) -> MemoryPlan:
    packing = Packing.of(tuple(key.size for key in reading.keys))

    def most(memory: int, cores: int) -> int:
        return combinations_in(memory, packing, len(reading.histograms) + (reading.person is not None), cores)

    def fit(node: Node, most: int) -> bool:
        return sizes.fit(node, most, partial(_estimate, table, reading))

    return plan_memory(reading.hierarchies, fit, most, memory, count_cores())


def _estimate(table: Table, reading: Reading, node: Node) -> int:
    """Let the engine estimate how many combinations a node has."""
    return table.groups(generalized(reading.keys, reading.hierarchies, node))


def _count_at(table: Table, reading: Reading, node: Node) -> FrequencySet:
    keys = generalized(reading.keys, reading.hierarchies, node)
    return replace(table.count(keys, reading.histograms, reading.person), levels=node)
