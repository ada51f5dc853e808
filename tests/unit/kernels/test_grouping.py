"""Equal tuples get one number, in order of appearance."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paranym.kernels.grouping import group, slot_bits

LARGEST = 2**63 - 1
WORDS = st.one_of(
    st.integers(0, 3),
    st.integers(0, LARGEST),
    st.integers(0, 20).map(lambda n: n << 58),  # differ in the highest bits only
)


@dataclass(frozen=True, slots=True)
class Groups:
    """What the kernel found: the group of every tuple; the tuple and the weight of every group."""

    member: list[int]
    tuples: list[tuple[int, ...]]
    totals: list[int]


def run(tuples: list[tuple[int, ...]], words: int, weights: list[int] | None = None) -> Groups:
    """Group, in memory as scarce as is allowed."""
    count = len(tuples)
    keys = np.array(tuples, np.int64).reshape(-1)
    weighing = np.array([1] * count if weights is None else weights, np.int64)
    slots, member = np.full(2 ** slot_bits(count), 7, np.int32), np.full(count, -1, np.int32)
    distinct, totals = np.full(count * words, -1, np.int64), np.full(count, -1, np.int64)
    groups = group(keys, words, weighing, slots, member, distinct, totals)
    found = distinct[: groups * words].reshape(groups, words).tolist()
    return Groups(member.tolist(), [tuple(row) for row in found], totals[:groups].tolist())


@st.composite
def many_tuples(draw: st.DrawFn) -> tuple[list[tuple[int, ...]], int]:
    words = draw(st.integers(1, 4))
    few = draw(st.lists(st.tuples(*[WORDS] * words), min_size=1, max_size=20))
    return draw(st.lists(st.sampled_from(few), max_size=60)), words


@given(many_tuples())
def test_groups_are_numbered_in_order_of_appearance(drawn: tuple[list[tuple[int, ...]], int]) -> None:
    tuples, words = drawn
    distinct = list(dict.fromkeys(tuples))

    found = run(tuples, words)

    assert found.tuples == distinct
    assert found.member == [distinct.index(key) for key in tuples]


@given(drawn=many_tuples(), data=st.data())
def test_the_weights_of_a_group_add_up(drawn: tuple[list[tuple[int, ...]], int], data: st.DataObject) -> None:
    tuples, words = drawn
    weights = data.draw(st.lists(st.integers(0, 2**40), min_size=len(tuples), max_size=len(tuples)))
    expected: dict[tuple[int, ...], int] = {}
    for key, weight in zip(tuples, weights, strict=True):
        expected[key] = expected.get(key, 0) + weight

    assert run(tuples, words, weights).totals == list(expected.values())


@pytest.mark.parametrize("words", [1, 2, 3])
def test_many_different_tuples_stay_apart(words: int) -> None:
    tuples = [(i % 100, i // 100, LARGEST - i)[3 - words :] for i in range(5000)]

    found = run(tuples, words)

    assert found.tuples == tuples
    assert found.member == list(range(5000))


@pytest.mark.parametrize("words", [1, 2])
def test_keys_without_a_weight_are_not_looked_at(words: int) -> None:
    keys, weights = np.arange(20, dtype=np.int64), np.ones(3, np.int64)
    slots, member, totals = np.empty(2 ** slot_bits(3), np.int32), np.full(10, -1, np.int32), np.empty(10, np.int64)
    distinct = np.full(20, -1, np.int64)

    assert group(keys, words, weights, slots, member, distinct, totals) == 3
    assert member.tolist() == [0, 1, 2] + [-1] * 7
    assert distinct[3 * words :].tolist() == [-1] * (20 - 3 * words)


@given(fewer=st.integers(0, 2**20), more=st.integers(0, 2**20))
def test_memory_for_many_tuples_is_enough_for_fewer(fewer: int, more: int) -> None:
    assert slot_bits(fewer) <= slot_bits(fewer + more)


@given(st.integers(0, 2**26))
def test_half_of_the_hash_table_stays_free(tuples: int) -> None:
    assert 2 ** slot_bits(tuples) >= max(2 * tuples, 16)


@pytest.mark.parametrize("words", [1, 2])
def test_no_tuples_make_no_groups(words: int) -> None:
    assert run([], words) == Groups([], [], [])
