"""From the whole numbers of ledgers to measures: losses, surcharges, and the values of privacy models."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.errors import UnsuitableLoss
from paranym.evaluation.pool import Worker, empty_store
from paranym.frequency import FrequencySet, no_parts
from paranym.kernels.assessment import Ledger, Task
from paranym.kernels.packing import Lifts
from paranym.measures.base import AdditiveLoss, CellLoss, Domain, Loss, Tally
from paranym.measures.class_assessment import ClassAssessor
from paranym.measures.privacy.anonymity import Suppression, SuppressionUse, weighted_k
from paranym.model.hierarchy import Hierarchy
from paranym.results.assessment import Assessments

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class CostTables:
    """Costs of cells, if the loss charges cells: whole numbers, of all attributes end to end."""

    table: Ints
    start: Ints
    """(attributes, levels): where the values of each level begin."""
    whole: tuple[Ints, ...]
    """Per attribute and level, the costs of all rows together."""
    denominators: tuple[int, ...]
    """Per attribute, what its costs are divided by."""

    @classmethod
    def of(cls, loss: Loss, domains: Sequence[Domain], rows: int) -> "CostTables":
        """Return the costs of all levels."""
        start = np.zeros((len(domains), max(domain.hierarchy.height for domain in domains) + 1), np.int64)
        if not loss.facts.needs_costs:
            return cls(table=np.empty(0, np.int64), start=start, whole=(), denominators=())
        charged = [cast("CellLoss", loss).costs(domain, rows) for domain in domains]
        parts: list[Ints] = []
        for j, costs in enumerate(charged):
            for level, numerators in enumerate(costs.numerators):
                start[j, level] = sum(map(len, parts))
                parts.append(numerators)
        return cls(
            table=np.concatenate(parts),
            start=start,
            whole=tuple(costs.per_level(domain) for costs, domain in zip(charged, domains, strict=True)),
            denominators=tuple(costs.denominator for costs in charged),
        )


@dataclass(frozen=True, slots=True, eq=False)
class LedgerMeasures:
    """Turns ledgers of one table into assessments by one loss."""

    rows: int
    loss: Loss
    domains: tuple[Domain, ...]
    costs: CostTables

    @classmethod
    def of(cls, frequency: FrequencySet, loss: Loss, domains: tuple[Domain, ...]) -> "LedgerMeasures":
        """Return the measures of a counted table."""
        return cls(frequency.rows, loss, domains, CostTables.of(loss, domains, frequency.rows))

    @property
    def worst(self) -> float:
        """The loss that has the fraction 1."""
        return self.loss.worst(self.rows, self.domains)

    def per_level(self) -> tuple[Floats, ...]:
        """Return the unsuppressed loss of each attribute at each of its levels; the loss must be additive."""
        return cast("AdditiveLoss", self.loss).per_level(self.rows, self.domains)

    def with_whole_costs(self, whole: tuple[Ints, ...]) -> "LedgerMeasures":
        """Return the measures for other levels, whose cells of all rows cost `whole`."""
        return replace(self, costs=replace(self.costs, whole=whole))

    def read(self, levels: Ints, ledger: Ledger, begin: int, end: int, values: Floats | None = None) -> Assessments:
        """Return the assessments of the nodes `levels`, which stand in the ledger from `begin` to `end`."""
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
            weighted_k=weighted_k(ledger.products[begin:end], self.rows)[node],
            counts=ledger.step_solves[steps],
            binds=ledger.step_binds[steps],
            values=np.empty((len(loss), 0)) if values is None else values,
            unresolved=ledger.step_open[steps],
        )

    def _kept_costs(self, levels: Ints, lost: Ints) -> Floats:
        costs = np.zeros(lost.shape)
        for j, whole in enumerate(self.costs.whole):
            costs[:, j] = (whole[levels[:, j]] - lost[:, j]) / self.costs.denominators[j]
        return costs


def staircases(
    worker: Worker, levels: Ints, stop: Ints, assessor: ClassAssessor, measures: LedgerMeasures
) -> Assessments:
    """Assess one worker's share of nodes; end early when another thread sets `stop`."""
    parts, begin = [], 0
    with worker.lock:
        while begin < len(levels) and not stop[0]:
            if assessor.is_needed:
                end, ledger, values = worker.judge(levels, begin, stop, assessor)
                steps = measures.read(levels[begin:end], ledger, 0, end - begin, values)
                parts.append(steps if assessor.is_local or assessor.measures_models else without_rivals(steps))
            else:
                end, ledger = worker.assess(levels, begin, stop)
                parts.append(measures.read(levels[begin:end], ledger, begin, end))
            begin = end
    return Assessments.join(parts, levels.shape[1])


def without_rivals(steps: Assessments) -> Assessments:
    """Keep, of the solutions of one node that suppress as many rows for the same k, the first of least loss."""
    place = np.arange(len(steps))
    order = np.lexsort((place, steps.loss, steps.suppressed, steps.k, *steps.levels.T))
    order = order[steps.counts[order]]
    keys = np.column_stack([steps.levels, steps.k, steps.suppressed])[order]
    rival = np.zeros(len(steps), bool)
    rival[order[1:]] = (keys[1:] == keys[:-1]).all(axis=1)
    rival &= steps.suppressed > 0  # the first step of a node stays: it has the loss without suppression
    return steps[~rival]


def task_of(
    frequency: FrequencySet,
    lifts: Lifts,
    measures: LedgerMeasures,
    suppression: Suppression,
    *,
    label: str | None = None,
    least_k: int = 1,
) -> Task:
    """Return the input of the kernels for a counted table, a loss and a suppression limit."""
    facts = measures.loss.facts
    block = range(0)
    if facts.needs_label:
        if label is None or label not in frequency.histogram.blocks:
            raise UnsuitableLoss(measures.loss.name, "needs a column with the role 'label'.")
        block = frequency.histogram.blocks[label]
    return Task(
        bottom=frequency.counted,
        parts=no_parts(len(frequency.levels)),
        lowest=np.array(frequency.levels, np.int64),
        sources=empty_store(0, 0, frequency.packing.size, len(frequency.levels)),
        rows=measures.rows,
        people=frequency.people,
        nobody=frequency.histogram.nobody,
        limit=suppression.limit(measures.rows),
        words=frequency.packing.size,
        width=frequency.histogram.width,
        label_begin=block.start,
        label_end=block.stop,
        fields=frequency.packing.fields,
        lifts=lifts,
        costs=measures.costs.table,
        costs_start=measures.costs.start,
        spread=facts.needs_spread,
        one_step=suppression.use is SuppressionUse.ALL,
        least_k=least_k,
    )


def domains_of(
    frequency: FrequencySet,
    hierarchies: Sequence[Hierarchy],
    weights: Sequence[float] | None,
    rows_per_leaf: Sequence[Ints] | None = None,
) -> tuple[Domain, ...]:
    """Return the domain of each attribute; all weigh 1 unless `weights` are given."""
    weights = [1.0] * len(hierarchies) if weights is None else weights
    if rows_per_leaf is None:
        rows_per_leaf = [frequency.marginal(j, len(each.leaves)) for j, each in enumerate(hierarchies)]
    return tuple(map(Domain, hierarchies, rows_per_leaf, weights))
