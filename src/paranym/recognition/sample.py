"""Samples of the distinct values of one column, which recognizers examine."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from unicodedata import combining, normalize

FEW = 40
"""Largest number of values that a multiple-choice question has."""


@dataclass(frozen=True)
class Sample:
    """Distinct values of a column, with the numbers of its rows and values.

    >>> Sample("sex", ("F", "M"), rows=100, different=2).is_nearly_unique
    False
    """

    name: str
    """The name of the column."""
    texts: tuple[str, ...]
    """At most a few thousand distinct values, without missing ones."""
    rows: int
    """Number of rows with a value."""
    different: int
    """Number of distinct values in the column."""
    alone: int = 0
    """Number of values that occur in a single row; counted only if there are few values."""

    @property
    def is_nearly_unique(self) -> bool:
        """True if the column distinguishes most rows."""
        return self.different > 1 and 2 * self.different > self.rows

    @property
    def are_categories(self) -> bool:
        """True if very few values cover all rows, like `yes` and `no`."""
        return self.different <= _VERY_FEW and self.rows >= _ROWS_PER_CATEGORY * self.different

    @property
    def are_answers(self) -> bool:
        """True if few values cover all rows, like the answers of a multiple-choice question.

        Answers repeat. If many values occur once, then people wrote them, however often another value repeats.
        """
        is_repeated = self.rows >= _ROWS_PER_ANSWER * self.different
        return self.different <= FEW and is_repeated and _VALUES_PER_LONER * self.alone <= self.different

    @cached_property
    def stripped(self) -> tuple[str, ...]:
        """The non-empty values without surrounding blanks."""
        return tuple(text.strip() for text in self.texts if text.strip())

    @cached_property
    def unpacked(self) -> "Sample | None":
        """The parts of values that are lists, records or JSON; None if the values are something else.

        >>> Sample("x", ("[Ann Smith, Bob Jones]", '{"who": "Eve Miller"}'), rows=2, different=2).unpacked.texts
        ('Ann Smith', 'Bob Jones', 'who', 'Eve Miller')
        """
        packed = [text for text in self.stripped if text[0] + text[-1] in _BRACKETS]
        if not packed or 2 * len(packed) < len(self.stripped):
            return None
        parts = [part for text in packed for part in map(str.strip, _BETWEEN.split(text)) if part]
        different = Counter(parts)
        rows = max(round(len(parts) * self.rows / len(packed)), len(parts))
        alone = sum(number == 1 for number in different.values())
        return Sample(self.name, tuple(different), rows=rows, different=len(different), alone=alone)

    def share(self, is_one: Callable[[str], object]) -> float:
        """Return the share of values that satisfy a predicate."""
        return sum(map(bool, map(is_one, self.stripped))) / len(self.stripped) if self.stripped else 0.0

    def number(self, is_one: Callable[[str], object]) -> int:
        """Return the number of values that satisfy a predicate."""
        return sum(map(bool, map(is_one, self.stripped)))


def plain(text: str) -> str:
    """Return text in lower case and without accents.

    >>> plain("Müller"), plain("GARCÍA"), plain("Weiß")
    ('muller', 'garcia', 'weiss')
    """
    return "".join(character for character in normalize("NFKD", text.casefold()) if not combining(character))


def words(text: str) -> Sequence[str]:
    """Return the words of a text, separated by blanks."""
    return text.split()


_BRACKETS = ("[]", "{}", "()")
_BETWEEN = re.compile(r"""[][{}()"',;=|]+|: """)
_VERY_FEW = 8
_ROWS_PER_CATEGORY = 10
_ROWS_PER_ANSWER = 5
_VALUES_PER_LONER = 4
