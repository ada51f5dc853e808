"""Guessing what a column is to the release, and saying why.

Whoever drafts for others errs on the safe side: what might identify people is generalized or left out, never kept as it
is because nothing was known about it.
"""

from dataclasses import dataclass

from paranym.drafting.kinds import Sort
from paranym.drafting.portrait import Portrait
from paranym.drafting.words import known_to_others, names_people, sounds_sensitive
from paranym.model.schema import Role
from paranym.model.values import to_number

_FEW = 10
"""With so many rows per value a column groups people rather than naming them."""
_SMALL = 50
"""In a table of fewer rows, different values in most of them mean little."""
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
    if names_people(name) and (different * _FEW > rows or portrait.is_nearly_unique):
        return _identifier(portrait)
    if _is_free_text(portrait):
        return Guess(Role.IDENTIFIER, "free text, which may name anybody: left out", "free-text")
    if sounds_sensitive(name) and portrait.kind.sort not in (Sort.DATE, Sort.TIME):
        return Guess(Role.SENSITIVE, "by its name something that people would not want known")
    if portrait.kind.sort in (Sort.DATE, Sort.TIME) or known_to_others(name):
        return Guess(Role.QUASI_IDENTIFIER, "others can know it")
    if _is_running_number(portrait):
        return Guess(Role.IDENTIFIER, "numbers the rows: left out", "identifier")
    if portrait.is_nearly_unique and rows >= _SMALL:
        return Guess(
            Role.IDENTIFIER,
            f"{different:,} different values in {rows:,} rows tell most people apart: left out",
            "nearly-unique",
        )
    return Guess(Role.QUASI_IDENTIFIER, "others may know it")


def _unlisted(portrait: Portrait) -> Guess:
    if portrait.is_nearly_unique or names_people(portrait.name):
        return (
            _identifier(portrait)
            if names_people(portrait.name)
            else Guess(
                Role.IDENTIFIER,
                f"about {portrait.different:,} different values in {portrait.rows:,} rows: left out",
                "nearly-unique",
            )
        )
    return Guess(
        Role.IDENTIFIER,
        f"about {portrait.different:,} different values, or of a type that cannot be generalized: left out",
        "left-out",
    )


def _identifier(portrait: Portrait) -> Guess:
    if portrait.is_unique or portrait.different + portrait.missing >= portrait.rows:
        return Guess(Role.IDENTIFIER, "by its name and values it identifies people: left out", "identifier")
    return Guess(Role.IDENTIFIER, "by its name it identifies people: left out", "repeated-identifier")


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
