"""A front is a value: nobody changes it, and it travels between processes."""

import copy
import dataclasses
import pickle

import pyarrow as pa
import pytest

from paranym.problem import Problem
from paranym.results.front import AttributeLevels, Point, Solution
from paranym.solve.fronts import frontier

POINT = Point(5, 12.0, 0.25, (Solution({"age": 2, "sex": 0}, 0, 9.0), Solution({"age": 1, "sex": 1}, 1, 9.5)))


def test_levels_are_read_only() -> None:
    with pytest.raises(TypeError, match="does not support item assignment"):
        POINT.levels["age"] = 0  # type: ignore[index]


def test_levels_are_those_at_the_time_of_building() -> None:
    levels = {"age": 2}
    solution = Solution(levels, 0, 9.0)
    levels["age"] = 0

    assert dict(solution.levels) == {"age": 2}


def test_levels_are_compared_as_a_dictionary_is() -> None:
    assert AttributeLevels({"age": 2, "sex": 0}) == {"sex": 0, "age": 2}
    assert hash(AttributeLevels({"age": 2, "sex": 0})) == hash(AttributeLevels({"sex": 0, "age": 2}))
    assert repr(POINT.levels) == "{'age': 2, 'sex': 0}"


def test_a_point_survives_pickling_and_copying() -> None:
    for twin in (pickle.loads(pickle.dumps(POINT)), copy.deepcopy(POINT)):  # noqa: S301 - our own bytes
        assert twin == POINT
        assert list(twin.levels) == ["age", "sex"]


def test_a_front_survives_pickling_and_can_be_taken_apart() -> None:
    people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    front = frontier(Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}))

    twin = pickle.loads(pickle.dumps(front))  # noqa: S301 - our own bytes

    assert (twin, twin.as_dict()) == (front, front.as_dict())
    assert dataclasses.asdict(front)["heights"] == {"age": 2, "sex": 1}
    with pytest.raises(TypeError, match="does not support item assignment"):
        front.heights["age"] = 7  # type: ignore[index]


def test_a_point_can_be_taken_apart() -> None:
    [first, second] = dataclasses.asdict(POINT)["solutions"]

    assert first == {"levels": {"age": 2, "sex": 0}, "suppressed": 0, "weighted_k": 9.0, "cuts": None}
    assert second["levels"] == {"age": 1, "sex": 1}


def test_one_row_and_one_point_are_not_told_in_the_plural() -> None:
    front = frontier(Problem(pa.table({"age": [31]}), quasi_identifiers={"age": None}))

    assert front.summary().startswith("1 point, complete;")
    assert " 1 row, " in front.summary()
