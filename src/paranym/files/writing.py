"""Writing files: through symbolic links, to devices and pipes; a new file appears only when it is complete."""

import errno
import os
import re
import shutil
import signal
import stat
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from paranym.errors import BadInput

_DESCRIPTORS = re.compile(r"/proc/(\d+)/fd|/dev/fd")
_NO_SECOND_NAMES = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EMLINK, errno.ENOSYS)
_MOST_LINKS = 40


def followed(path: Path) -> Path:
    """Return the file that a name refers to, after links; it need not exist.

    >>> followed(Path("table.csv"))
    PosixPath('table.csv')
    """
    if not path.is_symlink():
        return path
    try:
        return path.resolve()
    except (OSError, RuntimeError) as error:  # a cycle of links, which older versions of Python call a RuntimeError
        raise BadInput(f"Cannot write {str(path)!r}: its links lead nowhere.") from error


def is_stream(path: Path) -> bool:
    """Whether a name refers to a device, a pipe or an open file, which is written to and never replaced.

    >>> is_stream(Path("/dev/null")), is_stream(Path("table.csv"))
    (True, False)
    """
    if _descriptor(path) is not None:
        return True
    return path.exists() and not path.is_file() and not path.is_dir()


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """Provide a temporary name to write to; the file gets its real name if the block succeeds, else it is removed."""
    with _saying_why(path):
        if is_stream(path):
            with tempfile.TemporaryDirectory(prefix="paranym-") as folder:
                made = Path(folder) / f"made{path.suffix}"
                yield made
                pour(made, path)
            return
        target = followed(path)
        partial = target.with_name(f".{target.stem}.partial{path.suffix}")
        partial.unlink(missing_ok=True)  # left by a run that was killed, or a link that somebody put there
        try:
            yield partial
            if target.exists():  # the new file must not be readable by more users than the old one
                partial.chmod(stat.S_IMODE(target.stat().st_mode & partial.stat().st_mode))
            partial.replace(target)
        finally:
            partial.unlink(missing_ok=True)


def write_new(text: str, path: Path) -> None:
    """Write a new file; raise FileExistsError if it exists."""
    with _saying_why(path):
        if is_stream(path):
            with _opened(path) as stream:
                stream.write(text.encode())
            return
        target = followed(path)
        if target.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
        partial = target.with_name(f".{target.stem}.partial{target.suffix}")
        partial.unlink(missing_ok=True)
        try:
            partial.write_text(text, encoding="utf-8", newline="")
            name_new(partial, target)
        finally:
            partial.unlink(missing_ok=True)


def name_new(made: Path, path: Path) -> None:
    """Rename a file to a new name; raise FileExistsError if the name is taken, even by a race."""
    try:
        path.hardlink_to(made)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_SECOND_NAMES:
            raise
        if path.exists():
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path)) from error
        made.rename(path)  # a file system without hard links


def pour(made: Path, path: Path) -> None:
    """Write the content of a file into a device, a pipe or an open file."""
    with made.open("rb") as content, _opened(path) as stream:
        shutil.copyfileobj(content, stream)


def check_writable(path: Path) -> None:
    """Raise if a file cannot be written; called before long work."""
    if "\0" in str(path):
        raise BadInput(f"Cannot write {str(path)!r}: there can be no file of this name.")
    if _descriptor(path) is not None:
        return
    target = followed(path)
    if target.is_dir():
        raise BadInput(f"Cannot write {str(path)!r}: it is a folder.")
    if is_stream(path):
        if not os.access(path, os.W_OK):
            raise BadInput(f"Cannot write {str(path)!r}: no permission to write to it.")
        return
    if not target.parent.is_dir():
        raise BadInput(f"Cannot write {str(path)!r}: there is no folder {str(target.parent)!r}.")
    if not os.access(target.parent, os.W_OK):
        raise BadInput(f"Cannot write {str(path)!r}: no permission to write in {str(target.parent)!r}.")


@contextmanager
def undisturbed() -> Iterator[None]:
    """Delay signals while the block runs, so that its steps are not separated."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    numbers = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    answered = {number: handler for number, handler in before.items() if callable(handler)}
    for number in answered:
        signal.signal(number, lambda number, _: came.append(number))
    try:
        yield
    finally:
        for number, handler in answered.items():
            signal.signal(number, handler)
        for number in came[:1]:
            signal.raise_signal(number)


def _opened(path: Path) -> IO[bytes]:
    """Open a file; a file that is open already continues at its position instead of the beginning."""
    number = _descriptor(path)
    if number is None:
        return path.open("wb")
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            stream.flush()
    return os.fdopen(os.dup(number), "wb")


def _descriptor(path: Path) -> int | None:
    """Return the descriptor of this process that a name such as /dev/stdout refers to."""
    for _ in range(_MOST_LINKS):
        folder = _DESCRIPTORS.fullmatch(os.path.realpath(path.parent))
        if folder is not None and path.name.isdecimal():
            return int(path.name) if folder[1] in (None, str(os.getpid())) else None
        if not path.is_symlink():
            return None
        path = path.parent / path.readlink()
    return None


@contextmanager
def _saying_why(path: Path) -> Iterator[None]:
    """Add the name of the file to errors of writing, which have none."""
    try:
        yield
    except (FileExistsError, BrokenPipeError):
        raise
    except OSError as error:
        if error.filename is not None or error.strerror is None:
            raise
        raise BadInput(f"Cannot write {str(path)!r}: {error.strerror}.") from error
