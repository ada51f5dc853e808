"""`paranym ask` as people and scripts use it: sentences, JSON, exit codes."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.datasets import adult

COMMAND = Path(sys.executable).with_name("paranym")
PEOPLE = "age,sex\n31,F\n34,M\n38,F\n52,M\n55,F\n58,M\n"
RECIPE = """
[data]
source = "people.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [10, 20] }
[attributes.sex]
role = "quasi-identifier"
[privacy]
suppression_rows = 1
"""

Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Asks in a folder with a table and its recipe: exit code, output, errors."""
    (tmp_path / "people.csv").write_text(PEOPLE, encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(RECIPE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("paranym.cli.show.front.out._width", 200)

    def ask(*arguments: str, recipe: str = "recipe.toml") -> tuple[int, str, str]:
        try:
            main(["ask", recipe, *arguments])
        except SystemExit as end:
            return int(str(end.code)), *capsys.readouterr()
        return 0, *capsys.readouterr()

    return ask


def asked(call: Call, *arguments: str, recipe: str = "recipe.toml") -> Any:
    """The answer as JSON, with nothing else on standard output."""
    code, out, _ = call(*arguments, "--json", "-", recipe=recipe)
    assert code == 0
    return json.loads(out, parse_constant=pytest.fail)


def test_the_answer_is_told_in_sentences(call: Call) -> None:
    code, out, _ = call("--max-loss", "60%")

    assert code == 0
    assert out.splitlines() == [
        "With an information loss of at most 60%, the largest possible k is 3 with one level per column.",
        "- Information loss: 50.0% of the information (glm). No rows are suppressed; the limit is 1.",
        "- Fully generalized (*): age. Unchanged: sex.",
        "- k = 6 costs 50.0 percentage points more (100%, 40.0 percentage points above your limit).",
        "- A limit of 61% would not allow a larger k.",
        "- k = 1 (no protection) saves 50.0 percentage points (0%).",
        (
            "- This is optimal with one level per column: all 8 nodes of the lattice were evaluated or proved to be "
            "dominated."
        ),
    ]


def test_the_answer_is_json_with_its_neighbours(call: Call) -> None:
    answer = asked(call, "--max-loss", "0.6")

    assert answer["question"] == {"max_loss": 0.6, "min_k": None, "max_suppressed": 1}
    assert (answer["point"]["k"], answer["point"]["levels"]) == (3, {"age": 3, "sex": 0})
    assert (answer["better"]["k"], answer["better"]["more_k"], answer["better"]["more_loss_fraction"]) == (6, 3, 0.5)
    assert (answer["cheaper"]["k"], answer["one_point_more"]) == (1, None)
    assert (answer["proved"], answer["complete"], answer["best_possible_k"]) == (True, True, 3)
    assert "points" not in answer


@pytest.mark.parametrize("written", ["60%", "0.6", " 60 % ", ".6", "60.0%"])
def test_a_share_is_written_in_percent_or_as_a_fraction(call: Call, written: str) -> None:
    assert asked(call, "--max-loss", written)["question"]["max_loss"] == 0.6


def test_json_goes_to_a_file_and_quiet_is_quiet(call: Call) -> None:
    assert call("--min-k", "2", "--quiet", "--json", "answer.json") == (0, "", "")
    assert json.loads(Path("answer.json").read_text(encoding="utf-8"))["point"]["k"] == 3


def test_a_suppression_limit_of_its_own_has_a_front_of_its_own(call: Call) -> None:
    half, none = (
        asked(call, "--min-k", "2", "--max-suppression", "50%"),
        asked(call, "--min-k", "2", "--max-suppression", "0%"),
    )
    code, out, _ = call("--min-k", "2", "--max-suppression", "50%")

    assert (half["suppression_limit"], half["question"]["max_suppressed"]) == (3, 3)
    assert (none["suppression_limit"], none["point"]["suppressed"]) == (0, 0)
    assert half["point"]["loss"] <= none["point"]["loss"]
    assert code == 0
    assert out.splitlines()[-1] == "- The suppression limit is yours, 50% (3 rows); the recipe allows 1."


def test_without_a_question_the_front_is_described(call: Call) -> None:
    overview = asked(call)
    code, out, _ = call("--max-suppression", "0")

    assert (overview["most_private"]["k"], overview["least_lossy"]["k"]) == (6, 1)
    assert code == 0
    assert out.startswith(
        "The Pareto front has 3 points: from an information loss of 0% of the information (glm) with k = 1 (no "
        "protection) to 100% with k = 6."
    )
    assert "- No rows may be suppressed.\n" in out


@pytest.mark.parametrize(
    "arguments", [("--max-loss", "0%"), ("--max-loss", "100%"), ("--min-k", "1"), ("--min-k", "6")]
)
def test_the_ends_can_be_asked_for(call: Call, arguments: tuple[str, str]) -> None:
    assert asked(call, *arguments)["proved"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--min-k", "7"), "k = 7 is impossible: the table has 6 rows."),
        (("--min-k", "4", "--max-loss", "60%"), "No solution achieves k = 4 with an information loss of at most 60%."),
    ],
)
def test_what_cannot_be_had_ends_with_exit_code_1_and_the_nearest(
    call: Call, arguments: tuple[str, ...], message: str
) -> None:
    code, out, err = call(*arguments, "--quiet", "--json", "answer.json")

    assert (code, out) == (1, "")
    assert err.startswith(f"paranym: {message}")
    assert "k = 6 at 100%" in err
    assert not Path("answer.json").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--max-loss", "abc"), "--max-loss takes a share such as 25% or 0.25; got 'abc'."),
        (("--max-loss", "25"), "got '25'. Did you mean 25%?"),
        (("--max-loss", "1"), "got '1'. Did you mean 1%?"),
        (("--max-loss", "101%"), "--max-loss takes at most 100%; got '101%'."),
        (("--max-loss=-5%",), "got '-5%'."),
        (("--max-loss", "-5%"), "--max-loss"),
        (("--max-loss", "nan"), "got 'nan'."),
        (("--max-loss", ""), "--max-loss"),
        (("--max-loss", "25%%"), "got '25%%'."),
        (("--max-suppression", "5"), "--max-suppression takes a share such as 25% or 0.25; got '5'. Did you mean 5%?"),
        (("--min-k", "0"), "The smallest k is a whole number of at least 1; got 0."),
        (("--min-k", "-3"), "The smallest k is a whole number of at least 1; got -3."),
        (("--min-k", "2.5"), "--min-k"),
        (("--min-k", "abc"), "--min-k"),
        (("--min-k", "2", "--json", "gone/answer.json"), "'gone/answer.json'"),
        (("--min-k", "2", "--method", "magic"), "--method"),
    ],
    ids=str,
)
def test_wrong_usage_has_exit_code_2_and_a_message(call: Call, arguments: tuple[str, ...], message: str) -> None:
    code, out, err = call(*arguments)

    assert (code, out) == (2, "")
    assert err.startswith("paranym: ")
    assert message in err


def test_a_table_of_one_row_has_one_choice(call: Call) -> None:
    Path("people.csv").write_text("age,sex\n31,F\n", encoding="utf-8")

    assert asked(call, "--min-k", "1")["better"] is None
    assert asked(call)["average_price_of_doubling"] is None
    assert call("--min-k", "2")[0] == 1


def test_a_heuristic_admits_that_it_proves_nothing(call: Call) -> None:
    answer = asked(call, "--min-k", "2", "--method", "poka")

    assert (answer["method"], answer["proved"], answer["best_possible_k"]) == ("poka", False, None)
    assert answer["sentences"][-1].endswith("how much better is not known.")


def test_a_search_that_stopped_early_says_how_much_better_it_may_get(call: Call) -> None:
    answer = asked(call, "--max-loss", "25%", "--evaluations", "100", recipe=str(adult()))

    assert (answer["complete"], answer["proved"]) == (False, False)
    assert answer["best_possible_k"] >= 3
    assert "so a better solution may exist, but none" in answer["sentences"][-1]


@pytest.mark.parametrize("width", [80, 120])
def test_lines_fit_the_terminal(width: int) -> None:
    environment = {**os.environ, "COLUMNS": str(width), "NO_COLOR": "1"}
    done = subprocess.run(
        [COMMAND, "ask", adult(), "--max-loss", "40%", "--min-k", "10"],
        env=environment, capture_output=True, encoding="utf-8", check=True,
    )  # fmt: skip

    assert max(map(len, done.stdout.splitlines())) <= width
    assert "k = 16 is the best trade-off" in done.stdout


@pytest.mark.parametrize(
    ("share", "max_loss", "k"), [(0.0, 0.25, 1), (0.1, 0.25, 25), (0.1, 0.26, 30), (0.01, 0.25, 3)]
)
def test_the_questions_of_the_multi_objective_paper_on_the_adult_table(share: float, max_loss: float, k: int) -> None:
    front = pn.frontier(pn.Problem.from_recipe(adult()).with_suppression(share))

    assert pn.ask(front, max_loss=max_loss).point.k == k


def test_filtering_a_front_is_no_substitute_for_a_smaller_limit() -> None:
    """Points dominated by solutions that leave out more rows come back under a smaller limit."""
    problem = pn.Problem.from_recipe(adult())
    filtered = pn.ask(pn.frontier(problem), min_k=10, max_suppressed=100)
    computed = pn.ask(pn.frontier(problem.with_suppression(rows=100)), min_k=10)

    assert computed.point.loss < filtered.point.loss
    assert filtered.least_possible_loss is not None
    assert filtered.least_possible_loss <= computed.point.loss_fraction
    assert (filtered.proved, computed.proved) == (False, True)
