"""What losses have in common that charge every cell by its published value."""

from abc import ABC, abstractmethod

from paranym.measures.base import CellCosts, Domain, Floats, Tally


class ChargedByCell(ABC):
    """The loss is what the kept cells cost, times the weights; a suppressed cell costs 1. A subclass says the costs."""

    @abstractmethod
    def costs(self, domain: Domain, rows: int) -> CellCosts:
        """What the cells of one attribute cost."""

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
