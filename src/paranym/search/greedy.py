"""Greedy specialization of cuts, from the top: the split that loses least is taken as long as privacy holds.

One climb for every floor of privacy, all of them in step, so that what several ask for is evaluated once and at once.
"""

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from paranym.model.assessment import Assessments
from paranym.model.cuts import Bits, CutSpace
from paranym.search.problems.archive import Archive, keys_of

Floats = NDArray[np.float64]

_LITTLE = 1e-6
"""Less privacy than this is given up for nothing."""


def specialize(space: CutSpace, archive: Archive, floors: Floats) -> Iterator[int]:
    """Climb down from the top under every floor; yield after every split how many climbs still go on.

    `floors` (floors, objectives) has the least of each objective that should be large. What was met is in the archive.
    """
    top = np.zeros((1, space.length), bool)
    losses = _Losses(archive, floors)
    current = np.repeat(top, len(floors), axis=0)
    best = losses.of(top)[0]
    active = np.isfinite(best)
    while active.any():
        offers = [space.splits(bits) if goes else top[:0] for bits, goes in zip(current, active, strict=True)]
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
    """Climb down from the top to the bottom by the splits that save most loss for the privacy that they give up.

    Yields after every split how many recodings were met. What evolution selects by is what is saved and given up.
    """
    privacy = [each.larger_is_better for each in archive.sought.selects.listed]
    here = np.zeros(space.length, bool)
    while len(offers := space.splits(here)):
        change = archive.fitness(offers) - archive.fitness(here[np.newaxis])
        given_up = change[:, privacy].sum(axis=1)
        saved = -change[:, np.logical_not(privacy)].sum(axis=1)
        here = offers[int(np.argmax(saved / np.maximum(given_up, _LITTLE)))]
        yield len(archive)


def floors_of(archive: Archive, count: int) -> Floats:
    """About so many floors of all objectives that should be large, evenly spread by ratios."""
    ceilings = [archive.sought.ceilings[each.name] for each in archive.sought.lists.listed if each.larger_is_better]
    each = max(round(count ** (1 / len(ceilings))), 1)
    ladders = [np.geomspace(min(2.0, most), most, each + 1)[:-1] for most in ceilings]
    return np.array(list(itertools.product(*ladders)))


class _Losses:
    """What recodings lose under each floor; infinite if they do not reach it."""

    def __init__(self, archive: Archive, floors: Floats) -> None:
        self._archive, self._floors = archive, floors
        self._known: dict[bytes, Floats] = {}

    def of(self, bits: Bits) -> Floats:
        """(recodings, floors)"""
        keys = keys_of(bits)
        new = {key: i for i, key in enumerate(keys) if key not in self._known}
        if new:
            steps = self._archive.meet(bits[list(new.values())])
            self._known.update(zip(new, self._measure(steps, len(new)), strict=True))
        return np.array([self._known[key] for key in keys]).reshape(len(keys), len(self._floors))

    def _measure(self, steps: Assessments, recodings: int) -> Floats:
        sought = self._archive.sought
        privacy = np.column_stack([each.of(steps) for each in sought.lists.listed if each.larger_is_better])
        ills = sought.ills(sought.lists, steps)
        loss = ills[:, [not each.larger_is_better for each in sought.lists.listed]].sum(axis=1)
        least = np.full((recodings, len(self._floors)), np.inf)
        for floor, needed in enumerate(self._floors):
            reached = np.flatnonzero((privacy >= needed * (1 - 1e-9)).all(axis=1))
            np.minimum.at(least[:, floor], steps.levels[reached, 0], loss[reached])
        return least
