"""Precision (Sweeney, 2002), as a loss."""

from typing import ClassVar

import numpy as np

from paranym.measures.base import Domain, Floats, LossFacts, Tally


class PrecisionLoss:
    """How far up its hierarchy a cell is published, on (weighted) average; a suppressed cell counts as at the top."""

    name: ClassVar[str] = "precision"
    title: ClassVar[str] = "precision loss"
    meaning: ClassVar[str] = "how far up its hierarchy each column is generalized"
    facts: ClassVar[LossFacts] = LossFacts(
        additive=True, monotone=True, bounded_by_unsuppressed=True, surcharge_falls=True, about_cells=True
    )

    def of(self, tally: Tally) -> Floats:
        share = tally.levels / np.maximum(tally.heights, 1)
        charged = tally.kept[:, None] * share + tally.suppressed[:, None]
        loss: Floats = tally.weigh(charged) / (tally.rows * tally.weights.sum())
        return loss

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return 1.0

    def per_level(self, rows: int, domains: tuple[Domain, ...]) -> tuple[Floats, ...]:
        whole = sum(domain.weight for domain in domains)
        return tuple(
            domain.weight / whole * np.arange(domain.hierarchy.height + 1) / max(domain.hierarchy.height, 1)
            for domain in domains
        )
