"""How a command ends: every failure is reported in a sentence, with the matching exit code."""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from paranym.cli.terminal import finish, give_up, occupy_closed, say
from paranym.errors import NotEnoughMemory, ParanymError

STOPPED = 130
"""The exit code of an interrupted command, as in shells: 128 plus the number of the signal."""
_READER_LEFT = 1
_LEAST_SPACE = 1_900_000_000
"""Bytes of address space; with less, libraries end the process while they are loaded, without a message."""
_PER_CORE = 150_000_000
"""The part of it that the threads of each core take."""


def run(command: Callable[[], object], *, computes: bool) -> None:
    """Run a command, and exit with a code unless it succeeds; `computes` if it loads the numeric libraries."""
    with _listening() as interrupts:
        code = _run(command, interrupts, computes=computes)
        interrupts.deaf = True
        if interrupts.came:
            _discard_copies()
        give_up()
    if code:
        sys.exit(code)


def _discard_copies() -> None:
    """Remove the copies of tables whose owners an interrupt kept from it; none were made if nothing was loaded."""
    scratch = sys.modules.get("paranym.engines.files.scratch")
    if scratch is not None:
        scratch.discard_all()


class _Interrupts:
    """Records whether Ctrl-C was pressed: engines and libraries may convert the exception into one of their own."""

    def __init__(self) -> None:
        self.came = False
        self.deaf = False

    def hear(self, _: int, __: FrameType | None) -> None:
        self.came = True
        if not self.deaf:
            raise KeyboardInterrupt

    def hear_again(self, unraisable: Any) -> None:
        """Repeat an interrupt that arrived where nothing can be raised, such as during the deletion of an object."""
        if isinstance(unraisable.exc_value, KeyboardInterrupt):
            threading.Timer(0.01, signal.raise_signal, [signal.SIGINT]).start()  # raised here, it would be lost again
        else:
            sys.__unraisablehook__(unraisable)


@contextmanager
def _listening() -> Iterator[_Interrupts]:
    """Record interrupts while the block runs, unless they are ignored or another handler is installed."""
    interrupts = _Interrupts()
    is_main = threading.current_thread() is threading.main_thread()
    if not is_main or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield interrupts
        return
    hook = sys.unraisablehook
    sys.unraisablehook = interrupts.hear_again
    signal.signal(signal.SIGINT, interrupts.hear)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.unraisablehook = hook


def _run(command: Callable[[], object], interrupts: _Interrupts, *, computes: bool) -> int:
    try:
        occupy_closed()
        if computes:
            _check_space()
        command()
        finish()
    except ParanymError as error:
        return _say(error.exit_code, *error.lines)
    except BrokenPipeError:
        return _READER_LEFT  # the reader of the output has closed it
    except KeyboardInterrupt:
        return say_stopped()
    except Exception as error:
        if interrupts.came:
            return say_stopped()
        said = _sentence(error)
        if said is None:
            raise
        return _say(2, *said.splitlines())
    return 0


def _sentence(error: Exception) -> str | None:
    """Return a sentence for a failure of the environment; None if the failure may be a bug."""
    from cyclopts import CycloptsError

    if isinstance(error, CycloptsError):
        return f"{error}\nRun 'paranym --help' for usage."
    if isinstance(error, MemoryError) or _NO_THREAD in str(error):
        return str(NotEnoughMemory())
    if isinstance(error, OSError) and error.filename is not None:
        return f"Cannot use {str(error.filename)!r}: {error.strerror}."
    if isinstance(error, OSError) and error.strerror is not None:
        return f"The system refuses: {error.strerror}."
    return None


_NO_THREAD = "can't start new thread"


def say_stopped() -> int:
    """Report that Ctrl-C was pressed, and return the exit code."""
    return _say(STOPPED, "Stopped.")


def _say(code: int, first: str, *others: str) -> int:
    say(f"paranym: {first}", *others)
    return code


def _check_space() -> None:
    """Raise if the address space is too small for the libraries that every command loads."""
    needed = _LEAST_SPACE + _PER_CORE * (os.cpu_count() or 1)
    NotEnoughMemory.check_space(needed, "the libraries that count reserve")
