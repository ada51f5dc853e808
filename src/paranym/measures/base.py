"""Information loss: the facts that each measure declares, and the counts that it is computed from."""

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
class LossFacts:
    """Facts about a loss that hold on every table. Searches rely on them; `paranym.testing.check_loss` tries them out.

    The direction is the same for every loss: smaller is better.
    """

    additive: bool
    """Without suppression, the loss is a sum of one number per attribute and level, known before counting."""
    monotone: bool
    """Without suppression, the loss never decreases upwards."""
    bounded_by_unsuppressed: bool
    """Suppressing rows never makes the loss smaller than it is at the same node without suppression."""
    surcharge_falls: bool
    """The suppression cost at a given k never increases upwards: a more general node suppresses a subset of the rows,
    and each of them costs no more in addition to its published cells. At one node it never decreases when k grows."""
    about_cells: bool = False
    """Measures the information left in the published cells, so that its fraction is a share of the information."""
    charges_ranges: bool = False
    """Charges numbers by the range that is published, so that a manifest states the cost of each label."""
    needs_costs: bool = False
    """Needs the costs of cells: implements `CellLoss`."""
    needs_label: bool = False
    """Needs the most frequent label of every class."""
    needs_spread: bool = False
    """Needs the distribution of suppressed rows over the published values."""


@dataclass(frozen=True, slots=True, eq=False)
class Domain:
    """One quasi-identifier as a loss sees it."""

    hierarchy: Hierarchy
    rows_per_leaf: Ints
    weight: float = 1.0

    def rows_per_value(self, level: int) -> Ints:
        """Rows per value of a level."""
        values = len(self.hierarchy.labels[level])
        return np.bincount(self.hierarchy.codes[level], weights=self.rows_per_leaf, minlength=values).astype(np.int64)


@dataclass(frozen=True, eq=False)
class CellCosts:
    """Costs of cells, as whole numerators over one denominator, so that equal losses compare equal."""

    hierarchy: Hierarchy
    of_runs: Callable[[Ints, Ints], Ints]
    """For values that cover the leaves from `begin` to before `end`, in tree order: the numerator of each."""
    denominator: int

    @cached_property
    def numerators(self) -> tuple[Ints, ...]:
        """Numerators per level and value."""
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
    """Counts of many steps of staircases: one entry, or one row of entries, per step."""

    rows: int
    """N."""
    domains: tuple[Domain, ...]
    levels: Ints
    """(steps, attributes): the node of each step."""
    k: Ints
    suppressed: Ints
    """Suppressed rows."""
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
        """Weights of the attributes."""
        return np.array([domain.weight for domain in self.domains])

    @property
    def heights(self) -> Ints:
        """Heights of the hierarchies of the attributes."""
        return np.array([domain.hierarchy.height for domain in self.domains], np.int64)

    def weigh(self, charges: Floats | Ints) -> Floats:
        """Weighted sum of the (steps, attributes) charges of every step.

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
    """A measure of information loss: smaller is better.

    `meaning` is optional in a loss of your own; everything else is required.
    """

    name: ClassVar[str]
    """Its key in recipes, options and JSON."""
    title: ClassVar[str]
    """The name of the measure in the literature."""
    facts: ClassVar[LossFacts]

    def of(self, tally: Tally) -> Floats:
        """Return the loss of every step: never negative, and independent of the other steps in the tally."""

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        """Return the divisor that turns a loss into its fraction."""


class CellLoss(Loss, Protocol):
    """A loss that charges every cell by its published value."""

    def costs(self, domain: Domain, rows: int) -> CellCosts:
        """Return the costs of the cells of one attribute."""


class AdditiveLoss(Loss, Protocol):
    """A loss that is a sum over attributes as long as nothing is suppressed."""

    def per_level(self, rows: int, domains: tuple[Domain, ...]) -> tuple[Floats, ...]:
        """Return the share of each attribute in the unsuppressed loss, at each of its levels."""
