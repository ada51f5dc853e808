"""Files that commands write: checked before the work starts, and there only when complete."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from paranym.errors import BadInput


def check_target(path: Path | None) -> None:
    """Raise if nothing can be written there; better now than after a long search."""
    if path is None or str(path) == "-":
        return
    if path.is_dir():
        raise BadInput(f"Cannot write {str(path)!r}: it is a folder.")
    if not path.parent.is_dir():
        raise BadInput(f"Cannot write {str(path)!r}: there is no folder {str(path.parent)!r}.")
    if not os.access(path.parent, os.W_OK):
        raise BadInput(f"Cannot write {str(path)!r}: no permission to write in {str(path.parent)!r}.")


def check_new(path: Path | None) -> None:
    """Raise if nothing can be written there, or if something is there already: nobody's work is overwritten."""
    check_target(path)
    if path is not None and str(path) != "-" and path.exists():
        raise BadInput(f"{str(path)!r} is there already, and nothing is overwritten. Name another file with --out.")


def write_new(text: str, path: Path) -> None:
    """Write a file that was not there."""
    try:
        with path.open("x", encoding="utf-8", newline="") as file:
            file.write(text)
    except FileExistsError as error:
        raise BadInput(f"{str(path)!r} is there already, and nothing is overwritten.") from error


def print_text(text: str) -> None:
    """Text for standard output, as it is."""
    print(text, end="")  # noqa: T201 - asked for


@contextmanager
def complete(path: Path) -> Iterator[Path]:
    """A name to write under; the file takes its real name when the block ends well, and is gone otherwise."""
    partial = path.with_name(f".{path.stem}.partial{path.suffix}")
    try:
        yield partial
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def write_json(document: dict[str, Any], path: Path) -> None:
    """Write a result as JSON, or to standard output for `-`."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    if str(path) == "-":
        print(text)  # noqa: T201 - asked for
        return
    with complete(path) as partial:
        partial.write_text(text + "\n", encoding="utf-8")
