"""Connections to the embedded engine that can be interrupted at once.

The engine checks for signals only between its own tasks, and not at all while its other threads work; it then raises a
plain RuntimeError. Therefore its work runs in a separate thread, while the caller's thread waits in Python, where an
interrupt arrives, stops the engine, and is raised unchanged.
"""

import itertools
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Generic, TypeVar, cast

import duckdb
import pyarrow as pa

_T = TypeVar("_T")


def connect(database: str = ":memory:", **options: Any) -> duckdb.DuckDBPyConnection:
    """Connect as `duckdb.connect` does; long calls can be interrupted.

    >>> connect().sql("SELECT 1 + 1 AS two").to_arrow_table().to_pylist()
    [{'two': 2}]
    """
    return cast("duckdb.DuckDBPyConnection", _Connection(duckdb.connect(database, **options)))


class _Connection:
    """A connection whose long-running calls can be interrupted."""

    def __init__(self, database: duckdb.DuckDBPyConnection) -> None:
        self._database = database

    def execute(self, query: str, parameters: Sequence[object] | None = None) -> duckdb.DuckDBPyConnection:
        return _Job(lambda: self._database.execute(query, parameters)).done(self._database)

    def sql(self, query: str) -> "_Relation":
        return _Relation(_Job(lambda: self._database.sql(query)).done(self._database), self._database)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)


class _Relation:
    """The result of a query."""

    def __init__(self, relation: duckdb.DuckDBPyRelation, database: duckdb.DuckDBPyConnection) -> None:
        self._relation, self._database = relation, database

    def to_arrow_table(self) -> pa.Table:
        return _Job(self._relation.to_arrow_table).done(self._database)

    def to_arrow_reader(self, size: int) -> "_Batches":
        return _Batches(_Job(lambda: self._relation.to_arrow_reader(size)).done(self._database), self._database)


class _Batches:
    """The result of a query, batch by batch."""

    def __init__(self, reader: Any, database: duckdb.DuckDBPyConnection) -> None:
        self._reader, self._database = reader, database

    @property
    def schema(self) -> pa.Schema:
        return self._reader.schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while (batch := _Job(self._next).done(self._database)) is not None:
            yield batch

    def _next(self) -> pa.RecordBatch | None:
        try:
            return self._reader.read_next_batch()
        except StopIteration:
            return None


class _Job(Generic[_T]):
    """Work of the engine in a separate thread."""

    def __init__(self, work: Callable[[], _T]) -> None:
        self._work = work
        self._result: _T | None = None
        self._fault: BaseException | None = None
        self._ended = threading.Event()  # an interrupted `Thread.join` considers the thread finished

    def done(self, database: duckdb.DuckDBPyConnection) -> _T:
        """Wait for the work; an interrupt of the wait stops the work first."""
        thread = threading.Thread(target=self._run, name="paranym-engine", daemon=True)
        try:
            self._start(thread)
            self._ended.wait()
        except BaseException:
            # a request to stop is lost if the work has not begun; a thread that did not start has no identifier
            for _ in itertools.takewhile(lambda n: n < 20 or thread.ident is not None, itertools.count()):
                database.interrupt()
                if self._ended.wait(0.05):
                    break
            raise
        if self._fault is not None:
            raise self._fault
        return cast("_T", self._result)

    def _start(self, thread: threading.Thread) -> None:
        try:
            thread.start()
        except RuntimeError:  # no further thread is available: use the caller's
            self._run()

    def _run(self) -> None:
        try:
            self._result = self._work()
        except BaseException as fault:  # noqa: BLE001 - it is raised in the caller's thread
            self._fault = fault
        finally:
            self._ended.set()
