"""A comparison measures every recoding model alike, by figures that can be counted by hand."""

from dataclasses import fields, replace
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest

import paranym as pn
from paranym.comparison import models
from paranym.comparison.models import Candidate, _marked
from paranym.errors import BadInput, Unattainable

AGES = [31, 32, 33, 41, 42, 43, 44, 90]
"""In tens: classes of three, of four, and one row alone."""


def ages(**changes: object) -> pn.Problem:
    stated: dict[str, object] = {"quasi_identifiers": {"age": {"intervals": [10]}}, "suppression_rows": 1}
    return pn.Problem(pa.table({"age": AGES}), **stated | changes)  # type: ignore[arg-type]


def candidate(problem: pn.Problem, model: str, k: int) -> Candidate:
    return pn.compare(problem, [k], models=[model]).pick(model, k)


def test_discernibility_charges_a_suppressed_row_with_the_whole_table() -> None:
    found = candidate(ages(), "full-domain", 3)

    assert (found.k, found.suppressed, found.classes) == (3, 1, 2)
    assert found.dcn == 3**2 + 4**2 + 8 * 1


def test_losses_charge_a_suppressed_row_in_full() -> None:
    """Seven leaves between 31 and 44 share a range of 13 years of 59; of eight leaves three or four are published."""
    found = candidate(ages(), "full-domain", 3)

    assert found.glm_fraction == pytest.approx((3 * 2 / 7 + 4 * 3 / 7 + 1) / 8)
    assert found.ncp_fraction == pytest.approx((3 * 2 / 59 + 4 * 3 / 59 + 1) / 8)
    assert found.ncp == pytest.approx(8 * found.ncp_fraction)


def test_the_table_as_it_is_loses_nothing() -> None:
    found = candidate(ages(), "full-domain", 1)

    assert (found.k, found.classes, found.dcn, found.ncp, found.glm_fraction) == (1, 8, 8, 0, 0)


def test_what_may_not_be_suppressed_is_generalized() -> None:
    found = candidate(ages(suppression_rows=0), "full-domain", 3)

    assert (found.k, found.suppressed, found.classes, found.dcn) == (8, 0, 1, 64)
    assert found.ncp_fraction == found.glm_fraction == 1


@pytest.mark.parametrize("model", ["mondrian", "top-down", "bottom-up", "mondrian-relaxed"])
def test_local_models_publish_every_row(model: str) -> None:
    found = candidate(ages(), model, 4)

    assert (found.asked_k, found.k, found.suppressed, found.classes) == (4, 4, 0, 2)
    assert found.dcn == 2 * 4**2


def test_the_penalty_of_a_group_is_its_range() -> None:
    """Cut at the median: 31 to 41, and 42 to 90."""
    found = candidate(ages(), "mondrian", 4)

    assert found.ncp_fraction == pytest.approx((4 * 10 / 59 + 4 * 48 / 59) / 8)
    assert found.glm_fraction == pytest.approx(3 / 7)


def test_the_front_holds_what_no_other_candidate_dominates() -> None:
    found = pn.compare(ages(), [2, 4, 8], models=["full-domain", "top-down"])

    assert [(each.asked_k, each.model) for each in found.candidates] == [
        (2, "full-domain"),
        (2, "top-down"),
        (4, "full-domain"),
        (4, "top-down"),
        (8, "full-domain"),
        (8, "top-down"),
    ]
    for each in found.candidates:
        dominating = [
            other
            for other in found.candidates
            if other.k >= each.k and other.ncp <= each.ncp and (other.k, other.ncp) != (each.k, each.ncp)
        ]
        assert each.on_front == (not dominating)
    assert [each.k for each in found.front] == sorted({each.k for each in found.candidates if each.on_front})[::-1]


def test_candidates_for_one_k_are_sorted_by_their_penalty() -> None:
    found = pn.compare(ages(), [2, 4], models=["full-domain", "top-down"])

    assert [each.model for each in found.at(4)] == ["top-down", "full-domain"]
    assert found.at(3) == ()


def test_json_has_the_measures_of_every_candidate() -> None:
    found = pn.compare(ages(), [3], models=["full-domain"])

    [told] = found.as_dict()["candidates"]
    assert told["levels"] == {"age": 1}
    assert (told["k"], told["asked_k"], told["suppressed"], told["classes"], told["dcn"]) == (3, 3, 1, 2, 33)
    assert told["loss"] == pytest.approx(8 * told["loss_fraction"])
    assert told["on_front"] is True
    assert (found.as_dict()["rows"], found.as_dict()["suppression_limit"]) == (8, 1)


def test_a_k_that_no_model_reaches_is_refused() -> None:
    with pytest.raises(Unattainable):
        pn.compare(ages(), [9], models=["full-domain", "mondrian"])


@pytest.mark.parametrize(("k", "models"), [((), None), ((0,), None), ((2.5,), None), ((2,), []), ((2,), ["cutz"])])
def test_what_is_no_comparison_is_refused(k: tuple[int, ...], models: list[str] | None) -> None:
    with pytest.raises(BadInput):
        pn.compare(ages(), k, models=models)


@pytest.mark.parametrize(
    ("other", "dominates"),
    [
        ((4, 0.5), False),  # itself
        ((4, 0.4), True),  # the same k for less
        ((5, 0.5), True),  # a larger k for the same
        ((5, 0.6), False),
        ((3, 0.4), False),
    ],
)
def test_a_candidate_is_dominated_by_as_much_for_less_or_more_for_as_much(
    other: tuple[int, float], *, dominates: bool
) -> None:
    one = replace(candidate(ages(), "mondrian", 4), k=4, ncp_fraction=0.5)

    [marked, _] = _marked([one, replace(one, k=other[0], ncp_fraction=other[1])])

    assert marked.on_front is not dominates


def test_a_candidate_is_on_no_front_before_it_was_compared() -> None:
    assert [field.default for field in fields(Candidate) if field.name == "on_front"] == [False]


def test_the_time_of_a_front_is_that_of_its_search_and_cuts_include_their_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The exact front takes 3 seconds and the cuts 5 more, by a clock that starts at 100; a local recoding takes 2."""
    clock = iter([100.0, 103.0, 110.0, 115.0])
    monkeypatch.setattr(models, "time", SimpleNamespace(process_time=lambda: next(clock)))
    monkeypatch.setattr(models, "evolve", lambda _, **options: options["start"])

    found = pn.compare(ages(), [3], models=["full-domain", "cuts"])
    assert [each.seconds for each in found.candidates] == [3, 8]

    clock = iter([7.0, 9.0])
    assert candidate(ages(), "mondrian", 4).seconds == 2


def test_the_plot_states_how_many_rows_may_be_suppressed(monkeypatch: pytest.MonkeyPatch) -> None:
    subtitles = []
    monkeypatch.setattr(models, "model_plot", lambda _, **options: subtitles.append(options["subtitle"]))
    monkeypatch.setattr(models, "save_plot", lambda *_: None)

    for rows in (1, 0):
        found = pn.compare(ages(suppression_rows=rows), [3], models=["full-domain"])
        models.save_comparison_plot(found, Path("models.svg"))

    assert subtitles == ["8 rows; full-domain and cuts may suppress 1 of them.", "8 rows."]
