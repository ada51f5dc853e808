"""The staircase of one node: every class size that may become k, and what is lost on the way there.

Step i publishes the classes of at least `sizes[i]` rows and suppresses the rows of all smaller ones. If people are
counted, sizes are numbers of people; what is suppressed is counted in rows all the same.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.kernels._jit import jit
from paranym.kernels.packing import Codes, Fields, Ints
from paranym.kernels.rollup import Counted

Floats = NDArray[np.float64]

SMALL = 256
"""Class sizes up to this are counted in buckets; the few larger classes are sorted."""

BANKS = 4


class Stairs(NamedTuple):
    """Working memory for the steps of one node, and what each step loses against the node without suppression."""

    sizes: Ints
    """k of every step."""
    rows: Ints
    """Rows that every step suppresses."""
    classes: Ints
    squares: Ints
    majority: Ints
    heaviest: Ints
    """Rows of the most frequent label of every class."""
    small: Codes
    """Classes that some step suppresses, as they come; `order` has them smallest first."""
    order: Codes
    bucket: Ints
    large: Ints
    spread: Ints
    people: Ints
    """People of every class, if they are counted."""


@jit
def climb(sizes: Ints, classes: int, rows: int, lost: int, limit: int, stairs: Stairs) -> tuple[int, int]:
    """Find the steps that suppress at most `limit` of the `rows`; return how many, and the sum of squared sizes.

    The classes of size 0, which have `lost` rows together, are suppressed at every step.
    """
    squares = _count_sizes(sizes, classes, stairs.bucket)
    steps, size = 0, 1
    while size <= SMALL and lost <= limit:
        if stairs.bucket[size] > 0:
            stairs.sizes[steps] = size
            stairs.rows[steps] = lost
            steps += 1
            lost += size * stairs.bucket[size]
        size += 1
    if lost <= limit:
        steps, lost = _climb_large(sizes, classes, steps, lost, limit, stairs)
    # even the largest class may be suppressed; one class of all rows has k = N without that
    if lost <= limit and (steps == 0 or stairs.sizes[steps - 1] < rows):
        stairs.sizes[steps] = rows
        stairs.rows[steps] = lost
        steps += 1
    return steps, squares


@jit
def _count_sizes(sizes: Ints, classes: int, bucket: Ints) -> int:
    """Count the classes of every size up to SMALL, larger ones together; return the sum of squared sizes.

    Neighbours go to different banks and sizes are capped instead of compared: sizes are too irregular for a processor
    to guess, and too often 1 to wait for the last write.
    """
    bucket[:] = 0
    squares = 0
    for c in range(classes):
        squares += sizes[c] * sizes[c]
        bucket[(c % BANKS) * (SMALL + 2) + min(sizes[c], SMALL + 1)] += 1
    for size in range(1, SMALL + 1):
        for bank in range(1, BANKS):
            bucket[size] += bucket[bank * (SMALL + 2) + size]
    return squares


@jit
def _climb_large(sizes: Ints, classes: int, steps: int, lost: int, limit: int, stairs: Stairs) -> tuple[int, int]:
    found = 0
    for c in range(classes):
        if sizes[c] > SMALL:
            stairs.large[found] = sizes[c]
            found += 1
    large = np.sort(stairs.large[:found])
    for i in range(found):
        if i == 0 or large[i] != large[i - 1]:
            if lost > limit:
                break
            stairs.sizes[steps] = large[i]
            stairs.rows[steps] = lost
            steps += 1
        lost += large[i]
    return steps, lost


@jit
def climb_people(
    sizes: Ints, counts: Ints, classes: int, people: int, lost: int, limit: int, stairs: Stairs
) -> tuple[int, int]:
    """Find the steps as `climb` does, for classes with `sizes` people in `counts` rows.

    Returns how many there are, and the sum of people times rows. `people` are all people of the table.
    """
    bucket = stairs.bucket
    bucket[: SMALL + 1] = 0
    product, found = 0, 0
    for c in range(classes):
        product += sizes[c] * counts[c]
        if sizes[c] <= SMALL:
            bucket[sizes[c]] += counts[c]
        else:
            stairs.large[found] = sizes[c]
            stairs.small[found] = c
            found += 1
    steps = 0
    for size in range(1, SMALL + 1):
        if lost > limit:
            break
        if bucket[size] > 0:
            stairs.sizes[steps] = size
            stairs.rows[steps] = lost
            steps += 1
            lost += bucket[size]
    if lost <= limit and found > 0:
        steps, lost = _climb_large_people(counts, found, steps, lost, limit, stairs)
    if lost <= limit and (steps == 0 or stairs.sizes[steps - 1] < people):
        stairs.sizes[steps] = people
        stairs.rows[steps] = lost
        steps += 1
    return steps, product


@jit
def _climb_large_people(counts: Ints, found: int, steps: int, lost: int, limit: int, stairs: Stairs) -> tuple[int, int]:
    last = 0
    for i in np.argsort(stairs.large[:found]):
        size = stairs.large[i]
        if size != last:
            if lost > limit:
                break
            stairs.sizes[steps] = size
            stairs.rows[steps] = lost
            steps += 1
            last = size
        lost += counts[stairs.small[i]]
    return steps, lost


@jit
def lose(counted: Counted, sizes: Ints, classes: int, rows: int, steps: int, stairs: Stairs) -> None:
    """Add up what every step suppresses: classes, squared counts, and the rows of each class's most frequent label.

    `sizes` are those that were climbed: the counts, or 0 for classes that every step suppresses. Also lists the classes
    that some step suppresses in `stairs.order`, smallest first, so that step i has lost the first `stairs.classes[i]`.
    """
    ceiling = stairs.sizes[steps - 1] + (1 if stairs.rows[steps - 1] == rows else 0)
    lost = 0
    for c in range(classes if steps > 1 or stairs.rows[0] > 0 else 0):
        if sizes[c] < ceiling:
            stairs.small[lost] = c
            lost += 1
    stairs.classes[:steps] = 0
    _list_first_steps(steps, stairs)
    for i in range(lost):
        stairs.classes[_lost_from(sizes[stairs.small[i]], steps, stairs)] += 1
    place = 0
    for i in range(steps):
        place, stairs.classes[i] = place + stairs.classes[i], place
    for i in range(lost):
        step = _lost_from(sizes[stairs.small[i]], steps, stairs)
        stairs.order[stairs.classes[step]] = stairs.small[i]
        stairs.classes[step] += 1
    _add_up(counted, steps, stairs)


@jit
def _list_first_steps(steps: int, stairs: Stairs) -> None:
    """Write for every size up to SMALL the first step that suppresses such classes, or the last step, in `bucket`."""
    step = 0
    for size in range(SMALL + 1):
        while step < steps - 1 and stairs.sizes[step] <= size:
            step += 1
        stairs.bucket[size] = step


@jit
def _lost_from(size: int, steps: int, stairs: Stairs) -> int:
    """The first step that suppresses classes of this size."""
    if size <= SMALL:
        return int(stairs.bucket[size])
    low, high = 0, steps - 1
    while low < high:
        middle = (low + high) // 2
        if stairs.sizes[middle] > size:
            high = middle
        else:
            low = middle + 1
    return low


@jit
def _add_up(counted: Counted, steps: int, stairs: Stairs) -> None:
    position, squares, majority = 0, 0, 0
    for i in range(steps):
        while position < stairs.classes[i]:
            c = stairs.order[position]
            squares += counted.counts[c] * counted.counts[c]
            majority += stairs.heaviest[c]
            position += 1
        stairs.squares[i] = squares
        stairs.majority[i] = majority


@jit
def find_heaviest(counted: Counted, classes: int, entries: int, begin: int, end: int, heaviest: Ints) -> int:
    """Write the largest entry of every class among histogram columns [begin, end); return their sum."""
    heaviest[:classes] = 0
    for e in range(entries):
        if begin <= counted.columns[e] < end:
            owner = counted.owners[e]
            heaviest[owner] = max(heaviest[owner], counted.amounts[e])
    total = 0
    for c in range(classes):
        total += heaviest[c]
    return total


@jit
def lose_cells(
    counted: Counted, words: int, steps: int, fields: Fields, costs: Ints, start: Ints, stairs: Stairs, lost: Ints
) -> None:
    """Write into `lost` (steps, attributes) what the cells of the suppressed rows would have cost.

    The cost of value v of attribute j is `costs[start[j] + v]`.
    """
    position = 0
    lost[0] = 0
    for i in range(steps):
        if i > 0:
            lost[i] = lost[i - 1]
        while position < stairs.classes[i]:
            c = stairs.order[position]
            for j in range(len(start)):
                value = (counted.words[c * words + fields.word[j]] >> fields.shift[j]) & fields.mask[j]
                lost[i, j] += counted.counts[c] * costs[start[j] + value]
            position += 1


@jit
def scatter(
    counted: Counted, words: int, steps: int, fields: Fields, radix: Ints, stairs: Stairs, lost: Floats
) -> None:
    """Write into `lost` (steps, attributes) the entropy, in bits, of the suppressed rows' published values."""
    for j in range(len(radix)):
        column = counted.words[fields.word[j] :]
        stairs.spread[: radix[j]] = 0
        position = 0
        for i in range(steps):
            while position < stairs.classes[i]:
                c = stairs.order[position]
                stairs.spread[(column[c * words] >> fields.shift[j]) & fields.mask[j]] += counted.counts[c]
                position += 1
            lost[i, j] = _weight(stairs.rows[i])
            for value in range(radix[j]):
                lost[i, j] -= _weight(stairs.spread[value])


@jit
def _weight(rows: int) -> float:
    return rows * np.log2(rows) if rows > 0 else 0.0
