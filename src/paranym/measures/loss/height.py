"""Height of a node."""

from typing import ClassVar

import numpy as np

from paranym.measures.base import Domain, Floats, LossFacts, Tally


class Height:
    """The (weighted) sum of the levels. Suppressed rows do not change it."""

    name: ClassVar[str] = "height"
    title: ClassVar[str] = "height"
    meaning: ClassVar[str] = "how many levels all columns are generalized together"
    facts: ClassVar[LossFacts] = LossFacts(
        additive=True, monotone=True, bounded_by_unsuppressed=True, surcharge_falls=True, about_cells=True
    )

    def of(self, tally: Tally) -> Floats:
        return tally.weigh(tally.levels)

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return sum(domain.weight * domain.hierarchy.height for domain in domains)

    def per_level(self, rows: int, domains: tuple[Domain, ...]) -> tuple[Floats, ...]:
        return tuple(domain.weight * np.arange(domain.hierarchy.height + 1, dtype=float) for domain in domains)
