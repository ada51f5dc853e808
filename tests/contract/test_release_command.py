"""`paranym release`, `verify` and `apply` as people and scripts run them."""

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from paranym.cli.app import main

PEOPLE = "name,age,sex,income\n" + "".join(
    f"p{n},{age},{sex},{n}\n" for n, (age, sex) in enumerate(zip([31, 34, 38, 52, 55, 58, 90], "FMFMFMF", strict=True))
)
RECIPE = """
[data]
source = "people.csv"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [10, 20] }
[attributes.sex]
role = "quasi-identifier"
weight = 0.1
[attributes.income]
role = "keep"
[privacy]
suppression_rows = 1
"""
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """The command in a folder with a table and its recipe: exit code, standard output, standard error."""
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def in_folder(*arguments: str) -> tuple[int, str, str]:
        try:
            main(arguments)
        except SystemExit as end:
            return int(str(end.code)), *capsys.readouterr()
        return 0, *capsys.readouterr()

    return in_folder


def ages(path: str) -> list[str]:
    with Path(path).open(encoding="utf-8", newline="") as stream:
        return sorted(row["age"] for row in csv.DictReader(stream))


def test_a_release_is_written_told_and_verified(call: Call) -> None:
    code, out, err = call("release", "recipe.toml", "--k", "3", "--out", "out.csv")

    assert (code, err.strip()) == (0, "")
    first = "out.csv is written and verified: it is k-anonymous with k = 3 on the 2 quasi-identifiers; but 6 of 6 rows "
    assert f"{first}(100%) are unique on all 3 published columns together." in " ".join(out.split())
    assert "1 of 7 rows (14.3%) is suppressed." in out
    assert "Private: out.csv.recoding.json" in out
    assert ages("out.csv") == ["30-39"] * 3 + ["50-59"] * 3
    assert "name" not in Path("out.csv").read_text(encoding="utf-8").splitlines()[0]

    code, out, err = call("verify", "out.csv")
    assert (code, err.strip()) == (0, "")
    assert "holds" in out
    assert "BROKEN" not in out


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (["--max-loss", "80%"], ["30-39"] * 3 + ["50-59"] * 3),
        (["--point", "1"], ["*"] * 7),
        (["--levels", "age=3, sex=1"], ["*"] * 7),
        (["--levels", "age=1,sex=1", "--k", "2"], ["30-39"] * 3 + ["50-59"] * 3),
        (["--front", "front.json", "--k", "3"], ["30-39"] * 3 + ["50-59"] * 3),
    ],
)
def test_there_are_several_ways_to_choose(call: Call, choice: list[str], expected: list[str]) -> None:
    if "--front" in choice:
        assert call("frontier", "recipe.toml", "--json", "front.json", "--quiet")[0] == 0
    code, out, err = call("release", "recipe.toml", *choice, "--out", "out.csv", "--json", "-")

    assert (code, err.strip()) == (0, "")
    manifest = json.loads(out, parse_constant=pytest.fail)
    assert manifest["verification"]["holds"]
    assert ages("out.csv") == expected


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ([], 2, "Choose by one of --k, --max-loss, --point and --levels"),
        (["--k", "3", "--point", "1"], 2, "Choose by one of"),
        (["--k", "99"], 1, "k = 99 is impossible"),
        (["--point", "0"], 1, "There is no solution number 0"),
        (["--levels", "age"], 2, "--levels takes NAME=LEVEL"),
        (["--levels", "age=1,age=2"], 2, "names 'age' twice"),
        (["--levels", "agee=1"], 2, "Did you mean 'age'?"),
        (["--levels", "age=1", "--front", "x.json"], 2, "--levels needs no front"),
        (["--k", "3", "--front", "people.csv"], 2, "is no front"),
        (["--k", "3", "--front", "other.json"], 2, "it is not a complete front"),
        (["--k", "3", "--table", "t"], 2, "Only a DuckDB file has tables"),
    ],
)
def test_requests_that_cannot_be_met(call: Call, arguments: list[str], code: int, says: str) -> None:
    Path("other.json").write_text("{}", encoding="utf-8")
    found, _, err = call("release", "recipe.toml", *arguments, "--out", "out.csv")

    assert (found, says in err) == (code, True), err
    assert not Path("out.csv").exists()


def test_a_front_of_another_recipe_is_refused(call: Call) -> None:
    call("frontier", "recipe.toml", "--json", "front.json", "--quiet")
    Path("recipe.toml").write_text(RECIPE.replace("suppression_rows = 1", "suppression_rows = 0"), encoding="utf-8")
    code, _, err = call("release", "recipe.toml", "--k", "3", "--front", "front.json", "--out", "out.csv")

    assert (code, "of another table or another recipe" in err) == (2, True)


def test_nothing_is_overwritten_unasked_and_the_place_is_checked_before_the_search(call: Call) -> None:
    Path("out.csv").write_text("mine", encoding="utf-8")
    code, _, err = call("release", "no-such-recipe.toml", "--k", "3", "--out", "out.csv")
    assert (code, "there already" in err) == (2, True)

    assert call("release", "recipe.toml", "--k", "3", "--out", "out.csv", "--overwrite", "--quiet") == (0, "", "")
    assert call("verify", "out.csv", "--quiet")[0] == 0


def test_options_reach_the_release(call: Call) -> None:
    arguments = [
        "--k",
        "3",
        "--out",
        "out.duckdb",
        "--table",
        "people",
        "--keep-suppressed",
        "--json",
        "out.json",
        "--quiet",
    ]
    assert call("release", "recipe.toml", *arguments) == (0, "", "")
    manifest = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert manifest["release"] | {"columns": None} == {
        "file": "out.duckdb",
        "format": "duckdb",
        "table": "people",
        "rows": 7,
        "columns": None,
        "order": "drawn by chance",
        "suppressed_rows": "blanked",
        "formulas": {"found": None, "neutralized": False},
        "bytes": None,
        "sha256": None,
        "cells": manifest["release"]["cells"],
    }
    assert manifest["chosen"] == {"k": 3}
    assert call("verify", "out.duckdb", "--table", "people", "--quiet")[0] == 0

    arguments = ["--k", "3", "--out", "out.csv", "--neutralize-formulas", "--earlier", ".", "--memory", "1GB"]
    code, out, _ = call("release", "recipe.toml", *arguments)
    assert code == 0
    assert "Warning: This table was released before: out.duckdb.people." in out


def test_a_changed_release_ends_with_code_one(call: Call) -> None:
    call("release", "recipe.toml", "--k", "3", "--out", "out.csv", "--quiet")
    text = Path("out.csv").read_text(encoding="utf-8")
    Path("out.csv").write_text(text.replace("30-39", "50-59", 1), encoding="utf-8")
    code, out, err = call("verify", "out.csv", "--json", "-")

    assert code == 1
    assert not json.loads(out)["holds"]
    assert "does not match its claims: sha256" in err


def test_a_recoding_is_applied_to_the_next_table(call: Call) -> None:
    call("release", "recipe.toml", "--k", "3", "--out", "out.csv", "--quiet")
    Path("june.csv").write_text("age,sex\n41,F\n42,X\n43,M\n30,F\n31,F\n39,M\n", encoding="utf-8")
    code, out, _ = call("apply", "out.csv.recoding.json", "june.csv", "--out", "june-out.csv")

    assert code == 0
    first = "The guarantee (k = 3) holds: every row is in an equivalence class of at least 3 rows"
    assert first in " ".join(out.split())
    assert "age: 5 values that the recoding had not seen." in out
    assert ages("june-out.csv") == ["30-39"] * 3 + ["40-49"] * 3


def test_a_table_that_does_not_suit_ends_with_code_one_and_a_list_of_rows(call: Call) -> None:
    call("release", "recipe.toml", "--k", "3", "--out", "out.csv", "--quiet")
    Path("july.csv").write_text("age,sex\n41,F\n42,M\n43,M\n30,F\n", encoding="utf-8")
    options = ["--out", "july-out.csv", "--suppressed-rows", "rows.txt"]
    code, out, err = call("apply", "out.csv.recoding.json", "july.csv", *options)

    assert (code, "does not hold for this table" in err) == (1, True)
    assert "1 of 4 rows (25.0%)" in out
    assert Path("rows.txt").read_text(encoding="utf-8") == "4\n"
    assert not Path("july-out.csv").exists()
    code, out, _ = call(
        "apply", "out.csv.recoding.json", "july.csv", *options, "--max-suppression", "30%", "--json", "-"
    )
    assert (code, json.loads(out)["can_hold"]) == (0, True)
    assert ages("july-out.csv") == ["40-49"] * 3


def test_without_a_place_only_the_verdict_is_given(call: Call) -> None:
    call("release", "recipe.toml", "--k", "3", "--out", "out.csv", "--quiet")
    before = set(Path().iterdir())

    assert call("apply", "out.csv.recoding.json", "people.csv")[0] == 0
    assert set(Path().iterdir()) == before


def test_a_release_without_protection_does_not_sound_like_one(call: Call) -> None:
    code, out, _ = call("release", "recipe.toml", "--k", "1", "--out", "open.csv")

    assert code == 0
    assert "open.csv is written and verified: it protects nobody (k = 1)." in out
