"""A problem says what is wrong with a request before anything is computed."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paranym.errors import BadInput, UnknownAttribute
from paranym.measures.base import Domain
from paranym.measures.loss.ncp import CertaintyPenalty
from paranym.problem import Problem
from paranym.recipe import Recipe

PEOPLE = pa.table({"zip": [1000, 1001, 9000], "id": ["a", "b", "c"], "ill": ["flu", "flu", "cold"]})


def problem(**options: Any) -> Problem:
    return Problem(PEOPLE, **{"quasi_identifiers": ["zip"], **options})


@pytest.mark.parametrize(
    "argument", ["quasi_identifiers", "sensitive", "identifiers", "keep", "drop", "others", "categorical", "missing"]
)
@pytest.mark.parametrize("given", ["zip", 5])
def test_what_is_no_list_is_not_taken_for_one(argument: str, given: object) -> None:
    with pytest.raises(BadInput) as caught:
        problem(**{argument: given})

    assert str(caught.value) == f"{argument} takes a list, such as [{str(given)!r}]; got {given!r}."


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"suppression": "1%"}, r"The suppression limit is a share between 0 and 1 .*; got '1%'"),
        ({"suppression": True}, r"The suppression limit is a share between 0 and 1 .*; got True"),
        ({"suppression_rows": 1.5}, r"The number of rows that may be suppressed is a whole number .*; got 1\.5"),
        ({"weights": {"zip": "2"}}, r"The weight of 'zip' must be a positive number; got '2'"),
        ({"weights": {"ill": 2.0}}, r"'ill' is not a quasi-identifier; only quasi-identifiers can have weights"),
        (
            {"categorical": ["ill"]},
            r"'ill' is not a quasi-identifier; only quasi-identifiers can be declared categorical",
        ),
    ],
    ids=str,
)
def test_an_argument_of_the_wrong_kind_is_named_with_what_is_expected(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadInput, match=f"^{message}"):
        problem(**options)


def test_numbers_may_be_said_to_be_categories() -> None:
    def penalty(asked: Problem) -> list[float]:
        [hierarchy] = asked.hierarchies
        costs = CertaintyPenalty().costs(Domain(hierarchy, asked.frequency.counts), asked.rows)
        return [float(numerators.max()) / costs.denominator for numerators in costs.numerators]

    rows = [["1000", "10xx", "*"], ["1001", "10xx", "*"], ["9000", "90xx", "*"]]

    assert penalty(problem(quasi_identifiers={"zip": rows})) == [0, 1 / 8000, 1]
    assert penalty(problem(quasi_identifiers={"zip": rows}, categorical=["zip"])) == [0, 2 / 3, 1]


def recipe(folder: Path, **attributes: dict[str, Any]) -> Recipe:
    (folder / "people.csv").write_text("zip,id\n1000,a\n1001,b\n", encoding="utf-8")
    zip_code = {"role": "quasi-identifier", **attributes.pop("zip", {})}
    return Recipe.parse(
        {"data": {"source": "people.csv"}, "attributes": {"zip": zip_code, **attributes}}, folder=folder
    )


def test_a_recipe_says_that_numbers_are_categories(tmp_path: Path) -> None:
    [plain] = Problem.from_recipe(recipe(tmp_path)).hierarchies
    [categories] = Problem.from_recipe(recipe(tmp_path, zip={"numeric": False})).hierarchies

    assert plain.numbers is not None
    assert categories.numbers is None


@pytest.mark.parametrize("role", ["keep", "drop", "other", "identifier", "sensitive", "label"])
def test_every_column_of_a_recipe_must_be_there(tmp_path: Path, role: str) -> None:
    with pytest.raises(UnknownAttribute, match=r"^No column 'idd'; the table has 'zip', 'id'\. Did you mean 'id'\?$"):
        Problem.from_recipe(recipe(tmp_path, idd={"role": role}))


def test_a_column_may_be_named_without_a_role_and_must_be_there(tmp_path: Path) -> None:
    assert Problem.from_recipe(recipe(tmp_path, id={})).without_role == ("id",)
    assert Problem.from_recipe(recipe(tmp_path, id={"role": "keep"})).without_role == ()
    with pytest.raises(UnknownAttribute, match="'idd'"):
        Problem.from_recipe(recipe(tmp_path, idd={}))


def test_the_former_names_of_keep_are_read_with_a_notice(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    former = Problem.from_recipe(recipe(tmp_path, id={"role": "other"}))
    assert former.schema.attributes[-1].role == "keep"
    assert 'the role "other" is called "keep" now and read as that: published unchanged are id.' in caplog.text

    named = Problem(pa.table({"zip": [1], "id": [2]}), quasi_identifiers=["zip"], others=["id"])
    assert named.schema.attributes[-1].role == "keep"
    assert "`others` is called `keep` now" in caplog.text


@pytest.mark.parametrize(
    ("privacy", "model"),
    [
        ({"l": 2}, "frequency-l"),
        ({"l": {"value": 2, "kind": "distinct"}}, "distinct-l"),
        ({"l": {"value": 2, "kind": "entropy"}}, "entropy-l"),
        ({"l": {"value": 2, "kind": "recursive"}}, "recursive-c"),
        ({"p": 2}, "distinct-l"),
        ({"t": 0.5}, "equal-t"),
        ({"alpha": 0.5}, "alpha"),
        ({"beta": 0.5}, "basic-beta"),
        ({"beta": {"value": 0.5, "kind": "enhanced"}}, "enhanced-beta"),
        ({"delta": 0.5}, "delta-disclosure"),
    ],
    ids=str,
)
def test_every_kind_of_requirement_has_its_model(privacy: dict[str, object], model: str) -> None:
    [requirement] = problem(sensitive=["ill"], privacy=privacy).demands.requirements

    assert requirement.model.name == model
