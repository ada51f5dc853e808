"""Datafly (Sweeney, 1997): generalize the attribute with most distinct values, until the requirement is met."""

from collections.abc import Iterator

from paranym.model.derivation import Derive, Frequencies, Keep, Levels, Order
from paranym.search.fixed_k.base import Choices, DerivationLog, Ints, Stage, as_nodes


def datafly(choices: Choices, derive: Derive) -> Iterator[Stage]:
    """Find one node that meets the requirement, if this path contains one; it need not be minimal or optimal.

    Of several attributes with equally many distinct values, the first is generalized.
    """
    log = DerivationLog(derive, memory=0)
    heights = choices.lattice.heights
    levels = choices.lattice.bottom.levels
    total = sum(heights)
    source: Frequencies | None = None
    while True:
        node = choices.node(choices.attributes, levels)
        [source] = log.check([Order(node, source, Keep.IF_BROKEN)])
        if source.holds or levels == heights:
            break
        yield Stage(log.effort, sum(levels), total, "levels", lambda: as_nodes([], len(heights)))
        levels = _generalize_one(choices, levels)

    def found() -> Ints:
        return as_nodes([node] if source.holds else [], len(heights))

    yield Stage(log.effort, total, total, "levels", found)


def _generalize_one(choices: Choices, levels: Levels) -> Levels:
    """Generalize the attribute with most distinct values, among those below their top."""
    heights = choices.lattice.heights
    free = [j for j, level in enumerate(levels) if level < heights[j]]
    chosen = max(free, key=lambda j: choices.values[j][choices.levels[j][levels[j]]])
    return (*levels[:chosen], levels[chosen] + 1, *levels[chosen + 1 :])
