"""From what a user writes to a hierarchy."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

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
            return Hierarchy(attribute, spec.labels, spec.codes)
        case str() | Path():
            return read_hierarchy(Path(spec), attribute=attribute)
        case Mapping():
            return _from_mapping(spec, values, attribute)
        case Sequence():
            return Hierarchy.from_rows(spec, attribute=attribute)
    raise BadHierarchy(attribute, None, f"a {type(spec).__name__} describes no hierarchy.")


def _from_mapping(spec: Mapping[Any, Any], values: Sequence[object], attribute: str) -> Hierarchy:
    if set(spec) == {"intervals"}:
        return interval_hierarchy(values, cast("Sequence[float]", spec["intervals"]), attribute=attribute)
    if set(spec) == {"rows"}:
        return Hierarchy.from_rows(spec["rows"], attribute=attribute)
    try:
        levels: dict[int, Sequence[object]] = {int(level): list(column) for level, column in spec.items()}
    except (TypeError, ValueError) as error:
        raise BadHierarchy(
            attribute, None, f"it is given by {sorted(map(str, spec))}; use intervals, rows, or numbered levels."
        ) from error
    return Hierarchy.from_levels(levels, attribute=attribute)
