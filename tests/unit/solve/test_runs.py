"""Runs under several seeds: their mean, and how sure it is."""

import numpy as np
import pytest

import paranym as pn
from paranym.datasets import adult
from paranym.errors import BadInput


def runs_of(*volumes: float, seeds: tuple[int, ...] | None = None) -> pn.Runs:
    return pn.Runs(seeds or tuple(range(len(volumes))), (), tuple(np.array([0.0, volume]) for volume in volumes))


def test_runs_that_agree_leave_no_doubt_and_others_do() -> None:
    sure, unsure = runs_of(0.5, 0.5, 0.5, 0.5).reached, runs_of(0.3, 0.4, 0.6, 0.7).reached

    assert (sure.mean, sure.low, sure.high) == (0.5, 0.5, 0.5)
    assert unsure.mean == pytest.approx(0.5)
    assert 0.3 <= unsure.low < 0.5 < unsure.high <= 0.7
    # close to 1.96 standard errors, sqrt(0.025 / 4) each
    assert unsure.high - unsure.low == pytest.approx(2 * 1.96 * (0.025 / 4) ** 0.5, rel=0.15)


def test_what_is_always_better_is_better_for_sure_however_runs_differ() -> None:
    gain = runs_of(0.4, 0.5, 0.9).gain_over(runs_of(0.3, 0.4, 0.8))

    assert (gain.mean, gain.low, gain.high) == pytest.approx((0.1, 0.1, 0.1))
    with pytest.raises(BadInput, match="same seeds"):
        runs_of(0.4, 0.5).gain_over(runs_of(0.4, 0.5, seeds=(5, 6)))


def test_runs_that_stopped_early_stay_where_they_are() -> None:
    runs = pn.Runs((0, 1), (), (np.array([0.1]), np.array([0.1, 0.3])))

    assert [step.mean for step in runs.by_generation()] == pytest.approx([0.1, 0.2])


def test_a_good_start_shows_over_seeds() -> None:
    problem = pn.Problem.from_recipe(adult()).with_suppression(0.1)
    nodes = pn.frontier(problem)

    drawn = pn.rerun(
        lambda seed: pn.Evolving(problem, population=20, generations=3, start="random", seed=seed), range(3)
    )
    started = pn.rerun(
        lambda seed: pn.Evolving(problem, population=20, generations=3, start=nodes, seed=seed), range(3)
    )

    assert started.gain_over(drawn).low > 0
    assert started.reached.low > nodes.hypervolume
    assert [len(curve) for curve in drawn.curves] == [4, 4, 4]
    with pytest.raises(BadInput, match="a seed"):
        pn.rerun(lambda seed: pn.Evolving(problem, seed=seed), ())
