"""A user-defined loss, measured on a release that was read back; only its problem can provide it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.measures.base import CellLoss, Domain, Loss, Tally
from paranym.model.hierarchy import Label
from paranym.model.recoding import AttributeRecoding
from paranym.releases.losses import Basis, Measured, bits

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class OwnLoss:
    """A user-defined loss with the hierarchies that it needs, as far as the recoding uses them."""

    loss: Loss
    attributes: tuple[AttributeRecoding, ...]
    rows_per_leaf: Mapping[str, Ints]
    shown: Mapping[str, tuple[Label, ...]]
    """Per attribute: its labels as the file contains them."""

    def measure(self, basis: Basis) -> Measured:
        """Return the loss of a release."""
        domains = tuple(
            Domain(each.hierarchy, self.rows_per_leaf[each.attribute], each.weight) for each in self.attributes
        )
        levels = [each.place for each in self.attributes]
        kept = [
            self._rows(each, column.name, basis) for each, column in zip(self.attributes, basis.columns, strict=True)
        ]
        sizes = basis.sizes
        tally = Tally(
            rows=basis.rows,
            domains=domains,
            levels=np.array([levels], np.int64),
            k=np.array([sizes.smallest]),
            suppressed=np.array([basis.suppressed]),
            kept_classes=np.array([sizes.count]),
            kept_squares=np.array([int((sizes.sizes**2) @ sizes.classes)]),
            kept_majority=np.array([basis.majority or 0]),
            kept_costs=self._costs(domains, levels, kept, basis.rows),
            spread=self._spread(domains, levels, kept),
        )
        return Measured(float(self.loss.of(tally)[0]), self.loss.worst(basis.rows, domains))

    def _rows(self, attribute: AttributeRecoding, column: str, basis: Basis) -> Ints:
        """Return the rows of the file with each label."""
        counts = basis.counts[column]
        return np.array([counts.get(label, 0) for label in self.shown[attribute.attribute]], np.int64)

    def _costs(
        self, domains: tuple[Domain, ...], levels: list[int], kept: list[Ints], rows: int
    ) -> NDArray[np.float64]:
        if not self.loss.facts.needs_costs:
            return np.empty((1, 0))
        costs = [cast("CellLoss", self.loss).costs(domain, rows) for domain in domains]
        each = zip(costs, levels, kept, strict=True)
        return np.array([[int(amounts @ cost.numerators[level]) / cost.denominator for cost, level, amounts in each]])

    def _spread(self, domains: tuple[Domain, ...], levels: list[int], kept: list[Ints]) -> NDArray[np.float64]:
        """Return the bits that encode the label of each suppressed row among all suppressed rows."""
        if not self.loss.facts.needs_spread:
            return np.empty((1, 0))
        suppressed = [
            domain.rows_per_value(level) - rows for domain, level, rows in zip(domains, levels, kept, strict=True)
        ]
        return np.array([[bits([int(rows.sum())]) - bits(rows.tolist()) for rows in suppressed]])
