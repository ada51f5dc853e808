"""The generalizations that meet a fixed requirement, best first, and the cost of the search."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from paranym.results.front import AttributeLevels
from paranym.wording.numbers import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Generalization:
    """A node that meets the requirement, with its information loss.

    >>> Generalization(levels={"age": 2}, k=5, loss=12.0, loss_fraction=0.25, suppressed=3, minimal=True).levels["age"]
    2
    """

    levels: Mapping[str, int]
    k: int
    """The achieved k, at least the one requested."""
    loss: float
    loss_fraction: float
    suppressed: int
    """Number of suppressed rows."""
    minimal: bool
    """True if no node below it meets the requirement."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", AttributeLevels(self.levels))

    def as_dict(self) -> dict[str, Any]:
        """Return the generalization as a dictionary for JSON."""
        return {
            "levels": dict(self.levels),
            "k": self.k,
            "loss": self.loss,
            "loss_fraction": self.loss_fraction,
            "suppressed": self.suppressed,
            "minimal": self.minimal,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """The cost of a search for generalizations."""

    checked_nodes: int
    """Nodes whose frequency set was checked, including nodes over fewer attributes."""
    scans: int
    """Frequency sets derived from that of the original table."""
    rollups: int
    """Frequency sets derived from other frequency sets."""
    combinations_read: int
    """Combinations read to derive all of them."""
    largest_set: int
    """Number of combinations of the largest derived frequency set."""
    memory: int
    """Peak memory of the frequency sets, in bytes."""

    def as_dict(self) -> dict[str, int]:
        """Return the cost as a dictionary for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Generalizations(Sequence[Generalization]):
    """The generalizations that a search has found, best first.

    >>> from paranym import Problem, generalize
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> found = generalize(Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}), k=2)
    >>> found
    2 of 6 generalizations give k = 2, 1 of them minimal
    >>> found.best.levels
    {'age': 2, 'sex': 0}
    """

    algorithm: str
    requirement: str
    """The requirement that every solution meets, in words."""
    k: int
    """The requested k."""
    complete: bool
    """True if these are all generalizations that meet the requirement."""
    solutions: tuple[Generalization, ...]
    cost: Cost
    lattice_nodes: int
    """Nodes of the lattice of the allowed levels."""
    rows: int
    unit: str
    """The unit of k: rows, or different people ("person")."""
    metric: str
    priorities: tuple[str, ...]
    """Attributes that take precedence over the loss: the solutions least general in the first of them are best, etc."""
    suppression: float
    """The share of the rows that may be suppressed."""
    suppression_limit: int
    """The number of rows that may be suppressed."""
    suppression_use: str
    heights: Mapping[str, int]
    """The top level of each quasi-identifier."""

    @property
    def best(self) -> Generalization:
        """The best generalization by the priorities, then by the loss."""
        return self.solutions[0]

    @property
    def minimal(self) -> tuple[Generalization, ...]:
        """The generalizations with no other solution below them."""
        return tuple(each for each in self.solutions if each.minimal)

    @overload
    def __getitem__(self, index: int) -> Generalization: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Generalization]: ...
    def __getitem__(self, index: int | slice) -> Generalization | Sequence[Generalization]:
        return self.solutions[index]

    def __iter__(self) -> Iterator[Generalization]:
        return iter(self.solutions)

    def __len__(self) -> int:
        return len(self.solutions)

    def summary(self) -> str:
        """Return one line about the result."""
        if self.algorithm == "datafly":
            found = f"one generalization that gives {self.requirement} was found"
            return found if self.best.minimal else f"{found}; a less general one gives it too"
        verb = "gives" if len(self) == 1 else "give"
        if self.algorithm == "samarati":
            return f"{counted(len(self), 'generalization')} of least height {verb} {self.requirement}"
        more = "" if self.complete else " so far"
        count = f"{len(self):,} of {self.lattice_nodes:,} generalizations {verb} {self.requirement}{more}"
        return f"{count}, {len(self.minimal):,} of them minimal"

    def as_dict(self, *, every: bool = True) -> dict[str, Any]:
        """Return the result as a dictionary for JSON; without `every`, only the minimal solutions and the best."""
        shown = self.solutions if every else tuple(each for each in self if each.minimal or each is self.best)
        return {
            "algorithm": self.algorithm,
            "requirement": self.requirement,
            "k": self.k,
            "complete": self.complete,
            "suppression": self.suppression,
            "suppression_limit": self.suppression_limit,
            "suppression_use": self.suppression_use,
            "rows": self.rows,
            "unit": self.unit,
            "metric": self.metric,
            "priorities": list(self.priorities),
            "heights": dict(self.heights),
            "lattice_nodes": self.lattice_nodes,
            "found_nodes": len(self),
            **self.cost.as_dict(),
            "best": self.best.as_dict(),
            "solutions": [each.as_dict() for each in shown],
        }

    def __repr__(self) -> str:
        return self.summary()
