"""The picture of a front shows what was found, evaluated and proved, whatever columns are named; no name runs."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.plots.front import check_plot_format, front_plot, save_front_plot
from paranym.problem import Problem
from paranym.results.assessment import Assessments, Floats, Ints
from paranym.results.front import Corner, Front, Point, Solution
from paranym.search.base import Budget
from paranym.solve.fronts import frontier
from samples import adult_problem

ODD = [
    "</script><script>alert(1)</script>",
    "<!--",
    "&amp;",
    "a\\b",
    'say "c\\',
    "it's",
    "k",
    "title",
    "{{x}}",
    "\x07\n",
]


def front_of(names: Sequence[str]) -> Front:
    return frontier(Problem(pa.table([["x", "y"]] * len(names), names=names), quasi_identifiers=names))


@pytest.fixture(scope="module")
def front() -> Front:
    return front_of(ODD)


def test_no_name_of_a_column_ends_the_script_that_it_stands_in(front: Front, tmp_path: Path) -> None:
    save_front_plot(front, tmp_path / "front.html")

    page = (tmp_path / "front.html").read_text(encoding="utf-8")
    plain = _page_of(["age"], tmp_path)
    assert "<script>alert" not in page
    assert (page.count("<script"), page.count("</script"), page.count("<!--")) == (
        plain.count("<script"),
        plain.count("</script"),
        plain.count("<!--"),
    )


def test_names_reach_the_page_as_they_are(front: Front, tmp_path: Path) -> None:
    save_front_plot(front, tmp_path / "front.html")

    written = re.search("const spec = (.*);", (tmp_path / "front.html").read_text(encoding="utf-8"))
    assert written is not None
    told = [row["tooltip"] for rows in json.loads(written[1])["datasets"].values() for row in rows]
    assert len(told) > len(front)
    expected = {"k", "information loss", "suppressed rows", "level of   ", *(f"level of {name}" for name in ODD[:-1])}
    assert all(set(each) == expected for each in told)


def test_a_drawing_with_odd_names_is_sound(front: Front, tmp_path: Path) -> None:
    save_front_plot(front, tmp_path / "front.svg")

    drawing = ET.parse(tmp_path / "front.svg")  # noqa: S314 - our own drawing
    told = [mark.get("aria-label", "") for mark in drawing.iter() if mark.get("aria-roledescription") == "point"]
    assert len(told) == len(front)
    assert all("level of </script><script>alert(1)</script>: " in words for words in told)


@pytest.mark.slow
def test_what_was_evaluated_stands_behind_the_front() -> None:
    front = adult_front()
    nodes = evaluated(front)

    [dots] = rows_of(front_plot(front), "evaluated solution")
    thinned = re.search("thinned to ([0-9,]+)", " ".join(subtitle(front_plot(front))))

    assert thinned is not None
    assert len(dots) == int(thinned[1].replace(",", "")) < len(nodes)
    assert is_close_to_some(nodes, front, dots)
    assert {row["tooltip"]["level of age"] for row in dots} == {f"{level} of 6" for level in range(7)}


def test_a_small_cloud_is_drawn_whole_and_none_on_request() -> None:
    front = front_of(["age"])

    [dots] = rows_of(front_plot(front), "evaluated solution")

    assert len(dots) == len(evaluated(front)) == 2
    assert "Behind them: 2 evaluated solutions." in subtitle(front_plot(front))
    assert rows_of(front_plot(front, cloud=False), "evaluated solution") == []


@pytest.mark.slow
def test_a_huge_cloud_is_thinned_to_what_a_page_can_hold() -> None:
    front, random = hand_made(), np.random.default_rng(0)
    many = 100_000
    cloud = steps(random.integers(1, 1000, many), random.uniform(0, 200, many))

    [dots] = rows_of(front_plot(front, cloud=cloud), "evaluated solution")

    assert 1000 < len(dots) <= 4000
    assert "Behind them: 100,000 evaluated solutions, thinned to" in " ".join(subtitle(front_plot(front, cloud=cloud)))


def test_only_choices_under_the_rule_are_drawn() -> None:
    cloud = steps(np.array([3, 5]), np.array([20.0, 30.0]), counts=np.array([False, True]))

    [dots] = rows_of(front_plot(hand_made(), cloud=cloud), "evaluated solution")

    assert [(row["k"], row["loss"]) for row in dots] == [(5, 0.15)]


def test_where_better_choices_may_hide_is_shaded() -> None:
    front = hand_made(possible=(Corner(1000, 200.0, 1.0), Corner(50, 60.0, 0.3), Corner(7, 0.0, 0.0)))

    shaded, bound = rows_of(front_plot(front), "better solutions are possible here")

    assert shaded == bound
    assert [(row["k"], row["loss"], row["found"]) for row in shaded] == [
        (1, 0.0, 0.25),
        (5, 0.0, 0.25),
        (7, 0.0, 0.5),
        (10, 0.3, 0.5),
        (50, 0.3, 1.0),
        (1000, 1.0, 1.0),
    ]
    assert "no solution with one level per column lies below the dashed line" in described(front_plot(front))


@pytest.mark.parametrize(
    ("complete", "possible", "words"),
    [
        (
            True,
            (Corner(1000, 200.0, 1.0),),
            "Proved complete: no solution with one level per column lies below the line",
        ),
        (True, None, "Proved complete: no solution with one level per column lies below the line"),
        (False, None, "Not proved complete"),
    ],
)
def test_nothing_is_shaded_where_all_or_nothing_is_proved(
    complete: bool,  # noqa: FBT001 - a case
    possible: tuple[Corner, ...] | None,
    words: str,
) -> None:
    chart = front_plot(hand_made(complete=complete, possible=possible))

    assert rows_of(chart, "better solutions are possible here") == []
    assert words in described(chart)
    assert any(words in line for line in subtitle(chart))


def test_a_search_that_ran_out_of_its_budget_is_drawn_with_what_is_left_to_hope_for(tmp_path: Path) -> None:
    front = frontier(adult_problem("dcn", 0.01, "needed"), budget=Budget(evaluations=40))

    save_front_plot(front, tmp_path / "front.svg")

    shaded, _ = rows_of(front_plot(front), "better solutions are possible here")
    assert not front.complete
    assert all(row["loss"] <= row["found"] for row in shaded)
    assert any(row["loss"] < row["found"] for row in shaded)


def test_no_loss_is_drawn_at_the_foot_of_a_logarithmic_axis(tmp_path: Path) -> None:
    front = hand_made(points=((1000, 200.0), (10, 2.0), (5, 0.5), (2, 0.0)))

    chart = front_plot(front)
    save_front_plot(front, tmp_path / "front.svg")

    [points, _] = rows_of(chart, "non-dominated solution")
    assert [row["tooltip"]["information loss"] for row in points] == ["100.00%", "1.00%", "0.25%", "0.00%"]
    assert 0 < points[-1]["loss"] < points[-2]["loss"] == 0.0025
    assert "log scale" in loss_title(chart)
    assert ">0</text>" in (tmp_path / "front.svg").read_text(encoding="utf-8")


def test_the_loss_has_the_axis_that_is_asked_for() -> None:
    wide = hand_made(points=((1000, 200.0), (10, 2.0), (5, 0.5)))

    assert "log scale" not in loss_title(front_plot(wide, log_loss=False))
    assert "log scale" not in loss_title(front_plot(hand_made()))
    assert "log scale" in loss_title(front_plot(hand_made(), log_loss=True))


def test_only_a_loss_about_cells_is_called_a_share_of_information() -> None:
    assert loss_title(front_plot(hand_made())) == "information loss (glm)"
    assert loss_title(front_plot(hand_made(metric="dcn"))) == "share of the largest possible loss (dcn)"


@pytest.mark.parametrize("points", [((1000, 200.0),), ((1000, 0.0),), ((1, 0.0),), ()])
@pytest.mark.parametrize("log_loss", [None, True])
@pytest.mark.parametrize("ending", ["html", "png", "svg", "pdf"])
def test_fronts_of_one_point_or_none_are_drawn(
    tmp_path: Path,
    points: tuple[tuple[int, float], ...],
    log_loss: bool | None,  # noqa: FBT001 - a case
    ending: str,
) -> None:
    cloud = steps(np.array([1, 1000]), np.array([0.0, 200.0]))

    save_front_plot(hand_made(points=points), tmp_path / f"x.{ending}", cloud=cloud, log_loss=log_loss)

    assert (tmp_path / f"x.{ending}").stat().st_size > 1000


def test_the_page_may_fetch_nothing_and_offers_no_other_site(front: Front, tmp_path: Path) -> None:
    save_front_plot(front, tmp_path / "front.html")

    page = (tmp_path / "front.html").read_text(encoding="utf-8")
    assert "default-src 'none'" in page
    assert re.search(r"<(script|link|img)[^>]* (src|href)=", page.split("</head>")[-1]) is None
    assert '"editor": false' in page


@pytest.mark.parametrize(
    ("name", "head"),
    [("x.PNG", b"\x89PNG"), ("x.Html", b"<!DOCTYPE html>"), ("x.SVG", b"<svg"), ("x.pdf", b"%PDF")],
)
def test_the_ending_names_the_format_whatever_its_case(tmp_path: Path, name: str, head: bytes) -> None:
    save_front_plot(front_of(["age"]), tmp_path / name)

    assert (tmp_path / name).read_bytes().startswith(head)


@pytest.mark.parametrize("name", ["x", "x.jpg", "png"])
def test_other_endings_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"^A plot is written as \.html, \.png, \.svg, \.pdf; got"):
        check_plot_format(Path(name))


def _page_of(names: Sequence[str], folder: Path) -> str:
    save_front_plot(front_of(names), folder / "plain.html")
    return (folder / "plain.html").read_text(encoding="utf-8")


def adult_front() -> Front:
    return frontier(adult_problem("glm", 0.01, "needed"))


def hand_made(points: tuple[tuple[int, float], ...] = ((1000, 200.0), (10, 100.0), (5, 50.0)), **changes: Any) -> Front:
    """A front whose fullest loss is 200."""
    return replace(
        Front(
            method="exact",
            complete=False,
            points=tuple(Point(k, loss, loss / 200, (Solution({"age": 1}, 0, 1.0),)) for k, loss in points),
            lattice_nodes=7,
            evaluated_nodes=3,
            rows=1000,
            metric="glm",
            suppression_use="needed",
            suppression_limit=10,
            heights={"age": 6},
            decided_nodes=3,
        ),
        **changes,
    )


def steps(k: Ints, loss: Floats, *, counts: NDArray[np.bool_] | None = None) -> Assessments:
    """Evaluated nodes of one attribute."""
    none = np.zeros(len(k))
    return Assessments(
        levels=np.zeros((len(k), 1), np.int64),
        k=k,
        suppressed=none.astype(np.int64),
        loss=loss,
        surcharge=none,
        weighted_k=none,
        counts=np.ones(len(k), bool) if counts is None else counts,
        binds=np.ones(len(k), bool),
        values=np.empty((len(k), 0)),
        unresolved=np.zeros(len(k), bool),
    )


def evaluated(front: Front) -> Assessments:
    assert front.certificate is not None
    return front.certificate.solutions


def is_close_to_some(nodes: Assessments, front: Front, dots: list[dict[str, Any]]) -> bool:
    """Whether every choice has a dot within two pixels or so."""
    k, loss = (np.array([row[key] for row in dots]) for key in ("k", "loss"))
    across = np.abs(np.log(nodes.k)[:, None] - np.log(k)) / np.log(front.rows)
    up = np.abs((nodes.loss / front[0].loss)[:, None] - loss)
    return bool(((across < 1 / 300) & (up < 1 / 200)).any(axis=1).all())


def rows_of(chart: alt.LayerChart, what: str) -> list[list[dict[str, Any]]]:
    """The rows of each layer that shows such marks."""
    spec = chart.to_dict()
    layers = [spec["datasets"][layer.get("data", spec.get("data"))["name"]] for layer in spec["layer"]]
    return [rows for rows in layers if rows and rows[0]["what"] == what]


def subtitle(chart: alt.LayerChart) -> list[str]:
    lines: list[str] = chart.to_dict()["title"]["subtitle"]
    return lines


def described(chart: alt.LayerChart) -> str:
    words: str = chart.to_dict()["description"]
    return words


def loss_title(chart: alt.LayerChart) -> str:
    title: str = chart.to_dict()["encoding"]["y"]["title"]
    return title
