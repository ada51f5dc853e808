"""The lower bound of every recoding: one pass over all boxes that lowers the values of tuples until no box is violated.

A box is a value of every tree and a window of every ordered attribute. A value per row bounds the penalty of every
k-anonymous recoding if in each box with at least k rows the k largest values sum to at most k times the cost of the
box. `project` turns any values into such values. BoxTable are walked depth first: a segment of tuples is narrowed down
attribute by attribute, and is dropped as soon as it has fewer than k rows, or as its k largest values sum to so little
that no box within it matters. Tuples come by falling value, and every segment keeps that order: its k largest values
are then its first ones.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.kernels._jit import jit
from paranym.kernels.packing import Codes, Ints

Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

KNOWN = 0
"""Windows of an ordered attribute that hold numbers only."""
MIXED = 1
"""Windows that hold all tuples without a number besides."""
EITHER = 2
"""An ordered attribute that has not been looked at."""


class BoxTable(NamedTuple):
    """The attributes, trees before ordered ones, with the costs of their values; the tuples by falling value."""

    positions: Codes
    """(attributes, tuples): the leaf of a tree, or the cell of an ordered attribute."""
    counts: Ints
    trees: int
    """Number of trees."""
    first: Ints
    """Where the entries of each attribute begin."""
    size: Ints
    """Leaves or cells of each attribute."""
    top: Ints
    """The highest level of each tree."""
    values: Codes
    """Trees: (levels, leaves) the value at each level."""
    costs: Floats
    """Trees: (levels, leaves) the cost of that value. Ordered attributes: where each cell ends."""
    starts: Floats
    """Ordered attributes: where each cell starts."""
    known: Ints
    """Ordered attributes: cells from this one on hold no numbers."""
    mixed: Floats
    """Ordered attributes: the least cost of a value that covers numbers and others."""
    slack: float
    """Subtracted from the width of a window, as the places of cells are rounded."""


class Aim(NamedTuple):
    """Values before and after a pass."""

    k: int
    least: float
    """BoxTable matter from this ratio of their k largest values to their cost on; values rise by at most 1 / least."""
    before: Floats
    """By tuple, falling."""
    after: Floats


class Stack(NamedTuple):
    """Segments that wait to be narrowed down; the last one is next. Its tuples end where free room begins."""

    used: Ints
    """(1): number of waiting segments."""
    attribute: Ints
    level: Ints
    begin: Ints
    end: Ints
    low: Ints
    """The window of an ordered attribute that comes next; -1 before the first."""
    high: Ints
    cost: Floats
    """Cost of the values chosen so far."""
    sum: Floats
    """The k largest values."""
    tuples: Codes
    """Room for the tuples of all waiting segments."""
    slots: Ints
    """By value of a tree: which child it is; -1 outside of use."""
    seen: Ints
    """The values that have a slot, then the tuples of each, then where each begins."""


@jit
def project(boxes: BoxTable, aim: Aim, stack: Stack) -> None:
    """Lower `aim.after`, which holds upper limits, until no box is violated."""
    attributes, tuples = boxes.positions.shape
    for t in range(tuples):
        stack.tuples[t] = t
    stack.used[0] = 0
    _push(boxes, aim, stack, 0, 0, tuples, 0.0, _largest(boxes, aim, stack, 0, tuples))
    while stack.used[0] > 0:
        stack.used[0] -= 1
        f = stack.used[0]
        attribute = stack.attribute[f]
        if attribute < boxes.trees:
            _split(boxes, aim, stack, f)
        elif attribute == attributes:
            _whole(boxes, aim, stack, f)
        elif attribute == attributes - 1:
            _sweep(boxes, aim, stack, f)
        elif stack.level[f] == EITHER:
            _begin_windows(boxes, aim, stack, f)
        else:
            _next_window(boxes, aim, stack, f)


@jit
def _push(
    boxes: BoxTable, aim: Aim, stack: Stack, attribute: int, begin: int, end: int, cost: float, total: float
) -> None:
    """Let a segment wait, unless no box within it matters."""
    if total <= aim.least * aim.k * cost:
        return
    f = stack.used[0]
    stack.attribute[f] = attribute
    stack.level[f] = boxes.top[attribute] if attribute < boxes.trees else EITHER
    stack.begin[f] = begin
    stack.end[f] = end
    stack.low[f] = -1
    stack.high[f] = -1
    stack.cost[f] = cost
    stack.sum[f] = total
    stack.used[0] += 1


@jit
def _largest(boxes: BoxTable, aim: Aim, stack: Stack, begin: int, end: int) -> float:
    """The sum of the k largest values of a segment; -1 if it has fewer than k rows."""
    total, left = 0.0, aim.k
    for i in range(begin, end):
        t = stack.tuples[i]
        rows = boxes.counts[t]
        if rows >= left:
            return float(total + left * aim.before[t])
        total += rows * aim.before[t]
        left -= rows
    return -1.0


@jit
def _split(boxes: BoxTable, aim: Aim, stack: Stack, f: int) -> None:
    """Choose the closest common ancestor of a segment in one tree, and go on with each of its children."""
    j, begin, end, cost, level = stack.attribute[f], stack.begin[f], stack.end[f], stack.cost[f], stack.level[f]
    low = high = boxes.positions[j, stack.tuples[begin]]
    for i in range(begin + 1, end):
        leaf = boxes.positions[j, stack.tuples[i]]
        low, high = min(low, leaf), max(high, leaf)
    table = boxes.first[j] + level * boxes.size[j]
    while level > 0:
        table -= boxes.size[j]
        if boxes.values[table + low] != boxes.values[table + high]:
            table += boxes.size[j]
            break
        level -= 1
    _push(boxes, aim, stack, j + 1, begin, end, cost + boxes.costs[table + low], stack.sum[f])
    if level > 0:
        _push_children(boxes, aim, stack, j, table - boxes.size[j], level - 1, begin, end, cost)


@jit
def _push_children(
    boxes: BoxTable, aim: Aim, stack: Stack, j: int, table: int, level: int, begin: int, end: int, cost: float
) -> None:
    """Distribute a segment by the values at one level. Each part keeps its order."""
    children, third = 0, len(stack.seen) // 3
    for i in range(begin, end):
        value = boxes.values[table + boxes.positions[j, stack.tuples[i]]]
        if stack.slots[value] < 0:
            stack.slots[value] = children
            stack.seen[children] = value
            stack.seen[third + children] = 0
            children += 1
        stack.seen[third + stack.slots[value]] += 1
    start = end
    for child in range(children):
        stack.seen[2 * third + child] = start
        start += stack.seen[third + child]
    for i in range(begin, end):
        child = stack.slots[boxes.values[table + boxes.positions[j, stack.tuples[i]]]]
        stack.tuples[stack.seen[2 * third + child]] = stack.tuples[i]
        stack.seen[2 * third + child] += 1
    for child in range(children):
        stack.slots[stack.seen[child]] = -1
        until = stack.seen[2 * third + child]
        since = until - stack.seen[third + child]
        total = _largest(boxes, aim, stack, since, until)
        if total > 0:
            waiting = stack.used[0]
            _push(boxes, aim, stack, j, since, until, cost, total)
            if stack.used[0] > waiting:
                stack.level[waiting] = level


@jit
def _whole(boxes: BoxTable, aim: Aim, stack: Stack, f: int) -> None:
    """Without ordered attributes a segment is a box."""
    segment = stack.tuples[stack.begin[f] : stack.end[f]]
    last, rows = 0, boxes.counts[segment[0]]
    while rows < aim.k:
        last += 1
        rows += boxes.counts[segment[last]]
    _lower(aim, segment, aim.before[segment], np.ones(len(segment), np.bool_), last, stack.sum[f], stack.cost[f])


@jit
def _lower(aim: Aim, segment: Codes, values: Floats, inside: Truths, last: int, total: float, cost: float) -> None:
    """Lower the values of a box whose k largest ones, down to the tuple at `last`, sum to `total`."""
    if cost <= 0:
        for i in range(len(segment)):
            if inside[i]:
                aim.after[segment[i]] = 0.0
        return
    ratio = total / (aim.k * cost)
    limit = values[last] / ratio
    for i in range(len(segment)):
        if values[i] <= aim.least * limit:
            break  # this and all further tuples are limited more by the rise that a pass allows
        if inside[i]:
            aim.after[segment[i]] = min(aim.after[segment[i]], max(values[i] / ratio, limit))


@jit
def _width(boxes: BoxTable, j: int, low: int, high: int) -> float:
    """The least cost of a range with its ends in two cells."""
    first = boxes.first[j]
    return float(max(boxes.starts[first + high] - boxes.costs[first + low] - boxes.slack, 0.0)) if low < high else 0.0


class Swept(NamedTuple):
    """The tuples of a segment whose last attribute is swept, by falling value."""

    cells: Codes
    counts: Ints
    values: Floats
    others: Ints
    """Those without a number."""
    order: Ints
    """Those with a number, by their cells."""
    inside: Truths
    """Those in the current window."""


@jit
def _sweep(boxes: BoxTable, aim: Aim, stack: Stack, f: int) -> None:
    """Try all windows of the last attribute: of numbers, of numbers and all tuples without one, and of these alone."""
    segment, j, cost = stack.tuples[stack.begin[f] : stack.end[f]], stack.attribute[f], stack.cost[f]
    cells = boxes.positions[j][segment]
    is_number = cells < boxes.known[j]
    others, numbers = np.flatnonzero(~is_number), np.flatnonzero(is_number)
    order = numbers[np.argsort(cells[numbers], kind="mergesort")]
    inside = np.zeros(len(segment), np.bool_)
    swept = Swept(cells, boxes.counts[segment], aim.before[segment], others[:0], order, inside)
    _try_windows(boxes, aim, segment, swept, j, cost, 0.0)
    if len(others):
        swept = Swept(cells, swept.counts, swept.values, others, order, inside)
        _try_windows(boxes, aim, segment, swept, j, cost, boxes.mixed[j])
        last, rows, total = _begin(swept, aim.k)
        _try(aim, segment, swept, last, rows, total, cost)


@jit
def _try_windows(boxes: BoxTable, aim: Aim, segment: Codes, swept: Swept, j: int, base: float, floor: float) -> None:
    """Try all windows of numbers, each of which costs at least `floor` besides `base`."""
    order, cells, numbers = swept.order, swept.cells, len(swept.order)
    from_here = _suffixes(swept, aim.k)
    start = 0
    while start < numbers and from_here[start] > aim.least * aim.k * (base + floor):  # later windows hold less
        low = cells[order[start]]
        last, rows, total = _begin(swept, aim.k)
        i = start
        while i < numbers:
            high = cells[order[i]]
            cost = base + max(floor, _width(boxes, j, low, high))
            if from_here[start] <= aim.least * aim.k * cost:
                break
            while i < numbers and cells[order[i]] == high:
                last, rows, total = _add(swept.counts, swept.values, swept.inside, aim.k, order[i], last, rows, total)
                i += 1
            _try(aim, segment, swept, last, rows, total, cost)
        while start < numbers and cells[order[start]] == low:
            start += 1


@jit
def _try(aim: Aim, segment: Codes, swept: Swept, last: int, rows: int, total: float, cost: float) -> None:
    """Lower the values of a window if it matters."""
    if rows >= aim.k:
        largest = total - (rows - aim.k) * swept.values[last]
        if largest > aim.least * aim.k * cost:
            _lower(aim, segment, swept.values, swept.inside, last, largest, cost)


@jit
def _suffixes(swept: Swept, k: int) -> Floats:
    """By start of a window: the k largest values from there to the end; 0 if there are fewer than k rows."""
    sums = np.zeros(len(swept.order))
    last, rows, total = _begin(swept, k)
    for i in range(len(sums) - 1, -1, -1):
        last, rows, total = _add(swept.counts, swept.values, swept.inside, k, swept.order[i], last, rows, total)
        if rows >= k:
            sums[i] = total - (rows - k) * swept.values[last]
    return sums


@jit
def _begin(swept: Swept, k: int) -> tuple[int, int, float]:
    """A window without numbers."""
    last, rows, total = len(swept.values) - 1, 0, 0.0
    swept.inside[:] = False
    for i in swept.others:
        last, rows, total = _add(swept.counts, swept.values, swept.inside, k, i, last, rows, total)
    return last, rows, total


@jit
def _add(
    counts: Ints, values: Floats, inside: Truths, k: int, i: int, last: int, rows: int, total: float
) -> tuple[int, int, float]:
    """Add a tuple to a window of which the tuples up to `last` hold the k largest values: `rows` rows, sum `total`.

    As a window grows, the smallest of its k largest values only rises, so `last` only falls.
    """
    inside[i] = True
    if i > last:
        return last, rows, total
    rows += counts[i]
    total += counts[i] * values[i]
    while rows >= k:
        while not inside[last]:
            last -= 1
        if rows - counts[last] < k:
            break
        rows -= counts[last]
        total -= counts[last] * values[last]
        last -= 1
    return last, rows, total


@jit
def _begin_windows(boxes: BoxTable, aim: Aim, stack: Stack, f: int) -> None:
    """Before the first window of an ordered attribute that others follow: of numbers, mixed, or without numbers."""
    begin, end, j, cost, total = stack.begin[f], stack.end[f], stack.attribute[f], stack.cost[f], stack.sum[f]
    others = 0
    for i in range(begin, end):
        if boxes.positions[j, stack.tuples[i]] >= boxes.known[j]:
            stack.tuples[end + others] = stack.tuples[i]
            others += 1
    if others < end - begin:
        for kind in range(KNOWN, MIXED + 1):
            if kind == KNOWN or others:
                waiting = stack.used[0]
                _push(boxes, aim, stack, j, begin, end, cost, total)
                if stack.used[0] > waiting:
                    stack.level[waiting] = kind
    if others:
        largest = _largest(boxes, aim, stack, end, end + others)
        if largest > 0:
            _push(boxes, aim, stack, j + 1, end, end + others, cost, largest)


@jit
def _next_window(boxes: BoxTable, aim: Aim, stack: Stack, f: int) -> None:
    """Go on with the tuples in one window, and let the following window wait below."""
    begin, end, j, kind, cost = stack.begin[f], stack.end[f], stack.attribute[f], stack.level[f], stack.cost[f]
    low, high = stack.low[f], stack.high[f]
    floor = boxes.mixed[j] if kind == MIXED else 0.0
    width = max(floor, _width(boxes, j, low, high))
    if high < 0 or stack.sum[f] <= aim.least * aim.k * (cost + width):  # the next start
        low = high = _following(boxes, stack, j, begin, end, low)
        if low < 0:
            return
        width = floor
        until = _within(boxes, stack, j, begin, end, low, boxes.known[j], kind == MIXED)
        stack.sum[f] = _largest(boxes, aim, stack, end, until)
        if stack.sum[f] <= aim.least * aim.k * (cost + width):
            return  # later windows hold less
    stack.low[f] = low
    stack.high[f] = _following(boxes, stack, j, begin, end, high)
    stack.used[0] = f + 1
    until = _within(boxes, stack, j, begin, end, low, high, kind == MIXED)
    largest = _largest(boxes, aim, stack, end, until)
    if largest > 0:
        _push(boxes, aim, stack, j + 1, end, until, cost + width, largest)


@jit
def _following(boxes: BoxTable, stack: Stack, j: int, begin: int, end: int, cell: int) -> int:
    """The next cell that a tuple of the segment lies in; -1 if there is none."""
    found = boxes.known[j]
    for i in range(begin, end):
        other = boxes.positions[j, stack.tuples[i]]
        if cell < other < found:
            found = other
    return int(found) if found < boxes.known[j] else -1


@jit
def _within(
    boxes: BoxTable,
    stack: Stack,
    j: int,
    begin: int,
    end: int,
    low: int,
    high: int,
    mixed: bool,
) -> int:
    """Put the tuples of a segment that lie in a window behind it; return where they end."""
    until = end
    for i in range(begin, end):
        cell = boxes.positions[j, stack.tuples[i]]
        if low <= cell <= high if cell < boxes.known[j] else mixed:
            stack.tuples[until] = stack.tuples[i]
            until += 1
    return until
