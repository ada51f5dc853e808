"""Tuples of codes packed into words of bits, and generalized to a node within the word.

Every attribute owns a field of bits, wide enough for its leaves, in one of the words of a tuple. Generalizing an
attribute rewrites its field only, so the cost of a step up the lattice depends on the attributes that it generalizes.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.kernels._jit import jit

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

WORD_BITS = 63
"""Words are signed in every engine, so one bit stays unused."""


class Fields(NamedTuple):
    """Where each attribute lives: its word, the position of its lowest bit, and its width as a mask."""

    word: Ints
    shift: Ints
    mask: Ints


class Lifts(NamedTuple):
    """Tables from the codes of one level to those of a higher one, end to end."""

    table: Codes
    start: Ints
    """(attributes, levels, levels): where the table from the second index to the third begins."""
    radix: Ints
    """(attributes, levels): how many values each level has."""


@jit
def raise_words(
    source: Ints, lower: Ints, upper: Ints, words: int, count: int, fields: Fields, lifts: Lifts, generalized: Ints
) -> None:
    """Write into `generalized` the tuples of `source`, which stand at node `lower`, generalized to node `upper`.

    Both hold the `words` words of each of the `count` tuples one after the other.
    """
    generalized[: words * count] = source[: words * count]
    for j in range(len(upper)):
        if upper[j] > lower[j] and fields.mask[j] > 0:
            table = lifts.table[lifts.start[j, lower[j], upper[j]] :]
            column = generalized[fields.word[j] :]
            if lifts.radix[j, upper[j]] == 1:
                _clear_field(column, words, count, fields.shift[j], fields.mask[j])
            else:
                _raise_field(column, words, count, fields.shift[j], fields.mask[j], table)


@jit
def _clear_field(column: Ints, words: int, count: int, shift: int, mask: int) -> None:
    outside = ~(mask << shift)
    for i in range(count):
        column[i * words] &= outside


@jit
def _raise_field(column: Ints, words: int, count: int, shift: int, mask: int, table: Codes) -> None:
    outside = ~(mask << shift)
    for i in range(count):
        word = column[i * words]
        column[i * words] = (word & outside) | (np.int64(table[(word >> shift) & mask]) << shift)
