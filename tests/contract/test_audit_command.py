"""`paranym audit` as people and scripts run it: exit codes, one clear message on standard error, JSON as promised."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import duckdb
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from paranym.cli.app import main

PEOPLE = "age,sex,zip code,illness,visit\n" + "".join(
    f"{30 + i % 3},{'FM'[i % 2]},{i % 2},{('flu', 'cold', '?')[i % 3]},{i}\n" for i in range(24)
)
ASK = ("people.csv", "--quasi-identifiers", "age,sex", "--sensitive", "illness")


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str


@pytest.fixture
def audit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """The command, in a folder with a table."""
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Done:
        try:
            main(["audit", *arguments])
        except SystemExit as end:
            return Done(int(str(end.code)), *capsys.readouterr())
        return Done(0, *capsys.readouterr())

    return run


def test_what_was_found_is_told_in_words_and_numbers(audit: Callable[..., Done]) -> None:
    done = audit(*ASK)

    assert (done.code, done.err) == (0, "")
    told = " ".join(done.out.split())
    assert "24 rows form 6 equivalence classes by age and sex." in told
    assert "Every row has the same values in these two columns as at least 3 other rows: k = 4." in told
    assert "Warning: visit has 24 distinct values in 24 rows" in told
    assert "Warning: illness has a text such as ? or NA" in told
    assert "t-closeness with equal distance 0.6667" in told


def test_json_goes_to_standard_output_and_nothing_else_does(audit: Callable[..., Done]) -> None:
    done = audit(*ASK, "--json", "-")
    found = json.loads(done.out, parse_constant=pytest.fail)

    assert (found["table"], found["rows"], found["k"], found["classes"]) == ("people.csv", 24, 4, 6)
    assert (found["quasi_identifiers"], found["sensitive"]) == (["age", "sex"], ["illness"])
    assert found["models"]["illness"]["distinct-l"] == {"value": 1, "better": "larger", "rows": 24}
    assert found["models"]["illness"]["recursive-c"]["value"] is None
    assert found["combinations"]["illness"]["(k,l)-safe"] == {"k": 4, "l": 1}
    assert found["risk"]["prosecutor"]["highest"] == 0.25
    assert [concern["kind"] for concern in found["warnings"]] == ["nearly-unique", "token"]
    assert not {"flu", "cold"} & set(done.out.replace('"', " ").split())


def test_json_and_plots_go_to_files_and_quiet_is_quiet(audit: Callable[..., Done]) -> None:
    done = audit(*ASK, "--quiet", "--json", "audit.json", "--plot", "audit.png")

    assert done == Done(0, "", "")
    assert json.loads(Path("audit.json").read_text(encoding="utf-8"))["rows"] == 24
    assert Path("audit.png").read_bytes().startswith(b"\x89PNG")
    assert audit(*ASK, "--quiet", "--plot", "audit.html") == Done(0, "", "")
    assert "Rows by the size of their equivalence class" in Path("audit.html").read_text(encoding="utf-8")


def test_every_source_gives_the_same(audit: Callable[..., Done]) -> None:
    table = pyarrow.csv.read_csv("people.csv")
    pq.write_table(table, "people.parquet")
    with duckdb.connect("people.duckdb") as database:
        database.register("frame", table)
        database.execute("CREATE TABLE visits AS SELECT * FROM frame")
        database.execute("CREATE TABLE staff AS SELECT 1 AS id")
    Path("semicolons.csv").write_text(PEOPLE.replace(",", ";"), encoding="utf-16")

    audit(*ASK, "--json", "first.json")
    expected = json.loads(Path("first.json").read_text(encoding="utf-8"))
    for number, source in enumerate(
        (["people.parquet"], ["people.duckdb", "--name", "visits"], ["semicolons.csv", "--separator", ";"])
    ):
        assert audit(*source, *ASK[1:], "--quiet", "--json", f"{number}.json").code == 0
        found = json.loads(Path(f"{number}.json").read_text(encoding="utf-8"))
        assert {**found, "table": ""} == {**expected, "table": ""}


def test_names_with_blanks_and_commas_can_be_given(audit: Callable[..., Done]) -> None:
    Path("people.csv").write_text(PEOPLE.replace("zip code", '"zip, code"'), encoding="utf-8")
    done = audit("people.csv", "--quasi-identifiers", 'age, "zip, code"', "--json", "-")

    assert json.loads(done.out)["quasi_identifiers"] == ["age", "zip, code"]


def test_a_population_a_hierarchy_and_missing_tokens_are_taken(audit: Callable[..., Done]) -> None:
    Path("illness.csv").write_text("flu;ill;*\ncold;ill;*\n", encoding="utf-8")
    options = ("--hierarchy", "illness=illness.csv", "--missing", "?", "--population", "people.csv")
    found = json.loads(audit(*ASK, *options, "--identifiers", "visit", "--threshold", "0.3", "--json", "-").out)

    assert found["models"]["illness"]["hierarchical-t"]["value"] == pytest.approx((2 / 3 + 2 / 3) / 2)
    assert found["missing"]["rows"]["illness"] == 8
    assert found["against_population"]["k-map"]["value"] == 4
    assert found["risk"]["prosecutor"]["rows_at_risk"] == 0
    assert [concern["kind"] for concern in found["warnings"]] == ["identifier"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["people.csv"], "--quasi-identifiers"),
        (["gone.csv", *ASK[1:]], "there is no file 'gone.csv'"),
        (["people.csv", "--quasi-identifiers", "agee"], "No column 'agee'"),
        (["people.csv", "--quasi-identifiers", "agee"], "Did you mean 'age'?"),
        (["people.csv", "--quasi-identifiers", "age", "--sensitive", "ilness"], "Did you mean 'illness'?"),
        (["people.csv", "--quasi-identifiers", ","], "No column is a quasi-identifier"),
        ([*ASK, "--plot", "audit.xyz"], "A plot is written as .html"),
        ([*ASK, "--json", "gone/audit.json"], "there is no folder 'gone'"),
        ([*ASK, "--hierarchy", "illness"], "--hierarchy takes COLUMN=FILE"),
        ([*ASK, "--threshold", "7"], "between 0 and 1; got 7"),
        ([*ASK, "--bogus"], "Unknown option: --bogus."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_has_exit_code_2_and_a_message(
    audit: Callable[..., Done], arguments: list[str], message: str
) -> None:
    done = audit(*arguments)

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("paranym: ")
    assert message in done.err
    assert "Traceback" not in done.err
