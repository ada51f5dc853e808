"""Non-uniform entropy (de Waal and Willenborg; the variant that ARX computes)."""

from typing import ClassVar

import numpy as np

from paranym.measures.base import Domain, Floats, Ints, LossFacts, Tally


class NonUniformEntropy:
    """The bits needed to recover each leaf from its published value, given how often both occur in the table.

    A suppressed cell costs, in addition, the bits that identify its published value within all suppressed rows.
    """

    name: ClassVar[str] = "entropy"
    title: ClassVar[str] = "non-uniform entropy"
    meaning: ClassVar[str] = "how many bits of each value the published value no longer carries"
    facts: ClassVar[LossFacts] = LossFacts(
        additive=True,
        monotone=True,
        bounded_by_unsuppressed=True,
        surcharge_falls=True,
        about_cells=True,
        needs_spread=True,
    )

    def of(self, tally: Tally) -> Floats:
        published = tally.at_levels(tuple(_bits(domain) for domain in tally.domains))
        return tally.weigh(published + tally.spread)

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return sum(float(bits[-1]) for bits in self.per_level(rows, domains))

    def per_level(self, rows: int, domains: tuple[Domain, ...]) -> tuple[Floats, ...]:
        return tuple(domain.weight * _bits(domain) for domain in domains)


def _bits(domain: Domain) -> Floats:
    """Bits needed to recover the leaves of all rows at every level: n log2 n over its values, less that over leaves."""
    of_leaves = _weight(domain.rows_per_leaf)
    return np.array([_weight(domain.rows_per_value(level)) - of_leaves for level in range(domain.hierarchy.height + 1)])


def _weight(counts: Ints) -> float:
    some = counts[counts > 0].astype(float)
    return float((some * np.log2(some)).sum())
