"""How many rows may go, and how that limit is used."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paranym.errors import BadInput
from paranym.measures.privacy.anonymity import Suppression, weighted_k
from paranym.problem import Problem
from paranym.solve.fronts import frontier


@pytest.mark.parametrize(
    ("share", "rows", "limit"),
    [
        (0.29, 100, 29),  # in binary, 0.29 * 100 is 28.999...
        (0.57, 100, 57),
        (0.07, 100, 7),
        (0.01, 30162, 301),
        (0.1, 30, 3),
        (0.7, 10, 7),
        (1e-5, 100_000, 1),
        (0.999999, 1_000_000, 999_999),
        (0.5, 7, 3),
        (0.0, 100, 0),
        (1.0, 100, 100),
        (1, 7, 7),
        (0, 7, 0),
    ],
)
def test_a_share_is_taken_in_the_digits_that_were_given(share: float, rows: int, limit: int) -> None:
    assert Suppression(share=share).limit(rows) == limit


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_a_share_may_be_a_number_of_numpy(kind: type[np.floating]) -> None:
    assert Suppression(share=kind(0.29)).limit(100) == 29  # type: ignore[arg-type]


@pytest.mark.parametrize(("rows", "limit"), [(0, 0), (3, 3), (10, 10), (11, 10)])
def test_a_number_of_rows_is_a_limit_up_to_the_whole_table(rows: int, limit: int) -> None:
    assert Suppression(rows=rows).limit(10) == limit


def test_without_a_limit_no_row_goes() -> None:
    assert Suppression().limit(100) == 0


@pytest.mark.parametrize("share", [-0.01, 1.01, 5, float("nan"), float("inf"), "1%", "0.01", True, [0.01]])
def test_a_share_lies_between_0_and_1(share: Any) -> None:
    with pytest.raises(BadInput, match="between 0 and 1"):
        Suppression(share=share)


@pytest.mark.parametrize("rows", [-1, 1.5, 1.0, "1", True, np.float64(1)])
def test_a_number_of_rows_is_whole_and_not_negative(rows: Any) -> None:
    with pytest.raises(BadInput, match=r"is a whole number and cannot be negative; got"):
        Suppression(rows=rows)


def test_a_number_of_rows_may_be_one_of_numpy() -> None:
    limit = Suppression(rows=np.int64(3)).limit(10)  # type: ignore[arg-type]

    assert (limit, type(limit)) == (3, int)


def test_a_limit_is_a_share_or_a_number_but_not_both() -> None:
    with pytest.raises(BadInput, match="not both"):
        Suppression(share=0.1, rows=1)


def test_weighted_k_is_the_class_size_that_a_row_can_expect() -> None:
    assert weighted_k(np.array([1 + 4 + 9, 36]), 6).tolist() == [14 / 6, 6.0]


def good_and_bad(**limit: float) -> Problem:
    """95 rows that share their values, and 5 that are alone."""
    table = pa.table({"town": ["Rome"] * 95 + [f"village {i}" for i in range(5)]})
    return Problem(table, quasi_identifiers={"town": None}, **limit)  # type: ignore[arg-type]


@pytest.mark.parametrize("limit", [{"suppression": 0.1}, {"suppression": 0.05}, {"suppression_rows": 5}])
def test_five_bad_rows_are_dropped_rather_than_all_generalized(limit: dict[str, float]) -> None:
    [dropped] = [point for point in frontier(good_and_bad(**limit)) if point.k == 95]

    assert dict(dropped.levels) == {"town": 0}
    assert dropped.suppressed == 5
    assert dropped.loss == 5.0  # GLM: 95 rows cost nothing, a suppressed cell costs 1


@pytest.mark.parametrize("limit", [{"suppression": 0.04}, {"suppression": 0.049}, {"suppression_rows": 4}, {}])
def test_without_the_budget_they_cannot_be_dropped(limit: dict[str, float]) -> None:
    assert [(point.k, point.suppressed) for point in frontier(good_and_bad(**limit))] == [(100, 0), (1, 0)]
