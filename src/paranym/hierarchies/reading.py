"""Common code of builders: reading a column as numbers, dates or times, and making rows from it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Generic, TypeVar

from paranym.errors import BadHierarchy, shorten
from paranym.model.hierarchy import TOP, Hierarchy
from paranym.model.values import is_whole, to_number, to_text

T = TypeVar("T")

MOST_COVERED = 100_000
"""Most leaves that `cover` may list; more is probably a typing error."""


@dataclass(frozen=True, slots=True)
class ParsedValues(Generic[T]):
    """The values of a column with their parsed meanings."""

    known: dict[str, T]
    apart: tuple[str, ...] = ()
    """Values of another kind, which stay ungrouped below the top."""


def read(
    values: Iterable[object], parse: Callable[[str], T | None], *, needs: str, apart: Sequence[object], attribute: str
) -> ParsedValues[T]:
    """Parse every value except missing ones and those in `apart`; raise for values that cannot be parsed.

    `needs` begins the message, such as "intervals need numbers".
    """
    is_apart = _matcher(apart, attribute)
    known: dict[str, T] = {}
    alone: list[str] = []
    wrong: list[str] = []
    for text in dict.fromkeys(to_text(value) for value in values):
        if text is None:
            continue
        if is_apart(text):
            alone.append(text)
            continue
        parsed = parse(text)
        if parsed is None:
            wrong.append(text)
        else:
            known[text] = parsed
    if wrong:
        raise BadHierarchy(
            attribute,
            0,
            f"{needs}; the column has {shorten(tuple(wrong))}. Name what shall stay by itself with apart = [...].",
        )
    return ParsedValues(known, tuple(alone))


def read_numbers(
    values: Iterable[object],
    *,
    needs: str,
    attribute: str,
    apart: Sequence[object] = (),
    cover: Sequence[object] | None = None,
) -> ParsedValues[Decimal]:
    """Read numbers: 39 and 39.0 are one leaf; whole numbers that `cover` spans are leaves as well."""
    found = read(values, to_number, needs=needs, apart=apart, attribute=attribute)
    texts: dict[Decimal, str] = {}
    for text, number in found.known.items():
        texts.setdefault(number, text)
    alone = {to_number(text) for text in found.apart}
    for number in _covered(cover, attribute):
        if number not in alone:
            texts.setdefault(number, str(number))
    return ParsedValues({texts[number]: number for number in sorted(texts)}, found.apart)


def climb(
    found: ParsedValues[T],
    labels: Callable[[T], Sequence[str]],
    *,
    levels: int,
    attribute: str,
    categorical: bool = False,
) -> Hierarchy:
    """Build the hierarchy from the `labels` of each value, one for each of `levels`, and the top."""
    rows: list[tuple[str | None, ...]] = [(text, *labels(value), TOP) for text, value in found.known.items()]
    rows += [(text, *[text] * levels, TOP) for text in found.apart]
    only_missing = (None, *[None] * levels, TOP)  # a column without any value still has its levels
    return Hierarchy.from_rows(rows or [only_missing], attribute=attribute, categorical=categorical)


def listed(given: object, *, attribute: str, what: str) -> list[Any]:
    """The items of an argument; text would be split into letters, and a mapping into keys."""
    if isinstance(given, str | Mapping) or not isinstance(given, Iterable):
        raise BadHierarchy(attribute, None, f"{what}; got {given!r}.")
    return list(given)


def one_or_more(given: object, *, attribute: str, what: str) -> list[Any]:
    """The items of an argument; a single value is a list of one."""
    alone = isinstance(given, str) or not isinstance(given, Iterable)
    return [given] if alone else listed(given, attribute=attribute, what=what)


def check_whole(given: Sequence[object], *, least: int, what: str, attribute: str) -> list[int]:
    """Raise unless all are whole numbers of at least `least`."""
    sound = [number for number in given if is_whole(number) and number >= least]
    if not given or len(sound) < len(given):
        raise BadHierarchy(attribute, None, f"{what}; got {list(given)}.")
    return sound


def _matcher(apart: Sequence[object], attribute: str) -> Callable[[str], bool]:
    given = listed(apart, attribute=attribute, what="apart takes a list of values, such as ['unknown', 99]")
    texts = {to_text(value) for value in given}
    numbers = {to_number(value) for value in given} - {None}
    return lambda text: text in texts or (bool(numbers) and to_number(text) in numbers)


def _covered(cover: Sequence[object] | None, attribute: str) -> Iterable[Decimal]:
    if cover is None:
        return ()
    what = "cover takes the first and the last of some whole numbers, such as [0, 120]"
    bounds = listed(cover, attribute=attribute, what=what)
    if len(bounds) != 2 or not all(map(is_whole, bounds)) or bounds[0] > bounds[1]:
        raise BadHierarchy(attribute, None, f"{what}; got {bounds}.")
    if bounds[1] - bounds[0] >= MOST_COVERED:
        raise BadHierarchy(attribute, None, f"cover spans more than {MOST_COVERED:,} values.")
    return map(Decimal, range(bounds[0], bounds[1] + 1))
