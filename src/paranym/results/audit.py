"""The result of an audit: counts, values of privacy models, risks, and their meaning in plain words.

No cell value is kept here, only column names and numbers.
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
    """The number of equivalence classes of each size.

    >>> sizes = ClassSizes.of(np.array([2, 5, 2]))
    >>> sizes.smallest, sizes.rows, sizes.rows_below(5), round(sizes.weighted_k, 2)
    (2, 9, 4, 3.67)
    """

    sizes: Ints
    """The distinct sizes, ascending."""
    classes: Ints
    """The number of classes of each size."""

    @classmethod
    def of(cls, sizes: Ints, classes: Ints | None = None) -> "ClassSizes":
        """Group sizes that may repeat; each stands for one class unless `classes` gives the number of classes."""
        if sizes.max(initial=0) < _SMALL:  # the usual case; counting all sizes is faster than sorting
            counted = np.bincount(sizes, weights=classes)
            distinct = np.flatnonzero(counted)
            return cls(distinct, counted[distinct].astype(np.int64))
        distinct, member = np.unique(sizes, return_inverse=True)
        return cls(distinct, np.bincount(member, weights=classes).astype(np.int64))

    def __add__(self, other: "ClassSizes") -> "ClassSizes":
        return ClassSizes.of(np.concatenate([self.sizes, other.sizes]), np.concatenate([self.classes, other.classes]))

    @property
    def rows(self) -> int:
        """Number of rows."""
        return int(self.sizes @ self.classes)

    @property
    def count(self) -> int:
        """Number of classes."""
        return int(self.classes.sum())

    @property
    def smallest(self) -> int:
        """Size of the smallest class: the k of the table."""
        return int(self.sizes[0])

    @property
    def largest(self) -> int:
        """Size of the largest class."""
        return int(self.sizes[-1])

    @property
    def mean(self) -> float:
        """Average class size."""
        return self.rows / self.count

    @property
    def median(self) -> int:
        """Median over the rows: half of them are in classes of at most this size."""
        return int(self.sizes[np.searchsorted(np.cumsum(self.sizes * self.classes), self.rows / 2)])

    @property
    def weighted_k(self) -> float:
        """Expected class size of a row."""
        return float(self.sizes.astype(float) ** 2 @ self.classes) / self.rows

    def rows_below(self, size: int) -> int:
        """Return the number of rows in classes smaller than `size`."""
        few = self.sizes < size
        return int(self.sizes[few] @ self.classes[few])

    def as_dict(self) -> dict[str, Any]:
        """Return the sizes as a dictionary for JSON."""
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
    """The probabilities that an attacker re-identifies rows."""

    highest: float
    """The largest risk of any row."""
    average: float
    """The average risk: the expected share of re-identified rows."""
    lowest: float
    rows_at_risk: int
    """Number of rows whose risk exceeds the threshold."""
    share_at_risk: float

    def as_dict(self) -> dict[str, Any]:
        """Return the risks as a dictionary for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Risk:
    """Re-identification risks under three attacker models."""

    threshold: float
    """A row is at risk above this probability."""
    prosecutor: Attack
    """The attacker knows that a person is in the table, and knows the person's quasi-identifiers."""
    journalist: Attack
    """The attacker does not know who is in the table: a row may belong to any matching person of the population."""
    population: int | None
    """Number of people in the population; None: no population was given, and the table stands in for it."""

    @property
    def marketer(self) -> float:
        """The expected share of correct matches if an attacker links all rows with the population."""
        return self.journalist.average

    def as_dict(self) -> dict[str, Any]:
        """Return the risks as a dictionary for JSON."""
        return {
            "threshold": self.threshold,
            "prosecutor": self.prosecutor.as_dict(),
            "journalist": self.journalist.as_dict(),
            "marketer": self.marketer,
            "population": self.population,
        }


@dataclass(frozen=True, slots=True)
class Separating:
    """Distinction and separation of a column, or of several together (Motwani and Xu, 2007)."""

    different: int
    """Number of distinct values or combinations; a missing value counts as one."""
    distinction: float
    """Distinct values divided by the number of rows."""
    separation: float | None
    """The share of pairs of rows that differ; None for a single row."""

    @classmethod
    def by(cls, counts: Ints, times: Ints | None = None) -> "Separating":
        """Compute both from the rows of each value; each count stands for one value unless `times` says otherwise."""
        times = np.ones(len(counts), np.int64) if times is None else times
        occurring = counts > 0
        rows, different = int(counts @ times), int(times[occurring].sum())
        equal_pairs = float(counts.astype(float) * (counts - 1.0) @ times)
        pairs = float(rows) * (rows - 1.0)
        return cls(different, different / rows, 1 - equal_pairs / pairs if pairs else None)

    def as_dict(self) -> dict[str, Any]:
        """Return the values as a dictionary for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True)
class Achieved:
    """The value of a privacy model that the table achieves."""

    value: float | None
    """None if the model cannot be computed; infinite if no threshold is met."""
    larger_is_better: bool = True
    rows: int = 0
    """Number of rows in the worst classes."""
    reason: str = ""
    """The reason why there is no finite value."""

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON, which has no infinity: a value that is not finite comes with a reason."""
        if self.value is None:
            return {"value": None, "reason": self.reason}
        better = "larger" if self.larger_is_better else "smaller"
        if not math.isfinite(self.value):
            return {"value": None, "better": better, "rows": self.rows, "reason": f"infinite: {self.reason}"}
        return {"value": _short(self.value), "better": better, "rows": self.rows}


@dataclass(frozen=True, slots=True)
class Concern:
    """A warning about the table."""

    kind: str
    """A stable name for scripts."""
    columns: tuple[str, ...]
    says: str

    def as_dict(self) -> dict[str, Any]:
        """Return the warning as a dictionary for JSON."""
        return {"kind": self.kind, "columns": list(self.columns), "says": self.says}


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Audit:
    """The privacy of a table as it is: class sizes, privacy models, re-identification risks.

    >>> import pyarrow as pa
    >>> import paranym as pn
    >>> people = pa.table({"age": [30, 30, 40, 40, 50], "illness": ["flu", "cold", "flu", "flu", "cold"]})
    >>> audit = pn.audit(people, quasi_identifiers=["age"], sensitive=["illness"])
    >>> audit.k, audit.reached("distinct-l", "illness"), audit.risk.prosecutor.average
    (1, 1.0, 0.6)
    """

    table: str
    """The name of the table."""
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    sizes: ClassSizes
    risk: Risk
    columns: Mapping[str, Separating]
    """How well each quasi-identifier separates the rows."""
    together: Separating
    """How well all of them together do."""
    missing: Mapping[str, int]
    """Number of rows without a value, for each quasi-identifier and sensitive attribute."""
    models: Mapping[str, Mapping[str, Achieved]]
    """The value of every model, for every sensitive attribute."""
    against_population: Mapping[str, Achieved]
    """The values of the models that compare the table with a population."""
    concerns: tuple[Concern, ...] = ()
    sentences: tuple[str, ...] = field(default=())
    """The audit in plain words."""

    @property
    def k(self) -> int:
        """Size of the smallest equivalence class."""
        return self.sizes.smallest

    @property
    def rows(self) -> int:
        """Number of rows."""
        return self.sizes.rows

    @property
    def unique(self) -> int:
        """Number of unique records."""
        return self.sizes.rows_below(2)

    def reached(self, model: str, attribute: str | None = None) -> float | None:
        """Return a model's value for one sensitive attribute, or the worst over all; None if it cannot be computed."""
        if model == "k":
            return float(self.k)
        if model in self.against_population:
            return self.against_population[model].value
        return (self._worst(model) if attribute is None else self._look_up(model, attribute)).value

    def as_dict(self) -> dict[str, Any]:
        """Return the audit as a dictionary for JSON: the request and the findings, no cell of the table."""
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
        """The names of the models of sensitive attributes."""
        return tuple(next(iter(self.models.values()), ()))

    def _worst(self, model: str) -> Achieved:
        """Return the worst value over all sensitive attributes; unknown if one of them is unknown."""
        found = [self._look_up(model, name) for name in self.sensitive]
        if not found:
            raise BadInput(f"The audit has nothing on {model!r}: no column is declared sensitive.")
        sign = 1 if found[0].larger_is_better else -1
        return min(found, key=lambda one: -math.inf if one.value is None else sign * one.value)

    def _look_up(self, model: str, attribute: str) -> Achieved:
        models = self.models.get(attribute, {})
        for name, known in ((attribute, tuple(self.models)), (model, tuple(models))):
            if name not in known:
                raise BadInput(
                    f"The audit has nothing on {name!r}; it has {', '.join(known) or 'no sensitive attribute'}."
                    f"{did_you_mean(name, known)}"
                )
        return models[model]

    def _combined(self, attribute: str) -> dict[str, Any]:
        """Return the models that combine two others."""
        values = {name: one.as_dict()["value"] for name, one in self.models[attribute].items()}
        return {
            "(k,l)-safe": {"k": self.k, "l": values["frequency-l"]},
            "(alpha,k)-anonymity": {"alpha": values["alpha"], "k": self.k},
            "p-sensitive k-anonymity": {"p": values["distinct-l"], "k": self.k},
        }


def _as_dicts(models: Mapping[str, Achieved]) -> dict[str, Any]:
    return {name: one.as_dict() for name, one in models.items()}


def _short(value: float) -> float | int:
    """Return a whole number as an integer."""
    return int(value) if value == int(value) else value
