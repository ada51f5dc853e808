"""The parts of every multi-objective problem: objectives, suppression limit, and the classes that are kept."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.results.assessment import Assessments

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

K, L, WEIGHTED_K, WEIGHTED_L, GL, SL, LOSS = "k", "l", "weighted_k", "weighted_l", "gl", "sl", "loss"
D1, D2 = "d1", "d2"


class Property(StrEnum):
    """The privacy value of a class: its size, or the diversity of its sensitive values."""

    SIZE = "k"
    DIVERSITY = "l"


class RecodedClasses(NamedTuple):
    """The classes of several recodings, end to end."""

    recoding: Ints
    """The recoding that each class belongs to."""
    sizes: Ints
    diversity: Ints
    """The whole part of l of every class; zeros if diversity is not needed."""
    recodings: int
    rows: int
    """N."""
    limit: int
    """At most this many rows may be suppressed."""

    def weighed(self, values: Ints) -> Floats:
        """For every recoding: the mean value over rows."""
        totals = np.bincount(self.recoding, weights=self.sizes * values, minlength=self.recodings)
        return totals.astype(np.float64) / self.rows

    def least(self, values: Ints, which: Flags) -> Ints:
        """For every recoding: the least value among these classes; 0 if there are none."""
        least = np.full(self.recodings, np.iinfo(np.int64).max)
        np.minimum.at(least, self.recoding[which], values[which])
        return np.where(least == np.iinfo(np.int64).max, 0, least)


class Outcome(NamedTuple):
    """The classes that are published, and further values of every recoding."""

    spared: Flags
    values: Mapping[str, Floats | Ints]


@dataclass(frozen=True)
class Formulation(ABC):
    """One of the multi-objective problems, about k-anonymity or about l-diversity."""

    number: ClassVar[int]
    title: ClassVar[str]
    population: ClassVar[int]
    """Population size of the paper."""

    privacy: Property = Property.SIZE

    @property
    @abstractmethod
    def selects(self) -> tuple[str, ...]:
        """The objectives of the paper, by which evolution selects."""

    @property
    def lists(self) -> tuple[str, ...]:
        """The objectives of the front."""
        return self.selects

    @property
    def reported(self) -> tuple[str, ...]:
        """Names of the values of an outcome."""
        return ()

    @property
    def needs_diversity(self) -> bool:
        """Whether the sensitive values of classes are needed."""
        return self.privacy is Property.DIVERSITY

    def limit(self, allowed: int, rows: int) -> int:
        """Return the suppression limit, where a recipe allows `allowed` of all `rows`."""
        return allowed

    def pick(self, steps: Assessments) -> Ints | None:
        """Return the one step of each staircase that evolution sees; None if `spare` selects classes instead."""
        return None

    @abstractmethod
    def spare(self, classes: RecodedClasses) -> Outcome:
        """Select the classes that are published."""


def spare_in_order(classes: RecodedClasses, first: Ints, second: Ints | None = None) -> tuple[Flags, Ints, Ints]:
    """Suppress classes by ascending `first`, then `second`, as long as the limit allows; equal ones together.

    Returns which classes are published, and for every recoding both values of its first published class.
    """
    second = np.zeros(len(first), np.int64) if second is None else second
    order = np.lexsort((second, first, classes.recoding))
    places = np.column_stack([classes.recoding, first, second])[order]
    total = np.cumsum(classes.sizes[order])
    begins = np.searchsorted(places[:, 0], np.arange(classes.recodings))
    before = np.concatenate([[0], total])[begins]
    ends = np.append((places[1:] != places[:-1]).any(axis=1), True)
    last = np.flatnonzero(ends)[np.searchsorted(np.flatnonzero(ends), np.arange(len(order)))]
    goes = total[last] - before[places[:, 0]] <= classes.limit
    spared = np.empty(len(order), bool)
    spared[order] = ~goes
    start = begins + np.bincount(places[goes, 0], minlength=classes.recodings)
    return spared, places[start, 1], places[start, 2]
