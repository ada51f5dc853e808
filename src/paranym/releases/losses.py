"""The information loss of a release, from the frequency of each label and the number of leaves under it.

This module implements the definitions again, without the code that searches use, so that an error in one of them is
not confirmed by the other.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from paranym.model.hierarchy import Label
from paranym.results.audit import ClassSizes
from paranym.results.published import PublishedColumn, PublishedLabel


@dataclass(frozen=True, slots=True)
class OriginalSpread:
    """The distribution of the original rows over one quasi-identifier, which a release does not show."""

    rows: Mapping[Label, int]
    """Rows of the original table under each label."""
    bits: float
    """Sum of n log2 n over the leaves, with n rows each."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Basis:
    """The input of a loss measure."""

    rows: int
    """Rows of the original table, N."""
    sizes: ClassSizes
    """Sizes of the published equivalence classes."""
    columns: tuple[PublishedColumn, ...]
    counts: Mapping[str, Mapping[Label, int]]
    """Per quasi-identifier: rows with each label."""
    majority: int | None = None
    """Rows with the most frequent target value of their equivalence class."""
    spread: Mapping[str, OriginalSpread] = field(default_factory=dict)

    @property
    def suppressed(self) -> int:
        """Number of suppressed rows."""
        return self.rows - self.sizes.rows

    @property
    def weight(self) -> float:
        """Sum of the weights of all quasi-identifiers."""
        return sum(column.weight for column in self.columns)


@dataclass(frozen=True, slots=True)
class Measured:
    """A loss, and the worst possible value, which gives its fraction."""

    loss: float
    worst: float

    @property
    def fraction(self) -> float:
        """The share of the information that is lost."""
        return self.loss / self.worst if self.worst else 0.0


def measure(metric: str, basis: Basis) -> Measured | None:
    """Return the loss with this name; None if it cannot be derived from the release and its labels."""
    return None if metric not in _LOSSES else _LOSSES[metric](basis)


def penalty(label: PublishedLabel, leaves: int) -> float | None:
    """Return the normalized certainty penalty of a cell: as stated for ranges of numbers, else its share of leaves."""
    if label.penalty is not None or label.leaves is None:
        return label.penalty
    return label.leaves / leaves if label.leaves > 1 else 0.0


def penalty_of(column: PublishedColumn, rows: Mapping[Label, int]) -> float | None:
    """Return the total penalty of the cells of a column, without weight."""
    return _total((penalty(label, column.leaves), rows[label.label]) for label in column.labels)


def _general_loss(basis: Basis) -> Measured | None:
    def of(column: PublishedColumn) -> float | None:
        share = column.general_loss(basis.counts[column.name])
        return None if share is None else share * basis.sizes.rows

    return _by_cell(basis, of)


def _certainty_penalty(basis: Basis) -> Measured | None:
    return _by_cell(basis, lambda column: penalty_of(column, basis.counts[column.name]))


def _by_cell(basis: Basis, of: Callable[[PublishedColumn], float | None]) -> Measured | None:
    """Add up the cost of all cells: `of` gives that of the published cells of a column, a suppressed cell costs 1."""
    total = _total((of(column), column.weight) for column in basis.columns)
    worst = basis.rows * basis.weight
    return None if total is None else Measured(total + basis.suppressed * basis.weight, worst)


def _discernibility(basis: Basis) -> Measured:
    squares = sum(n * n * times for n, times in _sizes(basis))
    return Measured(float(squares + basis.rows * basis.suppressed), float(basis.rows) ** 2)


def _classification_error(basis: Basis) -> Measured | None:
    if basis.majority is None:
        return None
    return Measured(float(basis.rows - basis.majority), float(basis.rows))


def _average_class_size(basis: Basis) -> Measured:
    classes = basis.sizes.count + (basis.suppressed > 0)
    return Measured(basis.rows / classes, float(basis.rows))


def _normalized_class_size(basis: Basis) -> Measured:
    return Measured(basis.sizes.rows / (basis.sizes.count * basis.sizes.smallest), float(basis.rows))


def _precision(basis: Basis) -> Measured | None:
    def share(column: PublishedColumn) -> float | None:
        return None if column.level is None else column.level / max(column.height, 1)

    kept = _total((share(column), column.weight) for column in basis.columns)
    if kept is None:
        return None
    charged = basis.sizes.rows * kept + basis.suppressed * basis.weight
    return Measured(charged / (basis.rows * basis.weight), 1.0)


def _height(basis: Basis) -> Measured | None:
    total = _total((column.level, column.weight) for column in basis.columns)
    worst = sum(column.weight * column.height for column in basis.columns)
    return None if total is None else Measured(total, worst)


def _entropy(basis: Basis) -> Measured | None:
    if not basis.spread:
        return None
    loss = worst = 0.0
    for column in basis.columns:
        spread, kept = basis.spread[column.name], basis.counts[column.name]
        suppressed = [rows - kept.get(label, 0) for label, rows in spread.rows.items()]
        generalized = bits(spread.rows.values()) - spread.bits
        loss += column.weight * (generalized + bits([sum(suppressed)]) - bits(suppressed))
        worst += column.weight * (bits([basis.rows]) - spread.bits)
    return Measured(loss, worst)


_LOSSES: dict[str, Callable[[Basis], Measured | None]] = {
    "glm": _general_loss,
    "dcn": _discernibility,
    "ce": _classification_error,
    "ncp": _certainty_penalty,
    "average-class-size": _average_class_size,
    "c-avg": _normalized_class_size,
    "precision": _precision,
    "height": _height,
    "entropy": _entropy,
}


KNOWN_LOSSES = frozenset(_LOSSES)
"""Names of the losses that are defined here; a user may define others."""


def bits(counts: Iterable[int]) -> float:
    """Sum of n log2 n over counts.

    >>> bits([1, 2, 4])
    10.0
    """
    return math.fsum(n * math.log2(n) for n in counts if n > 0)


def _sizes(basis: Basis) -> Iterable[tuple[int, int]]:
    return zip(basis.sizes.sizes.tolist(), basis.sizes.classes.tolist(), strict=True)


def _total(parts: Iterable[tuple[float | None, float]]) -> float | None:
    """Return the sum of products; None if a value is unknown."""
    total = 0.0
    for value, times in parts:
        if value is None:
            return None
        total += value * times
    return total
