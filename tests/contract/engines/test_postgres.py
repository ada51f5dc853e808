"""Postgres in particular: names, rights, passwords, transactions, and a connection that is lost."""

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.engines.codes import number
from paranym.engines.postgres.session import Server
from paranym.engines.postgres.table import PostgresTable
from paranym.errors import BadInput, MissingExtra, UnreadableSource
from paranym.releases import made, releasing
from paranym.releases.inspection import inspect

Run = Callable[[str], list[tuple[Any, ...]]]

PEOPLE = pa.table({
    "name": [f"Person {letter}" for letter in "ABCDEFGH"],
    "age": [31, 34, 38, 39, 52, 55, 58, 90],
    "illness": ["flu", "cold", "flu", "cold", "flu", "cold", "flu", "asthma"],
})  # fmt: skip
ODD = 'a "quoted".schema'
OTHERS = {"illness": "keep", "fine": "keep", "id": "drop"}
"""Roles of the columns that are neither generalized nor name a person, in recipes."""


@pytest.fixture(scope="session")
def people(run: Run) -> str:
    """A table in a schema with an odd name, which a role may read and nothing else."""
    run(f"CREATE SCHEMA {quoted(ODD)}")
    run(f'CREATE TABLE {quoted(ODD)}."The People" (name text, age int, illness varchar(10), fine numeric, id uuid)')
    for name, age, illness in zip(*PEOPLE.to_pydict().values(), strict=True):
        values = f"'{name}', {age}, '{illness}', {age}.50, gen_random_uuid()"
        run(f'INSERT INTO {quoted(ODD)}."The People" VALUES ({values})')
    run("CREATE ROLE reader LOGIN")
    run("ALTER ROLE reader SET default_transaction_read_only = on")
    run("REVOKE TEMPORARY ON DATABASE postgres FROM PUBLIC")
    run(f"GRANT USAGE ON SCHEMA {quoted(ODD)} TO reader")
    run(f"GRANT SELECT ON ALL TABLES IN SCHEMA {quoted(ODD)} TO reader")
    run("CREATE ROLE guarded LOGIN PASSWORD 'geheim-4711' IN ROLE reader")
    return f"{ODD}.The People"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder: a new one."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def ask_for(address: str, table: str, **options: Any) -> pn.Problem:
    asked: dict[str, Any] = {"quasi_identifiers": {"age": {"intervals": [10, 20]}}, "identifiers": ["name"]}
    asked |= {"keep": ["illness", "fine", "id"]}
    return pn.Problem(address, table=table, suppression_rows=1, **asked | options)


def publish(problem: pn.Problem, level: int, address: str, table: str, **options: Any) -> Any:
    """Release at a level of age; the ids are random and may go out."""
    point = pn.point_at(problem, {"age": level})
    return pn.release(problem, point, address, table=table, accept=["identity-number:id"], **options)


@pytest.mark.parametrize("name", [f"{ODD}.The People", f'{quoted(ODD)}."The People"', "The People", '"The People"'])
@pytest.mark.usefixtures("people")
def test_a_table_is_found_by_its_name_in_any_spelling(database: str, name: str) -> None:
    assert ask_for(database, name).rows == 8


@pytest.mark.usefixtures("people")
def test_a_table_that_is_not_there_is_named_among_those_that_are(database: str) -> None:
    with pytest.raises(UnreadableSource, match=r"no table 'peeple'; the database has .*The People"):
        ask_for(database, "peeple")


def test_who_may_only_read_gets_fronts_and_audits(database: str, people: str) -> None:
    reader = database.replace("owner@", "reader@")

    problem = ask_for(reader, people)
    front = pn.frontier(problem)
    audit = pn.audit(reader, table=people, quasi_identifiers=["age"], sensitive=["illness"])

    assert front.complete
    assert audit.k == 1
    with pytest.raises(UnreadableSource, match="read-only"):
        pn.release(problem, pn.point_at(problem, {"age": 1}), reader, table="stolen")


def test_a_password_has_no_place_in_an_address(database: str) -> None:
    for address in (database.replace("owner@", "owner:geheim@"), f"{database}?password=geheim"):
        with pytest.raises(BadInput, match="PGPASSWORD") as caught:
            ask_for(address, "people")
        assert "geheim" not in str(caught.value)


def test_a_password_comes_from_the_environment_and_goes_nowhere(
    database: str, people: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guarded = database.replace("owner@", "guarded@")
    monkeypatch.delenv("PGPASSWORD", raising=False)
    monkeypatch.setenv("PGPASSFILE", str(tmp_path / "none"))
    with pytest.raises(UnreadableSource, match="no password supplied"):
        ask_for(guarded, people)
    monkeypatch.setenv("PGPASSWORD", "falsch")
    with pytest.raises(UnreadableSource, match="password authentication failed") as caught:
        ask_for(guarded, people)
    assert "falsch" not in str(caught.value)
    monkeypatch.setenv("PGPASSWORD", "geheim-4711")

    problem = ask_for(guarded, people, keep=["illness", "fine"], drop=["id"])
    pn.release(problem, pn.point_at(problem, {"age": 1}), tmp_path / "people.csv")

    for file in tmp_path.glob("*.json"):
        assert not any(word in file.read_text() for word in ("geheim", "guarded", "127.0.0.1"))


def test_a_release_is_a_table_in_one_transaction(
    database: str, people: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    problem = ask_for(database, people)
    seen: list[int] = []

    def look_and_inspect(*given: Any, **named: Any) -> Any:
        seen.append(run("SELECT COUNT(*) FROM pg_class WHERE relname LIKE 'paranym%' OR relname = 'Rel.1'")[0][0])
        return inspect(*given, **named)

    monkeypatch.setattr(made, "inspect", look_and_inspect)
    found = publish(problem, 1, database, f'{quoted(ODD)}."Rel.1"')

    assert seen == [0]  # by nobody else
    rows = run(f'SELECT age, illness, fine::text, pg_typeof(id)::text FROM {quoted(ODD)}."Rel.1"')
    assert sorted(row[0] for row in rows) == ["30-39"] * 4 + ["50-59"] * 3
    assert {row[3] for row in rows} == {"uuid"}
    [manifest] = [json.loads(file.read_text()) for file in tmp_path.glob("*.manifest.json")]
    [(note,)] = run(f"SELECT obj_description('{quoted(ODD)}.\"Rel.1\"'::regclass, 'pg_class')")
    assert manifest["id"] == note == found.manifest["id"]
    with pytest.raises(BadInput, match="already"):
        publish(problem, 1, database, f'{quoted(ODD)}."Rel.1"')
    again = publish(problem, 2, database, f'{quoted(ODD)}."Rel.1"', overwrite=True)
    assert again.verification.holds


@pytest.fixture
def released(database: str, people: str, run: Run, here: Path) -> Iterator[str]:
    """The name of a table that was released, with its manifest in the current folder."""
    table = "public.Old Release"
    problem = ask_for(database, people)
    publish(problem, 1, database, table)
    assert (here / "postgres.public.Old%20Release.manifest.json").exists()
    yield table
    run('DROP TABLE IF EXISTS public."Old Release"')


def test_a_released_table_is_verified_later(database: str, released: str, run: Run, here: Path) -> None:
    run("GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader")
    reader = database.replace("owner@", "reader@")
    found = pn.verify_release(reader, table=released)
    what = [check.what for check in found.checks]
    assert found.holds
    assert what == ["release number", "cells", "columns", "rows", "suppressed rows", "k", "loss (glm)"]

    run("""UPDATE public."Old Release" SET age = '40-49' WHERE illness = 'cold' AND age = '30-39'""")
    assert [check.what for check in pn.verify_release(database, table=released).checks if not check.holds] == [
        "cells",
        "k",
        "loss (glm)",
    ]
    run("""COMMENT ON TABLE public."Old Release" IS 'another one'""")
    assert not pn.verify_release(database, table=released).checks[0].holds
    (here / "postgres.public.Old%20Release.recoding.json").unlink()
    assert pn.verify_release(database, table=released).checks[-1].found is not None  # the manifest tells the loss


def test_a_manifest_may_lie_elsewhere(database: str, released: str, here: Path) -> None:
    (here / "kept").mkdir()
    for file in here.glob("postgres.public.*.json"):
        file.rename(here / "kept" / file.name)
    with pytest.raises(BadInput, match=r"no manifest 'postgres\.public\.Old%20Release\.manifest\.json' here"):
        pn.verify_release(database, table=released)

    [manifest] = (here / "kept").glob("*.manifest.json")
    assert pn.verify_release(database, table=released, manifest=manifest).holds
    with pytest.raises(BadInput, match=r"no table 'public\.nowhere'"):
        pn.verify_release(database, table="public.nowhere", manifest=manifest)
    with pytest.raises(BadInput, match="Name the table of the database"):
        pn.verify_release(database, manifest=manifest)


def test_the_commands_verify_report_and_apply_in_a_database(
    database: str, released: str, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    people, here = f"{ODD}.The People", Path()
    roles = "[attributes.age]\nrole = 'quasi-identifier'\nhierarchy = { intervals = [10, 20] }\n"
    roles += "[attributes.name]\nrole = 'identifier'\n[privacy]\nsuppression_rows = 1\n"
    (here / "recipe.toml").write_text(f"[data]\nsource = '{database}'\ntable = '{people}'\n{roles}")
    recoding = "postgres.public.Old%20Release.recoding.json"

    main(["verify", database, "--table", released, "--json", "found.json"])
    main(["report", "recipe.toml", "--release", database, "--table", released, "--out", "report.html", "--quiet"])
    applied = ["apply", recoding, database, "--name", people, "--out", database, "--table", "public.next_month"]
    applied += ["--accept", "identity-number:id"]
    main(applied)

    assert json.loads((here / "found.json").read_text())["holds"]
    assert "Old Release" in (here / "report.html").read_text()
    assert "Written and read back: table public.next_month" in capsys.readouterr().out
    rows = run("SELECT age, illness FROM public.next_month")
    assert sorted(rows) == sorted(run('SELECT age, illness FROM public."Old Release"'))
    with pytest.raises(SystemExit) as refused:
        main(applied)
    assert refused.value.code != 0
    assert "already" in capsys.readouterr().err
    run("""UPDATE public."Old Release" SET age = '*' WHERE illness = 'flu'""")
    with pytest.raises(SystemExit) as broken:
        main(["verify", database, "--table", released, "--quiet"])
    assert broken.value.code == 1
    run("DROP TABLE public.next_month")


@pytest.mark.usefixtures("people")
@pytest.mark.parametrize("moment", ["counting", "verifying"])
def test_a_connection_that_is_lost_leaves_nothing(
    database: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    monkeypatch.chdir(tmp_path)
    problem = ask_for(database, f"{ODD}.The People")

    def cut_and_inspect(*given: Any, **named: Any) -> Any:
        _cut(run)
        return inspect(*given, **named)

    def cut_and_go_on(*given: Any) -> Any:
        _cut(run)
        return rewriting(*given)

    rewriting = releasing._Request.rewriting

    if moment == "verifying":
        monkeypatch.setattr(made, "inspect", cut_and_inspect)
    else:
        monkeypatch.setattr(releasing._Request, "rewriting", cut_and_go_on)

    with pytest.raises(UnreadableSource, match=r"connection to the server was lost\. Nothing was written"):
        pn.release(problem, pn.point_at(problem, {"age": 1}), database, table="lost")

    assert run("SELECT relname::text FROM pg_class WHERE relname LIKE 'paranym%' OR relname = 'lost'") == []
    assert list(tmp_path.iterdir()) == []


def _cut(run: Run) -> None:
    run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = 'owner'")


def test_one_count_sees_one_state_of_the_table(database: str, run: Run) -> None:
    run("CREATE TABLE moving AS SELECT generate_series(1, 4) AS a")
    with PostgresTable(database, table="moving") as table:
        columns = table.profile(["a"]).columns
        run("INSERT INTO moving VALUES (5)")
        assert table.count([number(column) for column in columns], []).rows == 4


@pytest.mark.usefixtures("people", "here")
def test_the_commands_take_addresses(database: str, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    people = f"{ODD}.The People"
    data = f"[data]\nsource = '{database}'\ntable = '{people}'\n"
    roles = "[attributes.age]\nrole = 'quasi-identifier'\n[attributes.name]\nrole = 'identifier'\n"
    kept = "".join(f"[attributes.{name}]\nrole = '{role}'\n" for name, role in OTHERS.items())
    Path("recipe.toml").write_text(data + roles + kept)

    main(["audit", database, "--name", people, "--quasi-identifiers", "age", "--json", "audit.json", "--quiet"])
    main(["release", "recipe.toml", "--k", "8", "--out", database, "--table", "public.by_command"])

    said = capsys.readouterr().out
    assert "table public.by_command is written and verified" in said
    assert "postgres.public.by_command.manifest.json" in said
    assert json.loads(Path("audit.json").read_text())["k"] == 1
    assert run("SELECT DISTINCT age FROM public.by_command") == [("*",)]
    assert Path("postgres.public.by_command.manifest.json").exists()


def test_what_an_engine_does_not_read_is_refused(database: str, capsys: pytest.CaptureFixture[str]) -> None:
    for arguments in (["--engine", "duckdb"], ["--master", "local[2]"]):
        with pytest.raises(SystemExit):
            main(["audit", database, "--quasi-identifiers", "age", *arguments])
    said = capsys.readouterr().err
    assert "The engine duckdb does not read" in said
    assert "Only Spark has a master" in said


def test_an_interrupt_ends_what_the_server_is_doing(database: str, run: Run) -> None:
    server = Server(database, name="people")
    asleep = "SELECT pid FROM pg_stat_activity WHERE query LIKE '%pg_sleep(1e6)%' AND pid <> pg_backend_pid()"

    def interrupt_when_asleep() -> None:
        while not run(f"{asleep} AND state = 'active'"):
            pass
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=interrupt_when_asleep).start()
    with pytest.raises(KeyboardInterrupt):
        server.ask("SELECT pg_sleep(1e6)")
    server.close()

    assert run(asleep) == []


def test_a_driver_that_is_not_installed_is_named_with_the_line_that_installs_it(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "adbc_driver_postgresql.dbapi", None)

    with pytest.raises(MissingExtra, match=r"pip install 'paranym\[postgres\]'"):
        ask_for(database, "people")


def test_a_draft_of_a_table_is_a_recipe_that_runs(database: str, people: str, tmp_path: Path) -> None:
    drafted = pn.draft(database, table=people, roles={"age": "quasi-identifier"})
    drafted.save(tmp_path / "recipe.toml")

    assert pn.Problem.from_recipe(tmp_path / "recipe.toml").rows == 8


def test_a_server_that_is_not_there_is_reported() -> None:
    with pytest.raises(UnreadableSource, match="no connection"):
        ask_for("postgresql://owner@127.0.0.1:1/postgres", "people")


def test_a_release_goes_into_the_database_of_its_table(database: str, people: str) -> None:
    problem = ask_for(database, people)

    with pytest.raises(BadInput, match="same address"):
        pn.release(problem, pn.point_at(problem, {"age": 1}), f"{database}2", table="x")
    with pytest.raises(BadInput, match="Name the table of the database"):
        pn.release(problem, pn.point_at(problem, {"age": 1}), database)
