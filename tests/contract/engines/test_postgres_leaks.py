"""A release in Postgres holds no planted value either: the bytes that the server keeps, and what lies beside."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paranym as pn
from leaking import MARKERS, PEOPLE, ROWS, chosen, found_in, problem_of
from paranym.errors import BadInput

Run = Callable[[str], list[tuple[Any, ...]]]


@pytest.fixture(scope="module")
def people(database: str, run: Run) -> tuple[str, str]:
    """The address of a database, and the table with planted values in it."""
    rows = zip(*(PEOPLE[name].to_pylist() for name in PEOPLE.column_names), strict=True)
    run("CREATE TABLE planted (name text, age bigint, town text, illness text, account text)")
    run(f"INSERT INTO planted VALUES {', '.join(map(str, rows))}")
    return database, "planted"


def stored(run: Run, table: str) -> bytes:
    """The bytes of the file that the server keeps a table in."""
    run("CHECKPOINT")
    [(content,)] = run(f"SELECT pg_read_binary_file(pg_relation_filepath('{table}'))")
    return bytes(content)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, where manifest and recoding go."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("model", "options"), [("levels", {}), ("levels", {"keep_suppressed": True}), ("cuts", {})])
def test_a_table_of_the_database_holds_no_planted_value(
    people: tuple[str, str], run: Run, here: Path, model: str, options: dict[str, Any]
) -> None:
    address, table = people
    problem = problem_of(address, table=table)
    pn.release(problem, chosen(problem, model), address, table="released", overwrite=True, **options)

    assert run("SELECT count(*) FROM released") == [(ROWS if options else ROWS - 6,)]
    assert [marker for marker in MARKERS if marker in stored(run, "released")] == []
    assert found_in(here) == set()
    assert set(MARKERS[:4]) <= {marker for marker in MARKERS if marker in stored(run, table)}


@pytest.mark.parametrize("model", ["levels", "cuts", "local"])
@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.duckdb"])
def test_files_made_of_a_table_of_the_database_hold_no_planted_value(
    people: tuple[str, str], tmp_path: Path, name: str, model: str
) -> None:
    problem = problem_of(people[0], table=people[1])
    released = pn.release(problem, chosen(problem, model), tmp_path / name)

    assert released.promise.published == ROWS - 6
    assert found_in(tmp_path) == set()


def test_a_local_recoding_within_the_database_is_refused_and_leaves_nothing(
    people: tuple[str, str], run: Run, here: Path
) -> None:
    address, table = people
    problem = problem_of(address, table=table)
    with pytest.raises(BadInput, match="from files and data frames only"):
        pn.release(problem, chosen(problem, "local"), address, table="regrouped")

    assert run("SELECT relname FROM pg_class WHERE relname LIKE '%regrouped%'") == []
    assert list(here.iterdir()) == []
