"""Splits of cuts, with what each published value saves, as whole numbers for the kernels that bound cuts."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from paranym.errors import UnsuitableLoss
from paranym.frequency import FrequencySet, lifts_of, rollup
from paranym.kernels.cut_bounds import Splits
from paranym.measures.base import CellLoss, Domain
from paranym.model.cuts import AttributeCuts, Bits, CutSpace

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]
Flags = NDArray[np.bool_]

_MOST = 2**50
"""Most savings of all rows together: sums over the separations of an order still fit a word."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class SplitTable:
    """A counted table, all splits of its attributes, and what every published value saves.

    The savings of a cell are the cost of suppressing it minus the cost of publishing it, times `scale`. If `is_exact`,
    these are whole numbers; otherwise they are rounded up, by less than a millionth of a millionth of the loss.
    """

    space: CutSpace
    splits: Splits
    edges: tuple[Ints, ...]
    """The bits that each split sets."""
    codes: Codes
    """(attributes, combinations)"""
    counts: Ints
    scale: Fraction
    is_exact: bool

    @classmethod
    def of(
        cls, frequency: FrequencySet, space: CutSpace, loss: CellLoss, domains: Sequence[Domain], rows: int
    ) -> "SplitTable":
        """Return the splits of a counted table, measured by a loss that charges cells."""
        costs = [loss.costs(domain, rows) for domain in domains]
        weights = [Fraction(domain.weight) for domain in domains]
        each = [weight / cost.denominator for weight, cost in zip(weights, costs, strict=True)]
        scale, is_exact = _scale(each, _MOST / max(rows * sum(weights, Fraction(0)), Fraction(1, _MOST)))
        laid = []
        for cuts, cost, unit in zip(space.attributes, costs, each, strict=True):
            saved = _Savings(cuts, cost.of_runs, cost.denominator, unit * scale)
            laid.append(_order(cuts, saved, loss.name) if not cuts.constrained else _tree(cuts, saved))
        units = frequency
        if any(space.granularity):
            units = rollup(frequency, lifts_of([cuts.hierarchy for cuts in space.attributes]), space.granularity)
        splits, edges = _join(space, laid)
        return cls(
            space=space,
            splits=splits,
            edges=edges,
            codes=np.ascontiguousarray(units.codes.T, np.int32),
            counts=np.array(units.counts, np.int64),
            scale=scale,
            is_exact=is_exact,
        )

    def bits(self, made: Flags) -> Bits:
        """The bit string of a set of splits."""
        bits = np.zeros(self.space.length, bool)
        for split in np.flatnonzero(made).tolist():
            bits[self.edges[split]] = True
        return bits

    def made(self, bits: Bits) -> Flags:
        """The splits that a bit string makes."""
        made = np.array([bool(bits[edges].all()) for edges in self.edges], bool)
        for split, parent in enumerate(self.splits.parent.tolist()):
            made[split] &= parent < 0 or made[parent]
        return made


@dataclass(frozen=True, slots=True, eq=False)
class _Savings:
    """Savings of one row of one attribute, published as a run of units."""

    cuts: AttributeCuts
    costs: Callable[[Ints, Ints], Ints]
    denominator: int
    unit: Fraction
    """The worth of a numerator of one."""

    def whole(self, begin: Ints, end: Ints) -> Ints:
        """The numerators of what runs of units save."""
        leaf = self.cuts.first_leaf
        return self.denominator - self.costs(leaf[begin], leaf[end])

    def worth(self, numerators: Ints) -> Ints:
        """The worth of numerators, rounded up."""
        known = {one: math.ceil(one * self.unit) for one in np.unique(numerators).tolist()}
        return np.array([known[one] for one in numerators.reshape(-1).tolist()], np.int64).reshape(numerators.shape)

    def of(self, begin: Ints, end: Ints) -> Ints:
        """The savings of runs of units, rounded up."""
        return self.worth(self.whole(begin, end))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _Laid:
    """The splits of one attribute; numbers and bits count from its first."""

    parent: list[int]
    depth: list[int]
    begin: list[int]
    end: list[int]
    edges: list[list[int]]
    value_begin: Ints
    value_split: Ints
    savings: Ints


def _tree(cuts: AttributeCuts, saved: _Savings) -> _Laid:
    """All inner values of a tree, each behind the one above it."""
    inner = list(cuts.inner_values())
    deepest = max((each.depth for each in inner), default=-1) + 1
    begin = np.empty((deepest + 1, cuts.units), np.int64)
    end = np.empty((deepest + 1, cuts.units), np.int64)
    split = np.full((deepest + 1, cuts.units), -1, np.int64)
    begin[:], end[:] = 0, cuts.units
    for number, value in enumerate(inner):
        split[value.depth, value.begin : value.end] = number
        for first, last in value.parts:
            begin[value.depth + 1 :, first:last] = first
            end[value.depth + 1 :, first:last] = last
    return _Laid(
        parent=[each.parent for each in inner],
        depth=[each.depth for each in inner],
        begin=[each.begin for each in inner],
        end=[each.end for each in inner],
        edges=[[first - 1 for first, _ in each.parts[1:]] for each in inner],
        value_begin=begin.reshape(-1),
        value_split=split.reshape(-1),
        savings=saved.of(begin.reshape(-1), end.reshape(-1)),
    )


def _order(cuts: AttributeCuts, saved: _Savings, loss: str) -> _Laid:
    """All separations of neighbouring units, and the savings of every interval."""
    table = _intervals(cuts, saved, loss)
    return _Laid(
        parent=[-1] * cuts.length,
        depth=[0] * cuts.length,
        begin=list(range(cuts.length)),
        end=[place + 2 for place in range(cuts.length)],
        edges=[[place] for place in range(cuts.length)],
        value_begin=np.zeros(table.size, np.int64),
        value_split=np.full(table.size, -1, np.int64),
        savings=table.reshape(-1),
    )


def _intervals(cuts: AttributeCuts, saved: _Savings, loss: str) -> Ints:
    """(units, units + 1): the savings of the interval of units from `begin` to before `end`.

    Raise unless separations save no more together than each of them alone. Let s(b, e) be the savings of an interval.
    A unit of the interval (b, e) that ends up in (l, r) saves s(l, r) - s(b, e), and the single separations at l and
    at r save s(l, e) - s(b, e) and s(b, r) - s(b, e). These add up to at least as much if
    s(l, e) + s(b, r) >= s(l, r) + s(b, e). This holds with equality if s(b, e) is a sum of a number for b and one for
    e, which are then rounded one by one. Otherwise, the inequality for all intervals follows, by adding up, from that
    for intervals that lose one unit on each side.
    """
    units = cuts.units
    begin, end = np.triu_indices(units)
    whole = np.zeros((units, units + 1), np.int64)
    whole[begin, end + 1] = saved.whole(begin, end + 1)
    table = np.zeros_like(whole)
    at_end, at_begin = whole[0, 1:], whole[:, units] - whole[0, units]
    if np.array_equal(whole[begin, end + 1], at_end[end] + at_begin[begin]):
        table[begin, end + 1] = saved.worth(at_end)[end] + saved.worth(at_begin)[begin]
        return table
    table[begin, end + 1] = saved.worth(whole[begin, end + 1])
    for first in range(units - 2):
        ends = np.arange(first + 3, units + 1)
        alone = table[first + 1, ends] + table[first, ends - 1]
        if (alone < table[first + 1, ends - 1] + table[first, ends]).any():
            name = cuts.hierarchy.attribute
            raise UnsuitableLoss(
                loss,
                f"may save more by several separations of {name!r} together than by each of them alone, so that "
                f"nothing is proved about its intervals. Cut {name!r} by its tree, or use method nsga2.",
            )
    return table


def _join(space: CutSpace, laid: Sequence[_Laid]) -> tuple[Splits, tuple[Ints, ...]]:
    """Number the splits of all attributes in a row."""
    parent: list[int] = []
    edges: list[Ints] = []
    first_split, table_start, unit_start = [0], [0], [0]
    for one, cuts, field in zip(laid, space.attributes, space.fields, strict=True):
        parent += [up if up < 0 else up + first_split[-1] for up in one.parent]
        edges += [np.array(places, np.int64) + field.start for places in one.edges]
        first_split.append(len(parent))
        table_start.append(table_start[-1] + len(one.savings))
        unit_start.append(unit_start[-1] + cuts.units)
    numbered = [np.where(one.value_split < 0, -1, one.value_split + first_split[j]) for j, one in enumerate(laid)]
    splits = Splits(
        attribute=np.repeat(np.arange(len(laid)), np.diff(first_split)),
        parent=np.array(parent, np.int64),
        depth=np.array([depth for one in laid for depth in one.depth], np.int64),
        begin=np.array([begin for one in laid for begin in one.begin], np.int64),
        end=np.array([end for one in laid for end in one.end], np.int64),
        units=np.array([cuts.units for cuts in space.attributes], np.int64),
        unit_start=np.array(unit_start, np.int64),
        is_free=np.array([not cuts.constrained for cuts in space.attributes], bool),
        first_split=np.array(first_split, np.int64),
        table_start=np.array(table_start, np.int64),
        value_begin=np.concatenate([one.value_begin for one in laid]),
        value_split=np.concatenate(numbered).astype(np.int64),
        savings=np.concatenate([one.savings for one in laid]),
    )
    return splits, tuple(edges)


def _scale(units: Sequence[Fraction], most: Fraction) -> tuple[Fraction, bool]:
    """Return a factor of at most `most` that makes all costs whole numbers, and whether there is one."""
    common = Fraction(math.lcm(*(unit.denominator for unit in units)))
    return (common * int(most // common), True) if common <= most else (most, False)
