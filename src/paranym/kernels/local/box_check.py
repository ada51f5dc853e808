"""The check of a lower bound: every box with at least k rows, in whole numbers.

This is for `proof`, and shares nothing with the kernel that computes bounds. All costs are rounded down.
"""

from typing import NamedTuple

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.packing import Codes, Ints


class Claim(NamedTuple):
    """The values of combinations, and the ordered attributes."""

    k: int
    values: Ints
    """By combination: the value of each of its rows."""
    counts: Ints
    places: Codes
    """(ordered attributes, combinations): the rank of the number; missing values come last."""
    known: Ints
    """By ordered attribute: ranks from this one on are not numbers."""
    floors: Ints
    """(ordered attributes, ranks): where in the range a number lies, rounded down."""
    ceilings: Ints
    """(ordered attributes, ranks): the same, rounded up."""
    mixed: Ints
    """By ordered attribute: the least cost of a number published together with a missing value."""


@jit
def first_violation(claim: Claim, order: Ints, classes: Ints, costs: Ints) -> int:
    """Return the first class with a box whose k largest values sum to more than k times its cost; -1 if there is none.

    `order` lists combinations by their `classes`, which agree in all trees and lie in one window of all ordered
    attributes but the last; `costs` has what these cost.
    """
    begin = 0
    while begin < len(order):
        end, rows, largest = begin, 0, 0
        while end < len(order) and classes[order[end]] == classes[order[begin]]:
            rows += claim.counts[order[end]]
            largest = max(largest, claim.values[order[end]])
            end += 1
        cost = costs[order[begin]]
        if rows >= claim.k and largest > cost and not _holds(claim, order[begin:end], cost):
            return int(classes[order[begin]])
        begin = end
    return -1


@jit
def _holds(claim: Claim, members: Ints, cost: int) -> bool:
    """Whether no box of these combinations is violated, whatever the window of the last ordered attribute."""
    if _largest(claim, members) <= claim.k * cost:
        return True
    last = len(claim.known) - 1
    if last < 0:
        return False
    is_number = claim.places[last][members] < claim.known[last]
    others, numbers = members[~is_number], members[is_number]
    if _largest(claim, others) > claim.k * cost:
        return False
    if not _windows_hold(claim, numbers, others[:0], last, cost, 0):
        return False
    return len(others) == 0 or _windows_hold(claim, numbers, others, last, cost, claim.mixed[last])


@jit
def _largest(claim: Claim, members: Ints) -> int:
    """The sum of the k largest values; -1 if there are fewer than k rows."""
    order = np.argsort(-claim.values[members])
    total, left = 0, claim.k
    for i in range(len(order)):
        m = members[order[i]]
        rows = min(left, claim.counts[m])
        total += rows * claim.values[m]
        left -= rows
        if left == 0:
            return int(total)
    return -1


@jit
def _width(claim: Claim, attribute: int, low: int, high: int) -> int:
    """Cost of the range between two numbers, rounded down."""
    return int(max(claim.floors[attribute, high] - claim.ceilings[attribute, low], 0))


@jit
def _windows_hold(claim: Claim, numbers: Ints, others: Ints, attribute: int, cost: int, floor: int) -> bool:
    """Whether no window of the last ordered attribute is violated, with `others` in each of them."""
    places = claim.places[attribute][numbers]
    order = np.argsort(places)
    best = np.empty(claim.k, np.int64)
    for a in range(len(order)):
        low = places[order[a]]
        if a > 0 and low == places[order[a - 1]]:
            continue
        rest = _largest(claim, np.concatenate((numbers[order[a:]], others)))
        if rest <= claim.k * (cost + floor):
            return True  # no window that starts here or later holds more
        best[:] = -1
        total = 0
        for m in others:
            total += _enter(best, claim.values[m], claim.counts[m])
        for b in range(a, len(order)):
            m = numbers[order[b]]
            high = places[order[b]]
            width = max(floor, _width(claim, attribute, low, high))
            if rest <= claim.k * (cost + width):
                break
            total += _enter(best, claim.values[m], claim.counts[m])
            if b + 1 < len(order) and places[order[b + 1]] == high:
                continue
            if best[-1] >= 0 and total > claim.k * (cost + width):
                return False
    return True


@jit
def _enter(best: Ints, value: int, rows: int) -> int:
    """Enter rows into the list of the k largest values, -1 where it is not full; return what its sum gains."""
    gain = 0
    for _ in range(min(rows, len(best))):
        if value <= best[-1]:
            break
        gain += value - max(best[-1], 0)
        i = len(best) - 1
        while i > 0 and best[i - 1] < value:
            best[i] = best[i - 1]
            i -= 1
        best[i] = value
    return int(gain)
