"""Sentences and plots about a front say people where people were counted, and rows where rows were."""

import pyarrow as pa
import pytest

import paranym as pn
from paranym.choice import describe
from paranym.errors import Unattainable
from paranym.plots.front import front_plot
from paranym.plots.fronts import compare_plot
from paranym.plots.objectives import objectives_plot

VISITS = pa.table({"patient": ["p1", "p1", "p2", "p3"], "ward": ["A", "A", "B", "B"]})


def front(unit: str) -> pn.Front:
    return pn.frontier(pn.Problem(VISITS, quasi_identifiers=["ward"], person="patient", unit=unit))


def test_an_overview_says_what_k_counts() -> None:
    of_people, of_rows = (" ".join(describe(front(unit)).sentences()) for unit in ("person", "row"))

    assert "k counts different people; the table has 3 people in 4 rows." in of_people
    assert "people" not in of_rows


def test_a_refusal_names_people_or_rows() -> None:
    with pytest.raises(Unattainable, match="the table has 3 people"):
        pn.ask(front("person"), min_k=4)
    with pytest.raises(Unattainable, match="the table has 4 rows"):
        pn.ask(front("row"), min_k=5)


def test_plots_name_people_or_rows() -> None:
    people, rows = (front_plot(front(unit)).to_json() for unit in ("person", "row"))
    both = compare_plot({"a": front("person"), "b": front("row")}).to_json()

    assert "at least k people" in people
    assert "4 rows of 3 people" in people
    assert "at least k rows" in rows
    assert "people" not in rows
    assert "at least k rows or people" in both
    assert "at least k rows" in objectives_plot(front("row").points, axes=("k", "loss")).to_json()
