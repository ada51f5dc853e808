"""What the names of columns tell: words that people use for identifiers, for what others know, for what is private."""

import re
import tomllib
from functools import cache
from importlib.resources import files

_LONG = 6
"""Words of so many letters are also recognized inside others; shorter ones would be found in words of other meaning."""


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, in lower case.

    >>> words_of("patientID"), words_of("Zip code (home)"), words_of("capital-gain")
    (('patient', 'id'), ('zip', 'code', 'home'), ('capital', 'gain'))
    """
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return tuple(word.casefold() for word in re.findall(r"[^\W_]+", parted))


def shown(name: str) -> str:
    """A column's name within a sentence: in quotes if it is empty or would break the line.

    >>> shown("age"), shown("")
    ('age', "''")
    """
    return name if name.strip() and name.isprintable() else repr(name)


def names_people(name: str) -> bool:
    """Whether a name says that the column identifies: an id, a name, a way to reach somebody.

    >>> names_people("customer_id"), names_people("Last name"), names_people("product name")
    (True, True, False)
    """
    words = words_of(name)
    if _listed("identifying") & set(words):
        return True
    return words == ("name",) or ("name" in words and bool(_listed("of-people") & set(words)))


def sounds_sensitive(name: str) -> bool:
    """Whether a name speaks of what people would not want known: health, money, belief, crime."""
    words, squeezed = set(words_of(name)), "".join(words_of(name))
    return any(word in words or (len(word) >= _LONG and word in squeezed) for word in _listed("sensitive"))


def known_to_others(name: str) -> bool:
    """Whether a name speaks of what neighbours, colleagues or registers know."""
    return bool(_listed("known-to-others") & set(words_of(name)))


def is_postal(name: str) -> bool:
    """Whether a name speaks of postal codes."""
    words = words_of(name)
    return bool(_listed("postal") & set(words)) or ("code" in words and "post" in words)


def is_age(name: str) -> bool:
    """Whether a name speaks of an age in years."""
    return bool(_listed("age") & set(words_of(name)))


@cache
def _listed(key: str) -> frozenset[str]:
    """The words that are listed for one meaning."""
    text = (files("paranym.drafting") / "words.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)[key])
