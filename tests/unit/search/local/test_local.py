"""The algorithms of local recoding against the paper's examples, a slow reference and each other."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import csv

import paranym as pn
from local_reference import TopDown
from paranym.kernels.local.cell_penalty import LARGE_TREE, SMALL_TREE, span
from paranym.model import axis as axes_module
from paranym.model.axis import Axis, scale_of
from paranym.model.hierarchy import Hierarchy
from paranym.model.local import LocalRecoding, Style
from paranym.problem import Problem
from paranym.search.local.base import Partition, Tuples
from paranym.search.local.bottom_up import bottom_up
from paranym.search.local.top_down import top_down
from paranym.solve.local import LocalOptions, LocalRun, LocalTable
from reference import Sample
from samples import hierarchies_of, problem_of, samples

FIGURE_1 = pa.table({"age": [24, 25, 30, 30, 32, 32], "zip": [53712, 53711, 53711, 53711, 53712, 53713]})
"""R1 to R6."""
EXAMPLE_1 = pa.table({"x": [10, 20, 20, 50, 50, 60], "y": [60, 70, 50, 20, 10, 15]})
"""a to f, such that all ranges are those that the text gives."""


def grouped(problem: Problem, groups: list[list[tuple[str, ...]]], style: Style = Style.RANGE) -> LocalRecoding:
    """The recoding that gathers these rows."""
    codes = [tuple(row) for row in problem.frequency.codes.tolist()]
    leaves = [hierarchy.leaves for hierarchy in problem.hierarchies]
    rows = [[codes.index(tuple(leaves[j].index(cell) for j, cell in enumerate(row))) for row in g] for g in groups]
    return LocalTable(problem).recoding(
        Partition(
            np.concatenate([np.array(g) for g in rows]),
            np.ones(sum(map(len, rows)), np.int64),
            np.cumsum([0, *map(len, rows)]),
        ),
        style,
    )


def rows_of(table: pa.Table, numbers: list[int]) -> list[tuple[str, ...]]:
    return [tuple(str(column[number - 1].as_py()) for column in table.columns) for number in numbers]


def widths(recoding: LocalRecoding) -> list[list[int]]:
    """The sizes of the intervals, per group and attribute."""
    ends = [[label.split("-") for label in labels if label is not None] for labels in recoding.published]
    return [[int(end[-1]) - int(end[0]) for end in group] for group in zip(*ends, strict=True)]


def test_figure_1() -> None:
    problem = Problem(FIGURE_1, quasi_identifiers=["age", "zip"])
    globally = grouped(problem, [rows_of(FIGURE_1, [1, 5, 6]), rows_of(FIGURE_1, [2, 3, 4])])
    locally = grouped(problem, [rows_of(FIGURE_1, [1, 2, 3]), rows_of(FIGURE_1, [4, 5, 6])])

    assert globally.published == (("24-32", "25-30"), ("53712-53713", "53711"))
    assert locally.published == (("24-30", "30-32"), ("53711-53712", "53711-53713"))
    assert widths(globally) == [[8, 1], [5, 0]]
    assert widths(locally) == [[6, 1], [2, 2]]


def test_example_1() -> None:
    problem = Problem(EXAMPLE_1, quasi_identifiers=["x", "y"])
    pairs = grouped(problem, [rows_of(EXAMPLE_1, pair) for pair in ([1, 2], [3, 4], [5, 6])])
    triples = grouped(problem, [rows_of(EXAMPLE_1, triple) for triple in ([1, 2, 3], [4, 5, 6])])

    assert pairs.published == (("10-20", "20-50", "50-60"), ("60-70", "20-50", "10-15"))
    assert triples.published == (("10-20", "50-60"), ("50-70", "10-20"))
    assert sum(2 * sum(sizes) for sizes in widths(pairs)) == 190
    assert sum(3 * sum(sizes) for sizes in widths(triples)) == 150
    table = LocalTable(problem)
    two, three = (
        table.assess(recoding, LocalRun(LocalOptions(), k, 0.0)) for recoding, k in ((pairs, 2), (triples, 3))
    )
    assert (two.dcn, three.dcn) == (12, 18)  # groups of k are best by size alone,
    assert two.ncp > three.ncp  # and yet lose more


@pytest.mark.parametrize(
    ("style", "age", "job"),
    [
        ("range", ("20-29", "40"), ("craft", "cook")),
        ("label", ("20-29", "40"), ("craft", "cook")),
        ("set", ("{20, 25, 29}", "40"), ("{smith, miller}", "cook")),
        ("mean", ("24.666667", "40"), ("craft", "cook")),
        ("median", ("25", "40"), ("craft", "cook")),
    ],
)
def test_what_is_published_of_a_group(style: str, age: tuple[str, ...], job: tuple[str, ...]) -> None:
    table = pa.table({"age": [20, 25, 29, 40, 40, 40], "job": ["smith", "miller", "smith", "cook", "cook", "cook"]})
    jobs = [["smith", "craft", "*"], ["miller", "craft", "*"], ["cook", "kitchen", "*"], ["waiter", "kitchen", "*"]]
    problem = Problem(table, quasi_identifiers={"age": {"intervals": [10]}, "job": jobs})
    result = pn.recode_locally(problem, 3, style=style)
    order = np.argsort(result.recoding.low[:, 0])

    published = [tuple(labels[g] for g in order) for labels in result.recoding.published]
    assert published[1] == job
    assert published[0] == age
    assert result.assessment.k == 3


@pytest.mark.parametrize(
    ("groups", "style", "age", "job"),
    [
        ([[20, 25], [29, 40]], "range", (2, False), (2, False)),
        ([[20, 29], [25, 40]], "range", (2, True), (1, False)),  # both jobs have only the top in common
        ([[20, 29], [25, 40]], "set", (2, False), (2, True)),
        ([[20], [25], [29], [40]], "range", (4, False), (3, False)),
        ([[20, 40], [25], [29]], "median", (3, True), (3, True)),
    ],
)
def test_how_many_labels_a_column_has_and_whether_they_overlap(
    groups: list[list[int]], style: str, age: tuple[int, bool], job: tuple[int, bool]
) -> None:
    jobs = {20: "smith", 25: "miller", 29: "cook", 40: "cook"}
    trees = [["smith", "craft", "*"], ["miller", "craft", "*"], ["cook", "kitchen", "*"], ["waiter", "kitchen", "*"]]
    table = pa.table({"age": list(jobs), "job": list(jobs.values())})
    problem = Problem(table, quasi_identifiers={"age": {"intervals": [10]}, "job": trees})
    found = grouped(problem, [[(str(one), jobs[one]) for one in group] for group in groups], Style(style)).label_use

    assert (found["age"], found["job"]) == (age, job)


def test_numbers_and_missing_values_have_only_the_top_in_common() -> None:
    table = pa.table({"age": [30, 31, None, None], "sex": ["F", "F", "M", "M"]})
    problem = Problem(table, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    apart, together = pn.recode_locally(problem, 2), pn.recode_locally(problem, 4)

    assert set(apart.recoding.published[0]) == {"30-31", None}
    assert together.recoding.published == (("*",), ("*",))
    assert together.assessment.ncp_fraction == together.assessment.glm_fraction == 1.0


@given(samples(most_rows=4), st.data())
def test_large_trees_cost_what_small_ones_do(sample: Sample, data: st.DataObject) -> None:
    hierarchies = [Hierarchy(h.attribute, h.labels, h.codes, categorical=True) for h in hierarchies_of(sample)]
    axes = [Axis(*pair) for pair in zip(hierarchies, sample.weights, strict=True)]
    small = scale_of(axes)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(axes_module, "SMALL", 0)
        large = scale_of(axes)
    j = data.draw(st.integers(0, len(axes) - 1))
    low, high = sorted(data.draw(st.lists(st.integers(0, len(axes[j].leaves) - 1), min_size=2, max_size=2)))

    assert set(small.kind) == {SMALL_TREE}
    assert set(large.kind) == {LARGE_TREE}
    assert span(small, j, low, high) == span(large, j, low, high)


def tuples_of(sample: Sample) -> Tuples:
    table = LocalTable(problem_of(sample, "ncp", 0.0, "needed"))
    return table.tuples


@settings(max_examples=100)
@given(samples(most_rows=40, repeats=(1, 1, 2, 6)), st.integers(1, 6), st.integers(0, 9), st.integers(1, 4))
def test_top_down_is_what_the_slow_reference_finds(sample: Sample, k: int, seed: int, rounds: int) -> None:
    tuples = tuples_of(sample)
    k = min(k, tuples.rows)
    *_, last = top_down(tuples, k, seed=seed, rounds=rounds)
    partition = last.partition
    assert partition is not None
    spans = [lambda low, high, j=j: span(tuples.scale, j, low, high) for j in range(len(tuples.sizes))]
    order = tuples.whole(seed).tuples.tolist()
    members = [(tuple(tuples.positions[t].tolist()), int(tuples.counts[t])) for t in order]
    found = TopDown(spans, k, rounds)(members)

    assert sorted(partition.rows.tolist()) == sorted(group.rows for group in found)
    expected = sum(TopDown(spans, k).penalty(group) for group in found)
    assert penalty_of(tuples, partition) == pytest.approx(expected)


def penalty_of(tuples: Tuples, partition: Partition) -> float:
    total = 0.0
    for begin, end, rows in zip(partition.begins, partition.begins[1:], partition.rows, strict=False):
        mine = tuples.positions[partition.tuples[begin:end]]
        low, high = mine.min(axis=0), mine.max(axis=0)
        total += rows * sum(span(tuples.scale, j, low[j], high[j]) for j in range(len(tuples.sizes)))
    return total


@given(samples(most_rows=40), st.integers(1, 6), st.booleans())
def test_bottom_up_groups_have_fewer_than_2k_rows(sample: Sample, k: int, by_increase: bool) -> None:  # noqa: FBT001
    tuples = tuples_of(sample)
    *_, last = bottom_up(tuples, min(k, tuples.rows), by_increase=by_increase)
    partition = last.partition
    assert partition is not None

    spread = np.diff(partition.begins) > 1
    assert (partition.rows[spread] < 2 * k).all()  # one tuple alone gains nothing from being split


def test_adult(shared: Path) -> None:
    folder = shared / "data"
    names = ["age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country"]
    problem = Problem(
        folder / "adult_30162.csv",
        quasi_identifiers={name: folder / "hierarchies" / "arx" / f"adult_hierarchy_{name}.csv" for name in names},
    )
    methods = ("top-down", "bottom-up", "mondrian")
    results = {method: pn.recode_locally(problem, 10, method=method, refine=0) for method in methods}
    results["codes"] = pn.recode_locally(problem, 10, method="mondrian", categories="codes", refine=0)
    found = {method: result.assessment for method, result in results.items()}
    error = {method: pn.query_error(problem, result, at_once=3) for method, result in results.items()}

    assert all(each.k >= 10 for each in found.values())
    assert found["top-down"].ncp_fraction <= 0.115
    assert found["mondrian"].ncp_fraction <= 0.125
    assert found["bottom-up"].ncp_fraction <= 1.05 * found["top-down"].ncp_fraction
    assert penalty_by_codes(results["codes"].recoding) <= 0.125
    as_met = pn.recode_locally(
        in_order_of_appearance(folder / "adult_30162.csv", names), 10, method="mondrian", categories="codes", refine=0
    )
    assert penalty_by_codes(as_met.recoding) <= 0.125
    for method in ("top-down", "bottom-up"):
        for other in ("mondrian", "codes"):
            assert found[method].ncp < found[other].ncp
            assert found[method].dcn < found[other].dcn
            assert (error[method].median or 0) < (error[other].median or 0)


def in_order_of_appearance(path: Path, names: list[str]) -> Problem:
    """No trees: the codes of categories are numbered as they first appear in the file."""
    table = csv.read_csv(path)
    trees = {name: [[str(value), "*"] for value in table[name].unique().to_pylist()] for name in names}
    return Problem(path, quasi_identifiers=trees)


def penalty_by_codes(recoding: LocalRecoding) -> float:
    """Per cell, all attributes charged by ranges, categories by that of their codes: as if they had an order."""
    lost = [
        axis.shares[high] - axis.shares[low] if axis.numeric else (high - low) / (len(axis.leaves) - 1)
        for axis, low, high in zip(recoding.axes, recoding.low.T, recoding.high.T, strict=True)
    ]
    return float(np.mean(lost, axis=0) @ recoding.rows / recoding.rows.sum())
