"""Standard input as a file: read once, and kept as long as the program may need it."""

import io
import select
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, TextIO
from weakref import WeakKeyDictionary, finalize

from paranym.engines.files.scratch import discard, make_scratch, private_file

STANDARD_INPUT = "-"
"""The path that stands for standard input."""

_SECONDS = 0.2
_BYTES = 1 << 16

_KEPT: "WeakKeyDictionary[TextIO, Path]" = WeakKeyDictionary()


def standard_input() -> Path:
    """Return a file with all of standard input; it is removed when the program ends."""
    if sys.stdin not in _KEPT:
        folder = make_scratch()
        finalize(sys.stdin, discard, folder)
        with private_file(folder / "standard input") as copy:
            copy.writelines(_arriving(sys.stdin.buffer))
        _KEPT[sys.stdin] = folder / "standard input"
    return _KEPT[sys.stdin]


def _arriving(stream: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a stream until it ends.

    Python handles a signal that arrives right before a blocking read only when that read returns, which may be never.
    So this waits for input in short turns, between which signals are handled.
    """
    read = stream.read1 if isinstance(stream, io.BufferedReader) else stream.read
    while True:
        while not _is_ready(stream):
            pass
        part = read(_BYTES)
        if not part:
            return
        yield part


def _is_ready(stream: BinaryIO) -> bool:
    """True if a read returns at once, or if the system cannot say."""
    if sys.platform == "win32":  # waits for sockets only
        return True
    try:
        ready, _, _ = select.select([stream], [], [], _SECONDS)
    except (OSError, ValueError):  # a stream in memory, or one that the system cannot wait for
        return True
    return bool(ready)
