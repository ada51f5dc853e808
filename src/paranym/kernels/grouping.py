"""Grouping equal tuples by hashing their words."""

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.packing import Codes, Ints

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@jit
def group(keys: Ints, words: int, count: int, slots: Codes, member: Codes, distinct: Ints) -> int:
    """Number the distinct tuples of `keys` in order of appearance; return how many there are.

    `keys` holds `words` words for each of `count` tuples. `member[i]` becomes the group of tuple i, and the tuples
    themselves go to `distinct`. `slots` is scratch: a power of two of entries, at least twice `count` and at least 16.
    """
    bits = 4
    while (1 << bits) < 2 * count:
        bits += 1
    slots[: 1 << bits] = -1
    if words == 1:
        return _group_single(keys, count, bits, slots, member, distinct)
    return _group_several(keys, words, count, bits, slots, member, distinct)


@jit
def _group_single(keys: Ints, count: int, bits: int, slots: Codes, member: Codes, distinct: Ints) -> int:
    mask, down = (1 << bits) - 1, np.uint64(64 - bits)
    groups = 0
    for i in range(count):
        key = keys[i]
        place = np.int64((np.uint64(key) * _GOLDEN) >> down)
        found = slots[place]
        while found >= 0 and distinct[found] != key:
            place = (place + 1) & mask
            found = slots[place]
        if found < 0:
            found = groups
            slots[place] = groups
            distinct[groups] = key
            groups += 1
        member[i] = found
    return groups


@jit
def _group_several(keys: Ints, words: int, count: int, bits: int, slots: Codes, member: Codes, distinct: Ints) -> int:
    mask, down = (1 << bits) - 1, np.uint64(64 - bits)
    groups = 0
    for i in range(count):
        key = keys[i * words : (i + 1) * words]
        mixed = np.uint64(0)
        for w in range(words):
            mixed = (mixed ^ np.uint64(key[w])) * _GOLDEN
            mixed ^= mixed >> np.uint64(32)
        place = np.int64((mixed * _GOLDEN) >> down)
        found = slots[place]
        while found >= 0 and not _equal(distinct, found * words, key):
            place = (place + 1) & mask
            found = slots[place]
        if found < 0:
            found = groups
            slots[place] = groups
            distinct[groups * words : (groups + 1) * words] = key
            groups += 1
        member[i] = found
    return groups


@jit
def _equal(distinct: Ints, begin: int, key: Ints) -> bool:
    for w in range(len(key)):
        if distinct[begin + w] != key[w]:
            return False
    return True
