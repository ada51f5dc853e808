"""Working memory on every core, and the threads that share work among them.

All evaluators compose this: nodes and cuts by `Pool`, nodes against one fixed requirement by `Threads` alone.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from threading import Lock
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.frequency import new_scratch
from paranym.kernels.assessment import Ledger, Task, assess, reach
from paranym.kernels.class_batches import ClassBatch, gather, judge
from paranym.kernels.frequency_store import Store, keep
from paranym.kernels.rollup import NOBODY, Counted, Scratch
from paranym.kernels.staircase import BANKS, SMALL, Stairs
from paranym.measures.base import Domain
from paranym.measures.class_assessment import ClassAssessor, Steps
from paranym.results.assessment import Assessments

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Answer = TypeVar("Answer")

MOST_STORE_BYTES = 512 * 2**20
_LEAST_STORE_BYTES = 4 * 2**20
_STORE_SLOTS = 256
_LEDGER_STEPS = 2**16
_BATCH_TUPLES, _BATCH_NODES = 2**16, 256
_PULSE = 0.1


def count_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Threads:
    """Threads whose caller notices signals while it waits."""

    def __init__(self, cores: int) -> None:
        self._executor = ThreadPoolExecutor(cores, thread_name_prefix="paranym")

    def run(self, jobs: Sequence[Callable[[], Answer]], stop: Callable[[], None] | None = None) -> list[Answer]:
        """Return the answers of all jobs; an interrupt calls `stop` and ends when the jobs in work are done."""
        begun: list[Future[Answer]] = []
        try:
            begun += [self._executor.submit(job) for job in jobs]
            while wait(begun, timeout=_PULSE).not_done:
                pass  # a signal that reached another thread is noticed here
            return [job.result() for job in begun]
        except BaseException:
            if stop is not None:
                stop()
            for job in begun:
                job.cancel()
            wait(begun)
            raise

    def close(self) -> None:
        """End the threads."""
        self._executor.shutdown()


class Pool:
    """One worker per core for one task.

    Owns the only cache of frequency sets: per core, a ring of the frequency sets computed last, by default sixteen
    times the size of the bottom set, at least 4 MB (a ring that fits a processor's cache is fastest), 512 MB in all.
    """

    def __init__(
        self, task: Task, domains: tuple[Domain, ...], *, cores: int | None = None, cache_bytes: int | None = None
    ) -> None:
        cores = count_cores() if cores is None else cores
        if cores < 1:
            raise BadInput(f"There must be at least one core to work on; got {cores}.")
        self._task = task
        self._workers = [Worker(task, domains, cores, cache_bytes) for _ in range(cores)]
        self._threads = Threads(cores)

    @property
    def task(self) -> Task:
        """The table that all workers roll up, and how."""
        return self._task

    @property
    def first(self) -> "Worker":
        """The worker that assesses single nodes."""
        return self._workers[0]

    def change(self, task: Task) -> None:
        """Give all workers another task over the same table; not while other threads use the pool."""
        self._task = task
        for worker in self._workers:
            worker.task = task

    def assess(self, share: "Callable[[Worker, Ints, Ints], Assessments]", levels: Ints) -> Assessments:
        """Let every worker assess a share of the nodes `levels` (nodes, attributes), and join the results in order.

        `share` assesses what one worker is given, until another thread sets the flag that it is given, too.
        """
        levels = np.ascontiguousarray(levels, np.int64)  # the one type that the kernels are compiled for
        shares = [part for part in np.array_split(levels, len(self._workers)) if len(part)]
        stop = np.zeros(1, np.int64)
        # the first share always goes to the first worker: its cache probably has sets to roll neighbours up from
        jobs = [partial(share, worker, part, stop) for worker, part in zip(self._workers, shares, strict=False)]
        return Assessments.join(self._threads.run(jobs, partial(stop.fill, 1)), levels.shape[1])

    def close(self) -> None:
        """End the threads."""
        self._threads.close()


class Worker:
    """The memory of one core."""

    def __init__(self, task: Task, domains: tuple[Domain, ...], cores: int, cache_bytes: int | None) -> None:
        self.lock = Lock()
        self.task = task
        self._attributes = len(domains)
        self._stairs = _new_stairs(task, max(len(domain.hierarchy.leaves) for domain in domains))
        self._scratch: Scratch = new_scratch(task.bottom, task.words, task.nobody)
        self._store = _new_store(task, self._attributes, cores, cache_bytes)
        self._batch: ClassBatch | None = None

    def assess(self, levels: Ints, begin: int, stop: Ints) -> tuple[int, Ledger]:
        """Climb the staircases of nodes from `begin` on; return the first node that is left, and the ledger."""
        ledger = self._new_ledger(len(levels), _LEDGER_STEPS)
        return assess(levels, begin, stop, self.task, self._store, self._scratch, self._stairs, ledger), ledger

    def reach(self, node: Ints, *, most: int) -> Counted | None:
        """Return the classes of a node, if there are at most that many."""
        with self.lock:
            classes, entries = reach(node, self.task, self._store, self._scratch)
            filled = filled_part(self._scratch.rolled, self.task.words, classes, entries)
            return copied(filled) if classes <= most else None

    def gather(self, levels: Ints, begin: int, stop: Ints) -> tuple[int, ClassBatch]:
        """Gather the classes of as many nodes as one batch holds; return the first node that is left, and the batch."""
        batch = self._batch = self._batch or _new_batch(self.task)
        return gather(levels, begin, stop, self.task, self._store, self._scratch, batch), batch

    def judge(self, levels: Ints, begin: int, stop: Ints, assessor: ClassAssessor) -> tuple[int, Ledger, Floats]:
        """Climb staircases if requirements or further objectives need every class."""
        end, batch = self.gather(levels, begin, stop)
        nodes = end - begin
        verdicts = assessor.judge(batch, nodes, one_step=self.task.one_step)
        ledger = self._new_ledger(nodes, nodes * 2 * len(self._stairs.sizes), further=len(verdicts.node))
        sizes = np.empty(len(self.task.bottom.counts), np.int64)
        judge(levels[begin:end], batch, verdicts, int(assessor.binds), self.task, self._stairs, sizes, ledger)
        steps = slice(int(ledger.first_step[nodes]))
        taken = Steps(ledger.first_step, ledger.step_k[steps], ledger.step_rows[steps], ledger.step_solves[steps])
        values = assessor.measure(batch, verdicts, taken)
        return end, ledger, values

    def _new_ledger(self, nodes: int, most: int, further: int = 0) -> Ledger:
        longest = len(self._stairs.sizes)
        steps = max(longest, min(2 * nodes * longest, most)) + further
        return Ledger(
            classes=np.empty(nodes, np.int64),
            squares=np.empty(nodes, np.int64),
            products=np.empty(nodes, np.int64),
            majority=np.empty(nodes, np.int64),
            first_step=np.zeros(nodes + 1, np.int64),
            step_k=np.empty(steps, np.int64),
            step_rows=np.empty(steps, np.int64),
            step_classes=np.empty(steps, np.int64),
            step_squares=np.empty(steps, np.int64),
            step_majority=np.empty(steps, np.int64),
            step_costs=np.empty((steps, self._attributes if len(self.task.costs) else 0), np.int64),
            step_spread=np.empty((steps, self._attributes if self.task.spread else 0)),
            step_binds=np.empty(steps, bool),
            step_solves=np.empty(steps, bool),
            step_open=np.empty(steps, bool),
        )


def _new_store(task: Task, attributes: int, cores: int, cache_bytes: int | None) -> Store:
    tuples, size = len(task.bottom.counts), bytes_per_tuple(task)
    ratio = len(task.bottom.amounts) / tuples
    if cache_bytes is None:
        cache_bytes = min(max(_LEAST_STORE_BYTES, int(16 * tuples * size)), MOST_STORE_BYTES // cores)
    room = min(int(cache_bytes / size), _STORE_SLOTS * tuples)
    return empty_store(room, int(room * ratio), task.words, attributes)


def bytes_per_tuple(task: Task) -> float:
    """Return the size of a tuple in a store, its histogram included."""
    return 8 * task.words + 8 + 16 * len(task.bottom.amounts) / len(task.bottom.counts)


def empty_store(room: int, entry_room: int, words: int, attributes: int) -> Store:
    """Return a store with room for that many tuples and histogram entries."""
    return Store(
        words=np.empty(room * words, np.int64),
        counts=np.empty(room, np.int64),
        owners=np.empty(entry_room, np.int32),
        columns=np.empty(entry_room, np.int32),
        amounts=np.empty(entry_room, np.int64),
        levels=np.empty((_STORE_SLOTS, attributes), np.int64),
        spans=np.empty((_STORE_SLOTS, 4), np.int64),
        state=np.zeros(4, np.int64),
    )


def _new_batch(task: Task) -> ClassBatch:
    """Room for the classes of the largest set at least."""
    tuples = max(len(task.bottom.counts), _BATCH_TUPLES)
    entries = max(len(task.bottom.amounts), int(tuples * len(task.bottom.amounts) / len(task.bottom.counts)))
    return ClassBatch(
        words=np.empty(tuples * task.words, np.int64),
        counts=np.empty(tuples, np.int64),
        owners=np.empty(entries, np.int32),
        columns=np.empty(entries, np.int32),
        amounts=np.empty(entries, np.int64),
        first_class=np.empty(_BATCH_NODES + 1, np.int64),
        first_entry=np.empty(_BATCH_NODES + 1, np.int64),
    )


def filled_part(rolled: Counted, words: int, classes: int, entries: int) -> Counted:
    """Return the part of working memory that a node has filled."""
    return Counted(
        rolled.words[: classes * words],
        rolled.counts[:classes],
        rolled.owners[:entries],
        rolled.columns[:entries],
        rolled.amounts[:entries],
    )


def copied(rolled: Counted) -> Counted:
    """Return a copy in memory of its own."""
    return Counted(
        rolled.words.copy(), rolled.counts.copy(), rolled.owners.copy(), rolled.columns.copy(), rolled.amounts.copy()
    )


def store_of(sources: Sequence[tuple[Ints, Counted]], task: Task) -> Store:
    """Return a store that holds just the sets of these nodes."""
    # a store takes a set only if it fills a quarter of it at most
    room = 4 * sum(len(counted.counts) for _, counted in sources)
    entry_room = 4 * sum(len(counted.amounts) for _, counted in sources)
    store = empty_store(room, entry_room, task.words, task.lifts.radix.shape[0])
    for node, counted in sources:
        keep(store, node, task.words, counted, len(counted.counts), len(counted.amounts))
    return store


def _new_stairs(task: Task, most_values: int) -> Stairs:
    tuples = len(task.bottom.counts)
    steps = _longest_staircase(task.limit, tuples)
    return Stairs(
        sizes=np.empty(steps, np.int64),
        rows=np.empty(steps, np.int64),
        classes=np.empty(steps, np.int64),
        squares=np.empty(steps, np.int64),
        majority=np.empty(steps, np.int64),
        heaviest=np.zeros(tuples, np.int64),
        small=np.empty(tuples, np.int32),
        order=np.empty(tuples, np.int32),
        bucket=np.empty(BANKS * (SMALL + 2), np.int64),
        large=np.empty(tuples, np.int64),
        spread=np.empty(most_values, np.int64),
        people=np.empty(0 if task.nobody == NOBODY else tuples, np.int64),
    )


def _longest_staircase(limit: int, classes: int) -> int:
    """No staircase has more steps: n different sizes take n (n + 1) / 2 rows, and two steps may end it."""
    return min(int((2 * limit) ** 0.5) + 1, classes) + 2
