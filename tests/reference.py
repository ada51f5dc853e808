"""The definitions once more, slow and obvious: plain Python over rows, sharing no code with the package."""

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import log2

Cell = str | None
Levels = tuple[int, ...]

ALIKE = Fraction(1, 10**9)


@dataclass(frozen=True, slots=True)
class Tree:
    """A hierarchy: for every leaf, its value at each level, the leaf itself first and the top last."""

    lines: tuple[tuple[Cell, ...], ...]

    @property
    def height(self) -> int:
        return len(self.lines[0]) - 1

    @property
    def leaves(self) -> tuple[Cell, ...]:
        return tuple(line[0] for line in self.lines)

    def published(self, leaf: Cell, level: int) -> Cell:
        return next(line[level] for line in self.lines if line[0] == leaf)

    def under(self, leaf: Cell, level: int) -> list[Cell]:
        """The leaves that are published like `leaf`."""
        value = self.published(leaf, level)
        return [line[0] for line in self.lines if line[level] == value]


@dataclass(frozen=True, slots=True)
class Row:
    """The quasi-identifiers, the label to predict, the sensitive value, and the person."""

    cells: tuple[Cell, ...]
    label: str = "yes"
    illness: str = "flu"
    person: str | None = None
    """A row without a person counts as a person of its own, as every row does where people are not counted."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A table with its hierarchies and the weights of its attributes."""

    trees: tuple[Tree, ...]
    rows: tuple[Row, ...]
    weights: tuple[float, ...]

    @property
    def heights(self) -> Levels:
        return tuple(tree.height for tree in self.trees)

    def published(self, row: Row, node: Levels) -> tuple[Cell, ...]:
        return tuple(tree.published(cell, level) for tree, cell, level in zip(self.trees, row.cells, node, strict=True))

    def classes(self, node: Levels) -> list[list[Row]]:
        """The rows, gathered by what is published of them."""
        found: dict[tuple[Cell, ...], list[Row]] = {}
        for row in self.rows:
            found.setdefault(self.published(row, node), []).append(row)
        return list(found.values())


@dataclass(frozen=True, slots=True)
class Solution:
    """A node and a step of its staircase."""

    node: Levels
    k: int
    suppressed: int
    loss: float
    weighted_k: float


@dataclass(frozen=True, slots=True)
class Release:
    """What a step publishes and what it leaves out."""

    sample: Sample
    node: Levels
    k: int
    kept: tuple[list[Row], ...]
    gone: tuple[Row, ...]

    @property
    def kept_rows(self) -> list[Row]:
        return [row for group in self.kept for row in group]


def people(rows: Sequence[Row]) -> int:
    """How many different people have these rows."""
    return len({row.person for row in rows} - {None}) + sum(row.person is None for row in rows)


def nodes(heights: Sequence[int]) -> Iterator[Levels]:
    """Every node of the lattice."""
    return itertools.product(*(range(height + 1) for height in heights))


def covers(upper: Levels, lower: Levels) -> bool:
    return all(a >= b for a, b in zip(upper, lower, strict=True))


def staircase(sample: Sample, node: Levels, loss: str, limit: int, *, only_highest: bool = False) -> list[Solution]:
    """Every class size c whose smaller classes have at most `limit` rows; suppressing all rows is k = N.

    One class of all people has k = N as it is, so there nothing is gained by suppressing it.
    """
    classes = sample.classes(node)
    total, everyone = len(sample.rows), people(sample.rows)
    weighted_k = sum(len(group) * people(group) for group in classes) / total
    releases = []
    for size in sorted({people(group) for group in classes}):
        kept = tuple(group for group in classes if people(group) >= size)
        gone = tuple(row for group in classes if people(group) < size for row in group)
        releases.append(Release(sample, node, size, kept, gone))
    if all(people(group) < everyone for group in classes):
        releases.append(Release(sample, node, everyone, (), sample.rows))
    allowed = [release for release in releases if len(release.gone) <= limit]
    return [
        Solution(node, release.k, len(release.gone), loss_of(release, loss), weighted_k)
        for release in (allowed[-1:] if only_highest else allowed)
    ]


def non_dominated(solutions: Sequence[Solution]) -> set[Solution]:
    """The solutions that no other one beats, each compared with each."""
    return {one for one in solutions if not any(beats(other, one) for other in solutions)}


def beats(one: Solution, other: Solution) -> bool:
    same = alike(one.loss, other.loss)
    better = one.k > other.k or (one.loss < other.loss and not same)
    return one.k >= other.k and (same or one.loss < other.loss) and better


def alike(a: float, b: float) -> bool:
    """Equal up to 1e-9 of the larger."""
    x, y = Fraction(a), Fraction(b)
    return abs(x - y) <= ALIKE * max(abs(x), abs(y))


def loss_of(release: Release, loss: str) -> float:
    total, node = len(release.sample.rows), release.node
    trees, weights = release.sample.trees, [Fraction(weight) for weight in release.sample.weights]
    attributes = range(len(trees))
    match loss:
        case "glm" | "ncp":
            cell = _general if loss == "glm" else _penalty
            kept = (weights[j] * cell(trees[j], row.cells[j], node[j]) for row in release.kept_rows for j in attributes)
            return float(sum(kept) + len(release.gone) * sum(weights))
        case "dcn":
            return float(sum(len(group) ** 2 for group in release.kept) + total * len(release.gone))
        case "ce":
            return float(len(release.gone) + sum(map(_not_of_majority, release.kept)))
        case "average-class-size":
            return total / (len(release.kept) + (1 if release.gone else 0))
        case "c-avg":
            return len(release.kept_rows) / (len(release.kept) * release.k) if release.kept else float(total)
        case "precision":
            return float(_precision(release, weights))
        case "height":
            return float(sum(weights[j] * node[j] for j in attributes))
        case "entropy":
            return sum(float(weights[j]) * _entropy(release, j) for j in attributes)
    raise AssertionError(f"no reference for {loss}")


def _general(tree: Tree, leaf: Cell, level: int) -> Fraction:
    leaves = len(tree.leaves)
    return Fraction(len(tree.under(leaf, level)) - 1, leaves - 1) if leaves > 1 else Fraction(0)


def _penalty(tree: Tree, leaf: Cell, level: int) -> Fraction:
    under = tree.under(leaf, level)
    by_leaves = Fraction(len(under), len(tree.leaves)) if len(under) > 1 else Fraction(0)
    if _is_numeric(tree) and _range(tree.leaves):
        by_range = _range(under) / _range(tree.leaves)
        return max(by_range, by_leaves) if None in under else by_range
    return by_leaves


def _is_numeric(tree: Tree) -> bool:
    known = [leaf for leaf in tree.leaves if leaf is not None]
    return bool(known) and all(leaf.lstrip("-").replace(".", "", 1).isdigit() for leaf in known)


def _range(leaves: Sequence[Cell]) -> Fraction:
    numbers = [Fraction(Decimal(leaf)) for leaf in leaves if leaf is not None]
    return max(numbers) - min(numbers) if numbers else Fraction(0)


def _not_of_majority(group: list[Row]) -> int:
    return len(group) - max(Counter(row.label for row in group).values())


def _precision(release: Release, weights: list[Fraction]) -> Fraction:
    total, kept, gone = len(release.sample.rows), len(release.kept_rows), len(release.gone)
    charged = Fraction(0)
    for tree, level, weight in zip(release.sample.trees, release.node, weights, strict=True):
        share = Fraction(level, tree.height) if tree.height else Fraction(0)
        charged += weight * (kept * share + gone) / total
    return charged / sum(weights)


def _entropy(release: Release, j: int) -> float:
    """-log2(count of the leaf / count of its published value) over all rows, -log2(s_v / S) over suppressed ones."""
    tree, level = release.sample.trees[j], release.node[j]
    leaves = Counter(row.cells[j] for row in release.sample.rows)
    values = Counter(tree.published(row.cells[j], level) for row in release.sample.rows)
    gone = Counter(tree.published(row.cells[j], level) for row in release.gone)
    bits = sum(-log2(leaves[row.cells[j]] / values[tree.published(row.cells[j], level)]) for row in release.sample.rows)
    return bits + sum(-log2(gone[tree.published(row.cells[j], level)] / len(release.gone)) for row in release.gone)
