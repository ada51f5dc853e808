"""An interrupt ends what the embedded engine is doing, at once and as what it is."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from paranym.engines.duckdb.session import connect

ENDLESS = "SELECT i % 10 AS a, sum(ring(i)) AS b FROM range(1000000000000) AS t (i) GROUP BY ALL"
WAYS: dict[str, Callable[[duckdb.DuckDBPyConnection, Path], object]] = {
    "execute": lambda database, _: database.execute(f"CREATE TABLE t AS {ENDLESS}"),
    "write": lambda database, file: database.execute(f"COPY ({ENDLESS}) TO '{file}'"),
    "table": lambda database, _: database.sql(ENDLESS).to_arrow_table(),
    "batches": lambda database, _: list(database.sql(ENDLESS).to_arrow_reader(1000)),
}


@pytest.fixture
def database() -> duckdb.DuckDBPyConnection:
    """An engine with a function that has Ctrl-C pressed while a query runs."""
    rung: list[int] = []

    def ring(number: int) -> int:
        if not rung:
            rung.append(number)
            os.kill(os.getpid(), signal.SIGINT)
        return number

    made = connect()
    made.create_function("ring", ring, ["BIGINT"], "BIGINT", side_effects=True)
    return made


@pytest.mark.parametrize("way", WAYS)
def test_an_interrupt_ends_an_endless_query(database: duckdb.DuckDBPyConnection, way: str, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        WAYS[way](database, tmp_path / "t.csv")

    assert database.execute("SELECT 1").fetchall() == [(1,)]  # it can be used again


def test_an_error_of_a_query_is_raised_as_it_is() -> None:
    with pytest.raises(duckdb.Error, match="no_such_table"):
        connect().sql("SELECT * FROM no_such_table")


def test_without_a_further_thread_the_work_is_done_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: object) -> None:
        raise RuntimeError("can't start new thread")

    database = connect()
    monkeypatch.setattr("threading.Thread.start", refuse)

    assert database.sql("SELECT 2 AS a").to_arrow_table().to_pylist() == [{"a": 2}]
