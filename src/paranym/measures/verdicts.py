"""What requirements say about the classes of nodes, and which values of other models a step reaches."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.frequency import FrequencySet
from paranym.kernels.judging import Sheaf, Verdicts
from paranym.measures.demands import Demands, See
from paranym.measures.privacy.base import Classes, Model, Reference, Truths

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Gauge:
    """A privacy model whose value is told of every step, next to k."""

    name: str
    model: Model
    attribute: str | None = None
    reference: Reference = Reference.RELEASED


class Court:
    """Judges classes under the demands on one table."""

    def __init__(self, demands: Demands, gauges: tuple[Gauge, ...], frequency: FrequencySet, limit: int) -> None:
        self._demands = demands
        self._gauges = gauges
        self._limit = limit
        self._blocks = frequency.histogram.blocks
        self._original = {
            name: np.bincount(
                frequency.histogram.columns, weights=frequency.histogram.amounts, minlength=frequency.histogram.width
            ).astype(np.int64)[block.start : block.stop]
            for name, block in self._blocks.items()
        }
        self.binds = demands.bind(limit)
        """Whether what the requirements leave of a node bounds the nodes below it."""

    @property
    def is_needed(self) -> bool:
        """Whether classes must be looked at one by one."""
        return bool(self._demands.requirements or self._gauges)

    def judge(self, sheaf: Sheaf, nodes: int, *, one_step: bool) -> Verdicts:
        """Which classes of the first nodes of a sheaf must go."""
        if self._demands.are_local(self._limit):
            meets = self._demands.met_by(self._view(sheaf, 0, nodes))
            return Verdicts(
                np.arange(nodes), sheaf.first_class[:nodes].copy(), meets, np.full(nodes, self._limit, np.int64)
            )
        return _joined([self._judge_steps(sheaf, node, one_step=one_step) for node in range(nodes)])

    def _judge_steps(self, sheaf: Sheaf, node: int, *, one_step: bool) -> list[tuple[int, Truths, int]]:
        """A verdict for every k that can be had, where what is suppressed changes what classes are compared with."""
        see = self._view(sheaf, node, node + 1)
        sizes = see(None, Reference.RELEASED).sizes
        told: list[tuple[int, Truths, int]] = []
        for size in [*np.unique(sizes).tolist(), int(sizes.max()) + 1]:
            if int(sizes[sizes < size].sum()) > self._limit:
                break
            kept = self._demands.settle(see, sizes >= size)
            lost = int(sizes[~kept].sum())
            if lost <= self._limit and (not told or lost > told[-1][2]):
                told.append((node, kept, lost))
        return told[-1:] if one_step else told

    def measure(self, sheaf: Sheaf, verdicts: Verdicts, steps: "Steps") -> Floats:
        """(steps, gauges): the value that each solution reaches by each gauge; nothing is told of other steps."""
        values = np.full((len(steps.k), len(self._gauges)), np.nan)
        if not self._gauges:
            return values
        for node in range(len(steps.first) - 1):
            mine = np.arange(steps.first[node], steps.first[node + 1])
            mine = mine[steps.solves[mine]]
            if len(mine):
                kept = _kept(sheaf, verdicts, node, steps.k[mine], steps.rows[mine])
                values[mine] = self._measure_node(self._view(sheaf, node, node + 1), kept)
        return values

    def _measure_node(self, see: See, kept: list[Truths]) -> Floats:
        values = np.empty((len(kept), len(self._gauges)))
        for column, gauge in enumerate(self._gauges):
            facts = gauge.model.facts
            if facts.is_local(gauge.reference) or self._limit == 0:
                of_class = gauge.model.of(see(gauge.attribute, Reference.ORIGINAL))
                values[:, column] = [facts.worst(of_class[which].tolist()) for which in kept]
            else:
                classes = see(gauge.attribute, gauge.reference)
                values[:, column] = [gauge.model.reached(classes.kept(which)) for which in kept]
        return values

    def _view(self, sheaf: Sheaf, begin: int, end: int) -> See:
        """The classes of some nodes of a sheaf."""
        first, last = sheaf.first_class[begin], sheaf.first_class[end]
        entries = slice(sheaf.first_entry[begin], sheaf.first_entry[end])
        counts = sheaf.counts[first:last].copy()  # the sheaf is used again
        owners, columns, amounts = (
            sheaf.owners[entries] - np.int32(first),
            sheaf.columns[entries],
            sheaf.amounts[entries],
        )

        @cache
        def see(attribute: str | None, reference: Reference) -> Classes:
            if attribute is None:
                return Classes(counts)
            block = self._blocks[attribute]
            mine = (columns >= block.start) & (columns < block.stop)
            compared = self._original[attribute] if reference is Reference.ORIGINAL else None
            return Classes(counts, owners[mine], columns[mine] - np.int32(block.start), amounts[mine], compared)

        return see


class Steps(NamedTuple):
    """The steps of some nodes: where those of each begin, their k, the rows that they suppress, and which solve."""

    first: Ints
    k: Ints
    rows: Ints
    solves: Truths


def _kept(sheaf: Sheaf, verdicts: Verdicts, node: int, k: Ints, rows: Ints) -> list[Truths]:
    """Which classes each solution of a node publishes: by its one verdict, or by that which suppresses as many rows."""
    counts = sheaf.counts[sheaf.first_class[node] : sheaf.first_class[node + 1]]
    begin, end = np.searchsorted(verdicts.node, [node, node + 1])
    chosen = np.full(len(k), begin) if end == begin + 1 else begin + np.searchsorted(verdicts.limit[begin:end], rows)
    meets = [verdicts.meets[first : first + len(counts)] for first in verdicts.first[chosen].tolist()]
    return [which & (counts >= least) for which, least in zip(meets, k.tolist(), strict=True)]


def _joined(told: list[list[tuple[int, Truths, int]]]) -> Verdicts:
    flat = [verdict for of_node in told for verdict in of_node]
    lengths = [len(kept) for _, kept, _ in flat]
    return Verdicts(
        np.array([node for node, _, _ in flat], np.int64),
        np.cumsum([0, *lengths])[:-1].astype(np.int64),
        np.concatenate([np.empty(0, bool), *(kept for _, kept, _ in flat)]),
        np.array([lost for _, _, lost in flat], np.int64),
    )
