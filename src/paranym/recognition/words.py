"""Words in column names: for identifiers, for attributes that others can know, for sensitive ones."""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from unicodedata import combining, normalize

_LONG = 6
"""Words of at least this length are also recognized inside other words; shorter ones would match by accident."""


def words_of(name: str) -> tuple[str, ...]:
    """Return the words of a column name, in lower case, without accents and without trailing digits.

    >>> words_of("patientID"), words_of("IPAddress"), words_of("Zip code (home)"), words_of("prénom2")
    (('patient', 'id'), ('ip', 'address'), ('zip', 'code', 'home'), ('prenom',))
    """
    plain = "".join(character for character in normalize("NFKD", name) if not combining(character))
    parted = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", plain)
    return tuple(word.rstrip("0123456789") or word for word in re.findall(r"[^\W_]+", parted.casefold()))


def shown(name: str) -> str:
    """Return a column name for a sentence: in quotes if it is empty, has outer blanks, or would break the line.

    >>> shown("age"), shown("age ")
    ('age', "'age '")
    """
    return name if name and name == name.strip() and name.isprintable() else repr(name)


def series(parts: Sequence[object]) -> str:
    """Return the parts as a list within a sentence, the last after `and`.

    >>> series([5, 10, 2000]), series(["age"])
    ('5, 10 and 2,000', 'age')
    """
    texts = [f"{part:,}" if isinstance(part, int | float) else str(part) for part in parts]
    return " and ".join(filter(None, [", ".join(texts[:-1]), texts[-1]]))


def names_people(name: str) -> bool:
    """Return whether a column name means direct identifiers: names of people, their numbers or contacts.

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


def is_certainly_a_name(name: str) -> bool:
    """Return whether a column name means names that only people have.

    >>> is_certainly_a_name("last_name"), is_certainly_a_name("Vorname"), is_certainly_a_name("name")
    (True, True, False)
    """
    words = {word for word in words_of(name) if not word.isdigit()}
    of_people = words & (_listed("of-people") | _listed("people"))
    return bool(words & _listed("certainly-names")) or bool(words & _listed("names") and of_people)


def is_perhaps_a_name(name: str) -> bool:
    """Return whether a column name means a name, of people or of something unspecified.

    >>> is_perhaps_a_name("name"), is_perhaps_a_name("contact"), is_perhaps_a_name("product name")
    (True, True, False)
    """
    words = {word for word in words_of(name) if not word.isdigit()}
    return bool(words) and words <= _listed("names") | _listed("of-people") | _listed("people") | _listed("in-charge")


def is_phone(name: str) -> bool:
    """Return whether a column name means phone numbers."""
    return bool(_listed("phones") & set(words_of(name)))


def is_account(name: str) -> bool:
    """Return whether a column name means accounts, cards or numbers of people.

    >>> is_account("bank_account"), is_account("Kontonummer"), is_account("amount")
    (True, True, False)
    """
    return bool(_listed("accounts") & set(words_of(name))) or names_people(name)


def is_remark(name: str) -> bool:
    """Return whether a column name means free text, such as notes."""
    return bool(_listed("remarks") & set(words_of(name)))


def makes_sentences(word: str) -> bool:
    """Return whether a word, in lower case and without accents, is typical of sentences rather than labels.

    >>> makes_sentences("she"), makes_sentences("wurde"), makes_sentences("of")
    (True, True, False)
    """
    return word in _listed("of-sentences")


def may_name_people(name: str) -> bool:
    """Return whether a column with this name identifies people if it has many values.

    >>> may_name_people("region id"), may_name_people("region")
    (True, False)
    """
    return bool(_listed("perhaps-identifying") & set(words_of(name))) or stands_for_people(name)


def stands_for_people(name: str) -> bool:
    """Return whether a column name is just a word for people, which usually means their numbers.

    >>> stands_for_people("patient"), stands_for_people("patient sex")
    (True, False)
    """
    words = words_of(name)
    return len(words) == 1 and words[0] in _listed("people")


def sounds_sensitive(name: str) -> bool:
    """Return whether a column name means a sensitive attribute: health, money, belief, crime."""
    words, squeezed = set(words_of(name)), "".join(words_of(name))
    if _known_together(words):
        return False
    return any(word in words or (len(word) >= _LONG and word in squeezed) for word in _listed("sensitive"))


def known_to_others(name: str) -> bool:
    """Return whether a column name means something that neighbours, colleagues or registers know."""
    words = set(words_of(name))
    return bool(_listed("known-to-others") & words) or _known_together(words)


def is_postal(name: str) -> bool:
    """Return whether a column name means postal codes."""
    words = words_of(name)
    return bool(_listed("postal") & set(words)) or ("code" in words and "post" in words)


def is_age(name: str) -> bool:
    """Return whether a column name means an age in years."""
    return bool(_listed("age") & set(words_of(name)))


def _known_together(words: set[str]) -> bool:
    return any(words >= set(together.split()) for together in _listed("known-together"))


@cache
def _listed(key: str) -> frozenset[str]:
    """Return the words that are listed for one meaning."""
    text = (files("paranym.recognition") / "words.toml").read_text(encoding="utf-8")
    return frozenset(tomllib.loads(text)[key])
