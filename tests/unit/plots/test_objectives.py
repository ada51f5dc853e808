"""Fronts in any of their objectives, and class sizes, as pictures."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import paranym as pn
from paranym.errors import BadInput
from paranym.plots.class_sizes import save_sizes_plot, sizes_plot
from paranym.plots.objectives import objectives_plot, save_objectives_plot
from paranym.results.front import Point, Solution

POINTS = [
    Point(k, 0.0, loss, (Solution({}, 0, 3.0 * k),), {"l": 2.0, "gl": loss / 2})
    for k, loss in [(2, 0.1), (20, 0.3), (200, 0.6)]
]


def drawn(chart: Any) -> Iterator[dict[str, Any]]:
    """The rows of all layers."""
    spec = chart.to_dict()
    for layer in spec.get("layer", [spec]):
        yield from spec["datasets"][layer.get("data", spec.get("data"))["name"]]


def test_points_are_drawn_by_the_names_that_are_given() -> None:
    rows = list(drawn(objectives_plot(POINTS, axes=("weighted_k", "gl", "l"))))

    assert rows == [{"weighted_k": 3.0 * p.k, "gl": p.loss_fraction / 2, "l": 2.0} for p in POINTS]
    with pytest.raises(BadInput, match="no 'sl'"):
        objectives_plot(POINTS, axes=("k", "sl"))


def test_a_curve_runs_from_end_to_end_and_is_told() -> None:
    curve = pn.Curve("k", (0.0, 0.25), 0.9, 2.0, 200.0)
    chart = objectives_plot(POINTS, axes=("k", "loss"), curve=curve)
    rows = list(drawn(chart))[len(POINTS) :]

    assert (rows[0]["k"], rows[-1]["k"]) == pytest.approx((2, 200))
    assert rows[-1]["loss"] == pytest.approx(0.25 * np.log10(200))
    assert curve.formula in chart.to_dict()["title"]["subtitle"][1]


def test_sizes_are_drawn_as_shares_of_rows() -> None:
    rows = list(drawn(sizes_plot({"fine": np.array([2, 2, 4]), "coarse": np.array([8])})))

    assert [(row["size"], row["share"]) for row in rows if row["recoding"] == "fine"] == [(1, 0), (2, 0.5), (4, 1)]
    assert [(row["size"], row["share"]) for row in rows if row["recoding"] == "coarse"] == [(1, 0), (8, 1)]


def test_pictures_are_written(tmp_path: Path) -> None:
    save_objectives_plot(POINTS, tmp_path / "front.svg", axes=("k", "loss"))
    save_sizes_plot({"one": np.array([1, 3])}, tmp_path / "sizes.png")

    assert (tmp_path / "front.svg").read_text(encoding="utf-8").startswith("<svg")
    assert (tmp_path / "sizes.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(BadInput, match="A plot is written as"):
        save_sizes_plot({"one": np.array([1])}, tmp_path / "sizes.gif")
