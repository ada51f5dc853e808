"""Formatting of numbers in all texts: counts with their nouns, shares in percent, figures."""

import math
from decimal import Decimal

_LEAST = 0.0001
"""Smaller shares are shown as "less than 0.01%"."""


def counted(number: int, noun: str, nouns: str | None = None) -> str:
    """Return a count with its noun in the right number; `nouns` is the plural where an s is not enough.

    >>> counted(1, "row"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 row', '1,200 rows', '2 classes')
    """
    return f"{number:,} {noun if number == 1 else nouns or f'{noun}s'}"


def percent(share: float, *others: float) -> str:
    """Return a share in percent, for sentences: one decimal, or as many as distinguish it from 0, 1 and `others`.

    >>> percent(0.2931), percent(0.00042), percent(0.250041, 0.25), percent(1)
    ('29.3%', '0.04%', '25.004%', '100%')
    >>> percent(0.00001), percent(0.99999)
    ('less than 0.01%', 'more than 99.99%')
    """
    return _rounded(share, 1, others)


def tabulated(share: float) -> str:
    """Return a share in percent, for tables: two decimals.

    >>> tabulated(0.2931), tabulated(0.00001), tabulated(0)
    ('29.31%', 'less than 0.01%', '0.00%')
    """
    return f"{share:.2%}" if share in (0, 1) else _rounded(share, 2, ())


def _rounded(share: float, digits: int, others: tuple[float, ...]) -> str:
    if share in (0, 1):
        return f"{share:.0%}"
    if 0 < share < _LEAST:
        return "less than 0.01%"
    if 1 - _LEAST < share < 1:
        return "more than 99.99%"
    apart = [other for other in (0.0, 1.0, *others) if not math.isclose(share, other, rel_tol=1e-9)]
    for decimals in range(digits, 12):
        text = f"{share:,.{decimals}%}"
        if text not in [f"{other:,.{decimals}%}" for other in apart]:
            break
    return text


def difference(share: float) -> str:
    """Return the distance between two shares, in percentage points.

    >>> difference(0.008), difference(0.01)
    ('0.8 percentage points', '1.0 percentage points')
    """
    return f"{percent(share).removesuffix('%')} percentage points"


def limit(share: float) -> str:
    """Return a share that the user gave, with the digits that were given.

    >>> limit(0.29), limit(0.125)
    ('29%', '12.5%')
    """
    return f"{100 * share:.10g}%"


def rows_of(some: int, rows: int) -> str:
    """Return a number of rows with its share of the table.

    >>> rows_of(284, 30162), rows_of(1, 2), rows_of(0, 7)
    ('284 of 30,162 rows (0.9%)', '1 of 2 rows (50.0%)', 'no rows')
    """
    return f"{some:,} of {rows:,} rows ({percent(some / rows)})" if some else "no rows"


def magnitude(number: int) -> str:
    """Return a whole number of any size, in powers of ten if it has more than fifteen digits.

    >>> magnitude(17920), magnitude(3 * 10**20), magnitude(10**400)
    ('17,920', '3e+20', '1.0e+400')
    """
    if number < 10**15:
        return f"{number:,}"
    return f"{number if number < 10**300 else Decimal(number):.2g}".lower()  # a float ends at 10**308


def figure(value: float) -> str:
    """Return a number with four significant digits; with more if four would make it look like a whole number.

    >>> figure(2.0), figure(0.57128), figure(0.999967), figure(30160.5)
    ('2', '0.5713', '0.99997', '30,160.5')
    """
    if value == int(value):
        return f"{value:,.0f}"
    if abs(value) >= 1000:
        return f"{value:,.1f}"
    texts = (f"{value:.{digits}g}" for digits in range(4, 17))
    return next((text for text in texts if float(text) != round(value)), str(value))
