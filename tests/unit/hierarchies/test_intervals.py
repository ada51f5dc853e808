"""Ladders of intervals: a bound belongs to the interval that begins with it, and every interval lies in one above."""

from collections.abc import Sequence
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paranym.errors import BadHierarchy
from paranym.hierarchies.intervals import interval_hierarchy
from paranym.model.hierarchy import Hierarchy


def ladder(values: Sequence[object], widths: Sequence[float]) -> Hierarchy:
    return interval_hierarchy(values, widths, attribute="age")


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (19, "15-19"),
        (20, "20-24"),
        (24, "20-24"),
        (25, "25-29"),
        (0, "0-4"),
        (-1, "-5 to -1"),
        (-5, "-5 to -1"),
        (-6, "-10 to -6"),
    ],
)
def test_whole_numbers_fall_into_intervals_that_begin_at_multiples_of_the_width(value: int, label: str) -> None:
    assert ladder([value], [5]).labels[1] == (label,)


@pytest.mark.parametrize(
    ("value", "label"),
    [
        (0.25, "[0, 0.5)"),
        (0.5, "[0.5, 1)"),
        (-0.25, "[-0.5, 0)"),
        (-0.5, "[-0.5, 0)"),
        ("0.75", "[0.5, 1)"),
        (3, "[3, 3.5)"),
    ],
)
def test_fractions_fall_into_half_open_intervals(value: object, label: str) -> None:
    assert ladder([value], [0.5]).labels[1] == (label,)


def test_tenths_are_cut_where_they_are_written() -> None:
    assert ladder([0.3, 0.7], [0.1]).labels[1] == ("[0.3, 0.4)", "[0.7, 0.8)")


def test_a_width_of_one_leaves_whole_numbers_as_they_are() -> None:
    assert ladder([3, -2], [1, 10]).rows() == [("-2", "-2", "-10 to -1", "*"), ("3", "3", "0-9", "*")]


@given(
    st.lists(st.decimals(-1000, 1000, places=2), min_size=1),
    st.integers(1, 400),
    st.lists(st.integers(2, 4), max_size=3),
)
def test_every_value_lies_in_its_interval_and_intervals_nest(
    values: list[Decimal], hundredths: int, factors: list[int]
) -> None:
    widths = [Decimal(hundredths) / 100]
    for factor in factors:
        widths.append(widths[-1] * factor)

    for leaf, *intervals, top in ladder(values, [float(width) for width in widths]).rows():
        assert top == "*"
        for interval, width in zip(intervals, widths, strict=True):
            assert interval is not None
            assert leaf is not None
            low, high = _bounds(interval)
            assert low <= Decimal(leaf) < high
            assert high - low == width
            assert low % width == 0


def test_bounds_beyond_the_usual_precision_are_exact() -> None:
    assert ladder([10**30 + 4], [5]).labels[1] == (f"{10**30}-{10**30 + 4}",)


def test_very_different_widths_nest() -> None:
    assert ladder([1], [1e-20, 1e20]).height == 3


def test_one_number_is_one_leaf_however_it_is_written() -> None:
    hierarchy = ladder(["39", "39.0", 39, "39.00", "40"], [5])

    assert hierarchy.leaves == ("39", "40")
    assert hierarchy.place(["39.00", "39", 39.0]).tolist() == [0, 0, 0]


def test_missing_values_have_no_interval() -> None:
    assert ladder([7, None, float("nan"), ""], [5]).leaves == ("7",)


def test_a_column_of_missing_values_still_has_its_levels() -> None:
    assert ladder([], [5, 10]).rows() == [(None, None, None, "*")]


@pytest.mark.parametrize("widths", [[], [0], [-5], [float("nan")], [float("inf")], [True], ["wide"], [None]])
def test_widths_are_positive_numbers(widths: list[float]) -> None:
    with pytest.raises(BadHierarchy, match="Hierarchy of 'age': interval widths must be positive numbers; got"):
        ladder([1], widths)


@pytest.mark.parametrize("widths", [[5, 12], [10, 5], [5, 5], [0.1, 0.25]])
def test_widths_that_do_not_nest_are_refused(widths: list[float]) -> None:
    with pytest.raises(BadHierarchy, match=r"Hierarchy of 'age', level 2: intervals of .* do not nest those of"):
        ladder([1], widths)


@pytest.mark.parametrize("value", ["old", "001", "1e5", "20-29", "2024-01-31", float("inf"), True])
def test_a_value_that_is_no_number_is_named(value: object) -> None:
    with pytest.raises(BadHierarchy, match="Hierarchy of 'age', level 0: intervals need numbers; the column has '"):
        ladder([20, value], [5])


def _bounds(interval: str) -> tuple[Decimal, Decimal]:
    """An interval as its least value and the least value beyond it."""
    if interval.startswith("["):
        low, high = interval[1:-1].split(", ")
        return Decimal(low), Decimal(high)
    low, _, high = interval.partition(" to ") if interval.startswith("-") else interval.partition("-")
    return Decimal(low), Decimal(high or low) + 1
