"""All that a user can write for a hierarchy, and what is said about what describes none."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from paranym.errors import BadHierarchy
from paranym.hierarchies.build import HierarchySpec, build_hierarchy
from paranym.model.hierarchy import Hierarchy

ROWS = [("F", "*"), ("M", "*")]


def build(spec: Any, values: tuple[object, ...] = ("F", "M")) -> Hierarchy:
    return build_hierarchy(spec, values, attribute="sex")


@pytest.mark.parametrize(
    "spec",
    [
        None,
        [["F", "*"], ["M", "*"]],
        (("F", "*"), ("M", "*")),
        [np.array(["F", "*"]), np.array(["M", "*"])],
        {"rows": [["F", "*"], ["M", "*"]]},
        {0: ["F", "M"], 1: ["*", "*"]},
        {"0": ["F", "M"], "1": ["*", "*"]},
        {0: pd.Series(["F", "M"], index=[9, 9]), 1: np.array(["*", "*"])},
        Hierarchy.suppression(["F", "M"], attribute="gender"),
    ],
)
def test_every_form_gives_the_same_hierarchy(spec: HierarchySpec) -> None:
    hierarchy = build(spec)

    assert (hierarchy.attribute, hierarchy.rows()) == ("sex", ROWS)


def test_numbers_that_are_categories_stay_so() -> None:
    given = Hierarchy("zip", (("1", "2"), ("*",)), np.array([[0, 1], [0, 0]], np.int32), categorical=True)

    assert build(given).numbers is None


@pytest.mark.parametrize("kind", [str, Path])
def test_a_file_is_given_by_its_path(tmp_path: Path, kind: type[str] | type[Path]) -> None:
    path = tmp_path / "sex.csv"
    path.write_text("F;*\nM;*\n", encoding="utf-8")

    assert build(kind(path)).rows() == ROWS


def test_labels_are_plain_text() -> None:
    hierarchy = build([np.array(["F", "*"]), np.array(["M", "*"])])

    assert {type(label) for row in hierarchy.rows() for label in row} == {str}


def test_intervals_are_built_over_the_values_of_the_column() -> None:
    assert build({"intervals": [10]}, (31, 38)).rows() == [("31", "30-39", "*"), ("38", "30-39", "*")]


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (5, "an object of type int describes none; give a file, rows from leaf to top"),
        (pd.DataFrame(ROWS), "an object of type DataFrame describes none"),
        (["F", "M"], r"a row lists a leaf and its values up to the top, such as \['F', '\*'\]; got 'F'\."),
        ([1, 2], "a row lists a leaf and its values up to the top, .*; got 1"),
        ({"rows": 5}, r"rows are a list, such as \[\['F', '\*'\], \['M', '\*'\]\]; got 5\."),
        ({"rows": "F;*"}, "rows are a list, .*; got 'F;"),
        ({"intervals": 5}, r"intervals take a list of widths, such as \[5, 10\]; got 5\."),
        ({"intervals": "5"}, "intervals take a list of widths, .*; got '5'"),
        ({"interval": [5]}, r"it is given by \['interval'\]; use one of intervals, .* Did you mean 'intervals'\?"),
        ({"intervals": [5], "breaks": [5]}, r"it is given by \['breaks', 'intervals'\]; use one of intervals, breaks"),
        ({"intervals": [5], "rows": []}, "intervals takes no 'rows'; options are bottom, top, cover, apart"),
        ({"prefix": [2], "aprat": []}, "prefix takes no 'aprat'; .* Did you mean 'apart'"),
        ({"quantiles": 4}, "quantiles cannot be used here: the rows of each value are not known"),
        ({}, "it has no leaves"),
        ([], "it has no leaves"),
    ],
)
def test_what_describes_no_hierarchy_is_refused_with_its_column(spec: object, message: str) -> None:
    with pytest.raises(BadHierarchy, match=f"^Hierarchy of 'sex': {message}"):
        build(spec)


@pytest.mark.parametrize("column", [5, "**", None])
def test_a_level_lists_one_value_for_every_leaf(column: object) -> None:
    with pytest.raises(BadHierarchy, match="Hierarchy of 'sex', level 1: a level lists one value for every leaf; got"):
        build({0: ["F", "M"], 1: column})


@pytest.mark.parametrize("spec", [{0: ["F", "M"], 1: ["*", "*"]}, {"rows": [["F", "*"], ["M", "*"]]}])
def test_the_callers_mapping_is_not_changed(spec: Mapping[Any, Any]) -> None:
    before = {key: list(value) for key, value in spec.items()}

    build(spec)

    assert spec == before
