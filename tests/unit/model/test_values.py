"""A cell of a table and a leaf of a hierarchy are the same value, however they are written."""

from datetime import UTC, date, datetime, time
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from paranym.model.values import is_number, is_whole, to_number, to_text


@pytest.mark.parametrize("text", ["NA", "001", "1e5", "nan", "inf", "TRUE", "None", "null", " x ", "-0", "39.0", "?"])
def test_text_stays_text(text: str) -> None:
    assert to_text(text) == text


@pytest.mark.parametrize(
    "value",
    [
        39,
        39.0,
        Decimal(39),
        Decimal("39.000"),
        Decimal("3.9E+1"),
        *(kind(39) for kind in (np.int8, np.uint64, np.float32)),
    ],
)
def test_one_number_has_one_text(value: object) -> None:
    assert to_text(value) == "39"


@pytest.mark.parametrize(
    "value",
    [None, "", np.str_(""), float("nan"), np.float64("nan"), Decimal("NaN"), pd.NA, pd.NaT, np.datetime64("NaT")],
)
def test_nothing_and_not_a_number_are_missing(value: object) -> None:
    assert to_text(value) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.1, "0.1"),
        (np.float32(0.1), "0.1"),
        (np.float16(0.1), "0.1"),
        (1e-7, "0.0000001"),
        (1e16, "10000000000000000"),
        (-0.0, "0"),
        (-12.50, "-12.5"),
        (float("inf"), "Infinity"),
        (2**70, "1180591620717411303424"),
    ],
)
def test_numbers_are_written_out_without_exponent_and_without_trailing_zeros(value: object, text: str) -> None:
    assert to_text(value) == text


@pytest.mark.parametrize(("value", "text"), [(True, "true"), (np.False_, "false")])
def test_truth_values_are_no_numbers(value: object, text: str) -> None:
    assert (to_text(value), to_number(value)) == (text, None)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (date(2024, 2, 29), "2024-02-29"),
        (datetime(2024, 2, 29), "2024-02-29"),  # noqa: DTZ001 - tables hold times without zone
        (datetime(2024, 2, 29, 8, 30), "2024-02-29 08:30:00"),  # noqa: DTZ001
        (datetime(2024, 2, 29, tzinfo=UTC), "2024-02-29 00:00:00+00:00"),
        (pd.Timestamp("2024-02-29"), "2024-02-29"),
        (time(8, 30), "08:30:00"),
    ],
)
def test_dates_and_times_are_written_in_iso_form(value: object, text: str) -> None:
    assert to_text(value) == text


@pytest.mark.parametrize("value", ["39", "39.0", "39.00", 39, 39.0, Decimal("39.0"), np.int8(39)])
def test_a_number_is_recognized_whatever_its_type(value: object) -> None:
    assert to_number(value) == 39


@pytest.mark.parametrize(
    "text", ["001", "+39", "1e5", " 39", "39 ", "39.", ".5", "1,000", "1_000", "nan", "inf", "٣٩", "39\n", "", "x"]
)
def test_text_in_any_but_plain_form_is_no_number(text: str) -> None:
    assert to_number(text) is None


def test_infinity_is_no_number_that_an_interval_could_hold() -> None:
    assert to_number(float("inf")) is None


@pytest.mark.parametrize("value", [1, 0.5, Decimal("0.5"), np.float32(0.5), np.float64(0.5), np.int8(1), float("inf")])
def test_an_argument_may_be_a_number_of_python_or_numpy(value: object) -> None:
    assert is_number(value)


@pytest.mark.parametrize("value", [True, np.True_, "1", None, float("nan"), Decimal("NaN"), 1j, [1]])
def test_an_argument_that_is_no_number_is_told(value: object) -> None:
    assert not is_number(value)


@pytest.mark.parametrize(
    ("value", "whole"), [(1, True), (np.uint8(1), True), (1.0, False), (True, False), ("1", False), (np.True_, False)]
)
def test_whole_numbers_are_told_from_others(value: object, whole: bool) -> None:  # noqa: FBT001 - expected
    assert is_whole(value) == whole
