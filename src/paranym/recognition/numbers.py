"""Numbers that are given to people: accounts, cards, insurance and identity numbers, with their check digits."""

import re

from paranym.recognition.sample import Sample
from paranym.recognition.words import is_account

_LENGTHS = {
    "AD": 24, "AE": 23, "AL": 28, "AT": 20, "BA": 20, "BE": 16, "BG": 22, "BR": 29, "CH": 21, "CR": 22, "CY": 28,
    "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "ES": 24, "FI": 18, "FO": 18, "FR": 27, "GB": 22, "GE": 22,
    "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IS": 26, "IT": 27, "KZ": 20,
    "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MT": 31, "NL": 18,
    "NO": 15, "PL": 28, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27,
    "TN": 24, "TR": 26, "UA": 29,
}  # fmt: skip
"""Length of the account numbers of each country."""
_ACCOUNT = re.compile(r"\b[A-Z]{2}[0-9]{2}(?:[ -]?[A-Z0-9]){11,30}\b")
_CARD = re.compile(r"[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{4}[ -]?[0-9]{1,7}|[0-9]{4}[ -]?[0-9]{6}[ -]?[0-9]{5}")
_GROUPED_CARD = re.compile(r"[0-9]{4}([ -])[0-9]{4}\1[0-9]{4}\1[0-9]{4}")
_IDENTITY = re.compile(
    r"[0-9]{3}-[0-9]{2}-[0-9]{4}"  # United States, social security
    r"|[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?[0-9]{2} ?[0-9]{2} ?[0-9]{2} ?[A-D]"  # United Kingdom, national insurance
    r"|[12] ?[0-9]{2} ?(?:0[1-9]|1[0-2]) ?(?:[0-9]{2}|2[AB]) ?[0-9]{3} ?[0-9]{3}(?: ?[0-9]{2})?"  # France, insurance
    r"|[0-9]{2} ?[0-9]{6} ?[A-Z] ?[0-9]{3}"  # Germany, pension insurance
    r"|[A-Z]{6}[0-9L-NP-V]{2}[A-EHLMPR-T][0-9L-NP-V]{2}[A-Z][0-9L-NP-V]{3}[A-Z]"  # Italy, tax code
    r"|[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}"  # Brazil, tax number
    r"|756\.[0-9]{4}\.[0-9]{4}\.[0-9]{2}"  # Switzerland, pension insurance
    r"|(?:19|20)?[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[-+][0-9]{4}"  # Sweden, personal number
    r"|(?:0[1-9]|[12][0-9]|3[01])(?:0[1-9]|1[0-2])[0-9]{2}[-+A][0-9]{3}[0-9A-Y]"  # Finland, personal number
    r"|[0-9]{2}[0156][0-9](?:0[1-9]|[12][0-9]|3[01])/[0-9]{3,4}"  # Czechia and Slovakia, number of birth
)
_SPANISH = re.compile(r"([XYZ]?[0-9]{7,8})-?([A-Z])")
_SPANISH_LETTERS = "TRWAGMYFPDXBNJZSQVHLCKE"
_RANDOM = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|[0-9a-fA-F]{16,}")
_NETWORK = re.compile(
    r"(?:(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})\.){3}(?:25[0-5]|2[0-4][0-9]|1?[0-9]{1,2})"
    r"|[0-9a-fA-F]{2}([:-][0-9a-fA-F]{2}){5}|(?=.*::|(.*:){7})[0-9a-fA-F:]+"
)
_DAY = re.compile(r"(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]*")
_MOSTLY = 0.8
_HALF = 0.5
_LABELLED = re.compile(r"([^\W\d_]+)[.:]* +([0-9][0-9 ]*)")
_MOMENTS = (10, 13, 16, 19)
"""Digits of the seconds since 1970, and of the thousandths, millionths and billionths of a second."""
_LONG = 8
_VERY_LONG = 10


def holds_accounts(sample: Sample) -> bool:
    """Return whether a column holds numbers of accounts or cards.

    >>> holds_accounts(Sample("x", ("DE89 3704 0044 0532 0130 00", "none"), rows=9, different=2))
    True
    >>> holds_accounts(Sample("code", ("AB12 3456", "DE55 1234"), rows=9, different=2))
    False
    """
    if sample.number(is_account_number):
        return True
    return (
        sample.share(_looks_like_account) >= _MOSTLY
        or sample.share(_is_card) >= _MOSTLY
        or sample.share(_GROUPED_CARD.fullmatch) >= _MOSTLY
        or _are_long_numbers(sample)
    )


def holds_identities(sample: Sample) -> bool:
    """Return whether a column holds numbers that an office or a program gave to people or their devices.

    >>> holds_identities(Sample("x", ("12345678Z", "87654321X"), rows=9, different=2))
    True
    """
    return (
        sample.share(_IDENTITY.fullmatch) >= _MOSTLY
        or sample.share(_is_spanish) >= _HALF
        or sample.share(_NETWORK.fullmatch) >= _MOSTLY
        or (sample.is_nearly_unique and sample.share(_is_random) >= _MOSTLY)
    )


def is_account_number(text: str) -> bool:
    """Return whether a text holds an international account number whose length and check digits are right.

    >>> is_account_number("to GB29 NWBK 6016 1331 9268 19"), is_account_number("GB28NWBK60161331926819")
    (True, False)
    """
    return any(
        len(number) == _LENGTHS.get(number[:2]) and _remainder(number) == 1
        for found in _ACCOUNT.finditer(text.upper())
        for number in _prefixes(re.sub("[ -]", "", found[0]))
    )


def _prefixes(number: str) -> list[str]:
    """Return the beginning of a number, in the length that its country uses: further words may follow it."""
    return [number[: _LENGTHS.get(number[:2], 0)]]


def _remainder(number: str) -> int:
    turned = number[4:] + number[:4]
    return int("".join(str(int(character, 36)) for character in turned)) % 97


def _looks_like_account(text: str) -> bool:
    """Return whether a text has the form of an account number; check digits are ignored, since many are invented."""
    number = re.sub("[ -]", "", text.upper())
    return _ACCOUNT.fullmatch(text.upper()) is not None and len(number) == _LENGTHS.get(number[:2])


def _is_card(text: str) -> bool:
    if _CARD.fullmatch(text) is None or text[0] not in "3456":
        return False
    digits = [int(character) for character in reversed(re.sub("[ -]", "", text))]
    return (sum(digits[::2]) + sum(sum(divmod(2 * digit, 10)) for digit in digits[1::2])) % 10 == 0


def _is_spanish(text: str) -> bool:
    found = _SPANISH.fullmatch(text)
    if found is None:
        return False
    number = found[1].translate(str.maketrans("XYZ", "012"))
    return len(number) == _LONG and _SPANISH_LETTERS[int(number) % 23] == found[2]


def _is_random(text: str) -> bool:
    return _RANDOM.fullmatch(text) is not None and not text.isdigit()


def _are_long_numbers(sample: Sample) -> bool:
    """Return whether nearly every row has a long number of its own, which is not a quantity, a date or a timestamp.

    Such numbers have one length, leading zeros, or a word for accounts before them or as the name of the column.
    """
    if not sample.is_nearly_unique or sample.different < 3:
        return False
    labelled = [_LABELLED.fullmatch(text) for text in sample.stripped]
    numbers = [
        re.sub("(?: / )| ", "", text if found is None else found[2])
        for text, found in zip(sample.stripped, labelled, strict=True)
    ]
    if not all(number.isdigit() and number.isascii() for number in numbers):
        return False
    labels = {found[1] for found in labelled if found is not None}
    if not all(map(is_account, labels)):
        return False
    lengths = {len(number) for number in numbers}
    if (labels or is_account(sample.name)) and min(lengths) >= _LONG - 2:
        return True
    has_zeros = any(number.startswith("0") for number in numbers)  # quantities have none
    if len(lengths) > 1:
        return has_zeros and min(lengths) >= _LONG
    if all(map(_DAY.fullmatch, numbers)):
        return False
    [length] = lengths
    is_moment = length in _MOMENTS and all(number.startswith("1") for number in numbers)
    is_series = len({number[:3] for number in numbers}) == 1  # as codes of products of one country are
    return not (is_moment or is_series) and length >= (_LONG if has_zeros else _VERY_LONG)
