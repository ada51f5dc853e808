"""Files that commands write: checked before the work starts, and visible only when complete."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paranym.cli import terminal
from paranym.errors import BadInput
from paranym.files.writing import check_writable, is_stream, whole
from paranym.files.writing import write_new as write_where_nothing_is


def check_target(path: Path | None) -> None:
    """Raise if the file cannot be written, before a long search begins."""
    if path is not None and str(path) != "-":
        check_writable(path)


def check_new(path: Path | None) -> None:
    """Raise if the file cannot be written, or exists already."""
    check_target(path)
    if path is not None and str(path) != "-" and path.exists() and not is_stream(path):
        raise BadInput(f"{str(path)!r} is there already, and nothing is overwritten. Name another file with --out.")


def write_new(text: str, path: Path) -> None:
    """Write a file; raise if it exists."""
    try:
        write_where_nothing_is(text, path)
    except FileExistsError as error:
        raise BadInput(f"{str(path)!r} is there already, and nothing is overwritten.") from error


def print_text(text: str) -> None:
    """Write text to standard output, unchanged."""
    terminal.print_text(text)


@contextmanager
def complete(path: Path) -> Iterator[Path]:
    """Yield a temporary name; the file gets its real name if the block succeeds, and is removed otherwise."""
    with whole(path) as partial:
        yield partial


def write_json(document: dict[str, Any], path: Path) -> None:
    """Write a result as JSON, or to standard output for `-`; a private one can be read by its owner alone."""
    if str(path) == "-":
        terminal.print_json(document)
        return
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    with complete(path) as partial:
        if document.get("private"):
            partial.unlink(missing_ok=True)
            partial.touch(mode=0o600)
        partial.write_text(text + "\n", encoding="utf-8")
