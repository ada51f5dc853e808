"""Standard input as a file: read once, and kept for as long as the program may ask for it again."""

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TextIO
from weakref import WeakKeyDictionary, finalize

STANDARD_INPUT = "-"
"""What a path says that means standard input."""

_KEPT: "WeakKeyDictionary[TextIO, Path]" = WeakKeyDictionary()


def standard_input() -> Path:
    """A file with all that comes in; it is gone when the program ends."""
    if sys.stdin not in _KEPT:
        folder = Path(tempfile.mkdtemp(prefix="paranym-"))
        finalize(sys.stdin, shutil.rmtree, folder, ignore_errors=True)
        with (folder / "standard input").open("wb") as copy:
            shutil.copyfileobj(sys.stdin.buffer, copy)
        _KEPT[sys.stdin] = folder / "standard input"
    return _KEPT[sys.stdin]
