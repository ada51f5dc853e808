"""What every privacy model says about itself, and the classes that it judges."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.frequency import FrequencySet
from paranym.model.values import is_number

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

_Number = TypeVar("_Number", np.int64, np.float64)

ALIKE = 1e-9
"""Two values within this share of each other are equal, as two losses are."""
_NOTHING = 1e-12
"""What is left of zero after rounding."""


class Reference(StrEnum):
    """Whose distribution of a sensitive attribute a class is compared with."""

    RELEASED = "released"
    """That of the rows that are published, so that an audit of the release can confirm it."""
    ORIGINAL = "original"
    """That of the table before anything was suppressed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What is true of a model on every table. Searches rely on it; property tests check it."""

    larger_is_better: bool
    """Whether a larger value protects more: l does, t does not."""
    monotone: bool
    """Without suppression, the value that the table reaches never gets worse upwards."""
    survives_growth: bool
    """A class that gains rows never gets worse, so that rows which need not be suppressed at a node need not be
    suppressed above it. Where this is false, suppression undoes `monotone`: a good class may merge with one that was
    suppressed below, and be lost with it."""
    strict: bool = False
    """A value equal to the threshold breaks the requirement."""
    needs_sensitive: bool = True
    """Asks for the histogram of a sensitive attribute."""
    needs_reference: bool = False
    """Asks for the distribution that classes are compared with."""
    needs_population: bool = False
    """Asks how many people of a population have the quasi-identifiers of each class."""

    def is_local(self, reference: Reference) -> bool:
        """Whether what is suppressed elsewhere leaves the value of a class alone."""
        return not self.needs_reference or reference is Reference.ORIGINAL

    def worst(self, values: Iterable[float]) -> float:
        """The value of the whole from those of its parts; the best there is if there are no parts."""
        if self.larger_is_better:
            return min(values, default=float("inf"))
        return max(values, default=0.0)

    def allows(self, values: Floats, threshold: float) -> Truths:
        """Which values are at least (or at most) the threshold; those within 1e-9 of it are equal to it."""
        near = ALIKE * abs(threshold) + _NOTHING
        slack = -near if self.strict else near
        return values >= threshold - slack if self.larger_is_better else values <= threshold + slack


@dataclass(frozen=True, eq=False)
class Classes:
    """The classes of a table: how large they are, and which values of one sensitive attribute occur how often in each.

    The histogram is sparse: entry e says that `amounts[e]` rows of class `owners[e]` have value `columns[e]`, at most
    one entry for each pair, in any order.
    """

    sizes: Ints
    owners: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    columns: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    amounts: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    reference: Ints | None = None
    """How many rows of the reference have each value; None: the rows of these classes are the reference."""
    population: Ints | None = None
    """How many people of the population belong to each class."""
    absent: int = 0
    """How many classes of the population have no row here."""

    @classmethod
    def of(cls, frequency: FrequencySet, attribute: str | None = None, *, reference: Ints | None = None) -> "Classes":
        """The combinations of a frequency set, with the histogram of one of its attributes."""
        if attribute is None:
            return cls(frequency.counts)
        histogram = frequency.histogram
        block = histogram.blocks[attribute]
        owners, columns, amounts = histogram.owners, histogram.columns, histogram.amounts
        if len(histogram.blocks) > 1:
            mine = (columns >= block.start) & (columns < block.stop)
            owners, columns, amounts = owners[mine], columns[mine], amounts[mine]
        return cls(frequency.counts, owners, columns - np.int32(block.start), amounts, reference)

    @cached_property
    def shares(self) -> Floats:
        """Per entry: the share of its class that has its value."""
        return self.amounts / self.sizes[self.owners]

    @cached_property
    def compared_with(self) -> Ints:
        """Per value: how many rows of the reference have it."""
        if self.reference is not None:
            return self.reference
        return np.bincount(self.columns, weights=self.amounts).astype(np.int64)

    @cached_property
    def expected(self) -> Floats:
        """Per value: its share of the reference."""
        return self.compared_with / max(int(self.compared_with.sum()), 1)

    @cached_property
    def excess(self) -> Floats:
        """Per entry: by how much its share exceeds that of the reference."""
        return self.shares - self.expected[self.columns]

    @cached_property
    def largest(self) -> Ints:
        """Per class: the rows of its most frequent value."""
        return self.most(self.amounts)

    @cached_property
    def distinct(self) -> Ints:
        """Per class: how many values occur."""
        return np.bincount(self.owners, minlength=len(self.sizes))

    @cached_property
    def in_order(self) -> "Classes":
        """The same with entries by class, and by value within each."""
        width = int(self.columns.max(initial=0)) + 1
        places = self.owners.astype(np.int64) * width + self.columns
        if np.all(places[1:] > places[:-1]):
            return self
        order = np.argsort(places)
        return replace(self, owners=self.owners[order], columns=self.columns[order], amounts=self.amounts[order])

    def total(self, entries: Floats | Ints) -> Floats:
        """Per class: the sum of what its entries have."""
        sums = np.bincount(self.owners, weights=entries, minlength=len(self.sizes))
        return sums.astype(np.float64, copy=False)

    def most(self, entries: NDArray[_Number]) -> NDArray[_Number]:
        """Per class: the largest of what its entries have, or zero if all have less."""
        found = np.zeros(len(self.sizes), entries.dtype)
        np.maximum.at(found, self.owners, entries)
        return found

    def kept(self, which: Truths) -> "Classes":
        """What is left when the other classes are suppressed; so is the reference, unless one was given."""
        number = np.cumsum(which, dtype=np.int32) - np.int32(1)
        mine = which[self.owners]
        return replace(
            self,
            sizes=self.sizes[which],
            owners=number[self.owners[mine]],
            columns=self.columns[mine],
            amounts=self.amounts[mine],
            population=None if self.population is None else self.population[which],
            absent=self.absent + int(np.count_nonzero(~which)) if self.population is not None else 0,
        )


class Model(Protocol):
    """A privacy model: a value for every class; the table reaches the worst of them."""

    name: ClassVar[str]
    title: ClassVar[str]
    facts: ClassVar[Facts]

    def of(self, classes: Classes) -> Floats:
        """The value of every class."""

    def reached(self, classes: Classes) -> float:
        """The value that the table reaches: the largest l, the smallest t."""


class Maker(Protocol):
    """A class of models: its facts hold whatever the parameters are that some take."""

    @property
    def name(self) -> str: ...

    @property
    def facts(self) -> Facts: ...

    def __call__(self, *parameters: Any, **named: Any) -> Model: ...


class WorstClass(ABC):
    """What models have in common: a table is as good as its worst class. A subclass says the values of classes."""

    facts: ClassVar[Facts]

    @abstractmethod
    def of(self, classes: Classes) -> Floats:
        """The value of every class."""

    def reached(self, classes: Classes) -> float:
        """The value that the table reaches."""
        values = self.of(classes)
        if not len(values):
            return self.facts.worst(())
        return float(values.min() if self.facts.larger_is_better else values.max())


@dataclass(frozen=True, slots=True)
class Requirement:
    """A model and how much of it is demanded, of one sensitive attribute if the model asks for one.

    >>> from paranym.measures.privacy import MODELS
    >>> print(Requirement(MODELS["entropy-l"](), 3, "illness"))
    entropy l-diversity of 'illness' at least 3
    """

    model: Model
    threshold: float
    attribute: str | None = None
    reference: Reference = Reference.RELEASED

    def __post_init__(self) -> None:
        if not is_number(self.threshold):
            raise BadInput(f"The threshold of {self.model.title} is a number; got {self.threshold!r}.")
        if self.model.facts.needs_sensitive and self.attribute is None:
            raise BadInput(f"{self.model.title} is about a sensitive attribute: say which.")

    @property
    def is_local(self) -> bool:
        """Whether what is suppressed elsewhere leaves the verdict on a class alone."""
        return self.model.facts.is_local(self.reference)

    def met_by(self, classes: Classes) -> Truths:
        """Which classes meet the requirement. The others must be suppressed, or generalized further."""
        return self.model.facts.allows(self.model.of(classes), self.threshold)

    def is_met(self, classes: Classes) -> bool:
        """Whether the table meets it."""
        return bool(self.model.facts.allows(np.array([self.model.reached(classes)]), self.threshold)[0])

    def __str__(self) -> str:
        facts = self.model.facts
        side = ("at least" if facts.larger_is_better else "at most") if not facts.strict else "less than"
        of = f" of {self.attribute!r}" if self.attribute is not None else ""
        return f"{self.model.title}{of} {side} {self.threshold:g}"
