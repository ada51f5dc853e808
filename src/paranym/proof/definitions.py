"""Second implementations of losses and privacy models, from their definitions; `measures` is not used.

Everything is computed class by class from the counts of the engine, slowly and literally, so that a mistake in the fast
code is not repeated here. Losses and models of your own have no second definition.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, log, log2

import numpy as np
from numpy.typing import NDArray

from paranym.model.hierarchy import Hierarchy

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]
Counts = Sequence[int]
"""Rows per sensitive value: of one class, or of the reference."""

LIKE = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class LevelledAttribute:
    """One quasi-identifier at the level of a node."""

    hierarchy: Hierarchy
    level: int
    weight: float
    rows_per_leaf: Ints

    def leaves_under(self, value: int) -> list[int]:
        """The leaves that are published as a value of the level."""
        return np.flatnonzero(np.asarray(self.hierarchy.codes[self.level]) == value).tolist()


@dataclass(frozen=True, slots=True, eq=False)
class CountedNode:
    """The equivalence classes of one node, as the engine counted them."""

    attributes: tuple[LevelledAttribute, ...]
    codes: Ints
    """(classes, attributes): the published values."""
    sizes: Ints
    """Rows per class."""
    people: Ints
    """Per class: different people, or rows if people are not counted."""
    everyone: int
    """All people of the table, or all its rows."""
    histograms: dict[str, Ints]
    """Per sensitive attribute, and for the label: (classes, values)."""
    label: str | None

    @property
    def rows(self) -> int:
        """N."""
        return int(self.sizes.sum())


def defined_loss(name: str, node: CountedNode, published: Truths) -> float | None:
    """Return the loss if only the `published` classes are published; None if no definition has that name."""
    rows: int = node.rows
    kept: list[int] = node.sizes[published].tolist()
    suppressed = rows - sum(kept)
    weights: list[float] = [each.weight for each in node.attributes]
    match name:
        case "glm" | "ncp":
            cells = fsum(each.weight * _cells(name, node, j, published) for j, each in enumerate(node.attributes))
            return cells + suppressed * fsum(weights)
        case "dcn":
            return float(sum(size * size for size in kept) + rows * suppressed)
        case "ce":
            majority = node.histograms[node.label or ""].max(axis=1, initial=0)[published]
            return float(rows - int(majority.sum()))
        case "average-class-size":
            return rows / (len(kept) + (suppressed > 0))
        case "c-avg":
            return sum(kept) / (len(kept) * int(node.people[published].min())) if kept else float(rows)
        case "precision":
            shares = [each.level / each.hierarchy.height if each.hierarchy.height else 0.0 for each in node.attributes]
            charged = [
                weight * ((rows - suppressed) * share + suppressed) / rows
                for weight, share in zip(weights, shares, strict=True)
            ]
            return fsum(charged) / fsum(weights)
        case "height":
            return fsum(each.weight * each.level for each in node.attributes)
        case "entropy":
            return fsum(each.weight * _bits(node, j, published) for j, each in enumerate(node.attributes))
    return None


def _cells(name: str, node: CountedNode, j: int, published: Truths) -> float:
    """Return the cost of the published cells of an attribute."""
    attribute = node.attributes[j]
    values, place = np.unique(node.codes[published, j], return_inverse=True)
    rows = np.bincount(place.reshape(-1), weights=node.sizes[published], minlength=len(values)).tolist()
    cost = _general_loss if name == "glm" else _certainty_penalty
    return fsum(
        count * cost(attribute, attribute.leaves_under(value))
        for value, count in zip(values.tolist(), rows, strict=True)
    )


def _general_loss(attribute: LevelledAttribute, under: list[int]) -> float:
    leaves = len(attribute.hierarchy.leaves)
    return (len(under) - 1) / (leaves - 1) if leaves > 1 else 0.0


def _certainty_penalty(attribute: LevelledAttribute, under: list[int]) -> float:
    by_leaves = len(under) / len(attribute.hierarchy.leaves) if len(under) > 1 else 0.0
    numbers = attribute.hierarchy.numbers
    known = [number for number in numbers or () if number is not None]
    if numbers is None or not known or min(known) == max(known):
        return by_leaves
    here = [number for number in (numbers[leaf] for leaf in under) if number is not None]
    by_range = float((max(here) - min(here)) / (max(known) - min(known))) if here else 0.0
    return by_range if len(here) == len(under) else max(by_range, by_leaves)


def _bits(node: CountedNode, j: int, published: Truths) -> float:
    """-log2(rows of the leaf / rows of its value) over all rows, -log2(s_v / S) over the suppressed rows."""
    attribute = node.attributes[j]
    codes = np.asarray(attribute.hierarchy.codes[attribute.level])
    of_value = np.bincount(codes, weights=attribute.rows_per_leaf)
    leaves = [
        (rows, of_value[code]) for rows, code in zip(attribute.rows_per_leaf.tolist(), codes.tolist(), strict=True)
    ]
    kept = fsum(-rows * log2(rows / whole) for rows, whole in leaves if rows)
    suppressed = np.bincount(node.codes[~published, j], weights=node.sizes[~published]).tolist()
    return kept + fsum(-rows * log2(rows / sum(suppressed)) for rows in suppressed if rows)


def defined_value(model: object, name: str, group: Counts, reference: Counts) -> float | None:
    """Return the value of one class by a privacy model; None if no definition has that name."""
    found = _by_itself(model, name, group)
    if found is None:
        size, whole = sum(group), sum(reference)
        pairs = [(mine / size, theirs / whole) for mine, theirs in zip(group, reference, strict=True)]
        found = _compared(model, name, pairs)
    return found


def _by_itself(model: object, name: str, group: Counts) -> float | None:
    """Values of models that depend on one class alone."""
    size, ranks = sum(group), sorted((count for count in group if count), reverse=True)
    match name:
        case "frequency-l":
            return size / ranks[0]
        case "distinct-l":
            return float(len(ranks))
        case "entropy-l":
            return exp(-fsum(count / size * log(count / size) for count in ranks))
        case "recursive-c":
            tail = sum(ranks[int(getattr(model, "l")) - 1 :])  # noqa: B009 - models are distinguished by their names
            return ranks[0] / tail if tail else inf
        case "alpha":
            only = getattr(model, "value", None)
            return (ranks[0] if only is None else group[only]) / size
    return None


def _compared(model: object, name: str, pairs: Sequence[tuple[float, float]]) -> float | None:
    """Values of models that compare the shares of a class with those of the reference."""
    match name:
        case "equal-t":
            return _distance(pairs)
        case "ordered-t":
            return _ordered(pairs)
        case "hierarchical-t":
            levels = [np.asarray(codes) for codes in getattr(model, "levels")]  # noqa: B009 - as above
            return fsum(_distance(_gathered(pairs, codes)) for codes in levels) / max(len(levels), 1)
        case "basic-beta":
            return max([0.0, *(_gain(*pair) for pair in pairs if pair[0])])
        case "enhanced-beta":
            free = any(p and (not q or _gain(p, q) > -log(q) + LIKE) for p, q in pairs)
            return inf if free else max([0.0, *(_gain(*pair) for pair in pairs if pair[0])])
        case "delta-disclosure":
            lacking = any(bool(p) != bool(q) for p, q in pairs)
            return inf if lacking else max(abs(log2(p / q)) for p, q in pairs if p)
    return None


def _gain(p: float, q: float) -> float:
    return (p - q) / q if q else inf


def _distance(pairs: Sequence[tuple[float, float]]) -> float:
    return fsum(abs(p - q) for p, q in pairs) / 2


def _ordered(pairs: Sequence[tuple[float, float]]) -> float:
    """The work of moving the distribution along the values that occur, of which each is one step from the next."""
    occurring = [p - q for p, q in pairs if p or q]
    if len(occurring) < 2:
        return 0.0
    return fsum(abs(fsum(occurring[: i + 1])) for i in range(len(occurring))) / (len(occurring) - 1)


def _gathered(pairs: Sequence[tuple[float, float]], codes: Ints) -> list[tuple[float, float]]:
    """The shares of the values of one level."""
    p, q = (np.bincount(codes[: len(pairs)], weights=[pair[side] for pair in pairs]) for side in (0, 1))
    return list(zip(p.tolist(), q.tolist(), strict=True))
