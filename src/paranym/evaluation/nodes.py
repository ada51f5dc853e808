"""Evaluating nodes: which frequency set to roll up from, on which core, and what the classes say."""

import os
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Lock
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, UnsuitableLoss
from paranym.frequency import FrequencySet, lifts_of, new_scratch, no_parts
from paranym.kernels.assessing import Ledger, Task, assess, reach
from paranym.kernels.judging import Sheaf, gather, judge
from paranym.kernels.packing import Lifts
from paranym.kernels.rolling import Counted, Scratch
from paranym.kernels.staircase import BANKS, SMALL, Stairs
from paranym.kernels.store import Store, keep
from paranym.measures.base import AdditiveLoss, CellLoss, Domain, Loss, Tally
from paranym.measures.demands import Demands
from paranym.measures.privacy.anonymity import Suppression, SuppressionUse, weighted_k
from paranym.measures.verdicts import Court, Gauge, Steps
from paranym.model.assessment import Assessments
from paranym.model.hierarchy import Hierarchy

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_LEAST_STORE_BYTES = 4 * 2**20
_MOST_STORE_BYTES = 512 * 2**20
_STORE_SLOTS = 256
_LEDGER_STEPS = 2**16
_SHEAF_TUPLES, _SHEAF_NODES = 2**16, 256
_PULSE = 0.1


class Evaluator:
    """Assesses nodes of one table under one loss and one suppression limit.

    Owns the only cache of what is rolled up: per core, a ring of the frequency sets computed last, by default sixteen
    times the size of the bottom set, at least 4 MB (a ring that fits a processor's cache is fastest), 512 MB in all.
    What it returns does not depend on the cache, the cores or the order of the nodes.
    """

    def __init__(
        self,
        frequency: FrequencySet,
        hierarchies: Sequence[Hierarchy],
        loss: Loss,
        suppression: Suppression,
        *,
        weights: Sequence[float] | None = None,
        label: str | None = None,
        demands: Demands | None = None,
        gauges: tuple[Gauge, ...] = (),
        rows_per_leaf: Sequence[Ints] | None = None,
        cores: int | None = None,
        cache_bytes: int | None = None,
    ) -> None:
        """Ready to assess nodes at or above that of `frequency`.

        If that is not the bottom, `rows_per_leaf` tells how the rows spread over the leaves of each attribute.
        """
        self.rows = frequency.rows
        self._frequency = frequency
        self.loss = loss
        self.suppression = suppression
        self.domains = _domains(frequency, hierarchies, weights, rows_per_leaf)
        self._label = label
        self._costs = _cost_tables(loss, self.domains, self.rows)
        demands = Demands() if demands is None else demands
        self._demands, self._gauges = demands, gauges
        self._court = Court(demands, gauges, frequency, suppression.limit(self.rows))
        self._task = self._new_task(frequency, lifts_of(hierarchies), label, demands.least_k)
        cores = count_cores() if cores is None else cores
        if cores < 1:
            raise BadInput(f"There must be at least one core to work on; got {cores}.")
        self._workers = [Worker(self._task, self.domains, cores, cache_bytes) for _ in range(cores)]
        self._pool = ThreadPoolExecutor(cores, thread_name_prefix="paranym")

    def __call__(self, levels: Ints) -> Assessments:
        """The staircases of the nodes `levels` (nodes, attributes).

        May be called from several threads. An interrupt ends the call within a node or two, and leaves the evaluator
        fit for the next call.
        """
        levels = np.ascontiguousarray(levels, np.int64)  # the one type that the kernels are compiled for
        shares = [share for share in np.array_split(levels, len(self._workers)) if len(share)]
        stop = np.zeros(1, np.int64)
        jobs: list[Future[Assessments]] = []
        try:
            # the first share always goes to the first worker: it is likely to have what neighbours roll up from
            jobs += [
                self._pool.submit(self._assess, worker, share, stop)
                for worker, share in zip(self._workers, shares, strict=False)
            ]
            while wait(jobs, timeout=_PULSE).not_done:
                pass  # a signal that reached another thread is noticed here
            return Assessments.join([job.result() for job in jobs], levels.shape[1])
        except BaseException:
            stop[0] = 1
            wait(jobs)
            raise

    def __len__(self) -> int:
        return len(self._frequency)

    def ledger_of(self, levels: Ints) -> Ledger:
        """What is known of a few nodes, before it becomes measures."""
        _, ledger = self._workers[0].assess(levels, 0, np.zeros(1, np.int64))
        return ledger

    def reaches(self, node: Ints) -> bool:
        """Whether a node can be assessed from what was counted: it lies there or above."""
        return bool((node >= self._task.lowest).all())

    def at(self, frequency: FrequencySet, *, cache_bytes: int | None = 0) -> "Evaluator":
        """The same for the counts of another node, on one core."""
        return Evaluator(
            frequency,
            [domain.hierarchy for domain in self.domains],
            self.loss,
            self.suppression,
            weights=[domain.weight for domain in self.domains],
            label=self._label,
            demands=self._demands,
            gauges=self._gauges,
            rows_per_leaf=[domain.rows_per_leaf for domain in self.domains],
            cores=1,
            cache_bytes=cache_bytes,
        )

    def close(self) -> None:
        """Let go of the threads."""
        self._pool.shutdown()

    def prepare(self, levels: Ints) -> None:
        """Keep the frequency sets of some nodes for good: stepping stones to what will be asked.

        Those that are hardly smaller than the bottom set are left out, as are those that memory is too small for. Not
        while other threads ask.
        """
        stones: list[tuple[Ints, Counted]] = []
        room = _MOST_STORE_BYTES / _bytes_per_tuple(self._task)
        for node in levels:
            stone = self._workers[0].reach(node, most=min(int(room), len(self._frequency) // 2))
            if stone is not None:
                stones.append((node, stone))
                room -= len(stone.counts)
        self._task = self._task._replace(stones=_lay(stones, self._task))
        for worker in self._workers:
            worker.task = self._task

    def per_level(self) -> tuple[Floats, ...]:
        """What each attribute adds to the unsuppressed loss at each of its levels; the loss must be additive."""
        return cast("AdditiveLoss", self.loss).per_level(self.rows, self.domains)

    @property
    def worst(self) -> float:
        """What a loss is divided by to give its fraction."""
        return self.loss.worst(self.rows, self.domains)

    @property
    def one_step(self) -> bool:
        """Whether a node has one solution, and reaches at least the k of every node below it."""
        return self._task.one_step and self._court.binds

    def _assess(self, worker: "Worker", levels: Ints, stop: Ints) -> Assessments:
        """One worker's share; cut short when another thread sets `stop`."""
        parts, begin = [], 0
        with worker.lock:
            while begin < len(levels) and not stop[0]:
                if self._court.is_needed:
                    end, ledger, values = worker.judge(levels, begin, stop, self._court)
                    parts.append(self._read(levels[begin:end], ledger, 0, end - begin, values))
                else:
                    end, ledger = worker.assess(levels, begin, stop)
                    parts.append(self._read(levels[begin:end], ledger, begin, end))
                begin = end
        return Assessments.join(parts, levels.shape[1])

    def _read(self, levels: Ints, ledger: Ledger, begin: int, end: int, values: Floats | None = None) -> Assessments:
        """Turn the ledger's integers into measures."""
        first_step = ledger.first_step[begin : end + 1]
        length = np.diff(first_step)
        node = np.repeat(np.arange(end - begin), length)
        steps = slice(0, int(first_step[-1]))
        levels = levels[node]
        tally = Tally(
            rows=self.rows,
            domains=self.domains,
            levels=levels,
            k=ledger.step_k[steps],
            suppressed=ledger.step_rows[steps],
            kept_classes=(ledger.classes[begin:end])[node] - ledger.step_classes[steps],
            kept_squares=(ledger.squares[begin:end])[node] - ledger.step_squares[steps],
            kept_majority=(ledger.majority[begin:end])[node] - ledger.step_majority[steps],
            kept_costs=self._kept_costs(levels, ledger.step_costs[steps]),
            spread=ledger.step_spread[steps],
        )
        loss = self.loss.of(tally)
        return Assessments(
            levels=levels,
            k=tally.k,
            suppressed=tally.suppressed,
            loss=loss,
            surcharge=loss - np.repeat(loss[first_step[:-1]], length),
            weighted_k=weighted_k(ledger.squares[begin:end], self.rows)[node],
            counts=ledger.step_solves[steps],
            binds=ledger.step_binds[steps],
            values=np.empty((len(loss), 0)) if values is None else values,
        )

    def _kept_costs(self, levels: Ints, lost: Ints) -> Floats:
        costs = np.zeros(lost.shape)
        for j, whole in enumerate(self._costs.whole):
            costs[:, j] = (whole[levels[:, j]] - lost[:, j]) / self._costs.denominators[j]
        return costs

    def _new_task(self, frequency: FrequencySet, lifts: Lifts, label: str | None, least_k: int) -> Task:
        facts = self.loss.facts
        block = range(0)
        if facts.needs_label:
            if label is None or label not in frequency.histogram.blocks:
                raise UnsuitableLoss(self.loss.name, "needs a column with the role 'label'.")
            block = frequency.histogram.blocks[label]
        return Task(
            bottom=frequency.counted,
            parts=no_parts(len(frequency.levels)),
            lowest=np.array(frequency.levels, np.int64),
            stones=_empty_store(0, 0, frequency.packing.size, len(frequency.levels)),
            rows=self.rows,
            limit=self.suppression.limit(self.rows),
            words=frequency.packing.size,
            width=frequency.histogram.width,
            label_begin=block.start,
            label_end=block.stop,
            fields=frequency.packing.fields,
            lifts=lifts,
            costs=self._costs.table,
            costs_start=self._costs.start,
            spread=facts.needs_spread,
            one_step=self.suppression.use is SuppressionUse.ALL,
            least_k=least_k,
        )


def count_cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class _Costs:
    """Cell costs of all attributes, end to end, and their sums over the whole table."""

    def __init__(self, attributes: int, levels: int) -> None:
        self.table = np.empty(0, np.int64)
        self.start = np.zeros((attributes, levels), np.int64)
        self.whole: list[Ints] = []
        self.denominators: list[int] = []


def _cost_tables(loss: Loss, domains: tuple[Domain, ...], rows: int) -> _Costs:
    tables = _Costs(len(domains), max(domain.hierarchy.height for domain in domains) + 1)
    if not loss.facts.needs_costs:
        return tables
    parts: list[Ints] = []
    for j, domain in enumerate(domains):
        costs = cast("CellLoss", loss).costs(domain, rows)
        tables.whole.append(costs.per_level(domain))
        tables.denominators.append(costs.denominator)
        for level, numerators in enumerate(costs.numerators):
            tables.start[j, level] = sum(map(len, parts))
            parts.append(numerators)
    tables.table = np.concatenate(parts)
    return tables


def _domains(
    frequency: FrequencySet,
    hierarchies: Sequence[Hierarchy],
    weights: Sequence[float] | None,
    rows_per_leaf: Sequence[Ints] | None,
) -> tuple[Domain, ...]:
    weights = [1.0] * len(hierarchies) if weights is None else weights
    if rows_per_leaf is None:
        rows_per_leaf = [frequency.marginal(j, len(each.leaves)) for j, each in enumerate(hierarchies)]
    return tuple(map(Domain, hierarchies, rows_per_leaf, weights))


class Worker:
    """The memory of one core."""

    def __init__(self, task: Task, domains: tuple[Domain, ...], cores: int, cache_bytes: int | None) -> None:
        self.lock = Lock()
        self.task = task
        self._attributes = len(domains)
        self._stairs = _new_stairs(task, max(len(domain.hierarchy.leaves) for domain in domains))
        self._scratch: Scratch = new_scratch(task.bottom, task.words)
        self._store = _new_store(task, self._attributes, cores, cache_bytes)
        self._sheaf: Sheaf | None = None

    def assess(self, levels: Ints, begin: int, stop: Ints) -> tuple[int, Ledger]:
        ledger = self._new_ledger(len(levels))
        return assess(levels, begin, stop, self.task, self._store, self._scratch, self._stairs, ledger), ledger

    def reach(self, node: Ints, *, most: int) -> Counted | None:
        """The classes of a node, if there are at most so many."""
        with self.lock:
            classes, entries = reach(node, self.task, self._store, self._scratch)
            filled = filled_part(self._scratch.rolled, self.task.words, classes, entries)
            return copied(filled) if classes <= most else None

    def gather(self, levels: Ints, begin: int, stop: Ints) -> tuple[int, Sheaf]:
        """The classes of as many nodes as one sheaf holds, and the first node that was left out."""
        sheaf = self._sheaf = self._sheaf or _new_sheaf(self.task)
        return gather(levels, begin, stop, self.task, self._store, self._scratch, sheaf), sheaf

    def judge(self, levels: Ints, begin: int, stop: Ints, court: Court) -> tuple[int, Ledger, Floats]:
        """The same where requirements or further objectives ask for every class."""
        end, sheaf = self.gather(levels, begin, stop)
        nodes = end - begin
        verdicts = court.judge(sheaf, nodes, one_step=self.task.one_step)
        ledger = self._new_ledger(nodes, nodes * 2 * len(self._stairs.sizes))
        sizes = np.empty(len(self.task.bottom.counts), np.int64)
        judge(levels[begin:end], sheaf, verdicts, int(court.binds), self.task, self._stairs, sizes, ledger)
        steps = slice(int(ledger.first_step[nodes]))
        told = Steps(ledger.first_step, ledger.step_k[steps], ledger.step_rows[steps], ledger.step_solves[steps])
        values = court.measure(sheaf, verdicts, told)
        return end, ledger, values

    def _new_ledger(self, nodes: int, most: int = _LEDGER_STEPS) -> Ledger:
        longest = len(self._stairs.sizes)
        steps = max(longest, min(2 * nodes * longest, most))
        return Ledger(
            classes=np.empty(nodes, np.int64),
            squares=np.empty(nodes, np.int64),
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
        )


def _new_store(task: Task, attributes: int, cores: int, cache_bytes: int | None) -> Store:
    tuples, bytes_per_tuple = len(task.bottom.counts), _bytes_per_tuple(task)
    ratio = len(task.bottom.amounts) / tuples
    if cache_bytes is None:
        cache_bytes = min(max(_LEAST_STORE_BYTES, int(16 * tuples * bytes_per_tuple)), _MOST_STORE_BYTES // cores)
    room = min(int(cache_bytes / bytes_per_tuple), _STORE_SLOTS * tuples)
    return _empty_store(room, int(room * ratio), task.words, attributes)


def _bytes_per_tuple(task: Task) -> float:
    """What a tuple takes in a store, its histogram included."""
    return 8 * task.words + 8 + 16 * len(task.bottom.amounts) / len(task.bottom.counts)


def _empty_store(room: int, entry_room: int, words: int, attributes: int) -> Store:
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


def _new_sheaf(task: Task) -> Sheaf:
    """Room for the largest set at least."""
    tuples = max(len(task.bottom.counts), _SHEAF_TUPLES)
    entries = max(len(task.bottom.amounts), int(tuples * len(task.bottom.amounts) / len(task.bottom.counts)))
    return Sheaf(
        words=np.empty(tuples * task.words, np.int64),
        counts=np.empty(tuples, np.int64),
        owners=np.empty(entries, np.int32),
        columns=np.empty(entries, np.int32),
        amounts=np.empty(entries, np.int64),
        first_class=np.empty(_SHEAF_NODES + 1, np.int64),
        first_entry=np.empty(_SHEAF_NODES + 1, np.int64),
    )


def filled_part(rolled: Counted, words: int, classes: int, entries: int) -> Counted:
    """The part of working memory that a node has filled."""
    return Counted(
        rolled.words[: classes * words],
        rolled.counts[:classes],
        rolled.owners[:entries],
        rolled.columns[:entries],
        rolled.amounts[:entries],
    )


def copied(rolled: Counted) -> Counted:
    """The same in memory of its own."""
    return Counted(
        rolled.words.copy(), rolled.counts.copy(), rolled.owners.copy(), rolled.columns.copy(), rolled.amounts.copy()
    )


def _lay(stones: Sequence[tuple[Ints, Counted]], task: Task) -> Store:
    """A store that holds just the sets of these nodes."""
    # a store takes a set only if it fills a quarter of it at most
    room = 4 * sum(len(stone.counts) for _, stone in stones)
    entry_room = 4 * sum(len(stone.amounts) for _, stone in stones)
    store = _empty_store(room, entry_room, task.words, task.lifts.radix.shape[0])
    for node, stone in stones:
        keep(store, node, task.words, stone, len(stone.counts), len(stone.amounts))
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
    )


def _longest_staircase(limit: int, classes: int) -> int:
    """No staircase has more steps: n different sizes take n (n + 1) / 2 rows, and two steps may end it."""
    return min(int((2 * limit) ** 0.5) + 1, classes) + 2
