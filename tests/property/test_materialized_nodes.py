"""Below a floor: the counts of the engine give the same results as if everything had been counted at the bottom."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.evaluation.floor import FloorCounter, FlooredEvaluator
from paranym.evaluation.nodes import Evaluator
from paranym.frequency import FrequencySet, lifts_of, rollup
from paranym.hierarchies.build import HierarchySpec
from paranym.measures.loss import LOSSES
from paranym.measures.privacy.anonymity import Suppression, SuppressionUse
from paranym.problem.counts import Counts
from paranym.problem.floor import Sizes, plan_memory
from reference import Sample
from samples import all_nodes, count, evaluator, hierarchies_of, samples

FIELDS = ("levels", "k", "suppressed", "loss", "surcharge", "weighted_k", "counts", "binds")
UNLABELLED = [name for name, loss in LOSSES.items() if not loss.facts.needs_label]
LADDER: dict[str, HierarchySpec] = {"c": None, "a": {"intervals": [2, 4, 8, 16, 32]}}
"""Two values, and 64 that are halved six times."""


def chopped(found: FrequencySet, places: list[int]) -> Iterator[FrequencySet]:
    """The same part after part, cut at some places, without histograms."""
    cuts = sorted({place % len(found) for place in places} - {0})
    parts = zip(np.split(found.words, cuts), np.split(found.counts, cuts), strict=True)
    return (FrequencySet(found.levels, found.packing, words, counts) for words, counts in parts)


def floored(sample: Sample, loss: str, suppression: Suppression, places: list[int], capacity: int) -> FlooredEvaluator:
    """With the floor at the top, so that everything else is the engine's: a materialized node, or in parts."""
    bottom, hierarchies = count(sample), hierarchies_of(sample)
    lifts = lifts_of(hierarchies)
    floor = Evaluator(
        rollup(bottom, lifts, sample.heights),
        hierarchies,
        LOSSES[loss],
        suppression,
        weights=sample.weights,
        label="label",
        rows_per_leaf=[bottom.marginal(j, len(hierarchy.leaves)) for j, hierarchy in enumerate(hierarchies)],
        cores=1,
    )
    engine = FloorCounter(
        capacity,
        lambda node: len(rollup(bottom, lifts, node)) <= capacity,
        lambda node: rollup(bottom, lifts, node),
        lambda node: chopped(rollup(bottom, lifts, node), places),
    )
    return FlooredEvaluator(floor, engine)


@pytest.mark.parametrize("loss", UNLABELLED)
@settings(max_examples=15)
@given(
    sample=samples(),
    suppression=st.builds(Suppression, st.sampled_from([0.0, 0.1, 0.34, 1.0]), use=st.sampled_from(SuppressionUse)),
    places=st.lists(st.integers(0, 20), max_size=4),
    capacity=st.sampled_from([0, 2, 4]),
)
def test_every_node_is_told_as_if_all_had_been_counted(
    loss: str, sample: Sample, suppression: Suppression, places: list[int], capacity: int
) -> None:
    nodes = all_nodes(sample)
    below = floored(sample, loss, suppression, places, capacity)

    found, expected = below(nodes), evaluator(sample, loss, suppression)(nodes)

    below.close()
    for name in FIELDS:
        assert np.array_equal(getattr(found, name), getattr(expected, name)), name


def ladder(memory: int | None) -> pn.Problem:
    """128 combinations, each of four rows."""
    rows = np.arange(512)
    return pn.Problem(
        pa.table({"c": rows // 64 % 2, "a": rows % 64}), quasi_identifiers=LADDER, suppression=0.01, memory=memory
    )


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """The nodes at which the engine counts after the floor."""
    nodes: list[tuple[int, ...]] = []
    count = Counts._count_again

    def spy(counts: Counts, node: tuple[int, ...]) -> FrequencySet:
        nodes.append(node)
        return count(counts, node)

    monkeypatch.setattr(Counts, "_count_again", spy)
    return nodes


def test_a_materialized_node_lies_as_low_as_fits_and_serves_other_nodes(counted: list[tuple[int, ...]]) -> None:
    problem, nodes = ladder(12_600), np.array([[0, 6], [0, 4], [1, 3], [0, 5], [0, 3]])

    steps = problem.evaluator()(nodes)

    assert problem.counted.levels == (1, 1)
    assert counted == [(0, 3)]  # a materialized node has at most 21 combinations: 2 x 8 are, 2 x 16 are not
    assert steps.k.tolist() == ladder(None).evaluator()(nodes).k.tolist() == [256, 64, 64, 128, 32]


@pytest.mark.parametrize(("capacity", "times"), [(1, 2), (100, 1)])
def test_materialized_nodes_are_kept_while_there_is_room(
    capacity: int, times: int, counted: list[tuple[int, ...]]
) -> None:
    below = ladder(12_600).evaluator()
    assert isinstance(below, FlooredEvaluator)
    every, alone = below.engine, {(1, 0), (0, 6)}
    evaluator = FlooredEvaluator(
        below.floor, FloorCounter(capacity, lambda node: node in alone, every.count, every.parts)
    )

    evaluator(np.array([[1, 0], [0, 6], [1, 0]]))

    assert counted.count((0, 6)) == 1
    assert counted.count((1, 0)) == times  # 64 combinations


@pytest.mark.parametrize(
    ("memory", "cores"), [(12_900, 1), (22_000, 2), (40_000, 4), (1_000_000, 8)], ids=["one", "two", "four", "all"]
)
def test_fewer_cores_are_better_than_a_floor(memory: int, cores: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paranym.problem.counts.count_cores", lambda: 8)
    problem = ladder(memory)

    assert problem.floor is None
    assert problem.cores() == cores  # 32 bytes for each of 128 combinations, and 68 on every core


def test_a_floor_does_not_depend_on_the_cores() -> None:
    hierarchies = ladder(None).hierarchies
    sizes = Sizes(hierarchies, 512)

    def most(memory: int, cores: int) -> int:
        return memory // cores

    rooms = [
        plan_memory(hierarchies, lambda node, some: sizes.fit(node, some, lambda _: 512), most, 100, cores)
        for cores in (1, 2, 64)
    ]

    assert [room.floor for room in rooms] == [rooms[0].floor] * 3
    assert [room.cores for room in rooms] == [1, 2, 2]


def test_an_engine_is_asked_only_for_what_nothing_tells() -> None:
    asked: list[tuple[int, ...]] = []

    def estimate(node: tuple[int, ...]) -> int:
        asked.append(node)
        return 30

    hierarchies = ladder(None).hierarchies
    sizes, others = Sizes(hierarchies, 10_000), Sizes(hierarchies, 10_000)

    assert sizes.fit((0, 1), 64, estimate)  # no more than 2 x 32 values
    assert asked == []
    assert sizes.fit((0, 0), 40, estimate)
    assert sizes.fit((1, 0), 40, estimate)  # what lies below has no more
    assert not sizes.fit((0, 0), 20, estimate)
    assert asked == [(0, 0)]
    assert not others.fit((1, 0), 20, estimate)
    assert not others.fit((0, 0), 20, estimate)  # what lies above has more
    assert asked == [(0, 0), (1, 0)]
