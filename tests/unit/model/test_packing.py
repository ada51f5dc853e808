"""Codes survive being packed into words."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paranym.kernels.packing import WORD_BITS
from paranym.model.packing import Packing

SIZES = st.lists(st.one_of(st.integers(1, 5), st.integers(1, 2**31)), min_size=1, max_size=20).map(tuple)


@given(sizes=SIZES, data=st.data())
def test_codes_are_unpacked_as_they_were_packed(sizes: tuple[int, ...], data: st.DataObject) -> None:
    code = st.tuples(*(st.one_of(st.sampled_from([0, size - 1]), st.integers(0, size - 1)) for size in sizes))
    codes = np.array(data.draw(st.lists(code, max_size=10)), np.int64).reshape(-1, len(sizes))
    packing = Packing.of(sizes)

    words = packing.pack(codes)

    assert words.shape == (len(codes), packing.size)
    assert (words >= 0).all()
    for attribute in range(len(sizes)):
        np.testing.assert_array_equal(packing.unpack(words, attribute), codes[:, attribute])


@given(sizes=SIZES)
def test_fields_neither_overlap_nor_cross_words(sizes: tuple[int, ...]) -> None:
    packing = Packing.of(sizes)

    taken = [
        (word, bit)
        for word, shift, width in zip(packing.words, packing.shifts, packing.widths, strict=True)
        for bit in range(shift, shift + width)
    ]
    assert len(set(taken)) == len(taken)
    assert all(bit < WORD_BITS for _, bit in taken)


@pytest.mark.parametrize(("size", "width"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (256, 8), (257, 9)])
def test_a_field_is_just_wide_enough(size: int, width: int) -> None:
    assert Packing.of((size,)).widths == (width,)


@pytest.mark.parametrize(
    ("sizes", "words"), [((2,) * 63, 1), ((2,) * 64, 2), ((2**32, 2**31), 1), ((2**32, 2**32), 2), ((1,) * 100, 1)]
)
def test_a_word_has_63_bits(sizes: tuple[int, ...], words: int) -> None:
    assert Packing.of(sizes).size == words


def test_a_full_word_stays_positive() -> None:
    packing = Packing.of((2**32, 2**31))

    assert packing.pack(np.array([[2**32 - 1, 2**31 - 1]])).tolist() == [[2**63 - 1]]


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint8])
def test_codes_may_be_integers_of_any_width(kind: type[np.integer]) -> None:
    packing = Packing.of((100, 100, 100, 100, 100, 100))

    words = packing.pack(np.full((1, 6), 99, kind))

    assert [packing.unpack(words, attribute).tolist() for attribute in range(6)] == [[99]] * 6
