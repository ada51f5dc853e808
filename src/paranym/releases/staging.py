"""Files that are there whole or not at all.

What is to be published is made in a hidden folder beside its place, so that it can be moved there in one step. The
folder is locked while its run lives; what a run that was killed left behind is recognized by that, and cleaned away by
the next one.
"""

import errno
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

if sys.platform != "win32":  # there an open file cannot be deleted, and so needs no lock
    import fcntl

_LOCK = "lock"
_GOING = ".going"
"""How the name of a folder ends that is being cleaned away."""
_SECONDS = 60.0
"""A folder without a lock was made by a run that was about to lock it, unless it is older than this."""


@contextmanager
def staged(path: Path, mark: str = "") -> Iterator[Path]:
    """A private folder beside `path`, gone when the block ends; `mark` tells it from those of other places."""
    folder = Path(tempfile.mkdtemp(prefix=f"{_prefix(path)}{mark}-" if mark else _prefix(path), dir=path.parent))
    try:
        with (folder / _LOCK).open("wb") as lock:
            _take(lock)
            yield folder
    finally:
        remove(folder)


def leftovers(path: Path) -> list[Path]:
    """The folders of runs that were killed while they made `path`."""
    found = path.parent.glob(f"{glob.escape(_prefix(path))}*")
    return sorted(folder for folder in found if folder.is_dir() and not _is_alive(folder))


def suffix_of(folder: Path) -> str:
    """What tells a folder of this kind from others."""
    return folder.name.rpartition("-")[2].removesuffix(_GOING)


def mark_of(folder: Path) -> str:
    """Which place a folder of this kind is for, if it says so."""
    return folder.name.rpartition(".paranym-")[2].rpartition("-")[0]


def remove(folder: Path) -> None:
    """Clean a folder away; what a run leaves that is killed meanwhile is known by its name."""
    going = folder if folder.name.endswith(_GOING) else folder.with_name(f"{folder.name}{_GOING}")
    try:
        folder.rename(going)
    except OSError:
        going = folder
    shutil.rmtree(going, ignore_errors=True)


def sync(path: Path) -> None:
    """Have what was written reach the disk: of a file its content, of a folder its names."""
    if path.is_dir() and os.name == "nt":
        return  # there a folder cannot be opened
    number = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        os.fsync(number)
    finally:
        os.close(number)


def publish(made: Path, path: Path, *, overwrite: bool) -> None:
    """Give a file its name, which from one moment to the next stands for the whole of it."""
    sync(made)
    if overwrite:
        made.replace(path)
    else:
        _link(made, path)
    sync(path.parent)


def publish_folder(made: Path, path: Path, aside: Path, *, overwrite: bool) -> None:
    """Give a folder its name; what had it before goes aside."""
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
    """Give a file a name that nothing has, also if something took it a moment ago."""
    try:
        path.hardlink_to(made)
    except FileExistsError as error:
        raise exists(path) from error
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS):
            raise
        if path.exists():
            raise exists(path) from error
        made.rename(path)  # a file system that knows no second names


def exists(path: Path) -> BadInput:
    """What to say where something must not be overwritten."""
    return BadInput(f"{str(path)!r} is there already. Take another name, or allow to overwrite it (--overwrite).")


def _prefix(path: Path) -> str:
    return f".{path.name}.paranym-"


def _take(lock: IO[bytes]) -> None:
    if sys.platform != "win32":
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_alive(folder: Path) -> bool:
    """Whether the run that made a folder is still at work."""
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
