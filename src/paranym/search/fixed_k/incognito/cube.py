"""Cube Incognito (section 3.3.2): the sets of all families at their lowest levels first, largest families first."""

from collections.abc import Iterator, Sequence
from itertools import combinations

from paranym.model.derivation import Derive, Frequencies, Keep, Levels, Order
from paranym.search.fixed_k.base import BATCH, Choices, DerivationLog, Family, SetCache, Stage
from paranym.search.fixed_k.graph import Graph
from paranym.search.fixed_k.incognito.basic import Scans, grow


def cube(choices: Choices, derive: Derive, *, memory: int) -> Iterator[Stage]:
    """All nodes that meet the requirement; roots are rolled up from the zero-generalization set of their family.

    Half of the memory is for these sets. If it does not suffice, the largest are dropped; their roots come from the
    smallest set that is left below them.
    """
    log = DerivationLog(derive, memory)
    return grow(choices, log, _Cube(choices, log))


class _Cube(Scans):
    """The zero-generalization sets, as far as they are kept."""

    def __init__(self, choices: Choices, log: DerivationLog) -> None:
        super().__init__(log)
        self.memory = log.memory // 2
        self._choices = choices
        self._log = log
        self._sets: SetCache[Family] = SetCache(log, log.memory // 2)

    def prepare(self, size: int, graphs: Sequence[Graph]) -> Iterator[None]:
        if size > 1:
            return
        attributes = self._choices.attributes
        for width in range(len(attributes), 0, -1):
            families = list(combinations(attributes, width))
            for begin in range(0, len(families), BATCH):
                batch = families[begin : begin + BATCH]
                for family, built in zip(batch, self._log.build(list(map(self._order, batch))), strict=True):
                    self._sets.put(family, built)
                yield

    def below(self, family: Family, node: Levels) -> Frequencies | None:
        return self._sets.get(family) or self._sets.smallest_below(node)

    def _order(self, family: Family) -> Order:
        node = self._choices.node(family, [0] * len(family))
        return Order(node, self._sets.smallest_below(node), Keep.ALWAYS)
