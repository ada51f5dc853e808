"""General loss (Iyengar, KDD 2002), GL + SL of the multi-objective paper."""

from typing import ClassVar

from paranym.measures.base import CellCosts, Domain, Facts
from paranym.measures.cells import ChargedByCell


class GeneralLoss(ChargedByCell):
    """A cell costs (leaves under its published value - 1) / (leaves of the attribute - 1); a suppressed cell costs 1.

    Leaves are those of the hierarchy, whether or not they occur. An attribute with one leaf costs nothing to publish.
    """

    name: ClassVar[str] = "glm"
    title: ClassVar[str] = "general loss"
    facts: ClassVar[Facts] = Facts(
        additive=True, monotone=True, bounded_by_unsuppressed=True, surcharge_falls=True, needs_costs=True
    )

    def costs(self, domain: Domain, rows: int) -> CellCosts:
        hierarchy = domain.hierarchy
        numerators = tuple(hierarchy.leaf_counts(level) - 1 for level in range(hierarchy.height + 1))
        return CellCosts(numerators, max(len(hierarchy.leaves) - 1, 1))
