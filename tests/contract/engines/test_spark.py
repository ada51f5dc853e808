"""Spark in particular: Java, sessions, paths, and a cluster that loses a worker."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import paranym as pn
from engine_servers import JAVA, QUICK, Cluster, kill
from engines_of import views
from paranym.datasets import adult
from paranym.engines.source import open_table
from paranym.engines.spark_session import SparkSource, check_java, start
from paranym.errors import BadInput, MissingExtra, UnreadableSource

NAMES = ("age", "education", "race", "sex")


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


@contextmanager
def release_in_cluster(recipe: Path, cluster: Cluster, out: str) -> "Iterator[subprocess.Popen[str]]":
    """The command line in a process of its own: a program has one Spark, and the tests have theirs."""
    settings = " ".join(f"--conf {key}={value}" for key, value in (QUICK | {"spark.executor.memory": "600m"}).items())
    environment = (
        os.environ | JAVA | {"PYSPARK_SUBMIT_ARGS": f"{settings} pyspark-shell", "SPARK_LOCAL_IP": "127.0.0.1"}
    )
    written = with_data(recipe, "cluster", source="adult", engine="spark", master=cluster.address)
    command = [sys.executable, "-m", "paranym", "release", str(written), "--k", "10", "--out", out, "--quiet"]
    with subprocess.Popen(
        command, cwd=recipe.parent, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as job:
        try:
            yield job
        finally:
            job.kill()


def test_a_cluster_counts_and_releases_alike_and_may_lose_a_worker(recipe: Path, cluster: Cluster) -> None:
    expected = pn.frontier(pn.Problem.from_recipe(with_data(recipe, "here", source="adult.parquet")))
    limit = time.monotonic() + 300

    with release_in_cluster(recipe, cluster, "release.parquet") as job:
        # counted by two workers; one of them is lost as soon as the release begins
        while not list(recipe.parent.glob(".release.parquet.paranym-*")) and job.poll() is None:
            assert time.monotonic() < limit
            time.sleep(0.05)
        kill(cluster.workers[0])
        _, said = job.communicate(timeout=300)

    if job.returncode == 0:
        told = json.loads((recipe.parent / "release.parquet.manifest.json").read_text())["assessment"]
        point = pn.ask(expected, min_k=10).point
        assert (told["k"], told["loss"], told["suppressed"]) == (point.k, point.loss, point.suppressed)
        assert pn.verify_release(recipe.parent / "release.parquet").holds
    else:
        assert "paranym: Cannot read" in said
        assert not (recipe.parent / "release.parquet").exists()
    assert not list(recipe.parent.glob(".release*"))


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
