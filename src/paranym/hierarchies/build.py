"""Building a hierarchy from its specification in a recipe or an argument."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from paranym.errors import BadHierarchy, did_you_mean
from paranym.hierarchies.breaks import break_hierarchy
from paranym.hierarchies.coding import coding_hierarchy
from paranym.hierarchies.dates import date_hierarchy
from paranym.hierarchies.files import read_hierarchy
from paranym.hierarchies.intervals import interval_hierarchy
from paranym.hierarchies.prefixes import prefix_hierarchy
from paranym.hierarchies.quantiles import quantile_hierarchy
from paranym.hierarchies.rare import rare_hierarchy
from paranym.hierarchies.times import time_hierarchy
from paranym.hierarchies.trees import tree_hierarchy
from paranym.model.hierarchy import Hierarchy, Label
from paranym.model.values import to_text

Step = Hierarchy | str | Path | Mapping[Any, Any]
HierarchySpec = Step | Sequence[Sequence[object]] | Sequence[Step] | None
"""A hierarchy, a file, a builder such as `{"intervals": widths}`, rows from leaf to top, `{level: values}`, a list of
any of these to be stacked, or None: values, then `*`."""

Counts = Callable[[], Sequence[int]]
"""Returns the number of rows of each value; called only if a builder needs it."""


@dataclass(frozen=True, slots=True)
class Builder:
    """A builder of hierarchies, listed under the key that selects it."""

    build: Callable[..., Hierarchy]
    options: tuple[str, ...] = ()
    needs_counts: bool = False


BUILDERS = {
    "intervals": Builder(interval_hierarchy, ("bottom", "top", "cover", "apart")),
    "breaks": Builder(break_hierarchy, ("cover", "apart")),
    "quantiles": Builder(quantile_hierarchy, ("apart",), needs_counts=True),
    "prefix": Builder(prefix_hierarchy, ("apart",)),
    "dates": Builder(date_hierarchy, ("format", "cover", "apart")),
    "times": Builder(time_hierarchy, ("format", "apart")),
    "tree": Builder(tree_hierarchy, ("others",)),
    "rare": Builder(rare_hierarchy, ("others",), needs_counts=True),
}
_CODING = ("bottom", "top", "cover", "apart")
"""Options of top and bottom coding, which has no key of its own: it applies if no other builder is named."""


def build_for_values(
    spec: HierarchySpec, listed: Sequence[object], *, attribute: str, missing: Sequence[str] = ()
) -> Hierarchy:
    """Build the hierarchy of an attribute whose values are listed, None for a missing one.

    Values that `missing` names are read as missing, too.

    >>> build_for_values({"intervals": [10]}, [31, 52, None], attribute="age").leaves
    ('31', '52', None)
    """
    built = build_hierarchy(spec, listed, attribute=attribute).reading_as_missing(missing)
    return built.with_missing() if None in listed else built


def hierarchy(column: Iterable[object], spec: HierarchySpec, *, attribute: str | None = None) -> Hierarchy:
    """Build the hierarchy that `spec` describes for a column, given with all its rows (such as a pandas series).

    >>> ages = hierarchy([31, 34, 38, 52], {"intervals": [5, 20]}, attribute="age")
    >>> print(ages)
    *
    ├─ 20-39
    │  ├─ 30-34: 31, 34
    │  └─ 35-39: 38
    └─ 40-59
       └─ 50-54: 52
    """
    rows = Counter(to_text(value) for value in column)
    values = [text for text in rows if text is not None]
    name = attribute if attribute is not None else str(getattr(column, "name", None) or "column")
    built = build_hierarchy(
        spec,
        values if spec is not None or not rows[None] else [*values, None],
        attribute=name,
        counts=lambda: [rows[text] for text in values],
    )
    return built.with_missing() if rows[None] else built


def build_hierarchy(
    spec: HierarchySpec, values: Sequence[object], *, attribute: str, counts: Counts | None = None
) -> Hierarchy:
    """The hierarchy that `spec` describes for a column with these values, each of them in as many rows as `counts`."""
    match spec:
        case None:
            return Hierarchy.suppression(values, attribute=attribute)
        case Hierarchy():
            return replace(spec, attribute=attribute)
        case str() | Path():
            return read_hierarchy(Path(spec), attribute=attribute)
        case Mapping():
            return _from_mapping(spec, values, attribute, counts)
        case Sequence() if any(isinstance(step, Mapping | Path | Hierarchy) for step in spec):
            return _stacked(list(spec), values, attribute, counts)
        case Sequence():
            return _from_rows(spec, attribute)
    raise BadHierarchy(
        attribute,
        None,
        f"an object of type {type(spec).__name__} describes none; give a file, rows from leaf to top, "
        "{level: values}, or a builder such as {'intervals': widths}.",
    )


def _from_mapping(
    spec: Mapping[Any, Any], values: Sequence[object], attribute: str, counts: Counts | None
) -> Hierarchy:
    if set(spec) == {"rows"}:
        return _from_rows(spec["rows"], attribute)
    named = [key for key in spec if key in BUILDERS]
    if len(named) == 1:
        return _built(named[0], spec, values, attribute, counts)
    if not named and {"bottom", "top"} & set(spec):
        _check_options("top or bottom coding", set(spec), _CODING, attribute)
        return coding_hierarchy(values, attribute=attribute, **spec)
    try:
        levels = {int(level): column for level, column in spec.items()}
    except (TypeError, ValueError) as error:
        raise BadHierarchy(attribute, None, _unknown(tuple(map(str, spec)))) from error
    for level, column in levels.items():
        if not _is_list(column):
            raise BadHierarchy(attribute, level, f"a level lists one value for every leaf; got {column!r}.")
    return Hierarchy.from_levels({level: list(column) for level, column in levels.items()}, attribute=attribute)


def _built(
    key: str, spec: Mapping[str, Any], values: Sequence[object], attribute: str, counts: Counts | None
) -> Hierarchy:
    builder = BUILDERS[key]
    options = {name: option for name, option in spec.items() if name != key}
    _check_options(key, set(options), builder.options, attribute)
    if builder.needs_counts:
        if counts is None:
            raise BadHierarchy(attribute, None, f"{key} cannot be used here: the rows of each value are not known.")
        texts = [text for text in map(to_text, values) if text is not None]
        rows: Counter[str] = Counter()
        for text, count in zip(texts, counts(), strict=True):
            rows[text] += count
        options["counts"] = rows
    return builder.build(values, spec[key], attribute=attribute, **options)


def _check_options(what: str, given: set[str], known: tuple[str, ...], attribute: str) -> None:
    strange = sorted(map(str, given - set(known)))
    if strange:
        raise BadHierarchy(
            attribute,
            None,
            f"{what} takes no {', '.join(map(repr, strange))}; options are {', '.join(known)}."
            f"{did_you_mean(strange[0], known)}",
        )


def _unknown(given: tuple[str, ...]) -> str:
    known = (*BUILDERS, "bottom", "top", "rows")
    hint = next(filter(None, (did_you_mean(key, known) for key in given)), "")
    return f"it is given by {sorted(given)}; use one of {', '.join(known)}, or numbered levels.{hint}"


def _stacked(steps: Sequence[Any], values: Sequence[object], attribute: str, counts: Counts | None) -> Hierarchy:
    """Stack hierarchies: each takes the values of the highest level below the last `*` as its leaves."""
    lower = build_hierarchy(steps[0], values, attribute=attribute, counts=counts)
    for step in steps[1:]:
        lower = _on_top(lower, step, values, attribute, counts)
    return lower


def _on_top(
    lower: Hierarchy, step: HierarchySpec, values: Sequence[object], attribute: str, counts: Counts | None
) -> Hierarchy:
    if lower.height == 0:
        raise BadHierarchy(attribute, 0, "nothing can be put on top of a hierarchy of one level.")
    highest = lower.labels[-2]
    labels: list[Label] = [label for label in highest if label is not None]
    upper = build_hierarchy(
        step, labels, attribute=attribute, counts=None if counts is None else lambda: _rows_of(lower, values, counts)
    )
    lines = upper.rows()
    above = {label: lines[code][1:] for label, code in zip(labels, upper.place(labels), strict=True)}
    missing = (*[None] * (upper.height - 1), upper.labels[-1][0])
    rows = [(*row[:-1], *(missing if row[-2] is None else above[row[-2]])) for row in lower.rows()]
    return Hierarchy.from_rows(rows, attribute=attribute, categorical=lower.categorical)


def _rows_of(lower: Hierarchy, values: Sequence[object], counts: Counts) -> list[int]:
    """Rows per value of the highest level below the top."""
    rows: Counter[Label] = Counter()
    for leaf, count in zip(lower.place(values).tolist(), counts(), strict=True):
        rows[lower.labels[-2][lower.codes[-2, leaf]]] += count
    return [rows[label] for label in lower.labels[-2] if label is not None]


def _from_rows(rows: Any, attribute: str) -> Hierarchy:
    if not _is_list(rows):
        raise BadHierarchy(attribute, None, f"rows are a list, such as [['F', '*'], ['M', '*']]; got {rows!r}.")
    return Hierarchy.from_rows(rows, attribute=attribute)


def _is_list(given: object) -> bool:
    """Whether an argument is a list of values; text would be split into letters."""
    return isinstance(given, Iterable) and not isinstance(given, str)
