"""Refinement of groups: worked examples, and random tables against definitions."""

import itertools
import time
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.errors import BadInput
from paranym.search.local.base import Partition, Truths, Tuples, finished
from paranym.search.local.best import best
from paranym.search.local.refine import penalty, refine, united, usual_rounds
from paranym.solve.local import LOCAL_METHODS, LocalOptions, LocalTable
from reference import Sample
from samples import problem_of, samples


def partition(groups: list[list[int]]) -> Partition:
    """Groups of single rows of these tuples."""
    rows = [tuple_ for group in groups for tuple_ in group]
    begins = np.cumsum([0, *map(len, groups)])
    return Partition(np.array(rows, np.int64), np.ones(len(rows), np.int64), begins.astype(np.int64))


def numbers(values: list[int]) -> Tuples:
    """A table with one numeric attribute; tuples are its values in ascending order."""
    return LocalTable(pn.Problem(pa.table({"x": values}), quasi_identifiers=["x"])).tuples


def members(found: Partition) -> list[list[int]]:
    """The tuples of each group, in order, each as often as it has rows there."""
    each = [
        np.repeat(found.tuples[begin:end], found.amounts[begin:end])
        for begin, end in itertools.pairwise(found.begins.tolist())
    ]
    return sorted(sorted(group.tolist()) for group in each)


def refined(tuples: Tuples, start: Partition, k: int, rounds: int | None = None, seed: int = 0) -> Partition:
    *_, last = refine(tuples, start, k, seed=seed, rounds=rounds)
    assert last.partition is not None
    return last.partition


def test_a_row_that_its_group_can_spare_moves() -> None:
    tuples = numbers([0, 1, 2, 10, 11])  # 2 with 10 and 11 costs 9 of 11 for each of three rows

    found = refined(tuples, partition([[0, 1], [2, 3, 4]]), 2, rounds=1)

    assert members(found) == [[0, 1, 2], [3, 4]]
    assert penalty(tuples, found) == pytest.approx((3 * 2 + 2 * 1) / 11)


def test_two_rows_change_places() -> None:
    tuples = numbers([0, 1, 10, 11])
    crossed = partition([[0, 2], [1, 3]])

    assert members(refined(tuples, crossed, 2, rounds=2)) == [[0, 1], [2, 3]]


def test_a_group_is_split_where_that_gains() -> None:
    tuples = numbers([0, 1, 10, 11])

    assert members(refined(tuples, partition([[0, 1, 2, 3]]), 2, rounds=1)) == [[0, 1], [2, 3]]
    assert members(refined(tuples, partition([[0, 1, 2, 3]]), 3, rounds=1)) == [[0, 1, 2, 3]]


def test_a_group_is_dissolved_where_that_gains() -> None:
    tuples = numbers([0, 1, 2, 20, 21, 22])
    start = partition([[0, 1], [2, 3], [4, 5]])  # 2 and 20 cost 18 each; with their neighbours, one more for three rows

    assert members(refined(tuples, start, 2, rounds=1)) == [[0, 1, 2], [3, 4, 5]]


def test_rows_of_one_value_are_divided_if_the_rest_of_its_group_needs_some() -> None:
    tuples = numbers([0, 5, 5, 5, 5, 5, 9])
    start = Partition(np.array([0, 1, 2]), np.array([1, 5, 1]), np.array([0, 3]))

    found = refined(tuples, start, 3, rounds=1)

    assert members(found) == [[0, 1, 2], [1, 1, 1, 1]]
    assert penalty(tuples, found) == pytest.approx(3.0)  # 3 rows that span all, and 4 rows that lose nothing


@given(
    samples(most_rows=40, repeats=(1, 1, 2, 5)),
    st.integers(1, 8),
    st.sampled_from(LOCAL_METHODS[1:]),
    st.integers(1, 4),
    st.integers(0, 3),
)
def test_groups_keep_k_and_never_lose_more(sample: Sample, k: int, method: str, rounds: int, seed: int) -> None:
    table, k = LocalTable(problem_of(sample, "ncp", 0.0, "needed")), min(k, len(sample.rows))
    *_, last = table.steps(k, LocalOptions(method))
    assert last.partition is not None
    found, again = (refined(table.tuples, last.partition, k, rounds, seed) for _ in range(2))

    finished(table.tuples, found)  # raises if a row is lost
    assert found.rows.min() >= k
    assert penalty(table.tuples, found) <= penalty(table.tuples, last.partition) + 1e-9
    assert members(found) == members(again)
    assert np.array_equal(united(table.tuples, found).rows, found.rows)


@settings(max_examples=50)
@given(st.lists(st.integers(0, 12), min_size=2, max_size=7), st.integers(2, 3))
def test_best_is_never_below_the_optimum(values: list[int], k: int) -> None:
    if len(values) < k or len(set(values)) < 2:
        return
    tuples = numbers(values)
    *_, last = best(tuples, k)
    assert last.partition is not None

    extent = max(values) - min(values)
    optimum = min(
        sum(len(group) * (max(group) - min(group)) for group in groups) / extent
        for groups in partitions(values)
        if all(len(group) >= k for group in groups)
    )
    assert penalty(tuples, last.partition) >= optimum - 1e-9


def partitions(values: list[int]) -> Iterator[list[list[int]]]:
    """All ways to put rows into groups; equal rows may be in different ones, and groups may overlap."""
    if not values:
        yield []
        return
    first, rest = values[0], values[1:]
    for groups in partitions(rest):
        yield [[first], *groups]
        for place in range(len(groups)):
            yield [*groups[:place], [first, *groups[place]], *groups[place + 1 :]]


@given(samples(most_rows=30, repeats=(1, 2)), st.integers(1, 4), st.integers(0, 2))
def test_requirements_hold_in_every_group(sample: Sample, k: int, seed: int) -> None:
    problem, k = problem_of(sample, "ncp", 0.0, "needed"), min(k, len(sample.rows))
    table = LocalTable(problem)
    even = table.tuples.positions[:, 0] % 2 == 0

    def judge(found: Partition) -> Truths:
        """Each group has tuples of both kinds, or all tuples."""
        kinds = np.bincount(found.owners * 2 + even[found.tuples], minlength=2 * len(found)).reshape(-1, 2)
        meets: Truths = (kinds > 0).all(axis=1) | (np.diff(found.begins) == len(table.tuples))
        return meets

    tuples = Tuples(
        table.tuples.positions,
        table.tuples.counts,
        table.tuples.scale,
        table.tuples.sizes,
        divisible=False,
        judge=judge,
    )
    *_, last = best(tuples, k, seed=seed, rounds=0)
    assert last.partition is not None
    found = refined(tuples, last.partition, k, rounds=4, seed=seed)

    assert tuples.meets(found, k).all()
    assert len(np.unique(found.tuples)) == len(found.tuples)  # rows of one combination stay together
    assert penalty(tuples, found) <= penalty(tuples, last.partition) + 1e-9


def test_l_diversity_holds_after_refinement() -> None:
    random = np.random.default_rng(1)
    table = pa.table(
        {
            "age": random.integers(20, 60, 300),
            "sex": random.choice(["F", "M"], 300),
            "ill": random.choice(["flu", "cold", "gout", "none"], 300, p=[0.1, 0.2, 0.2, 0.5]),
        }
    )
    problem = pn.Problem(
        table, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}, sensitive=["ill"], privacy={"l": 2}
    )
    plain, found = (pn.recode_locally(problem, 4, refine=rounds) for rounds in (0, None))

    assert found.assessment.ncp < plain.assessment.ncp
    assert min(found.assessment.privacy.values()) >= 2


def test_rounds_fall_with_the_size_of_the_table() -> None:
    assert usual_rounds(numbers([1, 2, 3])) == 6
    many = numbers([1, 2, 3])
    large = Tuples(np.zeros((10**6, 1), np.int32), np.ones(10**6, np.int64), many.scale, many.sizes)
    assert usual_rounds(large) == 2


def test_refinement_stops_at_its_deadline() -> None:
    tuples = numbers([0, 1, 10, 11])
    crossed = partition([[0, 2], [1, 3]])
    *_, last = refine(tuples, crossed, 2, deadline=time.perf_counter() - 1)

    assert last.partition is not None
    assert members(last.partition) == [[0, 2], [1, 3]]


def test_what_was_asked_is_recorded() -> None:
    problem = pn.Problem(pa.table({"x": [0, 1, 10, 11]}), quasi_identifiers=["x"])
    usual, limited = pn.recode_locally(problem, 2), pn.recode_locally(problem, 2, refine=3, seconds=9.5)

    assert usual.assessment.as_dict() | {"refine": 6, "seconds_limit": None, "method": "best"} == (
        usual.assessment.as_dict()
    )
    assert usual.assessment.start in LOCAL_METHODS[1:]
    assert (limited.assessment.refine, limited.assessment.seconds_limit) == (3, 9.5)


@pytest.mark.parametrize(
    ("name", "value"), [("refine", -1), ("refine", 1.5), ("seconds", 0), ("seconds", float("nan"))]
)
def test_limits_of_refinement_are_checked(name: str, value: float) -> None:
    problem = pn.Problem(pa.table({"x": [0, 1, 10, 11]}), quasi_identifiers=["x"])

    with pytest.raises(BadInput, match=name):
        pn.recode_locally(problem, 2, **{name: value})  # type: ignore[arg-type]


@settings(max_examples=20)
@given(samples(most_rows=30, repeats=(1, 2)), st.sets(st.integers(1, 6), min_size=1, max_size=4))
def test_a_front_has_k_rows_in_every_class_and_its_loss_never_falls(sample: Sample, ks: set[int]) -> None:
    wanted = sorted({min(k, len(sample.rows)) for k in ks})
    found = [each.assessment for each in pn.local_front(problem_of(sample, "ncp", 0.0, "needed"), wanted)]

    assert [each.asked_k for each in found] == wanted
    assert all(each.k >= each.asked_k for each in found)
    assert [each.ncp for each in found] == sorted(each.ncp for each in found)
