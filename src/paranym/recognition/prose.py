"""Free text, which may contain any information about people."""

import re

from paranym.recognition.sample import Sample, plain
from paranym.recognition.words import is_remark, makes_sentences

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_FEWEST_WORDS = 4
_MANY_WORDS = 8
_LONG = 40
_SENTENCES = 0.4
_LOWER = 0.4
_SOME = 20
_ROWS_PER_TEXT = 10


def holds_prose(sample: Sample) -> bool:
    """Return whether people wrote the values of a column, rather than choosing them from a list.

    >>> holds_prose(Sample("x", ("She called twice about the bill.", "Der Kunde war sehr unzufrieden."), 2, 2))
    True
    >>> holds_prose(Sample("dx", ("Type 2 diabetes mellitus without complications", "Essential hypertension"), 90, 2))
    False
    """
    texts = sample.stripped
    if not texts or sample.are_answers or sample.different < 2:
        return False
    if sum(map(_is_sentence, texts)) >= _SENTENCES * len(texts):
        return True
    words = [_WORD.findall(text) for text in texts]
    number = sum(map(len, words)) / len(texts)
    if sample.is_nearly_unique and (_length(texts) > _LONG and number >= _FEWEST_WORDS):
        return True
    many = sample.different > _SOME and sample.different * _ROWS_PER_TEXT > sample.rows
    if is_remark(sample.name) and many and number >= 2:
        return True
    if _lower(words) < _LOWER:
        return False
    return (sample.is_nearly_unique and sample.different > _SOME and number >= _FEWEST_WORDS - 0.5) or (
        many and number >= _MANY_WORDS - 2
    )


def _is_sentence(text: str) -> bool:
    words = _WORD.findall(plain(text))
    if len(words) < _FEWEST_WORDS:
        return False
    saying = sum(makes_sentences(word) for word in words)
    ends = text[-1] in ".!?" and len(words) > _FEWEST_WORDS
    return ends or saying >= 2 or (saying == 1 and len(words) <= _MANY_WORDS + 2)


def _length(texts: tuple[str, ...]) -> float:
    return sum(map(len, texts)) / len(texts)


def _lower(words: list[list[str]]) -> float:
    """Return the share of words in lower case, which is high in sentences and low in titles."""
    every = [word for some in words for word in some]
    return sum(word[0].islower() for word in every) / len(every) if every else 0.0
