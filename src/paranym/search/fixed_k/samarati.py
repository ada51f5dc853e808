"""Samarati's binary search on height (IEEE TKDE 2001), as the Incognito paper describes it in section 2.2."""

from collections.abc import Iterator
from itertools import islice

from paranym.model.derivation import Derive, Keep, Levels, Order
from paranym.search.fixed_k.base import BATCH, Choices, DerivationLog, Ints, Stage, as_nodes


def samarati(choices: Choices, derive: Derive) -> Iterator[Stage]:
    """Find all nodes of least height that meet the requirement.

    If no node of a height meets it, no node below does. Each step halves the remaining heights; once the least height
    is known, the rest of its nodes is checked too. Every frequency set comes from the bottom set. If only some levels
    are allowed, height counts the steps between them.
    """
    search = _HeightSearch(choices, DerivationLog(derive, memory=0))
    lowest, highest = 0, sum(choices.lattice.heights)
    total = (highest + 1).bit_length()
    steps = 0
    while lowest < highest:
        middle = (lowest + highest) // 2
        yield from search.look(middle, steps, total, until_found=True)
        lowest, highest = (lowest, middle) if search.has_found(middle) else (middle + 1, highest)
        steps += 1
    yield from search.look(lowest, steps, total, until_found=False)
    yield search.stage(total, total, lowest)


class _HeightSearch:
    """Verdicts on the nodes that were checked."""

    def __init__(self, choices: Choices, log: DerivationLog) -> None:
        self._choices = choices
        self._log = log
        self._found: dict[int, list[Levels]] = {}
        self._next: dict[int, Iterator[Levels]] = {}

    def has_found(self, height: int) -> bool:
        return bool(self._found.get(height))

    def look(self, height: int, steps: int, total: int, *, until_found: bool) -> Iterator[Stage]:
        """Check the nodes of one height, in order, from where the last check ended."""
        waiting = self._next.setdefault(height, nodes_of_height(self._choices.lattice.heights, height))
        found = self._found.setdefault(height, [])
        while not (until_found and found):
            levels = list(islice(waiting, BATCH))
            if not levels:
                break
            nodes = [self._choices.node(self._choices.attributes, each) for each in levels]
            checked = self._log.check([Order(node, None, Keep.NEVER) for node in nodes])
            found += [node for node, each in zip(nodes, checked, strict=True) if each.holds]
            yield self.stage(steps, total, height)

    def stage(self, steps: int, total: int, height: int) -> Stage:
        def found() -> Ints:
            return as_nodes(self._found[height], len(self._choices.levels))

        return Stage(self._log.effort, steps, total, "halvings", found)


def nodes_of_height(heights: Levels, height: int) -> Iterator[Levels]:
    """Every node whose levels add up to `height`, in ascending order.

    >>> list(nodes_of_height((1, 2), 2))
    [(0, 2), (1, 1)]
    """
    if not heights:
        if height == 0:
            yield ()
        return
    for level in range(max(0, height - sum(heights[1:])), min(heights[0], height) + 1):
        yield from ((level, *rest) for rest in nodes_of_height(heights[1:], height - level))
