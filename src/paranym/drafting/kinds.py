"""Recognizing the values of a column: numbers, dates, times, codes or text."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time
from enum import StrEnum

from paranym.hierarchies.dates import to_moment
from paranym.hierarchies.times import to_time
from paranym.model.values import to_number, to_text

_MOSTLY = 0.9
"""A column is of a kind if at least this share of its values is, and few others remain."""
_MOST_APART = 10
_FORMATS = (
    "%d.%m.%Y",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%Y/%m/%d",
    "%d-%m-%Y",
    "%m-%d-%Y",
    "%d %b %Y",
    "%d %B %Y",
    "%b %d, %Y",
    "%B %d, %Y",
)
_CLOCKS = ("", " %H:%M", " %H:%M:%S", " %I:%M %p")
_DAY_FIRST = ("%d/%m/%Y", "%d-%m-%Y")
_ISO_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}.*)?")
_BASIC_DATE = re.compile(r"(18|19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])")
_CLOCK = re.compile(r"[0-9]{2}:[0-9]{2}(:[0-9]{2}(\.[0-9]+)?)?")
_LETTERS_AND_DIGITS = re.compile(r"[A-Za-z]{1,4}[-. ]?[0-9][A-Za-z0-9.\-]*")
_WRITTEN_NUMBER = re.compile(r"[-+]?[$€£¥]? ?[-+]?[0-9]{1,3}([., ]?[0-9]{3})*([.,][0-9]+)? ?[$€£¥%]?")
_DIGITS = re.compile(r"[0-9]+")
MISSING_TOKENS = frozenset(("?", "na", "n/a", "#n/a", "nan", "null", "none", "-", "--", ".", "missing", "(missing)"))
"""Texts that usually mean that there is no value, in lower case."""
_WORDS_TOO = frozenset(("na", "none", "-", "."))
"""Those that may also be values, such as NA for Namibia."""


class Sort(StrEnum):
    """The kinds of values."""

    EMPTY = "no values"
    NUMBER = "numbers"
    DATE = "dates"
    TIME = "times"
    CODE = "codes"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Kind:
    """The kind of the values of a column."""

    sort: Sort
    apart: tuple[str, ...] = ()
    """The few values of another kind."""
    format: str | None = None
    """The format of dates, unless they are in ISO form."""
    is_ambiguous: bool = False
    """True if day and month of these dates could be swapped."""


def recognize(values: Sequence[object], *, are_codes: bool = False) -> Kind:
    """Return the kind of these values; `are_codes` means that numbers among them are not quantities.

    >>> recognize(["17", "39", "90"]).sort.value, recognize(["00501", "53715"]).sort.value
    ('numbers', 'codes')
    """
    if not values:
        return Kind(Sort.EMPTY)
    if all(isinstance(value, date | datetime) for value in values):
        return Kind(Sort.DATE)
    if all(isinstance(value, time) for value in values):
        return Kind(Sort.TIME)
    texts = [text for text in map(to_text, values) if text is not None]
    if are_codes:
        return Kind(Sort.CODE)
    for kind in _attempts(texts, typed=not all(isinstance(value, str) for value in values)):
        return kind
    return Kind(Sort.TEXT)


def missing_tokens(values: Sequence[object]) -> tuple[str, ...]:
    """Return the values that most likely mean a missing value.

    >>> missing_tokens(["?", "Private", "State-gov"]), missing_tokens(["NA", "US", "DE"])
    (('?',), ())
    """
    texts = [value for value in values if isinstance(value, str)]
    found = tuple(text for text in texts if text.strip().casefold() in MISSING_TOKENS)
    known = [text for text in texts if text not in found]
    is_kind = any(kind.sort is not Sort.CODE for kind in _attempts(known, typed=False)) if known else False
    same_length = len({len(text) for text in known}) == 1 and not is_kind
    return tuple(
        text
        for text in found
        if text.strip().casefold() not in _WORDS_TOO
        or is_kind
        or (text.strip().casefold() in ("na", "-", ".") and known and not (same_length and len(known[0]) == len(text)))
    )


def are_written_numbers(texts: Sequence[str]) -> bool:
    """Return True if texts are numbers to people, but not to programs.

    >>> are_written_numbers(["1,75", "1,8", "2"]), are_written_numbers(["$52,000"]), are_written_numbers(["12A"])
    (True, True, False)
    """
    return _mostly(texts, lambda text: bool(_WRITTEN_NUMBER.fullmatch(text))) is not None


def _attempts(texts: Sequence[str], *, typed: bool) -> Iterator[Kind]:
    if (
        not typed
        and _mostly(texts, lambda text: bool(_BASIC_DATE.fullmatch(text)) and to_moment(text) is not None) == []
    ):
        yield Kind(Sort.DATE)
    apart = _mostly(texts, lambda text: to_number(text) is not None)
    if apart is not None and not (any(map(_DIGITS.fullmatch, apart))):  # leading zeros are those of codes
        yield Kind(Sort.NUMBER, tuple(apart))
    apart = _mostly(texts, lambda text: bool(_ISO_DATE.fullmatch(text)) and to_moment(text) is not None)
    if apart is not None:
        yield Kind(Sort.DATE, tuple(apart))
    yield from _written_dates(texts)
    apart = _mostly(texts, lambda text: bool(_CLOCK.fullmatch(text)) and to_time(text) is not None)
    if apart is not None:
        yield Kind(Sort.TIME, tuple(apart))
    if _are_codes(texts):
        yield Kind(Sort.CODE)


def _written_dates(texts: Sequence[str]) -> Iterator[Kind]:
    if not any(character.isdigit() for character in texts[0]):
        return
    likely = [
        form + clock
        for form in _FORMATS
        for clock in _CLOCKS
        if sum(to_moment(text, form + clock) is not None for text in texts[:20]) * 2 > len(texts[:20])
    ]
    fitting = [(form, apart) for form in likely if (apart := _fitting(texts, form)) is not None]
    if fitting:
        fewest = min(len(apart) for _, apart in fitting)
        best = [(form, apart) for form, apart in fitting if len(apart) == fewest]
        form, apart = best[0]
        yield Kind(Sort.DATE, tuple(apart), form, is_ambiguous=len(best) > 1 and form.startswith(_DAY_FIRST))


def _fitting(texts: Sequence[str], form: str) -> list[str] | None:
    return _mostly(texts, lambda text: to_moment(text, form) is not None)


def _are_codes(texts: Sequence[str]) -> bool:
    if len(texts) < 2 or not all(any(character.isdigit() for character in text) for text in texts):
        return False
    same_length = len({len(text) for text in texts}) == 1 and len(texts[0]) >= 3
    if same_length and all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9 .\-/]*", text) for text in texts):
        return True
    return all(_LETTERS_AND_DIGITS.fullmatch(text) for text in texts)


def _mostly(texts: Sequence[str], fits: Callable[[str], bool]) -> list[str] | None:
    """Return the few texts that do not fit if nearly all do, else None."""
    odd: list[str] = []
    allowed = min(_MOST_APART, int((1 - _MOSTLY) * len(texts)))
    for text in texts:
        if not fits(text):
            odd.append(text)
            if len(odd) > allowed:
                return None
    return odd if len(odd) < len(texts) else None
