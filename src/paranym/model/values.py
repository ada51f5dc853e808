"""Matching of cells of a table with leaves of a hierarchy."""

import re
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from typing import TypeGuard

import numpy as np

_PLAIN_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?")
_PANDAS_MISSING = ("NAType", "NaTType")
"""Recognized by name: pandas may not be installed, and its missing values refuse to be compared."""


def to_text(value: object) -> str | None:
    """A cell as text, None if it is missing: empty text and NaN are missing, numbers have no superfluous digits.

    >>> to_text(39.0), to_text("001"), to_text(float("nan")), to_text("")
    ('39', '001', None, None)
    """
    if value is None or type(value).__name__ in _PANDAS_MISSING:
        return None
    match value:
        case str():
            return str(value) or None  # plain text, also of a NumPy string
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case datetime() if value.time() == time() and value.tzinfo is None:
            return value.date().isoformat()
        case datetime():
            return value.isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case Decimal():
            return None if value.is_nan() else _plain(value)
        case float() | np.floating():
            return to_text(Decimal(str(value)))  # in the digits that its precision has: 0.1 also of a half
    return to_text(value.item()) if isinstance(value, np.generic) else str(value)


def to_number(value: object) -> Decimal | None:
    """Return the number in a cell; None if it is not a number.

    Text is a number only in plain form: leading zeros, signs, exponents and blanks carry meaning that a number loses.

    >>> to_number("39.0") == to_number(39), to_number("001"), to_number("1e5")
    (True, None, None)
    """
    text = to_text(value)
    if text is None or isinstance(value, bool):
        return None
    if isinstance(value, str) and not _PLAIN_NUMBER.fullmatch(text):
        return None
    try:
        number = Decimal(text)
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def is_number(value: object) -> TypeGuard[float]:
    """Whether an argument is a number of Python or NumPy; truth values and NaN are not numbers."""
    known = isinstance(value, int | float | Decimal | np.integer | np.floating) and not isinstance(value, bool)
    return known and value == value  # noqa: PLR0124 - only not-a-number differs from itself


def is_whole(value: object) -> TypeGuard[int]:
    """Whether an argument is a whole number of Python or NumPy."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def _plain(number: Decimal) -> str:
    if not number.is_finite():
        return str(number)
    if number == 0:
        return "0"  # not -0
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text
