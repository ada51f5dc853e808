"""Evaluating nodes: chooses the frequency set to roll up from and the core, and measures the classes."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from paranym.evaluation.measuring import LedgerMeasures, domains_of, staircases, task_of, without_rivals
from paranym.evaluation.pool import MOST_STORE_BYTES, Pool, Worker, bytes_per_tuple, store_of
from paranym.frequency import FrequencySet, lifts_of
from paranym.kernels.assessment import Ledger
from paranym.kernels.rollup import Counted
from paranym.measures.base import Domain, Loss
from paranym.measures.class_assessment import ClassAssessor, MeasuredModel
from paranym.measures.privacy.anonymity import Suppression
from paranym.measures.requirements import PrivacyRequirements
from paranym.measures.suppression_sets import tries_for
from paranym.model.hierarchy import Hierarchy
from paranym.results.assessment import Assessments

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


class NodeEvaluator(Protocol):
    """Evaluator of nodes as searches see it: one table, one loss, one suppression limit."""

    @property
    def domains(self) -> tuple[Domain, ...]:
        """The quasi-identifiers, with their hierarchies and weights."""

    @property
    def worst(self) -> float:
        """The loss that has the fraction 1."""

    @property
    def one_step(self) -> bool:
        """True if every node has one solution, with at least the k of every node below it."""

    def __call__(self, levels: Ints) -> Assessments:
        """Return the staircases of the nodes `levels` (nodes, attributes), in their order."""

    def resolve(self, bounds: Assessments, tries: int | None = None) -> Assessments:
        """Search for the solutions of unresolved steps; return them, and the bounds that are left."""

    def prepare(self, levels: Ints) -> None:
        """Keep the frequency sets of some nodes permanently, as sources for the nodes to be evaluated."""

    def per_level(self) -> tuple[Floats, ...]:
        """Return the unsuppressed loss of each attribute at each of its levels; the loss must be additive."""

    def close(self) -> None:
        """End the threads."""


class Evaluator:
    """Assesses nodes from one frequency set.

    The results do not depend on the cache of its pool, the cores or the order of the nodes.
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
        requirements: PrivacyRequirements | None = None,
        measured_models: tuple[MeasuredModel, ...] = (),
        rows_per_leaf: Sequence[Ints] | None = None,
        cores: int | None = None,
        cache_bytes: int | None = None,
    ) -> None:
        """Prepare for nodes at or above that of `frequency`.

        If that is not the bottom, `rows_per_leaf` says how the rows spread over the leaves of each attribute.
        """
        self.frequency = frequency
        self.rows = frequency.rows
        self.loss = loss
        self.suppression = suppression
        self.domains = domains_of(frequency, hierarchies, weights, rows_per_leaf)
        self._label = label
        self._requirements = PrivacyRequirements() if requirements is None else requirements
        self._measured_models = measured_models
        self._measures = LedgerMeasures.of(frequency, loss, self.domains)
        self._assessor = ClassAssessor(self._requirements, measured_models, frequency, suppression.limit(self.rows))
        least_k = self._requirements.least_k
        task = task_of(frequency, lifts_of(hierarchies), self._measures, suppression, label=label, least_k=least_k)
        self._pool = Pool(task, self.domains, cores=cores, cache_bytes=cache_bytes)

    def __call__(self, levels: Ints) -> Assessments:
        """Return the staircases of the nodes `levels` (nodes, attributes), in their order.

        May be called from several threads. An interrupt ends the call within a node or two; the evaluator can
        still be called again.
        """
        return self._pool.assess(self._assess, levels)

    def _assess(self, worker: Worker, levels: Ints, stop: Ints) -> Assessments:
        return staircases(worker, levels, stop, self._assessor, self._measures)

    def resolve(self, bounds: Assessments, tries: int | None = None) -> Assessments:
        """Search for the solutions of unresolved steps with more `tries` each; return them, and the bounds left."""
        parts, questions = [], by_node(bounds)
        if tries is None:
            tries = tries_for(sum(len(ks) for _, ks in questions))
        for node, ks in questions:
            worker, none = self._pool.first, np.zeros(1, np.int64)
            levels = np.array([node], np.int64)
            with worker.lock:
                _, ledger, values = worker.judge(levels, 0, none, self._assessor.thorough(ks, tries))
                steps = self._measures.read(levels, ledger, 0, 1, values)
            parts.append(without_rivals(steps[steps.counts | steps.unresolved]))
        return Assessments.join(parts, bounds.levels.shape[1], bounds.values.shape[1])

    def __len__(self) -> int:
        return len(self.frequency)

    def reaches(self, node: Ints) -> bool:
        """Whether a node can be assessed from these counts: it lies at or above their node."""
        return bool((node >= self._pool.task.lowest).all())

    @property
    def needs_classes(self) -> bool:
        """Whether a node can be assessed only with all its classes and their histograms."""
        return self._assessor.is_needed or self.loss.facts.needs_label or self.frequency.counts_people

    def assess_completed(self, node: Ints, complete: Callable[[Ledger], Ledger]) -> Assessments:
        """Assess one node (1, attributes) from an abridged frequency set; `complete` its ledger before it is read."""
        _, ledger = self._pool.first.assess(node, 0, np.zeros(1, np.int64))
        return self._measures.read(node, complete(ledger), 0, 1)

    def at(self, frequency: FrequencySet, *, cache_bytes: int | None = 0) -> "Evaluator":
        """Return an evaluator for the counts of another node, on one core."""
        return Evaluator(
            frequency,
            [domain.hierarchy for domain in self.domains],
            self.loss,
            self.suppression,
            weights=[domain.weight for domain in self.domains],
            label=self._label,
            requirements=self._requirements,
            measured_models=self._measured_models,
            rows_per_leaf=[domain.rows_per_leaf for domain in self.domains],
            cores=1,
            cache_bytes=cache_bytes,
        )

    def close(self) -> None:
        """End the threads."""
        self._pool.close()

    def prepare(self, levels: Ints) -> None:
        """Keep the frequency sets of some nodes permanently, as sources for the nodes to be evaluated.

        Sets that are hardly smaller than the bottom set, or too large for memory, are skipped. Must not run while
        other threads use the evaluator.
        """
        sources: list[tuple[Ints, Counted]] = []
        task = self._pool.task
        room = MOST_STORE_BYTES / bytes_per_tuple(task)
        for node in levels:
            counted = self._pool.first.reach(node, most=min(int(room), len(self) // 2))
            if counted is not None:
                sources.append((node, counted))
                room -= len(counted.counts)
        self._pool.change(task._replace(sources=store_of(sources, task)))

    def per_level(self) -> tuple[Floats, ...]:
        """Return the unsuppressed loss of each attribute at each of its levels; the loss must be additive."""
        return self._measures.per_level()

    @property
    def worst(self) -> float:
        """The loss that has the fraction 1."""
        return self._measures.worst

    @property
    def one_step(self) -> bool:
        """True if every node has one solution, with at least the k of every node below it."""
        return self._pool.task.one_step and self._assessor.binds


def by_node(bounds: Assessments) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Return the nodes of some steps, each with its values of k."""
    ks: dict[tuple[int, ...], set[int]] = {}
    for node, k in zip(bounds.levels.tolist(), bounds.k.tolist(), strict=True):
        ks.setdefault(tuple(node), set()).add(k)
    return [(node, tuple(sorted(of_node))) for node, of_node in ks.items()]
