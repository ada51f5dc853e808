"""Guessing the role of a column, with the reason.

The guess errs on the safe side: a column that might identify people is generalized or dropped. It is never published
unchanged because nothing is known about it.
"""

from dataclasses import dataclass

from paranym.drafting.kinds import Sort
from paranym.drafting.portrait import Portrait
from paranym.model.schema import Role
from paranym.model.values import to_number
from paranym.recognition.shapes import identifying_shape
from paranym.recognition.words import (
    known_to_others,
    may_name_people,
    names_people,
    sounds_sensitive,
    stands_for_people,
)

_FEW = 10
"""A column with this many rows per value groups people rather than identifying them."""
_FEW_VALUES = 6
"""With at most this many values, a column identifies nobody: it states whether there is a phone, not its number."""
_LONG_TEXT = 40


@dataclass(frozen=True, slots=True)
class Guess:
    """A role with its reason."""

    role: Role
    why: str
    warning: str | None = None
    """The kind of the accompanying warning, if any."""


def guess(portrait: Portrait) -> Guess:
    """Return the role of a column, judging by its name and by the distribution of its values."""
    name, different, rows = portrait.name, portrait.different, portrait.rows
    if portrait.column is None:
        return _unlisted(portrait)
    if different == 0:
        return Guess(Role.KEEP, "all values are missing")
    if portrait.is_constant and rows > 1:
        return Guess(Role.KEEP, "the same in every row", "constant")
    by = _by_what_it_identifies(portrait)
    if by is not None:
        return _identifier(portrait, by)
    if _is_free_text(portrait):
        return Guess(Role.DROP, "free text, which may name people: not published", "free-text")
    if sounds_sensitive(name) and portrait.kind.sort not in (Sort.DATE, Sort.TIME):
        return Guess(Role.SENSITIVE, "judging by its name")
    if portrait.kind.sort in (Sort.DATE, Sort.TIME) or known_to_others(name):
        return Guess(Role.QUASI_IDENTIFIER, "likely known to others")
    if _is_running_number(portrait):
        return Guess(Role.IDENTIFIER, "numbers the rows: not published", "identifier")
    if portrait.is_nearly_identifying:
        return Guess(
            Role.DROP,
            f"{different:,} distinct values in {rows:,} rows identify most people: not published",
            "nearly-unique",
        )
    return Guess(Role.QUASI_IDENTIFIER, "possibly known to others")


def _by_what_it_identifies(portrait: Portrait) -> str | None:
    if _names_somebody(portrait):
        return "judging by its name"
    shape = identifying_shape(portrait.texts)
    return None if shape is None else f"judging by its values, which look like {shape}"


def _names_somebody(portrait: Portrait) -> bool:
    name, many = portrait.name, portrait.different * _FEW > portrait.rows or portrait.is_nearly_unique
    if names_people(name):
        return many or portrait.different > _FEW_VALUES
    is_numbered = stands_for_people(name) and portrait.kind.sort in (Sort.CODE, Sort.NUMBER)
    return may_name_people(name) and (many or (is_numbered and portrait.different > _FEW_VALUES))


def _unlisted(portrait: Portrait) -> Guess:
    if names_people(portrait.name) or may_name_people(portrait.name):
        return _identifier(portrait, "judging by its name")
    if portrait.is_nearly_unique:
        return Guess(
            Role.DROP,
            f"about {portrait.different:,} distinct values in {portrait.rows:,} rows: not published",
            "nearly-unique",
        )
    many = f"about {portrait.different:,} distinct values, too many to generalize"
    what = "of a type that cannot be generalized" if portrait.is_of_other_type else many
    return Guess(Role.DROP, f"{what}: not published", "left-out")


def _identifier(portrait: Portrait, by: str) -> Guess:
    why = f"identifies people, {by}: not published"
    if portrait.different + portrait.missing >= portrait.rows:
        return Guess(Role.IDENTIFIER, why, "identifier")
    # a first name repeats by chance; a number that repeats shows how many rows a person has
    is_word = portrait.kind.sort is Sort.TEXT and identifying_shape(portrait.texts) is None
    is_identifying = not is_word or portrait.different * _FEW > portrait.rows
    return Guess(Role.IDENTIFIER, why, "repeated-identifier" if is_identifying else None)


def _is_running_number(portrait: Portrait) -> bool:
    """Return True if the values are consecutive whole numbers, each once."""
    if not portrait.is_unique or portrait.missing or portrait.rows < 3:
        return False
    numbers = [to_number(text) for text in portrait.texts]
    known = [number for number in numbers if number is not None]
    return len(known) == len(numbers) and max(known) - min(known) == len(known) - 1


def _is_free_text(portrait: Portrait) -> bool:
    texts = portrait.texts
    if portrait.kind.sort is not Sort.TEXT or portrait.different * _FEW <= portrait.rows:
        return False
    return sum(map(len, texts)) > _LONG_TEXT * len(texts)
