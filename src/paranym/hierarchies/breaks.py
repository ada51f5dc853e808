"""Intervals between given bounds."""

import itertools
from collections.abc import Iterable, Sequence
from decimal import Decimal

from paranym.errors import BadHierarchy
from paranym.hierarchies.bounds import are_whole, cut, exact, to_bound
from paranym.hierarchies.reading import climb, listed, read_numbers
from paranym.model.hierarchy import Hierarchy

_WHAT = "breaks take a list of bounds, such as [18, 30, 65], or one such list for every level"


def break_hierarchy(
    values: Iterable[object],
    breaks: Sequence[float] | Sequence[Sequence[float]],
    *,
    attribute: str,
    cover: Sequence[int] | None = None,
    apart: Sequence[object] = (),
) -> Hierarchy:
    """Intervals that begin at the given bounds; those below the first and from the last on are open.

    A list of such lists gives one level for each; every bound must be a bound of the level below.

    >>> break_hierarchy([12, 18, 64, 65], [18, 65], attribute="age").labels[1]
    ('<18', '18-64', '>=65')
    """
    levels = _check(breaks, attribute)
    found = read_numbers(values, needs="breaks need numbers", attribute=attribute, apart=apart, cover=cover)
    whole = are_whole(found.known.values(), *levels)
    with exact():
        return climb(found, cut(levels, whole=whole), levels=len(levels), attribute=attribute)


def _check(breaks: object, attribute: str) -> list[list[Decimal]]:
    given = listed(breaks, attribute=attribute, what=_WHAT)
    nested = [isinstance(part, Iterable) and not isinstance(part, str) for part in given]
    lists = [listed(part, attribute=attribute, what=_WHAT) for part in given] if any(nested) else [given]
    levels = [[to_bound(bound, what="a break", attribute=attribute) for bound in bounds] for bounds in lists]
    for level, bounds in enumerate(levels, start=1):
        if not bounds or any(high <= low for low, high in itertools.pairwise(bounds)):
            raise BadHierarchy(attribute, level, f"breaks must increase; got {[str(bound) for bound in bounds]}.")
    for level, (fine, coarse) in enumerate(itertools.pairwise(levels), start=2):
        new = [str(bound) for bound in coarse if bound not in fine]
        if new:
            raise BadHierarchy(
                attribute, level, f"intervals do not nest: {', '.join(new)} is no break of the level below."
            )
    return levels
