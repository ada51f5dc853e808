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
    "argument", ["quasi_identifiers", "sensitive", "identifiers", "others", "categorical", "missing"]
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
        ({"weights": {"ill": 2.0}}, r"Only quasi-identifiers have weights; 'ill' is none"),
        ({"categorical": ["ill"]}, r"Only quasi-identifiers are categorical; 'ill' is none"),
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


@pytest.mark.parametrize("role", ["other", "identifier", "sensitive", "label"])
def test_every_column_of_a_recipe_must_be_there(tmp_path: Path, role: str) -> None:
    with pytest.raises(UnknownAttribute, match=r"^No column 'idd'; the table has 'zip', 'id'\. Did you mean 'id'\?$"):
        Problem.from_recipe(recipe(tmp_path, idd={"role": role}))


def test_columns_that_are_kept_as_they_are_may_be_named(tmp_path: Path) -> None:
    assert Problem.from_recipe(recipe(tmp_path, id={})).schema.names == ("zip", "id")
