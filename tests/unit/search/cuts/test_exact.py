"""The exact search over cuts: hand-worked tables, and what it leaves when it is stopped."""

import pyarrow as pa
import pytest

import paranym as pn
from paranym.errors import BadInput, UnsuitableLoss
from paranym.search.base import Budget

ZIPCODES = [[code, code[:4] + "*", "537**"] for code in ("53703", "53706", "53710", "53715")]


def found(problem: pn.Problem, **options: object) -> list[tuple[int, float, tuple[object, ...]]]:
    front = pn.frontier(problem, recoding="cuts", **options)  # type: ignore[arg-type]
    assert front.complete
    return [(point.k, point.loss, next(iter((point.cuts or {}).values())).values) for point in front]


def test_rare_values_are_generalized_and_common_ones_are_not() -> None:
    rare = pa.table({"zipcode": ["53703", "53703", "53706", "53706", "53710", "53715"]})
    problem = pn.Problem(rare, quasi_identifiers={"zipcode": ZIPCODES})

    # at k = 2 two cells cover two of four leaves, and cost a third each
    assert found(problem, unconstrained=[]) == [
        (6, 6.0, ("537**",)),
        (2, pytest.approx(2 / 3), ("53703", "53706", "5371*")),
        (1, 0.0, ("53703", "53706", "53710", "53715")),
    ]


def test_a_row_is_suppressed_where_that_costs_less_than_generalizing_others() -> None:
    lone = pa.table({"zipcode": ["53703"] * 4 + ["53706"] * 4 + ["53715"]})
    problem = pn.Problem(lone, quasi_identifiers={"zipcode": ZIPCODES}, suppression_rows=1)

    # suppressing 53715 costs 1; publishing it with others would cost at least a third of four cells
    assert [(k, loss) for k, loss, _ in found(problem, unconstrained=[])][-2] == (4, 1.0)


def test_an_interval_may_be_one_that_no_tree_has() -> None:
    ages = pa.table({"age": [1, 2, 3, 3]})
    problem = pn.Problem(ages, quasi_identifiers={"age": {"intervals": [4]}})

    # 1-2 | 3 costs half a cell twice; the tree separates all or nothing
    assert [(k, loss) for k, loss, _ in found(problem)] == [(4, 4.0), (2, 1.0), (1, 0.0)]
    assert [(k, loss) for k, loss, _ in found(problem, unconstrained=[])] == [(4, 4.0), (1, 0.0)]


def test_a_search_that_is_stopped_has_bounds_and_no_proof() -> None:
    rows = range(200)
    many = pa.table({"age": [20 + (7 * i + i * i // 11) % 60 for i in rows], "day": [(i * i) % 31 for i in rows]})
    problem = pn.Problem(
        many, quasi_identifiers={"age": {"intervals": [5, 10]}, "day": {"intervals": [7]}}, suppression=0.1
    )

    front = pn.frontier(problem, recoding="cuts", budget=Budget(evaluations=200))

    assert not front.complete
    assert front.gap is not None
    assert 0 < front.gap <= 1
    assert front.cut_certificate is None
    assert not pn.verify_front(front, problem).holds
    told = front.as_dict()
    assert all(point["bound"] <= point["loss"] for point in told["points"])
    assert not all(point["proved"] for point in told["points"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"metric": "dcn"}, "does not charge cells"),
        ({"metric": "entropy"}, "does not charge cells"),
        ({"suppression": 0.5, "suppression_use": "all"}, "suppresses what a k needs"),
        ({"sensitive": ["ill"], "privacy": {"l": 2}}, "knows no privacy requirement but k"),
        ({"sensitive": ["ill"], "objectives": ("k", "l", "loss")}, "trades off k and loss"),
    ],
)
def test_nothing_is_searched_that_could_not_be_proved(changes: dict[str, object], said: str) -> None:
    people = pa.table({"age": [31, 34, 38, 52], "ill": ["flu", "cold", "flu", "gout"]})
    problem = pn.Problem(people, quasi_identifiers=["age"], **changes)  # type: ignore[arg-type]

    with pytest.raises(BadInput, match=said):
        pn.frontier(problem, recoding="cuts")


def test_intervals_are_refused_where_separations_save_more_together() -> None:
    pets = pa.table({"pet": ["cat", "dog", "owl", "cat"]})
    problem = pn.Problem(pets, quasi_identifiers=["pet"], metric="ncp")

    with pytest.raises(UnsuitableLoss, match="Cut 'pet' by its tree"):
        pn.frontier(problem, recoding="cuts", unconstrained=["pet"])
    assert pn.frontier(problem, recoding="cuts").complete


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"recoding": "boxes"}, "The recodings of a front are"),
        ({"unconstrained": []}, "ask for recoding='cuts'"),
        ({"recoding": "cuts", "method": "poka"}, "The methods for cuts are"),
        ({"recoding": "cuts", "depth": 2}, "Only the method 'poka' has a depth"),
    ],
)
def test_arguments_that_do_not_go_together_are_refused(options: dict[str, object], said: str) -> None:
    problem = pn.Problem(pa.table({"age": [31, 34]}), quasi_identifiers=["age"])

    with pytest.raises(BadInput, match=said):
        pn.frontier(problem, **options)  # type: ignore[arg-type]


def test_greedy_specialization_has_bounds_and_evolution_has_none() -> None:
    ages = pa.table({"age": [21, 22, 25, 25, 31, 38, 38, 40]})
    problem = pn.Problem(ages, quasi_identifiers={"age": {"intervals": [5, 10]}}, suppression_rows=1)

    exact, greedy, evolved = (
        pn.frontier(problem, recoding="cuts", method=method) for method in ("exact", "greedy", "nsga2")
    )

    assert greedy.possible is not None
    assert evolved.method == "nsga2"
    for point in (*greedy, *evolved):
        bound = exact.bound_at(point.k)
        assert bound is not None
        assert point.loss >= bound.loss * (1 - 1e-9)
