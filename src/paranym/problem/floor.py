"""How much memory counts may take, and where to count so that they fit.

The floor is a node whose frequency set fits; all nodes at or above it are rolled up from there. Results do not depend
on it.
"""

import math
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Coding
from paranym.evaluation.floor import HOLDS
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing
from paranym.wording.sizes import read_size

Codes = NDArray[np.int32]
Node = tuple[int, ...]

_ENGINE_NEEDS = 2**30
"""Engines need at least this many bytes to work at all."""
_FLOOR_CORES = 2
_SURE = 1.1
"""Estimates of engines are a few percent off."""


def memory_of(written: str | int | None) -> int:
    """Bytes that counts may take: as written, such as "4GB", or half of what is free.

    >>> memory_of("1.5 GB"), memory_of("2MiB"), memory_of(1000)
    (1500000000, 2097152, 1000)
    """
    return _free() // 2 if written is None else read_size(written)


def _free() -> int:
    """Bytes of memory that are available."""
    report = Path("/proc/meminfo")
    found = re.search(r"MemAvailable:\s*(\d+) kB", report.read_text()) if report.exists() else None
    if found:
        return int(found[1]) * 1024
    pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**20
    return pages * 4096 // 2


def engine_share(memory: int) -> str:
    """Return the share of that memory for the engine while it counts; the rest is for its answer.

    >>> engine_share(12_000_000_000), engine_share(1)
    ('7629MiB', '1024MiB')
    """
    return f"{max(memory // 3 * 2, _ENGINE_NEEDS) // 2**20}MiB"


def combinations_in(memory: int, packing: Packing, histograms: int, cores: int) -> int:
    """Number of combinations that fit in this memory, with everything that searches compute from them."""
    words = 8 * packing.size
    counted = 2 * (words + 8) + 16 * histograms
    per_core = 2 * words + 52 + 40 * histograms
    return max(1, memory // (counted + cores * per_core))


class Sizes:
    """Upper bounds on the combinations of nodes: from their values and the rows, or estimated by an engine."""

    def __init__(self, hierarchies: Sequence[Hierarchy], rows: int) -> None:
        self.hierarchies = hierarchies
        self._rows = rows
        self._estimated: dict[Node, float] = {}
        self._lock = Lock()

    def __reduce__(self) -> tuple[type["Sizes"], tuple[Sequence[Hierarchy], int]]:
        """Pickle without the lock and the estimates, which another process makes again."""
        return Sizes, (self.hierarchies, self._rows)

    def fit(self, node: Node, most: int, estimate: Callable[[Node], int]) -> bool:
        """Whether a node has at most `most` combinations; the engine estimates only if known sizes do not decide it."""
        with self._lock:
            return self._fit(node, most, estimate)

    def _fit(self, node: Node, most: int, estimate: Callable[[Node], int]) -> bool:
        values = [len(hierarchy.labels[level]) for hierarchy, level in zip(self.hierarchies, node, strict=True)]
        if min(self._rows, math.prod(values)) <= most:
            return True
        for other, size in self._estimated.items():
            if size <= most and all(a <= b for a, b in zip(other, node, strict=True)):
                return True
            if size > most and all(a >= b for a, b in zip(other, node, strict=True)):
                return False
        self._estimated[node] = size = _SURE * estimate(node)
        return size <= most


class MemoryPlan(NamedTuple):
    """The plan how to count within the memory limit."""

    floor: Node
    """The node to count at."""
    cores: int
    """Number of cores that work with the counts."""
    capacity: int
    """Most combinations of a node that is materialized later."""


def plan_memory(
    hierarchies: Sequence[Hierarchy],
    fit: Callable[[Node, int], bool],
    most: Callable[[int, int], int],
    memory: int,
    cores: int,
) -> MemoryPlan:
    """Plan to count the bottom, on as many cores as memory allows; else a floor in one half of the memory.

    The other half is for materialized nodes. `most` returns how many combinations fit a memory on a number of cores. A
    floor is chosen for two cores: more would put it higher, and fewer change little.
    """
    capacity = most(memory // 2 // HOLDS, 1)
    bottom = (0,) * len(hierarchies)
    for some in range(cores, 0, -1):
        if fit(bottom, most(memory, some)):
            return MemoryPlan(bottom, some, capacity)
    floor = choose_floor(hierarchies, lambda node: fit(node, most(memory // 2, _FLOOR_CORES)))
    return MemoryPlan(floor, min(cores, _FLOOR_CORES), capacity)


def choose_floor(hierarchies: Sequence[Hierarchy], fits: Callable[[Node], bool]) -> Node:
    """Return a minimal node that fits: lowering any attribute would give too many combinations.

    Attributes that lose most values are generalized first. If no node is that small, the result is the top.
    """
    node = [0] * len(hierarchies)
    while not fits(tuple(node)) and any(level < one.height for level, one in zip(node, hierarchies, strict=True)):
        gains = [_gain(hierarchy, level) for hierarchy, level in zip(hierarchies, node, strict=True)]
        node[gains.index(max(gains))] += 1
    for j in range(len(node)):
        while node[j] and fits((*node[:j], node[j] - 1, *node[j + 1 :])):
            node[j] -= 1
    return tuple(node)


def _gain(hierarchy: Hierarchy, level: int) -> float:
    if level == hierarchy.height:
        return -1.0
    return math.log(len(hierarchy.labels[level]) / len(hierarchy.labels[level + 1]))


def generalized(keys: Sequence[Coding], hierarchies: Sequence[Hierarchy], node: Sequence[int]) -> list[Coding]:
    """Codes of the values at a node, in fields as wide as those of the leaves."""
    levels = zip(keys, hierarchies, node, strict=True)
    return [recoded(key, hierarchy.codes[level]) for key, hierarchy, level in levels]


def recoded(key: Coding, codes: Codes) -> Coding:
    """Return the same values with other codes, given the new code of every leaf."""
    return replace(key, codes=codes[key.codes], missing=None if key.missing is None else int(codes[key.missing]))
