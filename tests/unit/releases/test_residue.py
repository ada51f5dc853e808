"""A released file holds nothing but the release: no labels of suppressed rows, no table that it replaced."""

from collections import Counter
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.engines.duckdb import files as duckdb_files
from paranym.errors import BadInput
from paranym.releases import destinations

MARKER = "ZZMARKERZZ"
TOWNS = [f"town {n % 7}" for n in range(693)] + [f"{MARKER}{n}" for n in range(7)]
KINDS = ["plain" if n < 693 else MARKER for n in range(700)]


def released(data: Any, to: Path, **options: Any) -> Path:
    """A release without the seven rows whose towns nobody else has."""
    problem = pn.Problem(data, quasi_identifiers=["town"], suppression_rows=7)
    pn.release(problem, pn.point_at(problem, {}, 99), to, undeclared="keep", **options)
    return to


@pytest.mark.parametrize("second", ["kind", "TOWN"], ids=["names of the engine", "names that only Arrow can give"])
def test_a_parquet_file_lists_only_labels_that_it_uses(tmp_path: Path, second: str) -> None:
    to = released(pa.table({"town": TOWNS, second: KINDS}), tmp_path / "out.parquet")

    assert MARKER.encode() not in to.read_bytes()
    assert MARKER not in str(pq.read_schema(to))
    [group] = [pq.read_metadata(to).row_group(n) for n in range(pq.read_metadata(to).num_row_groups)]
    assert group.column(0).statistics.distinct_count in (None, 7)
    cells = pq.read_table(to, read_dictionary=["town"])["town"]
    assert Counter(cells.to_pylist()) == Counter(TOWNS[:693])
    assert sorted(cells.chunk(0).dictionary.to_pylist()) == sorted(set(TOWNS[:693]))


@pytest.mark.parametrize("name", ["out.parquet", "out.duckdb"])
def test_enumerations_of_a_duckdb_table_are_not_published(tmp_path: Path, name: str) -> None:
    with duckdb.connect(str(tmp_path / "people.duckdb")) as database:
        database.register("given", pa.table({"town": TOWNS, "kind": KINDS}))
        database.execute(f"CREATE TYPE kind AS ENUM ('plain', '{MARKER}', 'it''s, \"unused\"')")
        database.execute(
            "CREATE TABLE people AS SELECT CAST(town AS VARCHAR) AS town, CAST(kind AS kind) AS kind, "
            "[CAST(kind AS kind)] AS kinds, {'ENUM(''a'')': CAST(kind AS kind), 'b': 1} AS parts FROM given"
        )
    to = released(tmp_path / "people.duckdb", tmp_path / name)

    assert MARKER.encode() not in to.read_bytes()
    with duckdb.connect(str(to) if name.endswith(".duckdb") else ":memory:") as database:
        source = "release" if name.endswith(".duckdb") else f"'{to}'"
        kinds = [row[1] for row in database.execute(f"DESCRIBE SELECT * FROM {source}").fetchall()]
        assert kinds == ["VARCHAR", "VARCHAR", "VARCHAR[]", "STRUCT(\"ENUM('a')\" VARCHAR, b INTEGER)"]
        assert database.execute(f"SELECT DISTINCT kind, kinds, parts.b FROM {source}").fetchall() == [
            ("plain", ["plain"], 1)
        ]


OLD = pa.table({"town": [f"{MARKER}{n}" for n in range(3000)]})
NEW = pa.table({"town": ["a", "b"] * 50})


def with_others(path: Path) -> None:
    """A file that somebody keeps other things in."""
    with duckdb.connect(str(path)) as database:
        for statement in (
            "CREATE SCHEMA other",
            "CREATE TYPE size AS ENUM ('small', 'large')",
            "CREATE SEQUENCE counter START 5",
            "CREATE TABLE parents (id INTEGER PRIMARY KEY, size size, n INTEGER DEFAULT nextval('counter'))",
            "INSERT INTO parents (id, size) VALUES (1, 'small'), (2, 'large')",
            "CREATE TABLE other.children AS SELECT range AS id FROM range(1000)",
            "CREATE INDEX by_id ON other.children (id)",
            "COMMENT ON TABLE parents IS 'mine'",
            "CREATE VIEW towns AS SELECT DISTINCT town FROM release",
            "CREATE MACRO twice(a) AS 2 * a",
        ):
            database.execute("CREATE TABLE IF NOT EXISTS release (town VARCHAR)")
            database.execute(statement)
        database.execute("DROP TABLE release")


def test_an_overwritten_table_leaves_the_file_and_all_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "out.duckdb"
    with_others(path)
    path.chmod(0o640)
    released_table(OLD, path)
    assert MARKER.encode() in path.read_bytes()

    released_table(NEW, path, overwrite=True)

    assert MARKER.encode() not in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert pn.verify_release(path).holds
    with duckdb.connect(str(path)) as database:
        assert database.execute("SELECT * FROM towns ORDER BY ALL").fetchall() == [("a",), ("b",)]
        assert database.execute("SELECT id, CAST(size AS VARCHAR), n FROM parents").fetchall() == [
            (1, "small", 5),
            (2, "large", 6),
        ]
        assert database.execute("SELECT count(*), twice(4) FROM other.children").fetchall() == [(1000, 8)]
        assert database.execute("SELECT index_name FROM duckdb_indexes()").fetchall() == [("by_id",)]
        assert database.execute("SELECT comment FROM duckdb_tables() WHERE table_name = 'parents'").fetchall() == [
            ("mine",)
        ]
        assert database.execute("SELECT nextval('counter')").fetchall() == [(7,)]


def test_a_release_that_fails_leaves_nothing_in_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.duckdb"
    with_others(path)
    before = path.read_bytes()

    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("it broke")

    monkeypatch.setattr("paranym.releases.made.inspect", fail)
    with pytest.raises(RuntimeError, match="it broke"):
        released_table(OLD, path)

    assert path.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir()] == ["out.duckdb"]


def test_tables_that_a_killed_run_left_in_the_file_leave_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "out.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE mine AS SELECT 1 AS a")
        database.execute(f"CREATE TABLE paranym_partial_dead AS SELECT '{MARKER}' || range AS s FROM range(5000)")
    assert MARKER.encode() in path.read_bytes()

    released_table(NEW, path)

    assert MARKER.encode() not in path.read_bytes()
    with duckdb.connect(str(path), read_only=True) as database:
        assert database.execute("SELECT table_name FROM duckdb_tables() ORDER BY ALL").fetchall() == [
            ("mine",),
            ("release",),
        ]


def test_a_file_that_older_versions_read_stays_so(tmp_path: Path) -> None:
    path = tmp_path / "out.duckdb"
    with duckdb.connect() as database:
        database.execute(f"ATTACH '{path}' AS old (STORAGE_VERSION 'v1.0.0')")
        database.execute("CREATE TABLE old.mine AS SELECT 1 AS a")
    released_table(NEW, path)

    with duckdb.connect() as database:
        database.execute(f"ATTACH '{path}' AS f (READ_ONLY)")
        tags = database.execute("SELECT tags FROM duckdb_databases() WHERE database_name = 'f'").fetchall()
    assert tags[0][0]["storage_version"].startswith("v1.0.0")


def test_a_file_that_changes_meanwhile_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "out.duckdb"
    with_others(path)
    carried = duckdb_files.carry_over

    def carry_slowly(*arguments: Any, **options: Any) -> Any:
        seen = carried(*arguments, **options)
        with duckdb.connect(str(path)) as database:
            database.execute("CREATE TABLE late AS SELECT 1 AS a")
        return seen

    monkeypatch.setattr(destinations, "carry_over", carry_slowly)
    with pytest.raises(BadInput, match="was changed while the release was made"):
        released_table(NEW, path)

    with duckdb.connect(str(path), read_only=True) as database:
        names = {name for (name,) in database.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert names == {"parents", "children", "late"}


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("CREATE VIEW release AS SELECT 1 AS a", "Cannot carry over"),
        (
            "CREATE TABLE release (town VARCHAR PRIMARY KEY); CREATE TABLE c (t VARCHAR REFERENCES release (town))",
            "Cannot",
        ),
    ],
)
def test_what_cannot_be_replaced_stays(tmp_path: Path, statement: str, message: str) -> None:
    path = tmp_path / "out.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(statement)
    before = path.read_bytes()
    with pytest.raises(BadInput, match=message):
        released_table(NEW, path, overwrite=True)
    assert path.read_bytes() == before


def test_a_link_to_a_duckdb_file_is_not_replaced(tmp_path: Path) -> None:
    with_others(tmp_path / "real.duckdb")
    (tmp_path / "link.duckdb").symlink_to(tmp_path / "real.duckdb")
    with pytest.raises(BadInput, match="it is a link"):
        released_table(NEW, tmp_path / "link.duckdb")


def released_table(table: pa.Table, path: Path, **options: Any) -> None:
    problem = pn.Problem(table, quasi_identifiers=["town"])
    pn.release(problem, pn.point_at(problem, {}), path, undeclared="keep", **options)


INDEXED = pd.DataFrame({"town": ["a", "a", "b", "b"], "n": range(4)}, index=pd.Index([f"{MARKER}{n}" for n in "wxyz"]))


def test_an_index_is_not_published_unless_somebody_decides() -> None:
    problem = pn.Problem(INDEXED, quasi_identifiers=["town"], sensitive=["n"])
    point = pn.point_at(problem, {})
    with pytest.raises(BadInput, match=r"an index \('index'\) that is more than the numbers of its rows"):
        pn.release(problem, point)

    assert list(pn.release(problem, point, index="drop").table.index) == [0, 1, 2, 3]
    assert list(pn.release(problem, point, index="keep").table.index) == list(INDEXED.index)
    plain = pn.Problem(INDEXED.reset_index(drop=True)[::2], quasi_identifiers=["town"], sensitive=["n"])
    assert list(pn.release(plain, pn.point_at(plain, {})).table.index) == [0, 2]


def test_suppressed_rows_are_not_kept_together_with_their_index() -> None:
    frame = pd.DataFrame({"town": ["a", "a", "a", "b"]}, index=[f"{MARKER}{n}" for n in "wxyz"])
    problem = pn.Problem(frame, quasi_identifiers=["town"], suppression_rows=1)
    point = pn.point_at(problem, {}, 3)

    with pytest.raises(BadInput, match="Suppressed rows cannot be kept together with the index"):
        pn.release(problem, point, keep_suppressed=True, index="keep")
    assert list(pn.release(problem, point, keep_suppressed=True, index="drop").table.index) == [0, 1, 2, 3]
    assert len(pn.release(problem, point, index="keep").table) == 3


def test_an_index_is_decided_about_wherever_frames_come_back(tmp_path: Path) -> None:
    problem = pn.Problem(INDEXED, quasi_identifiers=["town"], sensitive=["n"])
    with pytest.raises(BadInput, match="Only a data frame that is returned has an index"):
        pn.release(problem, pn.point_at(problem, {}), tmp_path / "out.csv", index="keep")
    pn.release(problem, pn.point_at(problem, {}), tmp_path / "out.csv")
    with pytest.raises(BadInput, match="more than the numbers of its rows"):
        pn.apply(tmp_path / "out.csv.recoding.json", INDEXED)
    assert list(pn.apply(tmp_path / "out.csv.recoding.json", INDEXED, index="drop").table.index) == [0, 1, 2, 3]

    options: dict[str, Any] = {"sensitive": ["n"], "k": 2}
    with pytest.raises(BadInput, match="more than the numbers of its rows"):
        pn.Anonymizer(["town"], **options).fit_transform(INDEXED)
    made = pn.Anonymizer(["town"], index="keep", **options).fit_transform(INDEXED)
    assert list(made.index) == list(INDEXED.index)
