"""The same generated sales table on every engine: counting against its own GROUP BY, releases against its own copy.

Servers are started on loopback and ended. Results are compared bit by bit with those of the first engine that is named,
which is the embedded one if none is.

    python benchmarks/engines.py [ROWS or FOLDER] [ENGINE ...] [--memory 2GB] [--columns few]

A folder holds `sales.parquet` and its hierarchies, as the generator writes them.
"""

import argparse
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import pyarrow.parquet as pq
from measure import SHARED, report

import paranym as pn
from paranym.engines.spark.session import SparkSource

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
from engine_servers import connect_server, postgres_server, spark_cluster

ROWS = 5_000_000
COLUMNS: tuple[str, ...] = ("zipcode", "order_date", "gender", "style", "price", "quantity", "cost", "shipment")
FEW: tuple[str, ...] = ("order_date", "gender", "price", "quantity", "shipment")
"""Those that the front, the release and the audit are of: fewer combinations, so that engines are what is measured."""
DRIVER, WORKER = "2500m", "1500m"
"""What Spark may take here, and in each of its two workers."""
SPARK = {
    "spark.driver.maxResultSize": "2g",
    "spark.driver.memory": DRIVER,
    "spark.executor.memory": "1300m",
    "spark.log.level": "ERROR",
    "spark.sql.session.timeZone": "UTC",
}


class Place(NamedTuple):
    """A table in an engine, and the engine's own ways with it."""

    asked: dict[str, Any]
    ask: Callable[[str], object]
    """Has the engine answer a query, and fetches the answer as Arrow."""
    copy: Callable[[Path], object]
    """Has the engine write the table into a Parquet file or folder."""
    to: Path


Found = dict[str, Any]
"""What one engine found, to be held against another's: hashes of frequency sets, front, audit, rows of the release."""


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("table", nargs="?", default=str(ROWS))
    parser.add_argument("engines", nargs="*")
    parser.add_argument("--memory")
    parser.add_argument("--columns", choices=("few", "all", "both"), default="both")
    parser.add_argument("--found", type=Path, help="where one engine leaves what it found")
    asked = parser.parse_args()
    if asked.found is not None:
        _measure(asked)
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        source = _generated(int(asked.table), folder) if asked.table.isdecimal() else Path(asked.table)
        if source is None:
            print("the generator of the sales table is not here: nothing measured")
            return
        expected: Found | None = None
        for engine in asked.engines or list(PLACES):
            options = ["--columns", asked.columns, *(["--memory", asked.memory] if asked.memory else [])]
            command = [sys.executable, "-W", "ignore", __file__, str(source), engine, *options]
            # in a process of its own, since one has one Spark
            subprocess.run([*command, "--found", str(folder / "found.json")], check=True)
            found: Found = json.loads((folder / "found.json").read_text())
            for what in found if expected is not None else ():
                assert found[what] == (expected or {})[what], f"not the same: {what}"
            print("  the same as the first" if expected is not None else "  the first", *found, sep=", ", flush=True)
            expected = expected or found


def _measure(asked: argparse.Namespace) -> None:
    """One engine, which leaves what it found in a file."""
    settings = " ".join(f"--conf {key}={value}" for key, value in SPARK.items())
    os.environ |= {"PYSPARK_SUBMIT_ARGS": f"{settings} pyspark-shell", "SPARK_LOCAL_IP": "127.0.0.1"}
    source, [engine] = Path(asked.table), asked.engines
    files = {each: source / f"landsend_hierarchy_{each}.csv" for each in COLUMNS}
    chosen = {"few": [FEW], "all": [COLUMNS], "both": [COLUMNS, FEW]}[asked.columns]
    rows = pq.ParquetFile(source / "sales.parquet").metadata.num_rows
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        with PLACES[engine](source / "sales.parquet", Path(name)) as place:
            print(f"{engine}: {rows:,} rows", flush=True)
            problems = [_count(place, names, files, asked.memory) for names in chosen]
            found = {f"frequency set {number}": _hashed(problem) for number, problem in enumerate(problems, 1)}
            if FEW in chosen:
                found |= _use(place, problems[-1])
    asked.found.write_text(json.dumps(found, default=str))


def _hashed(problem: pn.Problem) -> str:
    counted = problem.counted
    return hashlib.sha256(counted.words.tobytes() + counted.counts.tobytes()).hexdigest()


def _generated(rows: int, folder: Path) -> Path | None:
    maker = SHARED / "tools" / "make_landsend.py"
    if not maker.is_file():
        return None
    arguments = [str(rows), str(folder / "sales.parquet"), "--hierarchies", str(folder)]
    subprocess.run([sys.executable, str(maker), *arguments], check=True, stdout=subprocess.DEVNULL)
    return folder


def _count(place: Place, names: tuple[str, ...], files: dict[str, Path], memory: str | None) -> pn.Problem:
    """State the problem: the table is read, profiled, placed in hierarchies, and counted."""
    listed = ", ".join(names)
    place.ask("SELECT count(*) AS n FROM sales")  # whatever starts with the first question
    begin = time.perf_counter()
    problem = pn.Problem(
        **place.asked, quasi_identifiers={each: files[each] for each in names}, suppression=0.01, memory=memory
    )
    ours = time.perf_counter() - begin
    print(f"  {listed}: {len(problem.counted):,} combinations, floor {problem.floor}, {problem.lattice.size:,} nodes")
    report("  read, profiled, placed in hierarchies and counted", ours, " s")
    sys.stdout.flush()
    own = f"SELECT {listed}, count(*) AS n FROM sales GROUP BY {listed}"
    fetched = problem.floor is None
    begin = time.perf_counter()
    place.ask(own if fetched else f"SELECT count(*) AS n, max(n) AS most FROM ({own}) AS classes")
    theirs = time.perf_counter() - begin
    report(f"  the engine's own GROUP BY, {'fetched' if fetched else 'not fetched'}", theirs, " s")
    report("  ratio", ours / theirs, "x")
    sys.stdout.flush()
    return problem


def _use(place: Place, problem: pn.Problem) -> Found:
    """Front, release and audit of the few columns."""
    begin = time.perf_counter()
    front = pn.frontier(problem)
    report("  certified front", time.perf_counter() - begin, " s")
    begin = time.perf_counter()
    pn.release(problem, pn.ask(front, min_k=10).point, place.to, undeclared="keep")
    ours = time.perf_counter() - begin
    report("  released at k = 10 and verified", ours, " s")
    begin = time.perf_counter()
    place.copy(place.to.with_name(f"copy-{place.to.name}"))
    theirs = time.perf_counter() - begin
    report("  the engine's own copy", theirs, " s")
    report("  ratio", ours / theirs, "x")
    begin = time.perf_counter()
    audit = pn.audit(**place.asked, quasi_identifiers=["gender", "price", "shipment"], sensitive=["style"])
    report("  audited", time.perf_counter() - begin, " s")
    sys.stdout.flush()
    return {"front": front.as_dict(), "audit": audit.as_dict() | {"table": ""}, "rows": _rows(place.to)}


def _rows(path: Path) -> tuple[Any, ...]:
    """What stands in a release, in whatever order: how many rows there are, and the sum of their hashes."""
    files = f"{path}/*.parquet" if path.is_dir() else str(path)
    with duckdb.connect() as database:
        told = database.execute(f"SELECT count(*), sum(hash(t::VARCHAR)::HUGEINT) FROM '{files}' AS t").fetchall()
    return told[0]


@contextmanager
def _embedded(table: Path, folder: Path) -> Iterator[Place]:
    def ask(query: str) -> None:
        with duckdb.connect(config={"memory_limit": "5GB"}) as database:
            database.sql(f"CREATE VIEW sales AS FROM '{table}'")
            database.sql(query).to_arrow_table()

    def copy(to: Path) -> None:
        with duckdb.connect() as database:
            database.sql(f"COPY (FROM '{table}') TO '{to}'")

    yield Place({"data": table}, ask, copy, folder / "embedded.parquet")


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

        def copy(to: Path) -> None:
            with dbapi.connect(address) as connection, connection.cursor() as cursor:
                cursor.execute("SELECT * FROM sales")
                reader = cursor.fetch_record_batch()
                with pq.ParquetWriter(to, reader.schema) as writer:
                    for batch in reader:
                        writer.write_batch(batch)

        yield Place({"data": address, "table": "sales"}, ask, copy, folder / "postgres.parquet")


def _spark(master: str, table: Path, folder: Path, name: str) -> Iterator[Place]:
    from paranym.engines.spark.session import start  # noqa: PLC0415

    source = SparkSource(path=str(table), master=master)
    session = start(source)
    session.read.parquet(str(table)).createOrReplaceTempView("sales")

    def copy(to: Path) -> None:
        session.table("sales").write.parquet(str(to))

    try:
        yield Place({"data": source}, lambda query: session.sql(query).toArrow(), copy, folder / f"{name}.parquet")
    finally:
        session.stop()


@contextmanager
def _local(table: Path, folder: Path) -> Iterator[Place]:
    yield from _spark("local[2]", table, folder, "spark")


@contextmanager
def _connect(table: Path, folder: Path) -> Iterator[Place]:
    with connect_server(SPARK) as address:
        yield from _spark(address, table, folder, "connect")


@contextmanager
def _cluster(table: Path, folder: Path) -> Iterator[Place]:
    with spark_cluster(memory=WORKER, java={}) as cluster:
        yield from _spark(cluster.address, table, folder, "cluster")


PLACES = {"embedded": _embedded, "postgres": _postgres, "spark": _local, "connect": _connect, "cluster": _cluster}


if __name__ == "__main__":
    main()
