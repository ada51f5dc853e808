"""Several fronts in one picture can be told apart, whatever they are called."""

import json
import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pyarrow as pa
import pytest

from paranym.errors import BadInput
from paranym.plots.fronts import compare_plot
from paranym.plots.saving import save_plot
from paranym.problem import Problem
from paranym.results.front import Front
from paranym.solve.fronts import frontier
from samples import adult_problem

HOSTILE = "</script><script>alert(1)</script>"


@pytest.fixture(scope="module")
def rules() -> dict[str, Front]:
    return {use: frontier(adult_problem("glm", 0.01, use)) for use in ("needed", "all")}


@pytest.fixture(scope="module")
def small() -> Front:
    return frontier(Problem(pa.table([["x", "y"]] * 2, names=[HOSTILE, "a"]), quasi_identifiers=[HOSTILE, "a"]))


def test_every_point_of_every_front_is_drawn_and_told(rules: dict[str, Front]) -> None:
    spec = compare_plot(rules).to_dict()

    rows = {row["words"]: row for values in spec["datasets"].values() for row in values}
    by_front = [row["tooltip"]["front"] for row in rows.values()]
    assert len(rows) == sum(map(len, rules.values())) == 96
    assert by_front.count("needed (52 solutions, complete)") == 52
    assert by_front.count("all (44 solutions, complete)") == 44
    assert all(re.fullmatch("[0-6] of 6", row["tooltip"]["level of age"]) for row in rows.values())
    assert "needed (52 solutions, complete): Information loss against k for 52 solutions" in spec["description"]


def test_fronts_differ_in_more_than_colour(rules: dict[str, Front]) -> None:
    spec = compare_plot(rules).to_dict()

    lines = [layer["mark"]["strokeDash"] for layer in spec["layer"] if layer["mark"]["type"] == "line"]
    shapes = spec["layer"][1]["encoding"]["shape"]["scale"]
    assert len(lines) == len({tuple(dash) for dash in lines}) == 2
    assert shapes["domain"] == ["needed (52 solutions, complete)", "all (44 solutions, complete)"]
    assert len(set(shapes["range"])) == 2


@pytest.mark.parametrize("ending", ["html", "png", "svg", "pdf"])
def test_comparisons_are_written_in_every_format(rules: dict[str, Front], tmp_path: Path, ending: str) -> None:
    save_plot(compare_plot(rules), tmp_path / f"x.{ending}")

    assert (tmp_path / f"x.{ending}").stat().st_size > 10_000


def test_no_name_ends_the_script_that_it_stands_in(small: Front, tmp_path: Path) -> None:
    save_plot(compare_plot({HOSTILE: small, "<!--": small, "&amp;": small}), tmp_path / "x.html")

    page = (tmp_path / "x.html").read_text(encoding="utf-8")
    written = re.search("const spec = (.*);", page)
    assert HOSTILE not in page
    assert written is not None
    told = [row["tooltip"] for rows in json.loads(written[1])["datasets"].values() for row in rows]
    assert {row["front"].removesuffix(" (2 solutions, complete)") for row in told} == {HOSTILE, "<!--", "&amp;"}
    assert all(f"level of {HOSTILE}" in row for row in told)


def test_a_drawing_with_hostile_names_is_sound(small: Front, tmp_path: Path) -> None:
    save_plot(compare_plot({HOSTILE: small, "a\x07b": small}), tmp_path / "x.svg")

    drawing = ET.parse(tmp_path / "x.svg")  # noqa: S314 - our own drawing
    assert f"{HOSTILE} (2 solutions, complete)" in [mark.text for mark in drawing.iter()]


def test_names_that_look_alike_stay_apart(small: Front) -> None:
    spec = compare_plot({"a b": small, "a\nb": small}).to_dict()

    assert spec["layer"][1]["encoding"]["shape"]["scale"]["domain"] == [
        "a b (2 solutions, complete)",
        "a b (2 solutions, complete) #2",
    ]


@pytest.mark.parametrize("number", [0, 7])
def test_too_many_fronts_are_refused(small: Front, number: int) -> None:
    with pytest.raises(BadInput, match=f"^A comparison shows 1 to 6 fronts; got {number}"):
        compare_plot({str(n): small for n in range(number)})


def test_fronts_of_several_measures_name_them_all(rules: dict[str, Front]) -> None:
    other = frontier(adult_problem("dcn", 0.0, "all"))
    spec = compare_plot({**rules, "other": other}).to_dict()

    assert "(dcn / glm)" in spec["encoding"]["y"]["title"]
    assert "at most 0 or 301 of them suppressed" in spec["title"]["subtitle"][0]
