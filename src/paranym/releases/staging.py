"""Staging: files that appear completely or not at all.

A file is made in a hidden folder beside its destination, and moved there in one step. The folder is locked while its
run is alive. The next run recognizes the folder of a killed run by the missing lock, and removes it.
"""

import glob
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from paranym.errors import BadInput
from paranym.files.writing import followed, name_new

if sys.platform != "win32":  # there an open file cannot be deleted, and so needs no lock
    import fcntl

_LOCK = "lock"
_GOING = ".going"
"""The ending of the name of a folder that is being removed."""
_SECONDS = 60.0
"""Age in seconds up to which a folder without a lock may belong to a run that is about to lock it."""


@contextmanager
def staged(path: Path, mark: str = "") -> Iterator[Path]:
    """Yield a private folder beside `path` that is removed when the block ends; `mark` becomes part of its name."""
    path = followed(path)  # to be moved in one step, a file must be on the same disk as its destination
    folder = Path(tempfile.mkdtemp(prefix=f"{_prefix(path)}{mark}-" if mark else _prefix(path), dir=path.parent))
    try:
        with (folder / _LOCK).open("wb") as lock:
            _take(lock)
            yield folder
    finally:
        remove(folder)


def leftovers(path: Path) -> list[Path]:
    """Return the folders of runs that were killed while they made `path`."""
    return [folder for folder in folders_of(path) if not _is_alive(folder)]


def folders_of(path: Path) -> list[Path]:
    """Return the folders of all runs that make, or made, `path`."""
    path = followed(path)
    return sorted(folder for folder in path.parent.glob(f"{glob.escape(_prefix(path))}*") if folder.is_dir())


def suffix_of(folder: Path) -> str:
    """Return the unique part of the name of a staging folder."""
    return folder.name.rpartition("-")[2].removesuffix(_GOING)


def mark_of(folder: Path) -> str:
    """Return the mark of the place that a staging folder is for, if it has one."""
    return folder.name.rpartition(".paranym-")[2].rpartition("-")[0]


def remove(folder: Path) -> None:
    """Remove a folder; it is renamed first, so that the rest is recognized if this run is killed."""
    going = folder if folder.name.endswith(_GOING) else folder.with_name(f"{folder.name}{_GOING}")
    try:
        folder.rename(going)
    except OSError:
        going = folder
    shutil.rmtree(going, ignore_errors=True)


def sync(path: Path) -> None:
    """Flush to disk: the content of a file, or the entries of a folder."""
    if path.is_dir() and os.name == "nt":
        return  # there a folder cannot be opened
    number = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def publish(made: Path, path: Path, *, overwrite: bool) -> None:
    """Move a complete file to its final name in one step."""
    path = followed(path)
    sync(made)
    if overwrite:
        made.replace(path)
    else:
        _link(made, path)
    sync(path.parent)


def publish_folder(made: Path, path: Path, aside: Path, *, overwrite: bool) -> None:
    """Move a complete folder to its final name; a folder with that name is moved to `aside`."""
    path = followed(path)
    for file in made.rglob("*"):
        sync(file)
    sync(made)
    if path.exists():
        if not overwrite:
            raise exists(path)
        path.rename(aside)
    made.rename(path)
    sync(path.parent)


def _link(made: Path, path: Path) -> None:
    """Move a file to a name that must be free, even if another process takes it meanwhile."""
    try:
        name_new(made, path)
    except FileExistsError as error:
        raise exists(path) from error


def exists(path: Path) -> BadInput:
    """Return the error for a place that must not be overwritten."""
    return BadInput(f"{str(path)!r} is there already. Take another name, or allow to overwrite it (--overwrite).")


def _prefix(path: Path) -> str:
    return f".{path.name}.paranym-"


def _take(lock: IO[bytes]) -> None:
    if sys.platform != "win32":
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_alive(folder: Path) -> bool:
    """Return whether the run that made a folder is still alive."""
    lock = folder / _LOCK
    if folder.name.endswith(_GOING):
        return False
    try:
        if not lock.exists():
            return time.time() - folder.stat().st_mtime < _SECONDS
        if sys.platform == "win32":
            lock.unlink()
            return False
        with lock.open("rb") as stream:
            _take(stream)
    except FileNotFoundError:
        return False
    except OSError:
        return True
    return False
