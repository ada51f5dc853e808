"""A person key: who is counted, what is refused, and that the key is never published."""

import pickle
from pathlib import Path

import pyarrow as pa
import pytest

import paranym as pn
from paranym.errors import BadInput, ParanymError
from paranym.model.schema import Role
from paranym.saved.front import front_from_dict

VISITS = pa.table(
    {
        "patient": ["p1", "p1", "p2", "p2", "p3", None, None],
        "ward": ["A", "A", "A", "B", "B", "B", "B"],
        "illness": ["flu", "cold", "flu", "flu", "cold", "flu", "flu"],
    }
)


def of_people(**options: object) -> pn.Problem:
    return pn.Problem(VISITS, quasi_identifiers=["ward"], person="patient", **options)  # type: ignore[arg-type]


def test_rows_without_a_person_are_people_of_their_own() -> None:
    problem = of_people()

    assert problem.people == 5
    assert problem.counted.sizes.tolist() == [2, 4]
    assert repr(problem).startswith("Problem(7 rows of 5 people, 2 combinations of ward")


def test_the_key_is_an_identifier() -> None:
    assert [each.name for each in of_people().schema.having(Role.IDENTIFIER)] == ["patient"]
    assert [each.name for each in of_people(drop=["patient"]).schema.having(Role.DROP)] == ["patient"]
    with pytest.raises(BadInput, match="never published"):
        of_people(keep=["patient"])


def test_rows_are_counted_on_request() -> None:
    problem = of_people(unit="row")

    assert (problem.people, problem.counted.sizes.tolist()) == (7, [3, 4])
    assert pn.frontier(problem).as_dict()["unit"] == "row"


def test_people_need_a_key() -> None:
    with pytest.raises(BadInput, match="name the column that identifies them"):
        pn.Problem(VISITS, quasi_identifiers=["ward"], unit="person")
    with pytest.raises(BadInput, match="unit is 'person' or 'row'"):
        of_people(unit="household")


def test_a_recipe_names_the_key(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("patient,ward\np1,A\np1,A\np2,A\n")
    recipe = tmp_path / "recipe.toml"
    data, ward = '[data]\nsource = "visits.csv"\nperson = "patient"\n', '[attributes.ward]\nrole = "quasi-identifier"\n'
    recipe.write_text(data + ward)

    assert pn.frontier(pn.Problem.from_recipe(recipe))[0].k == 2
    recipe.write_text(recipe.read_text() + '[privacy]\nunit = "row"\n')
    assert pn.frontier(pn.Problem.from_recipe(recipe))[0].k == 3


def test_a_front_of_people_can_be_saved_and_a_problem_pickled() -> None:
    problem = of_people()
    front = pn.frontier(problem)

    assert front_from_dict(front.as_dict()).largest_k == 5
    assert pn.frontier(pickle.loads(pickle.dumps(problem))).points == front.points  # noqa: S301 - our own
    with pytest.raises(ParanymError, match="above the number of people"):
        front_from_dict(front.as_dict() | {"people": 4})


def test_a_front_of_rows_does_not_pass_as_one_of_people() -> None:
    assert pn.verify_front(pn.frontier(of_people(unit="row")), of_people()).faults != ()


def test_what_cannot_count_people_refuses() -> None:
    problem = of_people(drop=["illness"])

    for refused in (
        lambda: pn.evolve(problem, 3),
        lambda: pn.recode_locally(problem, 2),
        lambda: pn.lower_bound(problem, 2),
        lambda: pn.frontier(problem, recoding="cuts"),
        lambda: pn.compare(problem, [2]),
        lambda: of_people(sensitive=["illness"], privacy={"l": 2}),
        lambda: of_people(sensitive=["illness"], objectives=["k", "l", "loss"]),
    ):
        with pytest.raises(BadInput, match="people"):
            refused()
