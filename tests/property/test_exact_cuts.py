"""The exact search over cuts against the evaluation of every cut of random tables."""

from dataclasses import replace
from typing import cast
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.errors import UnsuitableLoss
from paranym.evaluation.cuts import CutEvaluator
from paranym.evaluation.splits import SplitTable
from paranym.measures.base import CellLoss
from paranym.model.cuts import CutSpace
from paranym.proof import cuts
from paranym.search.base import Budget
from paranym.search.cuts.exact import BranchAndBound, CutTable
from reference import Sample
from samples import problem_of, samples

FREEDOM = st.lists(st.booleans(), min_size=3, max_size=3)
SAMPLES = samples(most_attributes=3, most_rows=10, repeats=(1, 1, 2, 5))
SHARES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])


def freed(sample: Sample, free: list[bool]) -> list[str]:
    return [f"q{j}" for j in range(len(sample.trees)) if free[j]]


def evaluated(problem: pn.Problem, space: CutSpace) -> dict[int, float]:
    """The least loss of every k on the front, from all cuts."""
    weights = [attribute.weight for attribute in problem.schema.quasi_identifiers]
    loss = cast("CellLoss", problem.loss)
    evaluator = CutEvaluator(problem.frequency, space, loss, problem.suppression, weights=weights, cores=1)
    found = evaluator.assess(np.array(list(space.each()), bool)).solutions.non_dominated()
    return {k: float(found.loss[found.k == k].min()) for k in found.k.tolist()}


@settings(max_examples=60, deadline=None)
@given(SAMPLES, FREEDOM, SHARES, st.sampled_from(["glm", "ncp"]))
def test_the_exact_front_is_that_of_all_cuts(sample: Sample, free: list[bool], share: float, metric: str) -> None:
    problem = problem_of(sample, metric, share, "needed")
    space = CutSpace.of(problem.hierarchies, unconstrained=freed(sample, free))
    if space.size > 20_000:
        return
    try:
        front = pn.frontier(problem, recoding="cuts", unconstrained=freed(sample, free), cores=1)
    except UnsuitableLoss:
        assert metric == "ncp"  # a range of units without numbers is charged by leaves, a single one not at all
        assert any(free)
        return

    assert front.complete
    assert {point.k: point.loss for point in front} == pytest.approx(evaluated(problem, space), rel=1e-9)
    assert all(front.is_proved(point) for point in front)


@settings(max_examples=40, deadline=None)
@given(SAMPLES, FREEDOM, SHARES, st.integers(1, 40))
def test_a_bound_never_exceeds_the_best_loss(sample: Sample, free: list[bool], share: float, most: int) -> None:
    problem = problem_of(sample, "glm", share, "needed")
    space = CutSpace.of(problem.hierarchies, unconstrained=freed(sample, free))
    if space.size > 20_000:
        return
    front = pn.frontier(
        problem, recoding="cuts", unconstrained=freed(sample, free), budget=Budget(evaluations=most), cores=1
    )

    for k, loss in evaluated(problem, space).items():
        bound = front.bound_at(k)
        assert bound is not None
        assert bound.loss <= loss * (1 + 1e-9)
    if front.complete:
        assert {point.k: point.loss for point in front} == pytest.approx(evaluated(problem, space), rel=1e-9)


@settings(max_examples=40, deadline=None)
@given(SAMPLES, FREEDOM, SHARES, st.integers(1, 8))
def test_the_savings_of_every_cut_are_within_the_bound_of_the_whole(
    sample: Sample, free: list[bool], share: float, k: int
) -> None:
    problem = problem_of(sample, "glm", share, "needed")
    space = CutSpace.of(problem.hierarchies, unconstrained=freed(sample, free))
    if space.size > 2_000:
        return
    weights = [attribute.weight for attribute in problem.schema.quasi_identifiers]
    evaluator = CutEvaluator(
        problem.frequency, space, cast("CellLoss", problem.loss), problem.suppression, weights=weights, cores=1
    )
    splits = SplitTable.of(problem.frequency, space, cast("CellLoss", problem.loss), evaluator.domains, problem.rows)
    nothing = np.zeros(len(splits.edges), bool)
    table = CutTable(
        splits=splits.splits,
        codes=splits.codes,
        counts=splits.counts,
        limit=problem.suppression.limit(problem.rows),
        made=nothing,
        excluded=nothing,
    )
    question = BranchAndBound(table, min(k, problem.rows))
    steps = evaluator.assess(np.array(list(space.each()), bool)).solutions
    best = evaluator.worst - steps.loss[steps.k >= question.k].min()

    assert splits.is_exact
    assert float(question.bound / splits.scale) >= best - 1e-9 * evaluator.worst
    question.advance(100_000)
    assert question.is_closed
    assert float(question.savings / splits.scale) == pytest.approx(best, rel=1e-9, abs=1e-9)


@given(SAMPLES, FREEDOM)
def test_splits_and_bits_name_the_same_cuts(sample: Sample, free: list[bool]) -> None:
    problem = problem_of(sample, "glm", 0.0, "needed")
    space = CutSpace.of(problem.hierarchies, unconstrained=freed(sample, free))
    if space.size > 2_000:
        return
    weights = [attribute.weight for attribute in problem.schema.quasi_identifiers]
    loss = cast("CellLoss", problem.loss)
    evaluator = CutEvaluator(problem.frequency, space, loss, problem.suppression, weights=weights, cores=1)
    splits = SplitTable.of(problem.frequency, space, loss, evaluator.domains, problem.rows)

    for bits in space.each():
        assert np.array_equal(splits.bits(splits.made(bits)), bits)


@settings(max_examples=40, deadline=None)
@given(SAMPLES, FREEDOM, SHARES, st.sampled_from(["glm", "ncp"]))
def test_the_check_confirms_every_front_of_the_search(
    sample: Sample, free: list[bool], share: float, metric: str
) -> None:
    problem = problem_of(sample, metric, share, "needed")
    try:
        front = pn.frontier(problem, recoding="cuts", unconstrained=freed(sample, free), cores=1)
    except UnsuitableLoss:
        return

    assert pn.verify_front(front, problem).faults == ()


@settings(max_examples=40, deadline=None)
@given(SAMPLES, FREEDOM, SHARES, st.data())
def test_a_front_without_one_of_its_points_is_rejected(
    sample: Sample, free: list[bool], share: float, data: st.DataObject
) -> None:
    problem = problem_of(sample, "glm", share, "needed")
    front = pn.frontier(problem, recoding="cuts", unconstrained=freed(sample, free), cores=1)
    missing = data.draw(st.integers(0, len(front) - 1))
    points = tuple(point for number, point in enumerate(front) if number != missing)

    assert pn.verify_front(replace(front, points=points, possible=None), problem).faults


@settings(max_examples=40, deadline=None)
@given(SAMPLES, FREEDOM, SHARES, st.data())
def test_a_forged_division_is_rejected_or_changes_nothing(
    sample: Sample, free: list[bool], share: float, data: st.DataObject
) -> None:
    """Whatever a certificate says, a front that is confirmed is that of all cuts."""
    problem = problem_of(sample, "glm", share, "needed")
    space = CutSpace.of(problem.hierarchies, unconstrained=freed(sample, free))
    front = pn.frontier(problem, recoding="cuts", unconstrained=freed(sample, free), cores=1)
    assert front.cut_certificate is not None
    if space.size > 20_000 or len(front) < 2:
        return
    wrong = data.draw(st.integers(0, len(front) - 1))
    points = tuple(point for number, point in enumerate(front) if number != wrong)
    total = sum(1 for _ in front.cut_certificate.divisions)
    division = front.cut_certificate.divisions[data.draw(st.integers(0, total - 1))]
    part = data.draw(st.integers(0, len(division) - 1))
    division.made[part] = bytes(255 for _ in division.made[part])
    with patch.object(cuts, "FEW", 0):
        assert pn.verify_front(replace(front, points=points, possible=None), problem).faults
