"""Every builder by hand: what each value becomes, where bounds belong, and what is said about what cannot be built."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest

import paranym as pn
from paranym.errors import BadHierarchy, OutsideHierarchy
from paranym.model.hierarchy import Hierarchy


def built(column: Iterable[object], spec: Any) -> Hierarchy:
    return pn.hierarchy(column, spec, attribute="x")


def levels(column: Sequence[object], spec: Any) -> list[tuple[str | None, ...]]:
    """What each value becomes, in the order of the column, without the top."""
    hierarchy = built(column, spec)
    rows = hierarchy.rows()
    assert {row[-1] for row in rows} == {"*"}
    return [rows[code][1:-1] for code in hierarchy.place(column)]


def test_twenty_belongs_to_the_interval_that_begins_with_it() -> None:
    assert levels([19, 20, 24, 25], {"intervals": [5]}) == [("15-19",), ("20-24",), ("20-24",), ("25-29",)]
    assert levels([19.5, 20, 24.9], {"intervals": [5]}) == [("[15, 20)",), ("[20, 25)",), ("[20, 25)",)]


def test_intervals_end_where_the_scale_is_cut() -> None:
    found = levels([17, 18, 29, 64, 65, 90], {"intervals": [10, 40], "bottom": 18, "top": 65})

    assert found == [
        ("<18", "<18"),
        ("18-19", "18-39"),
        ("20-29", "18-39"),
        ("60-64", "40-64"),
        (">=65", ">=65"),
        (">=65", ">=65"),
    ]


def test_values_may_stay_apart() -> None:
    spec = {"intervals": [10], "apart": [99, "unknown"]}

    assert levels(["31", "99", "unknown", "99.0"], spec) == [("30-39",), ("99",), ("unknown",), ("99.0",)]


def test_what_is_covered_need_not_occur() -> None:
    hierarchy = built([31], {"intervals": [5], "cover": [30, 36]})

    assert hierarchy.leaves == ("30", "31", "32", "33", "34", "35", "36")
    assert hierarchy.place([36]).tolist() == [6]


@pytest.mark.parametrize(
    ("value", "label"), [(17, "<18"), (18, "18-29"), (29, "18-29"), (30, "30-64"), (65, ">=65"), (-3, "<18")]
)
def test_breaks_cut_where_they_stand(value: int, label: str) -> None:
    assert levels([value], {"breaks": [18, 30, 65]}) == [(label,)]


def test_breaks_of_several_levels_nest() -> None:
    assert levels([20, 40, 70], {"breaks": [[18, 30, 65], [30]]}) == [
        ("18-29", "<30"),
        ("30-64", ">=30"),
        (">=65", ">=30"),
    ]


def test_breaks_between_fractions_are_half_open() -> None:
    assert levels([0.5, 1.5, 2.5], {"breaks": [1, 2]}) == [("<1",), ("[1, 2)",), (">=2",)]


def test_quantiles_hold_about_equally_many_rows() -> None:
    column = [1, 1, 2, 3, 5, 8, 9, 9]
    rows = Counter(found[0] for found in levels(column, {"quantiles": [4, 2]}))

    assert rows == {"<2": 2, "2-4": 2, "5-8": 2, ">=9": 2}
    assert {found[1] for found in levels(column, {"quantiles": [4, 2]})} == {"<5", ">=5"}


def test_a_value_of_many_rows_lies_in_one_quantile() -> None:
    assert levels([0] * 9 + [7], {"quantiles": 4})[0::9] == [("<7",), (">=7",)]


def test_a_column_of_one_value_has_one_quantile() -> None:
    assert levels([5, 5], {"quantiles": 2}) == [("any number",), ("any number",)]


def test_top_and_bottom_coding_keep_what_lies_between() -> None:
    assert levels([0, 1, 3, 4, 12], {"bottom": 1, "top": 4}) == [("<1",), ("1",), ("3",), (">=4",), (">=4",)]


def test_prefixes_are_masked_to_one_length() -> None:
    assert levels(["J45.0", "I10", "J40"], {"prefix": [3, 1]}) == [
        ("J45**", "J****"),
        ("I10**", "I****"),
        ("J40**", "J****"),
    ]


def test_masked_numbers_are_codes() -> None:
    assert built([53715, 53703], {"prefix": [3]}).categorical
    assert levels([53715, 53703], {"prefix": [3]}) == [("537**",), ("537**",)]


@pytest.mark.parametrize(
    ("unit", "label"),
    [
        ("day", "2024-12-30"),
        ("week", "2025-W01"),
        ("month", "2024-12"),
        ("quarter", "2024-Q4"),
        ("year", "2024"),
        ("decade", "2020-2029"),
        ("hour", "2024-12-30 08h"),
        ("minute", "2024-12-30 08:05"),
    ],
)
def test_moments_fall_into_units_of_the_calendar(unit: str, label: str) -> None:
    assert levels(["2024-12-30 08:05:59"], {"dates": [unit]}) == [(label,)]


def test_above_weeks_a_year_is_that_of_its_weeks() -> None:
    assert levels(["2024-12-30"], {"dates": ["week", "year"]}) == [("2025-W01", "2025")]


@pytest.mark.parametrize(
    "column",
    [
        [dt.date(1899, 12, 31)],
        [dt.datetime(1899, 12, 31)],  # noqa: DTZ001 - tables have no zone
        ["1899-12-31"],
        ["18991231"],
        pd.Series(["1899-12-31"]).astype("datetime64[s]"),
    ],
)
def test_dates_of_every_type_and_age_are_placed(column: Sequence[object]) -> None:
    assert [row[1:] for row in built(column, {"dates": ["month", "decade"]}).rows()] == [("1899-12", "1890-1899", "*")]


def test_dates_in_other_forms_are_read_as_told() -> None:
    assert levels(["31.01.2024", "never"], {"dates": ["month"], "format": "%d.%m.%Y", "apart": ["never"]}) == [
        ("2024-01",),
        ("never",),
    ]


def test_days_may_be_covered() -> None:
    cover = [dt.date(2024, 2, 27), dt.date(2024, 3, 1)]

    assert len(built(["2024-02-28"], {"dates": ["month"], "cover": cover}).leaves) == 4
    assert built(["28/02/2024"], {"dates": ["month"], "cover": cover, "format": "%d/%m/%Y"}).leaves[1] == "28/02/2024"


def test_times_fall_into_steps_from_midnight_on() -> None:
    found = levels(["00:00", "08:44:59", dt.time(23, 59)], {"times": [15, 360]})

    assert found == [("00:00-00:14", "00:00-05:59"), ("08:30-08:44", "06:00-11:59"), ("23:45-23:59", "18:00-23:59")]


def test_a_tree_may_be_deeper_here_than_there() -> None:
    tree = {"fur": ["cat", "dog"], "feathers": {"small": ["wren"], "large": ["emu"]}}

    assert levels(["cat", "emu"], {"tree": tree}) == [("cat", "fur"), ("large", "feathers")]


def test_what_a_tree_does_not_list_may_have_a_group() -> None:
    spec = {"tree": {"fur": ["cat"], "numbers": [1]}, "others": "else"}

    assert levels(["cat", "newt", "1.0"], spec) == [("fur",), ("else",), ("numbers",)]


def test_what_a_tree_does_not_list_is_named_otherwise() -> None:
    people = pd.DataFrame({"pet": ["cat", "newt"]})

    with pytest.raises(OutsideHierarchy, match="'newt'"):
        pn.Problem(people, quasi_identifiers={"pet": {"tree": {"fur": ["cat"]}}})


@pytest.mark.parametrize("rare", [3, [3], 0.25, [0.25]])
def test_rare_values_become_one(rare: Any) -> None:
    column = ["US"] * 8 + ["CA"] * 3 + ["FR"] * 2 + [None]

    assert levels(column[::4], {"rare": 1}) == [("US",), ("US",), ("CA",), ("FR",)]
    assert {row[0]: row[1] for row in built(column, {"rare": rare}).rows()} == (
        {"US": "US", "CA": "CA", "FR": "other", None: None}
        if rare in (3, [3])
        else {"US": "US", "CA": "other", "FR": "other", None: None}
    )


def test_rare_values_are_counted_in_the_table_of_a_problem() -> None:
    people = pd.DataFrame({"country": ["US"] * 5 + ["CA", "FR"]})
    problem = pn.Problem(people, quasi_identifiers={"country": {"rare": 2, "others": "elsewhere"}})

    assert problem.hierarchies[0].labels[1] == ("US", "elsewhere")


def test_hierarchies_stand_on_top_of_each_other() -> None:
    column = ["53715", "53703", "53703", "90210"]
    spec = [{"prefix": [4, 3]}, {"rare": 2}]

    assert levels(column, spec) == [
        ("5371*", "537**", "537**"),
        ("5370*", "537**", "537**"),
        ("5370*", "537**", "537**"),
        ("9021*", "902**", "other"),
    ]


def test_a_hierarchy_on_top_may_be_a_file_or_rows(tmp_path: Any) -> None:
    file = tmp_path / "regions.csv"
    file.write_text("537**;Midwest;*\n902**;West;*\n", encoding="utf-8")
    rows = {"rows": [["537**", "Midwest", "*"], ["902**", "West", "*"]]}

    for upper in (file, rows, pn.Hierarchy.from_rows(rows["rows"], attribute="region")):
        assert levels(["53715", "90210"], [{"prefix": [3]}, upper])[1] == ("902**", "West")


def test_missing_values_stay_missing_under_every_builder() -> None:
    hierarchy = built(["53715", None, np.nan, ""], [{"prefix": [3]}, {"rare": 2}])

    assert hierarchy.rows()[-1] == (None, None, None, "*")


def test_the_name_of_a_series_is_that_of_the_hierarchy() -> None:
    assert pn.hierarchy(pd.Series([1, 2], name="age"), None).attribute == "age"


@pytest.mark.parametrize(
    ("column", "spec", "message"),
    [
        ([1], {"intervals": [5, 12]}, "intervals of 12 do not nest those of 5"),
        ([1], {"intervals": [5], "bottom": 9, "top": 9}, r"bottom \(9\) must be smaller than top \(9\)"),
        ([1], {"intervals": [5], "top": "high"}, "top must be a number; got 'high'"),
        ([1], {"intervals": [5], "cover": [9, 1]}, "cover takes the first and the last of some whole numbers"),
        ([1], {"intervals": [5], "cover": [0, 10**9]}, "cover spans more than 100,000 values"),
        (["a"], {"top": 4}, r"bottom and top need numbers; the column has 'a'\. Name what shall stay .* apart"),
        ([1], {"breaks": []}, "breaks must increase; got "),
        ([1], {"breaks": [3, 1]}, "breaks must increase"),
        ([1], {"breaks": [[1, 2], [3]]}, "level 2: intervals do not nest: 3 is no break of the level below"),
        ([1], {"breaks": 5}, "breaks take a list of bounds"),
        ([1], {"breaks": ["x"]}, "a break must be a number; got 'x'"),
        ([1], {"quantiles": 1}, "quantiles take how many parts there shall be"),
        ([1], {"quantiles": [6, 4]}, "4 parts do not nest 6"),
        ([1], {"quantiles": 2.5}, "quantiles take how many parts there shall be"),
        (["a"], {"prefix": [2, 2]}, "each level keeps fewer characters"),
        (["a"], {"prefix": [0]}, "prefix takes how many characters"),
        (["a"], {"prefix": "2"}, "prefix takes how many characters"),
        (["2024-01-31"], {"dates": ["moth"]}, r"dates take a list of .* Did you mean 'month'\?"),
        (["2024-01-31"], {"dates": ["year", "month"]}, "level 2: a month does not come above a year"),
        (["2024-01-31"], {"dates": ["week", "month"]}, "weeks do not nest in months or quarters"),
        (["31.1.2024"], {"dates": ["month"]}, "dates must be in ISO form, such as 2024-01-31; the column has"),
        (["2024-01-31"], {"dates": ["day"], "cover": ["x", "y"]}, "cover takes the first and the last of some days"),
        (["08:30"], {"times": [7]}, "a day cannot be divided into parts of 7 minutes"),
        (["08:30"], {"times": [10, 15]}, "15 minutes do not nest 10"),
        (["half past"], {"times": [60]}, "times must be as 08:30 or 08:30:00; the column has 'half past'"),
        (["a"], {"tree": {}}, "the tree has no values"),
        (["a"], {"tree": {"g": "a"}}, "a tree maps the name of each group to a list of values"),
        (["a"], {"tree": {"g": [["a"]]}}, r"'g' lists \['a'\]"),
        (["a"], {"tree": {"g": ["a"], "h": ["a"]}}, "'a' lies under both 'g' and 'h'"),
        (["a"], {"tree": ["a"]}, "a tree maps the name of each group"),
        (["a"], {"tree": {"g": ["b"]}, "others": 5}, "others names a group"),
        (["a"], {"rare": 0}, "rare takes a number of rows"),
        (["a"], {"rare": [0.1, 5]}, "rare takes a number of rows"),
        (["a"], {"rare": [0.2, 0.1]}, "rare takes a number of rows"),
        (["other"], {"rare": 2}, "cannot be called 'other', which is a value of the column"),
        (["a"], [{"rows": [["a"]]}, {"rare": 2}], "nothing can be put on top of a hierarchy of one level"),
        ([1], {"top": 4, "widths": 2}, "top or bottom coding takes no 'widths'"),
    ],
)
def test_what_cannot_be_built_is_said_with_its_column(column: list[object], spec: Any, message: str) -> None:
    with pytest.raises(BadHierarchy, match=f"Hierarchy of 'x'.*{message}"):
        built(column, spec)
