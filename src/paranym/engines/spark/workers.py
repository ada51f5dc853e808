"""A watchdog for the workers of a Spark cluster: a job that has lost all of them would wait for ever."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

PATIENCE = 300.0
"""Seconds that a job waits for workers to come back, as they do on clusters that lend them temporarily."""
_INTERVAL = 0.5


class Workers:
    """The workers of a session. On one machine there are none; those behind Spark Connect belong to its server."""

    def __init__(self, session: Any, tag: str) -> None:
        """Watch the workers of a session, and mark their jobs with a unique tag."""
        self._tag = tag
        context: Any = None if ".connect." in type(session).__module__ else session.sparkContext
        self._context: Any = None if context is None or context.master.startswith("local") else context
        self._is_watching = False
        self.are_lost = False
        """True if all workers were lost when last watched, and a job was cancelled for it."""

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Cancel the jobs of the block if all workers are lost and none comes back."""
        if self._context is None or self._is_watching:
            yield
            return
        self._is_watching, self.are_lost = True, False
        context, done = self._context, threading.Event()
        context.addJobTag(self._tag)  # only the thread that set the session's own tags knows them
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
        with suppress(Exception):  # if Spark itself has ended, the caller gets an error
            while True:
                is_there = self._are_there()
                were_there |= is_there
                if is_there or not were_there:  # a job without workers so far is still queued
                    seen = time.monotonic()
                elif time.monotonic() - seen > PATIENCE:
                    self.are_lost = True
                    self._context.cancelJobsWithTag(self._tag)
                    return
                if done.wait(_INTERVAL):
                    return

    def _are_there(self) -> bool:
        """True if there is any executor besides this program itself."""
        return bool(self._context._jsc.sc().getExecutorMemoryStatus().size() > 1)  # noqa: SLF001 - there is no other way
