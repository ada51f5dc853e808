"""The evaluator under stress: several threads, interrupts, odd requests."""

import os
import signal
import threading

import numpy as np
import pytest
from numpy.typing import NDArray

import paranym as pn
from paranym.datasets import adult
from paranym.errors import BadInput
from paranym.evaluation.nodes import Evaluator
from paranym.evaluation.pool import Worker
from paranym.results.assessment import Assessments


@pytest.fixture(scope="module")
def problem() -> pn.Problem:
    return pn.Problem.from_recipe(adult())


@pytest.fixture
def evaluator(problem: pn.Problem) -> Evaluator:
    found = problem.evaluator(cores=2)
    assert isinstance(found, Evaluator)
    return found


@pytest.fixture(scope="module")
def nodes(problem: pn.Problem) -> NDArray[np.int64]:
    return problem.lattice.nodes(0, problem.lattice.size)


def test_several_threads_may_ask_at_once(evaluator: Evaluator, nodes: NDArray[np.int64]) -> None:
    expected = evaluator(nodes[::7]).loss
    answers: list[NDArray[np.float64]] = []
    threads = [threading.Thread(target=lambda: answers.append(evaluator(nodes[::7]).loss)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(answers) == 4
    for answer in answers:
        np.testing.assert_array_equal(answer, expected)


def test_an_interrupt_ends_the_call_soon_and_harms_nothing(
    evaluator: Evaluator, nodes: NDArray[np.int64], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = evaluator(nodes[:500]).k
    many = np.concatenate([nodes] * 60)  # all of them would take minutes
    assess, pressed = evaluator._assess, threading.Lock()
    told: list[bool] = []

    def interrupted(worker: Worker, levels: NDArray[np.int64], stop: NDArray[np.int64]) -> Assessments:
        if pressed.acquire(blocking=False):  # once is enough
            os.kill(os.getpid(), signal.SIGINT)
        found = assess(worker, levels, stop)
        told.append(bool(stop[0]))
        return found

    monkeypatch.setattr(evaluator, "_assess", interrupted)
    with pytest.raises(KeyboardInterrupt):
        evaluator(many)
    monkeypatch.undo()

    assert told
    assert all(told)  # nobody went on to the end
    np.testing.assert_array_equal(evaluator(nodes[:500]).k, expected)


def test_the_first_step_of_a_node_suppresses_nothing_and_costs_no_surcharge(
    evaluator: Evaluator, nodes: NDArray[np.int64]
) -> None:
    found = evaluator(nodes[-50:])
    first = np.concatenate([[True], np.any(np.diff(found.levels, axis=0) != 0, axis=1)])

    assert first.sum() == 50
    assert not found.suppressed[first].any()
    assert not found.surcharge[first].any()
    assert (found.surcharge >= 0).all()


def test_there_must_be_a_core_to_work_on(problem: pn.Problem) -> None:
    with pytest.raises(BadInput, match="at least one core"):
        problem.evaluator(cores=0)
