"""Hierarchies written inline in a recipe: every fault at once, each with its place."""

from pathlib import Path
from typing import Any

import pytest

from paranym.errors import ParanymError
from paranym.hierarchies.build import BUILDERS
from paranym.recipe import Recipe
from paranym.recipe.inline import TABLES, CodingTable

DATA = 'data.source = "x.csv"\n[attributes.age]\nrole = "quasi-identifier"\nhierarchy = '


def parse(tmp_path: Path, written: str) -> Recipe:
    file = tmp_path / "recipe.toml"
    file.write_text(DATA + written + "\n", encoding="utf-8")
    return Recipe.read(file)


@pytest.mark.parametrize(
    ("written", "spec"),
    [
        ("{ intervals = [5, 10], top = 80, cover = [0, 120] }", {"intervals": [5, 10], "top": 80, "cover": [0, 120]}),
        ("{ breaks = [[18, 30.5], [18]] }", {"breaks": [[18, 30.5], [18]]}),
        ("{ quantiles = 4 }", {"quantiles": 4}),
        ("{ bottom = 1 }", {"bottom": 1}),
        ("{ prefix = [3], apart = [99, 'x'] }", {"prefix": [3], "apart": [99, "x"]}),
        ("{ dates = ['week'], format = '%Y' }", {"dates": ["week"], "format": "%Y"}),
        ("{ times = [60] }", {"times": [60]}),
        ("{ tree = { a = ['b'] }, others = 'c' }", {"tree": {"a": ["b"]}, "others": "c"}),
        ("{ rare = 0.01 }", {"rare": 0.01}),
        ("{ rows = [['F', '*']] }", {"rows": [["F", "*"]]}),
        ("{ 0 = ['F'], 1 = ['*'] }", {"0": ["F"], "1": ["*"]}),
    ],
)
def test_a_table_reaches_its_builder_as_it_was_written(tmp_path: Path, written: str, spec: Any) -> None:
    assert parse(tmp_path, written).hierarchy("age") == spec


def test_a_list_of_tables_and_files_keeps_its_order(tmp_path: Path) -> None:
    found = parse(tmp_path, "[{ prefix = [3] }, 'regions.csv']").hierarchy("age")

    assert found == [{"prefix": [3]}, tmp_path / "regions.csv"]


@pytest.mark.parametrize(
    ("written", "faults"),
    [
        ("5", ["hierarchy: should be a file name or an inline table; got 5"]),
        ("[]", ["hierarchy: should have at least 1 item, not 0; got []"]),
        ("[[1]]", ["hierarchy.0: should be a file name or an inline table; got [1]"]),
        ("{ intervals = [5, 'x'] }", ["hierarchy.intervals.1: should be a number; got 'x'"]),
        (
            "{ intervals = 5, tpo = 80 }",
            [
                "hierarchy.intervals: should be a valid list; got 5",
                "hierarchy.tpo: unknown key; known here are bottom, top, cover, apart, intervals. Did you mean 'top'?",
            ],
        ),
        ("{ breaks = [[1, true]] }", ["hierarchy.breaks.0: should be a number or a list of numbers; got [1, True]"]),
        ("{ quantiles = 'x' }", ["hierarchy.quantiles: should be a number or a list of numbers; got 'x'"]),
        (
            "{ dates = ['moth'], cover = [1] }",
            [
                (
                    "hierarchy.dates.0: should be 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year' or "
                    "'decade'; got 'moth'. Did you mean 'month'?"
                ),
                "hierarchy.cover.0: should be a valid date; got 1",
                "hierarchy.cover: should have at least 2 items, not 1; got [1]",
            ][:2],
        ),
        ("[{ prefix = [3] }, { prefix = ['x'] }]", ["hierarchy.1.prefix.0: should be a valid integer; got 'x'"]),
        ("{ tree = {} }", ["hierarchy.tree: should have at least 1 item, not 0; got {}"]),
        ("{ rare = [] }", ["hierarchy.rare: should be a number or a list of numbers; got []"]),
    ],
)
def test_every_fault_has_its_place(tmp_path: Path, written: str, faults: list[str]) -> None:
    with pytest.raises(ParanymError) as caught:
        parse(tmp_path, written)

    assert str(caught.value).splitlines() == [f"recipe.toml: attributes.age.{fault}" for fault in faults]


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("{ interval = [5] }", "got interval. Did you mean 'intervals'?"),
        ("{ intervals = [5], breaks = [5] }", "got intervals, breaks."),
        ("{}", "it is empty."),
        ("{ cover = [1, 2] }", "got cover."),
    ],
)
def test_a_table_must_say_which_builder_is_meant(tmp_path: Path, written: str, told: str) -> None:
    with pytest.raises(ParanymError) as caught:
        parse(tmp_path, written)

    assert "attributes.age.hierarchy: should hold one of intervals, breaks, quantiles" in str(caught.value)
    assert str(caught.value).endswith(told)


def test_recipes_and_builders_know_the_same_options() -> None:
    for key, builder in BUILDERS.items():
        assert set(TABLES[key].model_fields) == {key, *builder.options}
    assert set(TABLES) == {*BUILDERS, "rows"}
    assert set(CodingTable.model_fields) == {"bottom", "top", "cover", "apart"}
