"""Generalizing a frequency set in parts: each part has few attributes, and therefore few distinct combinations.

Every attribute belongs to one part, and a tuple consists of one combination of each part. Only the combinations are
generalized; every tuple is then assembled from them, in as many steps as there are parts.
"""

from typing import NamedTuple

import numpy as np

from paranym.kernels._jit import jit
from paranym.kernels.packing import Codes, Fields, Ints, Lifts, raise_words


class Parts(NamedTuple):
    """The tuples of one frequency set, split into parts."""

    attributes: Ints
    """(parts, attributes): 1 where an attribute belongs to a part."""
    first: Ints
    """(parts + 1,): where the combinations of each part begin."""
    words: Ints
    """Packed combinations, all fields of other parts 0; the words of each one after the other."""
    place: Codes
    """(parts, tuples): which combination each tuple has, counted through all parts."""


@jit
def generalize_parts(parts: Parts, node: Ints, words: int, fields: Fields, lifts: Lifts, generalized: Ints) -> None:
    """Write into `generalized` the tuples at `node`; they stand at the bottom, so level tables start at place 0."""
    lowest = np.zeros(len(node), np.int64)
    combinations = np.empty(len(parts.words), np.int64)
    for p in range(len(parts.attributes)):
        begin, end = parts.first[p], parts.first[p + 1]
        upper = node * parts.attributes[p]
        target = combinations[begin * words : end * words]
        raise_words(parts.words[begin * words : end * words], lowest, upper, words, end - begin, fields, lifts, target)
    for w in range(words):
        _put_together(parts.place, combinations[w:], words, generalized[w:])


@jit
def _put_together(place: Codes, combinations: Ints, words: int, generalized: Ints) -> None:
    count = place.shape[1]
    if len(place) == 3 and words == 1:  # the common case, in one pass
        for i in range(count):
            generalized[i] = combinations[place[0, i]] | combinations[place[1, i]] | combinations[place[2, i]]
        return
    for i in range(count):
        generalized[i * words] = combinations[place[0, i] * words]
    for p in range(1, len(place)):
        for i in range(count):
            generalized[i * words] |= combinations[place[p, i] * words]
