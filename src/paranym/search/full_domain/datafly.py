"""Datafly (Sweeney, 1997): raise the attribute of most distinct values, until the requirement is met."""

from collections.abc import Iterator

from paranym.model.derivation import Derive, Frequencies, Keep, Levels, Order
from paranym.search.full_domain.base import Choices, Desk, Ints, Stage, as_nodes


def datafly(choices: Choices, derive: Derive) -> Iterator[Stage]:
    """One node that meets the requirement, if this path comes by one; nothing is said of how good it is.

    Of several attributes with as many distinct values, the first is raised.
    """
    desk = Desk(derive, memory=0)
    heights = choices.lattice.heights
    levels = choices.lattice.bottom.levels
    total = sum(heights)
    source: Frequencies | None = None
    while True:
        node = choices.node(choices.attributes, levels)
        [source] = desk.check([Order(node, source, Keep.IF_BROKEN)])
        if source.holds or levels == heights:
            break
        yield Stage(desk.effort, sum(levels), total, "levels", lambda: as_nodes([], len(heights)))
        levels = _raise_one(choices, levels)

    def found() -> Ints:
        return as_nodes([node] if source.holds else [], len(heights))

    yield Stage(desk.effort, total, total, "levels", found)


def _raise_one(choices: Choices, levels: Levels) -> Levels:
    """Raise the attribute of most distinct values, among those that can be raised."""
    heights = choices.lattice.heights
    free = [j for j, level in enumerate(levels) if level < heights[j]]
    chosen = max(free, key=lambda j: choices.values[j][choices.levels[j][levels[j]]])
    return (*levels[:chosen], levels[chosen] + 1, *levels[chosen + 1 :])
