"""The same generated sales table on every engine: counting against the engine's own GROUP BY, fronts, releases.

Servers are started on loopback and ended. Results are compared bit by bit with those of the embedded engine.

    python benchmarks/engines.py [ROWS] [ENGINE ...]
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pyarrow.parquet as pq
from measure import SHARED, report

import paranym as pn
from paranym.engines.spark_session import SparkSource

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from engine_servers import postgres_server, spark_cluster

ROWS = 5_000_000
COLUMNS = ("zipcode", "order_date", "gender", "style", "price", "quantity", "cost", "shipment")
FEW = ("order_date", "gender", "price", "quantity", "shipment")
"""Those that the front, the release and the audit are of: fewer combinations, so that engines are what is measured."""


class Place(NamedTuple):
    """A table in an engine, and the engine's own ways with it."""

    asked: dict[str, Any]
    ask: Callable[[str], object]
    """Has the engine answer a query, and fetches the answer as Arrow."""
    to: Path


def main() -> None:
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else ROWS
    os.environ |= {"PYSPARK_SUBMIT_ARGS": "--driver-memory 4g pyspark-shell", "SPARK_LOCAL_IP": "127.0.0.1"}
    maker = SHARED / "tools" / "make_landsend.py"
    if not maker.is_file():
        print("the generator of the sales table is not here: nothing measured")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        table, hierarchies = folder / "sales.parquet", folder / "hierarchies"
        arguments = [str(rows), str(table), "--hierarchies", str(hierarchies)]
        subprocess.run([sys.executable, str(maker), *arguments], check=True, stdout=subprocess.DEVNULL)
        files = {each: hierarchies / f"landsend_hierarchy_{each}.csv" for each in COLUMNS}
        expected: pn.Problem | None = None
        for engine in sys.argv[2:] or PLACES:
            with PLACES[engine](table, folder) as place:
                expected = _measure(engine, place, files, expected, rows)


def _measure(engine: str, place: Place, files: dict[str, Path], expected: pn.Problem | None, rows: int) -> pn.Problem:
    print(f"{engine}: {rows:,} rows", flush=True)
    for names in (COLUMNS, FEW):
        listed = ", ".join(names)
        begin = time.perf_counter()
        place.ask(f"SELECT {listed}, count(*) AS n FROM sales GROUP BY {listed}")
        theirs = time.perf_counter() - begin
        begin = time.perf_counter()
        problem = pn.Problem(**place.asked, quasi_identifiers={each: files[each] for each in names}, suppression=0.01)
        ours = time.perf_counter() - begin
        print(
            f"  {listed}: {len(problem.counted):,} combinations, floor {problem.floor}, {problem.lattice.size:,} nodes"
        )
        report("  the engine's own GROUP BY", theirs, " s")
        report("  read, profiled, placed in hierarchies and counted", ours, " s")
        report("  ratio", ours / theirs, "x")
        sys.stdout.flush()
    begin = time.perf_counter()
    front = pn.frontier(problem)
    report("  certified front", time.perf_counter() - begin, " s")
    begin = time.perf_counter()
    pn.release(problem, pn.ask(front, min_k=10).point, place.to)
    report("  released at k = 10 and verified", time.perf_counter() - begin, " s")
    begin = time.perf_counter()
    audit = pn.audit(**place.asked, quasi_identifiers=["gender", "price", "shipment"], sensitive=["style"])
    report("  audited", time.perf_counter() - begin, " s")
    if expected is not None:
        same = np.array_equal(problem.counted.words, expected.counted.words)
        same &= np.array_equal(problem.counted.counts, expected.counted.counts)
        assert same, "other counts than the embedded engine's"
        assert front.as_dict() == pn.frontier(expected).as_dict()
        told = {"quasi_identifiers": ["gender", "price", "shipment"], "sensitive": ["style"]}
        theirs_told = pn.audit(expected.source.data, **told).as_dict()  # type: ignore[arg-type]
        assert audit.as_dict() | {"table": ""} == theirs_told | {"table": ""}
        assert _rows(place.to) == _rows(place.to.with_name("embedded.parquet"))
        print("  the same counts, front, audit and release as the embedded engine")
    return expected or problem


def _rows(path: Path) -> tuple[Any, ...]:
    """What stands in a release, in whatever order: how many rows there are, and the sum of their hashes."""
    files = f"{path}/*.parquet" if path.is_dir() else str(path)
    with duckdb.connect() as database:
        told = database.execute(f"SELECT count(*), sum(hash(t::VARCHAR)::HUGEINT) FROM '{files}' AS t").fetchall()
    return told[0]


@contextmanager
def _embedded(table: Path, folder: Path) -> Iterator[Place]:
    def ask(query: str) -> None:
        with duckdb.connect() as database:
            database.sql(f"CREATE VIEW sales AS FROM '{table}'")
            database.sql(query).to_arrow_table()

    yield Place({"data": table}, ask, folder / "embedded.parquet")


@contextmanager
def _postgres(table: Path, folder: Path) -> Iterator[Place]:
    from adbc_driver_postgresql import dbapi  # noqa: PLC0415

    with postgres_server() as address:
        with dbapi.connect(address) as connection, connection.cursor() as cursor:
            cursor.adbc_ingest("sales", pq.ParquetFile(table).iter_batches(), mode="create")
            connection.commit()

        def ask(query: str) -> None:
            with dbapi.connect(address) as connection, connection.cursor() as cursor:
                cursor.execute(query)
                cursor.fetch_arrow_table()

        yield Place({"data": address, "table": "sales"}, ask, folder / "postgres.parquet")


def _spark(master: str, table: Path, folder: Path, name: str) -> Iterator[Place]:
    from paranym.engines.spark_session import start  # noqa: PLC0415

    source = SparkSource(path=str(table), master=master)
    session = start(source)
    session.read.parquet(str(table)).createOrReplaceTempView("sales")
    try:
        yield Place({"data": source}, lambda query: session.sql(query).toArrow(), folder / f"{name}.parquet")
    finally:
        session.stop()
        shutil.rmtree(folder / f"{name}.parquet", ignore_errors=True)


@contextmanager
def _local(table: Path, folder: Path) -> Iterator[Place]:
    yield from _spark("local[2]", table, folder, "spark")


@contextmanager
def _cluster(table: Path, folder: Path) -> Iterator[Place]:
    with spark_cluster() as cluster:
        yield from _spark(cluster.address, table, folder, "cluster")


PLACES = {"embedded": _embedded, "postgres": _postgres, "spark": _local, "cluster": _cluster}


if __name__ == "__main__":
    main()
