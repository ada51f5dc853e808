"""The lower bound of every recoding, against the optimum of all partitions of small tables."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.errors import Unattainable
from paranym.results.bound import SCALE
from reference import Cell, Sample
from samples import problem_of, samples

SMALL = settings(max_examples=max(settings().max_examples // 2, 1))
ROUNDING = 1e-9


def penalty(sample: Sample, j: int, cells: list[Cell]) -> Fraction:
    """The least penalty of one cell that any model charges for a group with these values."""
    tree = sample.trees[j]
    if len(set(cells)) == 1:
        return Fraction(0)
    numbers = [Fraction(leaf) for leaf in tree.leaves if leaf is not None and "leaf" not in leaf]
    if len(set(numbers)) > 1:
        values = [Fraction(cell) for cell in cells if cell is not None]
        width = (max(values) - min(values)) / (max(numbers) - min(numbers)) if values else Fraction(0)
        return max(width, Fraction(2, len(tree.leaves))) if None in cells and values else width
    for level in range(tree.height + 1):
        if len({tree.published(cell, level) for cell in cells}) == 1:
            under = len(tree.under(cells[0], level))
            return Fraction(min(under, 2) if numbers else under, len(tree.leaves)) if under > 1 else Fraction(0)
    raise AssertionError("the top covers everything")


def optimum(sample: Sample, k: int, *, suppress: bool) -> Fraction:
    """The least penalty of any partition into groups of at least k rows, of which some may be suppressed."""
    rows = [row.cells for row in sample.rows]
    weights = [Fraction(weight) for weight in sample.weights]

    @cache
    def cost(group: frozenset[int]) -> Fraction:
        cells = list(zip(*(rows[i] for i in group), strict=True))
        return len(group) * sum(
            (weight * penalty(sample, j, list(cells[j])) for j, weight in enumerate(weights)), Fraction(0)
        )

    @cache
    def best(left: frozenset[int]) -> Fraction | None:
        if not left:
            return Fraction(0)
        first = min(left)
        found = []
        if suppress and (rest := best(left - {first})) is not None:
            found.append(sum(weights) + rest)
        for group in groups(left, first):
            if (rest := best(left - group)) is not None:
                found.append(cost(group) + rest)
        return min(found, default=None)

    def groups(left: frozenset[int], first: int) -> Iterator[frozenset[int]]:
        others = sorted(left - {first})
        for size in range(k - 1, min(len(others), 2 * k - 2) + 1):  # larger groups can be split at no cost
            yield from (frozenset((first, *chosen)) for chosen in itertools.combinations(others, size))

    found = best(frozenset(range(len(rows))))
    assert found is not None
    return found


@SMALL
@given(samples(most_rows=8), st.integers(1, 4), st.booleans())
def test_no_partition_of_a_small_table_is_below_the_bound(sample: Sample, k: int, suppress: bool) -> None:  # noqa: FBT001
    k = min(k, len(sample.rows))
    problem = problem_of(sample, "ncp", 1.0 if suppress else 0.0, "needed")
    bound = pn.lower_bound(problem, k)

    assert bound.share * len(sample.rows) * Fraction(sum(sample.weights)) <= optimum(sample, k, suppress=suppress)
    assert pn.verify_bound(bound, problem).holds


@given(samples(most_rows=30, repeats=(1, 1, 2, 5)), st.integers(1, 8), st.sampled_from([0.0, 0.2, 1.0]))
def test_no_model_is_below_the_bound(sample: Sample, k: int, share: float) -> None:
    problem, k = problem_of(sample, "ncp", share, "needed"), min(k, len(sample.rows))
    bound = pn.lower_bound(problem, k)
    found = [point.loss for point in pn.frontier(problem) if point.k >= k]
    found += [pn.recode_locally(problem, k, method=method).assessment.ncp for method in ("top-down", "mondrian")]

    assert bound.ncp <= min(found) * (1 + ROUNDING)


@given(samples(most_rows=30, repeats=(1, 1, 2, 5)), st.integers(1, 8))
def test_a_bound_passes_its_check_and_a_larger_k_costs_no_less(sample: Sample, k: int) -> None:
    problem, k = problem_of(sample, "ncp", 0.0, "needed"), min(k, len(sample.rows))
    bound = pn.lower_bound(problem, k)
    for larger in range(k, min(k + 3, len(sample.rows)) + 1):
        assert pn.verify_bound(replace(bound, k=larger), problem).holds  # the k largest of more rows are no larger


@SMALL
@given(samples(most_rows=7), st.integers(1, 3), st.data())
def test_values_that_claim_more_than_the_optimum_are_rejected(sample: Sample, k: int, data: st.DataObject) -> None:
    problem, k = problem_of(sample, "ncp", 1.0, "needed"), min(k, len(sample.rows))
    bound = pn.lower_bound(problem, k)
    part = st.one_of(st.just(0), st.integers(0, SCALE // 8), st.just(SCALE))
    raised = data.draw(st.lists(part, min_size=len(bound.values), max_size=len(bound.values)))
    forged = replace(bound, values=np.minimum(bound.values + np.array(raised), SCALE))

    if forged.share * len(sample.rows) * Fraction(sum(sample.weights)) > optimum(sample, k, suppress=True):
        assert not pn.verify_bound(forged, problem).holds


@given(samples(most_rows=5))
def test_more_rows_than_there_are_cannot_be_required(sample: Sample) -> None:
    problem = problem_of(sample, "ncp", 0.0, "needed")

    with pytest.raises(Unattainable):
        pn.lower_bound(problem, len(sample.rows) + 1)
