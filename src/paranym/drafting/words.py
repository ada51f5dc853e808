"""What the names of columns tell: words that people use for identifiers, for what others know, for what is private."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from unicodedata import combining, normalize

_LONG = 6
"""Words of so many letters are also recognized inside others; shorter ones would be found in words of other meaning."""


def words_of(name: str) -> tuple[str, ...]:
    """The words of a column's name, in lower case, without accents and without digits at their end.

    >>> words_of("patientID"), words_of("IPAddress"), words_of("Zip code (home)"), words_of("prénom2")
    (('patient', 'id'), ('ip', 'address'), ('zip', 'code', 'home'), ('prenom',))
    """
    plain = "".join(character for character in normalize("NFKD", name) if not combining(character))
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return tuple(word.rstrip("0123456789") or word for word in re.findall(r"[^\W_]+", parted.casefold()))


def shown(name: str) -> str:
    """A column's name within a sentence: in quotes if it is empty, begins or ends in blanks, or would break the line.

    >>> shown("age"), shown("age ")
    ('age', "'age '")
    """
    return name if name and name == name.strip() and name.isprintable() else repr(name)


def series(parts: Sequence[object]) -> str:
    """Parts in a row, the last after `and`.

    >>> series([5, 10, 2000]), series(["age"])
    ('5, 10 and 2,000', 'age')
    """
    texts = [f"{part:,}" if isinstance(part, int | float) else str(part) for part in parts]
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def names_people(name: str) -> bool:
    """Whether a name says that the column identifies: a name, a number given to people, a way to reach somebody.

    >>> names_people("customer_id"), names_people("Last name"), names_people("product name"), names_people("region id")
    (True, True, False, False)
    """
    words = {word for word in words_of(name) if not word.isdigit()}
    is_name, is_number = bool(words & _listed("names")), bool(words & _listed("numbers"))
    of_people, people = bool(words & _listed("of-people")), bool(words & _listed("people"))
    alone = bool(words) and words <= _listed("names") | _listed("of-people")
    return (
        alone or bool(words & _listed("identifying")) or (is_name and of_people) or (people and (is_name or is_number))
    )


def may_name_people(name: str) -> bool:
    """Whether a column of such a name identifies if it has many values.

    >>> may_name_people("region id"), may_name_people("region")
    (True, False)
    """
    return bool(_listed("perhaps-identifying") & set(words_of(name))) or stands_for_people(name)


def stands_for_people(name: str) -> bool:
    """Whether a name is nothing but a word for people, as in front of their numbers.

    >>> stands_for_people("patient"), stands_for_people("patient sex")
    (True, False)
    """
    words = words_of(name)
    return len(words) == 1 and words[0] in _listed("people")


def sounds_sensitive(name: str) -> bool:
    """Whether a name speaks of what people would not want known: health, money, belief, crime."""
    words, squeezed = set(words_of(name)), "".join(words_of(name))
    if _known_together(words):
        return False
    return any(word in words or (len(word) >= _LONG and word in squeezed) for word in _listed("sensitive"))


def known_to_others(name: str) -> bool:
    """Whether a name speaks of what neighbours, colleagues or registers know."""
    words = set(words_of(name))
    return bool(_listed("known-to-others") & words) or _known_together(words)


def is_postal(name: str) -> bool:
    """Whether a name speaks of postal codes."""
    words = words_of(name)
    return bool(_listed("postal") & set(words)) or ("code" in words and "post" in words)


def is_age(name: str) -> bool:
    """Whether a name speaks of an age in years."""
    return bool(_listed("age") & set(words_of(name)))


def _known_together(words: set[str]) -> bool:
    return any(words >= set(together.split()) for together in _listed("known-together"))


@cache
def _listed(key: str) -> frozenset[str]:
    """The words that are listed for one meaning."""
    text = (files("paranym.drafting") / "words.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)[key])
