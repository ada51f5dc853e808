"""Nested intervals of numbers, of fixed widths."""

import itertools
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal

from paranym.errors import BadHierarchy
from paranym.hierarchies.bounds import are_whole, exact, interval_label, multiple_below
from paranym.hierarchies.coding import Ends
from paranym.hierarchies.reading import climb, listed, read_numbers
from paranym.model.hierarchy import Hierarchy
from paranym.model.values import to_number


def interval_hierarchy(
    values: Iterable[object],
    widths: Sequence[float],
    *,
    attribute: str,
    bottom: float | None = None,
    top: float | None = None,
    cover: Sequence[int] | None = None,
    apart: Sequence[object] = (),
) -> Hierarchy:
    """Levels of intervals of the given widths, each a multiple of the one before, aligned at 0.

    A bound belongs to the interval that begins with it, and there is an interval for every number. From level 1 on,
    numbers below `bottom` are one value, and so are those from `top` on; intervals end there.

    >>> interval_hierarchy([19, 20, 24], [5, 10], attribute="age").labels[1]
    ('15-19', '20-24')
    >>> interval_hierarchy([19, 24, 83, 99], [5, 40], top=80, attribute="age").labels[1]
    ('15-19', '20-24', '>=80')
    """
    with exact():
        steps = _check_widths(widths, attribute)
        ends = Ends.of(bottom, top, attribute)
        found = read_numbers(values, needs="intervals need numbers", attribute=attribute, apart=apart, cover=cover)
        whole = are_whole(found.known.values(), steps, ends)
        return climb(found, _labels(steps, ends, whole=whole), levels=len(steps), attribute=attribute)


def _labels(steps: Sequence[Decimal], ends: Ends, *, whole: bool) -> Callable[[Decimal], list[str]]:
    def labels(number: Decimal) -> list[str]:
        beyond = ends.label(number)
        return [_label(number, step, ends, whole=whole) if beyond is None else beyond for step in steps]

    return labels


def _label(number: Decimal, step: Decimal, ends: Ends, *, whole: bool) -> str:
    low = multiple_below(number, step)
    high = low + step
    low = low if ends.bottom is None else max(low, ends.bottom)
    high = high if ends.top is None else min(high, ends.top)
    return interval_label(low, high, whole=whole)


def _check_widths(widths: Sequence[float], attribute: str) -> list[Decimal]:
    given = listed(widths, attribute=attribute, what="intervals take a list of widths, such as [5, 10]")
    steps = [to_number(width) for width in given]
    if not steps or any(step is None or step <= 0 for step in steps):
        raise BadHierarchy(attribute, None, f"interval widths must be positive numbers; got {given}.")
    sound = [step for step in steps if step is not None]
    for level, (narrow, wide) in enumerate(itertools.pairwise(sound), start=2):
        if wide <= narrow or wide % narrow != 0:
            raise BadHierarchy(
                attribute,
                level,
                f"intervals of {wide} do not nest those of {narrow}: take a larger multiple of {narrow}.",
            )
    return sound
