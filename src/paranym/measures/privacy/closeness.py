"""t-closeness (Li, Li and Venkatasubramanian, ICDE 2007): how far the values of a class are from the reference, as the
work of moving one distribution onto the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from paranym.measures.privacy.base import Classes, Codes, Facts, Floats, Ints, WorstClass
from paranym.model.hierarchy import Hierarchy

_DENSE = 2**18
_FACTS = Facts(larger_is_better=False, monotone=True, survives_growth=False, needs_reference=True)


class EqualCloseness(WorstClass):
    """All values are equally far from each other: half the sum of the absolute differences."""

    name: ClassVar[str] = "equal-t"
    title: ClassVar[str] = "t-closeness with equal distance"
    facts: ClassVar[Facts] = _FACTS

    def of(self, classes: Classes) -> Floats:
        return _exceeding(classes)


class OrderedCloseness(WorstClass):
    """Values stand in the order of their codes, each one step from the next; end to end is 1.

    The steps are between the values of the reference, so a value that never occurs makes nothing longer. Cumulated
    shares are compared: those of a class change only where it has rows, so between two of its values the sum over all
    values there is read off the cumulated shares of the reference.
    """

    name: ClassVar[str] = "ordered-t"
    title: ClassVar[str] = "t-closeness with ordered distance"
    facts: ClassVar[Facts] = _FACTS

    def of(self, classes: Classes) -> Floats:
        expected = classes.expected
        occurs = expected > 0
        occurs[classes.columns] = True
        steps = int(np.count_nonzero(occurs)) - 1
        if steps < 1:
            return np.zeros(len(classes.sizes))
        classes = classes.in_order
        place = np.cumsum(occurs) - 1
        return _gaps(classes, place[classes.columns], expected[occurs]) / steps


@dataclass(frozen=True, slots=True, eq=False)
class HierarchicalCloseness(WorstClass):
    """Two values are as far from each other as the level at which they first share a value, over the height.

    What rows exceed the reference by within a value of a level is moved below that value or not; level by level, what
    remains to be moved further is the equal distance of that level. So the work is the mean of the equal distances of
    all levels below the top.
    """

    levels: tuple[Codes, ...]
    """For every level below the top, which of its values each code of the attribute becomes."""

    name: ClassVar[str] = "hierarchical-t"
    title: ClassVar[str] = "t-closeness with hierarchical distance"
    facts: ClassVar[Facts] = _FACTS

    def __post_init__(self) -> None:
        compact = (np.unique(codes, return_inverse=True)[1].astype(np.int32) for codes in self.levels)
        object.__setattr__(self, "levels", tuple(compact))

    @classmethod
    def by(cls, hierarchy: Hierarchy, values: Sequence[object] | None = None) -> "HierarchicalCloseness":
        """The distance by a hierarchy of the attribute, whose codes stand for `values`, or else for the leaves."""
        placed = slice(None) if values is None else hierarchy.place(values)
        return cls(tuple(hierarchy.codes[level][placed] for level in range(hierarchy.height)))

    def of(self, classes: Classes) -> Floats:
        work = np.zeros(len(classes.sizes))
        for codes in self.levels:
            work += _exceeding(_raised(classes, codes))
        return work / max(len(self.levels), 1)


def _exceeding(classes: Classes) -> Floats:
    """What exceeds the reference: as much as falls short of it elsewhere, so half of all differences."""
    return classes.total(np.maximum(classes.excess, 0.0))


def _gaps(classes: Classes, places: Codes, expected: Floats) -> Floats:
    """Per class: the absolute differences between the cumulated shares of the class and of the reference, summed."""
    cumulated = np.cumsum(expected)
    passed = np.concatenate([[0.0], np.cumsum(cumulated)])  # the cumulated shares of all places before one, summed
    running = np.cumsum(classes.amounts)
    last = np.cumsum(classes.distinct) - 1
    before = np.concatenate([[0], running[last][:-1]])
    reached = (running - before[classes.owners]) / classes.sizes[classes.owners]
    until = np.append(places[1:], len(expected))
    until[last] = len(expected)
    turn = np.clip(np.searchsorted(cumulated, reached), places, until)
    above = reached * (turn - places) - (passed[turn] - passed[places])
    below = (passed[until] - passed[turn]) - reached * (until - turn)
    gaps: Floats = classes.total(above + below) + passed[places[last - classes.distinct + 1]]
    return np.maximum(gaps, 0.0)


def _raised(classes: Classes, codes: Codes) -> Classes:
    """The same classes with the attribute raised: entries of one class that become the same value are one."""
    width = int(codes.max(initial=0)) + 1
    if width == len(codes):  # every value stays a value of its own
        return classes
    reference = np.bincount(codes[: len(classes.compared_with)], weights=classes.compared_with, minlength=width)
    places = classes.owners.astype(np.int64) * width + codes[classes.columns]
    found, amounts = _added_up(places, classes.amounts, len(classes.sizes) * width)
    owners, columns = (found // width).astype(np.int32), (found % width).astype(np.int32)
    return Classes(classes.sizes, owners, columns, amounts, reference.astype(np.int64))


def _added_up(places: Ints, amounts: Ints, room: int) -> tuple[Ints, Ints]:
    """The places that occur, and what lies in each; counting all places is faster where they are few."""
    if room <= max(_DENSE, 8 * len(places)):
        counted = np.bincount(places, weights=amounts, minlength=room)
        found = np.flatnonzero(counted)
        return found, counted[found].astype(np.int64)
    found, member = np.unique(places, return_inverse=True)
    return found, np.bincount(member, weights=amounts).astype(np.int64)
