"""Hierarchies are total, nested and end in one value, and they find the leaf of every value."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from paranym.errors import BadHierarchy, OutsideHierarchy
from paranym.model.hierarchy import Hierarchy

Rows = Sequence[Sequence[object]]

PETS: Rows = [["cat", "fur", "*"], ["owl", "feathers", "*"], ["dog", "fur", "*"]]
AGES: Rows = [["39", "30-39", "*"], ["30", "30-39", "*"], ["41", "40-49", "*"]]


def build(rows: Rows) -> Hierarchy:
    return Hierarchy.from_rows(rows, attribute="pet")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "Hierarchy of 'pet': it has no leaves."),
        ([[]], "Hierarchy of 'pet': it has no leaves."),
        (
            [["cat", "fur", "*"], ["dog", "*"]],
            (
                "Hierarchy of 'pet': leaf 'dog' comes with 2 values, itself included, where leaf 'cat' comes with 3; "
                "each must have one for every level."
            ),
        ),
        (
            [["cat", "fur", "warm", "*"], ["dog", "fur", "cold", "*"]],
            (
                "Hierarchy of 'pet', level 2: 'fur' lies under both 'warm' and 'cold'; "
                "each value must have one value above it."
            ),
        ),
        (
            [["cat", "fur", "*"], ["cat", "feathers", "*"]],
            (
                "Hierarchy of 'pet', level 1: 'cat' lies under both 'fur' and 'feathers'; "
                "each value must have one value above it."
            ),
        ),
        (
            [["cat", "fur"], ["owl", "feathers"]],
            "Hierarchy of 'pet', level 1: the last level must be one value, such as '*'; it has 'fur', 'feathers'.",
        ),
        ([["cat", "", "*"]], "Hierarchy of 'pet', level 1: leaf 'cat' has no value here."),
        (
            [["cat", "*"], ["", ""]],
            "Hierarchy of 'pet', level 1: the leaf of missing values has no value here, and the top needs one.",
        ),
        (
            [["cat", "*"], "dog"],
            "Hierarchy of 'pet': a row lists a leaf and its values up to the top, such as ['F', '*']; got 'dog'.",
        ),
        (
            [["cat", "*"], 7],
            "Hierarchy of 'pet': a row lists a leaf and its values up to the top, such as ['F', '*']; got 7.",
        ),
    ],
)
def test_what_is_no_hierarchy_cannot_be_built(rows: Rows, message: str) -> None:
    with pytest.raises(BadHierarchy) as caught:
        build(rows)

    assert str(caught.value) == message


def test_rows_may_repeat_if_they_agree() -> None:
    assert build([*PETS, *PETS]).rows() == build(PETS).rows()


def test_numbers_repeat_whatever_their_type() -> None:
    rows = [[value, "*"] for value in ("39", 39, 39.0, Decimal("39.0"), np.int8(39))]

    assert build(rows).leaves == ("39",)


def test_leaves_of_one_value_are_neighbours() -> None:
    assert build(PETS).leaves == ("cat", "dog", "owl")


def test_numbers_stand_in_order() -> None:
    assert build([["10", "*"], ["9", "*"], ["-1", "*"], ["2.5", "*"]]).leaves == ("-1", "2.5", "9", "10")


def test_rows_come_back_as_they_were_given() -> None:
    assert set(build(PETS).rows()) == {tuple(row) for row in PETS}


def test_codes_are_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        build(PETS).codes[0, 0] = 1


LABELS = (("cat", "dog", "owl"), ("fur", "feathers"), ("*",))
CODES = [[0, 1, 2], [0, 0, 1], [0, 0, 0]]


def test_codes_are_a_copy_of_those_of_the_caller() -> None:
    codes = np.array(CODES, np.int32)

    hierarchy = Hierarchy("pet", LABELS, codes)
    codes[1, 1] = 1

    assert hierarchy.rows() == build(PETS).rows()


@pytest.mark.parametrize(
    ("labels", "codes", "message"),
    [
        ((), CODES, ": it has no leaves"),
        (((),), np.empty((1, 0), np.int32), ": it has no leaves"),
        (LABELS, CODES[:2], r": 3 levels over 3 leaves need as many codes; got an array of \(2, 3\)"),
        (LABELS, [0, 1, 2], ": its codes must be whole numbers in an array of levels and leaves"),
        (LABELS, np.array(CODES) / 2, ": its codes must be whole numbers"),
        (LABELS, np.array(CODES) + 2**32, ": its codes must be whole numbers"),
        (LABELS, [[0, 0, 1], [0, 0, 1], [0, 0, 0]], ", level 0: every leaf must have a code of its own"),
        (LABELS, [[0, 1, 2], [0, 0, 2], [0, 0, 0]], ", level 1: its 2 values must be numbered from 0 on"),
        (LABELS, [[0, 1, 2], [0, 0, -1], [0, 0, 0]], ", level 1: its 2 values must be numbered from 0 on"),
        (LABELS, [[0, 1, 2], [0, 0, 0], [0, 0, 0]], ", level 1: its 2 values must be numbered from 0 on"),
        (LABELS, [[0, 1, 2], [0, 1, 0], [0, 0, 0]], ", level 1: .* leaves of one value must be neighbours"),
        (
            (LABELS[0], ("fur", "down"), ("warm", "cold"), ("*",)),
            [[0, 1, 2], [0, 0, 1], [0, 1, 1], [0, 0, 0]],
            ", level 2: leaves that share a value below must share one here",
        ),
        (LABELS[:2], CODES[:2], r", level 1: the last level must be one value, such as '\*'"),
        ((LABELS[0], ("fur", "fur"), ("*",)), CODES, ", level 1: it lists a value twice"),
        ((LABELS[0], ("fur", 7), ("*",)), CODES, ", level 1: every value must be text, or None"),
        ((LABELS[0], ("fur", ""), ("*",)), CODES, ", level 1: every value must be text, or None"),
        ((LABELS[0], (None, "feathers"), ("*",)), CODES, ", level 1: only the leaf of missing values may be"),
        ((LABELS[0], LABELS[1], (None,)), CODES, ", level 2: only the leaf of missing values may be"),
    ],
    ids=lambda value: value.split(":")[-1].strip() if isinstance(value, str) else "",
)
def test_the_constructor_takes_nothing_that_is_no_hierarchy(labels: Any, codes: Any, message: str) -> None:
    with pytest.raises(BadHierarchy, match=f"^Hierarchy of 'pet'{message}"):
        Hierarchy("pet", labels, np.array(codes))


@pytest.mark.parametrize(
    "values", [["41", "39"], [41, 39], [41.0, 39.0], [Decimal(41), Decimal("39.0")], ["41.0", "39.00"]]
)
def test_numbers_find_their_leaf_by_value(values: list[object]) -> None:
    hierarchy = build(AGES)

    assert [hierarchy.leaves[code] for code in hierarchy.place(values)] == ["41", "39"]


@pytest.mark.parametrize(
    "kind", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.float16, np.float32]
)
def test_numbers_of_every_width_find_their_leaf(kind: type[np.generic]) -> None:
    hierarchy = build(AGES)

    assert hierarchy.leaves[hierarchy.place([kind(39)])[0]] == "39"


def test_a_leaf_written_as_a_float_is_found_by_whole_numbers() -> None:
    assert build([["39.0", "*"], ["40.0", "*"]]).place([39, "39", "39.0", 40]).tolist() == [0, 0, 0, 1]


def test_text_written_as_in_the_hierarchy_comes_before_the_same_number_written_otherwise() -> None:
    assert build([["1", "x", "*"], ["1.0", "y", "*"]]).place(["1", "1.0"]).tolist() == [0, 1]


def test_leading_zeros_tell_texts_apart() -> None:
    with pytest.raises(OutsideHierarchy):
        build([["7", "*"]]).place(["007"])


@pytest.mark.parametrize("leaf", ["007", "+7", "7.", "7e0", "0.7E+1", "07.00"])
def test_a_column_of_numbers_finds_leaves_in_other_forms(leaf: str) -> None:
    assert build([[leaf, "*"], ["010", "*"]]).place([7, 10]).tolist() == [0, 1]


@pytest.mark.parametrize(
    ("leaf", "number"),
    [("1_000", 1000), ("\u0667", 7), ("inf", 7), ("1e", 1), ("0100000000000000000001", 10**20), ("7,0", 7)],
)
def test_a_column_of_numbers_does_not_take_a_leaf_for_what_it_is_not(leaf: str, number: int) -> None:
    with pytest.raises(OutsideHierarchy):
        build([[leaf, "*"]]).place([number])


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_numbers_of_every_precision_find_the_digits_that_were_written(kind: type[np.floating]) -> None:
    assert build([["0.1", "*"], ["0.7", "*"]]).place([kind(0.7), kind(0.1)]).tolist() == [1, 0]


@pytest.mark.parametrize("leaves", [("true", "false"), ("True", "False"), ("TRUE", "FALSE")])
def test_truth_values_find_their_leaf_whatever_its_case(leaves: tuple[str, str]) -> None:
    assert build([[leaf, "*"] for leaf in leaves]).place([True, False]).tolist() == [0, 1]


def test_dates_find_their_leaf_in_iso_form() -> None:
    hierarchy = build([["2024-01-31", "*"], ["2024-02-01", "*"]])

    assert hierarchy.place([dt.date(2024, 2, 1), pd.Timestamp("2024-01-31"), "2024-02-01"]).tolist() == [1, 0, 1]


def test_values_outside_are_named_with_column_and_remedy() -> None:
    with pytest.raises(OutsideHierarchy) as caught:
        build(PETS).place(["cat", "dgo", "emu"])

    assert str(caught.value) == (
        "Column 'pet' has 2 values that its hierarchy does not place: 'dgo', 'emu'. Add a line for each to the "
        "hierarchy, or name tokens that mean missing under [data] missing. Did you mean 'dog'?"
    )


def test_a_value_with_blanks_around_it_is_told_from_its_leaf() -> None:
    with pytest.raises(OutsideHierarchy, match=r"' cat'\..* Did you mean 'cat'\?"):
        build(PETS).place([" cat"])


def test_of_many_values_outside_only_some_are_listed() -> None:
    with pytest.raises(OutsideHierarchy, match=r"has 9 values .* and 4 more") as caught:
        build(PETS).place([f"beast {number}" for number in range(9)])

    assert "beast 5" not in repr(caught.value)


def test_a_number_where_the_hierarchy_has_text_is_outside() -> None:
    with pytest.raises(OutsideHierarchy, match="Column 'pet' has a value that its hierarchy does not place: '3'"):
        build(PETS).place([3])


def test_a_missing_value_stays_a_value_of_its_own_below_the_top() -> None:
    hierarchy = build(PETS).with_missing()

    assert [row for row in hierarchy.rows() if row[0] is None] == [(None, None, "*")]


@pytest.mark.parametrize("leaf", [None, "", float("nan"), pd.NA, pd.NaT])
def test_an_empty_leaf_places_missing_values_where_the_hierarchy_says(leaf: object) -> None:
    hierarchy = build([["cat", "known", "*"], [leaf, "unknown", "*"]])

    assert hierarchy.with_missing() is hierarchy
    assert hierarchy.rows()[-1] == (None, "unknown", "*")


def test_a_leaf_that_is_a_token_for_missing_places_missing_values() -> None:
    hierarchy = build([["39", "adult", "*"], ["?", "unknown", "*"]]).reading_as_missing(["?", "n/a"])

    assert hierarchy.rows() == [("39", "adult", "*"), (None, "unknown", "*")]
    assert hierarchy.with_missing() is hierarchy
    assert hierarchy.numbers == (Decimal(39), None)


def test_without_such_a_leaf_a_token_changes_nothing() -> None:
    hierarchy = build(PETS)

    assert hierarchy.reading_as_missing(["?"]) is hierarchy


def test_tokens_that_mean_the_same_must_have_the_same_place() -> None:
    rows = [["?", "unknown", "*"], ["n/a", "unknown", "*"], ["-", "not asked", "*"]]

    assert build(rows).reading_as_missing(["?", "n/a"]).leaves == (None, "-")
    with pytest.raises(BadHierarchy, match="None lies under both 'unknown' and 'not asked'"):
        build(rows).reading_as_missing(["?", "-"])


def test_numbers_may_be_categories() -> None:
    hierarchy = replace(build(AGES), categorical=True)

    assert build(AGES).numbers == (Decimal(30), Decimal(39), Decimal(41))
    assert hierarchy.numbers is None
    assert hierarchy.with_missing().categorical
    assert hierarchy.reading_as_missing(["39"]).categorical


def test_a_hierarchy_of_one_level_has_no_place_for_missing_values() -> None:
    with pytest.raises(BadHierarchy, match="the column has missing values, and the only level has no place for them"):
        build([["cat"]]).with_missing()


def test_parallel_columns_are_read_as_rows() -> None:
    levels = {
        0: ["cat", "owl", "dog"],
        1: np.array(["fur", "feathers", "fur"]),
        2: pd.Series(["*"] * 3, index=[7, 7, 1]),
    }

    assert Hierarchy.from_levels(levels, attribute="pet").rows() == build(PETS).rows()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({0: ["cat"], 2: ["*"]}, r"levels must be numbered 0, 1, 2, \.\.\.; got \[0, 2\]"),
        ({1: ["cat"], 2: ["*"]}, r"levels must be numbered 0, 1, 2, \.\.\.; got \[1, 2\]"),
        ({0: ["cat", "dog"], 1: ["*"]}, r"all levels must list as many values; got \[1, 2\]"),
        ({}, "it has no leaves"),
    ],
)
def test_parallel_columns_must_fit_together(levels: dict[int, Sequence[object]], message: str) -> None:
    with pytest.raises(BadHierarchy, match=message):
        Hierarchy.from_levels(levels, attribute="pet")


def test_what_the_caller_passes_is_not_changed() -> None:
    rows = [["cat", "fur", "*"], ["owl", "feathers", "*"]]
    levels: dict[int, Sequence[object]] = {1: ["*", "*"], 0: ["cat", "owl"]}

    build(rows)
    Hierarchy.from_levels(levels, attribute="pet")

    assert rows == [["cat", "fur", "*"], ["owl", "feathers", "*"]]
    assert levels == {1: ["*", "*"], 0: ["cat", "owl"]}


def test_without_levels_between_a_value_is_published_or_withheld() -> None:
    assert Hierarchy.suppression(["b", "a", "b", None], attribute="pet").rows() == [("b", "*"), ("a", "*"), (None, "*")]


PLACES: Rows = [
    ["Albany", "New York", "East", "*"],
    ["New York", "New York", "East", "*"],
    ["Boston", "Massachusetts", "East", "*"],
    ["Texas", "East", "West", "*"],
]


def test_a_label_that_stands_for_other_leaves_on_a_lower_level_is_marked_with_its_level() -> None:
    assert build(PLACES).distinct_labels == (
        ("Albany", "New York", "Boston", "Texas"),
        ("New York (level 1)", "Massachusetts", "East"),
        ("East (level 2)", "West"),
        ("*",),
    )


def test_a_label_that_stands_for_the_same_leaves_on_several_levels_stays_as_it_is() -> None:
    rows: Rows = [["cat", "cat", "pets", "pets"], ["dog", "dog", "pets", "pets"], [None, None, None, "pets"]]

    assert build(rows).distinct_labels == (
        ("cat", "dog", None),
        ("cat", "dog", None),
        ("pets", None),
        ("pets (level 3)",),
    )


def test_marked_labels_differ_from_all_that_the_hierarchy_has() -> None:
    rows = [["a", "b", "*"], ["c", "b", "*"], ["b", "d", "*"], ["b (level 1)", "d", "*"], ["*", "e", "*"]]

    assert build(rows).distinct_labels[1:] == (("b (level 1) (level 1)", "d", "e"), ("* (level 2)",))


def test_a_moment_is_found_whatever_zone_it_is_told_in() -> None:
    moments = build([["2024-01-31 00:30:00+01:00", "January", "*"], ["2024-02-01 00:30:00+01:00", "February", "*"]])

    told_elsewhere = dt.datetime(2024, 1, 30, 23, 30, tzinfo=dt.UTC)

    assert moments.place([told_elsewhere, told_elsewhere + dt.timedelta(days=1)]).tolist() == [0, 1]
    assert moments.outside([told_elsewhere + dt.timedelta(seconds=1)]) == ("2024-01-30 23:30:01+00:00",)
