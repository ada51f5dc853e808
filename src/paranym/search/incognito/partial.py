"""Incognito with partial materialization (section 4.2.3): frequency sets at the levels that iterations really ask for.

What an iteration has found bounds all later ones: whatever they ask for lies above some *foothold*, a lowest node of
all attributes of which every smaller family still stands. There are few footholds, and their sets are small, since
nodes that nearly meet the requirement have few combinations. So their sets are kept, and the bottom set is left alone.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from paranym.model.derivation import Derive, Frequencies, Keep, Levels, Order
from paranym.search.full_domain.base import Choices, Desk, Family, Shelf, Stage
from paranym.search.full_domain.graph import Graph
from paranym.search.incognito.basic import Scans, grow
from paranym.search.incognito.candidates import whole_candidates


def partial(choices: Choices, derive: Derive, *, memory: int) -> Iterator[Stage]:
    """All nodes that meet the requirement; roots are rolled up from the smallest foothold below them.

    Half of the memory is for footholds. Where it does not suffice the largest are let go, and what they would have
    served comes from the bottom set. Sets on the way to footholds come on top: `Effort.held` counts them too.
    """
    desk = Desk(derive, memory)
    return grow(choices, desk, _Footholds(choices, desk))


class _Footholds(Scans):
    """The sets of the footholds, moved up before each iteration."""

    def __init__(self, choices: Choices, desk: Desk) -> None:
        super().__init__(desk)
        self.memory = desk.memory // 2
        self._choices = choices
        self._desk = desk
        self._sets: Shelf[Levels] = Shelf(desk, self.memory)

    def prepare(self, size: int, graphs: Sequence[Graph]) -> Iterator[None]:
        if size == 1:  # nothing is known yet, and one attribute is soon counted
            return
        higher: Shelf[Levels] = Shelf(self._desk, self.memory)
        for source, nodes in self._nearest(footholds(self._choices, graphs)).items():
            for built in self._reach([nodes], source):
                higher.put(built.node, built)
                yield
        self._sets.clear()
        self._sets = higher

    def below(self, family: Family, node: Levels) -> Frequencies | None:
        return self._sets.smallest_below(node)

    def _nearest(self, nodes: Sequence[Levels]) -> dict[Frequencies | None, list[Levels]]:
        """Nodes, by the set that they are derived from."""
        by_source: dict[Frequencies | None, list[Levels]] = defaultdict(list)
        for node in nodes:
            by_source[self._sets.smallest_below(node)].append(node)
        return by_source

    def _reach(self, parts: Sequence[Sequence[Levels]], source: Frequencies | None) -> Iterator[Frequencies]:
        """The sets of nodes above a source, by way of sets that several of them share.

        Each part goes up to the meet of its nodes; there they part by the level of the attribute of most values.
        """
        meets = [tuple(min(levels) for levels in zip(*nodes, strict=True)) for nodes in parts]
        starts = self._desk.build([Order(meet, source, Keep.ALWAYS) for meet in meets])
        self._desk.hold(sum(start.memory for start in starts))
        for nodes, start in zip(parts, starts, strict=True):
            if len(nodes) > 1:
                yield from self._reach(self._parts(nodes, start.node), start)
            self._desk.hold(-start.memory)
            if len(nodes) == 1:
                yield start

    def _parts(self, nodes: Sequence[Levels], meet: Levels) -> list[list[Levels]]:
        uneven = [j for j, levels in enumerate(zip(*nodes, strict=True)) if len(set(levels)) > 1]
        attribute = max(uneven, key=lambda j: self._choices.values[j][meet[j]])
        parts: dict[int, list[Levels]] = defaultdict(list)
        for node in nodes:
            parts[node[attribute]].append(node)
        return list(parts.values())


def footholds(choices: Choices, graphs: Sequence[Graph]) -> list[Levels]:
    """The lowest nodes of all attributes that are candidates in every one of these families."""
    lattice = Graph(choices.attributes, whole_candidates(choices, graphs))
    return [choices.node(choices.attributes, lattice.levels(rank)) for rank in lattice.roots.tolist()]
