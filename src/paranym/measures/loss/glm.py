"""General loss (Iyengar, KDD 2002), GL + SL of the multi-objective paper."""

from typing import ClassVar

from paranym.measures.base import CellCosts, Domain, Ints, LossFacts
from paranym.measures.cells import ChargedByCell


class GeneralLoss(ChargedByCell):
    """A cell costs (leaves under its published value - 1) / (leaves of the attribute - 1); a suppressed cell costs 1.

    Leaves are those of the hierarchy, whether or not they occur. An attribute with one leaf costs nothing to publish.
    """

    name: ClassVar[str] = "glm"
    title: ClassVar[str] = "general loss"
    meaning: ClassVar[str] = (
        "the share of a column's values that a published value may stand for; a suppressed row loses everything"
    )
    facts: ClassVar[LossFacts] = LossFacts(
        additive=True,
        monotone=True,
        bounded_by_unsuppressed=True,
        surcharge_falls=True,
        about_cells=True,
        needs_costs=True,
    )

    def costs(self, domain: Domain, rows: int) -> CellCosts:
        return CellCosts(domain.hierarchy, _leaves_beside, max(len(domain.hierarchy.leaves) - 1, 1))


def _leaves_beside(begin: Ints, end: Ints) -> Ints:
    """How many leaves a value covers beside one."""
    return end - begin - 1
