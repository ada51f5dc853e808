"""`paranym init` and `paranym hierarchy` as people and scripts run them: exit codes, messages, nothing overwritten."""

import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from paranym.cli.app import main
from paranym.recipe import Recipe

PEOPLE = "name,age,zip,sex,illness\n" + "".join(
    f"person {i},{20 + i * 7 % 60},{53700 + i % 40},{'FM'[i % 2]},{('flu', 'cold', '?')[i % 3]}\n" for i in range(120)
)


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> str:
        """What it said, whatever the width of the terminal."""
        return " ".join(self.out.split())


Call = Callable[..., Done]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """The command, in a folder with a table; `typed` is what comes in."""
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, typed: str | bytes = b"") -> Done:
        incoming = typed.encode() if isinstance(typed, str) else typed
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(incoming), encoding="utf-8"))
        try:
            main(arguments)
        except SystemExit as end:
            return Done(int(str(end.code)), *capsys.readouterr())
        return Done(0, *capsys.readouterr())

    return run


def test_a_drafted_recipe_runs_as_it_is(call: Call) -> None:
    done = call("init", "people.csv")

    assert (done.code, done.err) == (0, "")
    assert "Wrote recipe.toml. It runs as it is: paranym frontier recipe.toml" in done.told
    assert "Warning: name is different in every row. It is not published." in done.told
    assert "of 120 rows" in done.told
    assert call("frontier", "recipe.toml", "--quiet").code == 0
    assert call("hierarchy", "show", "recipe.toml", "--quiet").code == 0


def test_nothing_is_overwritten(call: Call) -> None:
    Path("recipe.toml").write_text("mine", encoding="utf-8")
    done = call("init", "people.csv")

    assert (done.code, done.out) == (2, "")
    assert "'recipe.toml' is there already, and nothing is overwritten. Name another file with --out." in done.err
    assert Path("recipe.toml").read_text(encoding="utf-8") == "mine"
    assert call("init", "people.csv", "--out", "other.toml", "--quiet") == Done(0, "", "")


def test_a_draft_is_told_as_json(call: Call) -> None:
    found = json.loads(call("init", "people.csv", "--json", "-").out)

    assert (found["table"], found["rows"], found["missing"]) == ("people.csv", 120, ["?"])
    assert [column["role"] for column in found["columns"]] == [
        "identifier",
        "quasi-identifier",
        "quasi-identifier",
        "quasi-identifier",
        "sensitive",
    ]
    assert found["columns"][1]["hierarchy"] == {"intervals": [5, 10, 20, 40]}
    assert [warning["kind"] for warning in found["warnings"]] == ["identifier"]


def test_every_source_gives_the_same_draft(call: Call) -> None:
    table = pyarrow.csv.read_csv("people.csv")
    pq.write_table(table, "people.parquet")
    with duckdb.connect("people.duckdb") as database:
        database.register("frame", table)
        database.execute("CREATE TABLE visits AS SELECT * FROM frame")
        database.execute("CREATE TABLE staff AS SELECT 1 AS id")
    Path("semicolons.csv").write_text(PEOPLE.replace(",", ";"), encoding="utf-16")

    expected = json.loads(call("init", "people.csv", "--json", "-").out)
    for number, source in enumerate((["people.parquet"], ["people.duckdb", "--name", "visits"], ["semicolons.csv"])):
        recipe = f"{number}.toml"
        found = json.loads(call("init", *source, "--json", "-", "--out", recipe).out)
        assert {**found, "table": ""} == {**expected, "table": ""}
        assert call("frontier", recipe, "--quiet").code == 0


def test_a_table_may_come_through_standard_input(call: Call) -> None:
    done = call("init", "-", "--out", "piped.toml", typed=PEOPLE)

    assert (done.code, done.err) == (0, "")
    assert Recipe.read("piped.toml").data.source == "-"
    assert call("frontier", "piped.toml", "--quiet", typed=PEOPLE).code == 0
    assert "Cannot read standard input: the file is empty." in call("frontier", "piped.toml").err
    assert call("audit", "-", "--quasi-identifiers", "age,sex", typed=PEOPLE).code == 0
    assert call("hierarchy", "build", "-", "sex", typed=PEOPLE).code == 0


def test_the_guided_start_keeps_what_is_proposed(call: Call) -> None:
    done = call("init", "people.csv", "--ask")
    plain = call("init", "people.csv", "--out", "plain.toml")

    assert (done.code, done.err) == (0, "")
    assert "A quasi-identifier could be known to others" in done.told
    assert "Which columns are quasi-identifiers? [age, zip, sex]" in done.told
    assert plain.code == 0
    assert Path("recipe.toml").read_text(encoding="utf-8") == Path("plain.toml").read_text(encoding="utf-8")


def test_the_guided_start_follows_the_answers_and_shows_what_they_mean(call: Call) -> None:
    answers = "\n-\nage, seks\nage, sex\nillness\n150%\n5%\n"
    done = call("init", "people.csv", "--ask", typed=answers)
    recipe = Recipe.read("recipe.toml")

    assert done.code == 0
    assert "No column 'seks'" in done.told
    assert "No longer in any list, and therefore not published: zip, illness." in done.told
    assert "The share takes at most 100%; got '150%" in done.told
    assert "No rows are unique on age and sex." in done.told
    assert {name: str(section.role) for name, section in recipe.attributes.items()} == {
        "name": "identifier",
        "age": "quasi-identifier",
        "zip": "drop",
        "sex": "quasi-identifier",
        "illness": "keep",
    }
    assert recipe.privacy.suppression == 0.05


def test_the_guided_start_shows_what_each_column_costs_until_that_is_enough(call: Call) -> None:
    lines = ["age,zip,sex", *(f"{20 + i},{53700 + i % 4},{'FM'[i % 2]}" for i in range(60))]
    Path("alone.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    done = call("init", "alone.csv", "--ask", typed="\n\n\nage, zip, sex\nage\n\n")

    assert "Rows that would still be unique: 0 without age, 60 without zip, 60 without sex." in done.told
    assert "Keep at least one" in done.told
    assert "No rows are unique on zip and sex." in done.told
    assert Recipe.read("recipe.toml").attributes["age"].role == "drop"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["init"], 2, "requires an argument"),
        (["init", "gone.csv"], 2, "there is no file 'gone.csv'"),
        (["init", "--bogus"], 2, "there is no option '--bogus' here"),
        (["init", "empty.csv"], 2, "Cannot read empty.csv: the file is empty."),
        (["init", "header.csv"], 2, "header.csv has no rows"),
        (["init", "twice.csv"], 2, "more than one column named 'a'"),
        (["init", "ids.csv"], 1, "No column can be a quasi-identifier"),
        (["init", "people.csv", "--out", "gone/recipe.toml"], 2, "there is no folder 'gone'"),
        (["init", "-", "--ask"], 2, "Standard input cannot hold both the table and your answers"),
        (["init", "people.csv", "--ask", "--quiet"], 2, "--ask speaks with you"),
        (["hierarchy", "build", "people.csv", "aeg"], 2, "Did you mean 'age'?"),
        (["hierarchy", "build", "people.csv", "age", "intervals = [5"], 2, "The builder is not valid TOML"),
        (["hierarchy", "build", "people.csv", "age", "interval = [5]"], 2, "Did you mean 'intervals'?"),
        (["hierarchy", "build", "people.csv", "sex", "intervals = [5]"], 2, "intervals need numbers"),
        (["hierarchy", "build", "people.csv", "age", "--out", "people.csv"], 2, "is there already"),
        (["hierarchy", "check", "gone.csv"], 2, "cannot read 'gone.csv'"),
        (["hierarchy", "check", "people.csv"], 2, "each value must have one value above it"),
        (["hierarchy", "check", "sex.csv", "--table", "people.csv"], 2, "--table and --column go together"),
        (["hierarchy", "check", "sex.csv", "--table", "people.csv", "--column", "sex"], 2, "does not place: 'M'"),
        (["hierarchy", "show", "sex.csv", "sex"], 2, "A hierarchy file has no columns to choose from"),
        (["hierarchy", "show", "gone.toml"], 2, "cannot be read"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_said(call: Call, arguments: list[str], code: int, message: str) -> None:
    for name, text in {"empty": "", "header": "a,b\n", "twice": "a,a\n1,2\n", "sex": "F;*\n"}.items():
        Path(f"{name}.csv").write_text(text, encoding="utf-8")
    Path("ids.csv").write_text("id\n" + "\n".join(map(str, range(50))), encoding="utf-8")
    before = sorted(Path().iterdir())
    done = call(*arguments)

    assert (done.code, done.out) == (code, "")
    assert done.err.startswith("paranym: ")
    assert message in done.err
    assert "Traceback" not in done.err
    assert sorted(Path().iterdir()) == before


def test_a_hierarchy_is_built_shown_written_and_checked(call: Call) -> None:
    done = call("hierarchy", "build", "people.csv", "zip", "prefix = [4, 3]", "--out", "zip.csv")

    assert done.code == 0
    assert "└─ 537**" in done.out
    assert "level values in the table rows of the rarest 0 40 40 3 1 4 4 30 2 1 1 120 3 1 1 120" in done.told
    assert Path("zip.csv").read_text(encoding="utf-8").startswith("53700;5370*;537**;*\n")
    checked = call("hierarchy", "check", "zip.csv", "--table", "people.csv", "--column", "zip")
    assert "zip.csv is sound: 4 levels with 40 -> 4 -> 1 -> 1 values." in checked.told
    assert "Level 2 has a single value already" in checked.told
    assert "It has a place for all 40 values of zip in 120 rows." in checked.told
    assert "├─ 5370*: 53700, 53701" in call("hierarchy", "show", "zip.csv").out


def test_a_hierarchy_goes_to_standard_output(call: Call) -> None:
    done = call("hierarchy", "build", "people.csv", "sex", "--out", "-")

    assert done == Done(0, "F;*\nM;*\n", "")


def test_builders_are_written_as_in_a_recipe(call: Call) -> None:
    for builder in ("intervals = [10]", "{ intervals = [10] }", "[{ prefix = [1] }, { rare = 5 }]"):
        assert call("hierarchy", "build", "people.csv", "age", builder, "--quiet") == Done(0, "", "")


def test_a_tree_in_a_file_is_checked_and_shown(call: Call) -> None:
    Path("sex.toml").write_text('known = ["F", "M"]\n', encoding="utf-8")

    assert call("hierarchy", "check", "sex.toml", "--table", "people.csv", "--column", "sex").code == 0
    assert "└─ known: F, M" in call("hierarchy", "show", "sex.toml").out


def test_what_each_level_leaves_is_told_as_json(call: Call) -> None:
    call("init", "people.csv")
    found = json.loads(call("hierarchy", "show", "recipe.toml", "sex", "--json", "-").out)

    [sex] = found["hierarchies"]
    assert (sex["attribute"], sex["values"]) == ("sex", [2, 1])
    assert sex["levels"][1] == {
        "level": 1,
        "values": 1,
        "occurring": 1,
        "smallest": 120,
        "classes": sex["levels"][1]["classes"],
        "unique": sex["levels"][1]["unique"],
    }
    assert sex["levels"][1]["classes"] <= sex["levels"][0]["classes"]


def test_edit_help_shows_every_builder(call: Call) -> None:
    done = call("hierarchy", "edit-help")

    assert done.code == 0
    for word in ("intervals", "breaks", "quantiles", "prefix", "dates", "times", "tree", "rare", "apart", "cover"):
        assert f"{word} = " in done.out
    assert max(map(len, done.out.splitlines())) <= 80
