"""Bounds of nodes whose possible sets of suppressed classes were not searched completely.

Such a node may have undiscovered solutions, with at most the k and at least the loss of its unresolved steps. A front
is complete only if its solutions dominate every such step.
"""

from collections.abc import Callable

import numpy as np

from paranym.results.assessment import Assessments, nearly_equal
from paranym.results.objectives import SUPPRESSION, Objectives
from paranym.search.base import Corners, Evaluate, Ints

Resolve = Callable[[Assessments], Assessments]
"""Unresolved steps in; their solutions, and the steps that stay unresolved, out."""


class Unresolved:
    """The unresolved steps of everything that was evaluated."""

    def __init__(self, objectives: Objectives, attributes: int) -> None:
        self._objectives = objectives
        self._bounds = Assessments.join([], attributes, objectives.further)

    def watch(self, evaluate: Evaluate) -> Evaluate:
        """Return `evaluate` such that all unresolved steps are remembered."""

        def watched(nodes: Ints) -> Assessments:
            steps = evaluate(nodes)
            if steps.unresolved.any():
                self._bounds += steps.bounds
            return steps

        return watched

    def resolve(self, found: Assessments, resolve: Resolve) -> Assessments:
        """Return the solutions after a thorough search of the steps that matter; remember the steps that stay open."""
        left = self.left(found)
        if not len(left):
            return found
        steps = resolve(left)
        self._bounds = steps.bounds
        return self._objectives.merge(found, steps.solutions)

    def left(self, found: Assessments) -> Assessments:
        """The steps that no solution dominates, and that are better than the known solutions of their own node."""
        bounds = self._bounds
        if not len(bounds) or not len(found):
            return bounds
        if self._objectives.further:
            return bounds  # nothing bounds the values of further objectives
        bounds = bounds[~self._objectives.dominated(bounds, found)]
        return bounds[~np.array([self._is_held(bounds, place, found) for place in range(len(bounds))], bool)]

    def nodes(self, found: Assessments) -> int:
        """Number of nodes that stay undecided because of unresolved steps."""
        return len(np.unique(self.left(found).levels, axis=0))

    def corners(self, found: Assessments) -> Corners:
        """Best cases when all other nodes are decided: the solutions, and the steps that are left."""
        return Corners.of(found.k, found.loss).with_those(self.left(found))

    def _is_held(self, bounds: Assessments, place: int, found: Assessments) -> bool:
        """Whether a solution of the same node is as good as a bound."""
        here = found[(found.levels == bounds.levels[place]).all(axis=1) & (found.k >= bounds.k[place])]
        good = nearly_equal(here.loss, np.full(len(here), bounds.loss[place])) | (here.loss <= bounds.loss[place])
        if SUPPRESSION in self._objectives.names:
            good &= here.suppressed <= bounds.suppressed[place]
        return bool(good.any())
