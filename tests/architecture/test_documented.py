"""What a recipe takes and a result holds is documented."""

from pathlib import Path

import pytest

import paranym as pn
from paranym.datasets import adult
from paranym.measures.loss import LOSSES
from paranym.recipe import AttributeSection, DataSection, LossSection, PrivacySection

PAGE = (Path(__file__).parents[2] / "docs" / "recipe.md").read_text(encoding="utf-8")
KEYS = sorted(
    {key for section in (DataSection, AttributeSection, PrivacySection, LossSection) for key in section.model_fields}
)


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_a_recipe_is_documented(key: str) -> None:
    assert f"`{key}`" in PAGE


@pytest.mark.parametrize("metric", LOSSES)
def test_every_loss_is_documented(metric: str) -> None:
    assert f"`{metric}`" in PAGE


def test_every_key_of_a_result_is_documented() -> None:
    result = next(pn.approach(pn.Problem.from_recipe(adult()))).as_dict()

    assert [key for key in (*result, *result["points"][0]) if f"`{key}`" not in PAGE] == []


def test_every_key_of_generalizations_is_documented() -> None:
    found = pn.generalize(pn.Problem.from_recipe(adult()), k=5, algorithm="datafly").as_dict()

    assert [key for part in (found, found["best"]) for key in part if f"`{key}`" not in PAGE] == []


def test_every_key_of_an_answer_is_documented() -> None:
    front = pn.frontier(pn.Problem.from_recipe(adult()))
    answer, overview = pn.ask(front, max_loss=0.25).as_dict(), pn.describe(front).as_dict()
    nested = [answer["question"], answer["better"], overview["flat"][0], overview["knee"]]

    assert [key for part in (answer, overview, *nested) for key in part if f"`{key}`" not in PAGE] == []
