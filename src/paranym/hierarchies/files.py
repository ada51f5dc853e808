"""Hierarchies in files as ARX, anjana and others write them: one leaf per line, leaf first, top last, no header.

A file whose name ends in .toml holds a tree of groups instead.
"""

import csv
import io
import tomllib
from pathlib import Path

from paranym.errors import BadHierarchy
from paranym.hierarchies.trees import tree_hierarchy
from paranym.model.hierarchy import Hierarchy

_SEPARATORS = ";,\t|"


def read_hierarchy(path: Path, *, attribute: str, separator: str | None = None) -> Hierarchy:
    """Read a hierarchy; the separator is recognized unless given."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise BadHierarchy(attribute, None, f"cannot read {str(path)!r}: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise BadHierarchy(attribute, None, f"{path.name!r} is not written in UTF-8.") from error
    if path.suffix.casefold() == ".toml":
        return _from_toml(path, text, attribute)
    try:
        lines = _split(text, separator or _recognize_separator(text))
    except csv.Error as error:
        raise BadHierarchy(attribute, None, f"{path.name!r} cannot be split into fields: {error}.") from error
    return Hierarchy.from_rows(lines, attribute=attribute)


def write_hierarchy(hierarchy: Hierarchy) -> str:
    """The lines of a file that `read_hierarchy` reads as the same hierarchy; a spreadsheet or an editor opens it."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, delimiter=_SEPARATORS[0], lineterminator="\n")
    writer.writerows([label or "" for label in row] for row in hierarchy.rows())
    lines = text.getvalue()
    return f"\ufeff{lines}" if lines.startswith("\ufeff") else lines  # reading takes one away


def _from_toml(path: Path, text: str, attribute: str) -> Hierarchy:
    try:
        return tree_hierarchy((), tomllib.loads(text), attribute=attribute)
    except tomllib.TOMLDecodeError as error:
        raise BadHierarchy(attribute, None, f"{path.name!r} is no valid TOML: {error}.") from error


def _recognize_separator(text: str) -> str:
    """The separator that splits every line into the same number of fields, two or more, the last of them constant."""
    for separator in _SEPARATORS:
        try:
            lines = _split(text, separator)
        except csv.Error:
            continue
        if lines and len({len(line) for line in lines}) == 1 < len(lines[0]) and len({line[-1] for line in lines}) == 1:
            return separator
    return max(_SEPARATORS, key=text.count) if any(mark in text for mark in _SEPARATORS) else ";"


def _split(text: str, separator: str) -> list[list[str]]:
    return [line for line in csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True) if line]
