"""What an audit found: counts, values that models reach, risks, and what all that means in plain words.

No value of a cell is kept here, only names of columns and numbers.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, did_you_mean

Ints = NDArray[np.int64]

_SMALL = 2**20


@dataclass(frozen=True, slots=True, eq=False)
class ClassSizes:
    """How many classes there are of each size.

    >>> sizes = ClassSizes.of(np.array([2, 5, 2]))
    >>> sizes.smallest, sizes.rows, sizes.rows_below(5), round(sizes.weighted_k, 2)
    (2, 9, 4, 3.67)
    """

    sizes: Ints
    """Each size once, ascending."""
    classes: Ints
    """How many classes have it."""

    @classmethod
    def of(cls, sizes: Ints, classes: Ints | None = None) -> "ClassSizes":
        """Gathered from sizes that repeat; each stands for one class unless `classes` says for how many."""
        if sizes.max(initial=0) < _SMALL:  # as classes are; counting all sizes beats sorting
            counted = np.bincount(sizes, weights=classes)
            distinct = np.flatnonzero(counted)
            return cls(distinct, counted[distinct].astype(np.int64))
        distinct, member = np.unique(sizes, return_inverse=True)
        return cls(distinct, np.bincount(member, weights=classes).astype(np.int64))

    def __add__(self, other: "ClassSizes") -> "ClassSizes":
        return ClassSizes.of(np.concatenate([self.sizes, other.sizes]), np.concatenate([self.classes, other.classes]))

    @property
    def rows(self) -> int:
        """N."""
        return int(self.sizes @ self.classes)

    @property
    def count(self) -> int:
        """Classes in all."""
        return int(self.classes.sum())

    @property
    def smallest(self) -> int:
        """The k of the table."""
        return int(self.sizes[0])

    @property
    def largest(self) -> int:
        """The size of the largest class."""
        return int(self.sizes[-1])

    @property
    def mean(self) -> float:
        """The size that a class has on average."""
        return self.rows / self.count

    @property
    def median(self) -> int:
        """Half of the rows are in classes of at most this size."""
        return int(self.sizes[np.searchsorted(np.cumsum(self.sizes * self.classes), self.rows / 2)])

    @property
    def weighted_k(self) -> float:
        """The size of its class that a row can expect."""
        return float(self.sizes.astype(float) ** 2 @ self.classes) / self.rows

    def rows_below(self, size: int) -> int:
        """How many rows are in classes smaller than `size`."""
        few = self.sizes < size
        return int(self.sizes[few] @ self.classes[few])

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        listed = zip(self.sizes.tolist(), self.classes.tolist(), strict=True)
        return {
            "smallest": self.smallest,
            "median_of_rows": self.median,
            "mean": self.mean,
            "weighted_k": self.weighted_k,
            "largest": self.largest,
            "distribution": [{"size": n, "classes": times, "rows": n * times} for n, times in listed],
        }


@dataclass(frozen=True, slots=True)
class Attack:
    """How likely it is that rows are traced to people."""

    highest: float
    """For the row that is worst off."""
    average: float
    """Over all rows: the share of them that can be expected to be found."""
    lowest: float
    rows_at_risk: int
    """Rows that are found with a probability above the threshold."""
    share_at_risk: float

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Risk:
    """What three kinds of attacker achieve."""

    threshold: float
    """Above this probability a row counts as at risk."""
    prosecutor: Attack
    """Knows that a person is in the table, and knows the person's quasi-identifiers."""
    journalist: Attack
    """Does not know who is in the table: a row may be anyone of the population who is alike."""
    population: int | None
    """People in the population; None: none was given, and the table is taken for it."""

    @property
    def marketer(self) -> float:
        """The share of all rows that somebody who links them all with the population gets right."""
        return self.journalist.average

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        return {
            "threshold": self.threshold,
            "prosecutor": self.prosecutor.as_dict(),
            "journalist": self.journalist.as_dict(),
            "marketer": self.marketer,
            "population": self.population,
        }


@dataclass(frozen=True, slots=True)
class Separating:
    """How well a column, or several together, tell rows apart (Motwani and Xu, 2007)."""

    different: int
    """Values or combinations; a missing value is one."""
    distinction: float
    """That many, over the number of rows."""
    separation: float | None
    """The share of pairs of rows that differ; None for one row, which has no pair."""

    @classmethod
    def by(cls, counts: Ints, times: Ints | None = None) -> "Separating":
        """From the rows of each value; each stands for one value unless `times` says for how many."""
        times = np.ones(len(counts), np.int64) if times is None else times
        occurring = counts > 0
        rows, different = int(counts @ times), int(times[occurring].sum())
        alike = float(counts.astype(float) * (counts - 1.0) @ times)
        pairs = float(rows) * (rows - 1.0)
        return cls(different, different / rows, 1 - alike / pairs if pairs else None)

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Reached:
    """The value of a model that the table reaches."""

    value: float | None
    """None if the model cannot be told; infinite if no threshold is met."""
    larger_is_better: bool = True
    rows: int = 0
    """Rows in the classes that are worst off."""
    reason: str = ""
    """Why there is no finite value."""

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON, which has no infinity: a value that is none comes with a reason."""
        if self.value is None:
            return {"value": None, "reason": self.reason}
        better = "larger" if self.larger_is_better else "smaller"
        if not math.isfinite(self.value):
            return {"value": None, "better": better, "rows": self.rows, "reason": f"infinite: {self.reason}"}
        return {"value": _short(self.value), "better": better, "rows": self.rows}


@dataclass(frozen=True, slots=True)
class Concern:
    """Something about the table that its reader should know."""

    kind: str
    """A name that scripts can rely on."""
    columns: tuple[str, ...]
    says: str

    def as_dict(self) -> dict[str, Any]:
        """The same as JSON."""
        return {"kind": self.kind, "columns": list(self.columns), "says": self.says}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Audit:
    """What a table tells about the people in it.

    >>> import pyarrow as pa
    >>> import paranym as pn
    >>> people = pa.table({"age": [30, 30, 40, 40, 50], "illness": ["flu", "cold", "flu", "flu", "cold"]})
    >>> audit = pn.audit(people, quasi_identifiers=["age"], sensitive=["illness"])
    >>> audit.k, audit.reached("distinct-l", "illness"), audit.risk.prosecutor.average
    (1, 1.0, 0.6)
    """

    table: str
    """What the table is called."""
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    sizes: ClassSizes
    risk: Risk
    columns: Mapping[str, Separating]
    """How well each quasi-identifier tells rows apart."""
    together: Separating
    """How well all of them do."""
    missing: Mapping[str, int]
    """Rows without a value in each quasi-identifier and sensitive attribute."""
    models: Mapping[str, Mapping[str, Reached]]
    """What every model reaches, for every sensitive attribute."""
    against_population: Mapping[str, Reached]
    """What the models reach that compare the table with a population."""
    concerns: tuple[Concern, ...] = ()
    sentences: tuple[str, ...] = field(default=())
    """The whole in plain words."""

    @property
    def k(self) -> int:
        """Every row has the quasi-identifiers of at least k - 1 others."""
        return self.sizes.smallest

    @property
    def rows(self) -> int:
        """N."""
        return self.sizes.rows

    @property
    def unique(self) -> int:
        """Rows that no other row is like."""
        return self.sizes.rows_below(2)

    def reached(self, model: str, attribute: str | None = None) -> float | None:
        """The value of a model for one sensitive attribute, or the worst of all of them; None if it cannot be told."""
        if model == "k":
            return float(self.k)
        if model in self.against_population:
            return self.against_population[model].value
        return (self._worst(model) if attribute is None else self._look_up(model, attribute)).value

    def as_dict(self) -> dict[str, Any]:
        """The audit as JSON: what it was asked, what it found, no cell of the table."""
        return {
            "table": self.table,
            "rows": self.rows,
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
            "identifiers": list(self.identifiers),
            "k": self.k,
            "classes": self.sizes.count,
            "unique_rows": self.unique,
            "unique_share": self.unique / self.rows,
            "class_sizes": self.sizes.as_dict(),
            "risk": self.risk.as_dict(),
            "columns": {name: column.as_dict() for name, column in self.columns.items()},
            "all_columns": self.together.as_dict(),
            "missing": {"treated_as": "a value of its own", "rows": dict(self.missing)},
            "models": {name: _as_dicts(models) for name, models in self.models.items()},
            "all_sensitive": _as_dicts({name: self._worst(name) for name in self._names}),
            "against_population": _as_dicts(self.against_population),
            "combinations": {name: self._combined(name) for name in self.sensitive},
            "warnings": [concern.as_dict() for concern in self.concerns],
            "summary": list(self.sentences),
        }

    def __repr__(self) -> str:
        return "\n".join([*self.sentences, *(f"Warning: {concern.says}" for concern in self.concerns)])

    @property
    def _names(self) -> tuple[str, ...]:
        """The models of sensitive attributes."""
        return tuple(next(iter(self.models.values()), ()))

    def _worst(self, model: str) -> Reached:
        """What all sensitive attributes reach together: what the worst of them does; unknown if one is."""
        found = [self._look_up(model, name) for name in self.sensitive]
        if not found:
            raise BadInput(f"The audit has nothing on {model!r}: no column was said to be sensitive.")
        sign = 1 if found[0].larger_is_better else -1
        return min(found, key=lambda one: -math.inf if one.value is None else sign * one.value)

    def _look_up(self, model: str, attribute: str) -> Reached:
        models = self.models.get(attribute, {})
        for asked, known in ((attribute, tuple(self.models)), (model, tuple(models))):
            if asked not in known:
                raise BadInput(
                    f"The audit has nothing on {asked!r}; it has {', '.join(known) or 'no sensitive attribute'}."
                    f"{did_you_mean(asked, known)}"
                )
        return models[model]

    def _combined(self, attribute: str) -> dict[str, Any]:
        """The models that are two others at once."""
        values = {name: one.as_dict()["value"] for name, one in self.models[attribute].items()}
        return {
            "(k,l)-safe": {"k": self.k, "l": values["frequency-l"]},
            "(alpha,k)-anonymity": {"alpha": values["alpha"], "k": self.k},
            "p-sensitive k-anonymity": {"p": values["distinct-l"], "k": self.k},
        }


def _as_dicts(models: Mapping[str, Reached]) -> dict[str, Any]:
    return {name: one.as_dict() for name, one in models.items()}


def _short(value: float) -> float | int:
    """Whole numbers as such."""
    return int(value) if value == int(value) else value
