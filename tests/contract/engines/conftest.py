"""The engines, as fixtures: each takes an Arrow table and gives what a problem is stated with."""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from engine_servers import QUICK, Cluster, connect_server, postgres_server, spark_cluster, spark_session
from engines_of import Engine, views

ENGINES = ("duckdb", "postgres", "spark", "connect", "cluster")
SESSIONS = {"spark": "session", "connect": "remote", "cluster": "clustered"}
_NUMBERS = itertools.count()


_NEEDS = {"database": "postgres", "postgres": "postgres", "duckdb": None}
"""Of fixtures, and of engines by their names, what they need on the machine; all others need Spark."""
_STARTED = ("database", "spark", "session", "remote", "clustered", "cluster")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test by the servers that it needs."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for needed in _servers_of(item):
                item.add_marker(getattr(pytest.mark, needed))
            item.add_marker(pytest.mark.filterwarnings("ignore::FutureWarning:pyspark"))
            item.add_marker(pytest.mark.filterwarnings("ignore::ResourceWarning"))


def _servers_of(item: pytest.Item) -> set[str]:
    """The marks of the servers that a test starts through its fixtures."""
    if not isinstance(item, pytest.Function):
        return set()
    used = [name for name in _STARTED if name in item.fixturenames]
    if "engine" in item.fixturenames:
        used.append(str(item.callspec.params["engine"]))
    return {needed for needed in (_NEEDS.get(name, "spark") for name in used) if needed}


@pytest.fixture(scope="session")
def database() -> Iterator[str]:
    with postgres_server() as address:
        yield address


@pytest.fixture(scope="session")
def run(database: str) -> Callable[[str], list[tuple[Any, ...]]]:
    """Has the owner of the database run a statement, each in a transaction of its own."""
    from adbc_driver_postgresql import dbapi  # noqa: PLC0415

    def run(statement: str) -> list[tuple[Any, ...]]:
        with dbapi.connect(database, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute(statement)
            return list(cursor.fetchall()) if statement.startswith("SELECT") else []

    return run


@pytest.fixture(scope="session")
def spark() -> Iterator[tuple[Any, str]]:
    with spark_session() as started:
        yield started


@pytest.fixture(scope="session")
def session(spark: tuple[Any, str]) -> Any:
    return spark[0]


@pytest.fixture(scope="session")
def remote(spark: tuple[Any, str]) -> Iterator[Any]:
    with _remote(spark[1]) as session:
        yield session


@pytest.fixture(scope="session")
def clustered() -> Iterator[Any]:
    """A session on a cluster of two workers, none of which is ever lost."""
    memory = {"spark.executor.memory": "600m", "spark.driver.memory": "600m"}
    with (
        spark_cluster() as started,
        connect_server(QUICK | memory, master=started.address) as address,
        _remote(address) as session,
    ):
        yield session


@contextmanager
def _remote(address: str) -> Iterator[Any]:
    from pyspark.sql.connect.session import SparkSession  # noqa: PLC0415

    session = SparkSession.builder.remote(address).create()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    """A cluster that loses workers."""
    with spark_cluster() as started:
        yield started


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Engine:
    """Every engine in turn."""
    match request.param:
        case "duckdb":
            return Engine("duckdb", lambda table: {"data": table}, lambda: ())
        case "postgres":
            return _postgres(request)
        case kind:
            session = request.getfixturevalue(SESSIONS[kind])
            return Engine(
                kind,
                lambda table: {"data": session.createDataFrame(table if len(table) else [], _declared(table))},
                lambda: [name for name in views(session) if "paranym" in name],
                ("parquet",),
            )


def _declared(table: pa.Table) -> str | None:
    """What Spark Connect must be told of a table without rows, which here has a column of text."""
    return None if len(table) else f"{table.column_names[0]} string"


def _postgres(request: pytest.FixtureRequest) -> Engine:
    from adbc_driver_postgresql import dbapi  # noqa: PLC0415

    address = request.getfixturevalue("database")
    run = request.getfixturevalue("run")

    def load(table: pa.Table) -> dict[str, Any]:
        name = f"table {next(_NUMBERS)}"
        with dbapi.connect(address) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest(name, table)
            for field in table.schema:
                if pa.types.is_decimal(field.type):
                    kind = f"numeric({field.type.precision}, {field.type.scale})"
                    cursor.execute(f'ALTER TABLE "{name}" ALTER COLUMN "{field.name}" TYPE {kind}')
            connection.commit()
        return {"data": address, "table": name}

    def left() -> list[str]:
        return [name for (name,) in run("SELECT relname::text FROM pg_class WHERE relname LIKE 'paranym%'")]

    return Engine("postgres", load, left)
