"""What is known of evaluated recodings: privacy values, loss, suppressed rows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TOLERANCE = 1e-9
"""Two losses within this, relative to the larger, are equal."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Assessments:
    """One entry per solution: a node together with a step of its staircase."""

    levels: Ints
    """(solutions, attributes)"""
    k: Ints
    suppressed: Ints
    loss: Floats
    weighted_k: Floats

    @classmethod
    def none(cls, attributes: int) -> "Assessments":
        """No solutions yet."""
        empty = np.empty(0, np.int64)
        return cls(
            levels=np.empty((0, attributes), np.int64),
            k=empty,
            suppressed=empty,
            loss=np.empty(0),
            weighted_k=np.empty(0),
        )

    def __len__(self) -> int:
        return len(self.k)

    def __getitem__(self, which: NDArray[np.integer] | NDArray[np.bool_]) -> "Assessments":
        return Assessments(
            levels=self.levels[which],
            k=self.k[which],
            suppressed=self.suppressed[which],
            loss=self.loss[which],
            weighted_k=self.weighted_k[which],
        )

    def __add__(self, other: "Assessments") -> "Assessments":
        return Assessments(
            levels=np.concatenate([self.levels, other.levels]),
            k=np.concatenate([self.k, other.k]),
            suppressed=np.concatenate([self.suppressed, other.suppressed]),
            loss=np.concatenate([self.loss, other.loss]),
            weighted_k=np.concatenate([self.weighted_k, other.weighted_k]),
        )

    def unbeaten(self) -> "Assessments":
        """The solutions that no other one beats, best k first, solutions that share a point side by side.

        A solution is beaten by one of at least its k and at most its loss that is better in one of them.
        """
        ranked = self[np.lexsort((self.loss, -self.k))]
        _, start = np.unique(-ranked.k, return_index=True)
        least = ranked.loss[start]
        rival = np.minimum.accumulate(np.concatenate([[np.inf], least]))[:-1]
        good = (least < rival) & ~alike(least, rival)
        point = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(ranked))))
        best = ranked[good[point] & alike(ranked.loss, least[point])]
        return best[np.lexsort((*best.levels.T[::-1], best.suppressed, -best.k))]


def alike(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Whether losses are equal up to the tolerance."""
    with np.errstate(invalid="ignore"):
        near: NDArray[np.bool_] = np.abs(a - b) <= TOLERANCE * np.maximum(np.abs(a), np.abs(b))
    return near & np.isfinite(b)
