"""Ways to reach people: e-mail addresses, phone numbers, postal addresses, pages of their own."""

import re

from paranym.recognition.sample import Sample, plain
from paranym.recognition.words import is_phone

_MAIL = re.compile(r"[\w.+'-]+(?:@| ?[(\[{] ?(?:at|arroba) ?[)\]}] ?)[\w-]+(?:\.[\w-]+)*\.[^\W\d_]{2,}")
_WEB = re.compile(r"(?:https?://|www\.)\S+")
_PHONE = re.compile(
    r"(?:\+|00)[1-9][0-9 ()./-]{6,20}"
    r"|(?:\+?1[-. ])?\(?[0-9]{3}\)?[-. /] ?[0-9]{3}[-. ][0-9]{4}(?: ?(?:x|ext\.?) ?[0-9]{1,5})?"
    r"|\(0[0-9]{1,5}\) ?[0-9][0-9 /-]{3,}|\([0-9]{2}\) ?9?[0-9]{4}-[0-9]{4}"
    r"|0[1-9](?:[ .-][0-9]{2}){4}"
    r"|[6-9][0-9]{2}[ .-][0-9]{3}[ .-][0-9]{3}|[6-9][0-9]{1,2}(?:[ .-][0-9]{2}){3}"
)
_NATIONAL = re.compile(
    r"0[1-9][0-9]{1,4}[ /-] ?[0-9][0-9 -]{4,}|0[1-9][ /-][0-9]{7,8}|0[1-9][0-9]{8,11}|[6-9][0-9]{8}"
    r"|[2-9][0-9]{2}[2-9][0-9]{6}|3[0-9]{2}[ /.-]?[0-9]{6,7}"
)
_LABELLED = re.compile(r"([^\W\d_]+)[.:]* *([+(]?[0-9].*)")
_DATE = re.compile(r"[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{1,4}(?:[ ,T].*)?")
_DECIMAL = re.compile(r"[+-]?[0-9]+\.[0-9]+")
_STREET = re.compile(
    r"\b[0-9]+[a-z]?,? (?:[\w'.-]+ ){1,4}(?:street|st|road|rd|avenue|ave|lane|ln|drive|dr|boulevard|blvd|court|ct|way"
    r"|place|pl|terrace|square|close|crescent)\b"
    r"|\b[\w.-]*(?:strasse|str\.|weg|platz|allee|gasse|ring|damm|ufer|steig) ?[0-9]+\b"
    r"|[0-9][a-z]?, ?(?:[a-z]{1,2}-)?[0-9]{4,5} [^\W\d_]{3,}"
    r"|\b[\w.-]+(?:straat|laan|plein|gracht|kade|gatan|vagen|vej|gade) ?[0-9]+\b"
    r"|\b[0-9]+,? ?(?:bis |ter )?,?(?:rue|avenue|av\.?|boulevard|bd|place|chemin|allee|impasse|quai|cours|route) "
    r"|\b(?:calle|c/|avenida|avda\.?|plaza|paseo|camino|carrer|ronda|via|viale|corso|piazza|vicolo|largo|rua|travessa"
    r"|ul\.|al\.|os\.) ?[\w' .-]+,? ?(?:no?\.? ?)?[0-9]+"
)
_MOSTLY = 0.8
_HALF = 0.5
_DIGITS = range(7, 16)


def holds_mail(sample: Sample) -> bool:
    """Return whether any value holds an e-mail address.

    >>> holds_mail(Sample("x", ("none", "write to ann@example.org"), rows=9, different=2))
    True
    """
    return sample.number(_MAIL.search) > 0


def holds_phones(sample: Sample) -> bool:
    """Return whether the values of a column are phone numbers.

    >>> holds_phones(Sample("x", ("+49 30 123456", "(555) 123-4567", "06 12 34 56 78"), rows=3, different=3))
    True
    >>> holds_phones(Sample("day", ("03/12/2020", "04/12/2020", "+48.856613"), rows=3, different=3))
    False
    """
    if sample.share(_is_phone) >= _HALF:
        return True
    is_likely = sample.is_nearly_unique or is_phone(sample.name)
    return is_likely and sample.share(lambda text: _is_phone(text) or _is_national(text)) >= _MOSTLY


def holds_addresses(sample: Sample) -> bool:
    """Return whether the values of a column are streets with numbers of houses.

    >>> holds_addresses(Sample("x", ("Hauptstraße 12", "3 rue de la Paix", "12 Main Street"), rows=3, different=3))
    True
    """
    return sample.share(lambda text: _STREET.search(plain(text))) >= _HALF


def holds_pages(sample: Sample) -> bool:
    """Return whether nearly every row has a web address of its own.

    >>> holds_pages(Sample("x", ("https://example.org/ann", "https://example.org/bob"), rows=2, different=2))
    True
    """
    return sample.is_nearly_unique and sample.share(_WEB.fullmatch) >= _MOSTLY


def _is_phone(text: str) -> bool:
    labelled = _LABELLED.fullmatch(text)
    if labelled is not None and is_phone(labelled[1]):
        return _is_phone(labelled[2]) or _is_national(labelled[2])
    return _PHONE.fullmatch(text) is not None and _could_be_dialled(text)


def _is_national(text: str) -> bool:
    return _NATIONAL.fullmatch(text) is not None and _could_be_dialled(text)


def _could_be_dialled(text: str) -> bool:
    if _DATE.fullmatch(text) or _DECIMAL.fullmatch(text):
        return False
    return sum(character.isdigit() for character in text) in _DIGITS
