"""The generalizations that meet a fixed requirement, the best first, and what finding them has cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, overload

from paranym.model.front import AttributeLevels
from paranym.model.wording import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Generalization:
    """A node that meets the requirement, and what publishing it loses.

    >>> Generalization(levels={"age": 2}, k=5, loss=12.0, loss_fraction=0.25, suppressed=3, minimal=True).levels["age"]
    2
    """

    levels: Mapping[str, int]
    k: int
    """The k that is reached, at least what was asked for."""
    loss: float
    loss_fraction: float
    suppressed: int
    """Rows left out."""
    minimal: bool
    """Whether no node below it meets the requirement."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", AttributeLevels(self.levels))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
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
    """What a search for generalizations has cost."""

    checked_nodes: int
    """Nodes whose frequency set was looked at, nodes of fewer attributes included."""
    scans: int
    """Frequency sets that were derived from that of the untouched table."""
    rollups: int
    """Frequency sets that were derived from others."""
    combinations_read: int
    """To derive them, all together."""
    largest_set: int
    """Combinations of the largest that was derived."""
    memory: int
    """Bytes of frequency sets that were kept at one time, at most."""

    def as_dict(self) -> dict[str, int]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Generalizations(Sequence[Generalization]):
    """What a search has found, the best first.

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
    """What every solution meets, in words."""
    k: int
    """The k that was asked for."""
    complete: bool
    """Whether these are all that meet the requirement."""
    solutions: tuple[Generalization, ...]
    cost: Cost
    lattice_nodes: int
    """Of the levels that were allowed."""
    rows: int
    metric: str
    priorities: tuple[str, ...]
    """Attributes that come before the loss: the least general solutions in the first of them are best, and so on."""
    suppression: float
    """The share of the rows that may be left out."""
    suppression_limit: int
    """The same in rows."""
    suppression_use: str
    heights: Mapping[str, int]
    """The top level of each quasi-identifier."""

    @property
    def best(self) -> Generalization:
        """The first by the priorities, and then by the loss."""
        return self.solutions[0]

    @property
    def minimal(self) -> tuple[Generalization, ...]:
        """Those above no other node that meets the requirement."""
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
        """In one line."""
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
        """For JSON; without `every`, the minimal solutions alone, and the best."""
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
