"""Where values belong that a recoding has not seen: by the builder of the hierarchy, by breakpoints, or nowhere.

Ordered attributes have breakpoints. Where labels are ranges, such as 20-24, [1.5, 2) or >=65, these say which numbers
they cover; where they are names, such as young and old, a label covers what lies from its first leaf to the first of
the next.
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
"""What becomes of a value that belongs nowhere."""

_NUMBER = r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?"
_BETWEEN = re.compile(rf"({_NUMBER})(?: to |-)({_NUMBER})")
_HALF_OPEN = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\)")
_BELOW = re.compile(rf"<({_NUMBER})")
_FROM = re.compile(rf">=({_NUMBER})")

Span = tuple[Decimal | None, Decimal | None]
"""From the first to below the second; None where it goes on without end."""


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """What the values of a column of another table are published as."""

    replacement: Replacement
    new: int
    """Values that the recoding had not seen."""
    strangers: int
    """Those of them that belong nowhere, and are published as the top."""

    def as_text(self) -> Replacement:
        """Likewise where all labels must be text."""
        return replace(self.replacement, keeps=False)


def place(attribute: AttributeRecoding, column: Column, *, unknown: Unknown) -> Placed:
    """Find the label of every value; those that belong nowhere are an error, or go to the top."""
    published = attribute.published()
    outside = set(attribute.hierarchy.outside(column.values))
    known = [value for value in column.values if str(to_text(value)) not in outside]
    leaves = attribute.hierarchy.place(known).tolist()
    found: dict[object, Label] = {
        value: published[attribute.leaves[leaf]] for value, leaf in zip(known, leaves, strict=True)
    }
    new = [value for value in column.values if value not in found]
    placed = _place_new(attribute, new)
    strangers = [value for value in new if value not in placed]
    if strangers and unknown == "error":
        raise BadInput(
            f"Column {attribute.attribute!r} has values that the recoding does not place: "
            f"{shorten(tuple(str(to_text(value)) for value in strangers))}. Let them go to the top (--unknown top), or "
            "extend the hierarchy and release anew."
        )
    found |= placed | dict.fromkeys(strangers, attribute.top)
    numbering: dict[Label, int] = {label: code for code, label in enumerate(attribute.labels)}
    codes = np.array([numbering.setdefault(found[value], len(numbering)) for value in column.values], np.int32)
    missing = None
    if column.missing:
        alone = attribute.top if attribute.level == attribute.height else None
        missing = numbering.setdefault(published.get(None, alone), len(numbering))
    coding = Coding(column, codes, missing, len(numbering))
    keeps = attribute.keeps_values and not strangers
    return Placed(Replacement(coding, tuple(numbering), keeps), len(new), len(strangers))


def _place_new(attribute: AttributeRecoding, values: Sequence[object]) -> dict[object, Label]:
    """The labels of values that are no leaves, as far as they have any."""
    if not values:
        return {}
    if attribute.level == attribute.height:
        return dict.fromkeys(values, attribute.top)
    found: dict[object, Label] = {}
    if attribute.builder is not None and attribute.level is not None:
        found = _rebuilt(attribute, values, attribute.level)
    scale = _Scale.of(attribute)
    told = {} if scale is None else {value: scale.label(value) for value in values if value not in found}
    return found | {value: label for value, label in told.items() if label is not None}


def _rebuilt(attribute: AttributeRecoding, values: Sequence[object], level: int) -> dict[object, Label]:
    """By the same builder; value by value if they cannot be placed together."""
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
        return {}  # new values would change what old ones are called
    return dict(zip(values, labels[len(leaves) :], strict=True))


@dataclass(frozen=True, slots=True)
class _Scale:
    """The labels of an ordered attribute from the lowest to the highest, and what each covers."""

    spans: tuple[Span, ...]
    labels: tuple[Label, ...]
    keeps_values: bool

    @classmethod
    def of(cls, attribute: AttributeRecoding) -> "_Scale | None":
        """None if the attribute has no order, or its labels do not follow it."""
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
        return cls(_told(labels, members) or _between(members), labels, keeps_values=False)

    def label(self, value: object) -> Label:
        """What a value is published as; None if nothing covers it."""
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


def _told(labels: Sequence[Label], members: Sequence[Sequence[Decimal]]) -> tuple[Span, ...] | None:
    """What the labels themselves say that they cover, if they all do, and cover their leaves and not each other's."""
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
    """From the first leaf of each label to the first of the next; the last one ends with its last leaf."""
    lows = [ranks[0] for ranks in members]
    highs = [*lows[1:], members[-1][-1].next_plus()]
    return tuple(zip(lows, highs, strict=True))


def _span(label: str, *, whole: bool) -> Span | None:
    """The numbers that a label names."""
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
    """Where a number or a day stands in its order."""
    text = to_text(value)
    number = to_number(text)
    if number is not None or text is None:
        return number
    try:
        return Decimal(date.fromisoformat(text).toordinal())
    except ValueError:
        return None
