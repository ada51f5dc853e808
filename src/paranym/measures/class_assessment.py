"""Verdicts of privacy requirements on the classes of nodes, and values of further privacy models for every step."""

from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.frequency import FrequencySet
from paranym.kernels.class_batches import ClassBatch, Verdicts
from paranym.measures.privacy.base import Classes, Model, Reference, Truths
from paranym.measures.requirements import PrivacyRequirements, See
from paranym.measures.suppression_sets import TRIES, sets_of_largest_k, suppression_sets

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class MeasuredModel:
    """A privacy model whose value is measured for every step, besides k."""

    name: str
    model: Model
    attribute: str | None = None
    reference: Reference = Reference.RELEASED


class ClassAssessor:
    """Judges the classes of one table under its privacy requirements."""

    def __init__(
        self,
        requirements: PrivacyRequirements,
        measured_models: tuple[MeasuredModel, ...],
        frequency: FrequencySet,
        limit: int,
        *,
        ks: tuple[int, ...] | None = None,
        tries: int = TRIES,
    ) -> None:
        self._requirements = requirements
        self._frequency = frequency
        self._measured_models = measured_models
        self._limit = limit
        self._ks, self._tries = ks, tries
        self._blocks = frequency.histogram.blocks
        self._original = {
            name: np.bincount(
                frequency.histogram.columns, weights=frequency.histogram.amounts, minlength=frequency.histogram.width
            ).astype(np.int64)[block.start : block.stop]
            for name, block in self._blocks.items()
        }
        self.binds = requirements.bind(limit)
        """True if the staircase of a node under the requirements bounds the nodes below it."""

    @property
    def is_local(self) -> bool:
        """Whether each class can be judged by itself."""
        return self._requirements.are_local(self._limit)

    @property
    def is_needed(self) -> bool:
        """Whether classes must be judged one by one."""
        return bool(self._requirements.requirements or self._measured_models)

    @property
    def measures_models(self) -> bool:
        """Whether values of privacy models are measured for every step."""
        return bool(self._measured_models)

    def thorough(self, ks: tuple[int, ...], tries: int) -> "ClassAssessor":
        """Return an assessor with more tries for each of `ks`, and none for other values of k."""
        return ClassAssessor(
            self._requirements, self._measured_models, self._frequency, self._limit, ks=ks, tries=tries
        )

    def judge(self, batch: ClassBatch, nodes: int, *, one_step: bool) -> Verdicts:
        """Return the verdicts on the classes of the first nodes of a batch: which ones must be suppressed."""
        if self.is_local:
            meets = self._requirements.met_by(self._view(batch, 0, nodes))
            return Verdicts(
                np.arange(nodes),
                batch.first_class[:nodes].copy(),
                meets,
                np.full(nodes, self._limit, np.int64),
                np.zeros(nodes, bool),
            )
        return _joined([self._choose(batch, node, one_step=one_step) for node in range(nodes)])

    def _choose(self, batch: ClassBatch, node: int, *, one_step: bool) -> list["_Choice"]:
        """Return the sets of classes to publish, if suppression changes the distribution that others are compared with.

        With `one_step`, only those of the largest k.
        """
        see = self._view(batch, node, node + 1)
        sizes = see(None, Reference.RELEASED).sizes
        if one_step:
            sets = sets_of_largest_k(self._requirements, see, sizes, self._limit)
        else:
            sets = suppression_sets(self._requirements, see, sizes, self._limit, tries=self._tries, ks=self._ks)
        return [
            _Choice(node, one, int(sizes[~one].sum()), unresolved)
            for unresolved, listed in ((False, sets.published), (True, sets.unresolved))
            for one in listed
        ]

    def measure(self, batch: ClassBatch, verdicts: Verdicts, steps: "Steps") -> Floats:
        """(steps, models): the value of each measured model for each solution; other steps have none."""
        values = np.full((len(steps.k), len(self._measured_models)), np.nan)
        if not self._measured_models:
            return values
        for node in range(len(steps.first) - 1):
            mine = np.arange(steps.first[node], steps.first[node + 1])
            mine = mine[steps.solves[mine]]
            if len(mine):
                kept = _kept(batch, verdicts, node, steps.k[mine])
                values[mine] = self._measure_node(self._view(batch, node, node + 1), kept)
        return values

    def _measure_node(self, see: See, kept: list[Truths]) -> Floats:
        values = np.empty((len(kept), len(self._measured_models)))
        for column, measured in enumerate(self._measured_models):
            facts = measured.model.facts
            if facts.is_local(measured.reference) or self._limit == 0:
                of_class = measured.model.of(see(measured.attribute, Reference.ORIGINAL))
                values[:, column] = [facts.worst(of_class[which].tolist()) for which in kept]
            else:
                classes = see(measured.attribute, measured.reference)
                values[:, column] = [measured.model.achieved(classes.kept(which)) for which in kept]
        return values

    def _view(self, batch: ClassBatch, begin: int, end: int) -> See:
        """The classes of some nodes of a batch."""
        first, last = batch.first_class[begin], batch.first_class[end]
        entries = slice(batch.first_entry[begin], batch.first_entry[end])
        counts = batch.counts[first:last].copy()  # the batch is reused
        owners, columns, amounts = (
            batch.owners[entries] - np.int32(first),
            batch.columns[entries],
            batch.amounts[entries],
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


def _kept(batch: ClassBatch, verdicts: Verdicts, node: int, k: Ints) -> list[Truths]:
    """Return the published classes of each solution of a node: by its one verdict, or by one verdict per solution."""
    counts = batch.counts[batch.first_class[node] : batch.first_class[node + 1]]
    begin, end = np.searchsorted(verdicts.node, [node, node + 1])
    resolved = begin + np.flatnonzero(~verdicts.unresolved[begin:end])
    chosen = np.repeat(resolved, len(k)) if len(resolved) == 1 else resolved
    meets = [verdicts.meets[first : first + len(counts)] for first in verdicts.first[chosen].tolist()]
    return [which & (counts >= least) for which, least in zip(meets, k.tolist(), strict=True)]


class _Choice(NamedTuple):
    """A set of classes that a node may publish, or a bound on such sets."""

    node: int
    published: Truths
    suppressed: int
    unresolved: bool


def _joined(choices: list[list[_Choice]]) -> Verdicts:
    flat = [choice for of_node in choices for choice in of_node]
    lengths = [len(choice.published) for choice in flat]
    return Verdicts(
        np.array([choice.node for choice in flat], np.int64),
        np.cumsum([0, *lengths])[:-1].astype(np.int64),
        np.concatenate([np.empty(0, bool), *(choice.published for choice in flat)]),
        np.array([choice.suppressed for choice in flat], np.int64),
        np.array([choice.unresolved for choice in flat], bool),
    )
