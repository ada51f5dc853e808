"""The tables of a report state the original table before the release, and figures that can be counted by hand."""

import pyarrow as pa
import pytest

import paranym as pn
from page_tables import Tables
from paranym.report.gathering import account_of
from paranym.report.page import report_page

WARD = pa.table(
    {
        "age": [31, 32, 33, 41, 42, 43, 44, 90, 91],
        "sex": list("FFFMMMMFM"),
        "illness": ["flu", "flu", "cold", "flu", "cold", "flu", "cold", "gout", "flu"],
    }
)
"""Nine unique rows. With ages in tens there are classes of three and of four; the two over ninety are suppressed."""


def pairs_before_and_after() -> list[list[tuple[str, str]]]:
    """Of each table with the columns "before" and "after", these two columns."""
    problem = pn.Problem(
        WARD,
        quasi_identifiers={"age": {"intervals": [10, 50]}, "sex": None},
        sensitive=["illness"],
        suppression_rows=2,
    )
    account = account_of(problem, pn.frontier(problem), point=pn.point_at(problem, {"age": 1}, 3))
    tables = Tables(report_page(account)).tables
    return [[(row[1], row[2]) for row in table[1:]] for table in tables if table[0][1:] == ["before", "after"]]


def test_risks_before_are_those_of_the_original_and_risks_after_those_of_the_release() -> None:
    [_, risks, _] = pairs_before_and_after()

    assert risks == [
        ("9", "7"),  # rows
        ("9", "2"),  # classes
        ("1", "3"),  # the smallest
        ("1", "4"),  # the class of the median row
        ("9 (100%)", "0 (0%)"),  # unique
        ("9 (100%)", "7 (100%)"),  # in classes smaller than five
        ("100%", "33.3%"),  # the highest risk
        ("100%", "28.6%"),  # on average: two classes over seven rows
        ("100%", "100%"),  # above the threshold
    ]


def test_shares_of_rows_by_class_size_are_before_and_after() -> None:
    [sizes, _, _] = pairs_before_and_after()

    assert sizes == [("100%", "0%"), ("0%", "0%"), ("0%", "42.9%"), ("0%", "57.1%"), ("0%", "0%")]


@pytest.mark.parametrize("pair", [("1", "2"), ("1", "1.5"), ("1", "1.89")])
def test_diversity_before_is_that_of_the_original(pair: tuple[str, str]) -> None:
    """Unique rows have one illness each; the class of four has two flus and two colds, that of three two flus."""
    [_, _, models] = pairs_before_and_after()

    assert pair in models
    assert (pair[1], pair[0]) not in models
