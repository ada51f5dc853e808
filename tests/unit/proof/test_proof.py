"""A front is verified by a second count that shares no code with the search."""

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from numpy.typing import NDArray

import paranym as pn
from paranym.measures.base import Tally
from paranym.measures.loss.dcn import Discernibility
from paranym.measures.loss.glm import GeneralLoss
from paranym.measures.privacy.base import Classes
from paranym.measures.privacy.closeness import EqualCloseness

PEOPLE = pa.table(
    {
        "age": [31, 34, 38, 52, 55, 58, 31, 34],
        "sex": ["F", "M", "F", "M", "F", "M", "F", None],
        "ill": list("uvuvwuvw"),
        "label": list("ynynynyn"),
    }
)


def problem_of(metric: str = "glm", **changes: Any) -> pn.Problem:
    arguments: dict[str, Any] = {
        "quasi_identifiers": {"age": {"intervals": [10, 20]}, "sex": None},
        "sensitive": ["ill"],
        "label": "label",
        "metric": metric,
        "suppression": 0.4,
        "weights": {"age": 2.0},
    }
    return pn.Problem(PEOPLE, **(arguments | changes))


LOSSES = ("glm", "dcn", "ce", "ncp", "average-class-size", "precision", "height", "entropy")
REQUIREMENTS: dict[str, dict[str, Any]] = {
    "none": {},
    "k": {"k": 2},
    "frequency l": {"l": 1.5},
    "entropy l": {"l": {"value": 1.5, "kind": "entropy"}},
    "distinct l": {"p": 2},
    "recursive l": {"l": {"value": 2, "kind": "recursive", "c": 3}},
    "alpha": {"alpha": 0.7},
    "t, released": {"t": 0.4},
    "t, original": {"t": {"value": 0.4, "reference": "original"}},
    "basic beta": {"beta": {"value": 1.0, "kind": "basic"}},
    "enhanced beta": {"beta": {"value": 1.0, "kind": "enhanced"}},
    "delta": {"delta": 1.5},
}


@pytest.mark.parametrize("use", ["needed", "all"])
@pytest.mark.parametrize("metric", LOSSES)
def test_every_loss_is_confirmed_by_the_second_count(metric: str, use: str) -> None:
    problem = problem_of(metric, suppression_use=use)
    front = pn.frontier(problem)

    verdict = pn.verify_front(front, problem, recount="all")

    assert verdict.faults == ()
    assert verdict.recounted_nodes == front.evaluated_nodes


@pytest.mark.parametrize("requirement", REQUIREMENTS)
def test_every_requirement_is_confirmed_by_the_second_count(requirement: str) -> None:
    problem = problem_of(privacy=REQUIREMENTS[requirement])

    assert pn.verify_front(pn.frontier(problem), problem, recount="all").faults == ()


@pytest.mark.parametrize("rows", [0, 3])
@pytest.mark.parametrize("requirement", [name for name in REQUIREMENTS if "t" not in REQUIREMENTS[name]])
def test_a_loss_that_depends_on_k_is_confirmed_by_the_second_count(requirement: str, rows: int) -> None:
    """At nodes without a solution, C_AVG has no k to divide by."""
    problem = problem_of("c-avg", privacy=REQUIREMENTS[requirement], suppression=0).with_suppression(rows=rows)
    front = pn.frontier(problem, method="exhaustive")

    if front.complete:  # not with a choice of classes to suppress, which may lower this loss
        assert pn.verify_front(front, problem, recount="all").faults == ()
    else:
        assert front.possible is None


def test_a_loss_that_the_evaluator_gets_wrong_is_noticed_by_the_second_count(monkeypatch: pytest.MonkeyPatch) -> None:
    right = Discernibility.of

    def wrong(self: Discernibility, tally: Tally) -> NDArray[np.float64]:
        return right(self, replace(tally, suppressed=np.zeros_like(tally.suppressed)))

    monkeypatch.setattr(Discernibility, "of", wrong)
    problem = problem_of("dcn")
    front = pn.frontier(problem)

    assert pn.verify_front(front, problem, recount=0).holds  # the evaluator repeats its mistake
    assert "another loss" in pn.verify_front(front, problem, recount="all").faults[0]


def test_a_requirement_that_the_evaluator_gets_wrong_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    right = EqualCloseness.of

    def wrong(self: EqualCloseness, classes: Classes) -> NDArray[np.float64]:
        return right(self, classes) / 4

    monkeypatch.setattr(EqualCloseness, "of", wrong)
    problem = problem_of(privacy={"t": {"value": 0.1, "reference": "original"}})
    front = pn.frontier(problem)

    assert pn.verify_front(front, problem, recount=0).holds
    assert not pn.verify_front(front, problem, recount="all").holds


def test_the_sample_is_drawn_by_a_seed_and_as_large_as_asked() -> None:
    problem = problem_of()
    front = pn.frontier(problem)

    assert pn.verify_front(front, problem, recount=3, seed=1).recounted_nodes == 3
    assert pn.verify_front(front, problem, recount=0).recounted_nodes == 0


def test_a_loss_of_ones_own_has_its_counts_checked_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GeneralLoss, "name", "mine")
    problem = problem_of()

    assert pn.verify_front(pn.frontier(problem), problem, recount="all").holds
