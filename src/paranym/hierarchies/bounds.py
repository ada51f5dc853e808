"""Intervals of numbers: their bounds and their labels."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal, localcontext

from paranym.errors import BadHierarchy
from paranym.model.values import is_number, to_number, to_text

_DIGITS = 1000
"""Digits of the arithmetic: more than any bound of an interval has, so that no label is rounded."""


@contextmanager
def exact() -> Iterator[None]:
    """Arithmetic without rounding."""
    with localcontext(prec=_DIGITS):
        yield


def interval_label(low: Decimal | None, high: Decimal | None, *, whole: bool) -> str:
    """Return the label of the numbers from `low` to below `high`; None for an open end.

    >>> interval_label(Decimal(20), Decimal(25), whole=True), interval_label(Decimal(65), None, whole=True)
    ('20-24', '>=65')
    """
    if low is None or high is None:
        return TOP_ONLY if low is high is None else f"<{to_text(high)}" if low is None else f">={to_text(low)}"
    if not whole:
        return f"[{to_text(low)}, {to_text(high)})"
    if high - low == 1:
        return str(to_text(low))
    between = " to " if low < 0 else "-"  # -10--6 is hard to read
    return f"{to_text(low)}{between}{to_text(high - 1)}"


TOP_ONLY = "any number"
"""The label of a level of intervals without any bound."""


def cut(levels: Sequence[Sequence[Decimal]], *, whole: bool) -> Callable[[Decimal], list[str]]:
    """Return a function that labels a number on each level; levels are cut at bounds, outer intervals are open."""
    ends = [(None, *bounds, None) for bounds in levels]

    def labels(number: Decimal) -> list[str]:
        found = []
        for bounds, open_ended in zip(levels, ends, strict=True):
            position = bisect_right(bounds, number)
            found.append(interval_label(open_ended[position], open_ended[position + 1], whole=whole))
        return found

    return labels


def multiple_below(number: Decimal, step: Decimal) -> Decimal:
    """The largest multiple of a step that is not above a number.

    >>> multiple_below(Decimal(7), Decimal(5)), multiple_below(Decimal(-7), Decimal(5))
    (Decimal('5'), Decimal('-10'))
    """
    rest = number % step  # has the sign of the number
    return number - rest - (step if rest < 0 else 0)


def are_whole(*numbers: Iterable[Decimal]) -> bool:
    """Whether intervals can be written by their first and last number."""
    return all(number == number.to_integral_value() for some in numbers for number in some)


def to_bound(given: object, *, what: str, attribute: str) -> Decimal:
    """A number that a user gives as a bound."""
    number = to_number(given) if is_number(given) or isinstance(given, str) else None
    if number is None:
        raise BadHierarchy(attribute, None, f"{what} must be a number; got {given!r}.")
    return number
