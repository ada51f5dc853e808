"""Cuts of random tables: always valid, assessed as rows say, and all found where all can be looked at."""

from collections import Counter
from fractions import Fraction
from typing import cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.evaluation.cuts import CutEvaluator
from paranym.measures.base import CellLoss
from paranym.measures.loss import LOSSES
from paranym.measures.privacy.anonymity import Suppression
from paranym.model.cuts import AttributeCuts, Bits, CutSpace
from paranym.model.hierarchy import Hierarchy
from paranym.search.cuts.variation import cross, mutate
from reference import Sample
from samples import all_nodes, count, evaluator, hierarchies_of, problem_of, samples

Published = tuple[int, ...]


def spaces(sample: Sample, unconstrained: list[bool]) -> CutSpace:
    hierarchies = hierarchies_of(sample)
    chosen = [each.attribute for each, free in zip(hierarchies, unconstrained, strict=False) if free]
    return CutSpace.of(hierarchies, unconstrained=chosen)


FREEDOM = st.lists(st.booleans(), min_size=3, max_size=3)


@given(samples(), FREEDOM, st.integers(0, 2**32 - 1))
def test_whatever_is_drawn_crossed_or_mutated_is_a_cut(sample: Sample, free: list[bool], seed: int) -> None:
    space, random = spaces(sample, free), np.random.default_rng(seed)
    drawn = space.draw(8, random)

    children = cross(space, drawn.reshape(2, 4, space.length), random).reshape(8, space.length)
    mutants = mutate(space, children, 1.0, random)

    assert all(space.is_valid(bits) for bits in (*drawn, *children, *mutants))


@given(samples(), FREEDOM, st.integers(0, 2**32 - 1))
def test_splits_are_cuts_that_tell_more_apart(sample: Sample, free: list[bool], seed: int) -> None:
    space = spaces(sample, free)
    drawn = space.draw(1, np.random.default_rng(seed))[0]

    split = space.splits(drawn)

    assert all(space.is_valid(bits) and (bits >= drawn).all() and (bits != drawn).any() for bits in split)
    assert len(split) == len(np.unique(split, axis=0))
    assert (len(split) == 0) == bool((drawn == space.at_levels([0] * len(space.attributes))).all())


@given(samples(), FREEDOM)
def test_every_node_is_a_cut_and_is_recognized_as_one(sample: Sample, free: list[bool]) -> None:
    space = spaces(sample, free)

    for levels in all_nodes(sample).tolist():
        bits = space.at_levels(levels)
        found = space.levels_of(bits)
        assert found is not None
        assert all(a <= b for a, b in zip(found, levels, strict=True))
        assert np.array_equal(space.at_levels(found), bits)


@given(samples(), FREEDOM)
def test_there_are_as_many_cuts_as_are_told_and_each_has_labels_of_its_own(sample: Sample, free: list[bool]) -> None:
    for cuts in spaces(sample, free).attributes:
        listed = list(cuts.each())

        assert len({bits.tobytes() for bits in listed}) == len(listed) == cuts.size
        for bits in listed:
            assert len(set(cuts.labels(bits))) == bits.sum() + 1
            assert np.array_equal(cuts.parse(cuts.cut(bits).bits), bits)
            assert cuts.recoding(bits).hierarchy.leaves == cuts.hierarchy.leaves


@pytest.mark.parametrize("loss", ["glm", "ncp"])
@given(sample=samples(), share=st.sampled_from([0.0, 0.25, 1.0]))
def test_a_node_is_assessed_alike_as_a_node_and_as_a_cut(loss: str, sample: Sample, share: float) -> None:
    space, nodes, suppression = spaces(sample, []), all_nodes(sample), Suppression(share)
    measure = cast("CellLoss", LOSSES[loss])
    by_cuts = CutEvaluator(count(sample), space, measure, suppression, weights=sample.weights, cores=1)

    cuts = by_cuts.assess(np.array([space.at_levels(levels) for levels in nodes.tolist()], bool))
    steps = evaluator(sample, loss, suppression)(nodes)

    for name in ("k", "suppressed", "loss", "weighted_k"):
        assert np.array_equal(getattr(cuts, name), getattr(steps, name))


def published(sample: Sample, space: CutSpace, bits: Bits) -> list[Published]:
    """What every row is published as, cell by cell."""
    tables = [(cuts.hierarchy.leaves, cuts.codes(part).tolist()) for cuts, part in space.parts(bits)]
    return [
        tuple(codes[leaves.index(cell)] for (leaves, codes), cell in zip(tables, row.cells, strict=True))
        for row in sample.rows
    ]


def non_dominated(found: set[tuple[int, Fraction]]) -> set[tuple[int, Fraction]]:
    return {(k, loss) for k, loss in found if not any(a >= k and b <= loss and (a, b) != (k, loss) for a, b in found)}


def brute_force(sample: Sample, space: CutSpace, limit: int) -> set[tuple[int, Fraction]]:
    """k and general loss, row by row, of every cut and every k."""
    found = set()
    for bits in space.each():
        rows = published(sample, space, bits)
        sizes = Counter(rows)
        shared = [Counter(cuts.codes(part).tolist()) for cuts, part in space.parts(bits)]
        for k in {*sizes.values(), len(rows)}:
            kept = [row for row in rows if sizes[row] >= k]
            if len(rows) - len(kept) > limit:
                continue
            cells = sum(
                (
                    Fraction(weight) * Fraction(under[value] - 1, max(cuts.units - 1, 1))
                    for row in kept
                    for value, under, cuts, weight in zip(row, shared, space.attributes, sample.weights, strict=True)
                ),
                Fraction(0),
            )
            gone = (len(rows) - len(kept)) * sum(map(Fraction, sample.weights))
            found.add((k if kept else len(rows), cells + gone))
    return non_dominated(found)


@settings(max_examples=20)
@given(samples(most_attributes=2, most_rows=8), FREEDOM, st.sampled_from([0.0, 0.25, 0.5]))
def test_where_all_cuts_are_met_the_front_is_that_of_brute_force(
    sample: Sample, free: list[bool], share: float
) -> None:
    problem = problem_of(sample, "glm", share, "needed")
    space = CutSpace.of(problem.hierarchies, unconstrained=[f"q{j}" for j in range(len(sample.trees)) if free[j]])
    chosen = [each.hierarchy.attribute for each in space.attributes if not each.constrained]

    front = pn.evolve(problem, population=max(space.size, 2), generations=1, unconstrained=chosen, cores=1)

    expected = sorted(brute_force(sample, space, problem.suppression.limit(problem.rows)), reverse=True)
    assert front.complete
    assert [point.k for point in front] == [k for k, _ in expected]
    assert [point.loss for point in front] == pytest.approx([float(loss) for _, loss in expected], rel=1e-9)


def test_a_cut_does_not_publish_an_inner_label_as_if_it_were_the_leaf_of_that_name() -> None:
    lines = [["a", "b", "*"], ["c", "b", "*"], ["b", "d", "*"], ["e", "d", "*"]]
    cuts = AttributeCuts(Hierarchy.from_rows(lines, attribute="q"))

    assert cuts.labels(np.array([False, True, True])) == ("b (level 1)", "b", "e")
    assert cuts.labels(np.array([False, True, False])) == ("b (level 1)", "d")


def test_no_description_of_a_cut_is_a_label_of_the_hierarchy() -> None:
    lines = [["a", "*"], ["b", "*"], ["a or b", "*"]]
    cuts = AttributeCuts(Hierarchy.from_rows(lines, attribute="q"), constrained=False)

    assert cuts.labels(np.array([False, True])) == ("a or b (cut)", "a or b")
