"""Evaluating cuts with the kernels that evaluate nodes: a cut is one more table from units to values."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from threading import Lock
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, UnsuitableLoss
from paranym.evaluation.measuring import LedgerMeasures, domains_of, staircases, task_of
from paranym.evaluation.pool import Pool, Worker
from paranym.frequency import FrequencySet, lifts_of, rollup, split_into_parts
from paranym.kernels.class_batches import ClassBatch
from paranym.kernels.kept_classes import Spared, add_spared
from paranym.kernels.packing import Lifts
from paranym.measures.base import CellLoss, Domain
from paranym.measures.class_assessment import ClassAssessor, MeasuredModel
from paranym.measures.privacy.anonymity import Suppression, weighted_k
from paranym.measures.privacy.base import Classes
from paranym.measures.requirements import PrivacyRequirements
from paranym.model.cuts import AttributeCuts, Bits, CutSpace
from paranym.results.assessment import Assessments

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

MOST_UNITS = 2048
"""Most units of an attribute; longer bit strings are too long to search."""
_ROUNDING = 1e-9
_CELLS = 2**23
"""Most bits of cuts that are converted to tables at once."""

REPORTED = ("weighted_k", "gl", "sl")
"""The first values that are reported for every step; losses are fractions of the worst."""


class Rule(Protocol):
    """Selects the published classes for a multi-objective problem that does not use staircases."""

    def __call__(
        self, recoding: Ints, sizes: Ints, diversity: Ints, recodings: int
    ) -> tuple[NDArray[np.bool_], Floats]:
        """Return which classes are published, and (recodings, values) further values of every recoding.

        Classes of several recodings come end to end; `diversity` is the whole part of each one's l.
        """


class CutEvaluator:
    """Assesses cuts of one table, given as bit strings.

    With a rule, every recoding has one step: the classes that the rule publishes. Otherwise it has a staircase, like a
    node. `levels` of the result is one column: the number of the given cut that each step belongs to.
    """

    def __init__(
        self,
        frequency: FrequencySet,
        space: CutSpace,
        loss: CellLoss,
        suppression: Suppression,
        *,
        weights: Sequence[float] | None = None,
        requirements: PrivacyRequirements | None = None,
        rule: Rule | None = None,
        diversity: MeasuredModel | None = None,
        cores: int | None = None,
    ) -> None:
        if not loss.facts.needs_costs:
            raise UnsuitableLoss(loss.name, "does not charge cells by what they are published as. Use glm or ncp.")
        hierarchies = [each.hierarchy for each in space.attributes]
        self.rows = frequency.rows
        self.domains = domains_of(frequency, hierarchies, weights)
        self._measures = LedgerMeasures.of(frequency, loss, self.domains)
        requirements = PrivacyRequirements() if requirements is None else requirements
        self._assessor = ClassAssessor(requirements, (), frequency, suppression.limit(self.rows))
        self._histograms = frequency.histogram.blocks
        self._space = space
        self._rule = rule
        self._diversity = diversity
        lifts = lifts_of(hierarchies)
        units = rollup(frequency, lifts, space.granularity) if any(space.granularity) else frequency
        task = task_of(frequency, lifts, self._measures, suppression, least_k=requirements.least_k)
        self._pool = Pool(
            task._replace(bottom=units.counted, parts=split_into_parts(units)), self.domains, cores=cores, cache_bytes=0
        )
        self._blocks = [
            _Blocks(each, loss, domain, self.rows) for each, domain in zip(space.attributes, self.domains, strict=True)
        ]
        self._busy = Lock()

    @property
    def worst(self) -> float:
        """The loss that has the fraction 1."""
        return self._measures.worst

    def assess(self, bits: Bits) -> Assessments:
        """Return the steps of the cuts `bits` (cuts, bits)."""
        many = max(_CELLS // max(self._space.length, 1), 1)
        with self._busy:
            parts = [self._assess(bits[first : first + many]) for first in range(0, len(bits), many)]
        steps = Assessments.join(parts, len(self._blocks))
        # only the first step of a staircase suppresses nothing
        number = np.cumsum(steps.suppressed == 0) - 1 if self._rule is None else np.arange(len(steps))
        suppression_loss = steps.suppressed * (self.worst / self.rows)
        general = [steps.weighted_k, (steps.loss - suppression_loss) / self.worst, suppression_loss / self.worst]
        return replace(steps, levels=number[:, np.newaxis], values=np.column_stack([*general, steps.values]))

    def _assess(self, bits: Bits) -> Assessments:
        """Lay the cuts out as levels, and assess them like nodes, or as the rule says."""
        levels, measures = self._lay(bits)
        if self._rule is None:
            return self._pool.assess(partial(staircases, assessor=self._assessor, measures=measures), levels)
        return self._pool.assess(partial(self._by_rule, rule=self._rule), levels)

    def _by_rule(self, worker: Worker, levels: Ints, stop: Ints, rule: Rule) -> Assessments:
        """Assess one worker's share batch by batch, letting the rule choose among the classes."""
        parts, begin = [], 0
        with worker.lock:
            while begin < len(levels) and not stop[0]:
                end, batch = worker.gather(levels, begin, stop)
                parts.append(self._spare(levels[begin:end], batch, rule))
                begin = end
        return Assessments.join(parts, levels.shape[1])

    def _spare(self, levels: Ints, batch: ClassBatch, rule: Rule) -> Assessments:
        """Let the rule choose among the classes of a batch, and add up the published ones."""
        count, task = len(levels), self._pool.task
        first = batch.first_class[: count + 1]
        recoding, sizes = np.repeat(np.arange(count), np.diff(first)), batch.counts[: first[-1]].copy()
        spared, reported = rule(recoding, sizes, self._diversities(batch, count, sizes), count)
        sums = Spared(
            np.empty(count, np.int64),
            np.empty(count, np.int64),
            np.empty(count, np.int64),
            np.empty(levels.shape, np.int64),
        )
        add_spared(levels, batch, spared, task, sums)
        total = np.zeros(count)
        for j, domain in enumerate(self.domains):
            total += domain.weight * (sums.costs[:, j] / self._measures.costs.denominators[j])
        loss = total + sums.rows * (self.worst / self.rows)
        k = np.where(sums.k == 0, self.rows, sums.k)  # nothing is published
        return Assessments(
            levels=levels,
            k=k,
            suppressed=sums.rows,
            loss=loss,
            surcharge=np.zeros(count),
            weighted_k=weighted_k(sums.squares, self.rows),
            counts=k >= task.least_k,
            binds=np.zeros(count, bool),
            values=reported,
            unresolved=np.zeros(count, bool),
        )

    def _diversities(self, batch: ClassBatch, count: int, sizes: Ints) -> Ints:
        """The whole part of l of every class in a batch."""
        if self._diversity is None or self._diversity.attribute is None:
            return np.zeros(len(sizes), np.int64)
        block = self._histograms[self._diversity.attribute]
        entries = slice(0, batch.first_entry[count])
        columns = batch.columns[entries]
        mine = (columns >= block.start) & (columns < block.stop)
        classes = Classes(
            sizes, batch.owners[entries][mine], columns[mine] - np.int32(block.start), batch.amounts[entries][mine]
        )
        return np.floor(self._diversity.model.of(classes) * (1 + _ROUNDING)).astype(np.int64)

    def _lay(self, bits: Bits) -> tuple[Ints, LedgerMeasures]:
        """Store the tables of these cuts like those of levels; return the levels that represent the cuts, and costs.

        Cut i is level i + 1 of every attribute. Level 0 is the units, which tables lead from.
        """
        cuts, attributes = len(bits), len(self._blocks)
        start, costs_start = np.zeros((attributes, 1, cuts + 1), np.int64), np.zeros((attributes, cuts + 1), np.int64)
        radix = np.ones((attributes, cuts + 1), np.int64)
        codes: list[Codes] = []
        costs: list[Ints] = []
        whole: list[Ints] = []
        code, cost = 0, 0
        for j, (blocks, field) in enumerate(zip(self._blocks, self._space.fields, strict=True)):
            laid = blocks.lay(bits[:, field])
            start[j, 0, 1:] = code + np.arange(cuts) * laid.codes.shape[1]
            costs_start[j, 1:] = cost + laid.first
            radix[j, 1:] = np.diff(laid.first, append=len(laid.costs))
            codes.append(laid.codes.reshape(-1))
            costs.append(laid.costs)
            code, cost = code + laid.codes.size, cost + len(laid.costs)
            whole.append(np.concatenate([[0], laid.whole]))
        self._pool.change(
            self._pool.task._replace(
                lifts=Lifts(np.concatenate(codes), start, radix), costs=np.concatenate(costs), costs_start=costs_start
            )
        )
        levels = np.repeat(np.arange(1, cuts + 1)[:, np.newaxis], attributes, axis=1)
        return levels, self._measures.with_whole_costs(tuple(whole))


class _Laid(NamedTuple):
    """Cuts of one attribute as tables."""

    codes: Codes
    """(cuts, units): the value of every unit."""
    costs: Ints
    """Cost of one cell of each value, cut by cut."""
    first: Ints
    """Where the values of each cut begin."""
    whole: Ints
    """Cost of the cells of all rows together, for each cut."""


class _Blocks:
    """Costs of blocks of one attribute's units."""

    def __init__(self, cuts: AttributeCuts, loss: CellLoss, domain: Domain, rows: int) -> None:
        if cuts.units > MOST_UNITS:
            name = cuts.hierarchy.attribute
            raise BadInput(
                f"{name!r} has {cuts.units:,} values to tell apart, and cuts are searched for at most {MOST_UNITS:,}. "
                f"Give it a granularity, a level of its hierarchy with fewer values: --granularity {name}=LEVEL."
            )
        self._units, self._first_leaf = cuts.units, cuts.first_leaf
        self._charges = loss.costs(domain, rows)
        self._rows_before = np.concatenate([[0], np.cumsum(domain.rows_per_value(cuts.granularity))])

    def lay(self, bits: Bits) -> _Laid:
        """The cuts `bits` (cuts, bits) as tables."""
        begins = np.column_stack([np.ones(len(bits), bool), bits])
        begin = np.nonzero(begins)[1]
        first = np.flatnonzero(begin == 0)
        end = np.append(begin[1:], 0)
        end[end == 0] = self._units
        costs = self._charges.of_runs(self._first_leaf[begin], self._first_leaf[end])
        whole = np.add.reduceat(costs * (self._rows_before[end] - self._rows_before[begin]), first)
        return _Laid(np.cumsum(begins, axis=1, dtype=np.int32) - np.int32(1), costs, first, whole)
