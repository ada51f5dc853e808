"""What a report tells is right: worked by hand, counted by brute force, or held against another way to get it."""

from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.datasets import adult
from paranym.errors import BadInput, NoBrowser
from paranym.measures.catalogue import audited_models, describe_loss
from paranym.measures.loss import LOSSES
from paranym.measures.privacy import MODELS
from paranym.plots.figures import size_bars
from paranym.report import printing
from paranym.report.account import Account
from paranym.report.gathering import account_of
from paranym.report.page import report_page
from paranym.results.audit import ClassSizes
from paranym.wording.glossary import ROLES

WARD = pa.table(
    {
        "name": [f"p{n}" for n in range(9)],
        "age": [31, 32, 33, 41, 42, 43, 44, 90, 91],
        "sex": list("FFFMMMMFM"),
        "illness": ["flu", "flu", "cold", "flu", "cold", "flu", "cold", "gout", "flu"],
        "income": [10, 20, 30, 40, 50, 60, 70, 80, 90],
    }
)


def ward(**changes: object) -> pn.Problem:
    stated: dict[str, object] = {
        "quasi_identifiers": {"age": {"intervals": [10, 50]}, "sex": None},
        "sensitive": ["illness"],
        "identifiers": ["name"],
        "suppression_rows": 2,
    }
    return pn.Problem(WARD, **stated | changes)  # type: ignore[arg-type]


def told(**changes: object) -> Account:
    """What is told about the ward with ages in tens: the two who are over ninety go, all others are three or four."""
    problem = ward(**changes)
    front = pn.frontier(problem)
    return account_of(problem, front, point=pn.point_at(problem, {"age": 1}, 3))


def test_who_is_left_out_is_counted_by_group() -> None:
    account = told()

    assert account.claims.suppressed == 2
    by_name = {
        each.attribute: {group.name: (group.rows, group.left_out) for group in each.groups} for each in account.left_out
    }
    assert by_name["illness"] == {"flu": (5, 1), "cold": (3, 0), "1 rare value": (1, 1)}  # gout: one row, not named
    assert by_name["sex"] == {"F": (4, 1), "M": (5, 1)}
    assert by_name["age"] == {"0-49": (7, 0), "1 rare value": (2, 2)}  # whom each age or decade would tell too few of
    assert "gout" not in report_page(account)


def test_numbers_of_many_sizes_are_told_in_ranges() -> None:
    table = pa.table({"age": [n // 4 for n in range(80)] + [90] * 2, "income": [*range(80), 5, None]})
    problem = pn.Problem(table, quasi_identifiers=["age"], sensitive=["income"], suppression_rows=2)
    account = account_of(problem, pn.frontier(problem), point=pn.point_at(problem, {}, 3))

    [income] = [each for each in account.left_out if each.attribute == "income"]

    assert [(group.name, group.rows, group.left_out) for group in income.groups] == [
        ("0 to 15", 17, 1),
        ("16 to 31", 16, 0),
        ("32 to 47", 16, 0),
        ("48 to 63", 16, 0),
        ("64 to 79", 16, 0),
        ("1 rare value", 1, 1),  # the missing one
    ]


def test_the_detail_that_columns_lose_makes_up_the_loss() -> None:
    for weights in ({}, {"age": 3.0}):
        account = told(weights=weights)

        lost = np.average(
            [each.lost for each in account.published], weights=[each.weight for each in account.published]
        )
        assert lost == pytest.approx(account.claims.loss_fraction)


def test_the_columns_are_told_with_labels_that_are_published() -> None:
    age, sex = told().published

    assert (age.level, age.height, age.values_before, age.values_after) == (1, 3, 9, 2)
    assert age.examples == ("30-39", "40-49")  # 90-99 is suppressed
    assert sex.is_kept
    assert sex.lost == pytest.approx(2 / 9)


def test_before_is_the_original_table_and_after_the_release() -> None:
    account = told()

    assert (account.before.k, account.before.rows, account.before.unique) == (1, 9, 9)
    assert (account.after.k, account.after.rows, account.after.unique) == (3, 7, 0)
    assert account.rows_below_k == 9
    assert account.verification.holds


def test_questions_are_answered_exactly_by_an_untouched_table() -> None:
    problem = ward(suppression_rows=0)
    front = pn.frontier(problem)

    assert account_of(problem, front, point=front[-1]).queries.median == 0


def test_bars_are_shares_of_rows_before_and_after() -> None:
    before, after = ClassSizes.of(np.array([1, 1, 2, 6])), ClassSizes.of(np.array([10]))

    bars = {bar["size"]: (bar["before"], bar["after"]) for bar in size_bars(before, after)}

    assert bars["1"] == (0.2, 0)
    assert bars["2"] == (0.2, 0)
    assert bars["5–9"] == (0.6, 0)  # noqa: RUF001 - a dash of ranges
    assert bars["10–19"] == (0, 1)  # noqa: RUF001 - likewise


def test_every_measure_model_and_role_has_words() -> None:
    audit = pn.audit(WARD, quasi_identifiers=["age"], sensitive=["illness"])

    assert all(describe_loss(name) != name for name in LOSSES)
    assert [model.name for model in audited_models()] == list(audit.models["illness"])
    assert all(model.title and model.meaning for model in MODELS.values())
    assert list(ROLES) == [role.value for role in type(ward().schema.attributes[0].role)]


def test_a_front_reports_about_its_knee_unless_told_otherwise(tmp_path: Path) -> None:
    front = pn.frontier(ward())

    page = pn.write_report(ward(), front, tmp_path / "report.html").read_text(encoding="utf-8")
    chosen = pn.write_report(ward(), front, tmp_path / "other.html", point=front[0]).read_text(encoding="utf-8")

    assert "No choice has been made yet" in page
    assert f"k-anonymous with k = {front[0].k}" in chosen
    assert "Content-Security-Policy" in page


class Pictures(HTMLParser):
    """Counts drawings, and those that stand in an element which says in words what they show."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.drawn, self.told, self._open = 0, 0, ""
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "svg":
            self.drawn += 1
            self.told += len(self._open) > 40
        given = dict(attrs)
        self._open = (given.get("aria-label") or "") if given.get("role") == "img" else ""


def test_every_picture_has_a_text_alternative() -> None:
    pictures = Pictures(report_page(told()))

    assert pictures.drawn == pictures.told == 2


def test_a_front_of_cuts_has_a_report(tmp_path: Path) -> None:
    front = pn.evolve(ward(), generations=3, population=12)
    point = min(front, key=lambda each: -each.k)

    page = pn.write_report(ward(), front, tmp_path / "report.html", point=point).read_text(encoding="utf-8")

    assert "a cut" in page or "2\N{NO-BREAK SPACE}of\N{NO-BREAK SPACE}2" in page


@pytest.mark.browser
def test_nothing_is_overwritten_and_nothing_is_left_half_done(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    front = pn.frontier(ward())
    (tmp_path / "report.html").write_text("mine", encoding="utf-8")

    with pytest.raises(BadInput, match="is there already"):
        pn.write_report(ward(), front, tmp_path / "report.html")
    monkeypatch.setattr(printing, "_QUIET", ("--version",))  # the browser ends without having printed anything
    with pytest.raises(NoBrowser, match="did not print the report"):
        pn.write_report(ward(), front, [tmp_path / "other.html", tmp_path / "report.pdf"])

    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert (tmp_path / "report.html").read_text(encoding="utf-8") == "mine"


def test_a_machine_without_a_browser_is_told_what_to_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(printing, "_PLACES", ())

    with pytest.raises(NoBrowser, match="print it to PDF there, or install Chromium"):
        pn.write_report(ward(), pn.frontier(ward()), tmp_path / "report.pdf")


@pytest.mark.browser
def test_a_report_is_printed(tmp_path: Path) -> None:
    pdf = pn.write_report(ward(), pn.frontier(ward()), tmp_path / "report.pdf")

    assert pdf.read_bytes().startswith(b"%PDF-")
    assert pdf.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("chosen", "words"),
    [
        ({"k": 10}, "k had to be at least 10."),
        ({"max_loss": 0.25}, "The information loss had to be at most 25%"),
        ({"k": 5, "max_loss": 0.5}, "k had to be at least 5, and the information loss at most 50%."),
        ({"point": 43}, "solution 43 of the front"),
        ({"levels": {"age": 1}, "k": 3}, "The levels of the columns were given, with a k of at least 3."),
        ({}, "chosen by hand"),
    ],
)
def test_the_reason_is_told(chosen: dict[str, object], words: str) -> None:
    problem = ward()
    front = pn.frontier(problem)

    assert words in account_of(problem, front, point=front[0], chosen=chosen).reason


def test_a_choice_off_the_front_is_called_so() -> None:
    problem = ward()
    page = report_page(account_of(problem, pn.frontier(problem), point=pn.point_at(problem, {"age": 1, "sex": 1}, 3)))

    assert "The choice is not Pareto-optimal" in page


def test_a_release_of_the_adult_table_is_told_in_plain_words(tmp_path: Path) -> None:
    problem = pn.Problem.from_recipe(adult())
    front = pn.frontier(problem)
    point = pn.ask(front, min_k=10).point
    released = pn.release(problem, point, tmp_path / "adult.csv", chosen={"k": 10})

    page = pn.write_report(problem, front, tmp_path / "report.html", release=released).read_text(encoding="utf-8")

    for sentence in (
        "The published table is k-anonymous with k = 10.",
        "19,100 of 30,162 rows (63.3%) were in smaller classes",
        "The file was read back and counted again, and meets every claim.",
        "The Pareto front consists of 52 solutions, and none is missing.",
        "An attacker can be at most 66.7% certain of a person's value",
        released.manifest["release"]["sha256"] if released.manifest else "",
    ):
        assert sentence in page
