"""Optimal nodes found by an independent tool, ARX, on the Adult table."""

from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import paranym as pn
from arx_cases import cases_of_models, hierarchy, needs_hierarchies, table
from paranym.results.assessment import Assessments

METRICS = {
    "glm_fraction": "glm",
    "dcn": "dcn",
    "precision_loss": "precision",
    "height": "height",
    "average_class_size": "average-class-size",
    "non_uniform_entropy": "entropy",
}


CASES = cases_of_models(1)


@cache
def every_solution(metric: str, limit: float, attributes: tuple[str, ...]) -> tuple[Assessments, float]:
    problem = pn.Problem(
        table(),
        quasi_identifiers={name: hierarchy(name) for name in attributes},
        metric=metric,
        suppression=limit,
    )
    evaluator = problem.evaluator()
    parts = [evaluator(nodes) for nodes in problem.lattice.batches(2048)]
    return sum(parts[1:], start=parts[0]), evaluator.worst


def test_all_cases_of_k_anonymity_alone_are_there() -> None:
    assert len(CASES) == 153
    assert {case["privacy"][0]["model"] for case in CASES} == {"KAnonymity"}


@needs_hierarchies
@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_the_least_loss_for_k_is_that_of_arx(case: dict[str, Any]) -> None:
    metric, unsuppressed, _ = case["loss_metric"].partition("_unsuppressed")
    name = METRICS[metric]
    solutions, worst = every_solution(name, case["suppression_limit"], tuple(case["quasi_identifiers"]))
    loss = _without_suppression(solutions) if unsuppressed else solutions.loss
    loss = loss / worst if metric == "glm_fraction" else loss

    least = loss[solutions.k >= case["privacy"][0]["k"]].min()

    assert least == pytest.approx(case["optimal_loss"], rel=1e-9)


def _without_suppression(solutions: Assessments) -> NDArray[np.float64]:
    """The loss of the first step of each node's staircase, where nothing is suppressed, for all its steps."""
    first = np.concatenate([[True], np.any(np.diff(solutions.levels, axis=0) != 0, axis=1)])
    unsuppressed: NDArray[np.float64] = solutions.loss[first][np.cumsum(first) - 1]
    return unsuppressed
