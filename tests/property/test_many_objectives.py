"""Fronts in more than two objectives: exact equals exhaustive, both equal the definition, and the proof is checked."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

import paranym as pn
from paranym.datasets import adult
from paranym.errors import BadInput
from paranym.results.assessment import TOLERANCE
from reference import Row, Sample
from samples import PROVABLE, SHARES, samples

TRIPLES = [("k", "l", "loss"), ("k", "t", "loss"), ("entropy-l", "loss"), ("k", "distinct-l", "t", "loss")]


def problem_of(sample: Sample, metric: str, objectives: tuple[str, ...], **options: Any) -> pn.Problem:
    columns = {f"q{j}": [row.cells[j] for row in sample.rows] for j in range(len(sample.trees))}
    table = pa.table(
        {**columns, "label": [row.label for row in sample.rows], "ill": [row.illness for row in sample.rows]}
    )
    return pn.Problem(
        table,
        quasi_identifiers={f"q{j}": tree.lines for j, tree in enumerate(sample.trees)},
        weights={f"q{j}": weight for j, weight in enumerate(sample.weights)},
        label="label",
        sensitive=["ill"],
        metric=metric,
        objectives=objectives,
        **options,
    )


def everything(problem: pn.Problem) -> list[tuple[tuple[int, ...], int, list[float]]]:
    """All solutions with their values, so that larger is better."""
    steps = problem.evaluator(cores=1)(problem.lattice.nodes(0, problem.lattice.size)).solutions
    signs = [1 if each.larger_is_better else -1 for each in problem.objectives.listed]
    values = np.column_stack(
        [sign * each.of(steps) for sign, each in zip(signs, problem.objectives.listed, strict=True)]
    )
    return [
        (tuple(levels), suppressed, row)
        for levels, suppressed, row in zip(
            steps.levels.tolist(), steps.suppressed.tolist(), values.tolist(), strict=True
        )
    ]


def beats(one: list[float], other: list[float]) -> bool:
    same = [a == b or abs(a - b) <= TOLERANCE * max(abs(a), abs(b)) for a, b in zip(one, other, strict=True)]
    pairs = list(zip(one, other, same, strict=True))
    return all(a > b or s for a, b, s in pairs) and any(a > b and not s for a, b, s in pairs)


def expected(problem: pn.Problem) -> set[tuple[tuple[int, ...], int]]:
    solutions = everything(problem)
    return {
        (levels, suppressed)
        for levels, suppressed, values in solutions
        if not any(beats(rival, values) for _, _, rival in solutions)
    }


def listed(front: pn.Front) -> set[tuple[tuple[int, ...], int]]:
    return {(tuple(each.levels.values()), each.suppressed) for point in front for each in point.solutions}


@pytest.mark.parametrize("objectives", TRIPLES, ids=",".join)
@settings(max_examples=15)
@given(sample=samples())
def test_without_suppression_models_are_traded_off_exactly(objectives: tuple[str, ...], sample: Sample) -> None:
    for metric in ("glm", "dcn"):
        problem = problem_of(sample, metric, objectives)

        front = pn.frontier(problem, cores=1)

        assert listed(front) == expected(problem)
        assert front.points == pn.frontier(problem, method="exhaustive", cores=1).points
        assert pn.verify_front(front, problem).faults == ()


@pytest.mark.parametrize("use", ["needed", "all"])
@pytest.mark.parametrize("metric", PROVABLE)
@settings(max_examples=8)
@given(sample=samples(), share=SHARES)
def test_every_suppression_limit_at_once(metric: str, use: str, sample: Sample, share: float) -> None:
    problem = (
        problem_of(
            sample, metric, ("k", "suppression", "loss"), suppression=share, suppression_use=use, privacy={"k": 2}
        )
        if len(sample.rows) > 1
        else problem_of(sample, metric, ("k", "suppression", "loss"), suppression=share)
    )

    front = pn.frontier(problem, cores=1)

    assert listed(front) == expected(problem)
    assert front.points == pn.frontier(problem, method="exhaustive", cores=1).points
    assert pn.verify_front(front, problem).faults == ()


@settings(max_examples=25)
@given(sample=samples(), share=SHARES)
def test_exhaustive_trades_off_models_under_suppression(sample: Sample, share: float) -> None:
    for privacy in ({}, {"k": 2, "t": 0.6}):
        problem = problem_of(sample, "glm", ("k", "t", "suppression", "loss"), suppression=share, privacy=privacy)
        best = expected(problem)
        if best:
            assert listed(pn.frontier(problem, method="exhaustive", cores=1)) == best


def distance(group: list[Row], reference: list[Row]) -> float:
    mine, theirs = (Counter(row.illness for row in rows) for rows in (group, reference))
    return sum(abs(mine[ill] / len(group) - theirs[ill] / len(reference)) for ill in theirs) / 2


@settings(max_examples=25)
@given(sample=samples(), share=SHARES)
def test_a_value_is_that_of_the_released_rows(sample: Sample, share: float) -> None:
    problem = problem_of(sample, "glm", ("k", "t", "suppression", "loss"), suppression=share)

    for point in pn.frontier(problem, method="exhaustive", cores=1):
        kept = [group for group in sample.classes(tuple(point.levels.values())) if len(group) >= point.k]
        released = [row for group in kept for row in group]
        if released:
            assert point.suppressed == len(sample.rows) - len(released) == point.values["suppression"]
            assert point.values["t"] == pytest.approx(max(distance(group, released) for group in kept))


def adult_of(*objectives: str, **options: Any) -> pn.Problem:
    folder = adult().parent
    names = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country")
    return pn.Problem(
        folder / "adult.csv",
        quasi_identifiers={name: folder / "hierarchies" / f"{name}.csv" for name in names},
        sensitive=["occupation"],
        objectives=objectives,
        **options,
    )


@pytest.mark.parametrize(
    ("objectives", "options"),
    [
        (("k", "l", "loss"), {}),
        (("k", "t", "loss"), {"metric": "dcn"}),
        (("k", "suppression", "loss"), {"suppression": 0.01}),
    ],
    ids=str,
)
def test_exact_equals_exhaustive_on_adult(objectives: tuple[str, ...], options: dict[str, Any]) -> None:
    problem = adult_of(*objectives, **options)

    front = pn.frontier(problem)

    assert front.points == pn.frontier(problem, method="exhaustive").points
    assert front.evaluated_nodes < front.lattice_nodes
    assert pn.verify_front(front, problem).holds


def test_a_tampered_front_is_rejected() -> None:
    problem = adult_of("k", "l", "loss")
    front = pn.frontier(problem)
    best = front[1]

    forged = replace(best, values={"l": best.values["l"] + 1})

    assert not pn.verify_front(replace(front, points=front.points[1:]), problem).holds
    assert not pn.verify_front(replace(front, points=(front[0], forged, *front.points[2:])), problem).holds
    [one, *_] = best.solutions
    for lie in (
        replace(best, loss_fraction=best.loss_fraction / 2),
        replace(best, solutions=(replace(one, weighted_k=one.weighted_k + 1), *best.solutions[1:])),
    ):
        assert not pn.verify_front(replace(front, points=(front[0], lie, *front.points[2:])), problem).holds
    assert front.certificate is not None
    half = front.certificate[np.arange(len(front.certificate) // 2)]
    assert not pn.verify_front(replace(front, certificate=half), problem).holds


@pytest.mark.parametrize(
    ("objectives", "method", "options", "message"),
    [
        (("k", "m", "loss"), "exact", {}, "no objective 'm'"),
        (("k",), "exact", {}, "two or more"),
        (("k", "k"), "exact", {}, "each named once"),
        (("k", "l:age", "loss"), "exact", {}, "not have the role 'sensitive'"),
        (("k", "l", "loss"), "poka", {}, "Use method exact or exhaustive"),
        (("k", "l", "loss"), "exact", {"suppression": 0.01}, "Use method exhaustive"),
        (("k", "ordered-t", "loss"), "exact", {}, "no order"),
    ],
)
def test_what_cannot_be_traded_off_says_why(
    objectives: tuple[str, ...], method: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        pn.frontier(adult_of(*objectives, **options), method=method)
