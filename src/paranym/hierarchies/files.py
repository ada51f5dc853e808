"""Hierarchies in files as ARX, anjana and others write them: one leaf per line, leaf first, top last, no header.

A file whose name ends in .toml holds a tree of groups instead. A recipe may name any file, also a
private one that is not a hierarchy: messages about faults have line numbers, but never quote the lines.
"""

import csv
import io
from contextlib import suppress
from pathlib import Path
from typing import Any

from paranym.errors import BadHierarchy, UnreadableDocument
from paranym.files.reading import read_text, read_toml
from paranym.hierarchies.trees import tree_hierarchy
from paranym.model.hierarchy import TOP, Hierarchy

_SEPARATORS = ";,\t|"
Line = tuple[int, list[str]]
"""The number of a line in its file, and its fields."""


def read_hierarchy(path: Path, *, attribute: str, separator: str | None = None) -> Hierarchy:
    """Read a hierarchy; the separator is recognized unless given."""
    is_tree = path.suffix.casefold() == ".toml"
    try:
        found = read_toml(path) if is_tree else read_text(path)
    except UnreadableDocument as error:
        if error.cannot_open:
            raise BadHierarchy(attribute, None, f"cannot read {error.path!r}: {error.why}") from error
        raise BadHierarchy(attribute, None, f"{path.name!r} {error.why.removeprefix('it ')}") from error
    if isinstance(found, dict):
        return _from_tree(path, found, attribute)
    return _from_lines(path, found, separator, attribute)


def _from_tree(path: Path, tree: dict[str, Any], attribute: str) -> Hierarchy:
    with suppress(BadHierarchy):
        return tree_hierarchy((), tree, attribute=attribute)
    raise BadHierarchy(
        attribute,
        None,
        f"{path.name!r} is not a tree: it must map the name of each group to a list of values, or to a table of "
        "smaller groups, and place every value once.",
    )


def _from_lines(path: Path, text: str, separator: str | None, attribute: str) -> Hierarchy:
    try:
        lines = _split(text, separator or _recognize_separator(text))
    except csv.Error as error:
        raise BadHierarchy(attribute, None, f"{path.name!r} cannot be split into fields: {error}.") from error
    try:
        return Hierarchy.from_rows([fields for _, fields in lines], attribute=attribute)
    except BadHierarchy as error:
        level, what = _fault(lines) or (error.args[1], "it is not a hierarchy.")
    raise BadHierarchy(attribute, level, f"in {path.name!r} {what}")


def write_hierarchy(hierarchy: Hierarchy) -> str:
    """The lines of a file that `read_hierarchy` reads as the same hierarchy; a spreadsheet or an editor opens it."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=_SEPARATORS[0], lineterminator="\n")
    writer.writerows([label or "" for label in row] for row in hierarchy.rows())
    lines = text.getvalue()
    return f"\ufeff{lines}" if lines.startswith("\ufeff") else lines  # reading takes one away


def _fault(lines: list[Line]) -> tuple[int | None, str] | None:
    """Return the level of a fault, and its reason with line numbers; None if no line is wrong."""
    if not lines:
        return None, "there are no lines."
    first, width = lines[0][0], len(lines[0][1])
    for number, fields in lines:
        if len(fields) != width:
            return None, (
                f"line {number} has {_fields(len(fields))} where line {first} has {width}; "
                "each must have one for every level."
            )
        empty = [level for level, field in enumerate(fields) if not field and (fields[0] or level == width - 1)]
        if empty:
            return empty[0], f"line {number} has no value."
    return _conflict(lines, width)


def _conflict(lines: list[Line], width: int) -> tuple[int, str] | None:
    """Find the first two lines that agree on a level but not on the next one, or not on the top."""
    for level in range(1, width):
        above: dict[str, Line] = {}
        for number, fields in lines:
            other, its = above.setdefault(fields[level - 1], (number, fields))
            if its[level] != fields[level]:
                return level, (
                    f"lines {other} and {number} have the same value at level {level - 1} but not here; each value "
                    "must have one value above it."
                )
    top = lines[0][1][-1]
    apart = next((number for number, fields in lines if fields[-1] != top), None)
    if apart is None:
        return None
    return width - 1, (
        f"lines {lines[0][0]} and {apart} have different last values; the last level needs one value, such as {TOP!r}."
    )


def _fields(count: int) -> str:
    return "1 field" if count == 1 else f"{count} fields"


def _recognize_separator(text: str) -> str:
    """The separator that splits every line into the same number of fields, two or more, the last of them constant."""
    for separator in _SEPARATORS:
        try:
            lines = [fields for _, fields in _split(text, separator)]
        except csv.Error:
            continue
        if lines and len({len(line) for line in lines}) == 1 < len(lines[0]) and len({line[-1] for line in lines}) == 1:
            return separator
    return max(_SEPARATORS, key=text.count) if any(mark in text for mark in _SEPARATORS) else ";"


def _split(text: str, separator: str) -> list[Line]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    return [(reader.line_num, fields) for fields in reader if fields]
