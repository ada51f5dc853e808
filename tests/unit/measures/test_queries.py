"""The query workload: truth from rows, answers from ranges, errors between them."""

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.comparison.queries import query_error
from paranym.errors import BadInput
from paranym.measures.utility.queries import Answers, Boxes, Workload, boxes_of_labels, draw_workload, usual_workload
from paranym.measures.utility.queries import error_of_boxes as error_of
from paranym.model.axis import Axis
from paranym.model.hierarchy import Hierarchy

PETS = [["cat", "fur", "*"], ["dog", "fur", "*"], ["owl", "feathers", "*"], ["hen", "feathers", "*"]]


def ages(*values: int) -> Axis:
    return Axis(Hierarchy.suppression(values, attribute="age"))


def box(low: int, high: int, rows: int) -> Boxes:
    return Boxes(np.array([[low]], np.int32), np.array([[high]], np.int32), np.array([rows]))


def test_rows_of_a_class_are_spread_evenly_over_what_its_value_covers() -> None:
    axis = ages(10, 20, 30, 40)
    truth = Boxes(np.array([[0], [3]], np.int32), np.array([[0], [3]], np.int32), np.array([3, 1]))
    workload = Workload(np.array([[0], [1]]), np.array([[1], [2]]))

    found = error_of(workload, [axis], truth, box(0, 3, 4))

    assert found.zero == 1  # nobody is 20 or 30
    assert found.mean == found.median == pytest.approx(1 / 3)  # 2 of 4 instead of 3
    assert found.mean_at_zero == pytest.approx(2)


def test_sums_take_the_middle_of_a_range() -> None:
    axis = ages(10, 20, 30, 40)
    truth = Boxes(np.array([[0], [1]], np.int32), np.array([[0], [1]], np.int32), np.array([1, 1]))
    workload = Workload(np.array([[0]]), np.array([[3]]), total_of=0)

    assert error_of(workload, [axis], truth, box(0, 1, 2)).mean == pytest.approx(0)
    assert error_of(workload, [axis], truth, box(0, 3, 2)).mean == pytest.approx(20 / 30)


def test_queries_about_categories_take_leaves_or_branches() -> None:
    axis = Axis(Hierarchy.from_rows(PETS, attribute="pet"))
    workload = draw_workload([axis], queries=200)
    drawn = set(zip(workload.low[:, 0].tolist(), workload.high[:, 0].tolist(), strict=True))

    assert drawn == {(0, 0), (1, 1), (2, 2), (3, 3), (0, 1), (2, 3)}


def test_labels_of_a_level_and_of_a_cut_cover_their_leaves() -> None:
    axes = [ages(10, 20, 30, 40), Axis(Hierarchy.from_rows(PETS, attribute="pet"))]
    labelled = [np.array([0, 0, 0, 1]), np.array([0, 0, 1, 2])]  # 10 to 30 and 40; fur, owl, hen: a cut

    boxes = boxes_of_labels(axes, labelled, np.array([[0, 0], [1, 2]]), np.array([6, 1]))

    assert (boxes.low.tolist(), boxes.high.tolist()) == ([[0, 0], [3, 3]], [[2, 1], [3, 3]])
    six = Workload(np.array([[1, 0]]), np.array([[1, 0]]))  # cats of 20: one of 3 ages, one of 2 pets
    truth = Boxes(np.array([[1, 0]], np.int32), np.array([[1, 0]], np.int32), np.array([1]))
    assert error_of(six, axes, truth, boxes).mean == pytest.approx(0)  # 6 / 3 / 2 = 1


def test_broad_questions_can_be_looked_at_alone() -> None:
    answers = Answers(np.array([0.0, 4.0, 100.0, 200.0]), np.array([2.0, 1.0, 110.0, 200.0]))

    assert (answers.error().queries, answers.error().zero, answers.error().median) == (4, 1, 0.1)
    assert answers.error(least=50).mean == pytest.approx(0.05)


def test_a_table_of_very_many_combinations_is_asked_less() -> None:
    axes = [ages(10, 20, 30, 40)]

    assert [len(usual_workload(axes, combinations=many)) for many in (0, 20_000, 100_000, 10**9)] == [
        1000,
        1000,
        200,
        100,
    ]


def test_a_release_of_single_values_answers_everything() -> None:
    table = pa.table({"age": [1, 2, 2, 5, 7, 7], "pet": ["cat", "dog", "dog", "owl", "hen", "cat"]})
    problem = pn.Problem(table, quasi_identifiers={"age": None, "pet": PETS})
    exact, coarse = pn.recode_locally(problem, 1), pn.recode_locally(problem, 3)

    assert query_error(problem, exact).mean == query_error(problem, exact, total_of="age").mean == 0
    assert query_error(problem, coarse).mean
    assert query_error(problem, coarse, attributes=["pet"]) == query_error(problem, coarse, attributes=["pet"])
    assert query_error(problem, coarse, seed=1) != query_error(problem, coarse, seed=2)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"total_of": "pet"}, "Only numbers"),
        ({"attributes": ["pets"]}, "Did you mean 'pet'"),
        ({"queries": 0}, "must be a whole number from 1 on"),
    ],
)
def test_what_cannot_be_asked_is_refused(asked: dict[str, object], message: str) -> None:
    problem = pn.Problem(pa.table({"age": [1, 2], "pet": ["cat", "dog"]}), quasi_identifiers={"age": None, "pet": PETS})
    with pytest.raises(BadInput, match=message):
        query_error(problem, pn.recode_locally(problem, 1), **asked)  # type: ignore[arg-type]
    with pytest.raises(BadInput, match="answered from ranges"):
        query_error(problem, pn.recode_locally(problem, 2, style="mean"))
