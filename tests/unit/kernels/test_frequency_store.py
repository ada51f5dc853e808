"""The ring of frequency sets gives back what it was given, however often it wraps."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paranym.kernels.frequency_store import HELD, OLDEST, Store, fetch, keep, smallest_below
from paranym.kernels.rollup import Counted

ATTRIBUTES = 2


@dataclass(frozen=True, slots=True)
class Kept:
    """A set as it was handed over."""

    levels: tuple[int, ...]
    content: Counted

    @property
    def tuples(self) -> int:
        return len(self.content.counts)

    @property
    def entries(self) -> int:
        return len(self.content.amounts)


def new_store(*, tuples: int, entries: int, slots: int, words: int) -> Store:
    return Store(
        words=np.full(tuples * words, -1, np.int64),
        counts=np.full(tuples, -1, np.int64),
        owners=np.full(entries, -1, np.int32),
        columns=np.full(entries, -1, np.int32),
        amounts=np.full(entries, -1, np.int64),
        levels=np.full((slots, ATTRIBUTES), -1, np.int64),
        spans=np.full((slots, 4), -1, np.int64),
        state=np.zeros(4, np.int64),
    )


def new_set(number: int, tuples: int, entries: int, words: int, levels: tuple[int, ...] = (0, 0)) -> Kept:
    """A set whose every number tells which set it belongs to."""
    return Kept(
        levels,
        Counted(
            number * 1000 + np.arange(tuples * words),
            number * 1000 + np.arange(tuples),
            (number * 1000 + np.arange(entries)).astype(np.int32),
            (number * 1000 + np.arange(entries) + 500).astype(np.int32),
            number * 1000 + np.arange(entries) + 900,
        ),
    )


def put(store: Store, kept: Kept, words: int) -> None:
    keep(store, np.array(kept.levels, np.int64), words, kept.content, kept.tuples, kept.entries)


def held(store: Store) -> list[int]:
    """The occupied slots, oldest first."""
    return [int(store.state[OLDEST] + i) % len(store.spans) for i in range(store.state[HELD])]


def assert_holds(store: Store, slot: int, kept: Kept, words: int) -> None:
    assert tuple(store.levels[slot]) == kept.levels
    for found, given_ in zip(fetch(store, words, slot), kept.content, strict=True):
        np.testing.assert_array_equal(found, given_)


def fits(store: Store, kept: Kept) -> bool:
    return 4 * kept.tuples <= len(store.counts) and 4 * kept.entries <= len(store.amounts)


def takes_half(store: Store, newest: list[Kept]) -> bool:
    """Whether sets take more than half of what the ring has of anything."""
    return (
        2 * sum(kept.tuples for kept in newest) > len(store.counts)
        or 2 * sum(kept.entries for kept in newest) > len(store.amounts)
        or len(newest) > len(store.spans)
    )


@st.composite
def histories(draw: st.DrawFn) -> tuple[Store, int, list[Kept]]:
    """A small ring and many sets to keep, some of them too large."""
    words, tuples, entries = draw(st.integers(1, 3)), draw(st.integers(0, 40)), draw(st.sampled_from([0, 1, 17, 60]))
    store = new_store(tuples=tuples, entries=entries, slots=draw(st.sampled_from([1, 2, 7, 50])), words=words)
    length = st.integers(1, tuples // 4 + 1)  # one more than fits
    lengths = st.tuples(length, st.integers(1, entries // 4 + 1) if entries else st.just(0))
    sizes = draw(st.lists(lengths, min_size=draw(st.sampled_from([1, 40])), max_size=60))
    level = st.integers(0, 2)
    kept = [new_set(i, *size, words, draw(st.tuples(level, level))) for i, size in enumerate(sizes, start=1)]
    return store, words, kept


@given(history=histories())
def test_what_is_fetched_is_what_was_kept(history: tuple[Store, int, list[Kept]]) -> None:
    store, words, sets = history
    fitting: list[Kept] = []
    for kept in sets:
        put(store, kept, words)
        fitting += [kept] if fits(store, kept) else []

        slots = held(store)
        newest = fitting[len(fitting) - len(slots) :]
        for slot, expected in zip(slots, newest, strict=True):
            assert_holds(store, slot, expected, words)


@given(history=histories())
def test_nothing_is_dropped_before_the_ring_is_half_full(history: tuple[Store, int, list[Kept]]) -> None:
    store, words, sets = history
    fitting: list[Kept] = []
    for kept in sets:
        put(store, kept, words)
        fitting += [kept] if fits(store, kept) else []

        count = int(store.state[HELD])
        assert count == len(fitting) or takes_half(store, fitting[len(fitting) - count - 1 :])


@settings(max_examples=30)
@given(history=histories(), upper=st.tuples(st.integers(0, 2), st.integers(0, 2)), bound=st.integers(0, 13))
def test_the_smallest_set_below_a_node_is_found(
    history: tuple[Store, int, list[Kept]], upper: tuple[int, int], bound: int
) -> None:
    store, words, sets = history
    for kept in sets:
        put(store, kept, words)
    sizes = {slot: int(store.spans[slot, 1]) for slot in held(store) if is_below(store, slot, upper)}
    least = min(sizes.values(), default=bound)

    slot = smallest_below(store, np.array(upper, np.int64), bound)

    assert sizes[slot] == least < bound if slot >= 0 else least >= bound


def is_below(store: Store, slot: int, upper: tuple[int, int]) -> bool:
    return all(a <= b for a, b in zip(store.levels[slot].tolist(), upper, strict=True))


@pytest.mark.parametrize(("tuples", "entries"), [(6, 1), (1, 6)])
def test_a_set_of_more_than_a_quarter_is_not_kept(tuples: int, entries: int) -> None:
    store = new_store(tuples=20, entries=20, slots=4, words=1)
    put(store, new_set(1, 2, 2, 1), 1)

    put(store, new_set(2, tuples, entries, 1), 1)

    assert held(store) == [0]


def test_a_ring_that_is_exactly_full_makes_room_by_dropping_the_oldest() -> None:
    store = new_store(tuples=20, entries=0, slots=9, words=1)
    sets = [new_set(number, 5, 0, 1) for number in range(1, 6)]
    for kept in sets:
        put(store, kept, 1)

    assert store.counts.tolist() == [number * 1000 + i for number in (5, 2, 3, 4) for i in range(5)]


def test_of_sets_of_one_size_the_newest_is_found() -> None:
    store = new_store(tuples=40, entries=0, slots=4, words=1)
    for number in (1, 4, 7):
        put(store, new_set(number, 5, 0, 1), 1)

    assert smallest_below(store, np.array([1, 1]), 10) == 2


def test_nothing_is_found_in_an_empty_ring() -> None:
    assert smallest_below(new_store(tuples=40, entries=0, slots=4, words=1), np.array([1, 1]), 10) == -1
