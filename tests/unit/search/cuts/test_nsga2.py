"""Evolution of cuts on the Adult table: reproducible, and never worse than what it starts from."""

import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.datasets import adult
from paranym.errors import BadInput, Unattainable
from paranym.search.cuts.formulations import PROBLEMS
from paranym.search.cuts.formulations.base import Property, RecodedClasses
from paranym.search.cuts.formulations.safety import Safety
from paranym.solve.cuts import Evolving

UNCONSTRAINED = ("age", "education", "race", "sex", "salary-class")


@pytest.fixture(scope="module")
def problem() -> pn.Problem:
    return pn.Problem.from_recipe(adult()).with_suppression(0.1)


@pytest.fixture(scope="module")
def illness() -> pn.Problem:
    people = pa.table(
        {"age": [20, 21, 22, 40, 41, 42, 60, 61] * 3, "ill": ["flu", "cold", "flu", "gout", "flu", "cold"] * 4}
    )
    return pn.Problem(
        people,
        quasi_identifiers={"age": {"intervals": [10, 20]}},
        sensitive=["ill"],
        suppression=0.2,
        objectives=("k", "l", "loss"),
    )


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_same_seed_gives_the_same_front_on_any_number_of_cores(problem: pn.Problem, number: int) -> None:
    fronts = [
        pn.evolve(problem, number, population=20, generations=4, seed=7, cores=cores, start="random")
        for cores in (1, 2)
    ]

    assert fronts[0] == fronts[1]
    assert fronts[0] != pn.evolve(problem, number, population=20, generations=4, seed=8, start="random")


def test_what_starts_from_the_front_of_nodes_matches_or_beats_it(problem: pn.Problem) -> None:
    nodes = pn.frontier(problem)

    front = pn.evolve(problem, population=40, generations=10, unconstrained=UNCONSTRAINED, start=nodes)

    for node in nodes:
        assert any(p.k >= node.k and p.loss <= node.loss * (1 + 1e-9) for p in front)
    assert front.hypervolume > nodes.hypervolume


def test_what_starts_greedily_matches_or_beats_what_greed_finds(problem: pn.Problem) -> None:
    alone = Evolving(problem, population=20, generations=1, unconstrained=UNCONSTRAINED, start="greedy")
    steps = iter(alone)
    while next(steps).evaluated < 3000:
        pass
    before = alone.front()

    front = pn.evolve(problem, population=20, generations=3, unconstrained=UNCONSTRAINED, start="greedy")
    drawn = pn.evolve(problem, population=20, generations=3, unconstrained=UNCONSTRAINED, start="random")

    assert all(any(p.k >= point.k and p.loss <= point.loss * (1 + 1e-9) for p in front) for point in before)
    assert front.hypervolume > drawn.hypervolume


@pytest.mark.parametrize("algorithm", ["nsga3", "moead", "sms-emoa"])
def test_other_algorithms_find_points_too_the_same_ones_for_a_seed(problem: pn.Problem, algorithm: str) -> None:
    fronts = [
        pn.evolve(problem, 3, algorithm=algorithm, population=30, generations=4, seed=3, cores=cores, start="random")
        for cores in (1, 2)
    ]

    assert fronts[0].method == algorithm
    assert fronts[0] == fronts[1]
    assert fronts[0].evaluated_nodes > 60
    drawn = pn.evolve(problem, 3, algorithm=algorithm, population=30, generations=1, seed=3, start="random")
    assert len(fronts[0]) != len(drawn)


def test_moead_takes_any_number_of_cuts_to_start_from(problem: pn.Problem) -> None:
    nodes = pn.frontier(problem)

    front = pn.evolve(problem, algorithm="moead", population=10, generations=2, start=nodes)

    assert all(any(p.k >= node.k and p.loss <= node.loss * (1 + 1e-9) for p in front) for node in nodes)


def test_an_unknown_algorithm_is_refused(problem: pn.Problem) -> None:
    with pytest.raises(BadInput, match="nsga2, nsga3, moead, sms-emoa"):
        pn.evolve(problem, algorithm="spea2")


def test_limits_bound_what_is_listed_and_where_evolution_looks(problem: pn.Problem) -> None:
    strict = problem.with_suppression(0.1).with_privacy({"k": 5})

    settings: dict[str, Any] = {"population": 40, "generations": 25, "unconstrained": UNCONSTRAINED, "start": "random"}
    within, there = 0, 0
    for seed in range(3):  # one run may be unlucky
        front = pn.evolve(strict, max_loss=0.4, seed=seed, **settings)
        within += len(front)
        anywhere = pn.evolve(problem, seed=seed, **settings)
        there += sum(point.k >= 5 and point.loss_fraction <= 0.4 for point in anywhere)
        assert front.demands == "k of at least 5 and a loss of at most 0.4"
        assert all(point.k >= 5 and point.loss_fraction <= 0.4 for point in front)

    assert within > there
    greedy = Evolving(strict, max_loss=0.4, start="greedy", population=10, unconstrained=UNCONSTRAINED)
    assert next(step for step in greedy if step.points).generation == 0  # from the top, which loses all
    with pytest.raises(Unattainable, match="loss of at most 0"):
        pn.evolve(strict, max_loss=0.0, population=10, generations=1)
    with pytest.raises(BadInput, match="from 0 to 1"):
        pn.evolve(strict, max_loss=30)


def test_hypervolume_never_falls_and_every_recoding_is_evaluated_once(problem: pn.Problem) -> None:
    progress = list(Evolving(problem, population=20, generations=6, start="random"))
    volumes = [step.hypervolume for step in progress]

    assert [step.generation for step in progress] == list(range(7))
    assert volumes == sorted(volumes)
    assert progress[-1].evaluated <= 7 * 20


def test_a_budget_ends_evolution(problem: pn.Problem) -> None:
    assert pn.evolve(problem, population=20, budget=pn.Budget(evaluations=100)).evaluated_nodes <= 100
    assert len(pn.evolve(problem, population=20, budget=pn.Budget(evaluations=60)))  # what it starts from
    with pytest.raises(BadInput, match="first population"):
        pn.evolve(problem, population=20, budget=pn.Budget(evaluations=10), start="random")


def test_stagnation_ends_evolution(illness: pn.Problem) -> None:
    progress = list(Evolving(illness, 4, population=40, generations=100, patience=3))

    assert len(progress) < 100


@pytest.mark.parametrize("preferred", ["k", "l"])
def test_safety_tells_what_published_rows_reach(illness: pn.Problem, preferred: str) -> None:
    front = pn.evolve(illness, 4, population=40, generations=5, preferred=preferred)

    assert front.objectives == ("k", "l", "loss")
    for point in front:
        assert point.suppressed <= illness.suppression.limit(illness.rows)
        assert point.values["d1"] >= point.k
        assert point.values["l"] >= 1


def test_safety_suppresses_in_the_order_of_the_paper() -> None:
    sizes, diversity = np.array([1, 1, 2, 3]), np.array([1, 2, 1, 2])
    classes = RecodedClasses(np.zeros(4, np.int64), sizes, diversity, 1, 7, 3)

    l_first = Safety(preferred=Property.DIVERSITY).spare(classes)
    k_first = Safety(preferred=Property.SIZE).spare(classes)

    assert l_first.spared.tolist() == [False, False, True, True]  # (1,1), (1,2); then (2,1) would be one row too many
    assert (l_first.values["d1"][0], l_first.values["d2"][0], l_first.values["l"][0]) == (2, 1, 1)
    assert k_first.spared.tolist() == [False, True, False, True]  # (1,1), (2,1); then (1,2)
    assert (k_first.values["d1"][0], k_first.values["d2"][0], k_first.values["l"][0]) == (1, 2, 2)


@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_first_problems_can_be_about_diversity(number: int) -> None:
    people = pa.table({"age": [20, 21, 40, 41] * 3, "ill": ["flu", "cold", "gout"] * 4})
    problem = pn.Problem(
        people,
        quasi_identifiers={"age": {"intervals": [20]}},
        sensitive=["ill"],
        suppression=0.3,
        objectives=("l", "loss"),
    )

    front = pn.evolve(problem, number, population=10, generations=3)

    assert front.objectives == PROBLEMS[number](Property.DIVERSITY).lists
    assert len(front)


def test_objectives_that_a_problem_does_not_trade_off_are_refused(problem: pn.Problem) -> None:
    with pytest.raises(BadInput, match="k, l and loss"):
        pn.evolve(problem, 4)


def test_without_pymoo_the_line_that_installs_it_is_said() -> None:
    code = "import sys; sys.modules['pymoo'] = None; import paranym.search.cuts.nsga2"

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert "pip install 'paranym[evolution]'" in answer.stderr
