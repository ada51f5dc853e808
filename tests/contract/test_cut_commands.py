"""Cuts from recipe to release, as people and scripts run them: `frontier --method nsga2 --json`, then `release`."""

import csv
import json
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.saved.front import read_front

RECIPE = """
[data]
source = "people.csv"
[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [5, 10, 20] }
[attributes.sex]
role = "quasi-identifier"
[attributes.ill]
role = "sensitive"
[privacy]
suppression = 0.1
"""
Call = Callable[..., tuple[int, str, str]]


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """The command in a folder with a table and its recipe: exit code, standard output, standard error."""
    draw = random.Random(5)  # noqa: S311 - rows for a test
    rows = [(draw.randint(20, 59), draw.choice("FM"), draw.choice(["flu", "cold", "gout"])) for _ in range(120)]
    lines = ["age,sex,ill", *(",".join(map(str, row)) for row in rows)]
    (tmp_path / "people.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
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


def evolve(call: Call, *more: str, method: str = "nsga2") -> dict[str, Any]:
    options = ("--method", method, "--population", "30", "--generations", "8", "--seed", "7", "--json", "front.json")
    code, _, error = call("frontier", "recipe.toml", *options, *more)
    assert code == 0, error
    found: dict[str, Any] = json.loads(Path("front.json").read_text(encoding="utf-8"))
    return found


def classes_of(path: str) -> Counter[tuple[str, str]]:
    with Path(path).open(encoding="utf-8", newline="") as file:
        return Counter((row["age"], row["sex"]) for row in csv.DictReader(file))


@pytest.mark.parametrize("number", [1, 2, 3])
def test_a_point_of_a_saved_front_is_released_as_it_promises(call: Call, number: int) -> None:
    front = evolve(call, "--problem", str(number), "--start", "greedy")
    chosen = max(n for n, point in enumerate(front["points"], 1) if point["k"] > 2 and point["suppressed"] <= 12)
    point = front["points"][chosen - 1]

    code, _, error = call("release", "recipe.toml", "--front", "front.json", "--point", str(chosen), "--out", "out.csv")

    assert code == 0, error
    sizes = classes_of("out.csv")
    assert min(sizes.values()) == point["k"]
    assert sum(sizes.values()) == 120 - point["suppressed"]
    assert {age for age, _ in sizes} <= set(point["cuts"]["age"]["values"])
    assert call("verify", "out.csv")[0] == 0


@pytest.mark.parametrize("preferred", ["k", "l"])
def test_a_safe_point_is_chosen_by_preference_and_released(call: Call, preferred: str) -> None:
    front = evolve(call, "--problem", "4", "--preferred", preferred)
    within = [point for point in front["points"] if point["loss_fraction"] <= 0.9]
    most = max(within, key=lambda point: (point["l"], point["k"], -point["loss_fraction"]))

    choice = ("--front", "front.json", "--prefer", "l,k", "--max-loss", "90%")
    code, _, error = call("release", "recipe.toml", *choice, "--out", "out.csv")

    assert code == 0, error
    assert min(classes_of("out.csv").values()) == most["k"]
    by_class: dict[tuple[str, str], Counter[str]] = {}
    with Path("out.csv").open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            by_class.setdefault((row["age"], row["sex"]), Counter())[row["ill"]] += 1
    reached = min(sum(ills.values()) // max(ills.values()) for ills in by_class.values())
    assert reached == most["l"]


def test_limits_and_freedom_of_cuts_can_be_written_in_the_recipe(call: Call) -> None:
    written = "[evolution]\nmax_loss = 0.5\nunconstrained = []\ngranularity = { age = 1 }\n"
    Path("recipe.toml").write_text(RECIPE + "k = 3\n" + written, encoding="utf-8")

    front = evolve(call)
    wider = evolve(call, "--max-loss", "80%")

    assert front["demands"] == "k of at least 3 and a loss of at most 0.5"
    assert all(point["k"] >= 3 and point["loss_fraction"] <= 0.5 for point in front["points"])
    assert all(len(point["cuts"]["age"]["bits"]) == 7 for point in front["points"])
    assert max(point["loss_fraction"] for point in wider["points"]) > 0.5


def test_plots_show_whatever_is_traded_off_and_a_curve_can_be_fitted(call: Call) -> None:
    for number in ("1", "2", "3", "4"):
        evolve(call, "--problem", number, "--plot", f"{number}.svg")
        assert "<svg" in Path(f"{number}.svg").read_text(encoding="utf-8")

    code, told, _ = call("frontier", "recipe.toml", "--fit", "2", "--plot", "fitted.svg")

    assert code == 0
    assert "Fitted to k from" in told
    assert "loss = " in Path("fitted.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "the exact front of levels and greedy specialization"),
        (("--start", "both"), "the exact front of levels and greedy specialization"),
        (("--start", "exact"), "the exact front of levels"),
        (("--start", "greedy"), "greedy specialization"),
        (("--start", "random"), "cuts drawn at random"),
    ],
)
@pytest.mark.parametrize("problem", ["2", "4"])
def test_a_front_says_what_it_started_from(call: Call, problem: str, options: tuple[str, ...], said: str) -> None:
    assert evolve(call, "--problem", problem, *options)["start"] == said


@pytest.mark.parametrize("method", ["nsga3", "moead", "sms-emoa"])
def test_other_algorithms_are_methods_too(call: Call, method: str) -> None:
    assert evolve(call, "--problem", "3", method=method)["method"] == method


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("frontier", "recipe.toml", "--max-loss", "30%"), "--max-loss is for --method nsga2"),
        (("frontier", "recipe.toml", "--method", "moead", "--depth", "2"), "Only the method 'poka' has a depth"),
        (("ask", "recipe.toml", "--method", "nsga3"), "Cuts are found by"),
        (("release", "recipe.toml", "--prefer", "k", "--point", "1", "--out", "x.csv"), "--prefer chooses by itself"),
    ],
)
def test_options_that_do_not_go_together_are_refused(call: Call, arguments: tuple[str, ...], said: str) -> None:
    code, _, error = call(*arguments)

    assert code == 2
    assert said in error


def test_a_front_of_cuts_says_that_it_is_private_and_one_of_levels_that_it_is_not(call: Call) -> None:
    options = ("--population", "20", "--generations", "3", "--seed", "7", "--json", "cuts.json")
    code, shown, _ = call("frontier", "recipe.toml", "--method", "nsga2", *options)
    cuts = json.loads(Path("cuts.json").read_text(encoding="utf-8"))
    assert code == 0
    assert "Private: cuts.json, which holds values of the original table." in shown
    assert (cuts["private"], "Do not publish it" in cuts["notice"]) == (True, True)
    assert Path("cuts.json").stat().st_mode & 0o077 == 0

    code, shown, _ = call("frontier", "recipe.toml", "--json", "levels.json")
    levels = json.loads(Path("levels.json").read_text(encoding="utf-8"))
    assert code == 0
    assert "Private:" not in shown
    assert (levels["private"], "notice" in levels) == (False, False)


def test_whatever_is_made_of_a_front_of_cuts_is_private(call: Call) -> None:
    evolve(call, "--start", "greedy")
    front = read_front(Path("front.json"))

    assert pn.ask(front, min_k=2).as_dict()["private"] is True
    assert pn.describe(front).as_dict()["private"] is True
    code, shown, error = call("run", "recipe.toml", "--front", "front.json", "--point", "1", "--json", "all.json")
    assert code == 0, error
    assert json.loads(Path("all.json").read_text(encoding="utf-8"))["private"] is True
    assert "Private: all.json" in shown


def prove(call: Call, *more: str) -> dict[str, Any]:
    code, _, error = call("frontier", "recipe.toml", "--recoding", "cuts", "--json", "front.json", *more)
    assert code == 0, error
    found: dict[str, Any] = json.loads(Path("front.json").read_text(encoding="utf-8"))
    return found


def test_the_best_cuts_are_proved_and_released(call: Call) -> None:
    levels = call("frontier", "recipe.toml", "--json", "levels.json")
    by_levels = json.loads(Path("levels.json").read_text(encoding="utf-8"))
    found = prove(call, "--unconstrained", "none")

    assert levels[0] == 0
    assert (found["method"], found["recoding"], found["complete"], found["gap"]) == ("exact", "cuts", True, 0.0)
    assert (by_levels["recoding"], by_levels["gap"]) == ("levels", 0.0)
    assert all(point["proved"] and point["bound"] == point["loss"] for point in found["points"])
    for point in by_levels["points"]:
        assert min(each["loss"] for each in found["points"] if each["k"] >= point["k"]) <= point["loss"] + 1e-9
    assert read_front(Path("front.json")).complete

    chosen = max(number for number, point in enumerate(found["points"], 1) if point["k"] > 2)
    code, _, error = call("release", "recipe.toml", "--front", "front.json", "--point", str(chosen), "--out", "out.csv")
    assert code == 0, error
    assert min(classes_of("out.csv").values()) == found["points"][chosen - 1]["k"]


def test_a_search_that_is_stopped_shows_what_better_cuts_could_lose(call: Call) -> None:
    found = prove(call, "--evaluations", "50")
    _, shown, _ = call("frontier", "recipe.toml", "--recoding", "cuts", "--evaluations", "50")

    assert not found["complete"]
    assert found["gap"] > 0
    assert "at least" in shown


def test_greedy_cuts_have_bounds(call: Call) -> None:
    found = prove(call, "--method", "greedy", "--unconstrained", "none")

    assert found["method"] == "greedy"
    assert all(point["bound"] <= point["loss"] for point in found["points"])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--recoding", "levels", "--method", "nsga2"), "searches cuts"),
        (("--recoding", "cuts", "--method", "poka"), "The methods for cuts are"),
        (("--recoding", "cuts", "--population", "30"), "--population is for --method nsga2"),
        (("--unconstrained", "none"), "--unconstrained is for"),
        (("--recoding", "cuts", "--objectives", "k,l,loss"), "trades off k and loss"),
    ],
)
def test_options_for_cuts_are_refused_elsewhere(call: Call, arguments: tuple[str, ...], said: str) -> None:
    code, _, error = call("frontier", "recipe.toml", *arguments)

    assert code == 2
    assert said in " ".join(error.split())


def test_a_question_about_cuts_is_answered_from_their_proved_front(call: Call) -> None:
    found = prove(call, "--unconstrained", "none")
    best = min(point["loss"] for point in found["points"] if point["k"] >= 5)

    code, shown, error = call(
        "ask", "recipe.toml", "--min-k", "5", "--recoding", "cuts", "--unconstrained", "none", "--json", "answer.json"
    )

    assert code == 0, error
    assert json.loads(Path("answer.json").read_text(encoding="utf-8"))["point"]["loss"] == best
    assert "cuts were evaluated or proved to be no better" in " ".join(shown.split())
    code, _, error = call("ask", "recipe.toml", "--min-k", "5", "--unconstrained", "none")
    assert code == 2
    assert "--unconstrained is for" in error
