"""How much memory counts may take, and where to count so that they fit.

The floor is a node whose frequency set fits; whatever lies at or above it is rolled up from there. What is found does
not depend on it.
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
from paranym.errors import BadInput
from paranym.evaluation.floored import HOLDS
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing

Codes = NDArray[np.int32]
Node = tuple[int, ...]

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12, "ki": 2**10, "mi": 2**20, "gi": 2**30, "ti": 2**40}
_ENGINE_NEEDS = 2**30
"""With less, engines do not get anywhere."""
_FLOOR_CORES = 2
_SURE = 1.1
"""Estimates of engines are a few percent off."""


def memory_of(written: str | int | None) -> int:
    """Bytes that counts may take: as written, such as "4GB", or half of what is free.

    >>> memory_of("1.5 GB"), memory_of("2MiB"), memory_of(1000)
    (1500000000, 2097152, 1000)
    """
    if written is None:
        return _free() // 2
    found = re.fullmatch(r"\s*(\d+\.?\d*)\s*([kmgt]i?)?b?\s*", str(written), re.ASCII | re.IGNORECASE)
    if isinstance(written, bool) or found is None or float(found[1]) <= 0:
        raise BadInput(f"Memory is given as a number and a unit, such as '4GB'; got {written!r}.")
    return max(1, int(float(found[1]) * _UNITS[(found[2] or "").lower()]))


def _free() -> int:
    """Bytes that could be had."""
    told = Path("/proc/meminfo")
    found = re.search(r"MemAvailable:\s*(\d+) kB", told.read_text()) if told.exists() else None
    if found:
        return int(found[1]) * 1024
    pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 2**20
    return pages * 4096 // 2


def engine_share(memory: int) -> str:
    """What the engine may take of that memory while it counts; the rest is for its answer.

    >>> engine_share(12_000_000_000), engine_share(1)
    ('7629MiB', '1024MiB')
    """
    return f"{max(memory // 3 * 2, _ENGINE_NEEDS) // 2**20}MiB"


def combinations_in(memory: int, packing: Packing, histograms: int, cores: int) -> int:
    """How many combinations that much memory is enough for, with all that searches compute from them."""
    words = 8 * packing.size
    counted = 2 * (words + 8) + 16 * histograms
    per_core = 2 * words + 52 + 40 * histograms
    return max(1, memory // (counted + cores * per_core))


class Sizes:
    """How many combinations nodes have at most: by their values and the rows, or as an engine estimates."""

    def __init__(self, hierarchies: Sequence[Hierarchy], rows: int) -> None:
        self.hierarchies = hierarchies
        self._rows = rows
        self._estimated: dict[Node, float] = {}
        self._lock = Lock()

    def fit(self, node: Node, most: int, estimate: Callable[[Node], int]) -> bool:
        """Whether a node has at most so many; the engine is asked only where nothing tells that is known."""
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


class Room(NamedTuple):
    """What memory allows."""

    floor: Node
    """Where to count."""
    cores: int
    """On how many cores to work with what was counted."""
    foothold: int
    """How many combinations one more node may have that is counted later."""


def make_room(
    hierarchies: Sequence[Hierarchy],
    fit: Callable[[Node, int], bool],
    most: Callable[[int, int], int],
    memory: int,
    cores: int,
) -> Room:
    """The bottom on as many cores as it fits on; else a floor in half of the memory, and footholds in the other half.

    `most` combinations fit that much memory on so many cores. A floor is chosen for two cores, whatever there are: more
    would put it higher, and fewer change little.
    """
    foothold = most(memory // 2 // HOLDS, 1)
    bottom = (0,) * len(hierarchies)
    for some in range(cores, 0, -1):
        if fit(bottom, most(memory, some)):
            return Room(bottom, some, foothold)
    floor = choose_floor(hierarchies, lambda node: fit(node, most(memory // 2, _FLOOR_CORES)))
    return Room(floor, min(cores, _FLOOR_CORES), foothold)


def choose_floor(hierarchies: Sequence[Hierarchy], fits: Callable[[Node], bool]) -> Node:
    """A node that fits, and that no attribute can be lowered from without having too many combinations.

    Attributes that lose most values by it are raised first. If no node is that small, the top.
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


def raised(keys: Sequence[Coding], hierarchies: Sequence[Hierarchy], node: Sequence[int]) -> list[Coding]:
    """The codes that values have at a node, in fields as wide as those of the leaves."""
    levels = zip(keys, hierarchies, node, strict=True)
    return [recoded(key, hierarchy.codes[level]) for key, hierarchy, level in levels]


def recoded(key: Coding, codes: Codes) -> Coding:
    """The same values with other codes, given that of every leaf."""
    return replace(key, codes=codes[key.codes], missing=None if key.missing is None else int(codes[key.missing]))
