"""When a job on a cluster waits for workers and when it is ended, by a clock that goes by when somebody looks."""

import threading
from collections.abc import Iterator, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from paranym.engines.spark import workers as spark_workers
from paranym.engines.spark.workers import PATIENCE, Workers

LOOK = PATIENCE / 4
"""So much time passes between two looks."""
ENDLESS = 60.0


class Context:
    """As much of a Spark context as is looked at: how many executors there are, and which jobs are ended."""

    master = "spark://cluster:7077"

    def __init__(self) -> None:
        self.clock = 0.0
        self.tags: set[str] = set()
        self.ended: list[str] = []
        self.is_over = threading.Event()
        self._looks: Iterator[int] = iter(())
        self._jsc = SimpleNamespace(sc=lambda: self)

    def show(self, executors: Sequence[int]) -> None:
        """What is to be seen, look after look; the job is over after the last."""
        self._looks = iter(executors)
        self.is_over.clear()

    def getExecutorMemoryStatus(self) -> Any:  # noqa: N802
        self.clock += LOOK
        there = next(self._looks, None)
        if there is None:
            self.is_over.set()
        return SimpleNamespace(size=lambda: 1 + (there or 0))

    def addJobTag(self, tag: str) -> None:  # noqa: N802
        self.tags.add(tag)

    def removeJobTag(self, tag: str) -> None:  # noqa: N802
        self.tags.remove(tag)

    def cancelJobsWithTag(self, tag: str) -> None:  # noqa: N802
        self.ended.append(tag)
        self.is_over.set()


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> Context:
    made = Context()
    monkeypatch.setattr(spark_workers, "time", SimpleNamespace(monotonic=lambda: made.clock))
    monkeypatch.setattr(spark_workers, "_INTERVAL", 0.001)
    return made


@pytest.fixture
def workers(context: Context) -> Workers:
    return Workers(SimpleNamespace(sparkContext=context), "ours")


def ask(workers: Workers, context: Context, executors: Sequence[int]) -> bool:
    """Whether a job is ended that sees so many executors."""
    context.show(executors)
    context.ended.clear()
    with workers.watched():
        assert context.tags == {"ours"}
        assert context.is_over.wait(ENDLESS)
    assert context.tags == set()
    assert context.ended == (["ours"] if workers.are_lost else [])
    return workers.are_lost


def test_a_job_that_never_had_a_worker_stands_in_a_queue(workers: Workers, context: Context) -> None:
    assert not ask(workers, context, [0] * 100)


def test_a_job_that_lost_all_for_too_long_is_ended(workers: Workers, context: Context) -> None:
    assert ask(workers, context, [2, 2, 1, 0, 0, 0, 0, 0, 0])


def test_a_job_waits_as_long_as_its_patience(workers: Workers, context: Context) -> None:
    assert not ask(workers, context, [1, 0, 0, 0, 1])
    assert context.clock < 2 * PATIENCE


def test_a_worker_that_comes_back_in_time_saves_the_job(workers: Workers, context: Context) -> None:
    assert not ask(workers, context, [1, 0, 0, 0, 1, 0, 0, 0, 2, 2])


def test_a_second_question_starts_afresh(workers: Workers, context: Context) -> None:
    assert not ask(workers, context, [2, 2])
    assert not ask(workers, context, [0] * 100)
    assert ask(workers, context, [1, 0, 0, 0, 0, 0, 0])
    assert not ask(workers, context, [0] * 100)
    assert not ask(workers, context, [1, 1, 1])


def test_a_worker_that_was_there_at_once_is_known_to_have_been(workers: Workers, context: Context) -> None:
    assert ask(workers, context, [1, *[0] * 9])


def test_a_question_within_another_changes_nothing(workers: Workers, context: Context) -> None:
    context.show([1, *[0] * 9])
    with workers.watched():
        assert context.is_over.wait(ENDLESS)
        with workers.watched():
            pass
        assert context.tags == {"ours"}
    assert workers.are_lost
