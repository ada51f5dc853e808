"""A check of a lower bound: no box with at least k rows may be violated by the values in its certificate.

This module uses no code of the search. It goes over all boxes, level by level of all trees and window by window of all
ordered attributes, with costs from the definitions, in whole numbers that are rounded against the claim.
"""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from paranym.kernels.local.box_check import Claim, first_violation
from paranym.model.hierarchy import Hierarchy
from paranym.problem import Problem
from paranym.proof.certificate import Verdict
from paranym.results.bound import SCALE, LowerBound

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

_ROOM = 2**62


def verify_bound(bound: LowerBound, problem: Problem) -> Verdict:
    """Check that no k-anonymous recoding of `problem` can have a lower penalty than `bound` says.

    Every box of the table with at least k rows is examined: each value of each hierarchy, each range of each number.

    >>> import pyarrow as pa
    >>> from paranym.solve.bounds import lower_bound
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> problem = Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    >>> verify_bound(lower_bound(problem, k=2), problem)
    Verdict(faults=())
    """
    faults = _check_account(bound, problem)
    return Verdict(tuple(faults or _check_boxes(bound, problem)))


def _check_account(bound: LowerBound, problem: Problem) -> list[str]:
    """Check the claims of the bound about the problem, before any box is examined."""
    counts = problem.frequency.counts
    weight = float(sum(attribute.weight for attribute in problem.schema.quasi_identifiers))
    if bound.values.shape != counts.shape or not np.array_equal(bound.counts, counts):
        return ["it is a bound for other combinations or other rows"]
    faults = []
    if bound.rows != problem.rows or bound.weight != weight:
        faults.append(f"it says {bound.rows} rows of weight {bound.weight}; there are {problem.rows} of {weight}")
    if not 1 <= bound.k <= problem.rows:
        faults.append(f"there is no k = {bound.k} with {problem.rows} rows")
    if not np.issubdtype(bound.values.dtype, np.integer):
        return [*faults, "its values are not whole numbers"]
    if int(bound.values.min(initial=0)) < 0:
        faults.append("a value is negative")
    if int(bound.values.max(initial=0)) > SCALE:
        faults.append("a value exceeds the cost of a suppressed row")
    return faults


def _check_boxes(bound: LowerBound, problem: Problem) -> list[str]:
    weights = [Fraction(attribute.weight) for attribute in problem.schema.quasi_identifiers]
    shares = [SCALE * weight / sum(weights) for weight in weights]
    ordered = [j for j, hierarchy in enumerate(problem.hierarchies) if _has_range(hierarchy)]
    trees = [j for j in range(len(shares)) if j not in ordered]
    codes = problem.frequency.codes
    claim = _claim(bound, problem, ordered, shares)
    costs = {j: _tree_costs(problem.hierarchies[j], shares[j]) for j in trees}
    largest = int(claim.values.max(initial=0))
    for levels in itertools.product(*(range(problem.hierarchies[j].height + 1) for j in trees)):
        classes, cost = np.zeros(len(codes), np.int64), np.zeros(len(codes), np.int64)
        for j, level in zip(trees, levels, strict=True):
            values = problem.hierarchies[j].codes[level][codes[:, j]]
            cost += costs[j][level][values]
            if int(classes.max()) * len(costs[j][level]) > _ROOM:
                classes = np.unique(classes, return_inverse=True)[1].reshape(-1)
            classes = classes * len(costs[j][level]) + values
        order = np.argsort(classes, kind="stable")
        for within, width in _windows(claim, order, int(cost.min()), largest):
            if first_violation(claim, within, classes, cost + width) >= 0:
                where = ", ".join(f"{problem.attributes[j]} {level}" for j, level in zip(trees, levels, strict=True))
                at = f" at levels {where}" if where else ""
                return [f"the {bound.k} largest values of a box{at} sum to more than the box costs {bound.k} rows"]
    return []


def _windows(claim: Claim, order: Ints, cost: int, largest: int, attribute: int = 0) -> Iterator[tuple[Ints, int]]:
    """The combinations in each window of all ordered attributes but the last, with the cost of the window.

    Windows that cost at least the largest value are skipped: not even k rows of that value would violate their boxes.
    """
    if cost >= largest or int(claim.counts[order].sum()) < claim.k:
        return
    if attribute >= len(claim.known) - 1:
        yield order, 0
        return
    places = claim.places[attribute][order]
    is_number = places < claim.known[attribute]
    for low, high in itertools.combinations_with_replacement(np.unique(places[is_number]).tolist(), 2):
        width = max(int(claim.floors[attribute, high] - claim.ceilings[attribute, low]), 0)
        inside = is_number & (low <= places) & (places <= high)
        choices = [(inside, width)]
        if not is_number.all():
            choices.append((inside | ~is_number, max(width, int(claim.mixed[attribute]))))
        for chosen, price in choices:
            for within, more in _windows(claim, order[chosen], cost + price, largest, attribute + 1):
                yield within, price + more
    yield from _windows(claim, order[~is_number], cost, largest, attribute + 1)


def _has_range(hierarchy: Hierarchy) -> bool:
    """Whether values are charged by their range: there are at least two different numbers."""
    return hierarchy.numbers is not None and len({number for number in hierarchy.numbers if number is not None}) > 1


def _tree_costs(hierarchy: Hierarchy, share: Fraction) -> list[Ints]:
    """By level: the cost of each value, by the leaves under it; a single leaf costs nothing."""
    found = []
    for codes in hierarchy.codes:
        under = np.bincount(codes).tolist()
        if hierarchy.numbers is not None:  # of equal numbers, cuts may publish any two together
            under = [min(leaves, 2) for leaves in under]
        costs = [floor(share * leaves / len(codes)) if leaves > 1 else 0 for leaves in under]
        found.append(np.array(costs, np.int64))
    return found


def _claim(bound: LowerBound, problem: Problem, ordered: list[int], shares: list[Fraction]) -> Claim:
    tables = [list(_places(problem.hierarchies[j], shares[j])) for j in ordered]
    width = max((len(table) for table in tables), default=1)
    floors, ceilings = np.zeros((2, len(ordered), width), np.int64)
    places = np.empty((len(ordered), len(bound.values)), np.int32)
    for row, (j, table) in enumerate(zip(ordered, tables, strict=True)):
        leaves = [leaf for leaf, _ in table]
        floors[row, : len(table)] = [floor(place) for _, place in table]
        ceilings[row, : len(table)] = [ceil(place) for _, place in table]
        ranks = np.empty(len(table), np.int32)
        ranks[leaves] = np.arange(len(table), dtype=np.int32)
        places[row] = ranks[problem.frequency.codes[:, j]]
    hierarchies = [problem.hierarchies[j] for j in ordered]
    known = [len(each.leaves) - (each.numbers or ()).count(None) for each in hierarchies]
    mixed = [floor(shares[j] * 2 / len(problem.hierarchies[j].leaves)) for j in ordered]
    return Claim(
        k=bound.k,
        values=bound.values.astype(np.int64),
        counts=bound.counts.astype(np.int64),
        places=places,
        known=np.array(known, np.int64),
        floors=floors,
        ceilings=ceilings,
        mixed=np.array(mixed, np.int64),
    )


def _places(hierarchy: Hierarchy, share: Fraction) -> Iterator[tuple[int, Fraction]]:
    """The leaves in the order of their numbers, with their place in the range; those without a number come last."""
    numbers = {leaf: Fraction(number) for leaf, number in enumerate(hierarchy.numbers or ()) if number is not None}
    least, most = min(numbers.values()), max(numbers.values())
    for leaf in sorted(numbers, key=lambda each: numbers[each]):
        yield leaf, share * (numbers[leaf] - least) / (most - least)
    yield from ((leaf, Fraction(0)) for leaf in range(len(hierarchy.leaves)) if leaf not in numbers)
