"""The certificate of a front of cuts: how the search space of every k was divided."""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Flags = NDArray[np.bool_]


@dataclass(slots=True, eq=False)
class Division:
    """How the cuts that achieve one k were divided by splits. Part 0 has all cuts; a divided part has two others.

    In the parts that are not divided, no cut loses less than the best one.

    >>> division = Division(5)
    >>> division.add(-1, -1, is_made=False, made=np.array([True, False]), excluded=np.array([False, False]))
    0
    >>> len(division), division.sets_of(0, 2)[0].tolist()
    (1, [True, False])
    """

    k: int
    parent: list[int] = field(default_factory=list)
    """The part that each was divided from; -1 for all cuts."""
    split: list[int] = field(default_factory=list)
    """The split that it was divided by; -1 for all cuts."""
    is_made: list[bool] = field(default_factory=list)
    """Whether this split is made by all cuts of the part, or by none."""
    made: list[bytes] = field(default_factory=list)
    """The splits that all cuts of the part make which could be better than the best one, as packed bits."""
    excluded: list[bytes] = field(default_factory=list)
    """The splits that none of them makes."""

    def __len__(self) -> int:
        return len(self.parent)

    def add(self, parent: int, split: int, *, is_made: bool, made: Flags, excluded: Flags) -> int:
        """Add a part; return its number."""
        self.parent.append(parent)
        self.split.append(split)
        self.is_made.append(is_made)
        self.made.append(np.packbits(made).tobytes())
        self.excluded.append(np.packbits(excluded).tobytes())
        return len(self) - 1

    def sets_of(self, part: int, splits: int) -> tuple[Flags, Flags]:
        """The splits that are made and those that are excluded in a part."""
        packed = [np.frombuffer(each[part], np.uint8) for each in (self.made, self.excluded)]
        made, excluded = (np.unpackbits(each, count=splits).astype(bool) for each in packed)
        return made, excluded


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CutCertificate:
    """The divisions of all k that were asked for, and what may be cut how."""

    unconstrained: tuple[str, ...]
    """The attributes that are cut into any intervals."""
    granularity: Mapping[str, int]
    divisions: tuple[Division, ...]
    """By increasing k."""
