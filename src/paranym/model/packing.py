"""The layout of packed codes: the bits of several attributes in a few words."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paranym.kernels.packing import WORD_BITS, Fields

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Packing:
    """A field of bits for every attribute; no field crosses from one word into the next.

    >>> Packing.of((74, 8, 2)).shifts
    (0, 7, 10)
    """

    widths: tuple[int, ...]
    """Bits of every attribute; an attribute with one value needs none."""
    words: tuple[int, ...]
    """The word of every attribute."""
    shifts: tuple[int, ...]
    """The lowest bit of every attribute in its word."""

    @classmethod
    def of(cls, sizes: tuple[int, ...]) -> "Packing":
        """The packing for attributes that have that many values."""
        widths = tuple((size - 1).bit_length() for size in sizes)
        words, shifts, word, used = [], [], 0, 0
        for width in widths:
            if used + width > WORD_BITS:
                word, used = word + 1, 0
            words.append(word)
            shifts.append(used)
            used += width
        return cls(widths, tuple(words), tuple(shifts))

    @property
    def size(self) -> int:
        """Words per tuple."""
        return self.words[-1] + 1 if self.words else 1

    @property
    def fields(self) -> Fields:
        """The layout for kernels."""
        masks = [(1 << width) - 1 for width in self.widths]
        return Fields(np.array(self.words, np.int64), np.array(self.shifts, np.int64), np.array(masks, np.int64))

    def pack(self, codes: NDArray[np.integer]) -> Ints:
        """(tuples, attributes) codes as (tuples, words) words."""
        words = np.zeros((len(codes), self.size), np.int64)
        for attribute, (word, shift) in enumerate(zip(self.words, self.shifts, strict=True)):
            words[:, word] |= codes[:, attribute].astype(np.int64) << shift
        return words

    def unpack(self, words: Ints, attribute: int) -> Ints:
        """The codes of one attribute from (tuples, words) words."""
        mask = (1 << self.widths[attribute]) - 1
        return (words[:, self.words[attribute]] >> self.shifts[attribute]) & mask
