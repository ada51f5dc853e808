"""Privacy models: the facts that each one declares, and the equivalence classes that it judges."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.frequency import FrequencySet
from paranym.measures.recipe_form import RecipeForm
from paranym.measures.sensitive import SensitiveAttribute
from paranym.model.values import is_number

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

_Number = TypeVar("_Number", np.int64, np.float64)

TOLERANCE = 1e-9
"""Two values within this share of each other are equal, as two losses are."""
_NOTHING = 1e-12
"""Values up to this are zero with rounding errors."""


class Reference(StrEnum):
    """The rows whose distribution of a sensitive attribute a class is compared with."""

    RELEASED = "released"
    """The published rows, so that an audit of the release can confirm the value."""
    ORIGINAL = "original"
    """The original table, before suppression."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """Facts about a privacy model that hold on every table.

    Searches rely on them; `paranym.testing.check_privacy_model` tries them out.
    """

    larger_is_better: bool
    """Whether a larger value protects more: l does, t does not."""
    monotone: bool
    """Without suppression, the value of the table never gets worse upwards."""
    survives_growth: bool
    """A class that gains rows never gets worse, so that rows which need not be suppressed at a node need not be
    suppressed above it. Where this is false, suppression undoes `monotone`: a good class may merge with one that was
    suppressed below, and be lost with it."""
    strict: bool = False
    """A value equal to the threshold breaks the requirement."""
    is_diversity: bool = False
    """The value is an l: as many different values as occur in the class, or fewer."""
    needs_sensitive: bool = True
    """Needs the histogram of a sensitive attribute."""
    needs_reference: bool = False
    """Needs the distribution that classes are compared with."""
    needs_hierarchy: bool = False
    """Needs a hierarchy of the sensitive attribute."""
    needs_population: bool = False
    """Needs the number of people of a population who have the quasi-identifiers of each class."""

    def is_local(self, reference: Reference) -> bool:
        """Whether the value of a class is independent of suppressed classes."""
        return not self.needs_reference or reference is Reference.ORIGINAL

    def worst(self, values: Iterable[float]) -> float:
        """Return the worst of the values, which is that of the table; the best possible value if there are none."""
        if self.larger_is_better:
            return min(values, default=float("inf"))
        return max(values, default=0.0)

    def allows(self, values: Floats, threshold: float) -> Truths:
        """Return which values are at least (or at most) the threshold; those within 1e-9 of it are equal to it."""
        near = TOLERANCE * abs(threshold) + _NOTHING
        slack = -near if self.strict else near
        return values >= threshold - slack if self.larger_is_better else values <= threshold + slack


@dataclass(frozen=True, eq=False)
class Classes:
    """The equivalence classes of a table: their sizes, and the histogram of one sensitive attribute in each.

    The histogram is sparse: entry e says that `amounts[e]` rows of class `owners[e]` have value `columns[e]`, at most
    one entry for each pair, in any order.
    """

    sizes: Ints
    owners: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    columns: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    amounts: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    reference: Ints | None = None
    """Rows of the reference per value; None if the rows of these classes are the reference."""
    population: Ints | None = None
    """People of the population per class."""
    absent: int = 0
    """Classes of the population without a row in the table."""

    @classmethod
    def of(cls, frequency: FrequencySet, attribute: str | None = None, *, reference: Ints | None = None) -> "Classes":
        """The combinations of a frequency set, with the histogram of one of its attributes."""
        if attribute is None:
            return cls(frequency.counts)
        histogram = frequency.histogram
        block = histogram.blocks[attribute]
        owners, columns, amounts = histogram.owners, histogram.columns, histogram.amounts
        if len(histogram.blocks) > 1 or histogram.persons is not None:
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
        """Return these classes with entries sorted by class, and by value within each."""
        width = int(self.columns.max(initial=0)) + 1
        places = self.owners.astype(np.int64) * width + self.columns
        if np.all(places[1:] > places[:-1]):
            return self
        order = np.argsort(places)
        return replace(self, owners=self.owners[order], columns=self.columns[order], amounts=self.amounts[order])

    def total(self, entries: Floats | Ints) -> Floats:
        """Per class: the sum over its entries."""
        sums = np.bincount(self.owners, weights=entries, minlength=len(self.sizes))
        return sums.astype(np.float64, copy=False)

    def most(self, entries: NDArray[_Number]) -> NDArray[_Number]:
        """Per class: the maximum over its entries, and at least zero."""
        found = np.zeros(len(self.sizes), entries.dtype)
        np.maximum.at(found, self.owners, entries)
        return found

    def kept(self, which: Truths) -> "Classes":
        """Return the classes without the suppressed ones, which leave the reference too unless one was given."""
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
    """A privacy model: a value for every equivalence class; a table achieves the worst of them.

    A model of your own extends `WorstClass`, which has everything but `of` and the three facts about itself.
    """

    name: ClassVar[str]
    """Its key in requests, recipes and JSON."""
    title: ClassVar[str]
    """The name of the model in the literature."""
    facts: ClassVar[ModelFacts]

    def of(self, classes: Classes) -> Floats:
        """The value of every class."""

    def achieved(self, classes: Classes) -> float:
        """Return the value of the table: the largest l, the smallest t."""

    def at_best(self, values: Floats, classes: Classes, spare: int) -> Floats:
        """A bound on the value of every class once at most `spare` further rows of the reference are suppressed.

        `values` are those of the classes as they are. No set of other classes whose suppression takes at most `spare`
        rows out of the reference gives a class a better value than this.
        """


class ModelKind(Protocol):
    """A class of privacy models, as the catalogue lists it: its facts hold whatever parameters some of them take."""

    @property
    def name(self) -> str: ...

    @property
    def title(self) -> str: ...

    @property
    def meaning(self) -> str:
        """Return the meaning of the value, in one sentence."""

    @property
    def facts(self) -> ModelFacts: ...

    @property
    def forms(self) -> tuple[RecipeForm, ...]:
        """Return the ways to require it in a recipe."""

    @property
    def infinite(self) -> str:
        """Return why the value of a class can be infinite; empty if it cannot."""

    @property
    def audited(self) -> bool:
        """Return whether an audit reports it of every sensitive attribute."""

    @property
    def objectives(self) -> tuple[str, ...]:
        """Return the names under which a search can trade it off; none if it cannot."""

    def __call__(self, *parameters: Any, **named: Any) -> Model: ...

    def obstacle(self, attribute: SensitiveAttribute) -> str:
        """Return why the model cannot be applied to a sensitive attribute; empty if it can."""

    def for_attribute(self, attribute: SensitiveAttribute) -> Model:
        """Return the model as it applies to a sensitive attribute; raise `BadInput` if it does not."""

    def required(self, value: float, options: Mapping[str, Any], attribute: SensitiveAttribute) -> tuple[Model, float]:
        """Return the model and the threshold that a recipe requires by a value and the options of its form."""


class WorstClass(ABC):
    """A model under which a table is as good as its worst class. A subclass computes the values of classes."""

    name: ClassVar[str]
    title: ClassVar[str]
    meaning: ClassVar[str] = ""
    """The meaning of the value, in one sentence."""
    facts: ClassVar[ModelFacts]
    forms: ClassVar[tuple[RecipeForm, ...]] = ()
    """How it is required in a recipe."""
    infinite: ClassVar[str] = ""
    """Why the value of a class can be infinite; empty if it cannot."""
    audited: ClassVar[bool] = True
    """Whether an audit reports it of every sensitive attribute."""
    objectives: ClassVar[tuple[str, ...]] = ()
    """The names under which a search can trade it off."""

    @classmethod
    def obstacle(cls, attribute: SensitiveAttribute) -> str:  # noqa: ARG003 - subclasses look at it
        """Return why the model cannot be applied to a sensitive attribute; empty if it can."""
        return ""

    @classmethod
    def for_attribute(cls, attribute: SensitiveAttribute) -> Self:
        """Return the model as it applies to a sensitive attribute."""
        obstacle = cls.obstacle(attribute)
        if obstacle:
            raise BadInput(f"{cls.title} of {attribute.name!r} cannot be measured: {obstacle}.")
        return cls()

    @classmethod
    def required(
        cls,
        value: float,
        options: Mapping[str, Any],  # noqa: ARG003 - subclasses look at them
        attribute: SensitiveAttribute,
    ) -> tuple[Self, float]:
        """Return the model and the threshold that a recipe requires by a value and the options of its form."""
        return cls.for_attribute(attribute), value

    @abstractmethod
    def of(self, classes: Classes) -> Floats:
        """The value of every class."""

    def at_best(self, values: Floats, classes: Classes, spare: int) -> Floats:
        """A bound on the value of every class once at most `spare` further rows of the reference are suppressed.

        In general, only the best possible value is a bound.
        """
        return np.full(len(values), self.facts.worst(())) if spare else values

    def achieved(self, classes: Classes) -> float:
        """Return the value of the table."""
        values = self.of(classes)
        if not len(values):
            return self.facts.worst(())
        return float(values.min() if self.facts.larger_is_better else values.max())


@dataclass(frozen=True, slots=True)
class Requirement:
    """A privacy model and the value that it must achieve, of one sensitive attribute if the model needs one.

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
        """Whether the verdict on a class is independent of suppressed classes."""
        return self.model.facts.is_local(self.reference)

    def met_by(self, classes: Classes) -> Truths:
        """Return which classes meet the requirement. The others must be suppressed, or generalized further."""
        return self.model.facts.allows(self.model.of(classes), self.threshold)

    def judge(self, classes: Classes, spare: int) -> tuple[Truths, Truths]:
        """Return which classes meet the requirement, and which may once at most `spare` further rows are suppressed.

        The second is an over-estimate: a class outside it breaks the requirement whatever else is suppressed.
        """
        facts, values = self.model.facts, self.model.of(classes)
        meets = facts.allows(values, self.threshold)
        if self.is_local:
            return meets, meets
        return meets, meets | facts.allows(self.model.at_best(values, classes, spare), self.threshold)

    def is_met(self, classes: Classes) -> bool:
        """Whether the table meets it."""
        return bool(self.model.facts.allows(np.array([self.model.achieved(classes)]), self.threshold)[0])

    def __str__(self) -> str:
        facts = self.model.facts
        side = ("at least" if facts.larger_is_better else "at most") if not facts.strict else "less than"
        of = f" of {self.attribute!r}" if self.attribute is not None else ""
        return f"{self.model.title}{of} {side} {self.threshold:g}"
