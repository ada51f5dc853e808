"""From what a user writes to a hierarchy."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from paranym.errors import BadHierarchy
from paranym.hierarchies.files import read_hierarchy
from paranym.hierarchies.intervals import interval_hierarchy
from paranym.model.hierarchy import Hierarchy

HierarchySpec = Hierarchy | str | Path | Sequence[Sequence[object]] | Mapping[Any, Any] | None
"""A hierarchy, a file, rows from leaf to top, `{level: values}`, `{"intervals": widths}`, or None: values, then `*`."""


def build_hierarchy(spec: HierarchySpec, values: Sequence[object], *, attribute: str) -> Hierarchy:
    """The hierarchy that `spec` describes for a column with these values."""
    match spec:
        case None:
            return Hierarchy.suppression(values, attribute=attribute)
        case Hierarchy():
            return replace(spec, attribute=attribute)
        case str() | Path():
            return read_hierarchy(Path(spec), attribute=attribute)
        case Mapping():
            return _from_mapping(spec, values, attribute)
        case Sequence():
            return _from_rows(spec, attribute)
    raise BadHierarchy(
        attribute,
        None,
        f"an object of type {type(spec).__name__} describes none; give a file, rows from leaf to top, "
        "{level: values}, or {'intervals': widths}.",
    )


def _from_mapping(spec: Mapping[Any, Any], values: Sequence[object], attribute: str) -> Hierarchy:
    if set(spec) == {"intervals"}:
        widths = spec["intervals"]
        if not _is_list(widths):
            raise BadHierarchy(attribute, None, f"intervals take a list of widths, such as [5, 10]; got {widths!r}.")
        return interval_hierarchy(values, widths, attribute=attribute)
    if set(spec) == {"rows"}:
        return _from_rows(spec["rows"], attribute)
    try:
        levels = {int(level): column for level, column in spec.items()}
    except (TypeError, ValueError) as error:
        raise BadHierarchy(
            attribute, None, f"it is given by {sorted(map(str, spec))}; use intervals, rows, or numbered levels."
        ) from error
    for level, column in levels.items():
        if not _is_list(column):
            raise BadHierarchy(attribute, level, f"a level lists one value for every leaf; got {column!r}.")
    return Hierarchy.from_levels({level: list(column) for level, column in levels.items()}, attribute=attribute)


def _from_rows(rows: Any, attribute: str) -> Hierarchy:
    if not _is_list(rows):
        raise BadHierarchy(attribute, None, f"rows are a list, such as [['F', '*'], ['M', '*']]; got {rows!r}.")
    return Hierarchy.from_rows(rows, attribute=attribute)


def _is_list(given: object) -> bool:
    """Whether there are values to go through; text would come apart into letters."""
    return isinstance(given, Iterable) and not isinstance(given, str)
