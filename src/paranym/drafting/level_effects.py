"""The effect of each level of a hierarchy: values, rows of the rarest value, equivalence classes, unique rows."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from paranym.frequency import lifts_of, rollup
from paranym.problem import Problem


@dataclass(frozen=True, slots=True)
class Left:
    """The effect of one level of one quasi-identifier."""

    level: int
    values: int
    """Values of the hierarchy at this level."""
    occurring: int
    """Values at this level that occur in the table."""
    smallest: int
    """Rows of the rarest value that occurs."""
    classes: int
    """Equivalence classes if the other quasi-identifiers are unchanged."""
    unique: int
    """Unique rows."""

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


def left_by(problem: Problem, attribute: str) -> tuple[Left, ...]:
    """Return the effect of every level of an attribute if all others are unchanged.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "F", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [20]}, "sex": None})
    >>> [left.unique for left in left_by(problem, "age")]
    [4, 1, 1]
    """
    position = problem.attributes.index(attribute)
    hierarchy, lifts = problem.hierarchies[position], lifts_of(problem.hierarchies)
    by_leaf = problem.frequency.marginal(position, len(hierarchy.leaves))
    found = []
    for level, labels in enumerate(hierarchy.labels):
        rows = np.bincount(hierarchy.codes[level], weights=by_leaf, minlength=len(labels)).astype(np.int64)
        node = [level if j == position else 0 for j in range(len(problem.attributes))]
        counts = rollup(problem.frequency, lifts, node).counts
        found.append(
            Left(
                level,
                len(labels),
                int((rows > 0).sum()),
                int(rows[rows > 0].min()),
                len(counts),
                int((counts == 1).sum()),
            )
        )
    return tuple(found)
