"""A hierarchy: the generalizations of each value of an attribute, level by level, up to a single value."""

import itertools
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadHierarchy, OutsideHierarchy, shorten
from paranym.model.drawing import draw, draw_html
from paranym.model.values import to_number, to_text

Codes = NDArray[np.int32]
Label = str | None
"""A published value; None where the missing value is published as such."""

TOP = "*"

_LOOSE_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?")
"""A number as people and programs write it, leading zeros and exponents included."""


@dataclass(frozen=True, eq=False)
class Hierarchy:
    """Levels 0..height over the leaves of one attribute: total, nested, and ending in one value, or it cannot be built.

    Leaves stand in tree order, so that at every level the leaves of one value are neighbours.

    >>> rows = [["cat", "fur", "*"], ["owl", "feathers", "*"], ["dog", "fur", "*"]]
    >>> pets = Hierarchy.from_rows(rows, attribute="pet")
    >>> pets.labels[0], pets.labels[1]
    (('cat', 'dog', 'owl'), ('fur', 'feathers'))
    """

    attribute: str
    labels: tuple[tuple[Label, ...], ...]
    """The published values of every level, in tree order."""
    codes: Codes
    """(levels, leaves): the value of each leaf at each level."""
    categorical: bool = False
    """Whether leaves are categories even where they are plain numbers: postal codes have no range."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", tuple(map(tuple, self.labels)))
        object.__setattr__(self, "codes", _frozen(self.codes, self.attribute))
        _check_labels(self)
        _check_codes(self)

    def __setstate__(self, state: dict[str, object]) -> None:
        self.__dict__.update(state)
        self.codes.flags.writeable = False  # a pickle does not say so

    @classmethod
    def from_rows(cls, rows: Iterable[Sequence[object]], *, attribute: str, categorical: bool = False) -> "Hierarchy":
        """Build from one row per leaf: the leaf, then its value at every level up to the top.

        Rows may repeat if they agree. A missing leaf (None, NaN or empty text) places the missing values of the table.
        """
        lines = list(dict.fromkeys(_line(row, attribute) for row in rows))
        _check_shape(lines, attribute)
        _check_nesting(lines, attribute)
        ordered = _in_tree_order(lines)
        labels, codes = [], []
        for level in range(len(ordered[0])):
            numbering: dict[Label, int] = {}
            codes.append([numbering.setdefault(line[level], len(numbering)) for line in ordered])
            labels.append(tuple(numbering))
        return cls(attribute, tuple(labels), np.array(codes, np.int32), categorical)

    @classmethod
    def from_levels(cls, levels: dict[int, Sequence[object]], *, attribute: str) -> "Hierarchy":
        """Build from parallel columns keyed by level, as anjana keeps them: {0: leaves, 1: their values, ...}.

        >>> Hierarchy.from_levels({0: ["F", "M"], 1: ["*", "*"]}, attribute="sex").height
        1
        """
        if sorted(levels) != list(range(len(levels))):
            raise BadHierarchy(attribute, None, f"levels must be numbered 0, 1, 2, ...; got {sorted(levels)}.")
        lengths = {len(column) for column in levels.values()}
        if len(lengths) > 1:
            raise BadHierarchy(attribute, None, f"all levels must list as many values; got {sorted(lengths)}.")
        return cls.from_rows(zip(*(levels[level] for level in sorted(levels)), strict=True), attribute=attribute)

    @classmethod
    def suppression(cls, values: Iterable[object], *, attribute: str) -> "Hierarchy":
        """The hierarchy with nothing between the values and `*`: publish or withhold.

        >>> Hierarchy.suppression(["F", "M"], attribute="sex").height
        1
        """
        texts = dict.fromkeys(to_text(value) for value in values)
        return cls.from_rows([(text, TOP) for text in texts], attribute=attribute)

    @property
    def leaves(self) -> tuple[Label, ...]:
        """The values of level 0."""
        return self.labels[0]

    @property
    def height(self) -> int:
        """The level of the top."""
        return len(self.labels) - 1

    @property
    def places_missing(self) -> bool:
        """Whether missing values have a leaf."""
        return None in self.leaves

    @cached_property
    def numbers(self) -> tuple[Decimal | None, ...] | None:
        """The leaves as numbers (None for the missing leaf), or None if a leaf is not a number or is a category."""
        if self.categorical:
            return None
        numbers = tuple(to_number(leaf) for leaf in self.leaves)
        known = [number for number, leaf in zip(numbers, self.leaves, strict=True) if leaf is not None]
        return numbers if known and None not in known else None

    @cached_property
    def distinct_labels(self) -> tuple[tuple[Label, ...], ...]:
        """The labels of every level, such that no label stands for different leaves at different levels.

        A city and its state may both be called New York. Within one level that is no problem; where labels of several
        levels stand side by side in one column, the higher one is published with its level.

        >>> rows = [["New York", "New York", "*"], ["Albany", "New York", "*"], ["Boston", "Massachusetts", "*"]]
        >>> Hierarchy.from_rows(rows, attribute="place").distinct_labels[1]
        ('New York (level 1)', 'Massachusetts')
        """
        taken = {label for labels in self.labels for label in labels}
        meant: dict[Label, tuple[int, int]] = {}
        marked: dict[tuple[Label, tuple[int, int]], str] = {}
        distinct = []
        for level, labels in enumerate(self.labels):
            edges = np.searchsorted(self.codes[level], np.arange(len(labels) + 1)).tolist()
            names: list[Label] = []
            for label, span in zip(labels, itertools.pairwise(edges), strict=True):
                if meant.setdefault(label, span) == span:
                    names.append(label)
                    continue
                if (label, span) not in marked:
                    marked[label, span] = another_text(f"{label} (level {level})", taken, f" (level {level})")
                    taken.add(marked[label, span])
                names.append(marked[label, span])
            distinct.append(tuple(names))
        return tuple(distinct)

    def leaf_counts(self, level: int) -> NDArray[np.int64]:
        """Number of leaves under each value of a level."""
        return np.bincount(self.codes[level], minlength=len(self.labels[level])).astype(np.int64)

    def rows(self) -> list[tuple[Label, ...]]:
        """One row per leaf, as `from_rows` takes them."""
        return [
            tuple(self.labels[level][code] for level, code in enumerate(column)) for column in self.codes.T.tolist()
        ]

    def with_missing(self) -> "Hierarchy":
        """The same hierarchy with a leaf for missing values that stays a value of its own below the top."""
        if self.places_missing:
            return self
        if self.height == 0:
            raise BadHierarchy(
                self.attribute,
                0,
                "the column has missing values, and the only level has no place for them. Add a level.",
            )
        labels = tuple((*values, None) for values in self.labels[:-1]) + self.labels[-1:]
        own = np.array([[len(values)] for values in self.labels[:-1]] + [[0]], np.int32)
        return replace(self, labels=labels, codes=np.hstack([self.codes, own]))

    def reading_as_missing(self, tokens: Collection[str]) -> "Hierarchy":
        """The same hierarchy where a leaf that is one of `tokens` is the leaf of missing values, in the same place.

        >>> ages = Hierarchy.from_rows([["39", "adult", "*"], ["?", "unknown", "*"]], attribute="age")
        >>> ages.reading_as_missing(["?"]).rows()
        [('39', 'adult', '*'), (None, 'unknown', '*')]
        """
        if not any(leaf in tokens for leaf in self.leaves):
            return self
        rows = [(None if leaf in tokens else leaf, *values) for leaf, *values in self.rows()]
        return Hierarchy.from_rows(rows, attribute=self.attribute, categorical=self.categorical)

    def place(self, values: Sequence[object]) -> Codes:
        """The leaf of every value.

        Text is recognized as written, or as a number where both it and the leaf are plain numbers; typed numbers by
        value; truth values whatever their case; dates in ISO form, moments with a time zone in whichever zone.
        """
        finder = _Finder(self)
        found = [finder.find(value) for value in values]
        outside = tuple(str(to_text(value)) for value, code in zip(values, found, strict=True) if code is None)
        if outside:
            raise OutsideHierarchy(self.attribute, outside, tuple(leaf for leaf in self.leaves if leaf is not None))
        return np.array(found, np.int32)

    def outside(self, values: Iterable[object]) -> tuple[str, ...]:
        """Those of the values that have no leaf.

        >>> Hierarchy.suppression(["F", "M"], attribute="sex").outside(["F", "X"])
        ('X',)
        """
        finder = _Finder(self)
        return tuple(dict.fromkeys(str(to_text(value)) for value in values if finder.find(value) is None))

    def __repr__(self) -> str:
        sizes = " -> ".join(str(len(values)) for values in self.labels)
        return f"Hierarchy({self.attribute!r}, values per level: {sizes})"

    def __str__(self) -> str:
        return draw(self)

    def _repr_html_(self) -> str:
        return draw_html(self)


def another_text(text: str, taken: Collection[Label], mark: str) -> str:
    """Return the text, followed by as many marks as needed to differ from all taken ones."""
    while text in taken:
        text += mark
    return text


class _Finder:
    """Looks up leaves by text, number and truth value."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._by_text = {leaf: code for code, leaf in enumerate(hierarchy.leaves)}

    @cached_property
    def _by_number(self) -> dict[Decimal, int]:
        return _number_leaves(self._by_text, to_number)

    @cached_property
    def _by_loose_number(self) -> dict[Decimal, int]:
        return _number_leaves(self._by_text, _loose_number)

    @cached_property
    def _by_moment(self) -> dict[datetime, int]:
        """The leaves that stand for moments with a time zone; of several that stand for the same, the first."""
        moments: dict[datetime, int] = {}
        for leaf, code in self._by_text.items():
            with suppress(ValueError, OverflowError):
                moment = datetime.fromisoformat(leaf or "")
                if moment.tzinfo is not None:
                    moments.setdefault(moment.astimezone(UTC), code)
        return moments

    def find(self, value: object) -> int | None:
        text = to_text(value)
        if isinstance(value, str) or text is None:
            code = self._by_text.get(text)
            number = None if code is not None else to_number(text)
            return code if number is None else self._by_number.get(number)
        if isinstance(value, bool):
            return next(
                (self._by_text[form] for form in (text, text.title(), text.upper()) if form in self._by_text), None
            )
        if isinstance(value, datetime) and value.tzinfo is not None and text not in self._by_text:
            return self._by_moment.get(value.astimezone(UTC))
        number = to_number(value)
        if number is None:
            return self._by_text.get(text)
        return self._by_number.get(number, self._by_loose_number.get(number))


def _number_leaves(codes: dict[Label, int], read: Callable[[Label], Decimal | None]) -> dict[Decimal, int]:
    """The leaves that stand for numbers; of several that stand for the same, the first."""
    numbers: dict[Decimal, int] = {}
    for leaf, code in codes.items():
        number = read(leaf)
        if number is not None:
            numbers.setdefault(number, code)
    return numbers


def _loose_number(leaf: Label) -> Decimal | None:
    """The number that a leaf stands for when the column is typed as numbers: `007` is 7 there."""
    return Decimal(leaf) if leaf is not None and _LOOSE_NUMBER.fullmatch(leaf) else None


def _line(row: object, attribute: str) -> tuple[Label, ...]:
    if isinstance(row, str) or not isinstance(row, Iterable):  # text would come apart into letters
        raise BadHierarchy(
            attribute, None, f"a row lists a leaf and its values up to the top, such as ['F', '*']; got {row!r}."
        )
    return tuple([value if type(value) is str and value else to_text(value) for value in row])


def _check_shape(lines: list[tuple[Label, ...]], attribute: str) -> None:
    if not lines or not lines[0]:
        raise BadHierarchy(attribute, None, "it has no leaves.")
    for line in lines:
        if len(line) != len(lines[0]):
            raise BadHierarchy(
                attribute,
                None,
                f"{_leaf(line)} comes with {len(line)} values, itself included, where {_leaf(lines[0])} comes with "
                f"{len(lines[0])}; each must have one for every level.",
            )
        if line[0] is not None and None in line:
            raise BadHierarchy(attribute, line.index(None), f"{_leaf(line)} has no value here.")
        if line[-1] is None:
            raise BadHierarchy(attribute, len(line) - 1, f"{_leaf(line)} has no value here, and the top needs one.")


def _leaf(line: tuple[Label, ...]) -> str:
    return "the leaf of missing values" if line[0] is None else f"leaf {line[0]!r}"


def _check_nesting(lines: list[tuple[Label, ...]], attribute: str) -> None:
    height = len(lines[0]) - 1
    for level in range(1, height + 1):
        parent: dict[Label, Label] = {}
        for line in lines:
            if parent.setdefault(line[level - 1], line[level]) != line[level]:
                raise BadHierarchy(
                    attribute,
                    level,
                    f"{line[level - 1]!r} lies under both {parent[line[level - 1]]!r} and {line[level]!r}; "
                    "each value must have one value above it.",
                )
    tops = tuple(dict.fromkeys(str(line[height]) for line in lines))
    if len(tops) > 1:
        raise BadHierarchy(
            attribute, height, f"the last level must be one value, such as {TOP!r}; it has {shorten(tops)}."
        )


def _in_tree_order(lines: list[tuple[Label, ...]]) -> list[tuple[Label, ...]]:
    """Lines such that leaves of one value are neighbours at every level; numbers in order where the tree allows."""
    if all(line[0] is None or to_number(line[0]) is not None for line in lines):
        known = {line: to_number(line[0]) or Decimal(0) for line in lines if line[0] is not None}
        lines = sorted(known, key=lambda line: known[line]) + [line for line in lines if line not in known]
    first_seen: list[dict[Label, int]] = [{} for _ in lines[0]]
    for line in lines:
        for seen, label in zip(first_seen, line, strict=True):
            seen.setdefault(label, len(seen))
    return sorted(
        lines, key=lambda line: [seen[label] for seen, label in zip(reversed(first_seen), reversed(line), strict=True)]
    )


def _frozen(codes: NDArray[np.integer], attribute: str) -> Codes:
    """A copy of the codes that neither the caller nor anyone else can change."""
    given = np.asarray(codes)
    if given.ndim != 2 or given.dtype.kind not in "iu" or not np.array_equal(given, given.astype(np.int32)):
        raise BadHierarchy(attribute, None, "its codes must be whole numbers in an array of levels and leaves.")
    copy = given.astype(np.int32)
    copy.flags.writeable = False
    return copy


def _check_labels(hierarchy: Hierarchy) -> None:
    """Check that the values of each level are distinct, and that only the missing leaf is published as missing."""
    attribute, labels = hierarchy.attribute, hierarchy.labels
    leaves = len(labels[0]) if labels else 0
    if not leaves:
        raise BadHierarchy(attribute, None, "it has no leaves.")
    if hierarchy.codes.shape != (len(labels), leaves):
        raise BadHierarchy(
            attribute,
            None,
            f"{len(labels)} levels over {leaves} leaves need as many codes; got an array of {hierarchy.codes.shape}.",
        )
    for level, values in enumerate(labels):
        if not all(value is None or (isinstance(value, str) and value) for value in values):
            raise BadHierarchy(attribute, level, "every value must be text, or None for the missing value.")
        if len(set(values)) < len(values):
            raise BadHierarchy(attribute, level, "it lists a value twice.")
        if None in values and level > 0:
            under = np.flatnonzero(hierarchy.codes[level] == values.index(None))
            if level == hierarchy.height or [labels[0][leaf] for leaf in under] != [None]:
                raise BadHierarchy(attribute, level, "only the leaf of missing values may be published as missing.")


def _check_codes(hierarchy: Hierarchy) -> None:
    """Check that from leaf to leaf the code of a level grows by 0 or 1, and only where that of the level below does.

    So leaves of one value are neighbours, levels nest, and no value is without leaves.
    """
    attribute, codes = hierarchy.attribute, hierarchy.codes
    moves = np.diff(codes, axis=1)
    if (moves[0] != 1).any():
        raise BadHierarchy(attribute, 0, "every leaf must have a code of its own, in their order: 0, 1, 2, ...")
    for level, values in enumerate(hierarchy.labels):
        if codes[level, 0] != 0 or codes[level, -1] != len(values) - 1 or not np.isin(moves[level], (0, 1)).all():
            raise BadHierarchy(
                attribute,
                level,
                f"its {len(values)} values must be numbered from 0 on in the order of the leaves, "
                "and leaves of one value must be neighbours.",
            )
        if level > 0 and (moves[level] > moves[level - 1]).any():
            raise BadHierarchy(attribute, level, "leaves that share a value below must share one here.")
    if len(hierarchy.labels[-1]) > 1:
        raise BadHierarchy(attribute, hierarchy.height, f"the last level must be one value, such as {TOP!r}.")
