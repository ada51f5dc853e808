"""Graph generation (section 3.1.2): the nodes with one attribute more that can still meet the requirement.

Removing an attribute from a family generalizes it to the top, which preserves a monotone requirement.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from paranym.search.fixed_k.base import Choices, Family, Truths
from paranym.search.fixed_k.graph import Graph

Met = Mapping[Family, Truths]
"""The nodes that meet the requirement, by family."""


def single_graphs(choices: Choices) -> list[Graph]:
    """The first graphs: every level of every attribute."""
    return [Graph((j,), np.ones(len(levels), bool)) for j, levels in enumerate(choices.levels)]


def next_graphs(families: list[Family], met: Met) -> list[Graph]:
    """Return the graphs of families with one attribute more than those in `met`."""
    return [Graph(family, prune(family, join(family, met), met)) for family in families]


def whole_candidates(choices: Choices, graphs: Sequence[Graph]) -> Truths:
    """The nodes of all attributes that are candidates in every one of these families."""
    whole = np.ones([len(levels) for levels in choices.levels], bool)
    for graph in graphs:
        left_out = [j for j in choices.attributes if j not in graph.family]
        whole &= np.expand_dims(graph.candidates, left_out)
    return whole


def extendable(choices: Choices, graphs: Sequence[Graph]) -> list[Graph]:
    """Return the graphs without nodes that no candidate of all attributes extends.

    Such nodes exist only if top levels are forbidden: otherwise a candidate extends to all others at the top.
    """
    if all(levels[-1] == top for levels, top in zip(choices.levels, choices.tops, strict=True)):
        return list(graphs)
    whole = whole_candidates(choices, graphs)
    kept = []
    for graph in graphs:
        left_out = tuple(j for j in choices.attributes if j not in graph.family)
        kept.append(Graph(graph.family, np.logical_or.reduce(whole, axis=left_out)))
    return kept


def join(family: Family, met: Met) -> Truths:
    """The join phase: nodes whose two parents, without the last attribute or the one before it, are candidates."""
    return _spread(met[family[:-1]], len(family) - 1) & _spread(met[(*family[:-2], family[-1])], len(family) - 2)


def prune(family: Family, joined: Truths, met: Met) -> Truths:
    """The prune phase: keep nodes whose other subsets are candidates, too."""
    candidates = joined.copy()
    for place in range(len(family) - 2):
        candidates &= _spread(met[family[:place] + family[place + 1 :]], place)
    return candidates


def _spread(nodes: Truths, place: int) -> Truths:
    """Repeat the nodes for every level of an attribute that is inserted at that place."""
    return np.expand_dims(nodes, place)
