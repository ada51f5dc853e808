"""Hierarchies in files as ARX, anjana and others write them: one leaf per line, leaf first, top last, no header."""

import csv
import io
from pathlib import Path

from paranym.errors import BadHierarchy
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
    try:
        lines = _split(text, separator or _recognize_separator(text))
    except csv.Error as error:
        raise BadHierarchy(attribute, None, f"{path.name!r} cannot be split into fields: {error}.") from error
    return Hierarchy.from_rows(lines, attribute=attribute)


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
