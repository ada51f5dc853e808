"""Grouping equal tuples by hashing their words, and adding up what they weigh."""

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.packing import Codes, Ints

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_ONE = np.uint64(1)


@jit
def group(keys: Ints, words: int, weights: Ints, slots: Codes, member: Codes, distinct: Ints, totals: Ints) -> int:
    """Number the distinct tuples of `keys` in order of appearance; return how many there are.

    `keys` holds `words` words for each tuple. `member[i]` becomes the group of tuple i; the tuple of each group goes
    to `distinct`, the sum of its weights to `totals`. `slots` is scratch of at least
    `2 ** slot_bits(tuples)` entries.
    """
    bits = slot_bits(len(weights))
    slots[: 1 << bits] = -1
    if words == 1:
        return _group_single(keys, weights, bits, slots, member, distinct, totals)
    return _group_several(keys, words, weights, bits, slots, member, distinct, totals)


@jit
def slot_bits(tuples: int) -> int:
    """The size of a hash table, in bits: roomy where that costs no cache, since collisions cost more than clearing.

    More tuples never need fewer bits, so memory for the bottom set serves every set above it.
    """
    room = max(2 * tuples, min(8 * tuples, 2**18))
    bits = 4
    while (1 << bits) < room:
        bits += 1
    return bits


# Places are unsigned throughout: numba checks every signed index for wrapping around.


@jit
def _group_single(
    keys: Ints, weights: Ints, bits: int, slots: Codes, member: Codes, distinct: Ints, totals: Ints
) -> int:
    mask, down = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    groups = 0
    for i in range(len(weights)):
        key = keys[i]
        place = (np.uint64(key) * _GOLDEN) >> down
        found = slots[place]
        while found >= 0 and distinct[found] != key:
            place = (place + _ONE) & mask
            found = slots[place]
        if found < 0:
            found = groups
            slots[place] = groups
            distinct[groups] = key
            totals[groups] = weights[i]
            groups += 1
        else:
            totals[found] += weights[i]
        member[i] = found
    return groups


@jit
def _group_several(
    keys: Ints, words: int, weights: Ints, bits: int, slots: Codes, member: Codes, distinct: Ints, totals: Ints
) -> int:
    mask, down = np.uint64((1 << bits) - 1), np.uint64(64 - bits)
    groups = 0
    for i in range(len(weights)):
        key = keys[i * words : (i + 1) * words]
        place = _hash(key) >> down
        found = slots[place]
        while found >= 0 and not _equal(distinct, found * words, key):
            place = (place + _ONE) & mask
            found = slots[place]
        if found < 0:
            found = groups
            slots[place] = groups
            distinct[groups * words : (groups + 1) * words] = key
            totals[groups] = weights[i]
            groups += 1
        else:
            totals[found] += weights[i]
        member[i] = found
    return groups


@jit
def _hash(key: Ints) -> np.uint64:
    mixed = np.uint64(0)
    for word in key:
        mixed = (mixed ^ np.uint64(word)) * _GOLDEN
        mixed ^= mixed >> np.uint64(32)
    return mixed * _GOLDEN


@jit
def _equal(distinct: Ints, begin: int, key: Ints) -> bool:
    for w in range(len(key)):
        if distinct[begin + w] != key[w]:
            return False
    return True
