"""The objectives of a front: k and information loss, or more."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paranym.kernels.dominance import mark_dominated
from paranym.results.assessment import TOLERANCE, Assessments

Floats = NDArray[np.float64]

K, SUPPRESSION, LOSS = "k", "suppression", "loss"

LARGER_IS_BETTER = frozenset({K, "weighted_k", "weighted_l", "d1", "d2"})
"""Values of points to maximize, besides those of privacy models, which state their direction themselves."""


@dataclass(frozen=True, slots=True)
class Objective:
    """One objective: a large k, a small information loss, few suppressed rows, a large l, a small t."""

    name: str
    larger_is_better: bool
    place: int | None = None
    """Its column among the further values of an assessment."""

    def of(self, steps: Assessments) -> Floats:
        """Return the value of every step."""
        if self.place is not None:
            return steps.values[:, self.place]
        return {K: steps.k, SUPPRESSION: steps.suppressed, LOSS: steps.loss}[self.name].astype(float)


@dataclass(frozen=True, slots=True)
class Objectives:
    """All objectives. A solution is dominated by one that is at least as good in all and better in one of them.

    >>> Objectives.plain().names
    ('k', 'loss')
    """

    listed: tuple[Objective, ...]

    @classmethod
    def plain(cls) -> "Objectives":
        """Return the default objectives, k and loss."""
        return cls((Objective(K, larger_is_better=True), Objective(LOSS, larger_is_better=False)))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(objective.name for objective in self.listed)

    @property
    def further(self) -> int:
        """Number of objectives other than k, suppression and loss."""
        return sum(objective.place is not None for objective in self.listed)

    @property
    def are_plain(self) -> bool:
        """True if the objectives are k and loss."""
        return set(self.names) == {K, LOSS}

    def costs(self, steps: Assessments) -> Floats:
        """Return an array (steps, objectives) of costs: values with the sign that makes smaller better."""
        signs = [-1.0 if objective.larger_is_better else 1.0 for objective in self.listed]
        columns = [sign * objective.of(steps) for sign, objective in zip(signs, self.listed, strict=True)]
        return np.ascontiguousarray(np.column_stack(columns)) if columns else np.empty((len(steps), 0))

    def further_costs(self, steps: Assessments) -> Floats:
        """Return the costs of the further objectives, those other than k, suppression and loss, for every step.

        A step that is not a solution has infinite costs.
        """
        costs = np.empty((len(steps), self.further))
        for objective in self.listed:
            if objective.place is not None:
                sign = -1.0 if objective.larger_is_better else 1.0
                costs[:, objective.place] = np.where(steps.counts, sign * objective.of(steps), np.inf)
        return costs

    def merge(self, found: Assessments, others: Assessments) -> Assessments:
        """Return the Pareto-optimal solutions of both; those of `found` must not dominate each other."""
        if self.are_plain:
            return found.merged(others)
        new = others[~_dominated(self.costs(found), self.costs(others))]
        new = new[~_dominated(self.costs(new), self.costs(new))]
        if not len(new):
            return found
        return found[~_dominated(self.costs(new), self.costs(found))] + new

    def dominated(self, steps: Assessments, found: Assessments) -> NDArray[np.bool_]:
        """Return a mask of the steps that a solution of `found` dominates."""
        return _dominated(self.costs(found), self.costs(steps))

    def groups(self, found: Assessments) -> list[NDArray[np.int64]]:
        """Group the solutions that share a point (equal in all values), best first by the first objective."""
        rounded = _rounded(self.costs(found))
        order = np.lexsort((*found.levels.T[::-1], found.suppressed, *rounded.T[::-1]))
        same = (rounded[order][1:] == rounded[order][:-1]).all(axis=1)
        return np.split(order, np.flatnonzero(~same) + 1) if len(order) else []


def _dominated(rivals: Floats, costs: Floats) -> NDArray[np.bool_]:
    dominated = np.empty(len(costs), bool)
    mark_dominated(rivals, costs, TOLERANCE, dominated)
    return dominated


def _rounded(costs: Floats) -> Floats:
    """Round to ten significant digits, so that values within the tolerance are equal."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 10.0 ** (9 - np.floor(np.log10(np.abs(costs))))
        rounded = np.round(costs * scale) / scale
    return np.where(np.isfinite(rounded), rounded, costs)


def names_of(written: str | Sequence[str]) -> tuple[str, ...]:
    """Split `k,l,loss` into names."""
    listed = written.split(",") if isinstance(written, str) else written
    return tuple(name.strip() for name in listed)
