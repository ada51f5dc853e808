"""Normalized certainty penalty (Xu et al., KDD 2006) of global recodings."""

from collections.abc import Callable
from decimal import Decimal
from typing import ClassVar

import numpy as np

from paranym.measures.base import CellCosts, Domain, Facts, Ints
from paranym.measures.cells import ChargedByCell

_ROOM = 2**62


class CertaintyPenalty(ChargedByCell):
    """A cell costs the range of its published value over the range of the attribute, or, where leaves are no numbers,
    the leaves under it over the leaves of the attribute; a single value costs nothing, a suppressed cell 1.

    Range and leaves are those of the hierarchy. Missing values do not widen a range; where there is none to widen,
    because all others are one number, leaves are counted.
    """

    name: ClassVar[str] = "ncp"
    title: ClassVar[str] = "certainty penalty"
    facts: ClassVar[Facts] = Facts(
        additive=True, monotone=True, bounded_by_unsuppressed=True, surcharge_falls=True, needs_costs=True
    )

    def costs(self, domain: Domain, rows: int) -> CellCosts:
        hierarchy, numbers = domain.hierarchy, domain.hierarchy.numbers
        if numbers is None or len(set(numbers) - {None}) == 1:
            return CellCosts(hierarchy, _leaves, len(hierarchy.leaves))
        values = _whole(numbers, rows)
        return CellCosts(hierarchy, _ranges(values), max(value for value in values if value is not None))


def _leaves(begin: Ints, end: Ints) -> Ints:
    """How many leaves a value covers; one leaf is no loss."""
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


def _whole(numbers: tuple[Decimal | None, ...], rows: int) -> list[int | None]:
    """The numbers in whole steps from the least, fine enough to be exact unless the sum over all rows overflows."""
    known = [number for number in numbers if number is not None]
    least, spread = min(known), max(known) - min(known)
    finest = min(int(number.as_tuple().exponent) for number in known)
    step = max(Decimal(1).scaleb(min(finest, 0)), spread * max(rows, 1) / _ROOM)
    return [None if number is None else round((number - least) / step) for number in numbers]
