"""Guessing what a column is to the release, and saying why.

Whoever drafts for others errs on the safe side: what might identify people is generalized or left out, never kept as it
is because nothing was known about it.
"""

from dataclasses import dataclass

from paranym.drafting.kinds import Sort
from paranym.drafting.portrait import Portrait
from paranym.drafting.shapes import identifying_shape
from paranym.drafting.words import (
    known_to_others,
    may_name_people,
    names_people,
    sounds_sensitive,
    stands_for_people,
)
from paranym.model.schema import Role
from paranym.model.values import to_number

_FEW = 10
"""With so many rows per value a column groups people rather than naming them."""
_FEW_VALUES = 6
"""So many values name nobody: they say whether there is a phone, not its number."""
_LONG_TEXT = 40


@dataclass(frozen=True, slots=True)
class Guess:
    """A role and the reason for it."""

    role: Role
    why: str
    warning: str | None = None
    """The kind of concern that goes with it."""


def guess(portrait: Portrait) -> Guess:
    """The role of a column, by its name and by how its rows spread over its values."""
    name, different, rows = portrait.name, portrait.different, portrait.rows
    if portrait.column is None:
        return _unlisted(portrait)
    if different == 0:
        return Guess(Role.OTHER, "no row has a value")
    if portrait.is_constant and rows > 1:
        return Guess(Role.OTHER, "the same in every row", "constant")
    by = _by_what_it_identifies(portrait)
    if by is not None:
        return _identifier(portrait, by)
    if _is_free_text(portrait):
        return Guess(Role.IDENTIFIER, "free text, which may name anybody: left out", "free-text")
    if sounds_sensitive(name) and portrait.kind.sort not in (Sort.DATE, Sort.TIME):
        return Guess(Role.SENSITIVE, "by its name something that people would not want known")
    if portrait.kind.sort in (Sort.DATE, Sort.TIME) or known_to_others(name):
        return Guess(Role.QUASI_IDENTIFIER, "others can know it")
    if _is_running_number(portrait):
        return Guess(Role.IDENTIFIER, "numbers the rows: left out", "identifier")
    if portrait.tells_most_apart:
        return Guess(
            Role.IDENTIFIER,
            f"{different:,} different values in {rows:,} rows tell most people apart: left out",
            "nearly-unique",
        )
    return Guess(Role.QUASI_IDENTIFIER, "others may know it")


def _by_what_it_identifies(portrait: Portrait) -> str | None:
    if _names_somebody(portrait):
        return "by its name"
    shape = identifying_shape(portrait.texts)
    return None if shape is None else f"by its values, which look like {shape},"


def _names_somebody(portrait: Portrait) -> bool:
    name, many = portrait.name, portrait.different * _FEW > portrait.rows or portrait.is_nearly_unique
    if names_people(name):
        return many or portrait.different > _FEW_VALUES
    is_numbered = stands_for_people(name) and portrait.kind.sort in (Sort.CODE, Sort.NUMBER)
    return may_name_people(name) and (many or (is_numbered and portrait.different > _FEW_VALUES))


def _unlisted(portrait: Portrait) -> Guess:
    if names_people(portrait.name) or may_name_people(portrait.name):
        return _identifier(portrait, "by its name")
    if portrait.is_nearly_unique:
        return Guess(
            Role.IDENTIFIER,
            f"about {portrait.different:,} different values in {portrait.rows:,} rows: left out",
            "nearly-unique",
        )
    what = "of a type" if portrait.is_of_other_type else f"about {portrait.different:,} different values,"
    return Guess(Role.IDENTIFIER, f"{what} that cannot be generalized: left out", "left-out")


def _identifier(portrait: Portrait, by: str) -> Guess:
    why = f"{by} it identifies people: left out"
    if portrait.different + portrait.missing >= portrait.rows:
        return Guess(Role.IDENTIFIER, why, "identifier")
    # that a first name repeats says nothing; that a number does says how many rows a person has
    is_word = portrait.kind.sort is Sort.TEXT and identifying_shape(portrait.texts) is None
    is_telling = not is_word or portrait.different * _FEW > portrait.rows
    return Guess(Role.IDENTIFIER, why, "repeated-identifier" if is_telling else None)


def _is_running_number(portrait: Portrait) -> bool:
    """Whether the values are 1, 2, 3, ... from any start, each once."""
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
