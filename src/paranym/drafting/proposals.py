"""Proposing a hierarchy for a column, with the reason."""

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from importlib.resources import files
from itertools import accumulate
from typing import Any

from paranym.drafting.kinds import Kind, Sort
from paranym.drafting.portrait import Portrait
from paranym.errors import ParanymError
from paranym.hierarchies.bounds import multiple_below
from paranym.hierarchies.build import build_hierarchy
from paranym.hierarchies.dates import to_moment
from paranym.model.hierarchy import Hierarchy
from paranym.model.values import to_number, to_text
from paranym.recognition.words import is_age, series
from paranym.wording.numbers import counted

_FEW = 6
"""Up to this many values are published or replaced by `*`; more are grouped."""
_MOST_INTERVALS = 20
"""The most intervals on the first level."""
_OLDEST = 130
_FEWER = 0.8
"""The largest share of the values of the level below that a level may have."""
_TAXONOMIES = ("months", "short-months", "weekdays", "us-states", "us-state-codes", "countries", "country-codes")
_SHARES = (0.001, 0.01, 0.05, 0.2)
_LAST_PART = re.compile(r"[-. /][^-. /]*$")
_LEVELS = ("intervals", "quantiles", "prefix", "dates", "times", "rare")
"""Keys whose value lists one entry for every level."""

Rows = Sequence[int]
Spec = dict[str, Any] | None


@dataclass(frozen=True, slots=True)
class Proposal:
    """A hierarchy as in a recipe; None for the values, then `*`."""

    spec: Spec
    wording: Callable[[Any], str]

    @property
    def why(self) -> str:
        """Return the reason for the proposal."""
        return self.wording(self.spec)

    def thinned(self) -> "Proposal | None":
        """Return the proposal with one level less, spaced as evenly as possible; None if it has no level to spare."""
        key = _level_key(self.spec)
        if self.spec is None or key is None or len(self.spec[key]) < 2:
            return None
        entries = list(self.spec[key])
        del entries[-1 if self.is_by_frequency else {2: 0, 3: 2}.get(len(entries), 1)]
        return Proposal({**self.spec, key: entries}, self.wording)

    @property
    def is_by_frequency(self) -> bool:
        """True if the hierarchy groups by frequency alone; its levels are the least informative."""
        return _level_key(self.spec) == "rare"


def propose(portrait: Portrait, rows: Rows) -> Proposal:
    """Return the hierarchy that suits the values of a column; `rows` has the number of rows of each value."""
    for candidate, why in _candidates(portrait, rows):
        spec = _pruned(portrait, candidate, rows)
        if spec is not None:
            return Proposal(spec, why)
    few = counted(portrait.different, "distinct value")
    return Proposal(None, lambda _: f"{few}: unchanged or replaced by *")


def height(portrait: Portrait, spec: Spec, rows: Rows) -> int:
    """Return the number of levels above the leaves of a hierarchy."""
    return _build(portrait, spec, rows).height


_Why = Callable[[Any], str]


def _candidates(portrait: Portrait, rows: Rows) -> Iterator[tuple[dict[str, Any], _Why]]:
    """Yield the candidates, best first."""
    kind = portrait.kind
    apart = {"apart": list(kind.apart)} if kind.apart else {}
    match kind.sort:
        case Sort.DATE:
            for units in (_units(portrait), ["week"]):
                form = {"format": kind.format} if kind.format else {}
                yield {"dates": units} | form | apart, lambda spec: f"dates: {series(spec['dates'])}{_doubt(kind)}"
        case Sort.TIME:
            yield {"times": [15, 60, 360]} | apart, lambda spec: f"times: {series(spec['times'])} minutes"
        case Sort.CODE:
            yield {"prefix": _lengths(portrait.texts)}, _why_prefix
        case Sort.NUMBER if portrait.different > _FEW:
            yield from ((spec, _why_numbers) for spec in _numbers(portrait, rows))
    if portrait.different > _FEW:
        yield from _words(portrait)


def _words(portrait: Portrait) -> Iterator[tuple[dict[str, Any], _Why]]:
    tree = _taxonomy(portrait.texts)
    if tree is not None:
        yield tree, lambda _: "a built-in tree of groups"
    name = next(name for name in ("other", "others", "(other)", *map(str, range(10**6))) if name not in portrait.texts)
    others = {} if name == "other" else {"others": name}
    yield {"rare": list(_SHARES), **others}, _why_rare


def _why_prefix(spec: dict[str, Any]) -> str:
    return f"codes: the first {series(spec['prefix'])} characters"


def _why_numbers(spec: dict[str, Any]) -> str:
    if "quantiles" in spec:
        return f"numbers: {series(spec['quantiles'])} intervals with about equally many rows"
    ends = [f"one value {word} {spec[key]:,}" for key, word in (("bottom", "below"), ("top", "from")) if key in spec]
    alone = [f"{counted(len(spec['apart']), 'value')} kept separate"] if "apart" in spec else []
    return "; ".join([f"numbers: intervals of {series(spec['intervals'])}", *ends, *alone])


def _why_rare(spec: dict[str, Any]) -> str:
    shares = series([f"{Decimal(str(share)) * 100:f}".rstrip("0").rstrip(".") + "%" for share in spec["rare"]])
    return f"text: values in fewer than {shares} of the rows are merged; a tree of groups would keep more information"


def _doubt(kind: Kind) -> str:
    return "; the day is assumed to come before the month, which the values do not show" if kind.is_ambiguous else ""


def _units(portrait: Portrait) -> list[str]:
    form = portrait.kind.format
    moments = [moment for text in portrait.texts if (moment := to_moment(text, form)) is not None]
    has_clock = any((moment.hour, moment.minute, moment.second) != (0, 0, 0) for moment in moments)
    years = {moment.year for moment in moments}
    long = max(years) - min(years) > 10
    return [*(["day"] if has_clock else []), "month", *([] if long else ["quarter"]), "year", "decade"]


def _lengths(texts: Sequence[str]) -> list[int]:
    """Return the prefix lengths of a code: first without its last part, then ever fewer characters."""
    parted = {match.start() for text in texts if (match := _LAST_PART.search(text))}
    longest = parted.pop() if len(parted) == 1 else max(map(len, texts)) - 1
    separated = {
        position for position in range(longest) if all(not one[position : position + 1].isalnum() for one in texts)
    }
    return [length for length in range(longest, 0, -1) if length - 1 not in separated]


def _numbers(portrait: Portrait, rows: Rows) -> Iterator[dict[str, Any]]:
    """Yield intervals over the bulk of the numbers, with one value for what lies far beyond it; then quantiles."""
    numbers, unknown = _without_codes_for_unknown(portrait, rows)
    apart = [*portrait.kind.apart, *unknown]
    options: dict[str, Any] = {"apart": apart} if apart else {}
    ordered = sorted(numbers)
    low, high = _quantile(ordered, numbers, 0.01), _quantile(ordered, numbers, 0.99)
    span = ordered[-1] - ordered[0]
    if (high - low) * 4 >= span:
        low, high = ordered[0], ordered[-1]
    if high > low:
        widths = _widths(low, high, len(numbers), years=is_age(portrait.name) and 0 <= low <= high < _OLDEST)
        bottom, top = multiple_below(low, widths[0]), multiple_below(high, widths[0]) + widths[0]
        ends = {"top": _plain(top)} if ordered[-1] >= top else {}
        ends |= {"bottom": _plain(bottom)} if ordered[0] < bottom else {}
        yield {"intervals": [_plain(width) for width in widths], **ends, **options}
    yield {"quantiles": [8, 4, 2], **options}


def _without_codes_for_unknown(portrait: Portrait, rows: Rows) -> tuple[dict[Decimal, int], list[int]]:
    """Return the numbers with their rows, and apart from them far-off numbers such as 99 or -1 that mean unknown."""
    numbers: dict[Decimal, int] = {}
    for text, count in zip(portrait.texts, rows, strict=True):
        number = to_number(text)
        if number is not None:
            numbers[number] = numbers.get(number, 0) + count
    ordered, unknown = sorted(numbers), []
    if len(ordered) > _FEW and set(str(ordered[-1])) == {"9"} and ordered[-1] - ordered[-2] > ordered[-2] - ordered[0]:
        unknown.append(ordered.pop())
    if len(ordered) > _FEW and ordered[0] in (-1, -9, -99, -999) and ordered[1] >= 0:
        unknown.append(ordered.pop(0))
    return {number: numbers[number] for number in ordered}, [int(number) for number in unknown]


def _widths(low: Decimal, high: Decimal, different: int, *, years: bool) -> list[Decimal]:
    """Return round widths, each twice the one before, from at most twenty intervals to two or three."""
    if years:
        return [Decimal(width) for width in (5, 10, 20, 40)]
    span = high - low
    wanted = span / min(_MOST_INTERVALS, max(different // 2, 2))
    exponent = wanted.adjusted()
    width = next(
        factor.scaleb(power)
        for power in (exponent, exponent + 1)
        for factor in (Decimal(1), Decimal(2), Decimal(5))
        if factor.scaleb(power) >= wanted
    )
    widths = [width]
    while widths[-1] * 3 < span and len(widths) < 4:
        widths.append(widths[-1] * 2)
    return widths


def _plain(number: Decimal) -> int | float:
    whole = number.to_integral_value()
    return int(whole) if number == whole else float(to_text(number) or "0")


def _quantile(ordered: Sequence[Decimal], rows: Mapping[Decimal, int], share: float) -> Decimal:
    total = sum(rows.values())
    below = accumulate(rows[number] for number in ordered)
    return next((number for number, count in zip(ordered, below, strict=True) if count >= share * total), ordered[-1])


def _taxonomy(texts: Sequence[str]) -> dict[str, Any] | None:
    """Return a built-in tree that contains most of the values."""
    for name in _TAXONOMIES:
        tree = tomllib.loads((files("paranym.drafting") / "taxonomies" / f"{name}.toml").read_text(encoding="utf-8"))
        unseen = set(texts) - set(_leaves(tree))
        if len(unseen) * 4 <= len(texts):
            return {"tree": tree, **({"others": "other"} if unseen else {})}
    return None


def _leaves(tree: Any) -> Iterator[str]:
    for part in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(part, str):
            yield part
        else:
            yield from _leaves(part)


def _pruned(portrait: Portrait, spec: dict[str, Any], rows: Rows) -> dict[str, Any] | None:
    """Return the hierarchy without levels that hardly generalize or have one value; None if no level is left."""
    try:
        built = _build(portrait, spec, rows)
    except ParanymError:
        return None
    key = _level_key(spec)
    if key is None:
        return spec
    kept, last = [], len(built.leaves)
    for level, entry in enumerate(spec[key], start=1):
        size = len(built.labels[level])
        if 1 < size <= _FEWER * last:
            kept.append(entry)
            last = size
    return {**spec, key: kept} if kept else None


def _level_key(spec: Spec) -> str | None:
    """Return the key that lists one entry for every level, or None: a tree has no levels to spare."""
    return next((key for key in spec or {} if key in _LEVELS), None)


def _build(portrait: Portrait, spec: Spec, rows: Rows) -> Hierarchy:
    values = portrait.texts if spec is not None or not portrait.missing else (*portrait.texts, None)
    return build_hierarchy(spec, values, attribute=portrait.name, counts=lambda: rows)
