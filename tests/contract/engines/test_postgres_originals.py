"""Releases into a database destroy nothing: not the original table, nor papers of other tables and databases."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.errors import BadInput
from paranym.releases import databases
from paranym.releases.manifest import SavedRecoding

Run = Callable[[str], list[tuple[Any, ...]]]

RECIPE = """
[attributes.age]
role = 'quasi-identifier'
hierarchy = { intervals = [10, 20] }
[attributes.name]
role = 'identifier'
"""


class Killed(BaseException):
    """In place of a signal: nothing of ours catches it."""


@pytest.fixture
def folk(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The name of a table, partitioned by age, beside one that is not; the current folder is a new one."""
    monkeypatch.chdir(tmp_path)
    run("CREATE SCHEMA town")
    run("CREATE TABLE town.folk (name text, age int)")
    run("CREATE TABLE town.split (name text, age int) PARTITION BY RANGE (age)")
    run("CREATE TABLE town.young PARTITION OF town.split FOR VALUES FROM (0) TO (50)")
    run("CREATE TABLE town.old PARTITION OF town.split FOR VALUES FROM (50) TO (150)")
    for table in ("folk", "split"):
        run(f"INSERT INTO town.{table} SELECT 'person ' || n, 30 + n + 15 * (n / 5) FROM generate_series(0, 9) AS n")
    yield "town.folk"
    run("DROP SCHEMA town CASCADE")


def problem_of(address: str, table: str) -> pn.Problem:
    return pn.Problem(
        address,
        table=table,
        quasi_identifiers={"age": {"intervals": [10, 20]}},
        identifiers=["name"],
        suppression_rows=2,
    )


def release(address: str, into: str, *, table: str = "town.folk", level: int = 1, **options: Any) -> pn.Release:
    problem = problem_of(address, table)
    return pn.release(problem, pn.point_at(problem, {"age": level}), address, table=into, **options)


def papers(table: str) -> dict[str, Path]:
    return {what: Path(f"postgres.{table}.{what}.json") for what in ("manifest", "recoding")}


def hidden() -> list[str]:
    return [file.name for file in Path().iterdir() if file.name.startswith(".")]


@pytest.mark.usefixtures("folk")
@pytest.mark.parametrize("overwrite", [True, False])
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("town.folk", "town.folk"),
        ("folk", '"town"."folk"'),
        ("folk", "folk"),
        ('town."folk"', "folk"),
        ("town.split", "town.old"),
        ("town.old", "town.split"),
    ],
)
def test_the_original_is_never_replaced_by_its_release(
    database: str,
    run: Run,
    source: str,
    target: str,
    overwrite: bool,  # noqa: FBT001
) -> None:
    address = f"{database}?options=-csearch_path%3Dtown"
    before = run("SELECT name, age FROM town.folk UNION ALL SELECT name, age FROM town.split ORDER BY 1, 2")

    with pytest.raises(BadInput, match="is the original table"):
        release(address, target, table=source, overwrite=overwrite)

    assert run("SELECT name, age FROM town.folk UNION ALL SELECT name, age FROM town.split ORDER BY 1, 2") == before
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("command", ["apply", "release"])
def test_no_command_replaces_the_original(
    database: str, folk: str, run: Run, capsys: pytest.CaptureFixture[str], command: str
) -> None:
    out = ["--out", database, "--table", '"town".folk', "--overwrite"]
    Path("recipe.toml").write_text(f"[data]\nsource = '{database}'\ntable = '{folk}'\n{RECIPE}", encoding="utf-8")
    if command == "apply":
        release(database, "town.first")
        arguments = ["apply", "postgres.town.first.recoding.json", database, "--name", folk, *out]
    else:
        arguments = ["release", "recipe.toml", "--k", "5", *out]
    before = run("SELECT name, age FROM town.folk ORDER BY 1")

    with pytest.raises(SystemExit) as refused:
        main(arguments)

    assert refused.value.code != 0
    assert "is the original table" in " ".join(capsys.readouterr().err.split())
    assert run("SELECT name, age FROM town.folk ORDER BY 1") == before


def test_another_table_may_be_replaced(database: str, folk: str, run: Run) -> None:
    release(database, "town.first")
    again = release(database, "town.first", table=folk, level=2, overwrite=True)

    assert again.verification.holds
    assert run("SELECT DISTINCT age FROM town.first ORDER BY 1") == [("20-39",), ("40-59",)]


@pytest.mark.parametrize("to", ["database", "june.csv", None])
def test_rows_without_an_order_are_not_listed_and_nothing_is_written(
    database: str, folk: str, run: Run, to: str | None
) -> None:
    release(database, "town.first")
    before = sorted(Path().iterdir())
    place = {"to": database, "into": "town.second"} if to == "database" else {"to": to}

    with pytest.raises(BadInput, match=r"rows of town\.folk have no order.*--suppressed-rows"):
        pn.apply("postgres.town.first.recoding.json", database, table=folk, list_rows=True, **place)

    assert run("SELECT relname::text FROM pg_class WHERE relname = 'second'") == []
    assert sorted(Path().iterdir()) == before


def killed(address: str, into: str, monkeypatch: pytest.MonkeyPatch, *, at: str = "follow", **options: Any) -> None:
    """A release whose run is killed after its transaction (or before it): its folder stays, and nobody holds it."""

    def die(*_given: Any, **_named: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(databases, at, die)
        patch.setattr("paranym.releases.staging.remove", lambda _: None)
        with pytest.raises(Killed):
            release(address, into, **options)


@pytest.mark.usefixtures("folk")
def test_to_verify_one_table_leaves_alone_what_was_left_for_another(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    release(database, "town.first")
    killed(database, "town.second", monkeypatch)
    left = hidden()
    assert len(left) == 1
    assert not papers("town.second")["manifest"].exists()

    assert pn.verify_release(database, table="town.first").holds
    assert hidden() == left

    assert pn.verify_release(database, table="town.second").holds
    assert hidden() == []
    assert all(paper.exists() for paper in papers("town.second").values())


@pytest.mark.usefixtures("folk")
def test_what_was_left_is_found_by_another_spelling_and_by_another_user(
    database: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("CREATE ROLE passer LOGIN IN ROLE pg_read_all_data")
    run("ALTER ROLE passer PASSWORD 'passing'")
    monkeypatch.setenv("PGPASSWORD", "passing")
    killed(database, "town.second", monkeypatch)

    assert pn.verify_release(database.replace("owner@", "passer@"), table='"town"."second"').holds
    assert hidden() == []
    run("DROP ROLE passer")


@pytest.mark.usefixtures("folk")
def test_what_was_left_for_a_namesake_elsewhere_stays(database: str, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """A database of the same name on another server, as the folder sees it: the same name by another address."""
    elsewhere = f"{database}?application_name=elsewhere"
    killed(elsewhere, "town.second", monkeypatch)
    run("DROP TABLE town.second")
    left = hidden()

    release(database, "town.second", level=2)
    assert pn.verify_release(database, table="town.second").holds
    assert hidden() == left


@pytest.mark.usefixtures("folk")
def test_what_a_run_left_that_came_to_nothing_is_cleaned_away_by_the_next_into_its_table(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed(database, "town.second", monkeypatch, at="put_in_place")
    assert len(hidden()) == 1

    release(database, "town.third")
    assert len(hidden()) == 1
    release(database, "town.second")
    assert hidden() == []


@pytest.mark.usefixtures("folk")
def test_a_recoding_survives_being_applied_onto_its_own_release(database: str, run: Run) -> None:
    release(database, "town.first")
    recoding = papers("town.first")["recoding"]
    before = recoding.read_bytes()

    for given in (recoding, SavedRecoding.read(recoding)):
        pn.apply(given, database, database, table="town.folk", into="town.first", overwrite=True)
        assert recoding.read_bytes() == before

    assert not papers("town.first")["manifest"].exists()  # it told of a table that is gone
    assert run("SELECT COUNT(*) FROM town.first") == [(10,)]


@pytest.mark.usefixtures("folk")
def test_papers_go_with_the_release_that_they_are_of(database: str) -> None:
    release(database, "town.first")
    release(database, "town.second")

    pn.apply(
        papers("town.first")["recoding"], database, database, table="town.folk", into="town.second", overwrite=True
    )

    assert not any(paper.exists() for paper in papers("town.second").values())
    assert all(paper.exists() for paper in papers("town.first").values())


@pytest.mark.usefixtures("folk")
def test_companion_files_of_a_namesake_elsewhere_stay(database: str, run: Run) -> None:
    release(database, "town.first")
    release(database, "town.second")
    before = {paper: paper.read_bytes() for paper in papers("town.second").values()}
    run("DROP TABLE town.second")
    with pytest.raises(BadInput, match=r"second\.recoding\.json' is there already"):
        release(database, "town.second", level=2)
    run("CREATE TABLE town.second AS SELECT 1 AS a")

    for _ in range(2):  # onto a table without a note, and onto one that another recoding was applied to
        first = papers("town.first")["recoding"]
        pn.apply(first, database, database, table="town.folk", into="town.second", overwrite=True)

    assert {paper: paper.read_bytes() for paper in before} == before
    assert (
        json.loads(papers("town.second")["manifest"].read_text(encoding="utf-8"))["release"]["table"] == "town.second"
    )
