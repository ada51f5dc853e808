"""A size means the same number of bytes wherever it is written."""

from pathlib import Path

import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.engines.duckdb.table import DuckDBTable
from paranym.errors import BadInput, RecipeFault
from paranym.problem.floor import memory_of
from paranym.recipe import Recipe
from paranym.wording.sizes import read_size


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ("1GB", 10**9),
        ("1GiB", 2**30),
        ("1g", 10**9),
        ("0.5 gib", 2**29),
        ("500 MB", 5 * 10**8),
        ("2MiB", 2**21),
        ("3kB", 3000),
        ("3KiB", 3072),
        ("1.5TB", 15 * 10**11),
        ("2048B", 2048),
        ("2048", 2048),
        (2048, 2048),
    ],
)
def test_a_unit_is_what_it_says(written: str | int, size: int) -> None:
    assert read_size(written) == size
    assert memory_of(written) == size


@pytest.mark.parametrize(
    "written", ["", "much", "-1GB", "0", "0.1B", "4 XB", "1e9", "٤GB", 0, -1, True, 1.5, None, "GB"]
)
def test_what_is_no_size_is_refused(written: object) -> None:
    with pytest.raises(BadInput, match=r"^--memory is given as a number and a unit, such as '4GB' or '512MiB'; got "):
        read_size(written, "--memory")  # type: ignore[arg-type]


@pytest.mark.parametrize(("written", "limit"), [("1GB", "953.6 MiB"), ("1GiB", "1.0 GiB"), ("900000PB", "1.0 EiB")])
def test_the_engine_is_given_the_same_number_of_bytes(tmp_path: Path, written: str, limit: str) -> None:
    (tmp_path / "t.csv").write_text("a\n1\n")
    with DuckDBTable(tmp_path / "t.csv", memory=written) as table:
        [(told,)] = table._database.execute("SELECT current_setting('memory_limit')").fetchall()

    assert told.replace("1024.0 PiB", "1.0 EiB") == limit


def test_every_command_takes_binary_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text("age\n" + "".join(f"{20 + i % 5}\n" for i in range(40)))
    Path("r.toml").write_text('data.source = "t.csv"\n[attributes.age]\nrole = "quasi-identifier"\n')

    main(["search", "r.toml", "--k", "2", "--memory", "1GiB", "--quiet"])
    main(["frontier", "r.toml", "--memory", "1GiB", "--quiet"])
    main(["audit", "t.csv", "--quasi-identifiers", "age", "--memory", "1GiB", "--json", "a.json"])


def test_searches_for_a_fixed_k_take_sizes_in_words(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("age\n1\n1\n2\n2\n")
    problem = pn.Problem(tmp_path / "t.csv", quasi_identifiers=["age"])

    assert len(pn.generalize(problem, k=2, memory="64MiB")) == 2
    with pytest.raises(BadInput, match="got 'lots'"):
        pn.generalize(problem, k=2, memory="lots")


def test_a_recipe_says_where_its_size_is_wrong() -> None:
    with pytest.raises(RecipeFault, match=r"recipe: data.memory: Memory is given as a number and a unit"):
        Recipe.parse(
            {"data": {"source": "a.csv", "memory": "4 pounds"}, "attributes": {"a": {"role": "quasi-identifier"}}}
        )
