"""Super-roots Incognito (section 3.3.1): the bottom set is read once per family instead of once per root."""

from collections.abc import Iterator, Sequence

from paranym.model.derivation import Derive, Frequencies, Keep, Levels, Order
from paranym.search.fixed_k.base import Choices, DerivationLog, Family, Stage
from paranym.search.fixed_k.graph import Graph
from paranym.search.fixed_k.incognito.basic import Scans, grow


def super_roots(choices: Choices, derive: Derive, *, memory: int) -> Iterator[Stage]:
    """All nodes that meet the requirement.

    The super-root of a family is the meet of its roots, the highest node from which all of them can be rolled up (as in
    the paper's example; its text says least upper bound).
    """
    log = DerivationLog(derive, memory)
    return grow(choices, log, _SuperRoots(choices, log))


class _SuperRoots(Scans):
    """A family of several roots gets a set of its own to roll them up from."""

    def __init__(self, choices: Choices, log: DerivationLog) -> None:
        super().__init__(log)
        self._choices = choices
        self._log = log
        self._sets: dict[Family, Frequencies] = {}

    def open(self, graphs: Sequence[Graph]) -> None:
        self._log.hold(-sum(each.memory for each in self._sets.values()))
        families = [graph for graph in graphs if len(graph.roots) > 1]
        nodes = [self._choices.node(graph.family, graph.meet) for graph in families]
        built = self._log.build([Order(node, None, Keep.ALWAYS) for node in nodes])
        self._sets = {graph.family: each for graph, each in zip(families, built, strict=True)}
        self._log.hold(sum(each.memory for each in built))

    def below(self, family: Family, node: Levels) -> Frequencies | None:
        return self._sets.get(family)
