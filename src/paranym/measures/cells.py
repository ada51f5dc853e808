"""The common part of all losses that charge every cell by its published value."""

from abc import ABC, abstractmethod

from paranym.measures.base import CellCosts, Domain, Floats, Tally


class ChargedByCell(ABC):
    """The loss is the weighted cost of the kept cells; a suppressed cell costs 1. A subclass defines the costs."""

    @abstractmethod
    def costs(self, domain: Domain, rows: int) -> CellCosts:
        """Return the costs of the cells of one attribute."""

    def of(self, tally: Tally) -> Floats:
        loss: Floats = tally.weigh(tally.kept_costs) + tally.suppressed * tally.weights.sum()
        return loss

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return rows * sum(domain.weight for domain in domains)

    def per_level(self, rows: int, domains: tuple[Domain, ...]) -> tuple[Floats, ...]:
        costs = [self.costs(domain, rows) for domain in domains]
        return tuple(
            domain.weight * cost.per_level(domain) / cost.denominator
            for domain, cost in zip(domains, costs, strict=True)
        )
