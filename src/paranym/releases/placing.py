"""Placement of unseen values under the labels of a recoding: by the builder of the hierarchy, or by breakpoints.

Ordered attributes have breakpoints. Labels that are ranges, such as 20-24, [1.5, 2) or >=65, cover the numbers that
they name. Labels that are names, such as young and old, cover everything from their first leaf to the first leaf of the
next label.
"""

import itertools
import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from typing import Literal

import numpy as np

from paranym.engines.base import Coding, Column, Replacement
from paranym.errors import BadHierarchy, BadInput, OutsideHierarchy, shorten
from paranym.hierarchies.build import build_hierarchy
from paranym.model.hierarchy import Label
from paranym.model.recoding import AttributeRecoding
from paranym.model.values import to_number, to_text

Unknown = Literal["error", "top"]
"""The treatment of a value that the recoding cannot place."""

_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
_BETWEEN = re.compile(rf"({_NUMBER})(?: to |-)({_NUMBER})")
_HALF_OPEN = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\)")
_BELOW = re.compile(rf"<({_NUMBER})")
_FROM = re.compile(rf">=({_NUMBER})")

Span = tuple[Decimal | None, Decimal | None]
"""From the first number to below the second; None if there is no limit."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """The published labels of the values of a column of another table."""

    replacement: Replacement
    new: int
    """Number of values that the recoding had not seen."""
    unplaced: int
    """Number of unseen values that no label covers; they are published as the top value."""

    def as_text(self) -> Replacement:
        """Return the replacement with all labels as text."""
        return replace(self.replacement, keeps=False)


def place(attribute: AttributeRecoding, column: Column, *, unknown: Unknown) -> Placed:
    """Find the label of every value; values that no label covers are an error, or are published as the top value."""
    published = attribute.published()
    outside = set(attribute.hierarchy.outside(column.values))
    known = [value for value in column.values if str(to_text(value)) not in outside]
    leaves = attribute.hierarchy.place(known).tolist()
    found: dict[object, Label] = {
        value: published[attribute.leaves[leaf]] for value, leaf in zip(known, leaves, strict=True)
    }
    new = [value for value in column.values if value not in found]
    placed = _place_new(attribute, new)
    unplaced = [value for value in new if value not in placed]
    if unplaced and unknown == "error":
        raise BadInput(
            f"Column {attribute.attribute!r} has values that the recoding does not place: "
            f"{shorten(tuple(str(to_text(value)) for value in unplaced))}. Publish them as the top value (--unknown "
            "top), or extend the hierarchy and release again."
        )
    found |= placed | dict.fromkeys(unplaced, attribute.top)
    numbering: dict[Label, int] = {label: code for code, label in enumerate(attribute.labels)}
    codes = np.array([numbering.setdefault(found[value], len(numbering)) for value in column.values], np.int32)
    missing = None
    if column.missing:
        alone = attribute.top if attribute.level == attribute.height else None
        missing = numbering.setdefault(published.get(None, alone), len(numbering))
    coding = Coding(column, codes, missing, len(numbering))
    keeps = attribute.keeps_values and not unplaced
    return Placed(Replacement(coding, tuple(numbering), keeps), len(new), len(unplaced))


def _place_new(attribute: AttributeRecoding, values: Sequence[object]) -> dict[object, Label]:
    """Return the labels of values that are not leaves, for those that a label covers."""
    if not values:
        return {}
    if attribute.level == attribute.height:
        return dict.fromkeys(values, attribute.top)
    found: dict[object, Label] = {}
    if attribute.builder is not None and attribute.level is not None:
        found = _rebuilt(attribute, values, attribute.level)
    scale = _Scale.of(attribute)
    scaled = {} if scale is None else {value: scale.label(value) for value in values if value not in found}
    return found | {value: label for value, label in scaled.items() if label is not None}


def _rebuilt(attribute: AttributeRecoding, values: Sequence[object], level: int) -> dict[object, Label]:
    """Return the labels by the builder of the hierarchy; value by value if they cannot be placed together."""
    try:
        return _built_for(attribute, values, level)
    except (BadHierarchy, OutsideHierarchy):
        if len(values) == 1:
            return {}
    return dict(itertools.chain.from_iterable(_rebuilt(attribute, [value], level).items() for value in values))


def _built_for(attribute: AttributeRecoding, values: Sequence[object], level: int) -> dict[object, Label]:
    leaves = [leaf for leaf in attribute.leaves if leaf is not None]
    built = build_hierarchy(attribute.builder, [*leaves, *values], attribute=attribute.attribute)
    if built.height != attribute.height:
        return {}
    codes = built.codes[level][built.place([*leaves, *values])].tolist()
    labels = [built.labels[level][code] for code in codes]
    published = attribute.published()
    if labels[: len(leaves)] != [published[leaf] for leaf in leaves]:
        return {}  # new values would change the labels of known ones
    return dict(zip(values, labels[len(leaves) :], strict=True))


@dataclass(frozen=True, slots=True)
class _Scale:
    """The labels of an ordered attribute from the lowest to the highest, with the range that each covers."""

    spans: tuple[Span, ...]
    labels: tuple[Label, ...]
    keeps_values: bool

    @classmethod
    def of(cls, attribute: AttributeRecoding) -> "_Scale | None":
        """Return the scale of an attribute; None if it has no order, or its labels do not follow it."""
        if attribute.categorical:
            return None
        ranks = {leaf: _rank(leaf) for leaf in attribute.leaves if leaf is not None}
        ordered = sorted((rank, leaf) for leaf, rank in ranks.items() if rank is not None)
        if len(ordered) < len(ranks) or not ordered:
            return None
        if attribute.keeps_values:
            return cls((), (), keeps_values=True)
        published = attribute.published()
        runs = [(label, list(run)) for label, run in itertools.groupby(ordered, key=lambda pair: published[pair[1]])]
        labels = tuple(label for label, _ in runs)
        if len(set(labels)) < len(labels):
            return None
        members = [[rank for rank, _ in run] for _, run in runs]
        return cls(_named(labels, members) or _between(members), labels, keeps_values=False)

    def label(self, value: object) -> Label:
        """Return the label of a value; None if no label covers it."""
        rank = _rank(value)
        if rank is None:
            return None
        if self.keeps_values:
            return to_text(value)
        lows = [Decimal("-Infinity") if low is None else low for low, _ in self.spans]
        index = bisect_right(lows, rank) - 1
        if index < 0:
            return None
        high = self.spans[index][1]
        return self.labels[index] if high is None or rank < high else None


def _named(labels: Sequence[Label], members: Sequence[Sequence[Decimal]]) -> tuple[Span, ...] | None:
    """Return the spans that the labels name, if all of them name one, and cover their own leaves only."""
    whole = all(rank == rank.to_integral_value() for ranks in members for rank in ranks)
    spans = [_span(str(label), whole=whole) for label in labels]
    sound = [span for span in spans if span is not None]
    if len(sound) < len(spans):
        return None
    covered = all(_covers(span, rank) for span, ranks in zip(sound, members, strict=True) for rank in ranks)
    apart = all(
        below[1] is not None and above[0] is not None and below[1] <= above[0]
        for below, above in itertools.pairwise(sound)
    )
    return tuple(sound) if covered and apart else None


def _between(members: Sequence[Sequence[Decimal]]) -> tuple[Span, ...]:
    """Return the spans from the first leaf of each label to that of the next; the last one ends with its last leaf."""
    lows = [ranks[0] for ranks in members]
    highs = [*lows[1:], members[-1][-1].next_plus()]
    return tuple(zip(lows, highs, strict=True))


def _span(label: str, *, whole: bool) -> Span | None:
    """Return the range of numbers that a label names."""
    for pattern in (_BETWEEN, _HALF_OPEN):
        if (match := pattern.fullmatch(label)) is not None:
            low, high = Decimal(match[1]), Decimal(match[2])
            if pattern is _HALF_OPEN:
                return low, high
            return (low, high + 1) if whole else None
    if (match := _BELOW.fullmatch(label)) is not None:
        return None, Decimal(match[1])
    if (match := _FROM.fullmatch(label)) is not None:
        return Decimal(match[1]), None
    number = to_number(label)
    return None if number is None or not whole else (number, number + 1)


def _covers(span: Span, rank: Decimal) -> bool:
    low, high = span
    return (low is None or low <= rank) and (high is None or rank < high)


def _rank(value: object) -> Decimal | None:
    """Return the position of a number or a day in its order."""
    text = to_text(value)
    number = to_number(text)
    if number is not None or text is None:
        return number
    try:
        return Decimal(date.fromisoformat(text).toordinal())
    except ValueError:
        return None
