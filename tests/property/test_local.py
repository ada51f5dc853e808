"""Local recoding on random tables: every class has k rows, no row is lost, and what is published is true."""

import csv
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.errors import BadInput, Unattainable
from paranym.model.local import LocalRecoding, Style
from paranym.solve.local import CATEGORIES, LOCAL_METHODS
from reference import Sample
from samples import problem_of, samples

METHODS = st.sampled_from(LOCAL_METHODS)
FORMS = st.sampled_from(["frame", "csv", "parquet"])
STYLES = st.sampled_from([style.value for style in Style])
FEW = settings(max_examples=max(settings().max_examples // 5, 1))
"""Files take their time."""


@st.composite
def options(draw: st.DrawFn) -> dict[str, object]:
    """A method with options of its own."""
    method = draw(METHODS)
    own: dict[str, object] = {}
    if method.startswith("mondrian"):
        own = {"categories": draw(st.sampled_from([*CATEGORIES, None]))}
    elif method != "best":
        own = {"rounds": draw(st.integers(1, 4)), "reach": draw(st.sampled_from([None, 1, 2, 100]))}
    return {"method": method, "style": draw(STYLES), "seed": draw(st.integers(0, 3)), **own}


def penalty(sample: Sample, j: int, cells: list[str | None]) -> float:
    """The certainty penalty of one cell of a group with these values, by the definition."""
    tree = sample.trees[j]
    numbers = [float(leaf) for leaf in tree.leaves if leaf is not None and "leaf" not in leaf]
    if len(set(cells)) == 1:
        return 0.0
    if len(set(numbers)) > 1:
        if None in cells:
            return 1.0
        values = [float(cell) for cell in cells if cell is not None]
        return (max(values) - min(values)) / (max(numbers) - min(numbers))
    for level in range(tree.height + 1):
        if len({tree.published(cell, level) for cell in cells}) == 1:
            under = len(tree.under(cells[0], level))
            return under / len(tree.leaves) if under > 1 else 0.0
    raise AssertionError("the top covers everything")


def members(problem: pn.Problem, recoding: LocalRecoding) -> list[Counter[tuple[str | None, ...]]]:
    """The rows of every group, as leaves."""
    codes = problem.frequency.codes
    leaves = [hierarchy.leaves for hierarchy in problem.hierarchies]
    found: list[Counter[tuple[str | None, ...]]] = [Counter() for _ in range(len(recoding))]
    entries = zip(recoding.combinations, recoding.groups, recoding.amounts, strict=True)
    for combination, group, amount in entries:
        cells = tuple(leaves[j][code] for j, code in enumerate(codes[combination]))
        found[group][cells] += int(amount)
    return found


@given(samples(most_rows=40, repeats=(1, 1, 2, 5)), st.integers(1, 8), options())
def test_classes_have_k_rows_and_no_row_is_lost(sample: Sample, k: int, asked: dict[str, object]) -> None:
    problem = problem_of(sample, "ncp", 0.0, "needed")
    if k > len(sample.rows):
        with pytest.raises(Unattainable):
            pn.recode_locally(problem, k, **asked)  # type: ignore[arg-type]
        return
    result, again = (pn.recode_locally(problem, k, **asked) for _ in range(2))  # type: ignore[arg-type]
    groups = members(problem, result.recoding)

    assert min(group.total() for group in groups) >= k
    assert result.assessment.k >= k
    assert sum(groups, Counter()) == Counter(row.cells for row in sample.rows)
    assert sum(result.recoding.class_sizes) == len(sample.rows)
    assert result.recoding.published == again.recoding.published  # same seed, same result
    for name in ("combinations", "groups", "amounts"):
        assert np.array_equal(getattr(result.recoding, name), getattr(again.recoding, name))


@given(samples(most_rows=30, repeats=(1, 3)), st.integers(1, 5), METHODS, st.sampled_from(["range", "set"]))
def test_penalty_and_sets_are_those_of_the_groups(sample: Sample, k: int, method: str, style: str) -> None:
    problem = problem_of(sample, "ncp", 0.0, "needed")
    result = pn.recode_locally(problem, min(k, len(sample.rows)), method=method, style=style)
    total = 0.0
    for number, group in enumerate(members(problem, result.recoding)):
        for j, labels in enumerate(result.recoding.published):
            values = [cells[j] for cells in group]
            total += group.total() * sample.weights[j] * penalty(sample, j, values)
            told = labels[number]
            if style == "set" and len(set(values)) > 1:
                assert told is not None
                assert set(told[1:-1].split(", ")) == {"no value" if cell is None else cell for cell in values}

    assert result.assessment.ncp == pytest.approx(total)


@given(samples(most_rows=40, repeats=(1, 1, 2, 5)), st.integers(1, 6), METHODS, st.sampled_from([0.05, 0.2, 1.0]))
def test_suppression_stays_within_its_limit_and_never_costs_more(
    sample: Sample, k: int, method: str, share: float
) -> None:
    problem, k = problem_of(sample, "ncp", share, "needed"), min(k, len(sample.rows))
    kept = pn.recode_locally(problem, k, method=method, suppress=False).assessment
    result, again = (pn.recode_locally(problem, k, method=method) for _ in range(2))
    groups, found = members(problem, result.recoding), result.assessment
    total = found.suppressed * sum(sample.weights) + sum(
        group.total() * sample.weights[j] * penalty(sample, j, [cells[j] for cells in group])
        for group in groups
        for j in range(len(sample.trees))
    )
    gone = Counter(row.cells for row in sample.rows)
    gone.subtract(sum(groups, Counter()))

    assert found.suppressed == gone.total() <= int(share * len(sample.rows))
    assert min(gone.values()) >= 0
    assert min(group.total() for group in groups) >= k
    assert found.ncp == pytest.approx(total)
    assert found.ncp <= kept.ncp
    assert result.recoding.published == again.recoding.published


@FEW
@given(
    samples(most_rows=30, repeats=(1, 3)),
    st.integers(1, 5),
    METHODS,
    FORMS,
    st.sets(st.sampled_from(["marks", "open ends"])),
)
def test_suppressed_rows_and_open_ends_are_released_as_promised(
    sample: Sample, k: int, method: str, form: str, asked: set[str]
) -> None:
    columns = {f"q{j}": pa.array([row.cells[j] for row in sample.rows], pa.string()) for j in range(len(sample.trees))}
    problem = pn.Problem(
        pa.table({**columns, "number": range(len(sample.rows))}),
        quasi_identifiers={f"q{j}": tree.lines for j, tree in enumerate(sample.trees)},
        keep=["number"],
        suppression=0.3,
    )
    result = pn.recode_locally(problem, min(k, len(sample.rows)), method=method, open_ends="open ends" in asked)
    stars = result.assessment.suppressed and all("*" in labels for labels in result.recoding.published)
    with tempfile.TemporaryDirectory() as folder:
        path = None if form == "frame" else Path(folder, f"out.{form}")
        made = pn.release(problem, result, path, keep_suppressed="marks" in asked and not stars)

        assert made.verification.holds
        assert path is None or pn.verify_release(path).holds


@FEW
@given(
    samples(most_rows=30, repeats=(1, 3)), st.integers(1, 5), options(), st.sampled_from(["frame", "csv", "parquet"])
)
def test_what_is_released_is_what_was_promised(sample: Sample, k: int, asked: dict[str, object], form: str) -> None:
    columns = {f"q{j}": pa.array([row.cells[j] for row in sample.rows], pa.string()) for j in range(len(sample.trees))}
    problem = pn.Problem(
        pa.table({**columns, "number": range(len(sample.rows))}),
        quasi_identifiers={f"q{j}": tree.lines for j, tree in enumerate(sample.trees)},
        keep=["number"],
        weights={f"q{j}": weight for j, weight in enumerate(sample.weights)},
    )
    result = pn.recode_locally(problem, min(k, len(sample.rows)), **asked)  # type: ignore[arg-type]
    with tempfile.TemporaryDirectory() as folder:
        path = None if form == "frame" else Path(folder, f"out.{form}")
        made = pn.release(problem, result, path)
        released = rows_of(made.table if path is None else path)
        assert path is None or pn.verify_release(path).holds

    classes = Counter(labels for labels, _ in released)
    assert min(classes.values()) == result.assessment.k
    assert sorted(number for _, number in released) == list(range(len(sample.rows)))
    # whoever is in a group is published as it: the same rows, by all that is not recoded, with labels of that group
    groups = [set(cells) for cells in members(problem, result.recoding)]
    labelled = list(zip(*result.recoding.published, strict=True))
    for labels, number in released:
        mine = [group for group, told in zip(groups, labelled, strict=True) if told == labels]
        assert any(sample.rows[number].cells in group for group in mine)


def rows_of(released: pa.Table | Path) -> list[tuple[tuple[str | None, ...], int]]:
    """The labels and the number of every row."""
    if isinstance(released, Path) and released.suffix == ".csv":
        with released.open(encoding="utf-8", newline="") as stream:
            _, *lines = csv.reader(stream)
        return [(tuple(cell or None for cell in cells), int(number)) for *cells, number in lines]
    table = pq.read_table(released) if isinstance(released, Path) else released
    return [(tuple(cells), number) for *cells, number in (row.values() for row in table.to_pylist())]


def demanding(sample: Sample, privacy: dict[str, object]) -> pn.Problem:
    columns = {f"q{j}": [row.cells[j] for row in sample.rows] for j in range(len(sample.trees))}
    return pn.Problem(
        pa.table({**columns, "illness": [row.illness for row in sample.rows]}),
        quasi_identifiers={f"q{j}": tree.lines for j, tree in enumerate(sample.trees)},
        sensitive=["illness"],
        privacy=privacy,
    )


@given(samples(most_rows=30, repeats=(1, 2)), METHODS, st.sampled_from([{"l": 1.5}, {"t": 0.3}, {"k": 3}]))
def test_demands_hold_in_every_class(sample: Sample, method: str, privacy: dict[str, object]) -> None:
    problem = demanding(sample, privacy)
    whole = Counter(row.illness for row in sample.rows)
    try:
        result = pn.recode_locally(problem, 2, method=method)
    except Unattainable:
        assert len(sample.rows) < 3 or ("l" in privacy and len(sample.rows) / max(whole.values()) < 1.5 + 1e-9)
        return
    assert result.assessment.k >= (3 if "k" in privacy else 2)
    if "k" not in privacy:
        [reached] = result.assessment.privacy.values()
        assert reached >= 1.5 - 1e-9 if "l" in privacy else reached <= 0.3 + 1e-9


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"method": "middle-out"}, "There is no method"),
        ({"style": "ranges"}, "Did you mean 'range'"),
        ({"method": "mondrian", "rounds": 2}, "has no rounds"),
        ({"method": "mondrian-relaxed", "reach": 2}, "has no reach"),
        ({"categories": "tree"}, "Only Mondrian"),
        ({"method": "mondrian", "categories": "leaves"}, "no way to cut"),
        ({"k": 0}, "k is a whole number"),
        ({"method": "top-down", "rounds": 0}, "rounds is a whole number"),
        ({"rounds": 2}, "The method 'best' has no rounds"),
        ({"k": 2.5}, "k is a whole number"),
    ],
)
def test_what_makes_no_sense_is_refused(asked: dict[str, object], message: str) -> None:
    problem = pn.Problem(pa.table({"age": [1, 2, 3]}), quasi_identifiers=["age"])
    with pytest.raises(BadInput, match=message):
        pn.recode_locally(problem, **{"k": 2, **asked})  # type: ignore[arg-type]
