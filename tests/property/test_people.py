"""Counting people instead of rows: every search finds what the definitions give, and k never decreases upwards."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

import paranym as pn
from paranym.errors import Unattainable
from reference import Sample, covers, non_dominated, people, staircase
from samples import PROVABLE, SHARES, all_nodes, problem_of, samples, solutions_of

PERSONS = ("ann", "bob", "cyd", None)
SAMPLES = samples(persons=PERSONS, repeats=(1, 1, 2))


def test_a_person_counts_once_per_class() -> None:
    """Ward A has three rows of two patients, ward B one row; together they have two patients, not three."""
    visits = pa.table({"patient": ["p1", "p1", "p2", "p1"], "ward": ["A", "A", "A", "B"]})
    problem = pn.Problem(visits, quasi_identifiers=["ward"], person="patient")

    front = pn.frontier(problem)

    assert (problem.people, problem.rows) == (2, 4)
    assert [(point.k, dict(point.levels)) for point in front] == [(2, {"ward": 1}), (1, {"ward": 0})]
    assert front[1].weighted_k == (3 * 2 + 1 * 1) / 4
    assert (front.unit, front.people, front.as_dict()["unit"]) == ("person", 2, "person")


@pytest.mark.parametrize("metric", PROVABLE)
@settings(max_examples=8)
@given(sample=SAMPLES, share=SHARES)
def test_every_node_has_the_staircase_of_the_definitions(metric: str, sample: Sample, share: float) -> None:
    problem = problem_of(sample, metric, share, "needed")
    limit = problem.suppression.limit(problem.rows)

    found = solutions_of(problem.evaluator(cores=1)(all_nodes(sample)))

    expected = [step for node in all_nodes(sample).tolist() for step in staircase(sample, tuple(node), metric, limit)]
    assert [(each.node, each.k, each.suppressed) for each in found] == [
        (each.node, each.k, each.suppressed) for each in expected
    ]
    assert np.allclose([each.loss for each in found], [each.loss for each in expected])
    assert np.allclose([each.weighted_k for each in found], [each.weighted_k for each in expected])


@pytest.mark.parametrize("use", ["needed", "all"])
@pytest.mark.parametrize("metric", ["glm", "dcn", "ce"])
@settings(max_examples=8)
@given(sample=SAMPLES, share=SHARES)
def test_the_exact_front_is_that_of_the_definitions_and_is_verified(
    metric: str, use: str, sample: Sample, share: float
) -> None:
    problem = problem_of(sample, metric, share, use)
    limit = problem.suppression.limit(problem.rows)

    front = pn.frontier(problem, cores=1)

    steps = [
        step
        for node in all_nodes(sample).tolist()
        for step in staircase(sample, tuple(node), metric, limit, only_highest=use == "all")
    ]
    assert {(point.k, tuple(one.levels.values())) for point in front for one in point.solutions} == {
        (one.k, one.node) for one in non_dominated(steps)
    }
    assert front.points == pn.frontier(problem, method="exhaustive", cores=1).points
    assert pn.verify_front(front, problem, recount="all").faults == ()


@settings(max_examples=15)
@given(sample=SAMPLES)
def test_people_of_the_smallest_class_never_become_fewer_upwards(sample: Sample) -> None:
    nodes = [tuple(node) for node in all_nodes(sample).tolist()]
    least = {node: min(map(people, sample.classes(node))) for node in nodes}

    assert all(least[upper] >= least[lower] for upper in nodes for lower in nodes if covers(upper, lower))


@settings(max_examples=8)
@given(sample=SAMPLES, share=SHARES)
def test_a_floor_changes_nothing(sample: Sample, share: float) -> None:
    problem, floored = (problem_of(sample, "glm", share, "needed", memory=memory) for memory in (None, 1))

    assert pn.frontier(floored, cores=1).points == pn.frontier(problem, cores=1).points


@settings(max_examples=10)
@given(sample=SAMPLES, share=SHARES)
def test_many_objectives_are_searched_and_verified(sample: Sample, share: float) -> None:
    problem = problem_of(sample, "glm", share, "needed").replace(objectives=("k", "loss", "suppression"))

    front = pn.frontier(problem, cores=1)

    assert front.points == pn.frontier(problem, method="exhaustive", cores=1).points
    assert pn.verify_front(front, problem, recount="all").faults == ()


@pytest.mark.parametrize("use", ["needed", "all"])
@settings(max_examples=10)
@given(sample=samples(), share=SHARES)
def test_with_one_row_per_person_nothing_changes(use: str, sample: Sample, share: float) -> None:
    rows = [{f"q{j}": cell for j, cell in enumerate(row.cells)} | {"id": i} for i, row in enumerate(sample.rows)]
    schema = pa.schema([*((f"q{j}", pa.string()) for j in range(len(sample.trees))), ("id", pa.int64())])
    quasi = {f"q{j}": tree.lines for j, tree in enumerate(sample.trees)}
    plain, personal = (
        pn.Problem(
            pa.Table.from_pylist(rows, schema),
            quasi_identifiers=quasi,
            suppression=share,
            suppression_use=use,
            person=key,
        )
        for key in (None, "id")
    )

    one, other = pn.frontier(plain, cores=1), pn.frontier(personal, cores=1)

    assert (one.points, one.evaluated_nodes, one.possible) == (other.points, other.evaluated_nodes, other.possible)


ALGORITHMS = ("incognito", "incognito-super-roots", "incognito-cube", "incognito-partial", "bottom-up", "mingen")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@settings(max_examples=5)
@given(sample=SAMPLES, share=SHARES)
def test_searches_for_a_fixed_k_find_all_nodes(algorithm: str, sample: Sample, share: float) -> None:
    problem = problem_of(sample, "glm", share, "needed")
    limit = problem.suppression.limit(problem.rows)
    expected = {
        tuple(node)
        for node in all_nodes(sample).tolist()
        if sum(len(group) for group in sample.classes(tuple(node)) if people(group) < 2) <= limit
    }

    if people(sample.rows) < 2 or not expected:
        with pytest.raises(Unattainable):
            pn.generalize(problem, k=2, algorithm=algorithm)
        return
    found = pn.generalize(problem, k=2, algorithm=algorithm)

    assert {tuple(each.levels.values()) for each in found} == expected
    assert found.as_dict()["unit"] == "person"
