"""Every builder gives a total, nested hierarchy that ends in one value, for any column of its type."""

import datetime as dt
from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.hierarchies.files import read_hierarchy, write_hierarchy
from paranym.model.hierarchy import Hierarchy
from paranym.model.values import to_number, to_text

NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6),
    st.integers(-(10**30), 10**30),
    st.floats(allow_nan=False, allow_infinity=False),
    st.decimals(-1000, 1000, places=3).map(str),
)
WORDS = st.text(max_size=6)
DATES = st.one_of(st.dates(), st.datetimes(), st.dates().map(str), st.datetimes().map(str))
TIMES = st.one_of(st.times(), st.times().map(str))
MISSING = st.sampled_from([None, float("nan"), ""])


def columns(cells: st.SearchStrategy[Any]) -> st.SearchStrategy[list[Any]]:
    return st.lists(st.one_of(cells, MISSING), max_size=20)


@st.composite
def ladders(draw: st.DrawFn) -> list[float]:
    widths = [Decimal(draw(st.sampled_from(["1", "5", "0.25", "1000", "0.001"])))]
    for factor in draw(st.lists(st.integers(2, 5), max_size=3)):
        widths.append(widths[-1] * factor)
    return [float(width) for width in widths]


@st.composite
def nested_breaks(draw: st.DrawFn) -> list[list[int]]:
    bounds = sorted(draw(st.sets(st.integers(-100, 100), min_size=1, max_size=6)))
    return [bounds, bounds[: max(1, len(bounds) // 2)]]


NUMERIC = st.one_of(
    ladders().map(lambda widths: {"intervals": widths}),
    st.tuples(ladders(), st.integers(-50, 0), st.integers(1, 50)).map(
        lambda drawn: {"intervals": drawn[0], "bottom": drawn[1], "top": drawn[2]}
    ),
    nested_breaks().map(lambda breaks: {"breaks": breaks}),
    st.sampled_from([{"quantiles": [8, 4, 2]}, {"quantiles": 3}, {"top": 10}, {"bottom": -5, "top": 5}]),
    st.just({"intervals": [5], "cover": [-3, 7]}),
)
CALENDAR = st.sampled_from(
    [["day", "month", "quarter", "year", "decade"], ["week", "year"], ["hour", "day"], ["minute"], ["decade"]]
).map(lambda units: {"dates": units})
CLOCK = st.sampled_from([[1, 5, 60, 720], [15], [1440]]).map(lambda minutes: {"times": minutes})
TEXTUAL = st.one_of(
    st.sampled_from([None, {"prefix": [4, 2, 1]}, {"prefix": [1]}]),
    st.sampled_from([2, [2, 5], [0.1, 0.5]]).map(lambda rare: {"rare": rare, "others": "(one of the rare values)"}),
    st.just({"tree": {"few": ["a", "b"], "more": {"digits": ["0", "1"]}}, "others": "(else)"}),
    st.just([{"prefix": [2]}, {"rare": 2, "others": "(one of the rare values)"}]),
)
CASES = st.one_of(
    st.tuples(columns(NUMBERS), NUMERIC),
    st.tuples(columns(DATES), CALENDAR),
    st.tuples(columns(TIMES), CLOCK),
    st.tuples(columns(st.one_of(WORDS, NUMBERS)), TEXTUAL),
)


def built(column: Sequence[object], spec: Any) -> Hierarchy:
    return pn.hierarchy(column, spec, attribute="x")


@given(CASES)
def test_every_builder_places_every_value_and_ends_in_one(case: tuple[list[Any], Any]) -> None:
    column, spec = case
    if not column and spec is None:
        return  # nothing to publish, nothing to withhold
    hierarchy = built(column, spec)  # which refuses to be anything but total and nested

    assert hierarchy.labels[-1] == ("*",)
    assert len(hierarchy.place(column)) == len(column)
    assert (None in hierarchy.leaves) >= any(to_text(cell) is None for cell in column)


@given(CASES)
def test_the_same_rule_places_new_values_as_it_placed_the_old(case: tuple[list[Any], Any]) -> None:
    """What a rule makes of a value does not depend on the others, unless it counts rows or takes them as they come."""
    column, spec = case
    if not column or not isinstance(spec, dict) or {"quantiles", "rare", "prefix", "tree"} & set(spec):
        return
    first, both = built(column[:1], spec), built(column, spec)
    before, after = first.rows()[first.place(column[:1])[0]], both.rows()[both.place(column[:1])[0]]
    whole = [
        to_number(cell) is None or to_number(to_text(cell)) == int(to_number(to_text(cell)) or 0) for cell in column
    ]

    if all(whole) == whole[0]:  # labels of whole numbers are written in another way
        assert before[1:] == after[1:]


@given(st.lists(NUMBERS, min_size=1, max_size=20), ladders())
def test_numbers_share_an_interval_if_they_lie_between_the_same_multiples(
    column: list[Any], widths: list[float]
) -> None:
    hierarchy = built(column, {"intervals": widths})
    places = hierarchy.place(column)

    for level, width in enumerate(widths, start=1):
        multiples = [floor(Fraction(str(to_text(cell))) / Fraction(str(width))) for cell in column]
        assert same(hierarchy.codes[level, places].tolist()) == same(multiples)


def same(found: list[int]) -> list[int]:
    """For every entry, where the first like it stands."""
    return [found.index(one) for one in found]


@pytest.mark.parametrize(
    ("column", "label"), [([19, 20, 24, 25], "20-24"), ([19.5, 20, 24.99, 25], "[20, 25)"), ([20], "20-24")]
)
def test_20_falls_into_the_interval_from_20_to_below_25(column: list[Any], label: str) -> None:
    hierarchy = built(column, {"intervals": [5]})

    assert hierarchy.rows()[hierarchy.place([20])[0]][1] == label
    assert [row[0] for row in hierarchy.rows() if row[1] == label] == [to_text(x) for x in column if 20 <= x < 25]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CASES)
def test_a_written_hierarchy_is_read_as_the_same(tmp_path: Path, case: tuple[list[Any], Any]) -> None:
    column, spec = case
    if not column and spec is None:
        return
    hierarchy = built(column, spec)
    (tmp_path / "x.csv").write_text(write_hierarchy(hierarchy), encoding="utf-8", newline="")

    assert read_hierarchy(tmp_path / "x.csv", attribute="x").rows() == hierarchy.rows()


@given(CASES)
def test_every_hierarchy_can_be_drawn(case: tuple[list[Any], Any]) -> None:
    column, spec = case
    if not column and spec is None:
        return
    hierarchy = built(column, spec)

    assert str(hierarchy).startswith("*")
    assert len(str(hierarchy).splitlines()) <= 62
    assert hierarchy._repr_html_().count("<ul>") == hierarchy._repr_html_().count("</ul>")


@pytest.mark.parametrize("day", [dt.date(1, 1, 1), dt.date(1582, 10, 4), dt.date(1899, 12, 31), dt.date(9999, 12, 31)])
def test_the_calendar_goes_from_the_year_1_to_9999(day: dt.date) -> None:
    assert built([day], {"dates": ["week", "year", "decade"]}).height == 4
