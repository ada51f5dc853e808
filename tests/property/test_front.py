"""The front holds the solutions that no other one beats: all of them, and no others."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paranym.measures.loss import LOSSES
from paranym.measures.privacy.anonymity import Suppression, SuppressionUse
from paranym.model.lattice import Lattice
from paranym.results.assessment import Assessments
from paranym.results.front import Front
from paranym.search.base import Space, Step
from paranym.search.lattice.exhaustive import exhaustive
from reference import Sample, Solution, nodes, non_dominated, staircase
from samples import evaluator, limits, samples, solutions_of


@st.composite
def assessments(draw: st.DrawFn) -> Assessments:
    """Solutions that often share k and loss; equal losses differ in the last digits, as computed ones do."""
    noise = st.integers(-3, 3).map(lambda times: 1 + times * 1e-13)
    loss = st.builds(lambda units, noise: units * 0.7 * noise, st.integers(0, 5), noise)
    solution = st.builds(
        Solution,
        st.tuples(st.integers(0, 3), st.integers(0, 3)),
        st.integers(1, 6),
        st.integers(0, 3),
        loss,
        st.sampled_from([1.0, 2.5]),
    )
    return gather(draw(st.lists(solution, max_size=25, unique=True)))


def gather(solutions: list[Solution]) -> Assessments:
    return Assessments(
        levels=np.array([one.node for one in solutions], np.int64).reshape(len(solutions), 2),
        k=np.array([one.k for one in solutions], np.int64),
        suppressed=np.array([one.suppressed for one in solutions], np.int64),
        loss=np.array([one.loss for one in solutions], np.float64),
        weighted_k=np.array([one.weighted_k for one in solutions], np.float64),
        surcharge=np.zeros(len(solutions)),
        counts=np.ones(len(solutions), bool),
        binds=np.ones(len(solutions), bool),
        values=np.empty((len(solutions), 0)),
        unresolved=np.zeros(len(solutions), bool),
    )


def names(solutions: list[Solution] | set[Solution]) -> list[Solution]:
    """Without the numbers that two ways of computing may round differently."""
    bare = [replace(one, loss=0.0, weighted_k=0.0) for one in solutions]
    return sorted(bare, key=lambda one: (-one.k, one.node, one.suppressed))


def space(heights: tuple[int, ...]) -> Space:
    return Space(Lattice(heights), 10**6, one_step=False, surcharge_falls=False)


def last_step(sample: Sample, loss: str, suppression: Suppression) -> Step:
    *_, last = exhaustive(space(sample.heights), evaluator(sample, loss, suppression))
    return last


@pytest.mark.parametrize("use", SuppressionUse)
@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=20)
@given(sample=samples(), limit=limits())
def test_the_exhaustive_front_is_the_unbeaten_part_of_all_solutions(
    loss: str, use: SuppressionUse, sample: Sample, limit: Suppression
) -> None:
    allowed, highest = limit.limit(len(sample.rows)), use is SuppressionUse.ALL
    every = [
        solution
        for node in nodes(sample.heights)
        for solution in staircase(sample, node, loss, allowed, only_highest=highest)
    ]

    found = last_step(sample, loss, replace(limit, use=use)).found

    assert names(solutions_of(found)) == names(non_dominated(every))


@settings(max_examples=30)
@given(sample=samples(), loss=st.sampled_from(sorted(LOSSES)), batch=st.integers(1, 7))
def test_the_front_does_not_depend_on_the_size_of_batches(sample: Sample, loss: str, batch: int) -> None:
    suppression = Suppression(share=0.5)
    whole = last_step(sample, loss, suppression)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paranym.search.lattice.exhaustive._FIRST", batch)
        patch.setattr("paranym.search.lattice.exhaustive._MOST", batch)
        *_, last = exhaustive(space(sample.heights), evaluator(sample, loss, suppression))

    assert solutions_of(last.found) == solutions_of(whole.found)
    assert (last.evaluated, last.complete) == (Lattice(sample.heights).size, True)


@settings(max_examples=30)
@given(sample=samples(), batch=st.integers(1, 7))
def test_only_the_last_step_is_complete(sample: Sample, batch: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paranym.search.lattice.exhaustive._FIRST", batch)
        patch.setattr("paranym.search.lattice.exhaustive._MOST", batch)
        *earlier, last = exhaustive(space(sample.heights), evaluator(sample, "glm", Suppression()))

    assert last.complete
    assert not any(step.complete for step in earlier)


@settings(max_examples=30)
@given(sample=samples(), loss=st.sampled_from(sorted(LOSSES)))
def test_every_solution_of_the_front_is_listed_under_its_point(sample: Sample, loss: str) -> None:
    found = last_step(sample, loss, Suppression(share=0.5)).found
    attributes = tuple(f"q{j}" for j in range(len(sample.trees)))

    points = Front.points_of(found, attributes, 1.0)

    listed = [
        Solution(tuple(one.levels.values()), point.k, one.suppressed, 0.0, 0.0)
        for point in points
        for one in point.solutions
    ]
    assert names(listed) == names(solutions_of(found))
    assert len({point.k for point in points}) == len(points)
    assert all(one.suppressed >= point.suppressed for point in points for one in point.alternatives)


@given(found=assessments())
def test_unbeaten_solutions_are_those_that_a_comparison_of_all_pairs_leaves(found: Assessments) -> None:
    assert names(solutions_of(found.non_dominated())) == names(non_dominated(solutions_of(found)))


@given(found=assessments())
def test_unbeaten_solutions_stay_unbeaten_among_themselves(found: Assessments) -> None:
    once = found.non_dominated()

    assert solutions_of(once.non_dominated()) == solutions_of(once)


@given(found=assessments(), data=st.data())
def test_the_order_of_solutions_does_not_matter(found: Assessments, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(found))))

    shuffled = found[np.array(order, np.int64)].non_dominated()

    assert _with_numbers(shuffled) == _with_numbers(found.non_dominated())


@given(found=assessments(), cut=st.integers(0, 25))
def test_what_is_unbeaten_can_be_found_part_by_part(found: Assessments, cut: int) -> None:
    parts = [found[np.arange(len(found)) < cut], found[np.arange(len(found)) >= cut]]

    assert _with_numbers((parts[0].non_dominated() + parts[1]).non_dominated()) == _with_numbers(found.non_dominated())


def _with_numbers(found: Assessments) -> list[tuple[object, ...]]:
    rows = [(one.k, one.node, one.suppressed, one.loss, one.weighted_k) for one in solutions_of(found)]
    return sorted(rows)
