"""Rolling up gives what counting the rows afresh gives."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paranym.evaluation.nodes import Evaluator
from paranym.frequency import FrequencySet, lifts_of, rollup
from paranym.measures.loss import LOSSES
from paranym.measures.privacy.anonymity import Suppression
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing
from reference import Cell, Levels, Sample
from samples import ILLNESSES, LABELS, as_levels, count, hierarchies_of, nodes_of, samples

WIDE = Hierarchy.from_rows(((str(i), f"{i // 7}s", f"{i // 91}t", "*") for i in range(3000)), attribute="wide")
"""Needs 12 bits; 20 such attributes need 240, which is four words."""


def sizes(frequency: FrequencySet, hierarchies: tuple[Hierarchy, ...]) -> dict[tuple[Cell, ...], int]:
    return dict(zip(_published(frequency, hierarchies), frequency.counts.tolist(), strict=True))


def histogram(frequency: FrequencySet, hierarchies: tuple[Hierarchy, ...], name: str) -> dict[object, int]:
    dense = frequency.histogram.dense(name, len(frequency))
    values = {"label": LABELS, "illness": ILLNESSES}[name]
    return {
        (combination, value): amount
        for combination, amounts in zip(_published(frequency, hierarchies), dense.tolist(), strict=True)
        for value, amount in zip(values, amounts, strict=True)
        if amount
    }


def _published(frequency: FrequencySet, hierarchies: tuple[Hierarchy, ...]) -> list[tuple[Cell, ...]]:
    labels = [hierarchy.labels[level] for hierarchy, level in zip(hierarchies, frequency.levels, strict=True)]
    return [tuple(own[code] for own, code in zip(labels, codes, strict=True)) for codes in frequency.codes.tolist()]


@given(sample=samples(most_attributes=4, most_rows=25), data=st.data())
def test_rolling_up_from_any_lower_node_is_counting_afresh(sample: Sample, data: st.DataObject) -> None:
    node = data.draw(nodes_of(sample))
    lower = data.draw(st.tuples(*(st.integers(0, level) for level in node)))
    hierarchies = hierarchies_of(sample)
    lifts = lifts_of(hierarchies)

    rolled = rollup(rollup(count(sample), lifts, lower), lifts, node)

    assert rolled.levels == node
    assert sizes(rolled, hierarchies) == Counter(sample.published(row, node) for row in sample.rows)


@given(sample=samples(most_attributes=4, most_rows=25), data=st.data())
def test_histograms_roll_up_with_their_combinations(sample: Sample, data: st.DataObject) -> None:
    node = data.draw(nodes_of(sample))
    lower = data.draw(st.tuples(*(st.integers(0, level) for level in node)))
    hierarchies = hierarchies_of(sample)
    lifts = lifts_of(hierarchies)

    rolled = rollup(rollup(count(sample), lifts, lower), lifts, node)

    for name in ("label", "illness"):
        expected = Counter((sample.published(row, node), getattr(row, name)) for row in sample.rows)
        assert histogram(rolled, hierarchies, name) == expected


def _wide_table(rows: int, spread: int) -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    """(rows, 20) numbers; the smaller the spread, the sooner rows meet on their way up."""
    generator = np.random.default_rng(rows + spread)
    return generator.integers(0, 2, (rows, 20)) * generator.integers(0, spread, (rows, 20))


def _counted(table: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> FrequencySet:
    packing = Packing.of((len(WIDE.leaves),) * 20)
    distinct, counts = np.unique(table, axis=0, return_counts=True)
    return FrequencySet.build((0,) * 20, packing, packing.pack(distinct), counts)


def _raise(number: int, level: int) -> str:
    """The label that WIDE gives, by arithmetic."""
    return (str(number), f"{number // 7}s", f"{number // 91}t", "*")[level]


@settings(max_examples=20)
@given(
    node=st.tuples(*[st.integers(0, 3)] * 20),
    drop=st.tuples(*[st.integers(0, 3)] * 20),
    rows=st.integers(1, 300),
    spread=st.sampled_from([2, 8, 100, 3000]),
)
def test_combinations_of_many_bits_roll_up_like_short_ones(node: Levels, drop: Levels, rows: int, spread: int) -> None:
    table = _wide_table(rows, spread)
    hierarchies = (WIDE,) * 20
    lifts = lifts_of(hierarchies)
    lower = tuple(max(level - less, 0) for level, less in zip(node, drop, strict=True))

    rolled = rollup(rollup(_counted(table), lifts, lower), lifts, node)

    expected = Counter(tuple(map(_raise, row, node)) for row in table.tolist())
    assert rolled.packing.size == 4
    assert sizes(rolled, hierarchies) == expected


@settings(max_examples=10)
@given(
    chosen=st.lists(st.tuples(*[st.integers(0, 3)] * 20), min_size=1, max_size=10),
    cache_bytes=st.integers(0, 200_000),
)
def test_the_evaluator_counts_combinations_of_many_bits(chosen: list[Levels], cache_bytes: int) -> None:
    table = _wide_table(200, 8)
    asked = Evaluator(_counted(table), (WIDE,) * 20, LOSSES["dcn"], Suppression(), cores=1, cache_bytes=cache_bytes)

    found = asked(as_levels(chosen, 20))

    classes = [Counter(tuple(map(_raise, row, node)) for row in table.tolist()) for node in chosen]
    assert found.k.tolist() == [min(counter.values()) for counter in classes]
    assert found.loss.tolist() == [sum(size**2 for size in counter.values()) for counter in classes]


@pytest.mark.parametrize("rows", [30_000, 33_000, 70_000, 140_000])
def test_large_sets_roll_up_from_one_another(rows: int) -> None:
    """Sizes at which the hash table changes its density."""
    table = np.column_stack([np.arange(rows) % 3000, np.arange(rows) // 3000])
    packing = Packing.of((len(WIDE.leaves),) * 2)
    bottom = FrequencySet.build((0, 0), packing, packing.pack(table), np.ones(rows, np.int64))
    asked = Evaluator(bottom, (WIDE, WIDE), LOSSES["dcn"], Suppression(), cores=1)
    chosen = [(0, 0), (0, 1), (1, 1), (1, 2), (2, 3), (3, 3)]

    found = asked(as_levels(chosen, 2))

    divisors = (1, 7, 91, 3000)
    sizes = [np.unique(table // [divisors[level] for level in node], axis=0, return_counts=True)[1] for node in chosen]
    assert found.k.tolist() == [int(counts.min()) for counts in sizes]
    assert found.loss.tolist() == [float(counts @ counts) for counts in sizes]
