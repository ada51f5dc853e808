"""Stopped at any time, a search leaves a valid front and bounds that hold; boxes find what arrays find."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.errors import BadInput
from paranym.results.assessment import TOLERANCE
from paranym.search.lattice.exact import MOST_NODES
from paranym.solve import fronts
from reference import Sample
from samples import PROVABLE, SHARES, adult_problem, problem_of, samples

USES = ["needed", "all"]


@pytest.fixture
def only_boxes(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if every lattice were too large for arrays."""
    monkeypatch.setattr(fronts, "MOST_NODES", 0)


def assert_nothing_escapes(part: pn.Front, whole: pn.Front) -> None:
    """Every point of the whole front is matched or dominated by a corner, and every point of the part is real."""
    assert part.possible is not None
    for point in whole:
        slack = TOLERANCE * max(point.loss, 1)
        assert any(corner.k >= point.k and corner.loss <= point.loss + slack for corner in part.possible)
        assert part.limit_on_k(point.loss_fraction + slack) >= point.k
    for point in part:
        slack = TOLERANCE * max(point.loss, 1)
        assert any(other.k >= point.k and other.loss <= point.loss + slack for other in whole)
    assert part.possible_hypervolume is not None
    assert part.hypervolume <= whole.hypervolume + TOLERANCE
    assert whole.hypervolume <= part.possible_hypervolume + TOLERANCE


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("metric", PROVABLE)
@settings(max_examples=6)
@given(sample=samples(), share=SHARES)
def test_every_step_of_the_exact_search_bounds_what_it_has_not_seen(
    metric: str, use: str, sample: Sample, share: float
) -> None:
    problem = problem_of(sample, metric, share, use)
    whole = pn.frontier(problem, method="exhaustive", cores=1)

    for part in pn.approach(problem, cores=1):
        assert_nothing_escapes(part, whole)


@pytest.mark.usefixtures("only_boxes")
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("metric", PROVABLE)
def test_boxes_find_what_all_nodes_hold(metric: str, use: str) -> None:
    @settings(max_examples=6)
    @given(sample=samples(), share=SHARES)
    def check(sample: Sample, share: float) -> None:
        problem = problem_of(sample, metric, share, use)
        whole = pn.frontier(problem, method="exhaustive", cores=1)
        for front in pn.approach(problem, cores=1):
            assert_nothing_escapes(front, whole)
        assert front.points == whole.points
        assert front.complete
        assert front.decided_nodes == front.lattice_nodes
        assert pn.verify_front(front, problem).faults == ()

    check()


@pytest.mark.parametrize("most_nodes", [0, MOST_NODES], ids=["boxes", "arrays"])
@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("metric", PROVABLE)
def test_a_spent_budget_leaves_bounds_that_hold(
    metric: str, use: str, most_nodes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nodes that were chosen when the budget ended are as open as any other."""
    monkeypatch.setattr(fronts, "MOST_NODES", most_nodes)

    @settings(max_examples=4)
    @given(sample=samples(), share=SHARES, spared=st.integers(1, 12))
    def check(sample: Sample, share: float, spared: int) -> None:
        problem = problem_of(sample, metric, share, use)
        whole = pn.frontier(problem, cores=1)
        budget = pn.Budget(evaluations=max(whole.evaluated_nodes - spared, 1))
        try:
            part = pn.frontier(problem, budget=budget, cores=1)
        except BadInput:
            return  # not enough for the first step
        assert_nothing_escapes(part, whole)

    check()


@pytest.mark.usefixtures("only_boxes")
@pytest.mark.parametrize("metric", ["glm", "dcn", "ce"])
def test_boxes_bound_adult(metric: str) -> None:
    problem = adult_problem(metric, 0.01, "needed")

    part = pn.frontier(problem, budget=pn.Budget(evaluations=2000))

    assert not part.complete
    assert part.evaluated_nodes <= 2000
    assert_nothing_escapes(part, pn.frontier(problem, method="exhaustive"))


@pytest.mark.parametrize("evaluations", [30, 200, 700])
def test_arrays_bound_adult(evaluations: int) -> None:
    problem = adult_problem("glm", 0.01, "needed")

    part = pn.frontier(problem, budget=pn.Budget(evaluations=evaluations))

    assert not part.complete
    assert_nothing_escapes(part, pn.frontier(problem))


@pytest.mark.usefixtures("only_boxes")
def test_boxes_complete_adult() -> None:
    problem = adult_problem("glm", 0.01, "needed")

    front = pn.frontier(problem)

    assert front.points == pn.frontier(problem, method="exhaustive").points
    assert pn.verify_front(front, problem).holds


@pytest.mark.parametrize("method", ["exact", "exhaustive", "poka"])
def test_a_budget_of_evaluations_is_never_exceeded(method: str) -> None:
    front = pn.frontier(adult_problem("glm", 0.01, "all"), method=method, budget=pn.Budget(evaluations=500))

    assert 0 < front.evaluated_nodes <= 500
    assert len(front) > 0
    assert not front.complete


def test_a_budget_of_seconds_ends_a_search() -> None:
    front = pn.frontier(adult_problem("glm", 0.01, "needed"), budget=pn.Budget(seconds=1e-6))

    assert not front.complete
    assert len(front) > 0


def test_a_large_budget_changes_nothing() -> None:
    problem = adult_problem("glm", 0.01, "needed")

    assert pn.frontier(problem, budget=pn.Budget(seconds=10**9, evaluations=10**9)) == pn.frontier(problem)


def test_a_budget_too_small_to_begin_is_refused() -> None:
    with pytest.raises(BadInput, match="allow more evaluations"):
        pn.frontier(adult_problem("glm", 0.01, "needed"), budget=pn.Budget(evaluations=1))


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"seconds": "x"}, {"evaluations": 0}, {"evaluations": 1.5}])
def test_a_senseless_budget_is_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(BadInput, match="positive"):
        pn.Budget(**wrong)  # type: ignore[arg-type]
