"""Private folders for copies of tables that must not outlive the run: transcoded files, standard input, spilled sorts.

A folder is readable by its owner only, and locked as long as its process lives. A killed process cannot remove its
folders; the next process of the same user recognizes them by the missing lock and their age, and removes them.
"""

import atexit
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

if sys.platform != "win32":  # Windows cannot delete an open file, so it needs no lock
    import fcntl

PREFIX = "paranym-scratch-"
_LOCK = ".lock"
_SECONDS = 300.0
"""Folders younger than this are never removed: their process may be about to lock them."""

_held: dict[Path, tuple[IO[bytes], int]] = {}
"""Folders of this process, each with its open lock and the id of the process that made it, to detect a fork."""
_swept: set[str] = set()
"""Temporary folders that this process has already cleaned."""


def make_scratch() -> Path:
    """Create a private folder; `discard` removes it, or the end of the program."""
    parent = tempfile.gettempdir()
    if parent not in _swept:
        _swept.add(parent)
        sweep(Path(parent))
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = private_file(folder / _LOCK)
    _lock(lock)
    _held[folder] = lock, os.getpid()
    return folder


@contextmanager
def scratch() -> Iterator[Path]:
    """Provide a private folder that is removed when the block ends.

    >>> with scratch() as folder:
    ...     folder.is_dir()
    True
    >>> folder.exists()
    False
    """
    folder = make_scratch()
    try:
        yield folder
    finally:
        discard(folder)


def private_file(path: Path) -> IO[bytes]:
    """Open a new file for writing that only its owner can read."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")


def discard(folder: Path) -> None:
    """Remove a folder that `make_scratch` made; a forked process keeps those of its parent."""
    lock, process = _held.get(folder, (None, os.getpid()))
    if process == os.getpid():
        shutil.rmtree(folder, ignore_errors=True)
    _held.pop(folder, None)  # only now: if an interrupt came before, the end of the program removes it
    if process == os.getpid() and lock is not None:
        lock.close()


def discard_all() -> None:
    """Remove all folders of this process."""
    for folder in list(_held):
        discard(folder)


atexit.register(discard_all)


def sweep(parent: Path) -> None:
    """Remove the folders that killed processes of the same user left in a temporary folder."""
    with suppress(OSError):  # a folder that cannot be listed cannot be cleaned
        for folder in sorted(parent.glob(f"{PREFIX}*")):
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    """True if a folder is owned by this user, old, and not locked."""
    try:
        found = folder.lstat()
        is_own = sys.platform == "win32" or found.st_uid == os.getuid()
        if not (stat.S_ISDIR(found.st_mode) and is_own) or time.time() - found.st_mtime < _SECONDS:
            return False
        if not (folder / _LOCK).exists():
            return not any(folder.iterdir())  # killed before it was locked, or not made by paranym
        if sys.platform == "win32":
            (folder / _LOCK).unlink()
            return True
        with (folder / _LOCK).open("rb") as lock:
            _lock(lock)
    except OSError:  # locked, or removed in the meantime
        return False
    return True


def _lock(lock: IO[bytes]) -> None:
    if sys.platform != "win32":
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
