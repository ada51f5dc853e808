"""Evolution with its defaults matches or beats every point of the exact front of levels, whatever the table."""

import logging
import os
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.datasets import adult
from paranym.errors import BadInput
from paranym.model.cuts import CutSpace
from paranym.solve import starts as starting

LOG = logging.getLogger(__name__)
SOAK = bool(os.environ.get("SOAK"))
JOBS = [["nurse", "care", "*"], ["doctor", "care", "*"], ["clerk", "desk", "*"], ["judge", "desk", "*"]]
SMALL: dict[str, Any] = {"population": 20, "generations": 5}


def generated(rows: int, seed: int, **more: Any) -> pn.Problem:
    """People with several numbers each, so that nearly all of them are unique and most cuts leave them so."""
    draw = np.random.default_rng(seed)
    table = pa.table(
        {
            "age": draw.integers(18, 90, rows),
            "income": np.round(draw.lognormal(10, 0.6, rows), -3).astype(int),
            "height": draw.normal(170, 10, rows).astype(int),
            "weight": draw.normal(75, 12, rows).astype(int),
            "sex": draw.choice(["F", "M"], rows),
            "job": draw.choice([line[0] for line in JOBS], rows),
            "ill": draw.choice(["flu", "cold", "gout", "none"], rows),
        }
    )
    trees = {
        "age": {"intervals": [5, 10, 20]},
        "income": {"intervals": [5_000, 20_000, 100_000]},
        "height": {"intervals": [5, 20]},
        "weight": {"intervals": [5, 20]},
        "sex": None,
        "job": JOBS,
    }
    return pn.Problem(table, quasi_identifiers=trees, sensitive=["ill"], **{"suppression": 0.05, **more})


def unmatched(front: pn.Front, levels: Iterable[pn.Point]) -> list[tuple[int, float]]:
    """The points of a front of levels that no point of the other front is as good as."""
    return [
        (point.k, point.loss_fraction)
        for point in levels
        if not any(other.k >= point.k and other.loss <= point.loss * (1 + 1e-9) for other in front)
    ]


@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("rows", [200, 303, 1000])
def test_every_point_of_the_exact_front_is_matched_even_by_a_small_population(rows: int, seed: int) -> None:
    problem = generated(rows, seed)
    levels = pn.frontier(problem)

    front = pn.evolve(problem, population=4, generations=2, seed=seed)

    assert len(levels) > 4
    assert unmatched(front, levels) == []
    assert front.hypervolume >= levels.hypervolume > 0
    for point in front:
        sizes = pn.class_sizes(problem, point.solutions[0])
        assert sizes[sizes >= point.k].min() == point.k
        assert sizes[sizes < point.k].sum() == point.suppressed
    assert str(front.start).startswith("the exact front of levels and greedy specialization")


@pytest.mark.parametrize("rows", [303, 1000])
def test_a_random_start_reaches_more_than_the_table_as_it_is(rows: int) -> None:
    front = pn.evolve(generated(rows, 1), start="random", population=50, generations=10)

    assert front[0].k > rows // 2
    assert front.hypervolume > 0.1
    assert front.start == "cuts drawn at random"


def test_cuts_that_are_drawn_are_of_every_fineness() -> None:
    space = CutSpace.of(generated(200, 0).hierarchies)

    told_apart = space.draw(500, np.random.default_rng(0)).sum(axis=1)

    assert told_apart.min() < 5
    assert told_apart.max() > 0.8 * space.length
    assert np.median(told_apart) < 0.3 * space.length


@pytest.mark.parametrize(
    ("number", "algorithm"), [(1, "nsga2"), (2, "nsga2"), (3, "nsga2"), (4, "nsga2"), (2, "moead"), (4, "nsga3")]
)
def test_each_problem_starts_from_the_front_of_levels_in_its_own_objectives(number: int, algorithm: str) -> None:
    problem = generated(200, 3, objectives=("k", "l", "loss") if number == 4 else ("k", "loss"))

    fronts = [pn.evolve(problem, number, algorithm=algorithm, cores=cores, **SMALL) for cores in (1, 2)]

    assert fronts[0] == fronts[1]
    assert str(fronts[0].start).startswith("the exact front of levels")
    for node in nodes_as_cuts(problem, number):
        assert any(all(as_good(point, node, name) for name in fronts[0].objectives) for point in fronts[0])


def nodes_as_cuts(problem: pn.Problem, number: int) -> pn.Front:
    """Every node, evaluated as evolution evaluates cuts; what no other node beats."""
    evolving = pn.Evolving(problem, number, start="random")
    nodes = problem.lattice.unrank(np.arange(problem.lattice.size))
    evolving._archive.fitness(evolving._space.at_nodes(nodes))
    return evolving.front()


def as_good(point: pn.Point, other: pn.Point, name: str) -> bool:
    here, there = ({"k": each.k, "loss": each.loss, **each.values}[name] for each in (point, other))
    if name in ("loss", "gl", "sl"):
        return bool(here <= there * (1 + 1e-9) + 1e-12)
    return bool(here >= there * (1 - 1e-9))


def test_problems_about_diversity_start_from_levels_too() -> None:
    problem = generated(200, 3, objectives=("l", "loss"))

    for number in (1, 2, 3):
        assert str(pn.evolve(problem, number, **SMALL).start).startswith("the exact front of levels and")


def test_where_cuts_are_granularized_so_are_levels() -> None:
    problem = generated(200, 3)

    front = pn.evolve(problem, granularity={"age": 2, "income": 1}, **SMALL)

    coarse = [point for point in pn.frontier(problem) if point.levels["age"] >= 2 and point.levels["income"] >= 1]
    assert unmatched(front, coarse) == []
    assert str(front.start).startswith("the exact front of levels")


def test_of_a_lattice_that_is_too_large_a_part_of_the_front_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(starting, "MOST_EVALUATED", 20)
    monkeypatch.setattr(starting, "MOST_NODES", 20)
    monkeypatch.setattr(starting, "MOST_SPECIALIZED", 100)

    plain = pn.evolve(generated(200, 3), **SMALL)
    safe = pn.evolve(generated(200, 3, objectives=("k", "l", "loss")), 4, **SMALL)

    ended = "evaluations found and greedy specialization, ended early"
    assert str(plain.start).startswith("the part of the front of levels that ")
    assert str(safe.start).startswith("the part of the front of levels by k and loss that ")
    assert str(plain.start).endswith(ended)
    assert str(safe.start).endswith(ended)
    assert plain.hypervolume > 0
    assert plain.summary().endswith(f"; started from {plain.start}")


def test_a_budget_is_for_the_start_and_for_what_follows() -> None:
    for evaluations in (1, 10, 100, 1000):
        try:
            front = pn.evolve(generated(200, 3), population=10, budget=pn.Budget(evaluations=evaluations))
        except BadInput as refused:
            assert "first population" in str(refused)  # noqa: PT017 - either will do
            assert evaluations < 10
        else:
            assert front.evaluated_nodes <= evaluations
    assert len(pn.evolve(generated(200, 3), population=10, budget=pn.Budget(seconds=0.05)))


@pytest.mark.parametrize("wrong", ["levels", None, 3])
def test_other_starts_are_refused(wrong: Any) -> None:
    with pytest.raises(BadInput, match="both, exact, greedy, random"):
        pn.evolve(generated(200, 3), start=wrong)


SIZES = (200, 303, 500, 1_000, 1_500, 2_000, 3_000, 5_000, 7_214, 10_000)
FARS = Path(__file__).parents[3] / "shared" / "data" / "fars"


def fars() -> pn.Problem:
    names = [each.stem.removeprefix("fars_hierarchy_") for each in sorted((FARS / "hierarchies").glob("*.csv"))]
    trees = {name: FARS / "hierarchies" / f"fars_hierarchy_{name}.csv" for name in names}
    return pn.Problem(FARS / "fars_10093.csv", quasi_identifiers=trees, suppression=0.05)


CAMPAIGN: dict[str, Callable[[], pn.Problem]] = {
    "Adult": lambda: pn.Problem.from_recipe(adult()),
    "Adult, 10% suppressed": lambda: pn.Problem.from_recipe(adult()).with_suppression(0.1),
    **({"FARS": fars} if FARS.is_dir() else {}),
    **{f"{rows:,} rows": partial(generated, rows, rows) for rows in SIZES},
}


@pytest.mark.parametrize("seed", range(3) if SOAK else [0])
@pytest.mark.parametrize("table", CAMPAIGN if SOAK else ["200 rows"])
def test_defaults_match_or_beat_the_exact_front_everywhere(table: str, seed: int) -> None:
    problem = CAMPAIGN[table]()
    levels = pn.frontier(problem)

    front = pn.evolve(problem, seed=seed)

    for name, found in (("levels", levels), ("cuts", front)):
        told = f"{table}, seed {seed}, {name}"
        volume, evaluated = found.hypervolume, found.evaluated_nodes
        LOG.info("%s: %d points, hypervolume %.4f, %d evaluated", told, len(found), volume, evaluated)
    assert levels.complete
    assert unmatched(front, levels) == []
    assert front.hypervolume >= levels.hypervolume
