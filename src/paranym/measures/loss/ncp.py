"""Normalized certainty penalty (Xu et al., KDD 2006) of global recodings."""

from collections.abc import Callable
from decimal import Decimal
from typing import ClassVar

import numpy as np

from paranym.measures.base import CellCosts, Domain, Ints, LossFacts
from paranym.measures.cells import ChargedByCell

_ROOM = 2**62


class CertaintyPenalty(ChargedByCell):
    """A cell costs the range of its published value over the range of the attribute, or, if leaves are not numbers,
    the leaves under it over the leaves of the attribute; a single value costs nothing, a suppressed cell 1.

    Range and leaves are those of the hierarchy. The missing value has no place in a range, so a value that covers it
    beside numbers is charged by its leaves, and no less than by the range of its numbers: otherwise a value could cost
    less than one below it. Where all numbers are one, there is no range, and leaves are counted.
    """

    name: ClassVar[str] = "ncp"
    title: ClassVar[str] = "normalized certainty penalty"
    meaning: ClassVar[str] = "how wide the published range of a value is, compared with the whole range of the column"
    facts: ClassVar[LossFacts] = LossFacts(
        additive=True,
        monotone=True,
        bounded_by_unsuppressed=True,
        surcharge_falls=True,
        about_cells=True,
        charges_ranges=True,
        needs_costs=True,
    )

    def costs(self, domain: Domain, rows: int) -> CellCosts:
        hierarchy, numbers = domain.hierarchy, domain.hierarchy.numbers
        if numbers is None or len(set(numbers) - {None}) == 1:
            return CellCosts(hierarchy, _leaves, len(hierarchy.leaves))
        if None not in numbers:
            values = _whole(numbers, rows)
            return CellCosts(hierarchy, _ranges(values), max(value for value in values if value is not None))
        leaves = len(hierarchy.leaves)
        values = _whole(numbers, rows * leaves)
        extent = max(value for value in values if value is not None)
        return CellCosts(hierarchy, _with_missing(values, extent), extent * leaves)


def _leaves(begin: Ints, end: Ints) -> Ints:
    """Number of leaves that a value covers; a single leaf costs nothing."""
    return np.where(end - begin == 1, 0, end - begin)


def _ranges(values: list[int | None]) -> Callable[[Ints, Ints], Ints]:
    """How far the numbers of a value's leaves lie apart."""
    outside = 0  # one more, so that a run may end behind the last leaf
    low = np.array([_ROOM if value is None else value for value in [*values, outside]], np.int64)
    high = np.array([-_ROOM if value is None else value for value in [*values, outside]], np.int64)

    def ranges(begin: Ints, end: Ints) -> Ints:
        runs = np.column_stack([begin, end]).reshape(-1)
        spread: Ints = np.maximum.reduceat(high, runs)[::2] - np.minimum.reduceat(low, runs)[::2]
        return np.maximum(spread, 0)

    return ranges


def _with_missing(values: list[int | None], extent: int) -> Callable[[Ints, Ints], Ints]:
    """Where some leaf is the missing value: ranges and leaves over one denominator, which is their product."""
    ranges = _ranges(values)
    missing_before = np.cumsum([0, *(value is None for value in values)])

    def costs(begin: Ints, end: Ints) -> Ints:
        by_range = ranges(begin, end) * len(values)
        by_leaves = np.where(missing_before[end] > missing_before[begin], _leaves(begin, end) * extent, 0)
        costs: Ints = np.maximum(by_range, by_leaves)
        return costs

    return costs


def _whole(numbers: tuple[Decimal | None, ...], rows: int) -> list[int | None]:
    """The numbers in whole steps from the least, fine enough to be exact unless the sum over all rows overflows."""
    known = [number for number in numbers if number is not None]
    least, spread = min(known), max(known) - min(known)
    finest = min(int(number.as_tuple().exponent) for number in known)
    step = max(Decimal(1).scaleb(min(finest, 0)), spread * max(rows, 1) / _ROOM)
    return [None if number is None else round((number - least) / step) for number in numbers]
