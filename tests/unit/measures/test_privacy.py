"""Every model on an example that can be worked out by hand."""

from collections.abc import Callable
from math import inf, log, log2, sqrt
from pathlib import Path
from typing import cast

import numpy as np
import pytest

from paranym.errors import BadInput
from paranym.measures.privacy import COMBINATIONS, MODELS
from paranym.measures.privacy.base import Classes, Model, Reference, Requirement
from paranym.measures.privacy.closeness import HierarchicalCloseness
from paranym.model.hierarchy import Hierarchy


def classes(*groups: str, reference: str | None = None) -> Classes:
    """One class for each text, one row for each letter."""
    letters = sorted({letter for group in (*groups, reference or "") for letter in group})
    counts = np.array([[group.count(letter) for letter in letters] for group in groups])
    owners, columns = np.nonzero(counts)
    return Classes(
        counts.sum(axis=1),
        owners.astype(np.int32),
        columns.astype(np.int32),
        counts[owners, columns],
        None if reference is None else np.array([reference.count(letter) for letter in letters]),
    )


PATIENTS = ("hvcc", "chvv", "hvcc")
"""The 3-diverse inpatients of the l-diversity paper: heart disease, viral infection, cancer."""
SALARIES = "345678abc"
"""Of the t-closeness paper: 3,000 to 11,000, once each."""
PETS = Hierarchy.from_rows(
    [["cat", "fur", "*"], ["dog", "fur", "*"], ["owl", "feathers", "*"], ["tit", "feathers", "*"]], attribute="pet"
)


@pytest.mark.parametrize(
    ("model", "table", "values"),
    [
        (MODELS["k"](), classes("hvcc", "ch"), [4, 2]),
        (MODELS["frequency-l"](), classes(*PATIENTS), [2, 2, 2]),
        (MODELS["frequency-l"](), classes("aab", "ab", "a"), [1.5, 2, 1]),
        (MODELS["distinct-l"](), classes(*PATIENTS), [3, 3, 3]),
        (MODELS["entropy-l"](), classes(*PATIENTS), [2 * sqrt(2)] * 3),
        (MODELS["entropy-l"](), classes("aabb", "aaaabcde", "a"), [2, 4, 1]),
        (MODELS["recursive-c"](l=2), classes(*PATIENTS), [1, 1, 1]),
        (MODELS["recursive-c"](l=3), classes(*PATIENTS), [2, 2, 2]),
        (MODELS["recursive-c"](l=4), classes(*PATIENTS), [inf, inf, inf]),
        (MODELS["recursive-c"](l=2), classes("aaaaaaaaab", "a"), [9, inf]),
        (MODELS["recursive-l"](c=2), classes("hvcc", "aaaaaaaaab", "ab"), [2, 1, 2]),
        (MODELS["recursive-l"](c=0.5), classes("aab", "abc"), [0, 1]),
        (MODELS["equal-t"](), classes("aab", "abb"), [1 / 6, 1 / 6]),
        (MODELS["equal-t"](), classes("aa", reference="aabb"), [0.5]),
        (MODELS["ordered-t"](), classes("345", "68c", reference=SALARIES), [0.375, 1 / 6]),
        (
            HierarchicalCloseness.by(PETS, ["cat", "dog", "owl", "tit"]),
            classes("ad", "ab", reference="abcd"),
            [1 / 4, 1 / 2],
        ),
        (MODELS["alpha"](), classes("aab", "abcd"), [2 / 3, 1 / 4]),
        (MODELS["alpha"](value=1), classes("aab", "abcd", "a"), [1 / 3, 1 / 4, 0]),
        (MODELS["basic-beta"](), classes("aab", "abb"), [1 / 3, 1 / 3]),
        (MODELS["enhanced-beta"](), classes("aab", "abb"), [1 / 3, 1 / 3]),
        (MODELS["enhanced-beta"](), classes("a", "b"), [inf, inf]),  # gains of 1 where -ln(1/2) allows 0.69
        (MODELS["delta-disclosure"](), classes("aab", "abb"), [log2(3 / 2), log2(3 / 2)]),
        (MODELS["delta-disclosure"](), classes("aab", "aa"), [log2(5 / 3), inf]),
    ],
    ids=lambda value: getattr(value, "name", ""),
)
def test_values_of_classes(model: Model, table: Classes, values: list[float]) -> None:
    assert model.of(table) == pytest.approx(values, rel=1e-12)
    assert model.achieved(table) == pytest.approx((min if model.facts.larger_is_better else max)(values), rel=1e-12)


@pytest.mark.parametrize("values", range(2, 30))
@pytest.mark.parametrize("times", [1, 7, 1000])
def test_as_many_equally_frequent_values_are_exactly_that_diverse(values: int, times: int) -> None:
    even = Classes(
        np.array([values * times]),
        np.zeros(values, np.int32),
        np.arange(values, dtype=np.int32),
        np.full(values, times),
    )

    assert MODELS["entropy-l"]().achieved(even) == values
    assert MODELS["frequency-l"]().achieved(even) == values
    assert Requirement(MODELS["entropy-l"](), values, "a").is_met(even)
    assert not Requirement(MODELS["entropy-l"](), values + 0.001, "a").is_met(even)


def test_nine_to_one_needs_a_ratio_above_nine() -> None:
    table = classes("aaaaaaaaab")

    assert not Requirement(MODELS["recursive-c"](l=2), 9, "a").is_met(table)
    assert Requirement(MODELS["recursive-c"](l=2), 9.001, "a").is_met(table)
    assert MODELS["recursive-l"](c=9).achieved(table) == 1
    assert MODELS["recursive-l"](c=9.001).achieved(table) == 2


def test_a_value_that_a_class_lacks_is_disclosed_without_bound() -> None:
    assert MODELS["delta-disclosure"]().achieved(classes("ab", "a")) == inf


def test_many_rows_do_not_overflow() -> None:
    """120,000 rows at a distance of .45 are no .2 close."""
    table = Classes(
        np.array([60_000, 60_000]),
        np.array([0, 0, 1, 1], np.int32),
        np.array([0, 1, 0, 1], np.int32),
        np.array([57_000, 3_000, 3_000, 57_000]),
    )
    flat = HierarchicalCloseness.by(Hierarchy.suppression(["a", "b"], attribute="s"))

    assert flat.achieved(table) == pytest.approx(0.45)
    assert not Requirement(flat, 0.2, "s").is_met(table)
    billions = Classes(table.sizes * 10**13, table.owners, table.columns, table.amounts * 10**13)
    for model in (flat, MODELS["equal-t"](), MODELS["ordered-t"]()):
        assert model.achieved(billions) == pytest.approx(0.45)


@pytest.mark.parametrize("name", [name for name in MODELS if not MODELS[name].facts.needs_population])
def test_a_constant_attribute_a_single_class_and_a_single_row_have_values(name: str) -> None:
    flat = Hierarchy.suppression(["a", "b"], attribute="s")
    model = HierarchicalCloseness.by(flat) if name == "hierarchical-t" else MODELS[name]()
    constant = {
        "k": 1,
        "recursive-l": 1,
        "recursive-c": inf,
        "alpha": 1,
        "frequency-l": 1,
        "distinct-l": 1,
        "entropy-l": 1,
    }

    assert model.achieved(classes("aa", "a")) == constant.get(name, 0)
    assert model.achieved(classes("a")) == constant.get(name, 0)
    if model.facts.needs_reference:
        assert model.achieved(classes("aab")) == pytest.approx(0, abs=1e-12)


def test_more_values_than_rows_of_a_class() -> None:
    table = classes("a", reference="abcdefghij")

    assert MODELS["equal-t"]().achieved(table) == pytest.approx(0.9)
    assert MODELS["ordered-t"]().achieved(table) == pytest.approx(0.5)
    assert MODELS["basic-beta"]().achieved(table) == pytest.approx(9)


def test_a_value_that_the_reference_lacks() -> None:
    table = classes("ab", reference="aa")

    assert MODELS["basic-beta"]().achieved(table) == inf
    assert MODELS["enhanced-beta"]().achieved(table) == inf
    assert MODELS["delta-disclosure"]().achieved(table) == inf
    assert MODELS["equal-t"]().achieved(table) == pytest.approx(0.5)


def test_an_enhanced_likeness_is_bounded_by_the_logarithm() -> None:
    reference = "a" * 6 + "b" * 4
    gain = 1 / 0.4 - 1

    assert gain > -log(0.4)
    assert MODELS["basic-beta"]().achieved(classes("bb", reference=reference)) == pytest.approx(gain)
    assert MODELS["enhanced-beta"]().achieved(classes("bb", reference=reference)) == inf


def test_a_population_bounds_who_may_be_in_the_table() -> None:
    table = Classes(np.array([2, 3]), population=np.array([8, 4]))

    assert MODELS["k-map"]().achieved(table) == 4
    assert MODELS["presence-most"]().achieved(table) == 0.75
    assert MODELS["presence-least"]().achieved(table) == 0.25
    assert MODELS["presence-least"]().achieved(Classes(table.sizes, population=table.population, absent=1)) == 0
    with pytest.raises(BadInput, match="give one"):
        MODELS["k-map"]().achieved(Classes(np.array([2])))


def test_a_class_is_part_of_the_population() -> None:
    assert MODELS["k-map"]().achieved(Classes(np.array([3]), population=np.array([0]))) == 3


def test_what_is_left_after_suppression_is_its_own_reference_unless_another_was_given() -> None:
    which = np.array([True, False])

    released = classes("aab", "bbb").kept(which)
    assert MODELS["equal-t"]().achieved(released) == 0
    original = classes("aab", "bbb", reference="aabbbb").kept(which)
    assert MODELS["equal-t"]().achieved(original) == pytest.approx(1 / 3)
    population = Classes(np.array([2, 3]), population=np.array([8, 4])).kept(which)
    assert (MODELS["k-map"]().achieved(population), MODELS["presence-least"]().achieved(population)) == (8, 0)


def test_only_models_with_a_reference_depend_on_other_classes() -> None:
    for name, make in MODELS.items():
        facts = make.facts
        assert facts.is_local(Reference.ORIGINAL)
        assert facts.is_local(Reference.RELEASED) == (name.split("-")[-1] not in ("t", "beta", "disclosure"))


def test_a_requirement_marks_the_classes_that_break_it() -> None:
    requirement = Requirement(MODELS["distinct-l"](), 2, "illness")

    assert requirement.met_by(classes("ab", "aa", "abc")).tolist() == [True, False, True]
    assert not requirement.is_met(classes("ab", "aa"))
    assert str(requirement) == "distinct l-diversity of 'illness' at least 2"
    assert str(Requirement(MODELS["equal-t"](), 0.2, "illness")).endswith("of 'illness' at most 0.2")
    assert str(Requirement(MODELS["k"](), 5)) == "k-anonymity at least 5"
    assert str(Requirement(MODELS["delta-disclosure"](), 2, "a")).endswith("less than 2")


def test_rounding_breaks_no_requirement() -> None:
    tenths = classes("a" * 7 + "bbb", reference="a" * 4 + "b" * 6)  # 0.7 - 0.4 is 0.29999999999999993, or 0.3000000001

    assert Requirement(MODELS["equal-t"](), 0.3, "s").is_met(tenths)
    assert Requirement(MODELS["equal-t"](), 0, "s").is_met(classes("abc", "abcabc"))
    assert Requirement(MODELS["alpha"](), 0.7, "s").is_met(tenths)


def test_nothing_published_breaks_nothing() -> None:
    empty = classes("ab").kept(np.array([False]))

    assert Requirement(MODELS["distinct-l"](), 5, "s").is_met(empty)
    assert Requirement(MODELS["equal-t"](), 0.1, "s").is_met(empty)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: MODELS["recursive-c"](l=0), "whole number from 1 on; got 0"),
        (lambda: MODELS["recursive-l"](c=-1), "positive number; got -1"),
        (lambda: Requirement(MODELS["k"](), cast("float", "five")), "is a number; got 'five'"),
        (lambda: Requirement(MODELS["entropy-l"](), 2), "say which"),
    ],
)
def test_requests_that_cannot_be_right(make: Callable[[], object], said: str) -> None:
    with pytest.raises(BadInput, match=said):
        make()


def test_models_are_listed_under_their_own_names() -> None:
    assert [make.name for make in MODELS.values()] == list(MODELS)
    assert {name for pair in COMBINATIONS.values() for name in pair} <= set(MODELS)


@pytest.mark.parametrize("name", MODELS)
def test_the_facts_are_documented(name: str) -> None:
    page = (Path(__file__).parents[3] / "docs" / "privacy.md").read_text(encoding="utf-8")
    [line] = [line for line in page.splitlines() if line.startswith(f"| `{name}` |")]
    facts = MODELS[name].facts
    stated = (facts.strict, facts.survives_growth, facts.needs_reference)

    assert line.split(" | ")[2] == ("larger" if facts.larger_is_better else "smaller")
    assert [cell.strip(" |") for cell in line.split(" | ")[3:]] == ["yes" if fact else "no" for fact in stated]
