"""From recodings to recodings: first populations, pairs that cross, bits that mutate, all of them in arrays.

An attribute whose cuts are unconstrained crosses at any point of its string; one that is constrained by a tree crosses
where both parents tell neighbours apart (Lunacek et al., 2006), so that every child is a cut of the tree.
"""

import math

import numpy as np
from numpy.typing import NDArray

from paranym.model.cuts import Bits, CutSpace
from paranym.search.problems.archive import keys_of

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_DRAWS = 20
"""So often is drawn again for a first population without twins."""
_MATINGS = 100
"""So often a population mates for children that it does not have yet."""


def first_population(space: CutSpace, size: int, start: Bits, random: np.random.Generator) -> Bits:
    """The given cuts, then cuts drawn at random, none of them twice if enough can be had; all where all find room."""
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
    """Makes children, by the rates at which pairs cross and strings mutate."""

    def __init__(self, space: CutSpace, crossover: float, mutation: float) -> None:
        self.space, self._crossover, self._mutation = space, crossover, mutation

    def children(self, parents: Bits, random: np.random.Generator) -> Bits:
        """Two for every pair of the parents (2, pairs, bits)."""
        crossed = random.random(len(parents[0])) < self._crossover
        children = np.where(crossed[:, np.newaxis], cross(self.space, parents, random), parents)
        return mutate(self.space, np.concatenate(children), self._mutation, random)

    def offspring(self, bits: Bits, ills: Floats, room: Floats, size: int, random: np.random.Generator) -> Bits:
        """So many children of those who win tournaments, none of them twice or there already; fewer if need be."""
        seen = set(keys_of(bits))
        found = np.empty((0, bits.shape[1]), bool)
        for _ in range(_MATINGS):
            if len(found) == size:
                break
            pairs = math.ceil((size - len(found)) / 2)
            born = self.children(bits[tournament(ills, room, pairs, random)], random)
            new = {key: i for i, key in enumerate(keys_of(born)) if key not in seen}
            seen.update(new)
            found = np.concatenate([found, born[sorted(new.values())]])[:size]
        return found


def tournament(ills: Floats, room: Floats, pairs: int, random: np.random.Generator) -> Ints:
    """(2, pairs): who meets whom. Of two who are drawn the one that beats the other, or has more room, or either.

    Everybody is drawn as often as anybody else, as far as that comes out even.
    """
    everybody = np.tile(np.arange(len(ills)), (math.ceil(4 * pairs / len(ills)), 1))
    a, b = random.permuted(everybody, axis=1).reshape(-1)[: 4 * pairs].reshape(-1, 2).T
    wins, loses = (ills[a] < ills[b]).any(axis=1), (ills[a] > ills[b]).any(axis=1)
    even = wins == loses
    wins[even], loses[even] = (room[a] > room[b])[even], (room[a] < room[b])[even]
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
        # a string crosses after one of those bits, or, where there is none, goes over whole or not at all
        chances = np.where(points, random.random(points.shape), -1.0)
        after = np.argmax(chances, axis=1) if each.length else np.zeros(len(points), np.int64)
        whole = np.where(random.random(len(points)) < 1 / 2, each.length, -1)
        after = np.where(points.any(axis=1), after, whole)
        behind = np.arange(each.length) > after[:, np.newaxis]
        children[0, :, field] = np.where(behind, parents[1, :, field], parents[0, :, field])
        children[1, :, field] = np.where(behind, parents[0, :, field], parents[1, :, field])
    return children


def mutate(space: CutSpace, bits: Bits, rate: float, random: np.random.Generator) -> Bits:
    """The same recodings, one bit of each unconstrained attribute flipped with probability `rate`."""
    mutants = bits.copy()
    for each, field in zip(space.attributes, space.fields, strict=True):
        if not each.constrained and each.length:
            struck = np.flatnonzero(random.random(len(bits)) < rate)
            mutants[struck, field.start + random.integers(each.length, size=len(struck))] ^= True
    return mutants
