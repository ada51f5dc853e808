"""The exact front is the exhaustive one, always, and an independent check accepts it and nothing else."""

from dataclasses import fields, replace
from math import nan

import numpy as np
import pytest
from hypothesis import given, settings

import paranym as pn
from paranym.errors import BadInput, UnsuitableLoss
from paranym.results.front import Corner
from reference import Sample
from samples import PROVABLE, SHARES, adult_problem, problem_of, samples


@pytest.mark.parametrize("use", ["needed", "all"])
@pytest.mark.parametrize("metric", PROVABLE)
@settings(max_examples=10)
@given(sample=samples(), share=SHARES)
def test_exact_equals_exhaustive_and_is_verified(metric: str, use: str, sample: Sample, share: float) -> None:
    problem = problem_of(sample, metric, share, use)

    front = pn.frontier(problem, method="exact", cores=1)

    assert front.points == pn.frontier(problem, method="exhaustive", cores=1).points
    assert front.complete
    assert front.decided_nodes == front.lattice_nodes
    assert pn.verify_front(front, problem).faults == ()


@pytest.mark.parametrize("share", [0.0, 0.01, 0.05])
@pytest.mark.parametrize("use", ["needed", "all"])
@pytest.mark.parametrize("metric", PROVABLE)
def test_exact_equals_exhaustive_on_adult(metric: str, use: str, share: float) -> None:
    problem = adult_problem(metric, share, use)

    front = pn.frontier(problem, method="exact")

    assert front.points == pn.frontier(problem, method="exhaustive").points
    assert front.evaluated_nodes < front.lattice_nodes


@pytest.mark.parametrize(("metric", "most"), [("glm", 0.06), ("dcn", 0.15), ("ce", 0.20)])
def test_few_nodes_are_evaluated_on_adult_and_the_proof_holds(metric: str, most: float) -> None:
    problem = adult_problem(metric, 0.01, "needed")

    front = pn.frontier(problem, method="exact")

    assert front.evaluated_nodes <= most * front.lattice_nodes
    assert pn.verify_front(front, problem).holds


@pytest.mark.parametrize("metric", ["glm", "dcn", "ce"])
def test_the_proof_holds_where_all_that_may_go_is_suppressed(metric: str) -> None:
    """There a node surely reaches some k, and it does not matter how cheap a smaller one might be."""
    problem = adult_problem(metric, 0.05, "all")

    assert pn.verify_front(pn.frontier(problem), problem).faults == ()


@pytest.fixture(scope="module")
def problem() -> pn.Problem:
    return adult_problem("glm", 0.01, "needed")


@pytest.fixture(scope="module")
def front(problem: pn.Problem) -> pn.Front:
    return pn.frontier(problem)


def test_the_front_does_not_depend_on_the_number_of_cores(problem: pn.Problem, front: pn.Front) -> None:
    alone = pn.frontier(problem, cores=1)

    assert (alone.points, alone.evaluated_nodes) == (front.points, front.evaluated_nodes)


def with_points(front: pn.Front, *points: pn.Point) -> pn.Front:
    """Other points, passed off as all that is possible."""
    return replace(front, points=points, possible=tuple(map(Corner.of, points)))


def with_point(front: pn.Front, number: int, **change: object) -> pn.Front:
    point = replace(front.points[number], **change)  # type: ignore[arg-type]
    return with_points(front, *front.points[:number], point, *front.points[number + 1 :])


def test_a_front_that_lacks_a_point_is_refuted(problem: pn.Problem, front: pn.Front) -> None:
    assert not pn.verify_front(with_points(front, *front.points[:20], *front.points[21:]), problem).holds


@pytest.mark.parametrize(
    "change", [{"k": 11}, {"loss": 1.0}, {"loss": nan}, {"loss_fraction": 0.1}, {"loss_fraction": nan}]
)
def test_a_front_with_a_changed_point_is_refuted(
    problem: pn.Problem, front: pn.Front, change: dict[str, float]
) -> None:
    assert not pn.verify_front(with_point(front, 20, **change), problem).holds


@pytest.mark.parametrize("change", [{"suppressed": 0}, {"weighted_k": 1e9}])
def test_a_front_with_a_changed_solution_is_refuted(
    problem: pn.Problem, front: pn.Front, change: dict[str, float]
) -> None:
    changed = replace(front[20].solutions[0], **change)  # type: ignore[arg-type]

    assert not pn.verify_front(with_point(front, 20, solutions=(changed,)), problem).holds


def test_a_front_that_lists_something_twice_or_out_of_order_is_refuted(problem: pn.Problem, front: pn.Front) -> None:
    for tampered in (
        with_points(front, *front.points, front.points[-1]),
        with_points(front, *front.points[::-1]),
        with_point(front, 20, solutions=2 * front[20].solutions),
    ):
        assert not pn.verify_front(tampered, problem).holds


@pytest.mark.parametrize(
    "change",
    [
        {"rows": 7},
        {"metric": "dcn"},
        {"suppression_use": "all"},
        {"suppression_limit": 5},
        {"lattice_nodes": 3},
        {"evaluated_nodes": 3},
        {"decided_nodes": 3},
        {"possible": ()},
    ],
    ids=lambda change: next(iter(change)),
)
def test_a_front_that_tells_something_wrong_about_itself_is_refuted(
    problem: pn.Problem, front: pn.Front, change: dict[str, object]
) -> None:
    assert not pn.verify_front(replace(front, **change), problem).holds  # type: ignore[arg-type]


def test_an_empty_front_with_an_empty_certificate_is_refuted(problem: pn.Problem, front: pn.Front) -> None:
    steps = front.certificate
    assert steps is not None
    nothing = replace(with_points(front), evaluated_nodes=0, certificate=steps[np.empty(0, np.int64)])

    assert pn.verify_front(nothing, problem).faults == ("its certificate names no node",)


def test_a_front_with_an_invented_solution_is_refuted(problem: pn.Problem, front: pn.Front) -> None:
    solutions = front.points[20].solutions
    wrong = replace(solutions[0], levels={**solutions[0].levels, "age": 0})

    assert not pn.verify_front(with_point(front, 20, solutions=(*solutions, wrong)), problem).holds


def test_a_certificate_that_names_too_few_nodes_is_refuted(problem: pn.Problem, front: pn.Front) -> None:
    steps = front.certificate
    assert steps is not None
    on_front = {(tuple(one.levels.values())) for point in front for one in point.solutions}
    bare = steps[np.array([tuple(levels) in on_front for levels in steps.levels.tolist()])]

    verdict = pn.verify_front(replace(front, certificate=bare, evaluated_nodes=len(on_front)), problem)

    assert verdict.faults[0].endswith("not shown to be dominated")


@pytest.mark.parametrize("column", ["k", "loss", "suppressed", "surcharge", "weighted_k"])
def test_a_certificate_with_changed_values_is_refuted(problem: pn.Problem, front: pn.Front, column: str) -> None:
    steps = front.certificate
    assert steps is not None
    columns = {each.name: getattr(steps, each.name).copy() for each in fields(steps)}
    columns[column][100] += 1

    verdict = pn.verify_front(replace(front, certificate=type(steps)(**columns)), problem)

    assert verdict.faults[0] == "its certificate does not agree with the data"


def test_an_unfinished_front_is_not_verified(problem: pn.Problem) -> None:
    assert not pn.verify_front(next(pn.approach(problem)), problem).holds


def test_a_front_of_another_problem_is_not_verified(front: pn.Front) -> None:
    other = adult_problem("ce", 0.01, "needed")

    assert not pn.verify_front(front, other).holds


def test_a_loss_that_may_decrease_upwards_is_refused_with_the_method_that_works() -> None:
    with pytest.raises(UnsuitableLoss, match="Use method exhaustive"):
        pn.frontier(adult_problem("c-avg", 0.0, "needed"), method="exact")


def test_an_unknown_method_is_refused_with_the_known_ones(problem: pn.Problem) -> None:
    with pytest.raises(BadInput, match="Did you mean 'exact'"):
        pn.frontier(problem, method="exakt")
