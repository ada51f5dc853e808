"""What is known of evaluated recodings: privacy values, loss, suppressed rows."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TOLERANCE = 1e-9
"""Two losses within this, relative to the larger, are equal."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Assessments:
    """One entry per assessed step: a node together with a step of its staircase.

    The steps of a node are neighbours. The first of them, and no other, suppresses nothing; those that bind have
    ascending k. Where requirements leave a node no solution, its first step tells the loss alone, and its k is 0.
    """

    levels: Ints
    """(steps, attributes)"""
    k: Ints
    suppressed: Ints
    loss: Floats
    surcharge: Floats
    """What suppression adds to the loss of the node."""
    weighted_k: Floats
    counts: NDArray[np.bool_]
    """Whether the step is a solution: the suppression rule takes it for one, and it meets what is demanded."""
    binds: NDArray[np.bool_]
    """Whether nodes below reach no larger k than the highest such step of this node, and pay no less for the same k."""
    values: Floats
    """(steps, further objectives): what is reached by each."""

    @classmethod
    def join(cls, parts: Sequence["Assessments"], attributes: int, further: int = 0) -> "Assessments":
        """All parts one after the other; of none, for that many attributes and further objectives."""
        if not parts:
            none = np.empty(0)
            whole, yes = none.astype(np.int64), none.astype(bool)
            return cls(
                levels=np.empty((0, attributes), np.int64),
                k=whole,
                suppressed=whole,
                loss=none,
                surcharge=none,
                weighted_k=none,
                counts=yes,
                binds=yes,
                values=np.empty((0, further)),
            )
        if len(parts) == 1:
            return parts[0]
        return cls(**{each.name: np.concatenate([getattr(part, each.name) for part in parts]) for each in fields(cls)})

    def __len__(self) -> int:
        return len(self.k)

    def __getitem__(self, which: NDArray[np.integer] | NDArray[np.bool_]) -> "Assessments":
        return Assessments(**{each.name: getattr(self, each.name)[which] for each in fields(self)})

    def __add__(self, other: "Assessments") -> "Assessments":
        return Assessments.join([self, other], self.levels.shape[1])

    @property
    def binding(self) -> "Assessments":
        """The steps that bound what nodes below can reach."""
        return self if self.binds.all() else self[self.binds]

    @property
    def solutions(self) -> "Assessments":
        """The steps that the suppression rule takes for solutions."""
        return self if self.counts.all() else self[self.counts]

    def merged(self, others: "Assessments") -> "Assessments":
        """The unbeaten among these solutions, which are unbeaten themselves, and `others`.

        Most others fall at the first look: some solution here has at least their k and a smaller loss.
        """
        least = np.append(self.loss[::-1], np.inf)
        rival = least[np.searchsorted(self.k[::-1], others.k)]
        good = (others.loss <= rival) | alike(others.loss, rival)
        return (self + others[good]).unbeaten() if good.any() else self

    def unbeaten(self) -> "Assessments":
        """The solutions that no other one beats, best k first, solutions that share a point side by side.

        A solution is beaten by one of at least its k and at most its loss that is better in one of them.
        """
        order = np.lexsort((self.loss, -self.k))
        k, loss = self.k[order], self.loss[order]
        start = np.flatnonzero(np.diff(k, prepend=k[:1] + 1))
        least = loss[start]
        rival = np.minimum.accumulate(np.concatenate([[np.inf], least]))[:-1]
        good = (least < rival) & ~alike(least, rival)
        point = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(order))))
        best = self[order[good[point] & alike(loss, least[point])]]
        return best[np.lexsort((*best.levels.T[::-1], best.suppressed, -best.k))]


def alike(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Whether losses are equal up to the tolerance."""
    with np.errstate(invalid="ignore"):
        near: NDArray[np.bool_] = np.abs(a - b) <= TOLERANCE * np.maximum(np.abs(a), np.abs(b))
    return near & np.isfinite(b)
