"""Nothing is published that nobody decided to publish: columns without a role stop whatever writes a table."""

import json
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.errors import BadInput, NoRole, UnknownAttribute

AGES = [31, 34, 38, 52, 55, 58]
PEOPLE = pa.table({"age": AGES, "ward": [*"aabbab"], "odd näme": [*"uvwxyz"]})
KNOWN = pa.table({"age": AGES, "ward": [*"aabbab"]})
LINES = '[attributes.ward]\nrole = "drop"\n\n[attributes."odd näme"]\nrole = "drop"'
RECIPE = """
[data]
source = "people.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [10, 20] }
[attributes.ward]
[choice]
k = 3
"""


def problem(data: object = PEOPLE, **roles: list[str]) -> pn.Problem:
    return pn.Problem(data, quasi_identifiers={"age": {"intervals": [10, 20]}}, **roles)  # type: ignore[arg-type]


def point(asked: pn.Problem) -> pn.Point:
    return pn.point_at(asked, {"age": 1})


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    PEOPLE.to_pandas().to_csv("people.csv", index=False)
    Path("recipe.toml").write_text(RECIPE, encoding="utf-8")
    return tmp_path


PUBLISHERS: dict[str, Callable[[], object]] = {
    "a data frame": lambda: pn.release(problem(), point(problem())),
    "a file": lambda: pn.release(problem(), point(problem()), "out.csv"),
    "a local recoding": lambda: pn.release(problem(), pn.recode_locally(problem(), 3), "out.parquet"),
    "a transformer": lambda: pn.Anonymizer({"age": {"intervals": [10, 20]}}, k=3).fit_transform(PEOPLE),
}


@pytest.mark.parametrize("publish", PUBLISHERS.values(), ids=PUBLISHERS)
def test_columns_without_a_role_stop_a_release(folder: Path, publish: Callable[[], object]) -> None:
    before = set(folder.iterdir())
    with pytest.raises(NoRole, match="has 2 columns without a role: 'ward', 'odd näme'") as refused:
        publish()

    assert LINES in str(refused.value)
    assert "--undeclared drop" in str(refused.value)
    assert refused.value.names == ("ward", "odd näme")
    assert set(folder.iterdir()) == before


COMMANDS = [
    ["release", "recipe.toml", "--k", "3", "--out", "out.csv"],
    ["local", "recipe.toml", "--k", "3", "--out", "out.csv"],
    ["compare", "recipe.toml", "--k", "3", "--models", "mondrian", "--release", "mondrian:3", "--out", "out.csv"],
    ["run", "recipe.toml", "--out", "out.csv", "--report", "out.html"],
]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_commands_that_write_a_table_are_stopped_before_they_search(
    folder: Path, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    before = set(folder.iterdir())
    with pytest.raises(SystemExit) as refused:
        main([*command, "--quiet"])

    assert refused.value.code == 2
    assert LINES in capsys.readouterr().err
    assert set(folder.iterdir()) == before


@pytest.mark.parametrize(
    "command",
    [["frontier", "recipe.toml"], ["ask", "recipe.toml", "--min-k", "3"], ["report", "recipe.toml", "--out", "r.html"]],
    ids=lambda command: command[0],
)
@pytest.mark.usefixtures("folder")
def test_searching_asking_and_reporting_a_plan_need_no_roles(command: list[str]) -> None:
    main([*command, "--quiet"])
    if command[0] == "report":
        assert "give a role to ward, odd näme" in Path("r.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(("undeclared", "names"), [("drop", ["age"]), ("keep", ["age", "ward", "odd näme"])])
def test_one_decision_for_all_of_them_is_followed_and_recorded(folder: Path, undeclared: str, names: list[str]) -> None:
    main(["release", "recipe.toml", "--k", "3", "--out", "out.csv", "--undeclared", undeclared, "--quiet"])

    assert list(pd.read_csv("out.csv").columns) == names
    manifest = json.loads((folder / "out.csv.manifest.json").read_text(encoding="utf-8"))
    assert manifest["gate"]["undeclared"] == {"columns": ["ward", "odd näme"], "decision": undeclared}
    assert manifest["recipe"]["attributes"]["ward"] == {"role": undeclared}
    assert pn.verify_release(folder / "out.csv").holds


def test_roles_decide_column_by_column(tmp_path: Path) -> None:
    asked = problem(keep=["ward"], identifiers=["odd näme"])
    released = pn.release(asked, point(asked), tmp_path / "out.parquet")

    assert pq.read_table(tmp_path / "out.parquet").column_names == ["age", "ward"]
    assert (released.manifest or {})["gate"]["undeclared"] == {"columns": [], "decision": None}
    with pytest.raises(BadInput, match="undeclared is 'drop' or 'keep'"):
        pn.release(asked, point(asked), undeclared="publish")  # type: ignore[arg-type]


def test_what_a_transformer_is_told_about_other_columns_is_followed() -> None:
    ages = {"age": {"intervals": [10, 20]}}
    for options, names in (
        ({"undeclared": "drop"}, ["age"]),
        ({"keep": ["ward"], "drop": ["odd näme"]}, ["age", "ward"]),
    ):
        fitted = pn.Anonymizer(ages, k=3, **options).fit(PEOPLE)
        assert fitted.transform(PEOPLE).column_names == list(fitted.get_feature_names_out()) == names


@pytest.mark.parametrize("place", [None, "june.csv"])
def test_a_delivery_with_a_column_that_the_recoding_does_not_know_is_refused(folder: Path, place: str | None) -> None:
    asked = problem(KNOWN, keep=["ward"])
    pn.release(asked, point(asked), folder / "may.csv")
    new = PEOPLE.rename_columns(["age", "ward", "name"])

    with pytest.raises(NoRole, match="has a column without a role: 'name'"):
        pn.apply("may.csv.recoding.json", new, place)
    with pytest.raises(BadInput, match="can only be dropped"):
        pn.apply("may.csv.recoding.json", new, place, undeclared="keep")
    assert not Path("june.csv").exists()

    done = pn.apply("may.csv.recoding.json", new, place, undeclared="drop")
    made = done.table if place is None else pa.Table.from_pandas(pd.read_csv(place))
    assert made.column_names == ["age", "ward"]


def test_what_a_recoding_keeps_and_drops_is_known_to_it(folder: Path) -> None:
    pn.release(problem(), point(problem()), folder / "may.csv", undeclared="keep")
    assert pn.apply("may.csv.recoding.json", PEOPLE).table.column_names == PEOPLE.column_names

    document = json.loads(Path("may.csv.recoding.json").read_text(encoding="utf-8"))
    del document["recoding"]["keep"], document["recoding"]["drop"]  # as an earlier version wrote it
    Path("old.json").write_text(json.dumps(document), encoding="utf-8")
    with pytest.raises(NoRole, match="'ward', 'odd näme'"):
        pn.apply("old.json", PEOPLE)


@pytest.mark.parametrize(
    "arguments",
    [["may.csv.recoding.json", "people.csv", "--out", "june.csv"], ["may.csv.recoding.json", "people.csv"]],
    ids=["written", "judged"],
)
def test_the_command_that_applies_is_stopped_only_if_it_writes(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    asked = problem(KNOWN, keep=["ward"])
    pn.release(asked, point(asked), folder / "may.csv")
    if "--out" not in arguments:
        main(["apply", *arguments, "--quiet"])
        return
    with pytest.raises(SystemExit) as refused:
        main(["apply", *arguments, "--quiet"])
    assert (refused.value.code, "'odd näme'" in capsys.readouterr().err) == (2, True)
    main(["apply", *arguments, "--undeclared", "drop", "--quiet"])
    assert list(pd.read_csv("june.csv").columns) == ["age", "ward"]


def test_a_misspelt_column_is_still_named() -> None:
    with pytest.raises(UnknownAttribute, match="Did you mean 'ward'"):
        problem(drop=["wardd"])
