"""Greedy specialization of cuts, from the top: take the split with the least loss while privacy holds.

There is one descent for every privacy floor. All descents advance together, so that shared cuts are evaluated once.
"""

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from paranym.model.cuts import Bits, CutSpace
from paranym.results.assessment import Assessments
from paranym.search.cuts.formulations.archive import Archive, keys_of

Floats = NDArray[np.float64]

_LITTLE = 1e-6
"""A smaller decrease of privacy counts as none."""
_OFFERS = 256
"""Most splits that a step evaluates; of more, an evenly spread sample."""


def specialize(space: CutSpace, archive: Archive, floors: Floats) -> Iterator[int]:
    """Descend from the top under every floor; yield after every split the number of descents that continue.

    `floors` (floors, objectives) has the least value of each objective that is maximized. All cuts go to the archive.
    """
    top = np.zeros((1, space.length), bool)
    losses = _Losses(archive, floors)
    current = np.repeat(top, len(floors), axis=0)
    best = losses.of(top)[0]
    active = np.isfinite(best)
    while active.any():
        offers = [_offers(space, bits) if goes else top[:0] for bits, goes in zip(current, active, strict=True)]
        found = losses.of(np.concatenate(offers))
        ends = np.cumsum([len(each) for each in offers])
        for floor, (begin, end) in enumerate(itertools.pairwise([0, *ends.tolist()])):
            mine = found[begin:end, floor]
            active[floor] = bool(len(mine)) and bool(mine.min() < best[floor])
            if active[floor]:
                best[floor] = mine.min()
                current[floor] = offers[floor][int(mine.argmin())]
        yield int(active.sum())


def descend(space: CutSpace, archive: Archive) -> Iterator[int]:
    """Descend from the top to the bottom by the splits that save most loss per unit of privacy.

    Yields the number of evaluated recodings after every split. Loss and privacy are the objectives of the evolution.
    """
    privacy = [each.larger_is_better for each in archive.formulated.selects.listed]
    here = np.zeros(space.length, bool)
    while len(offers := _offers(space, here)):
        change = archive.fitness(offers) - archive.fitness(here[np.newaxis])
        given_up = change[:, privacy].sum(axis=1)
        saved = -change[:, np.logical_not(privacy)].sum(axis=1)
        here = offers[int(np.argmax(saved / np.maximum(given_up, _LITTLE)))]
        yield len(archive)


def floors_of(archive: Archive, count: int) -> Floats:
    """About `count` floors of all objectives that are maximized, evenly spaced by ratios."""
    ceilings = [
        archive.formulated.ceilings[each.name] for each in archive.formulated.lists.listed if each.larger_is_better
    ]
    each = max(round(count ** (1 / len(ceilings))), 1)
    ladders = [np.geomspace(min(2.0, most), most, each + 1)[:-1] for most in ceilings]
    return np.array(list(itertools.product(*ladders)))


def _offers(space: CutSpace, bits: Bits) -> Bits:
    """The splits to choose from; long strings have many, and neighbouring ones are nearly equal."""
    splits = space.splits(bits)
    if len(splits) > _OFFERS:
        splits = splits[np.linspace(0, len(splits) - 1, _OFFERS).astype(int)]
    return splits


class _Losses:
    """Loss of recodings for each floor; infinite if their privacy is below it."""

    def __init__(self, archive: Archive, floors: Floats) -> None:
        self._archive, self._floors = archive, floors
        self._known: dict[bytes, Floats] = {}

    def of(self, bits: Bits) -> Floats:
        """(recodings, floors)"""
        keys = keys_of(bits)
        new = {key: i for i, key in enumerate(keys) if key not in self._known}
        if new:
            steps = self._archive.evaluate(bits[list(new.values())])
            self._known.update(zip(new, self._measure(steps, len(new)), strict=True))
        return np.array([self._known[key] for key in keys]).reshape(len(keys), len(self._floors))

    def _measure(self, steps: Assessments, recodings: int) -> Floats:
        formulated = self._archive.formulated
        privacy = np.column_stack([each.of(steps) for each in formulated.lists.listed if each.larger_is_better])
        costs = formulated.normalized_costs(formulated.lists, steps)
        loss = costs[:, [not each.larger_is_better for each in formulated.lists.listed]].sum(axis=1)
        least = np.full((recodings, len(self._floors)), np.inf)
        for floor, needed in enumerate(self._floors):
            achieved = np.flatnonzero((privacy >= needed * (1 - 1e-9)).all(axis=1))
            np.minimum.at(least[:, floor], steps.levels[achieved, 0], loss[achieved])
        return least
