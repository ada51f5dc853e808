"""Codes with a meaningful beginning: postal codes, diagnoses, products."""

import itertools
from collections.abc import Iterable, Sequence

from paranym.errors import BadHierarchy
from paranym.hierarchies.reading import check_whole, climb, listed, read
from paranym.model.hierarchy import TOP, Hierarchy

_WHAT = "prefix takes how many characters each level keeps, 1 or more, such as [3, 2]"


def prefix_hierarchy(
    values: Iterable[object], kept: Sequence[int], *, attribute: str, apart: Sequence[object] = ()
) -> Hierarchy:
    """Levels that keep the first characters of each value and mask the others, fewer from level to level.

    Masks extend to the longest value, so that they do not reveal the length of a value.

    >>> prefix_hierarchy(["53715", "53703"], [3, 1], attribute="zip").labels[1:3]
    (('537**',), ('5****',))
    """
    given = listed(kept, attribute=attribute, what=_WHAT)
    lengths = check_whole(given, least=1, what=_WHAT, attribute=attribute)
    for level, (more, fewer) in enumerate(itertools.pairwise(lengths), start=2):
        if fewer >= more:
            raise BadHierarchy(attribute, level, f"each level keeps fewer characters than the one below; got {given}.")
    found = read(values, str, needs="prefixes need text", apart=apart, attribute=attribute)
    longest = max(map(len, found.known), default=0)

    def labels(text: str) -> list[str]:
        return [text[:length].ljust(longest, TOP) for length in lengths]

    return climb(found, labels, levels=len(lengths), attribute=attribute, categorical=True)
