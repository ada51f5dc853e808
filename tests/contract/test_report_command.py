"""`paranym report` and `paranym run` as people and scripts run them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from paranym.cli.app import main
from paranym.cli.registry import app

PEOPLE = "name,age,sex,illness\n" + "".join(
    f"p{n},{age},{sex},{'flu' if n % 2 else 'cold'}\n"
    for n, (age, sex) in enumerate(zip([31, 34, 38, 52, 55, 58, 90], "FMFMFMF", strict=True))
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
[attributes.illness]
role = "sensitive"
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


def choose(text: str) -> None:
    Path("recipe.toml").write_text(RECIPE + text, encoding="utf-8")


def test_a_choice_is_reported_before_anything_is_released(call: Call) -> None:
    code, out, _ = call("report", "recipe.toml", "--k", "3", "--json", "report.json")

    page = Path("report.html").read_text(encoding="utf-8")
    told = json.loads(Path("report.json").read_text(encoding="utf-8"))
    assert code == 0
    assert "A release of this solution is k-anonymous with k = 3." in out
    assert "Nothing has been released yet." in page
    assert "paranym release recipe.toml --k 3 --out FILE" in page
    assert (told["released"], told["assessment"]["k"], told["verification"]["holds"]) == (False, 3, True)
    assert not list(Path().glob("*.manifest.json"))


def test_a_release_is_reported_afterwards(call: Call) -> None:
    call("release", "recipe.toml", "--levels", "age=1,sex=1", "--k", "3", "--out", "out.parquet")

    code, out, _ = call("report", "recipe.toml", "--release", "out.parquet", "--out", "report.html")

    page = Path("report.html").read_text(encoding="utf-8")
    assert (code, "The release is k-anonymous with k = 3." in out) == (0, True)
    assert "out.parquet" in page
    assert 'paranym release recipe.toml --k 3 --levels "age=1,sex=1" --out FILE' in page.replace("&quot;", '"')
    assert "The levels of the columns were given, with a k of at least 3." in page


def test_a_release_of_another_table_is_not_reported(call: Call) -> None:
    call("release", "recipe.toml", "--k", "3", "--out", "out.csv")
    Path("people.csv").write_text(PEOPLE.replace("p1,", "q1,"), encoding="utf-8")

    code, _, err = call("report", "recipe.toml", "--release", "out.csv")

    assert code == 2
    assert "'out.csv' was released from another table than 'people.csv' is now." in err
    assert not Path("report.html").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--out", "report.txt"], "A report is written as .html or .pdf; got 'report.txt'."),
        (["--out", "gone/report.html"], "there is no folder 'gone'"),
        (["--k", "3", "--point", "1"], "Choose by one of --k, --max-loss, --point and --levels"),
        (["--release", "out.csv", "--k", "3"], "--release says which choice was made"),
        (["--out", "people.html", "--k", "3"], "is there already"),
    ],
)
def test_wrong_usage_is_told_before_any_work(call: Call, arguments: list[str], message: str) -> None:
    Path("people.html").write_text("mine", encoding="utf-8")

    code, _, err = call("report", "recipe.toml", *arguments)

    assert (code, message in err) == (2, True)
    assert Path("people.html").read_text(encoding="utf-8") == "mine"


@pytest.mark.browser
def test_run_does_it_all(call: Call) -> None:
    choose('[choice]\nk = 3\n[output]\nrelease = "out.parquet"\nreport = "why.html"\npdf = "why.pdf"\n')

    code, out, _ = call("run", "recipe.toml", "--json", "all.json")

    told = json.loads(Path("all.json").read_text(encoding="utf-8"))
    assert code == 0
    first = "out.parquet is written and verified: it is k-anonymous with k = 3 on the 2 quasi-identifiers"
    assert first in " ".join(out.split())
    assert "The report: why.html, why.pdf." in out
    assert call("verify", "out.parquet", "--quiet")[0] == 0
    assert Path("why.pdf").read_bytes().startswith(b"%PDF-")
    assert "paranym run recipe.toml" in Path("why.html").read_text(encoding="utf-8")
    assert told["manifest"]["chosen"] == {"k": 3}
    assert (told["front"]["complete"], told["report"]["released"]) == (True, True)
    assert "is there already" in call("run", "recipe.toml")[2]
    assert call("run", "recipe.toml", "--overwrite", "--quiet")[:2] == (0, "")


@pytest.mark.parametrize(
    ("section", "k"),
    [("[choice]\nmax_loss = 0.6\n", 3), ("[choice]\nlevels = { age = 3, sex = 1 }\n", 7), ("k = 2\n", 3), ("", None)],
)
def test_the_recipe_chooses(call: Call, section: str, k: int | None) -> None:
    choose(section)

    code, _, err = call("run", "recipe.toml", "--quiet", "--json", "all.json")

    if k is None:
        assert (code, "Add a section [choice] with k = 10 or max_loss = 0.25" in err) == (2, True)
    else:
        told = json.loads(Path("all.json").read_text(encoding="utf-8"))
        assert (code, told["manifest"]["assessment"]["k"]) == (0, k)
        assert sorted(path.name for path in Path().glob("people-*")) == [
            "people-released.csv",
            "people-released.csv.manifest.json",
            "people-released.csv.recoding.json",
            "people-report.html",
        ]


@pytest.mark.parametrize(
    ("section", "message"),
    [
        ("[choice]\nkk = 3\n", "choice.kk: unknown key; known here are k, max_loss, levels. Did you mean 'k'?"),
        ("[choice]\nlevels = { age = 1 }\nmax_loss = 0.1\n", "levels are a choice of their own; leave out max_loss"),
        ("[choice]\nmax_loss = 25\n", "choice.max_loss"),
        ('[output]\nfile = "x.csv"\n', "output.file: unknown key"),
    ],
)
def test_faults_of_a_choice_are_told_with_their_place(call: Call, section: str, message: str) -> None:
    choose(section)

    code, _, err = call("run", "recipe.toml")

    assert (code, message in err) == (2, True), err


def test_the_demo_ends_with_a_release_its_verification_and_the_report(call: Call) -> None:
    code, out, _ = call("demo", "--json", "manifest.json")

    assert code == 0
    assert "paranym-demo/adult-k10.csv is written and verified" in out
    assert json.loads(Path("manifest.json").read_text(encoding="utf-8"))["verification"]["holds"]
    assert call("verify", "paranym-demo/adult-k10.csv", "--quiet")[0] == 0
    assert "k-anonymous with k = 10" in Path("paranym-demo/report.html").read_text(encoding="utf-8")


def test_shells_can_complete_commands_and_options() -> None:
    for shell in ("bash", "zsh", "fish"):
        script = app.generate_completion(prog_name="paranym", shell=shell)

        assert all(word in script for word in ("release", "report", "keep-suppressed"))
