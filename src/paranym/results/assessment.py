"""Assessments of evaluated recodings: privacy values, loss, suppressed rows."""

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

TOLERANCE = 1e-9
"""The relative tolerance within which two losses are equal."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Assessments:
    """One entry per step, where a step is a node together with a number of suppressed rows.

    The steps of a node are adjacent. Only the first of them suppresses nothing; those that bind have ascending k.
    Where the requirements leave a node without a solution, its first step only holds the loss, and its k is 0.
    """

    levels: Ints
    """(steps, attributes)"""
    k: Ints
    suppressed: Ints
    loss: Floats
    surcharge: Floats
    """The loss that suppression adds to that of the node."""
    weighted_k: Floats
    counts: NDArray[np.bool_]
    """True if the step is a solution: the suppression rule admits it, and it meets the privacy requirements."""
    binds: NDArray[np.bool_]
    """True if the highest such step bounds all descendants: none has a larger k, or the same k at a lower surcharge."""
    values: Floats
    """(steps, further objectives)"""
    unresolved: NDArray[np.bool_]
    """True if the step is a bound and not a solution: the search for the classes to suppress did not finish. Every
    solution that it could find suppresses at least the rows of this step."""

    @classmethod
    def join(cls, parts: Sequence["Assessments"], attributes: int, further: int = 0) -> "Assessments":
        """Concatenate all parts; if there are none, return an empty value with these numbers of columns."""
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
                unresolved=yes,
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
        """The steps that bound the descendants of their node."""
        return self if self.binds.all() else self[self.binds]

    @property
    def solutions(self) -> "Assessments":
        """The steps that are solutions."""
        return self if self.counts.all() else self[self.counts]

    @property
    def bounds(self) -> "Assessments":
        """The steps that bound unknown solutions."""
        return self[self.unresolved]

    def merged(self, others: "Assessments") -> "Assessments":
        """Return the Pareto-optimal solutions of these and `others`; these must not dominate each other.

        Most others are discarded at once: a solution here has at least their k and a smaller loss.
        """
        least = np.append(self.loss[::-1], np.inf)
        rival = least[np.searchsorted(self.k[::-1], others.k)]
        good = (others.loss <= rival) | nearly_equal(others.loss, rival)
        return (self + others[good]).non_dominated() if good.any() else self

    def non_dominated(self) -> "Assessments":
        """Return the Pareto-optimal solutions, largest k first, solutions that share a point side by side.

        A solution is dominated by one with at least its k and at most its loss that is better in one of them.
        """
        order = np.lexsort((self.loss, -self.k))
        k, loss = self.k[order], self.loss[order]
        start = np.flatnonzero(np.diff(k, prepend=k[:1] + 1))
        least = loss[start]
        rival = np.minimum.accumulate(np.concatenate([[np.inf], least]))[:-1]
        good = (least < rival) & ~nearly_equal(least, rival)
        point = np.repeat(np.arange(len(start)), np.diff(np.append(start, len(order))))
        best = self[order[good[point] & nearly_equal(loss, least[point])]]
        return best[np.lexsort((*best.levels.T[::-1], best.suppressed, -best.k))]


def nearly_equal(a: Floats, b: Floats) -> NDArray[np.bool_]:
    """Return a mask of the losses that are equal up to the tolerance."""
    with np.errstate(invalid="ignore"):
        near: NDArray[np.bool_] = np.abs(a - b) <= TOLERANCE * np.maximum(np.abs(a), np.abs(b))
    return near & np.isfinite(b)
