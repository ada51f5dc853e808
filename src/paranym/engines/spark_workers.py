"""The workers of a Spark cluster, watched while they work: a job that has lost them all would wait for ever."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

PATIENCE = 300.0
"""For so many seconds a job waits for workers to come back, as they do where a cluster lends them for a while."""
_INTERVAL = 0.5


class Workers:
    """Those that a session has, or had. On one machine there are none; those behind Spark Connect are its server's."""

    def __init__(self, session: Any, tag: str) -> None:
        """Watch the workers of a session, and mark what they do by a tag that is nobody else's."""
        self._tag = tag
        context: Any = None if ".connect." in type(session).__module__ else session.sparkContext
        self._context: Any = None if context is None or context.master.startswith("local") else context
        self._is_watching = False
        self.are_lost = False
        """Whether all of them were while it was last watched, and a job was ended for it."""

    @contextmanager
    def watched(self) -> Iterator[None]:
        """End what runs meanwhile if all workers are lost and none comes back."""
        if self._context is None or self._is_watching:
            yield
            return
        self._is_watching, self.are_lost = True, False
        context, done = self._context, threading.Event()
        context.addJobTag(self._tag)  # the session's own tags are known to the thread that set them alone
        watcher = threading.Thread(target=self._watch, args=(done,), daemon=True)
        watcher.start()
        try:
            yield
        finally:
            done.set()
            watcher.join()
            self._is_watching = False
            with suppress(Exception):  # as below
                context.removeJobTag(self._tag)

    def _watch(self, done: threading.Event) -> None:
        were_there, seen = False, time.monotonic()
        with suppress(Exception):  # if Spark itself is gone, whoever asked hears of it
            while True:
                is_there = self._are_there()
                were_there |= is_there
                if is_there or not were_there:  # a job that had none yet stands in a queue, whatever others had
                    seen = time.monotonic()
                elif time.monotonic() - seen > PATIENCE:
                    self.are_lost = True
                    self._context.cancelJobsWithTag(self._tag)
                    return
                if done.wait(_INTERVAL):
                    return

    def _are_there(self) -> bool:
        """Whether anybody but this program itself takes part."""
        return bool(self._context._jsc.sc().getExecutorMemoryStatus().size() > 1)  # noqa: SLF001 - there is no other way
