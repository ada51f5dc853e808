"""Incognito with partial materialization (section 4.2.3): frequency sets are kept at the nodes that iterations need.

The result of an iteration bounds all later ones: every later node lies above some minimal node of all attributes that
is still a candidate in every smaller family. There are few such nodes, and their frequency sets are small, since nodes
that nearly meet the requirement have few combinations. Their sets are materialized, and the bottom set is rarely read.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from paranym.model.derivation import Derive, Frequencies, Keep, Levels, Order
from paranym.search.fixed_k.base import Choices, DerivationLog, Family, SetCache, Stage
from paranym.search.fixed_k.graph import Graph
from paranym.search.fixed_k.incognito.basic import Scans, grow
from paranym.search.fixed_k.incognito.candidates import whole_candidates


def partial(choices: Choices, derive: Derive, *, memory: int) -> Iterator[Stage]:
    """All nodes that meet the requirement; roots are rolled up from the smallest materialized set below them.

    Half of the memory is for materialized sets. If it does not suffice, the largest sets are dropped, and the bottom
    set replaces them. Intermediate sets come on top: `Effort.held` counts them too.
    """
    log = DerivationLog(derive, memory)
    return grow(choices, log, _MaterializedNodes(choices, log))


class _MaterializedNodes(Scans):
    """The materialized sets, moved up before each iteration."""

    def __init__(self, choices: Choices, log: DerivationLog) -> None:
        super().__init__(log)
        self.memory = log.memory // 2
        self._choices = choices
        self._log = log
        self._sets: SetCache[Levels] = SetCache(log, self.memory)

    def prepare(self, size: int, graphs: Sequence[Graph]) -> Iterator[None]:
        if size == 1:  # nothing is known yet, and one attribute is soon counted
            return
        higher: SetCache[Levels] = SetCache(self._log, self.memory)
        for source, nodes in self._nearest(nodes_to_materialize(self._choices, graphs)).items():
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
        """Derive the sets of nodes above a source, through intermediate sets that several of them share.

        Each part is rolled up to the meet of its nodes, and split there by the level of the attribute with most values.
        """
        meets = [tuple(min(levels) for levels in zip(*nodes, strict=True)) for nodes in parts]
        starts = self._log.build([Order(meet, source, Keep.ALWAYS) for meet in meets])
        self._log.hold(sum(start.memory for start in starts))
        for nodes, start in zip(parts, starts, strict=True):
            if len(nodes) > 1:
                yield from self._reach(self._parts(nodes, start.node), start)
            self._log.hold(-start.memory)
            if len(nodes) == 1:
                yield start

    def _parts(self, nodes: Sequence[Levels], meet: Levels) -> list[list[Levels]]:
        uneven = [j for j, levels in enumerate(zip(*nodes, strict=True)) if len(set(levels)) > 1]
        attribute = max(uneven, key=lambda j: self._choices.values[j][meet[j]])
        parts: dict[int, list[Levels]] = defaultdict(list)
        for node in nodes:
            parts[node[attribute]].append(node)
        return list(parts.values())


def nodes_to_materialize(choices: Choices, graphs: Sequence[Graph]) -> list[Levels]:
    """The lowest nodes of all attributes that are candidates in every one of these families."""
    lattice = Graph(choices.attributes, whole_candidates(choices, graphs))
    return [choices.node(choices.attributes, lattice.levels(rank)) for rank in lattice.roots.tolist()]
