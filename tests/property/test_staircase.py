"""What the evaluator says of a node is what counting its rows says, whatever the cache, the cores and the order."""

from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paranym.measures.loss import LOSSES
from paranym.measures.privacy.anonymity import Suppression, SuppressionUse
from reference import Row, Sample, Solution, Tree, nodes, staircase
from samples import LABELS, all_nodes, as_levels, evaluator, limits, samples, solutions_of

YES_OR_NO = Tree((("yes", "*"), ("no", "*")))


def expect(sample: Sample, loss: str, suppression: Suppression) -> list[Solution]:
    """All staircases, node by node."""
    limit = suppression.limit(len(sample.rows))
    highest = suppression.use is SuppressionUse.ALL
    return [
        solution
        for node in nodes(sample.heights)
        for solution in staircase(sample, node, loss, limit, only_highest=highest)
    ]


def assert_same(found: list[Solution], expected: list[Solution]) -> None:
    assert [replace(one, loss=0, weighted_k=0) for one in found] == [
        replace(one, loss=0, weighted_k=0) for one in expected
    ]
    assert [one.loss for one in found] == pytest.approx([one.loss for one in expected], rel=1e-9, abs=1e-9)
    assert [one.weighted_k for one in found] == pytest.approx([one.weighted_k for one in expected], rel=1e-12)


@pytest.mark.parametrize("use", SuppressionUse)
@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=25)
@given(sample=samples(), limit=limits())
def test_every_node_offers_the_staircase_of_its_classes(
    loss: str, use: SuppressionUse, sample: Sample, limit: Suppression
) -> None:
    suppression = replace(limit, use=use)

    found = evaluator(sample, loss, suppression)(all_nodes(sample))

    assert_same(solutions_of(found), expect(sample, loss, suppression))


@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=6)
@given(
    sample=samples(most_attributes=2, most_rows=5, repeats=(1, 3, 255, 256, 257, 300, 513)),
    share=st.sampled_from([0.0, 0.3, 0.7, 1.0]),
)
def test_large_classes_are_steps_like_small_ones(loss: str, sample: Sample, share: float) -> None:
    suppression = Suppression(share=share)

    found = evaluator(sample, loss, suppression)(all_nodes(sample))

    assert_same(solutions_of(found), expect(sample, loss, suppression))


@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=20)
@given(sample=samples(most_rows=20), share=st.sampled_from([0.0, 0.5, 1.0]), data=st.data())
def test_cache_cores_and_order_do_not_change_a_single_bit(
    loss: str, sample: Sample, share: float, data: st.DataObject
) -> None:
    suppression = Suppression(share=share)
    cores, cache_bytes = data.draw(st.sampled_from([1, 2])), data.draw(st.integers(0, 3000))
    order = data.draw(st.permutations(list(nodes(sample.heights))))

    plain = evaluator(sample, loss, suppression)(all_nodes(sample))
    other = evaluator(sample, loss, suppression, cores=cores, cache_bytes=cache_bytes)(
        as_levels(order, len(sample.trees))
    )

    assert sorted(solutions_of(other), key=_place) == solutions_of(plain)


@pytest.mark.parametrize("cache_bytes", [1000, 3000, 10_000, 2**20])
@pytest.mark.parametrize("loss", ["dcn", "ce"])
@pytest.mark.parametrize("seed", range(3))
def test_nodes_in_random_order_find_their_way_through_the_cache(loss: str, seed: int, cache_bytes: int) -> None:
    random = Random(seed)  # noqa: S311 - no secrets here
    lines = [(str(i), f"pair {i // 2}", f"four {i // 4}", "*") for i in range(8)]
    trees = (Tree(tuple(lines)), Tree(tuple(lines[:6])), Tree(tuple(line[1:] for line in lines[::2])))
    people = (Row(tuple(random.choice(tree.leaves) for tree in trees), random.choice(LABELS)) for _ in range(60))
    sample = Sample(trees, tuple(people), (1.0,) * 3)
    suppression = Suppression(share=0.3)
    order = random.sample(list(nodes(sample.heights)), 48)

    found = evaluator(sample, loss, suppression, cache_bytes=cache_bytes)(as_levels(order, 3))

    assert_same(
        solutions_of(found), [one for node in order for one in staircase(sample, node, loss, suppression.limit(60))]
    )


@pytest.mark.parametrize("loss", LOSSES)
def test_many_weighted_attributes_add_up_to_the_same_bits_however_they_are_shared_out(loss: str) -> None:
    weights = tuple(1 / (3 + j) for j in range(9))
    people = (Row(tuple("yes" if i >> j & 1 else "no" for j in range(9)), "yes" if i % 3 else "no") for i in range(40))
    sample = Sample((YES_OR_NO,) * 9, tuple(people), weights)
    suppression = Suppression(share=0.5)

    alone = evaluator(sample, loss, suppression)(all_nodes(sample))
    in_threes = evaluator(sample, loss, suppression)
    shared = [in_threes(all_nodes(sample)[i : i + 3]) for i in range(0, 2**9, 3)]

    assert solutions_of(sum(shared[1:], start=shared[0])) == solutions_of(alone)


@given(sample=samples(), calls=st.integers(1, 4), cache_bytes=st.integers(0, 3000), data=st.data())
def test_asking_again_gives_the_same_answer(sample: Sample, calls: int, cache_bytes: int, data: st.DataObject) -> None:
    every = list(nodes(sample.heights))
    asked = evaluator(sample, "dcn", Suppression(share=0.5), cache_bytes=cache_bytes)

    for _ in range(calls):
        some = data.draw(st.lists(st.sampled_from(every), min_size=1, max_size=30))
        expected = [solution for node in some for solution in staircase(sample, node, "dcn", len(sample.rows) // 2)]
        assert_same(solutions_of(asked(as_levels(some, len(sample.trees)))), expected)


@given(sample=samples(), loss=st.sampled_from(sorted(LOSSES)))
def test_a_full_ledger_is_emptied_and_the_rest_assessed(sample: Sample, loss: str) -> None:
    suppression = Suppression(share=1.0)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paranym.evaluation.pool._LEDGER_STEPS", 1)
        found = evaluator(sample, loss, suppression)(all_nodes(sample))

    assert_same(solutions_of(found), expect(sample, loss, suppression))


@pytest.mark.parametrize("use", SuppressionUse)
@pytest.mark.parametrize("loss", LOSSES)
def test_one_class_of_all_rows_has_one_step_that_suppresses_nothing(loss: str, use: SuppressionUse) -> None:
    """Its k is N already: suppressing it gains nothing, whatever the limit and the rule."""
    sample = Sample((Tree((("a", "g", "*"), ("b", "h", "*"))),), 3 * (Row(("a",)),), (1.0,))

    found = solutions_of(evaluator(sample, loss, Suppression(share=1.0, use=use))(all_nodes(sample)))

    assert [(one.node, one.k, one.suppressed) for one in found] == [((level,), 3, 0) for level in range(3)]


def test_no_nodes_have_no_solutions() -> None:
    sample = Sample((YES_OR_NO,), (Row(("yes",)), Row(("no",))), (1.0,))

    assert len(evaluator(sample, "glm", Suppression())(np.empty((0, 1), np.int64))) == 0


def _place(solution: Solution) -> tuple[object, ...]:
    return solution.node, solution.suppressed
