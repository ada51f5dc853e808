"""A DuckDB file that somebody else made gets at nothing but itself."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.engines.base import Target
from paranym.engines.duckdb.table import DuckDBTable
from paranym.engines.formats import CSV
from paranym.engines.source import open_table
from paranym.errors import BadInput, RecipeFault, UnreadableSource
from paranym.recipe import Recipe

SECRET = "hunter2"  # noqa: S105 - what must not be read
FRAME = pa.table({"word": [SECRET]})


def database(folder: Path, *statements: str) -> Path:
    (folder / "secret.csv").write_text(f"user,word\nroot,{SECRET}\nroot,{SECRET}\n")
    path = folder / "people.duckdb"
    with duckdb.connect(str(path)) as made:
        for statement in statements:
            made.execute(statement.format(secret=folder / "secret.csv"))
    return path


STEALING = "CREATE VIEW people AS SELECT * FROM read_csv('{secret}')"
TABLE = "CREATE TABLE people AS SELECT 20 + range % 5 AS age, 'a' AS town FROM range(40)"
VIEW = "CREATE VIEW older AS SELECT * FROM people WHERE age > 21"


def test_a_view_over_a_file_of_the_system_is_not_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = database(tmp_path, STEALING)

    for named in ([], ["--name", "people"], ["--name", "people", "--views"]):
        with pytest.raises(SystemExit) as refused:
            main(["audit", str(path), "--quasi-identifiers", "user", *named])
        assert refused.value.code == 2
    with pytest.raises(UnreadableSource):
        pn.release(pn.Problem(path, quasi_identifiers=["user"], table="people", views=True), None)  # type: ignore[arg-type]
    said = "".join(capsys.readouterr())
    assert SECRET not in said
    assert "the file has no tables, and the views main.people. A view is a query" in said
    assert "reads another file or the network, which nothing in a DuckDB file may do here. Store the rows" in said


def test_a_view_is_read_if_it_is_named_and_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    path = database(tmp_path, TABLE, VIEW)

    with pytest.raises(UnreadableSource, match=r"'older' is a view.*views = true under \[data\], --views"):
        pn.Problem(path, quasi_identifiers=["age"], table="older")
    assert pn.Problem(path, quasi_identifiers=["age"], table="older", views=True).rows == 24
    assert pn.audit(path, quasi_identifiers=["age"], table="older", views=True).rows == 24
    assert pn.Problem(path, quasi_identifiers=["age"]).rows == 40  # unnamed, the only table is meant
    assert pn.Problem(path, quasi_identifiers=["age"], views=True).rows == 40


def test_a_drafted_recipe_and_the_commands_carry_the_permission_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    database(tmp_path, TABLE, VIEW)
    main(["init", "people.duckdb", "--name", "older", "--views", "--quiet", "--out", "r.toml"])

    assert Recipe.read("r.toml").data.views
    main(["release", "r.toml", "--k", "2", "--out", "out.csv", "--quiet"])
    main(["apply", "out.csv.recoding.json", "people.duckdb", "--name", "older", "--views", "--out", "b.csv", "--quiet"])
    assert len(Path("out.csv").read_text().splitlines()) == len(Path("b.csv").read_text().splitlines()) == 25


def test_only_a_duckdb_file_has_views_to_allow(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("age\n1\n")
    for data in (tmp_path / "a.csv", pa.table({"age": [1]}), "postgresql://nowhere/x"):
        with pytest.raises(BadInput, match="Only a DuckDB file has views"):
            open_table(data, table="t", views=True)
    with pytest.raises(RecipeFault, match="name it"):
        Recipe.parse({"data": {"source": "a.duckdb", "views": True}, "attributes": {"a": {"role": "quasi-identifier"}}})


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE MACRO people() AS TABLE SELECT * FROM read_text('{secret}')",
        "CREATE VIEW v AS SELECT m() AS stolen FROM (SELECT 1)",
        "CREATE VIEW v AS SELECT * FROM read_text('{secret}')",
        "CREATE VIEW v AS SELECT * FROM glob('{secret}*')",
        "CREATE VIEW v AS SELECT * FROM duckdb_secrets()",
    ],
)
def test_what_a_file_defines_reads_nothing_else_even_where_views_are_allowed(tmp_path: Path, statement: str) -> None:
    path = database(tmp_path, "CREATE MACRO m() AS (SELECT content FROM read_text('{secret}'))", TABLE, statement)

    try:
        with DuckDBTable(path, table="v", views=True) as table:
            found = str(table.profile(table.columns))
    except (UnreadableSource, BadInput) as refused:
        found = str(refused)
    assert SECRET not in found


def test_macros_of_a_file_do_not_change_what_is_computed(tmp_path: Path) -> None:
    path = database(
        tmp_path,
        TABLE,
        "CREATE MACRO count(x) AS 7",
        "CREATE MACRO approx_count_distinct(x) AS 7",
        "CREATE MACRO array_agg(x) AS [7]",
    )

    assert pn.audit(path, quasi_identifiers=["age"]).as_dict() | {"table": ""} == pn.audit(
        duckdb.connect().sql("SELECT 20 + range % 5 AS age, 'a' AS town FROM range(40)").to_arrow_table(),
        quasi_identifiers=["age"],
    ).as_dict() | {"table": ""}


def test_generated_columns_and_defaults_are_columns_like_others(tmp_path: Path) -> None:
    path = database(
        tmp_path,
        "CREATE SEQUENCE s",
        "CREATE TABLE t (age INTEGER DEFAULT nextval('s'), twice INTEGER GENERATED ALWAYS AS (age * 2))",
        "INSERT INTO t (age) SELECT range % 3 FROM range(30)",
    )

    with DuckDBTable(path) as table:
        assert table.columns == ("age", "twice")
        assert [column.values for column in table.profile(table.columns).columns] == [(0, 1, 2), (0, 2, 4)]


def test_the_engine_gets_at_what_it_reads_and_writes_and_at_nothing_else(tmp_path: Path) -> None:
    path = database(tmp_path, TABLE)
    with DuckDBTable(path, target=Target(tmp_path / "out.csv", CSV)) as table:
        engine = table._database
        engine.execute(f"COPY (SELECT 1) TO '{tmp_path}/out.csv'")
        for refused in (
            f"SELECT * FROM read_text('{tmp_path}/secret.csv')",
            f"COPY (SELECT 1) TO '{tmp_path}/other.csv'",
            f"ATTACH '{tmp_path}/other.duckdb'",
            "SET enable_external_access = true",
            "SET allowed_directories = ['/']",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SELECT * FROM FRAME",
            "SELECT * FROM read_parquet('https://127.0.0.1:9/x.parquet')",
        ):
            with pytest.raises(duckdb.Error):
                engine.execute(refused)
    assert not (tmp_path / "other.csv").exists()


@pytest.mark.parametrize("name", ["a[1].csv", "a b'c.csv", "*.csv", "ä.csv", "md:x.csv"])
@pytest.mark.parametrize("ending", ["csv", "parquet", "duckdb"])
def test_a_confined_engine_reads_and_writes_files_of_any_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, ending: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_text("age\n" + "30\n40\n" * 5)
    problem = pn.Problem(name, quasi_identifiers=["age"])
    released = pn.release(problem, pn.ask(pn.frontier(problem), min_k=5).point, f"{name}-out.{ending}")

    assert released.verification.holds


def test_a_release_joins_other_tables_of_a_file_that_is_there(tmp_path: Path) -> None:
    path = database(tmp_path, TABLE, VIEW)
    problem = pn.Problem(tmp_path / "people.duckdb", quasi_identifiers=["age"], keep=["town"])
    with duckdb.connect(str(tmp_path / "old.duckdb")) as made:
        made.execute(STEALING.format(secret=tmp_path / "secret.csv"))
    for _ in range(2):
        pn.release(problem, pn.ask(pn.frontier(problem), min_k=5).point, tmp_path / "old.duckdb", overwrite=True)

    assert pn.verify_release(tmp_path / "old.duckdb").holds
    assert path.exists()
