"""POkA (Dewri, Ray, Ray, Whitley: CIKM 2009): from one optimal node to the next, down to a ground node and up again.

Functions 1 to 3 of the paper with its lists HBest and DBest, and these decisions where it is silent:

- Where every neighbour of a base has the same loss, Function 1 accepts nothing. The depth search is then repeated with
  the test on k alone; what it finds becomes the base, but no result.
- If fewer than d levels are left below the base, the ground node is the bottom of the lattice.
- Results are the non-dominated bases.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from paranym.model.lattice import Lattice, Node
from paranym.results.assessment import Assessments
from paranym.search.base import Evaluate, Space, Step

Levels = tuple[int, ...]
Depth = int | Literal["average", "best", "worst"]
"""How far down to look for ground nodes: a number of steps; the average height of the hierarchies, rounded up (the
paper's choice); or, for each base, as far as it takes to cover the paper's best or worst ground nodes (section 4.3)."""


def poka(space: Space, evaluate: Evaluate, *, depth: Depth = "average", start: Node | None = None) -> Iterator[Step]:
    """Walk from `start`, or the top, from base to base until k is at most 2. One step per base; nothing is proved."""
    lattice = space.lattice
    judge = _Judge(evaluate)
    base = (start or lattice.top).levels
    judge.look([base])
    found = judge.solutions(base).non_dominated()
    yield Step(judge.evaluated, judge.evaluated, found, complete=False)
    while judge[base].k > 2:
        search = _NodeSearch(lattice, judge, base, _steps_down(depth, lattice, base))
        following = search.search_depth(base)
        is_result = following is not None
        if following is None:  # a plateau
            following = _NodeSearch(lattice, judge, base, search.depth, by_k_alone=True).search_depth(base)
        if following is None:
            break
        base = following
        if is_result:
            found = (found + judge.solutions(base)).non_dominated()
        yield Step(judge.evaluated, judge.evaluated, found, complete=False)


@dataclass(frozen=True, slots=True)
class _Verdict:
    """Value of a node on the highest step of its staircase."""

    k: int
    loss: float

    @classmethod
    def on(cls, solutions: Assessments) -> "_Verdict":
        """Return k = 0 and infinite loss if the node has no solution under the requirements."""
        return cls(int(solutions.k[-1]), float(solutions.loss[-1])) if len(solutions) else cls(0, math.inf)

    def is_preferred_to(self, other: "_Verdict | None") -> bool:
        return other is None or self.k > other.k or (self.k == other.k and self.loss < other.loss)


class _Judge:
    """Remembers what was evaluated, so that every node is evaluated once."""

    def __init__(self, evaluate: Evaluate) -> None:
        self._evaluate = evaluate
        self._verdicts: dict[Levels, _Verdict] = {}
        self._staircases: dict[Levels, Assessments] = {}

    @property
    def evaluated(self) -> int:
        return len(self._verdicts)

    def look(self, nodes: list[Levels]) -> None:
        """Evaluate those nodes that were not evaluated before."""
        new = [node for node in nodes if node not in self._verdicts]
        if not new:
            return
        steps = self._evaluate(np.array(new, np.int64))
        first = np.flatnonzero(steps.suppressed == 0)
        for node, begin, end in zip(new, first.tolist(), [*first[1:].tolist(), len(steps)], strict=True):
            own = self._staircases[node] = steps[np.arange(begin, end)]
            self._verdicts[node] = _Verdict.on(own.solutions)

    def __getitem__(self, node: Levels) -> _Verdict:
        return self._verdicts[node]

    def solutions(self, node: Levels) -> Assessments:
        return self._staircases[node].solutions


class _NodeSearch:
    """The search for the node that follows one base. `_heights` and `_depths` are the paper's HBest and DBest."""

    def __init__(self, lattice: Lattice, judge: _Judge, base: Levels, depth: int, *, by_k_alone: bool = False) -> None:
        self._lattice = lattice
        self._judge = judge
        self._base = base
        self.depth = depth
        self._by_k_alone = by_k_alone
        self._heights: dict[Levels, Levels | None] = {}
        self._depths: dict[Levels, Levels | None] = {}

    def search_depth(self, node: Levels) -> Levels | None:
        """Function 2: the best node that a height search from some ground node below `node` finds."""
        if node in self._depths:
            return self._depths[node]
        best: Levels | None = None
        children = list(_below(node))
        if not children and node != self._base:
            best = self._search_height(node, use_node=False)
        for child in children:
            if self._distance(child) < self.depth:
                candidate = self.search_depth(child)
            elif self.depth == 1:
                self._judge.look([child])
                candidate = self._search_height(child, use_node=True)
            else:
                candidate = self._search_height(child, use_node=False)
            best = self._better(candidate, best)
        self._depths[node] = best
        return best

    def _search_height(self, node: Levels, *, use_node: bool) -> Levels | None:
        """Function 1: the acceptable node with the highest k at or above `node`, if there is one."""
        if node in self._heights:
            return self._heights[node]
        best = node if use_node else None
        children = list(_above(node, self._lattice.heights))
        self._judge.look([child for child in children if not self._is_passed_over(child)])
        for child in children:
            if self._is_passed_over(child):
                best = self._better(self._search_height(child, use_node=False), best)
            elif self._accepts(child):
                best = self._better(self._search_height(child, use_node=True), best)
        self._heights[node] = best
        return best

    def _is_passed_over(self, node: Levels) -> bool:
        """Whether a node lies more than one step below the base, so that it cannot be the next base."""
        below = all(level <= top for level, top in zip(node, self._base, strict=True))
        return below and self._distance(node) > 1

    def _accepts(self, node: Levels) -> bool:
        mine, base = self._judge[node], self._judge[self._base]
        return mine.k < base.k and (self._by_k_alone or mine.loss < base.loss)

    def _better(self, candidate: Levels | None, best: Levels | None) -> Levels | None:
        if candidate is None:
            return best
        rival = None if best is None else self._judge[best]
        return candidate if self._judge[candidate].is_preferred_to(rival) else best

    def _distance(self, node: Levels) -> int:
        return sum(abs(a - b) for a, b in zip(self._base, node, strict=True))


def _steps_down(depth: Depth, lattice: Lattice, base: Levels) -> int:
    match depth:
        case "average":
            return math.ceil(sum(lattice.heights) / len(lattice.heights))
        case "best":
            return max(*base, 1)
        case "worst":
            return max(sum(base) - min(base), 1)
    return depth


def _below(node: Levels) -> Iterator[Levels]:
    for j, level in enumerate(node):
        if level > 0:
            yield (*node[:j], level - 1, *node[j + 1 :])


def _above(node: Levels, heights: Levels) -> Iterator[Levels]:
    for j, level in enumerate(node):
        if level < heights[j]:
            yield (*node[:j], level + 1, *node[j + 1 :])
