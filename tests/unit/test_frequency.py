"""The frequency set as a value."""

import numpy as np
import pytest

from paranym.frequency import FrequencySet, Histogram, lifts_of, rollup, split_into_parts
from paranym.kernels.attribute_parts import generalize_parts
from paranym.kernels.packing import Lifts
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing

AGE = Hierarchy.from_rows([("31", "30s", "*"), ("34", "30s", "*"), ("52", "50s", "*")], attribute="age")
SEX = Hierarchy.from_rows([("F", "*"), ("M", "*")], attribute="sex")
ALIKE = Hierarchy.from_rows([("x",)], attribute="alike")
PACKING = Packing.of((3, 2))


@pytest.fixture
def frequency() -> FrequencySet:
    """52 M twice (flu, cold), 31 F once (flu), 34 F three times (flu, flu, cold)."""
    return FrequencySet.build(
        (0, 0),
        PACKING,
        PACKING.pack(np.array([[2, 1], [0, 0], [1, 0]])),
        np.array([2, 1, 3]),
        Histogram(
            {"secret": range(2)},
            np.array([2, 0, 0, 2, 1], np.int32),
            np.array([1, 1, 0, 0, 0], np.int32),
            np.array([1, 1, 1, 2, 1]),
        ),
    )


def test_combinations_stand_in_ascending_order_of_their_words(frequency: FrequencySet) -> None:
    assert frequency.words.tolist() == [[0b000], [0b001], [0b110]]
    assert frequency.codes.tolist() == [[0, 0], [1, 0], [2, 1]]
    assert frequency.counts.tolist() == [1, 3, 2]


def test_histograms_follow_their_combinations(frequency: FrequencySet) -> None:
    assert frequency.histogram.dense("secret", 3).tolist() == [[1, 0], [2, 1], [1, 1]]


def test_its_arrays_cannot_be_changed(frequency: FrequencySet) -> None:
    histogram = frequency.histogram

    for array in (frequency.words, frequency.counts, histogram.owners, histogram.columns, histogram.amounts):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9


def test_it_knows_its_rows_and_combinations(frequency: FrequencySet) -> None:
    assert (frequency.rows, len(frequency)) == (6, 3)
    assert repr(frequency) == "FrequencySet(3 combinations of 6 rows at (0, 0))"


@pytest.mark.parametrize(("attribute", "values", "rows"), [(0, 3, [1, 3, 2]), (0, 5, [1, 3, 2, 0, 0]), (1, 2, [4, 2])])
def test_a_marginal_counts_the_rows_of_each_code(
    frequency: FrequencySet, attribute: int, values: int, rows: list[int]
) -> None:
    assert frequency.marginal(attribute, values).tolist() == rows


def test_rolling_up_adds_counts_and_histograms(frequency: FrequencySet) -> None:
    rolled = rollup(frequency, lifts_of((AGE, SEX)), (1, 1))

    assert rolled.codes.tolist() == [[0, 0], [1, 0]]
    assert rolled.counts.tolist() == [4, 2]
    assert rolled.histogram.dense("secret", 2).tolist() == [[3, 1], [1, 1]]


def test_rolling_up_to_the_same_node_changes_nothing(frequency: FrequencySet) -> None:
    rolled = rollup(frequency, lifts_of((AGE, SEX)), (0, 0))

    assert (rolled.words.tolist(), rolled.counts.tolist()) == (frequency.words.tolist(), frequency.counts.tolist())


def test_the_top_is_one_combination(frequency: FrequencySet) -> None:
    rolled = rollup(frequency, lifts_of((AGE, SEX)), (2, 1))

    assert (rolled.codes.tolist(), rolled.counts.tolist()) == ([[0, 0]], [6])


def test_without_histograms_there_is_nothing_to_add() -> None:
    frequency = FrequencySet.build((0, 0), PACKING, PACKING.pack(np.array([[0, 0], [2, 1]])), np.array([1, 1]))

    assert frequency.histogram.width == rollup(frequency, lifts_of((AGE, SEX)), (2, 1)).histogram.width == 0


def test_two_histograms_stand_side_by_side() -> None:
    histogram = Histogram(
        {"secret": range(2), "label": range(2, 5)},
        np.array([0, 0, 1, 1], np.int32),
        np.array([1, 4, 0, 2], np.int32),
        np.array([5, 5, 7, 7]),
    )

    assert histogram.width == 5
    assert histogram.dense("label", 2).tolist() == [[0, 0, 5], [7, 0, 0]]


def test_lifts_lead_from_every_level_to_every_higher_one() -> None:
    lifts = lifts_of((AGE, SEX))

    def lift(attribute: int, lower: int, upper: int) -> list[int]:
        start = int(lifts.start[attribute, lower, upper])
        return [int(code) for code in lifts.table[start : start + int(lifts.radix[attribute, lower])]]

    assert lift(0, 0, 1) == [0, 0, 1]
    assert lift(0, 0, 2) == [0, 0, 0]
    assert lift(0, 1, 2) == [0, 0]
    assert lift(1, 0, 1) == [0, 0]


def test_an_attribute_that_cannot_be_raised_needs_no_table() -> None:
    assert len(lifts_of((ALIKE,)).table) == 0


def test_a_set_taken_apart_is_put_together_again_raised() -> None:
    """By parts, of one word or of several, tuples are raised to what they are raised to attribute by attribute."""
    random = np.random.default_rng(3)
    sizes = (3000, 2, 5, 3000, 4, 3000, 3000, 3000, 7, 3000)
    codes = np.column_stack([random.integers(size, size=900) % 40 for size in sizes])
    packing = Packing.of(sizes)
    frequency = FrequencySet.build([0] * len(sizes), packing, packing.pack(codes), np.ones(900, np.int64))
    halves = [np.arange(size, dtype=np.int32) // 2 for size in sizes]
    start = np.zeros((len(sizes), 1, 2), np.int64)
    start[:, 0, 1] = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    lifts = Lifts(np.concatenate(halves), start, np.full((len(sizes), 2), 2, np.int64))
    node = np.array([1, 0, 1, 1, 1, 0, 1, 1, 0, 1])
    parts, raised = split_into_parts(frequency), np.empty(900 * packing.size, np.int64)

    generalize_parts(parts, node, packing.size, packing.fields, lifts, raised)

    expected = np.where(node == 1, frequency.codes // 2, frequency.codes)
    assert packing.size > 1
    assert 1 < len(parts.attributes) < len(sizes)
    assert np.array_equal(raised.reshape(900, -1), packing.pack(expected))
