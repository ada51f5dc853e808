"""Ranking of the generalizations that a search found: which are minimal, and which come first."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from paranym.model.derivation import Derive, Keep, Levels, Order
from paranym.results.assessment import Assessments

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]


def are_minimal(nodes: Ints, allowed: Sequence[Levels]) -> Truths:
    """Return which of all nodes that meet a requirement are minimal: no other of them is below.

    >>> are_minimal(np.array([[0, 2], [1, 2], [1, 4]]), [(0, 1), (2, 4)]).tolist()
    [True, False, False]
    """
    ranks = np.column_stack([np.searchsorted(levels, nodes[:, j]) for j, levels in enumerate(allowed)])
    covered = np.zeros([len(levels) for levels in allowed], bool)
    covered[tuple(ranks.T)] = True
    for axis in range(covered.ndim):
        np.logical_or.accumulate(covered, axis=axis, out=covered)
    minimal = np.ones(len(nodes), bool)
    for j in range(ranks.shape[1]):
        generalized = np.flatnonzero(ranks[:, j] > 0)
        lower = ranks[generalized].copy()
        lower[:, j] -= 1
        minimal[generalized] &= ~covered[tuple(lower.T)]
    return minimal


def has_lower(node: Levels, allowed: Sequence[Levels], derive: Derive) -> bool:
    """Whether a node right below meets the requirement too."""
    places = [levels.index(level) for levels, level in zip(allowed, node, strict=True)]
    lower = [(*node[:j], allowed[j][place - 1], *node[j + 1 :]) for j, place in enumerate(places) if place > 0]
    return any(each.holds for each in derive([Order(each, None, Keep.NEVER) for each in lower]))


def least_steps(steps: Assessments, nodes: int) -> Assessments:
    """Return the solution of least k of each node, which suppresses no more rows than necessary."""
    solutions = steps.solutions
    new = np.any(solutions.levels[1:] != solutions.levels[:-1], axis=1)
    first = solutions[np.flatnonzero(np.concatenate([[True], new]))]
    if len(first) != nodes:
        raise AssertionError(f"{nodes} nodes were found to meet the requirement, but {len(first)} do")
    return first


def best_first(found: Assessments, priorities: Sequence[int]) -> list[int]:
    """The order of solutions: the attributes that have priority, the loss, the height, the levels."""
    prior = [found.levels[:, j] for j in reversed(priorities)]
    order: list[int] = np.lexsort((*found.levels.T[::-1], found.levels.sum(axis=1), found.loss, *prior)).tolist()
    return order
