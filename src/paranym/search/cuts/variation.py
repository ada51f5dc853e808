"""Evolutionary operators on arrays of cuts: first population, tournament, crossover, mutation.

An attribute with unconstrained cuts crosses at any point of its string; one that is constrained by a tree crosses where
both parents separate neighbours (Lunacek et al., 2006), so that every child is a cut of the tree.
"""

import math

import numpy as np
from numpy.typing import NDArray

from paranym.model.cuts import Bits, CutSpace
from paranym.search.cuts.formulations.archive import keys_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_DRAWS = 20
"""Most draws for a first population without duplicates."""
_MATINGS = 100
"""Most rounds of mating for children that the population does not contain yet."""


def first_population(space: CutSpace, size: int, start: Bits, random: np.random.Generator) -> Bits:
    """Return the given cuts, then random ones, without duplicates if possible; all cuts if they are few enough."""
    if space.size <= size:
        return np.array(list(space.each()), bool)
    drawn = start
    for _ in range(_DRAWS):
        _, first = np.unique(drawn, axis=0, return_index=True)
        drawn = drawn[np.sort(first)]
        if len(drawn) >= size:
            break
        drawn = np.concatenate([drawn, space.draw(size, random)])
    return drawn[: max(size, len(start))]


class Breeder:
    """Produces children with given rates of crossover and mutation."""

    def __init__(self, space: CutSpace, crossover: float, mutation: float) -> None:
        self.space, self._crossover, self._mutation = space, crossover, mutation

    def children(self, parents: Bits, random: np.random.Generator) -> Bits:
        """Return two children for every pair of the parents (2, pairs, bits)."""
        crossed = random.random(len(parents[0])) < self._crossover
        children = np.where(crossed[:, np.newaxis], cross(self.space, parents, random), parents)
        return mutate(self.space, np.concatenate(children), self._mutation, random)

    def offspring(self, bits: Bits, costs: Floats, crowding: Floats, size: int, random: np.random.Generator) -> Bits:
        """Return `size` new, distinct children of tournament winners; fewer if there are not enough."""
        seen = set(keys_of(bits))
        found = np.empty((0, bits.shape[1]), bool)
        for _ in range(_MATINGS):
            if len(found) == size:
                break
            pairs = math.ceil((size - len(found)) / 2)
            born = self.children(bits[tournament(costs, crowding, pairs, random)], random)
            new = {key: i for i, key in enumerate(keys_of(born)) if key not in seen}
            seen.update(new)
            found = np.concatenate([found, born[sorted(new.values())]])[:size]
        return found


def tournament(costs: Floats, crowding: Floats, pairs: int, random: np.random.Generator) -> Ints:
    """(2, pairs): parents by binary tournament: dominance decides, then the larger crowding distance, then chance.

    All individuals are drawn equally often, up to rounding.
    """
    everybody = np.tile(np.arange(len(costs)), (math.ceil(4 * pairs / len(costs)), 1))
    a, b = random.permuted(everybody, axis=1).reshape(-1)[: 4 * pairs].reshape(-1, 2).T
    wins, loses = (costs[a] < costs[b]).any(axis=1), (costs[a] > costs[b]).any(axis=1)
    even = wins == loses
    wins[even], loses[even] = (crowding[a] > crowding[b])[even], (crowding[a] < crowding[b])[even]
    even = wins == loses
    wins[even] = random.random(np.count_nonzero(even)) < 1 / 2
    return np.where(wins, a, b).reshape(2, pairs)


def cross(space: CutSpace, parents: Bits, random: np.random.Generator) -> Bits:
    """(2, pairs, bits): the children of every pair of parents."""
    children = parents.copy()
    for each, field in zip(space.attributes, space.fields, strict=True):
        points = np.ones(parents[0, :, field].shape, bool)
        if each.constrained:
            points = parents[0, :, field] & parents[1, :, field]
        # a string crosses after one of those bits; without any, it is exchanged as a whole or not at all
        chances = np.where(points, random.random(points.shape), -1.0)
        after = np.argmax(chances, axis=1) if each.length else np.zeros(len(points), np.int64)
        whole = np.where(random.random(len(points)) < 1 / 2, each.length, -1)
        after = np.where(points.any(axis=1), after, whole)
        behind = np.arange(each.length) > after[:, np.newaxis]
        children[0, :, field] = np.where(behind, parents[1, :, field], parents[0, :, field])
        children[1, :, field] = np.where(behind, parents[0, :, field], parents[1, :, field])
    return children


def mutate(space: CutSpace, bits: Bits, rate: float, random: np.random.Generator) -> Bits:
    """Return the recodings with one bit of each unconstrained attribute flipped with probability `rate`."""
    mutants = bits.copy()
    for each, field in zip(space.attributes, space.fields, strict=True):
        if not each.constrained and each.length:
            struck = np.flatnonzero(random.random(len(bits)) < rate)
            mutants[struck, field.start + random.integers(each.length, size=len(struck))] ^= True
    return mutants
