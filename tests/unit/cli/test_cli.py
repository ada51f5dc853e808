"""The command as people and scripts run it: exit codes, one clear message on standard error, JSON as promised."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from paranym.cli.app import main
from paranym.errors import BadInput

COMMAND = Path(sys.executable).with_name("paranym")

PEOPLE = "age,sex,income\n31,F,low\n34,M,low\n38,F,high\n52,M,high\n"
RECIPE = """
[data]
source = "people.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [10] }
[attributes.sex]
role = "quasi-identifier"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a table and its recipe."""
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    return tmp_path


@dataclass(frozen=True)
class Done:
    """How a command ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def message(self) -> str:
        """What went wrong, without the name of the command; never a traceback."""
        assert "Traceback" not in self.err
        said = self.err.strip()
        assert said.startswith("paranym: ")
        return said.removeprefix("paranym: ")


def run(folder: Path, *arguments: str) -> Done:
    """The installed command, in a process of its own."""
    environment = {**os.environ, "COLUMNS": "200", "NO_COLOR": "1"}
    done = subprocess.run(
        [COMMAND, *arguments], cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.fixture
def call(folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Done]:
    """The same within this process, which is faster."""
    monkeypatch.chdir(folder)

    def in_folder(*arguments: str) -> Done:
        try:
            main(arguments)
        except SystemExit as end:
            return Done(int(str(end.code)), *capsys.readouterr())
        return Done(0, *capsys.readouterr())

    return in_folder


def test_json_goes_to_standard_output_and_nothing_else_does(folder: Path) -> None:
    done = run(folder, "frontier", "recipe.toml", "--json", "-")

    assert done.code == 0
    front = json.loads(done.out, parse_constant=pytest.fail)
    assert front["method"] in ("exact", "exhaustive")
    assert 0 < front["evaluated_nodes"] <= front["lattice_nodes"] == 6
    assert (front["complete"], front["rows"], front["metric"]) == (True, 4, "glm")
    assert (front["objectives"], front["suppression_use"]) == (["k", "loss"], "needed")
    assert front["points"] == [
        _point(4, 8.0, {"age": 2, "sex": 1}),
        _point(2, 4.0, {"age": 2, "sex": 0}),
        _point(1, 0.0, {"age": 0, "sex": 0}),
    ]


def test_json_goes_to_a_file_and_quiet_is_quiet(folder: Path, call: Callable[..., Done]) -> None:
    done = call("frontier", "recipe.toml", "--quiet", "--json", "front.json")

    assert done == Done(0, "", "")
    front = json.loads((folder / "front.json").read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert [point["k"] for point in front["points"]] == [4, 2, 1]


def test_the_front_is_shown_as_a_table(call: Callable[..., Done]) -> None:
    done = call("frontier", "recipe.toml")

    assert done.code == 0
    assert "100.00%" in done.out
    assert "3 points, complete" in done.out


def test_the_ending_of_a_plot_may_be_written_in_capitals(folder: Path, call: Callable[..., Done]) -> None:
    done = call("frontier", "recipe.toml", "--quiet", "--plot", "Front.PNG")

    assert done == Done(0, "", "")
    assert (folder / "Front.PNG").read_bytes().startswith(b"\x89PNG")


def test_a_plot_of_the_demo_is_there_only_when_complete(
    folder: Path, call: Callable[..., Done], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop_half_way(_: object, path: Path) -> None:
        path.write_text("half of it", encoding="utf-8")
        raise BadInput("The disk is full.")

    monkeypatch.setattr("paranym.plots.front.save_front_plot", stop_half_way)

    assert call("demo", "--folder", "here").code == 2
    assert [path.name for path in (folder / "here").iterdir()] == ["front.json"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["frontier", "gone.toml"], "gone.toml: cannot be read: No such file or directory."),
        (["frontier", "recipe.toml", "--bogus"], "Unknown option: --bogus."),
        (["frontier", "recipe.toml", "--method", "magic"], 'Invalid value "magic" for --method.'),
        (["frontier"], "requires an argument"),
        (["frontier", "recipe.toml", "--json"], "--json requires an argument"),
        (["frontier", "recipe.toml", "--json", "--quiet"], "--json requires an argument"),
        (["nonsense"], 'Unknown command "nonsense".'),
        (["frontier", "recipe.toml", "--quiet", "--json", "gone/front.json"], "'gone/front.json'"),
        (["frontier", "recipe.toml", "--quiet", "--plot", "gone/front.png"], "'gone/front.png'"),
        (["frontier", "recipe.toml", "--quiet", "--plot", "front.xyz"], "'front.xyz'"),
        (["demo", "--folder", "recipe.toml"], "Cannot make the folder 'recipe.toml': File exists."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_wrong_usage_has_exit_code_2_and_a_message(
    call: Callable[..., Done], arguments: list[str], message: str
) -> None:
    done = call(*arguments)

    assert (done.code, done.out) == (2, "")
    assert message in done.message


@pytest.mark.parametrize(
    ("recipe", "table", "message"),
    [
        (
            RECIPE.replace("people", "gone"),
            PEOPLE,
            "Cannot read gone.csv: there is no file 'gone.csv'.",
        ),
        (
            RECIPE.replace("attributes.sex", "attributes.sexx"),
            PEOPLE,
            "No column 'sexx'; the table has 'age', 'sex', 'income'. Did you mean 'sex'?",
        ),
        (
            RECIPE.replace("{ intervals = [10] }", '"age.csv"'),
            PEOPLE,
            "Hierarchy of 'age': cannot read 'age.csv': No such file or directory.",
        ),
        (
            RECIPE,
            PEOPLE + "?,M,low\n",
            (
                "Hierarchy of 'age', level 0: intervals need numbers; the column has '?'. "
                "Name what shall stay by itself with apart = [...]."
            ),
        ),
        (
            RECIPE,
            "age,sex\n",
            "people.csv has no rows: there is nothing to anonymize.",
        ),
        (
            RECIPE + '[loss]\nmetric = "ce"\n',
            PEOPLE,
            "recipe.toml: loss.metric: 'ce' needs a column with the role 'label'",
        ),
    ],
    ids=["source", "column", "hierarchy", "value", "rows", "label"],
)
def test_bad_input_has_exit_code_2_and_one_sentence(
    folder: Path, call: Callable[..., Done], recipe: str, table: str, message: str
) -> None:
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    (folder / "people.csv").write_text(table, encoding="utf-8")

    done = call("frontier", "recipe.toml")

    assert (done.code, done.out, done.message) == (2, "", message)


def test_several_faults_are_said_at_once(folder: Path, call: Callable[..., Done]) -> None:
    (folder / "recipe.toml").write_text(RECIPE + "weight = 0\n[privacy]\nsuppression = 7\n", encoding="utf-8")

    done = call("frontier", "recipe.toml")

    assert done.message.splitlines() == [
        "recipe.toml: attributes.sex.weight: should be greater than 0; got 0",
        "recipe.toml: privacy.suppression: should be less than or equal to 1; got 7",
    ]


def test_a_ragged_line_is_named_but_not_shown(folder: Path) -> None:
    (folder / "people.csv").write_text(PEOPLE + "secret,M\n", encoding="utf-8")

    done = run(folder, "frontier", "recipe.toml")

    assert (done.code, done.out) == (2, "")
    assert "line 6: the number of fields is 2 where the first line has 3." in done.message
    assert "secret" not in done.err


def test_whoever_reads_may_stop_reading(folder: Path) -> None:
    process = subprocess.Popen(
        [COMMAND, "frontier", "recipe.toml", "--json", "-"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.close()

    assert process.stderr is not None
    assert b"Error" not in process.stderr.read()
    process.stderr.close()
    process.wait()


@pytest.mark.parametrize("arguments", [["--help"], ["frontier", "--help"], ["--version"], []], ids=str)
def test_help_and_version_are_done(call: Callable[..., Done], arguments: list[str]) -> None:
    done = call(*arguments)

    assert (done.code, done.err) == (0, "")
    assert done.out


def test_a_request_that_cannot_be_met_has_exit_code_1(call: Callable[..., Done]) -> None:
    done = call("ask", "recipe.toml", "--min-k", "10", "--quiet")

    assert (done.code, done.out) == (1, "")
    assert done.message.startswith("k = 10 is impossible: the table has 4 rows.")


def _point(k: int, loss: float, levels: dict[str, int]) -> dict[str, object]:
    """A point of this table: nothing suppressed, nothing tied, proved to be optimal."""
    weighted_k = {4: 4.0, 2: 2.0, 1: 1.0}[k]
    return {
        "k": k,
        "loss": loss,
        "loss_fraction": loss / 8,
        "suppressed": 0,
        "weighted_k": weighted_k,
        "levels": levels,
        "alternatives": [],
        "bound": loss,
        "bound_fraction": loss / 8,
        "proved": True,
    }
