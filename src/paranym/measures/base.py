"""What every loss measure says about itself, and what it is given to compute from."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from paranym.model.hierarchy import Hierarchy

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is true of a loss on every table; smaller is always better. Searches rely on it; property tests check it."""

    additive: bool
    """Without suppression, it is a sum of one number per attribute and level, known before any node is counted."""
    monotone: bool
    """Without suppression, the loss never decreases upwards."""
    bounded_by_unsuppressed: bool
    """Suppressing rows never makes the loss smaller than it is at the same node without suppression."""
    surcharge_falls: bool
    """What suppression adds to the loss at a given k never increases upwards: a more general node suppresses a part of
    the same rows, and each of them costs no more beyond what publishing it would have cost."""
    needs_costs: bool = False
    """Asks for what cells cost: implements `CellLoss`."""
    needs_label: bool = False
    """Asks for the most frequent label of every class."""
    needs_spread: bool = False
    """Asks how suppressed rows scatter over the published values."""


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """One quasi-identifier as a loss sees it."""

    hierarchy: Hierarchy
    rows_per_leaf: Ints
    weight: float = 1.0

    def rows_per_value(self, level: int) -> Ints:
        """How many rows have each value of a level."""
        values = len(self.hierarchy.labels[level])
        return np.bincount(self.hierarchy.codes[level], weights=self.rows_per_leaf, minlength=values).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CellCosts:
    """What a cell costs, as whole numerators over one denominator, so that equal losses come out equal."""

    hierarchy: Hierarchy
    of_runs: Callable[[Ints, Ints], Ints]
    """For values that cover the leaves from `begin` to before `end`, in tree order: the numerator of each."""
    denominator: int

    @cached_property
    def numerators(self) -> tuple[Ints, ...]:
        """Per level, per value."""
        edges = [
            np.searchsorted(codes, np.arange(len(labels) + 1))
            for labels, codes in zip(self.hierarchy.labels, self.hierarchy.codes, strict=True)
        ]
        return tuple(self.of_runs(edge[:-1], edge[1:]) for edge in edges)

    def per_level(self, domain: Domain) -> Ints:
        """The numerator of all rows of the table together, at every level."""
        levels = range(domain.hierarchy.height + 1)
        return np.array([domain.rows_per_value(level) @ self.numerators[level] for level in levels], np.int64)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Tally:
    """What is known of many steps of staircases: one entry, or one row of entries, per step."""

    rows: int
    """N."""
    domains: tuple[Domain, ...]
    levels: Ints
    """(steps, attributes): the node of each step."""
    k: Ints
    suppressed: Ints
    """Rows left out."""
    kept_classes: Ints
    kept_squares: Ints
    """Squared sizes of the kept classes, summed."""
    kept_majority: Ints
    """Rows of the most frequent label of each kept class, summed; zero unless needed."""
    kept_costs: Floats
    """(steps, attributes): cost of the kept cells; empty unless needed."""
    spread: Floats
    """(steps, attributes): entropy in bits of the published values within the suppressed rows; empty unless needed."""

    @property
    def kept(self) -> Ints:
        """Rows published."""
        return self.rows - self.suppressed

    @property
    def weights(self) -> Floats:
        """Of the attributes."""
        return np.array([domain.weight for domain in self.domains])

    @property
    def heights(self) -> Ints:
        """Of the attributes' hierarchies."""
        return np.array([domain.hierarchy.height for domain in self.domains], np.int64)

    def weigh(self, charges: Floats | Ints) -> Floats:
        """The (steps, attributes) charges of every step, times the weights, added up.

        Attribute by attribute: a matrix product adds in an order that depends on how many steps it is given.
        """
        total = np.zeros(len(charges))
        for j, domain in enumerate(self.domains):
            total += domain.weight * charges[:, j]
        return total

    def at_levels(self, per_level: tuple[Floats, ...]) -> Floats:
        """(steps, attributes): for every step, the entry of each attribute's table at its level."""
        return np.column_stack([table[self.levels[:, j]] for j, table in enumerate(per_level)])


class Loss(Protocol):
    """A loss measure: smaller is better."""

    name: ClassVar[str]
    title: ClassVar[str]
    facts: ClassVar[Facts]

    def of(self, tally: Tally) -> Floats:
        """The loss of every step."""

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        """What the loss is divided by to give its fraction."""


class CellLoss(Loss, Protocol):
    """A loss that charges every cell by its published value."""

    def costs(self, domain: Domain, rows: int) -> CellCosts:
        """What the cells of one attribute cost."""


class AdditiveLoss(Loss, Protocol):
    """A loss that is a sum over attributes as long as nothing is suppressed."""

    def per_level(self, rows: int, domains: tuple[Domain, ...]) -> tuple[Floats, ...]:
        """What each attribute adds to the unsuppressed loss at each of its levels."""
