"""Names of people: full names in either order, with titles or initials, given names alone, surnames alone."""

import re
import tomllib
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from paranym.recognition.sample import Sample, plain
from paranym.recognition.words import is_certainly_a_name, is_perhaps_a_name

_TOKEN = re.compile(r"[^\W\d_](?:[^\W\d_]|['\u2019\u00b4`.-])*")
_INITIAL = re.compile(r"(?:[^\W\d_]\.?-?){1,2}")
_BETWEEN_PEOPLE = re.compile(r"\s*[/;|]\s*")
_BESIDE = re.compile(r"\([^()]*\)|(?<!\S)[#*]?[0-9][0-9./-]*(?!\S)")
"""Numbers, dates and remarks beside a name, as in `Anna Schmidt (1980)`."""
_WITHIN = re.compile(r"(?<=[^\W\d_]{2})[._](?=[^\W\d_]{2})")
"""Signs within the name of an account, as in `anna.schmidt`."""
_CITED = re.compile(r"(?:[^\W\d_]|['\u2019 -]){2,}, (?:[^\W\d_]\.[ -]?){1,3}")
"""A surname with initials behind it, as in `Schmidt, A.`; nothing else is written so."""
_ABBREVIATED = re.compile(r"(?:[^\W\d_]\.[ -]?){1,3} ?((?:[^\W\d_]|['\u2019 -]){3,})")
"""A surname with initials before it, as in `A. Schmidt`."""
_MOST_TOKENS = 6
_FULL = 0.4
"""Full names are recognized by this share of values with a known given name or surname: most names are not listed."""
_ALONE = 0.4
_SURNAMES = 0.4
_HINTED = 0.1
"""The same share for a column whose name means names."""
_SHAPED = 0.8


def holds_names(sample: Sample) -> bool:
    """Return whether the values of a column are names of people.

    >>> holds_names(Sample("x", ("Anna Schmidt", "García, Luis", "Dr. Wu", "cook"), rows=9, different=4))
    True
    >>> holds_names(Sample("city", ("Charlotte", "Victoria", "Paris", "San Diego", "Bern"), rows=9, different=5))
    False
    """
    found = [_Read.of(text) for text in sample.stripped]
    if not found or sample.different < 2:
        return False
    total = len(found)
    full = sum(each.is_full_name for each in found)
    given, either = sum(each.is_given for each in found), sum(each.is_given_or_else for each in found)
    surnames = sum(each.is_surname for each in found)
    if is_certainly_a_name(sample.name) and not sample.are_categories:
        return sum(each.is_shaped for each in found) >= _SHAPED * total
    if is_perhaps_a_name(sample.name):
        return full + either + surnames >= max(2, _HINTED * total)
    return (
        full >= max(2, _FULL * total)
        or (either >= max(3, _ALONE * total) and 2 * given >= either)
        or surnames >= max(4, _SURNAMES * total)
    )


class _Read(NamedTuple):
    """A value, parsed as a name."""

    is_shaped: bool = False
    is_full_name: bool = False
    is_given: bool = False
    is_given_or_else: bool = False
    is_surname: bool = False

    @classmethod
    def of(cls, text: str) -> "_Read":
        people = [_Read._one(each) for each in _BETWEEN_PEOPLE.split(text)]
        if len(people) == 1 and people[0].is_shaped:
            return people[0]
        people = [_Read._one(_BESIDE.sub(" ", each)) for each in _BETWEEN_PEOPLE.split(text)]
        return cls(is_shaped=True, is_full_name=True) if all(each.is_full_name for each in people) else cls()

    @classmethod
    def _one(cls, text: str) -> "_Read":
        tokens = _tokens(text)
        if tokens is None:
            return cls()
        abbreviated = _ABBREVIATED.fullmatch(text)
        if _CITED.fullmatch(text) or (abbreviated and abbreviated[1].istitle()):  # a species is in lower case
            return cls(is_shaped=True, is_full_name=True)
        titled = len(tokens) > 1 and plain(tokens[0]).rstrip(".") in _listed("titles")
        while len(tokens) > 1 and plain(tokens[0]).rstrip(".") in _listed("titles"):
            tokens = tokens[1:]
        core = [plain(token).rstrip(".") for token in tokens if not _INITIAL.fullmatch(token)]
        core = [token for token in core if token not in _listed("particles")]
        if not core:
            return cls()
        if titled:
            return cls(is_shaped=True, is_full_name=tokens[0][0].isupper())
        if len(core) == 1:
            return _alone(core[0], has_initial=len(tokens) > 1)
        return cls(is_shaped=True, is_full_name=_is_full_name(core))


def _tokens(text: str) -> list[str] | None:
    """Return the parts of a possible name, the given name first; None if the text is not a name."""
    if text.count(",") == 1:
        last, _, first = text.partition(",")
        text = f"{first.strip()} {last.strip()}"
    tokens = (text if " " in text else _WITHIN.sub(" ", text)).split()
    if not 1 <= len(tokens) <= _MOST_TOKENS or not all(map(_TOKEN.fullmatch, tokens)):
        return None
    return None if any(plain(token).rstrip(".") in _listed("not-of-people") for token in tokens) else tokens


def _alone(word: str, *, has_initial: bool) -> _Read:
    """Return a single name, possibly with initials, as in `J. Smith`."""
    given = _is_in(word, "given")
    surname = word in _listed("surnames")
    if has_initial:
        return _Read(is_shaped=True, is_full_name=given or surname or word in _listed("surnames-or-else"))
    either = given or _is_in(word, "given-or-else")
    return _Read(is_shaped=True, is_given=given, is_given_or_else=either, is_surname=surname)


def _is_full_name(core: list[str]) -> bool:
    first, last = core[0], core[-1]
    if _is_in(first, "given") or _is_in(last, "given"):
        return True
    known = last in _listed("surnames") or last in _listed("surnames-or-else") or first in _listed("surnames")
    return known and (_is_in(first, "given-or-else") or last in _listed("surnames") or first in _listed("surnames"))


def _is_in(word: str, key: str) -> bool:
    """Return whether a name, or the first part of a hyphenated one, is listed."""
    return word in _listed(key) or ("-" in word and word.partition("-")[0] in _listed(key))


@cache
def _listed(key: str) -> frozenset[str]:
    text = (files("paranym.recognition") / "people.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)[key].split())
