"""t-closeness (Li, Li and Venkatasubramanian, ICDE 2007): how far the values of a class are from the reference, as the
work of moving one distribution onto the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from paranym.errors import BadInput
from paranym.measures.privacy.base import Classes, Codes, Floats, Ints, ModelFacts, WorstClass
from paranym.measures.recipe_form import RecipeForm
from paranym.measures.sensitive import SensitiveAttribute
from paranym.model.hierarchy import Hierarchy

_DENSE = 2**18
_ROUNDING = 1e-12
_FACTS = ModelFacts(larger_is_better=False, monotone=True, survives_growth=False, needs_reference=True)


class EqualCloseness(WorstClass):
    """All values are equally far from each other: half the sum of the absolute differences."""

    name: ClassVar[str] = "equal-t"
    title: ClassVar[str] = "t-closeness with equal distance"
    meaning: ClassVar[str] = "how far the values of a class are from those of the table: 0 equal, 1 nothing in common"
    forms: ClassVar[tuple[RecipeForm, ...]] = (RecipeForm("t", ("distance", "equal"), usual=True),)
    objectives: ClassVar[tuple[str, ...]] = ("t", "equal-t")
    facts: ClassVar[ModelFacts] = _FACTS

    def of(self, classes: Classes) -> Floats:
        return _exceeding(classes)

    def at_best(self, values: Floats, classes: Classes, spare: int) -> Floats:
        return _nearer(values, classes, spare)


class OrderedCloseness(WorstClass):
    """Values stand in the order of their codes, each one step from the next; end to end is 1.

    The steps are between the values of the reference, so a value that never occurs adds no distance. Cumulated
    shares are compared: those of a class change only where it has rows, so between two of its values the sum over all
    values there is read off the cumulated shares of the reference.
    """

    name: ClassVar[str] = "ordered-t"
    title: ClassVar[str] = "t-closeness with ordered distance"
    meaning: ClassVar[str] = (
        "how far the values of a class are from those of the table, where near values count as similar"
    )
    forms: ClassVar[tuple[RecipeForm, ...]] = (RecipeForm("t", ("distance", "ordered")),)
    objectives: ClassVar[tuple[str, ...]] = ("ordered-t",)
    facts: ClassVar[ModelFacts] = _FACTS

    @classmethod
    def obstacle(cls, attribute: SensitiveAttribute) -> str:
        return "" if attribute.has_order else "the values are text, which has no order to measure distances by"

    @classmethod
    def for_attribute(cls, attribute: SensitiveAttribute) -> Self:
        if cls.obstacle(attribute):
            raise BadInput(
                f"The values of {attribute.name!r} are text, which has no order to measure distances by. "
                "Use the equal or the hierarchical distance."
            )
        return cls()

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

    def at_best(self, values: Floats, classes: Classes, spare: int) -> Floats:
        """Bound the value: if all rows of a value are suppressed, its step disappears with its gap of at most 1."""
        rows = np.sort(classes.compared_with[classes.compared_with > 0])
        vanishing = int(np.searchsorted(np.cumsum(rows), spare, side="right"))
        steps = len(rows) - 1
        return _nearer(values, classes, spare) - (vanishing / steps if steps > 0 else 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class HierarchicalCloseness(WorstClass):
    """Two values are as far from each other as the level at which they first share a value, over the height.

    Surplus rows are moved within a value of a level as far as possible; the remainder, which has to move above that
    level, is the equal distance at that level. So the work is the mean of the equal distances of all levels below the
    top.
    """

    levels: tuple[Codes, ...]
    """For every level below the top, the value of that level for each code of the attribute."""

    name: ClassVar[str] = "hierarchical-t"
    title: ClassVar[str] = "t-closeness with hierarchical distance"
    meaning: ClassVar[str] = (
        "how far the values of a class are from those of the table, where values of one branch count as similar"
    )
    forms: ClassVar[tuple[RecipeForm, ...]] = (RecipeForm("t", ("distance", "hierarchical")),)
    objectives: ClassVar[tuple[str, ...]] = ("hierarchical-t",)
    facts: ClassVar[ModelFacts] = replace(_FACTS, needs_hierarchy=True)

    def __post_init__(self) -> None:
        compact = (np.unique(codes, return_inverse=True)[1].astype(np.int32) for codes in self.levels)
        object.__setattr__(self, "levels", tuple(compact))

    @classmethod
    def obstacle(cls, attribute: SensitiveAttribute) -> str:
        return "" if attribute.hierarchy is not None else "no hierarchy of this attribute was given"

    @classmethod
    def for_attribute(cls, attribute: SensitiveAttribute) -> "HierarchicalCloseness":
        if attribute.hierarchy is None:
            raise BadInput(f"The hierarchical distance needs a hierarchy of {attribute.name!r}: give it one.")
        return cls.by(attribute.hierarchy(), attribute.values)

    @classmethod
    def by(cls, hierarchy: Hierarchy, values: Sequence[object] | None = None) -> "HierarchicalCloseness":
        """The distance by a hierarchy of the attribute, whose codes stand for `values`, or else for the leaves."""
        placed = slice(None) if values is None else hierarchy.place(values)
        return cls(tuple(hierarchy.codes[level][placed] for level in range(hierarchy.height)))

    def of(self, classes: Classes) -> Floats:
        work = np.zeros(len(classes.sizes))
        for codes in self.levels:
            work += _exceeding(_generalized(classes, codes))
        return work / max(len(self.levels), 1)

    def at_best(self, values: Floats, classes: Classes, spare: int) -> Floats:
        return _nearer(values, classes, spare)


def _exceeding(classes: Classes) -> Floats:
    """The total surplus over the reference, which equals the total deficit: half of all differences."""
    return classes.total(np.maximum(classes.excess, 0.0))


def _nearer(values: Floats, classes: Classes, spare: int) -> Floats:
    """The distances, less how far the reference can move: a part of its rows moves it by at most their share.

    The distances are at most the equal distance, for which that holds, and obey the triangle inequality.
    """
    return values - spare / max(int(classes.compared_with.sum()), 1) - _ROUNDING


def _gaps(classes: Classes, places: Codes, expected: Floats) -> Floats:
    """Per class: the absolute differences between the cumulated shares of the class and of the reference, summed."""
    cumulated = np.cumsum(expected)
    passed = np.concatenate([[0.0], np.cumsum(cumulated)])  # the cumulated shares of all places before one, summed
    running = np.cumsum(classes.amounts)
    last = np.cumsum(classes.distinct) - 1
    before = np.concatenate([[0], running[last][:-1]])
    share = (running - before[classes.owners]) / classes.sizes[classes.owners]
    until = np.append(places[1:], len(expected))
    until[last] = len(expected)
    turn = np.clip(np.searchsorted(cumulated, share), places, until)
    above = share * (turn - places) - (passed[turn] - passed[places])
    below = (passed[until] - passed[turn]) - share * (until - turn)
    gaps: Floats = classes.total(above + below) + passed[places[last - classes.distinct + 1]]
    return np.maximum(gaps, 0.0)


def _generalized(classes: Classes, codes: Codes) -> Classes:
    """Return the classes with the attribute generalized: entries of one class with the same new value are merged."""
    width = int(codes.max(initial=0)) + 1
    if width == len(codes):  # every value stays distinct
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
