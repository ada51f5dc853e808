"""What is traded off: k and loss, or more."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paranym.kernels.dominance import beaten_by
from paranym.model.assessment import TOLERANCE, Assessments

Floats = NDArray[np.float64]

K, SUPPRESSION, LOSS = "k", "suppression", "loss"


@dataclass(frozen=True, slots=True)
class Objective:
    """One of the things that a publisher wants: a large k, little loss, few rows left out, a large l, a small t."""

    name: str
    larger_is_better: bool
    place: int | None = None
    """Its column among the further values of an assessment."""

    def of(self, steps: Assessments) -> Floats:
        """The value of every step."""
        if self.place is not None:
            return steps.values[:, self.place]
        return {K: steps.k, SUPPRESSION: steps.suppressed, LOSS: steps.loss}[self.name].astype(float)


@dataclass(frozen=True, slots=True)
class Objectives:
    """Everything that is wanted at once. A solution is beaten by one that is as good in all and better in one of them.

    >>> Objectives.plain().names
    ('k', 'loss')
    """

    listed: tuple[Objective, ...]

    @classmethod
    def plain(cls) -> "Objectives":
        """The usual two."""
        return cls((Objective(K, larger_is_better=True), Objective(LOSS, larger_is_better=False)))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(objective.name for objective in self.listed)

    @property
    def further(self) -> int:
        """How many are neither k nor suppression nor loss."""
        return sum(objective.place is not None for objective in self.listed)

    @property
    def are_plain(self) -> bool:
        """Whether they are k and loss."""
        return set(self.names) == {K, LOSS}

    def costs(self, steps: Assessments) -> Floats:
        """(steps, objectives): every value so that smaller is better."""
        signs = [-1.0 if objective.larger_is_better else 1.0 for objective in self.listed]
        columns = [sign * objective.of(steps) for sign, objective in zip(signs, self.listed, strict=True)]
        return np.ascontiguousarray(np.column_stack(columns)) if columns else np.empty((len(steps), 0))

    def further_costs(self, steps: Assessments) -> Floats:
        """(steps, further objectives): the same of those that are neither k nor suppression nor loss.

        A step that is no solution reaches nothing.
        """
        costs = np.empty((len(steps), self.further))
        for objective in self.listed:
            if objective.place is not None:
                sign = -1.0 if objective.larger_is_better else 1.0
                costs[:, objective.place] = np.where(steps.counts, sign * objective.of(steps), np.inf)
        return costs

    def merge(self, found: Assessments, others: Assessments) -> Assessments:
        """The unbeaten among solutions that are unbeaten themselves and others."""
        if self.are_plain:
            return found.merged(others)
        new = others[~_beaten(self.costs(found), self.costs(others))]
        new = new[~_beaten(self.costs(new), self.costs(new))]
        if not len(new):
            return found
        return found[~_beaten(self.costs(new), self.costs(found))] + new

    def groups(self, found: Assessments) -> list[NDArray[np.int64]]:
        """Which solutions share a point: those whose values are all equal, best first by the first objective."""
        rounded = _rounded(self.costs(found))
        order = np.lexsort((*found.levels.T[::-1], found.suppressed, *rounded.T[::-1]))
        same = (rounded[order][1:] == rounded[order][:-1]).all(axis=1)
        return np.split(order, np.flatnonzero(~same) + 1) if len(order) else []


def _beaten(rivals: Floats, costs: Floats) -> NDArray[np.bool_]:
    beaten = np.empty(len(costs), bool)
    beaten_by(rivals, costs, TOLERANCE, beaten)
    return beaten


def _rounded(costs: Floats) -> Floats:
    """Ten significant digits, so that what is equal up to the tolerance is equal."""
    with np.errstate(divide="ignore", invalid="ignore"):
        scale = 10.0 ** (9 - np.floor(np.log10(np.abs(costs))))
        rounded = np.round(costs * scale) / scale
    return np.where(np.isfinite(rounded), rounded, costs)


def names_of(written: str | Sequence[str]) -> tuple[str, ...]:
    """`k,l,loss` as names."""
    listed = written.split(",") if isinstance(written, str) else written
    return tuple(name.strip() for name in listed)
