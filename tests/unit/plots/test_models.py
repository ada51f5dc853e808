"""Recoding models in one picture: every candidate is drawn, and what loses least stands out."""

from pathlib import Path

import pyarrow as pa

import paranym as pn
from paranym.comparison.models import MODELS, save_comparison_plot
from paranym.plots.models import Drawn, model_plot


def test_every_candidate_is_drawn_and_the_best_are_filled() -> None:
    points = [
        Drawn(model, k, loss, model == "cuts") for k in (2, 5) for model, loss in (("cuts", 0.1), ("mondrian", 0.2))
    ]
    spec = model_plot(points, metric="ncp", subtitle="Six rows.").to_dict()

    best, _, every, filled = [spec["datasets"][layer["data"]["name"]] for layer in spec["layer"]]
    assert [(row["model"], row["k"], row["loss"]) for row in every] == [(p.model, p.k, p.loss) for p in points]
    assert best == filled == [row for row in every if row["model"] == "cuts"]
    assert spec["encoding"]["x"]["axis"]["values"] == [2, 5]


def test_every_model_has_a_look_of_its_own() -> None:
    spec = model_plot([Drawn(model, 2, 0.1, False) for model in MODELS], metric="ncp", subtitle="").to_dict()
    scales = [spec["layer"][2]["encoding"][channel]["scale"] for channel in ("color", "shape")]

    assert all(len(set(scale["range"])) == len(MODELS) for scale in scales)


def test_a_comparison_is_drawn(tmp_path: Path) -> None:
    problem = pn.Problem(pa.table({"age": [24, 25, 30, 30, 32, 32]}), quasi_identifiers=["age"])
    save_comparison_plot(pn.compare(problem, [2, 3], models=["mondrian", "top-down"]), tmp_path / "models.svg")
    text = (tmp_path / "models.svg").read_text(encoding="utf-8")

    assert all(word in text for word in ("mondrian", "top-down", "6 rows", "least information loss"))
