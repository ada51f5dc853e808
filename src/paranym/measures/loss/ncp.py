"""Normalized certainty penalty (Xu et al., KDD 2006) of global recodings."""

from decimal import Decimal
from typing import ClassVar

import numpy as np

from paranym.measures.base import CellCosts, Domain, Facts, Ints
from paranym.measures.cells import ChargedByCell
from paranym.model.hierarchy import Hierarchy

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
        numbers = domain.hierarchy.numbers
        if numbers is None or len(set(numbers) - {None}) == 1:
            return _by_leaves(domain.hierarchy)
        return _by_range(domain.hierarchy, _whole(numbers, rows))


def _by_leaves(hierarchy: Hierarchy) -> CellCosts:
    under = [hierarchy.leaf_counts(level) for level in range(hierarchy.height + 1)]
    return CellCosts(tuple(np.where(leaves == 1, 0, leaves) for leaves in under), len(hierarchy.leaves))


def _by_range(hierarchy: Hierarchy, values: list[int | None]) -> CellCosts:
    numerators: list[Ints] = []
    for labels, codes in zip(hierarchy.labels, hierarchy.codes, strict=True):
        low: list[int | None] = [None] * len(labels)
        high: list[int | None] = [None] * len(labels)
        for code, value in zip(codes.tolist(), values, strict=True):
            if value is not None:
                low[code] = value if (least := low[code]) is None else min(least, value)
                high[code] = value if (most := high[code]) is None else max(most, value)
        numerators.append(np.array([(b or 0) - (a or 0) for a, b in zip(low, high, strict=True)], np.int64))
    return CellCosts(tuple(numerators), max(int(numerators[-1][0]), 1))


def _whole(numbers: tuple[Decimal | None, ...], rows: int) -> list[int | None]:
    """The numbers in whole steps, fine enough to be exact unless the sum over all rows would overflow."""
    known = [number for number in numbers if number is not None]
    least, spread = min(known), max(known) - min(known)
    finest = min(int(number.as_tuple().exponent) for number in known)
    step = max(Decimal(1).scaleb(min(finest, 0)), spread * max(rows, 1) / _ROOM)
    return [None if number is None else round((number - least) / step) for number in numbers]
