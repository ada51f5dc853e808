"""What a table says does not depend on how it is written down."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from paranym.measures.loss import LOSSES
from paranym.problem import Problem
from reference import Cell, Row, Sample, Solution, Tree, nodes, staircase
from samples import LABELS, as_levels, samples, solutions_of

AGES = [31, 34, 38, 52, 58, 60]


def assess(
    table: object, sample: Sample, loss: str, *, order: list[int] | None = None, missing: tuple[str, ...] = ()
) -> list[Solution]:
    """Every solution, with the levels in the order of the sample, whatever the order of the problem."""
    order = list(range(len(sample.trees))) if order is None else order
    problem = Problem(
        table,
        quasi_identifiers={f"q{j}": sample.trees[j].lines for j in order},
        weights={f"q{j}": sample.weights[j] for j in order},
        label="label",
        metric=loss,
        suppression=0.5,
        missing=missing,
    )
    every = as_levels([tuple(node[j] for j in order) for node in nodes(sample.heights)], len(order))
    found = solutions_of(problem.evaluator(cores=1)(every))
    back = [order.index(j) for j in range(len(order))]
    return [
        Solution(tuple(one.node[j] for j in back), one.k, one.suppressed, one.loss, one.weighted_k) for one in found
    ]


def written(sample: Sample, rows: tuple[Row, ...] | None = None, order: list[int] | None = None) -> pa.Table:
    """The table as text, its columns in `order`."""
    rows = sample.rows if rows is None else rows
    order = list(range(len(sample.trees))) if order is None else order
    columns = {f"q{j}": pa.array([row.cells[j] for row in rows], pa.string()) for j in order}
    return pa.table({**columns, "label": [row.label for row in rows]})


def alike(found: list[Solution], expected: list[Solution]) -> bool:
    """The same solutions; losses may differ in the last digits, since attributes are added in another order."""
    return [(one.node, one.k, one.suppressed) for one in found] == [
        (one.node, one.k, one.suppressed) for one in expected
    ] and [one.loss for one in found] == pytest.approx([one.loss for one in expected], rel=1e-12, abs=1e-9)


@settings(max_examples=20)
@given(sample=samples(), loss=st.sampled_from(sorted(LOSSES)))
def test_a_problem_counts_the_rows_of_its_table(sample: Sample, loss: str) -> None:
    limit = len(sample.rows) // 2
    expected = [one for node in nodes(sample.heights) for one in staircase(sample, node, loss, limit)]

    assert alike(assess(written(sample), sample, loss), expected)


@settings(max_examples=10)
@given(sample=samples(), loss=st.sampled_from(sorted(LOSSES)), data=st.data())
def test_the_order_of_rows_does_not_matter(sample: Sample, loss: str, data: st.DataObject) -> None:
    shuffled = tuple(data.draw(st.permutations(sample.rows)))

    assert assess(written(sample, shuffled), sample, loss) == assess(written(sample), sample, loss)


@settings(max_examples=10)
@given(sample=samples(), loss=st.sampled_from(sorted(LOSSES)), data=st.data())
def test_the_order_of_columns_in_the_table_does_not_matter(sample: Sample, loss: str, data: st.DataObject) -> None:
    order = list(data.draw(st.permutations(range(len(sample.trees)))))

    assert assess(written(sample, order=order), sample, loss) == assess(written(sample), sample, loss)


@settings(max_examples=12)
@given(sample=samples(), loss=st.sampled_from(sorted(LOSSES)), data=st.data())
def test_the_order_of_quasi_identifiers_does_not_matter(sample: Sample, loss: str, data: st.DataObject) -> None:
    order = list(data.draw(st.permutations(range(len(sample.trees)))))

    assert alike(assess(written(sample), sample, loss, order=order), assess(written(sample), sample, loss))


def _text(ages: list[int | None]) -> list[Cell]:
    return [None if age is None else str(age) for age in ages]


WAYS: dict[str, Callable[[list[int | None]], Any]] = {
    "arrow int8": lambda ages: pa.array(ages, pa.int8()),
    "arrow int64": lambda ages: pa.array(ages, pa.int64()),
    "arrow uint16": lambda ages: pa.array(ages, pa.uint16()),
    "arrow float": lambda ages: pa.array(ages, pa.float64()),
    "arrow float32": lambda ages: pa.array(ages, pa.float32()),
    "arrow decimal": lambda ages: pa.array(ages, pa.decimal128(6, 2)),
    "arrow dictionary": lambda ages: pa.array(_text(ages), pa.string()).dictionary_encode(),
    "arrow dictionary of numbers": lambda ages: pa.array(ages, pa.int64()).dictionary_encode(),
    "arrow large text": lambda ages: pa.array(_text(ages), pa.large_string()),
    "text with decimals": lambda ages: pa.array([None if age is None else f"{age}.0" for age in ages], pa.string()),
    "empty text": lambda ages: pa.array(["" if age is None else str(age) for age in ages], pa.string()),
    "pandas float": lambda ages: pd.Series([np.nan if age is None else age for age in ages], dtype="float64"),
    "pandas nullable integer": lambda ages: pd.Series(ages, dtype="Int64"),
    "pandas text": lambda ages: pd.Series(_text(ages), dtype="str"),
    "pandas object": lambda ages: pd.Series(_text(ages), dtype="object"),
    "pandas mixed object": lambda ages: pd.Series([*ages[:1], *_text(ages)[1:]], dtype="object"),
    "pandas category of text": lambda ages: pd.Series(_text(ages), dtype="category"),
    "pandas category of numbers": lambda ages: pd.Series(ages, dtype="category"),
}


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=3)
@given(
    ages=st.lists(st.one_of(st.sampled_from(AGES), st.none()), min_size=1, max_size=10).filter(any),
    loss=st.sampled_from(["glm", "ncp", "ce"]),
)
def test_the_type_of_a_column_does_not_matter(way: str, ages: list[int | None], loss: str) -> None:
    labels = [LABELS[i % 2] for i in range(len(ages))]
    column = WAYS[way](ages)
    make = pd.DataFrame if isinstance(column, pd.Series) else pa.table

    found = _assess_ages(make({"age": column, "label": labels}), loss)

    assert found == _assess_ages(pa.table({"age": pa.array(_text(ages), pa.string()), "label": labels}), loss)


@pytest.mark.parametrize("way", WAYS)
def test_a_column_without_any_value_has_only_missing_ones(way: str) -> None:
    column = WAYS[way]([None, None, None])
    make = pd.DataFrame if isinstance(column, pd.Series) else pa.table

    found = _assess_ages(make({"age": column, "label": ["yes", "no", "yes"]}), "glm")

    assert [one.k for one in found] == [3, 3, 3]


def _assess_ages(table: object, loss: str) -> list[Solution]:
    lines = [(str(age), f"{age // 10 * 10}s", "*") for age in AGES]
    problem = Problem(table, quasi_identifiers={"age": lines}, label="label", metric=loss, suppression=0.5)
    return solutions_of(problem.evaluator(cores=1)(np.array([[0], [1], [2]])))


@settings(max_examples=15)
@given(sample=samples(), loss=st.sampled_from(sorted(LOSSES)))
def test_missing_values_without_a_place_get_a_leaf_of_their_own(sample: Sample, loss: str) -> None:
    assume(all(height > 0 for height in sample.heights))
    assume(all(any(leaf is not None for leaf in tree.leaves) for tree in sample.trees))
    apart = tuple(map(_with_missing_apart, sample.trees, zip(*(row.cells for row in sample.rows), strict=True)))
    expected = Sample(apart, sample.rows, sample.weights)
    unplaced = [[line for line in tree.lines if line[0] is not None] for tree in sample.trees]
    problem = Problem(
        written(sample),
        quasi_identifiers={f"q{j}": lines for j, lines in enumerate(unplaced)},
        weights={f"q{j}": weight for j, weight in enumerate(sample.weights)},
        label="label",
        metric=loss,
        suppression=0.5,
    )

    found = solutions_of(problem.evaluator(cores=1)(as_levels(list(nodes(sample.heights)), len(apart))))

    limit = len(sample.rows) // 2
    assert alike(found, [one for node in nodes(sample.heights) for one in staircase(expected, node, loss, limit)])


def _with_missing_apart(tree: Tree, cells: tuple[Cell, ...]) -> Tree:
    """Missing stays missing until the top; it is a leaf only if it occurs."""
    known = tuple(line for line in tree.lines if line[0] is not None)
    return Tree((*known, (*[None] * tree.height, "*")) if None in cells else known)


@settings(max_examples=10)
@given(sample=samples(), token=st.sampled_from(["?", "NA", "-"]))
def test_a_token_that_means_missing_counts_as_missing(sample: Sample, token: str) -> None:
    cells = {
        f"q{j}": [token if row.cells[j] is None else row.cells[j] for row in sample.rows]
        for j in range(len(sample.trees))
    }
    table = pa.table({**cells, "label": [row.label for row in sample.rows]})

    assert assess(table, sample, "glm", missing=(token,)) == assess(written(sample), sample, "glm")


def test_the_labels_of_a_pandas_index_are_no_positions() -> None:
    frame = pd.DataFrame({"age": [31, 31, 52, 52], "label": ["yes", "no", "yes", "no"]})
    shuffled = frame.set_index(pd.Index([0, 2, 1, 1]))

    assert _assess_ages(shuffled, "ce") == _assess_ages(frame, "ce")
