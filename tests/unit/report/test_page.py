"""The page of a report shows each figure in its place: a ward of nine, worked by hand."""

import re
from dataclasses import replace

import pyarrow as pa
import pytest

import paranym as pn
from page_tables import Tables
from paranym.plots.figures import front_in_words
from paranym.report.account import Account, Group, LeftOut
from paranym.report.gathering import account_of
from paranym.report.page import report_page

WARD = pa.table(
    {
        "name": [f"p{n}" for n in range(9)],
        "age": [31, 32, 33, 41, 42, 43, 44, 90, 91],
        "sex": list("FFFMMMMFM"),
        "illness": ["flu", "flu", "cold", "flu", "cold", "flu", "cold", "gout", "flu"],
    }
)
"""With ages in tens there are classes of three and of four rows; the two over ninety are suppressed."""


def account(**changes: object) -> Account:
    stated: dict[str, object] = {
        "quasi_identifiers": {"age": {"intervals": [10, 50]}, "sex": None},
        "sensitive": ["illness"],
        "identifiers": ["name"],
        "suppression_rows": 2,
    }
    problem = pn.Problem(WARD, **stated | changes)  # type: ignore[arg-type]
    return account_of(problem, pn.frontier(problem), point=pn.point_at(problem, {"age": 1}, 3))


@pytest.fixture(scope="module")
def ward() -> Account:
    return account()


def text(account: Account) -> str:
    """The words of the page, without its style and pictures."""
    page = re.sub(r"<(style|svg).*?</\1>", "", report_page(account), flags=re.DOTALL)
    words = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", page))
    return re.sub(r" ([,;.])", r"\1", words)


def test_claims_stand_beside_what_was_found(ward: Account) -> None:
    shown = Tables(report_page(ward))

    assert shown.under("check", "claimed", "found", "result") == [
        ["columns", "3", "3", "holds"],
        ["rows", "7", "7", "holds"],
        ["suppressed rows", "2", "2", "holds"],
        ["k", "3", "3", "holds"],
        ["loss (glm)", "6.25", "6.25", "holds"],  # 3 rows lose 2/8, 4 lose 3/8, 2 lose both columns
    ]


def test_a_claim_that_fails_is_shown_as_failed(ward: Account) -> None:
    [columns, rows, *others] = ward.verification.checks
    broken = replace(ward.verification, checks=(columns, replace(rows, found=6), *others))

    shown = Tables(report_page(replace(ward, verification=broken)))

    assert shown.under("check", "claimed", "found", "result")[1] == ["rows", "7", "6", "FAILED"]


def test_columns_of_numbers_are_aligned_and_columns_of_words_are_not(ward: Account) -> None:
    shown = Tables(report_page(ward))

    aligned = {tuple(table[0]): columns for table, columns in zip(shown.tables, shown.numbers, strict=True)}
    assert aligned["check", "claimed", "found", "result"] == {1, 2}
    assert aligned["risk", "before", "after"] == {1, 2}
    assert aligned["column", "role", "treatment"] == set()


def test_neighbours_are_compared_with_the_choice(ward: Account) -> None:
    """A row above the choice has more k for more loss; the row below is the original table."""
    rows = Tables(report_page(ward)).under(
        "k", "information loss", "suppressed rows", "compared with the choice", "columns published differently"
    )

    assert [(row[0], row[2], row[4]) for row in rows] == [
        ("7", "2", "generalized more: age, sex"),
        ("4", "0", "generalized more: age"),
        ("3", "2", ""),
        ("1", "0", "generalized less: age"),
    ]
    assert [row[3] for row in rows] == [
        "k larger by 4; 55.6 percentage points more information loss",
        "k larger by 1; 15.3 percentage points more information loss",
        "the choice",
        "k smaller by 2; 34.7 percentage points less information loss",
    ]


def test_published_columns_are_shown_with_their_level_and_loss(ward: Account) -> None:
    """Of nine ages, the ones in their thirties stand for three and those in their forties for four."""
    age = (3 * 2 / 8 + 4 * 3 / 8 + 2) / 9

    rows = Tables(report_page(ward)).under("column", "level", "distinct values", "published values", "information loss")

    assert rows == [
        ["age", "1\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}3", "9 \N{RIGHTWARDS ARROW} 2", "30-39, 40-49", f"{age:.1%}"],
        ["sex", "0\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}1", "2 \N{RIGHTWARDS ARROW} 2", "unchanged: F, M", "22.2%"],
    ]


def test_the_groups_that_lose_most_rows_are_named_the_worst_first(ward: Account) -> None:
    """Of nine rows two are suppressed; a group is named from 1.5 times that share on, unless it is a single row."""
    groups = [Group("a", 10, 4), Group("b", 10, 8), Group("c", 20, 9), Group("d", 10, 6), Group("e", 1, 1)]
    city = LeftOut(attribute="city", is_sensitive=False, groups=tuple(groups))
    pet = LeftOut(attribute="pet", is_sensitive=False, groups=(Group("f", 9, 2),))

    shown = text(replace(ward, left_out=(city, pet)))

    assert (
        "Suppressed most often: city = b, 80.0% of 10 rows (3.6 times the average); city = d, 60.0% of 10 rows "
        "(2.7 times the average); city = c, 45.0% of 20 rows (2.0 times the average)." in shown
    )
    assert "By pet, no group is suppressed much more often than the average." in shown


def test_requirements_besides_k_are_a_reason_for_suppression() -> None:
    shown = text(account(privacy={"l": 1.5}))

    assert "still too small after generalization or do not meet the other privacy requirements." in shown
    assert "Privacy requirements besides k none" not in shown


def test_without_requirements_size_is_the_only_reason(ward: Account) -> None:
    shown = text(ward)

    assert "still too small after generalization. Rows" in shown
    assert "Privacy requirements besides k none" in shown


def test_warnings_come_before_the_figures_and_only_if_there_are_any(ward: Account) -> None:
    call = "Consider these warnings before you approve the release:"
    calm = replace(ward, warnings=(), after=replace(ward.after, concerns=()))

    warned = text(replace(ward, warnings=("Mind the gap.",)))

    assert warned.index(call) < warned.index("Mind the gap.") < warned.index("Why this choice?")
    assert call not in text(calm)


def test_what_would_stop_the_publication_is_among_the_warnings() -> None:
    mails = pa.array([f"person{n}@example.org" for n in range(9)])
    problem = pn.Problem(
        WARD.append_column("mail", mails),
        quasi_identifiers={"age": {"intervals": [10, 50]}, "sex": None},
        sensitive=["illness"],
        identifiers=["name"],
        keep=["mail"],
        suppression_rows=2,
    )

    found = account_of(problem, pn.frontier(problem), point=pn.point_at(problem, {"age": 1}, 3))

    assert any("mail" in warning for warning in found.warnings)


def test_the_picture_of_the_front_is_told_in_words(ward: Account) -> None:
    assert front_in_words(ward.front, ward.point) == (
        "Information loss against k for 5 solutions, from k = 1 at 0% to k = 9 at 100%; the chosen solution has "
        "k = 3 at 34.7%."
    )
    assert front_in_words(replace(ward.front, points=()), ward.point) == "There is no other solution to compare with."
