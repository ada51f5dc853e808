"""Signals that end the program: it cleans up first, and then ends by the signal, as its parent process expects.

Only the command line handles signals: a library must not replace the handlers of the program that uses it.
"""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_ENDING = ("SIGTERM", "SIGHUP")
"""Names of signals, since not every system has both."""


class Ended(BaseException):
    """A signal ended the program."""


@contextmanager
def ending_by_signal() -> Iterator[None]:
    """Let SIGTERM and SIGHUP unwind the block, so that its files are removed, before they end the process.

    A signal that is ignored, as SIGHUP is under nohup, stays ignored.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    received: list[int] = []

    def answer(number: int, _: FrameType | None) -> None:
        received.append(number)
        if len(received) == 1:  # a second signal must not disturb the cleanup
            raise Ended

    numbers = [getattr(signal, name) for name in _ENDING if hasattr(signal, name)]
    before = {number: signal.getsignal(number) for number in numbers}
    heard = [number for number, handler in before.items() if handler == signal.SIG_DFL]
    for number in heard:
        signal.signal(number, answer)
    try:
        yield
    finally:
        if received:  # an interrupted engine may have converted the exception into one of its own
            _end(received[0])
        for number in heard:
            signal.signal(number, before[number])


def _end(number: int) -> None:
    """Remove all copies of tables, and end by the signal."""
    from paranym.engines.files.scratch import discard_all

    discard_all()
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
