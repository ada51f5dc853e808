"""MinGen (Sweeney, 2002): every node is checked, so that any notion of minimality can be applied to the result."""

from collections.abc import Iterator
from typing import NamedTuple

from paranym.model.derivation import Derive, Frequencies, Keep, Levels, Order
from paranym.search.fixed_k.base import Choices, DerivationLog, Ints, Stage, as_nodes


class _Twig(NamedTuple):
    """A node of the search tree, in which attributes are generalized in their order."""

    levels: Levels
    last: int
    """The attribute that was generalized last."""

    def grow(self, heights: Levels) -> list["_Twig"]:
        levels = self.levels
        return [
            _Twig((*levels[:j], levels[j] + 1, *levels[j + 1 :]), j)
            for j in range(self.last, len(levels))
            if levels[j] < heights[j]
        ]


def mingen(choices: Choices, derive: Derive) -> Iterator[Stage]:
    """All nodes that meet the requirement. The requirement need not be monotone: every node is checked.

    Depth first: a node is rolled up from its parent, which has the last generalized attribute one level lower. Small
    branches come first, so that at most as many sets are kept as there are attributes and levels together.
    """
    log = DerivationLog(derive, memory=0)
    heights, size = choices.lattice.heights, choices.lattice.size
    found: list[Levels] = []

    def known() -> Ints:
        return as_nodes(found, len(heights))

    def check(twigs: list[_Twig], source: Frequencies | None) -> list[tuple[_Twig, Frequencies]]:
        orders = [
            Order(
                choices.node(choices.attributes, twig.levels),
                source,
                Keep.ALWAYS if twig.grow(heights) else Keep.NEVER,
            )
            for twig in twigs
        ]
        checked = log.check(orders)
        found.extend(each.node for each in checked if each.holds)
        log.hold(sum(each.memory for each in checked))
        return list(zip(twigs, checked, strict=True))

    waiting = check([_Twig(choices.lattice.bottom.levels, 0)], None)
    while waiting:
        yield Stage(log.effort, log.effort.checked, size, "nodes", known)
        twig, source = waiting.pop()
        branches = twig.grow(heights)
        if branches:
            waiting += check(branches, source)
        log.hold(-source.memory)
    yield Stage(log.effort, size, size, "nodes", known, complete=True)
