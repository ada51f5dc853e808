"""Ladders of intervals over numbers."""

import itertools
from collections.abc import Iterable, Sequence
from decimal import Decimal, localcontext

from paranym.errors import BadHierarchy, shorten
from paranym.model.hierarchy import TOP, Hierarchy
from paranym.model.values import to_number, to_text

_DIGITS = 1000
"""More than any bound of an interval has, so that no label is rounded."""


def interval_hierarchy(values: Iterable[object], widths: Sequence[float], *, attribute: str) -> Hierarchy:
    """Levels of intervals of the given widths, each a multiple of the one before, aligned at 0.

    A bound belongs to the interval that begins with it.

    >>> interval_hierarchy([19, 20, 24], [5, 10], attribute="age").labels[1]
    ('15-19', '20-24')
    """
    with localcontext(prec=_DIGITS):
        return _build(values, _check_widths(widths, attribute), attribute)


def _build(values: Iterable[object], steps: list[Decimal], attribute: str) -> Hierarchy:
    known: dict[Decimal, str] = {}  # 39 and 39.0 are one leaf
    wrong: dict[str, None] = {}
    for text in dict.fromkeys(to_text(value) for value in values):
        number = to_number(text)
        if number is not None and text is not None:
            known.setdefault(number, text)
        elif text is not None:
            wrong.setdefault(text)
    if wrong:
        raise BadHierarchy(attribute, 0, f"intervals need numbers; the column has {shorten(tuple(wrong))}.")
    whole = all(number == number.to_integral_value() for number in (*known, *steps))
    rows = [(text, *(_label(number, step, whole=whole) for step in steps), TOP) for number, text in known.items()]
    only_missing = (None, *(None for _ in steps), TOP)  # a column without any value still has its levels
    return Hierarchy.from_rows(rows or [only_missing], attribute=attribute)


def _label(number: Decimal, step: Decimal, *, whole: bool) -> str:
    rest = number % step  # has the sign of the number
    low = number - rest - (step if rest < 0 else 0)
    if whole and step == 1:
        return str(to_text(low))
    if whole:
        between = " to " if low < 0 else "-"  # -10--6 is hard to read
        return f"{to_text(low)}{between}{to_text(low + step - 1)}"
    return f"[{to_text(low)}, {to_text(low + step)})"


def _check_widths(widths: Sequence[float], attribute: str) -> list[Decimal]:
    steps = [to_number(width) for width in widths]
    if not steps or any(step is None or step <= 0 for step in steps):
        raise BadHierarchy(attribute, None, f"interval widths must be positive numbers; got {list(widths)}.")
    sound = [step for step in steps if step is not None]
    for level, (narrow, wide) in enumerate(itertools.pairwise(sound), start=2):
        if wide <= narrow or wide % narrow != 0:
            raise BadHierarchy(
                attribute,
                level,
                f"intervals of {wide} do not nest those of {narrow}: take a larger multiple of {narrow}.",
            )
    return sound
