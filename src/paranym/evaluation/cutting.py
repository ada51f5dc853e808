"""Evaluating cuts with the kernels that evaluate nodes: a cut is one more table from units to values."""

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, UnsuitableLoss
from paranym.evaluation.nodes import Evaluator, Worker
from paranym.frequency import FrequencySet, lifts_of, rollup, take_apart
from paranym.kernels.judging import Sheaf
from paranym.kernels.packing import Lifts
from paranym.kernels.sparing import Spared, add_spared
from paranym.measures.base import CellLoss, Domain
from paranym.measures.demands import Demands
from paranym.measures.privacy.anonymity import Suppression, weighted_k
from paranym.measures.privacy.base import Classes as ModelClasses
from paranym.measures.verdicts import Gauge
from paranym.model.assessment import Assessments
from paranym.model.cuts import AttributeCuts, Bits, CutSpace

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

MOST_UNITS = 2048
"""Of more, strings of bits are too long to search."""
_ROUNDING = 1e-9


TOLD = ("weighted_k", "gl", "sl")
"""The first of the values that are told of every step; losses as fractions of the worst."""


class Rule(Protocol):
    """Which classes are published: what a multi-objective problem says where staircases do not."""

    def __call__(
        self, recoding: Ints, sizes: Ints, diversity: Ints, recodings: int
    ) -> tuple[NDArray[np.bool_], Floats]:
        """Which are spared, and (recodings, values) what else is told of every recoding.

        Classes of several recodings come end to end; `diversity` is the whole part of each one's l.
        """


class CutEvaluator(Evaluator):
    """Assesses cuts of one table, given as bit strings.

    With a rule, one step for every recoding: what the rule spares. Otherwise the staircase of every recoding, as for a
    node. `levels` of what it returns is one column: which of the given cuts each step belongs to.
    """

    def __init__(
        self,
        frequency: FrequencySet,
        space: CutSpace,
        loss: CellLoss,
        suppression: Suppression,
        *,
        weights: Sequence[float] | None = None,
        demands: Demands | None = None,
        rule: Rule | None = None,
        diversity: Gauge | None = None,
        cores: int | None = None,
    ) -> None:
        if not loss.facts.needs_costs:
            raise UnsuitableLoss(loss.name, "does not charge cells by what they are published as. Use glm or ncp.")
        hierarchies = [each.hierarchy for each in space.attributes]
        super().__init__(
            frequency, hierarchies, loss, suppression, weights=weights, demands=demands, cores=cores, cache_bytes=0
        )
        units = rollup(frequency, lifts_of(hierarchies), space.granularity) if any(space.granularity) else frequency
        self._space = space
        self._rule = rule
        self._diversity = diversity
        self._task = self._task._replace(bottom=units.counted, parts=take_apart(units))
        self._blocks = [
            _Blocks(each, loss, domain, self.rows) for each, domain in zip(space.attributes, self.domains, strict=True)
        ]
        self._busy = Lock()

    def assess(self, bits: Bits) -> Assessments:
        """The steps of the cuts `bits` (cuts, bits)."""
        with self._busy:
            steps = self(self._lay(bits))
        # of the steps of a staircase the first, and no other, suppresses nothing
        number = np.cumsum(steps.suppressed == 0) - 1 if self._rule is None else np.arange(len(steps))
        suppression_loss = steps.suppressed * (self.worst / self.rows)
        general = [steps.weighted_k, (steps.loss - suppression_loss) / self.worst, suppression_loss / self.worst]
        return replace(steps, levels=number[:, np.newaxis], values=np.column_stack([*general, steps.values]))

    def _assess(self, worker: Worker, levels: Ints, stop: Ints) -> Assessments:
        """One worker's share; with a rule, sheaf by sheaf."""
        if self._rule is None:
            return super()._assess(worker, levels, stop)
        parts, begin = [], 0
        with worker.lock:
            while begin < len(levels) and not stop[0]:
                end, sheaf = worker.gather(levels, begin, stop)
                parts.append(self._spare(levels[begin:end], sheaf, self._rule))
                begin = end
        return Assessments.join(parts, levels.shape[1])

    def _spare(self, levels: Ints, sheaf: Sheaf, rule: Rule) -> Assessments:
        """Let the rule choose among the classes of a sheaf, and add up what it spares."""
        count, task = len(levels), self._task
        first = sheaf.first_class[: count + 1]
        recoding, sizes = np.repeat(np.arange(count), np.diff(first)), sheaf.counts[: first[-1]].copy()
        spared, told = rule(recoding, sizes, self._diversities(sheaf, count, sizes), count)
        sums = Spared(
            np.empty(count, np.int64),
            np.empty(count, np.int64),
            np.empty(count, np.int64),
            np.empty(levels.shape, np.int64),
        )
        add_spared(levels, sheaf, spared, task, sums)
        total = np.zeros(count)
        for j, domain in enumerate(self.domains):
            total += domain.weight * (sums.costs[:, j] / self._costs.denominators[j])
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
            values=told,
        )

    def _diversities(self, sheaf: Sheaf, count: int, sizes: Ints) -> Ints:
        """The whole part of l of every class in a sheaf."""
        if self._diversity is None or self._diversity.attribute is None:
            return np.zeros(len(sizes), np.int64)
        block = self._frequency.histogram.blocks[self._diversity.attribute]
        entries = slice(0, sheaf.first_entry[count])
        columns = sheaf.columns[entries]
        mine = (columns >= block.start) & (columns < block.stop)
        classes = ModelClasses(
            sizes, sheaf.owners[entries][mine], columns[mine] - np.int32(block.start), sheaf.amounts[entries][mine]
        )
        return np.floor(self._diversity.model.of(classes) * (1 + _ROUNDING)).astype(np.int64)

    def _lay(self, bits: Bits) -> Ints:
        """Put the tables of these cuts where levels have theirs; return the levels that stand for the cuts.

        Cut i is level i + 1 of every attribute. Level 0 is the units, which tables lead from.
        """
        cuts, attributes = len(bits), len(self._blocks)
        start, costs_start = np.zeros((attributes, 1, cuts + 1), np.int64), np.zeros((attributes, cuts + 1), np.int64)
        radix = np.ones((attributes, cuts + 1), np.int64)
        codes: list[Codes] = []
        costs: list[Ints] = []
        code, cost = 0, 0
        for j, (blocks, field) in enumerate(zip(self._blocks, self._space.fields, strict=True)):
            laid = blocks.lay(bits[:, field])
            start[j, 0, 1:] = code + np.arange(cuts) * laid.codes.shape[1]
            costs_start[j, 1:] = cost + laid.first
            radix[j, 1:] = np.diff(laid.first, append=len(laid.costs))
            codes.append(laid.codes.reshape(-1))
            costs.append(laid.costs)
            code, cost = code + laid.codes.size, cost + len(laid.costs)
            self._costs.whole[j] = np.concatenate([[0], laid.whole])
        self._task = self._task._replace(
            lifts=Lifts(np.concatenate(codes), start, radix), costs=np.concatenate(costs), costs_start=costs_start
        )
        for worker in self._workers:
            worker.task = self._task
        return np.repeat(np.arange(1, cuts + 1)[:, np.newaxis], attributes, axis=1)


class _Laid(NamedTuple):
    """Cuts of one attribute as tables."""

    codes: Codes
    """(cuts, units): the value of every unit."""
    costs: Ints
    """What one cell of each value costs, cut by cut."""
    first: Ints
    """Where the values of each cut begin."""
    whole: Ints
    """What the cells of all rows cost together, for each cut."""


class _Blocks:
    """What blocks of one attribute's units cost."""

    def __init__(self, cuts: AttributeCuts, loss: CellLoss, domain: Domain, rows: int) -> None:
        if cuts.units > MOST_UNITS:
            name = cuts.hierarchy.attribute
            raise BadInput(
                f"{name!r} has {cuts.units:,} values to tell apart, and cuts are searched for at most {MOST_UNITS:,}. "
                f"Give it a granularity: a level of its hierarchy with fewer values."
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
