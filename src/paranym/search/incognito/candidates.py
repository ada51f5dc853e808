"""Graph generation (section 3.1.2): which nodes of one attribute more can still meet the requirement.

The requirement is kept when an attribute is left out: that is generalizing it to the top.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from paranym.search.full_domain.base import Choices, Family, Truths
from paranym.search.full_domain.graph import Graph

Standing = Mapping[Family, Truths]
"""By family, which of its nodes meet the requirement."""


def single_graphs(choices: Choices) -> list[Graph]:
    """The first graphs: every level of every attribute."""
    return [Graph((j,), np.ones(len(levels), bool)) for j, levels in enumerate(choices.levels)]


def next_graphs(families: list[Family], standing: Standing) -> list[Graph]:
    """The graphs of families of one attribute more than those in `standing`."""
    return [Graph(family, prune(family, join(family, standing), standing)) for family in families]


def whole_candidates(choices: Choices, graphs: Sequence[Graph]) -> Truths:
    """The nodes of all attributes that are candidates in every one of these families."""
    whole = np.ones([len(levels) for levels in choices.levels], bool)
    for graph in graphs:
        left_out = [j for j in choices.attributes if j not in graph.family]
        whole &= np.expand_dims(graph.candidates, left_out)
    return whole


def extendable(choices: Choices, graphs: Sequence[Graph]) -> list[Graph]:
    """The same graphs without nodes that no candidate of all attributes agrees with.

    Only where top levels are forbidden are there such nodes: else a candidate stays one with all others at the top.
    """
    if all(levels[-1] == top for levels, top in zip(choices.levels, choices.tops, strict=True)):
        return list(graphs)
    whole = whole_candidates(choices, graphs)
    kept = []
    for graph in graphs:
        left_out = tuple(j for j in choices.attributes if j not in graph.family)
        kept.append(Graph(graph.family, np.logical_or.reduce(whole, axis=left_out)))
    return kept


def join(family: Family, standing: Standing) -> Truths:
    """The join phase: nodes of which both parents stand, those without the last attribute or the one before it."""
    return _spread(standing[family[:-1]], len(family) - 1) & _spread(
        standing[(*family[:-2], family[-1])], len(family) - 2
    )


def prune(family: Family, joined: Truths, standing: Standing) -> Truths:
    """The prune phase: those of which every other subset stands too."""
    candidates = joined.copy()
    for place in range(len(family) - 2):
        candidates &= _spread(standing[family[:place] + family[place + 1 :]], place)
    return candidates


def _spread(nodes: Truths, place: int) -> Truths:
    """The same for every level of an attribute that comes in at that place."""
    return np.expand_dims(nodes, place)
