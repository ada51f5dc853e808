"""A recipe contacts no other machine unless the one who runs it allowed that."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.engines.hosts import allow_hosts_of, check_hosts, hosts_of
from paranym.engines.spark.session import SparkSource
from paranym.errors import BadInput, UnreadableSource
from paranym.problem import Problem
from paranym.recipe import Recipe

EVIL = "evil.example.org"


def recipe(**data: str) -> Recipe:
    return Recipe.parse({"data": data, "attributes": {"age": {"role": "quasi-identifier"}}})


@pytest.mark.parametrize(
    "data",
    [
        {"source": f"postgresql://{EVIL}/people"},
        {"source": f"postgres://me@{EVIL}:5432/people"},
        {"source": f"postgresql://localhost,{EVIL}/people"},
        {"source": f"postgresql://localhost/people?host={EVIL}"},
        {"source": f"postgresql://localhost/people?sslmode=require&hostaddr={EVIL}"},
        {"source": f"postgresql://localhost/people#?host={EVIL}"},  # libpq knows no fragments
        {"source": f"postgresql://localhost/people?%68ost={EVIL}"},
        {"source": f"postgresql://localhost@{EVIL}@localhost/people"},
        {"source": f"postgresql://localhost\\@{EVIL}/people"},
        {"source": f"postgresql://localhost/people?dbname=host={EVIL}"},
        {"source": "postgresql://localhost/people?servicefile=theirs"},
        {"source": "people.csv", "engine": "spark", "master": f"spark://{EVIL}:7077"},
        {"source": "people.csv", "engine": "spark", "master": f"spark://localhost:7077,{EVIL}:7077"},
        {"source": "people.csv", "engine": "spark", "master": f"sc://{EVIL}:15002/;token=abc"},
        {"source": "people.csv", "engine": "spark", "master": f"k8s://https://{EVIL}:6443"},
        {"source": f"abfss://box@{EVIL}/people", "engine": "spark"},
        {"source": f"hdfs://{EVIL}:9000/people", "engine": "spark"},
    ],
)
def test_a_recipe_that_names_another_machine_is_refused_before_it_is_contacted(data: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="names another machine"):
        Problem.source_of(recipe(**data))
    with pytest.raises(BadInput, match="names another machine"):
        Problem.from_recipe(recipe(**data))


@pytest.mark.parametrize(
    "data",
    [
        {"source": "people.csv"},
        {"source": "postgresql:///people"},
        {"source": "postgresql://me@localhost:5432/people?sslmode=disable"},
        {"source": "postgresql://127.0.0.1/people"},
        {"source": "postgresql://[::1]:5432/people"},
        {"source": "postgresql://%2Fvar%2Frun%2Fpostgresql/people"},
        {"source": "postgresql:///people?host=/var/run/postgresql"},
        {"source": "postgresql:///?service=mine"},
        {"source": "people.csv", "engine": "spark"},
        {"source": "people.csv", "engine": "spark", "master": "local[2]"},
        {"source": "people.csv", "engine": "spark", "master": "yarn"},
        {"source": "hdfs:///people", "engine": "spark"},
        {"source": "file:///srv/people", "engine": "spark", "master": "spark://127.0.0.1:7077"},
    ],
)
def test_what_is_on_this_machine_needs_no_permission(data: dict[str, str]) -> None:
    assert Problem.source_of(recipe(**data)).missing == ()


def test_the_user_allows_a_host_once_for_a_run_or_in_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    asked = recipe(source="postgresql://DB.example.org/people")
    assert Problem.source_of(asked, allow_hosts=["db.example.org"]).address is not None

    monkeypatch.setenv("PARANYM_HOSTS", "other.example.org, db.example.org")
    assert Problem.source_of(asked).address is not None

    monkeypatch.delenv("PARANYM_HOSTS")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    (tmp_path / "paranym").mkdir()
    (tmp_path / "paranym" / "hosts").write_text("# mine\ndb.example.org\n")
    assert Problem.source_of(asked).address is not None
    with pytest.raises(BadInput, match=r"evil.*hosts"):
        Problem.source_of(recipe(source=f"postgresql://{EVIL}/people"))


def test_an_address_that_the_user_typed_is_allowed_from_then_on() -> None:
    typed = "postgresql://db.example.org/people"

    assert allow_hosts_of(typed) == ["db.example.org"]
    assert allow_hosts_of(typed) == []
    check_hosts(typed, (), "The recipe")
    with pytest.raises(BadInput):
        check_hosts(f"postgresql://{EVIL}/people", (), "The recipe")


def test_hosts_of_several_masters_are_all_found() -> None:
    assert list(hosts_of(SparkSource(path="a", master="spark://one:1,two:2"))) == ["one", "two"]


@contextmanager
def listening() -> Iterator[tuple[int, list[object]]]:
    """A port of this machine, and who has come."""
    came: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(2)

        def wait() -> None:
            try:
                connection, address = server.accept()
            except OSError:
                return
            came.append(address)
            connection.close()

        thread = threading.Thread(target=wait)
        thread.start()
        yield server.getsockname()[1], came
        thread.join()


def test_no_connection_is_made_to_a_machine_that_is_not_allowed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The name is looked up nowhere: here it would lead to this machine."""
    monkeypatch.setattr("paranym.engines.hosts._is_here", lambda _: False)
    file = tmp_path / "recipe.toml"
    with listening() as (port, came):
        file.write_text(
            f'[data]\nsource = "postgresql://127.0.0.1:{port}/people"\ntable = "people"\n'
            '[attributes.age]\nrole = "quasi-identifier"\n'
        )
        with pytest.raises(SystemExit) as ended:
            main(["frontier", str(file)])

    assert (ended.value.code, came) == (2, [])
    assert "The recipe names another machine: 127.0.0.1." in capsys.readouterr().err


def test_an_address_in_python_or_on_the_command_line_is_the_users_own() -> None:
    with listening() as (port, came), pytest.raises(UnreadableSource):
        pn.Problem(f"postgresql://127.0.0.1:{port}/people", table="people", quasi_identifiers=["age"])

    assert came
