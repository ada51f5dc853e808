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

    Where no folder for the machine code is writable, every process compiles the kernel again.
    """
    try:
        return cast("_Kernel", numba.njit(nogil=True, cache=True)(kernel))
    except RuntimeError:  # numba found no place to cache: a read-only installation
        return cast("_Kernel", numba.njit(nogil=True)(kernel))


def is_compiled() -> bool:
    """True if machine code from an earlier run exists; without it the first call takes some seconds."""
    return _MACHINE_CODE is not None and any(_MACHINE_CODE.glob("*.nbi"))


def place_of_machine_code(kernel: Callable[..., Any]) -> Path | None:
    """Return the folder where numba keeps the machine code of the folder of `kernel`, or None if there is none."""
    path = getattr(jit(kernel), "stats").cache_path  # noqa: B009 - numba's, on what is typed as a plain function
    return None if path is None else Path(path)


def _nothing() -> None:
    """Never called."""


def forget_stale_machine_code(place: Path | None) -> None:
    """Delete machine code that was compiled from other sources than the present ones.

    numba looks at the file of a kernel only, not at the files of the kernels that it calls, and an upgrade leaves
    the machine code of the old version behind.
    """
    if place is None:
        return
    digest = hashlib.sha256()
    for source in sorted(_SOURCES.rglob("*.py")):
        digest.update(source.read_bytes())
    stamp = place / "sources.sha256"
    with suppress(OSError):
        if stamp.is_file() and stamp.read_text() == digest.hexdigest():
            return
        place.mkdir(parents=True, exist_ok=True)
        for stale in place.glob("*.nb[ci]"):
            stale.unlink(missing_ok=True)
        stamp.write_text(digest.hexdigest())


_MACHINE_CODE = place_of_machine_code(_nothing)
forget_stale_machine_code(_MACHINE_CODE)
