"""Spark in particular: Java, sessions, paths, and a cluster that loses a worker."""

import hashlib
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import paranym as pn
from engine_servers import JAVA, QUICK, Cluster
from engines_of import views
from losing import NAMES, problem_of
from paranym.datasets import adult
from paranym.engines.source import open_table
from paranym.engines.spark.session import SparkSource, check_java, start
from paranym.errors import BadInput, MissingExtra, UnreadableSource


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    """Adult as a folder of Parquet files, and a recipe for it without its section on data."""
    table = pc.read_csv(adult().parent / "adult.csv")
    (tmp_path / "adult").mkdir()
    for part in range(3):
        pq.write_table(table.slice(part * 11_000, 11_000), tmp_path / "adult" / f"part-{part}.parquet")
    pq.write_table(table, tmp_path / "adult.parquet")
    lines = ["[privacy]", "suppression = 0.01"]
    for name in NAMES:
        hierarchy = adult().parent / "hierarchies" / f"{name}.csv"
        lines += [f"[attributes.{name}]", "role = 'quasi-identifier'", f"hierarchy = '{hierarchy}'"]
    (tmp_path / "rest.toml").write_text("\n".join(lines))
    return tmp_path / "rest.toml"


def with_data(rest: Path, name: str, **data: str) -> Path:
    section = "\n".join(f"{key} = {json.dumps(value)}" for key, value in data.items())
    path = rest.with_name(f"{name}.toml")
    path.write_text(f"[data]\n{section}\n{rest.read_text()}")
    return path


def test_a_recipe_moves_between_engines_by_its_section_on_data_alone(
    recipe: Path, session: Any, spark: tuple[Any, str], database: str
) -> None:
    from adbc_driver_postgresql import dbapi  # noqa: PLC0415

    table = pq.read_table(recipe.with_name("adult.parquet"))
    with dbapi.connect(database) as connection, connection.cursor() as cursor:
        cursor.adbc_ingest("adult", table)
        connection.commit()
    session.createDataFrame(table).createOrReplaceTempView("adult_view")
    fronts = {
        name: pn.frontier(pn.Problem.from_recipe(with_data(recipe, name, **data))).as_dict()
        for name, data in {
            "file": {"source": "adult.parquet"},
            "folder": {"source": "adult"},
            "pattern": {"source": "adult/part-*.parquet"},
            "csv": {"source": str(adult().parent / "adult.csv")},
            "postgres": {"source": database, "table": "adult"},
            "spark": {"source": "adult.parquet", "engine": "spark"},
            "spark folder": {"source": "adult", "engine": "spark", "master": "local[2]"},
            "spark view": {"table": "adult_view", "engine": "spark"},
            "connect": {"source": str(recipe.with_name("adult")), "engine": "spark", "master": spark[1]},
        }.items()
    }

    assert all(front == fronts["file"] for front in fronts.values())
    assert fronts["file"]["rows"] == 30_162


class Job:
    """A program that works on a cluster. A program has one Spark, and the tests have theirs: so it is another one."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process

    def begin(self, work: str, *, workers: int, to: str) -> None:
        """Have it begin with something; return when all the workers are at it."""
        stdin = self._process.stdin
        assert stdin is not None
        stdin.write(f"{work} {workers} {to}\n")
        stdin.flush()
        assert self.hear() == {"running": workers}

    def hear(self) -> dict[str, Any]:
        """What it says next; nobody waits for ever."""
        assert self._process.stdout is not None
        limit = threading.Timer(240, self._process.kill)
        limit.start()
        line = self._process.stdout.readline()
        limit.cancel()
        assert line, "it is gone"
        said: dict[str, Any] = json.loads(line)
        return said


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Adult in many small pieces, so that counting is many small tasks."""
    folder = tmp_path_factory.mktemp("losing")
    table = pc.read_csv(adult().parent / "adult.csv").select(NAMES)
    pq.write_table(table, folder / "adult.parquet", row_group_size=1000)
    return folder


@pytest.fixture(scope="module")
def job(folder: Path, cluster: Cluster) -> Iterator[Job]:
    pieces = {"spark.sql.files.maxPartitionBytes": "8k", "spark.sql.files.openCostInBytes": "0"}
    memory = {"spark.executor.memory": "600m", "spark.driver.memory": "600m"}
    settings = " ".join(f"--conf {key}={value}" for key, value in (QUICK | pieces | memory).items())
    own = {"PYSPARK_SUBMIT_ARGS": f"{settings} pyspark-shell", "SPARK_LOCAL_IP": "127.0.0.1"}
    command = [sys.executable, str(Path(__file__).parents[2] / "losing.py"), cluster.address, str(folder)]
    with subprocess.Popen(
        command, env=os.environ | JAVA | own, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Job(process)
        process.kill()


@pytest.mark.parametrize("work", ["count", "release"])
def test_a_worker_that_is_lost_changes_nothing(folder: Path, job: Job, cluster: Cluster, work: str) -> None:
    expected = problem_of(folder / "adult.parquet")
    cluster.have(2)
    job.begin(work, workers=2, to="complete.parquet")
    cluster.lose(1)
    said = job.hear()

    assert said["error"] is None
    assert said["failed"] > 0  # so it was lost while it worked
    assert said["left"] == []
    assert said["words"] == hashlib.sha256(expected.frequency.words.tobytes()).hexdigest()
    assert said["counts"] == hashlib.sha256(expected.frequency.counts.tobytes()).hexdigest()
    if work == "release":
        point = pn.ask(pn.frontier(expected), min_k=10).point
        pn.release(expected, point, folder / "expected.parquet", undeclared="keep")
        found = pq.read_table(folder / "complete.parquet").sort_by([(name, "ascending") for name in NAMES])
        assert found == pq.read_table(folder / "expected.parquet").sort_by([(name, "ascending") for name in NAMES])
        assert pn.verify_release(folder / "complete.parquet").holds


@pytest.mark.parametrize("work", ["count", "release"])
def test_when_all_workers_are_lost_that_is_said(folder: Path, job: Job, cluster: Cluster, work: str) -> None:
    cluster.have(1)
    job.begin(work, workers=len(cluster.workers), to="lost.parquet")
    cluster.lose(len(cluster.workers))
    said = job.hear()

    assert said["error"] == "Cannot read adult.parquet: its workers were lost. Nothing was written; run again."
    assert said["left"] == []
    assert not list(folder.glob("*lost.parquet*"))


def test_a_session_keeps_no_trace(session: Any) -> None:
    people = session.createDataFrame(pa.table({"age": [31, 34, 38, 52]}))
    before = views(session)
    with open_table(people) as table:
        while_open = views(session)
        table.profile(["age"])

    assert len(while_open) > len(before)
    assert views(session) == before


def test_spark_writes_parquet(session: Any, tmp_path: Path) -> None:
    problem = pn.Problem(session.createDataFrame(pa.table({"a": [1, 1, 2, 2]})), quasi_identifiers=["a"])

    with pytest.raises(BadInput, match=r"end in \.parquet"):
        pn.release(problem, pn.frontier(problem)[0], tmp_path / "x.csv")
    with pytest.raises(BadInput, match="say into which file, folder or table"):
        pn.release(problem, pn.frontier(problem)[0])


def test_java_that_is_missing_or_too_old_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(BadInput, match="openjdk-17-jre-headless"):
        check_java()
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"1.8.0_402\"' >&2\n")
    java.chmod(0o755)
    with pytest.raises(BadInput, match=r"Java 17 or newer; .* is Java 8"):
        check_java()
    java.write_text("#!/bin/sh\necho 'openjdk version \"21.0.1\"' >&2\n")
    check_java()


def test_spark_that_is_not_installed_is_named_with_the_line_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)

    with pytest.raises(MissingExtra, match=r"pip install 'paranym\[spark\]'"):
        start(SparkSource(path="x.parquet"))


def test_what_spark_cannot_find_is_said(session: Any, tmp_path: Path) -> None:
    with pytest.raises(UnreadableSource, match=r"x\.parquet"):
        pn.Problem(SparkSource(path=str(tmp_path / "x.parquet"), session=session), quasi_identifiers=["a"])
    with pytest.raises(UnreadableSource, match="nowhere"):
        pn.Problem(SparkSource(table="nowhere", session=session), quasi_identifiers=["a"])
    with pytest.raises(BadInput, match="running at 'local"):
        pn.Problem(SparkSource(path="x.parquet", master="local[7]"), quasi_identifiers=["a"])
