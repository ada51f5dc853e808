"""Intervals with about equally many rows each (quantiles)."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction

from paranym.errors import BadHierarchy
from paranym.hierarchies.bounds import are_whole, cut, exact
from paranym.hierarchies.reading import check_whole, climb, one_or_more, read_numbers
from paranym.model.hierarchy import Hierarchy
from paranym.model.values import to_number

_WHAT = "quantiles take how many parts there shall be, 2 or more, such as 4 or [8, 4, 2]"


def quantile_hierarchy(
    values: Iterable[object],
    parts: int | Sequence[int],
    *,
    counts: Mapping[str, int],
    attribute: str,
    apart: Sequence[object] = (),
) -> Hierarchy:
    """Levels of intervals with about equally many rows each; each number of intervals divides the one before.

    A value never lies in two intervals, so frequent values lead to fewer intervals. The outer ones are open.

    >>> rows = {"1": 4, "2": 2, "3": 1, "9": 1}
    >>> quantile_hierarchy(rows, [4, 2], counts=rows, attribute="visits").labels[1:3]
    (('<2', '2', '>=3'), ('<2', '>=2'))
    """
    numbers = _check(parts, attribute)
    found = read_numbers(values, needs="quantiles need numbers", attribute=attribute, apart=apart)
    rows = dict.fromkeys(found.known.values(), 0)
    for text, count in counts.items():
        number = to_number(text)
        if number in rows:
            rows[number] += count
    levels = [quantile_breaks(rows, number) for number in numbers]
    with exact():
        labels = cut(levels, whole=are_whole(found.known.values()))
        return climb(found, labels, levels=len(levels), attribute=attribute)


def quantile_breaks(rows: Mapping[Decimal, int], parts: int) -> list[Decimal]:
    """Return the bounds of `parts` of about equally many rows; `rows` lists numbers in ascending order.

    Each bound is the number that has the share of rows below it that is nearest to the one wanted, so that the bounds
    of fewer parts are among those of more.
    """
    below = list(itertools.accumulate(rows.values(), initial=0))
    total, candidates = below[-1], list(zip(rows, below, strict=False))
    bounds = []
    for part in range(1, parts):
        wanted = Fraction(total * part, parts)
        bounds.append(min(candidates, key=lambda pair: abs(pair[1] - wanted), default=(Decimal(0), 0)))
    return list(dict.fromkeys(number for number, before in bounds if before > 0))


def _check(parts: int | Sequence[int], attribute: str) -> list[int]:
    given = one_or_more(parts, attribute=attribute, what=_WHAT)
    numbers = check_whole(given, least=2, what=_WHAT, attribute=attribute)
    for level, (many, few) in enumerate(itertools.pairwise(numbers), start=2):
        if few >= many or many % few:
            raise BadHierarchy(attribute, level, f"{few} parts do not nest {many}: take a smaller divisor of {many}.")
    return numbers
