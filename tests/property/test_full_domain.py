"""Every search for a fixed requirement against all nodes, checked one by one on random tables."""

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paranym as pn
from paranym.errors import Unattainable
from paranym.search.fixed_k.names import ALGORITHMS
from reference import Levels, Sample, alike, covers, nodes, staircase
from samples import SHARES, problem_of, samples

COMPLETE = [name for name in ALGORITHMS if name not in ("samarati", "datafly")]


def meets(sample: Sample, node: Levels, k: int, limit: int) -> bool:
    return sum(len(group) for group in sample.classes(node) if len(group) < k) <= limit


@st.composite
def requests(draw: st.DrawFn) -> tuple[Sample, int, float, list[list[int]]]:
    """A table, a k that it can have, a suppression limit, and the levels that are allowed."""
    sample = draw(samples(most_rows=10, repeats=(1, 2, 5)))
    k = draw(st.integers(1, min(len(sample.rows), 8)))
    allowed = [
        draw(st.lists(st.integers(0, tree.height), min_size=1, unique=True).map(sorted))
        if draw(st.booleans())
        else list(range(tree.height + 1))
        for tree in sample.trees
    ]
    return sample, k, draw(SHARES), allowed


def found_by(problem: pn.Problem, name: str, **asked: Any) -> set[Levels]:
    try:
        return {tuple(each.levels.values()) for each in pn.generalize(problem, algorithm=name, **asked)}
    except Unattainable:
        return set()


@given(requests(), st.sampled_from([1, 200, 2**30]), st.sampled_from(["needed", "all"]))
def test_all_complete_searches_find_what_trying_every_node_finds(
    request: tuple[Sample, int, float, list[list[int]]], memory: int, use: str
) -> None:
    sample, k, share, allowed = request
    problem = problem_of(sample, "height", share, use)
    limit = problem.suppression.limit(len(sample.rows))
    truth = {
        node
        for node in nodes(sample.heights)
        if all(level in levels for level, levels in zip(node, allowed, strict=True)) and meets(sample, node, k, limit)
    }
    levels = {f"q{j}": each for j, each in enumerate(allowed)}

    for name in COMPLETE:
        assert found_by(problem, name, k=k, levels=levels, memory=memory, cores=1) == truth, name
    least = min(map(sum, truth), default=0)
    if all(each == list(range(each[-1] + 1)) for each in allowed):  # heights count choices, not levels left out
        assert found_by(problem, "samarati", k=k, levels=levels, cores=1) == {n for n in truth if sum(n) == least}
    assert found_by(problem, "datafly", k=k, levels=levels, cores=1) <= truth


@given(samples(most_rows=10, repeats=(1, 3)), SHARES, st.sampled_from(["glm", "dcn", "precision"]), st.integers(1, 4))
def test_solutions_are_those_of_the_staircase_and_ranked_by_loss(
    sample: Sample, share: float, metric: str, k: int
) -> None:
    k = min(k, len(sample.rows))
    problem = problem_of(sample, metric, share, "needed")
    limit = problem.suppression.limit(len(sample.rows))

    found = pn.generalize(problem, k=k, cores=1)

    for each in found:
        node = tuple(each.levels.values())
        first = next(step for step in staircase(sample, node, metric, limit) if step.k >= k)
        assert (each.k, each.suppressed) == (first.k, first.suppressed)
        assert alike(each.loss, first.loss)
        below = [other for other in found if other is not each and covers(node, tuple(other.levels.values()))]
        assert each.minimal == (not below)
    losses = [each.loss for each in found]
    assert losses == sorted(losses)


@given(samples(most_attributes=2, repeats=(1, 3)), st.integers(1, 3), st.integers(1, 2))
def test_further_requirements_plug_in_by_their_facts(sample: Sample, k: int, diversity: int) -> None:
    k = min(k, len(sample.rows))
    columns = {f"q{j}": [row.cells[j] for row in sample.rows] for j in range(len(sample.trees))}
    problem = pn.Problem(
        pa.table({**columns, "illness": [row.illness for row in sample.rows]}),
        quasi_identifiers={f"q{j}": tree.lines for j, tree in enumerate(sample.trees)},
        sensitive=["illness"],
        privacy={"l": {"value": diversity, "kind": "distinct"}},
    )
    truth = {
        node
        for node in nodes(sample.heights)
        if all(len(group) >= k and len({row.illness for row in group}) >= diversity for group in sample.classes(node))
    }

    for name in COMPLETE:
        assert found_by(problem, name, k=k, cores=1) == truth, name


def test_counts_do_not_depend_on_cores() -> None:
    rng = np.random.default_rng(3)
    table = pa.table({name: rng.integers(0, 40, 30_000).astype(str) for name in "abc"})
    problem = pn.Problem(table, quasi_identifiers={name: {"intervals": [2, 10, 20]} for name in "abc"})

    for name in ALGORITHMS:
        assert len({pn.generalize(problem, k=5, algorithm=name, cores=cores).cost for cores in (1, 2)}) == 1


@pytest.mark.parametrize("name", ["samarati", "datafly", "incognito"])
def test_what_cannot_be_judged_by_others_is_left_to_mingen(name: str) -> None:
    table = pa.table({"q": ["a", "a", "b", "b"], "illness": ["x", "y", "x", "x"]})
    problem = pn.Problem(table, quasi_identifiers=["q"], sensitive=["illness"], suppression=0.5, privacy={"t": 0.3})

    with pytest.raises(pn.ParanymError, match="Use mingen"):
        pn.generalize(problem, k=2, algorithm=name)
    assert pn.generalize(problem, k=2, algorithm="mingen").complete
