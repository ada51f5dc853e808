"""How kernels are compiled: one decorator for all of them, one place for their machine code."""

import hashlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])
_SOURCES = Path(__file__).parent


def jit(kernel: _Kernel) -> _Kernel:
    """Compile `kernel` on first use, without the global lock, and keep the machine code on disk.

    Where no folder for the machine code is writable, the kernel is compiled anew in every process.
    """
    try:
        return cast("_Kernel", numba.njit(nogil=True, cache=True)(kernel))
    except RuntimeError:  # numba found no place to cache: a read-only installation
        return cast("_Kernel", numba.njit(nogil=True)(kernel))


def is_compiled() -> bool:
    """Whether machine code from an earlier run is at hand; without it the first call takes some seconds."""
    return _MACHINE_CODE is not None and any(_MACHINE_CODE.glob("*.nbi"))


def _place_of_machine_code() -> Path | None:
    """Where numba keeps the machine code of this folder, as its own settings say; None if nowhere."""
    path = getattr(jit(_nothing), "stats").cache_path  # noqa: B009 - numba's, on what is typed as a plain function
    return None if path is None else Path(path)


def _nothing() -> None:
    """Never called."""


def _forget_stale_machine_code() -> None:
    """Delete machine code of other sources than these.

    numba looks at the file of a kernel only, not at the files of the kernels that it calls, and an upgrade leaves
    the machine code of the old version behind.
    """
    if _MACHINE_CODE is None:
        return
    digest = hashlib.sha256()
    for source in sorted(_SOURCES.glob("*.py")):
        digest.update(source.read_bytes())
    stamp = _MACHINE_CODE / "sources.sha256"
    with suppress(OSError):
        if stamp.is_file() and stamp.read_text() == digest.hexdigest():
            return
        _MACHINE_CODE.mkdir(parents=True, exist_ok=True)
        for stale in _MACHINE_CODE.glob("*.nb[ci]"):
            stale.unlink(missing_ok=True)
        stamp.write_text(digest.hexdigest())


_MACHINE_CODE = _place_of_machine_code()
_forget_stale_machine_code()
