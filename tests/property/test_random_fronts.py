"""Thousands of random fronts against all sets of classes that might be suppressed at every node, requirements included.

Each table is counted once and searched under several losses, limits and rules. `SOAK=1` tries 100,000 fronts. The
figures of every shard are logged (`--log-cli-level INFO`). With `SOAK_FIGURES=FILE` each shard also appends them to
that file as a line of JSON, which works with several processes too.
"""

import itertools
import json
import logging
import math
import os
import random
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import paranym as pn
import privacy_reference as models
from paranym.errors import Unattainable
from paranym.measures import suppression_sets
from paranym.measures.class_assessment import ClassAssessor
from paranym.measures.loss import LOSSES
from reference import Levels, Release, Row, Sample, Tree, alike, loss_of, nodes

LOG = logging.getLogger(__name__)

SHARDS = 40 if os.environ.get("SOAK") else 2
FRONTS = 100_000 if os.environ.get("SOAK") else 1_200
PER_TABLE = 30

Context = tuple[Sample, dict[str, Any], str, str, int, str]
"""The table, the requirement, the loss, the rule, the limit and the method: what a failure is reported with."""

Meets = Callable[[list[int], list[int]], bool]
"""Whether the values of a class meet a requirement, given those of the reference."""


@dataclass(frozen=True, slots=True)
class Demand:
    """A requirement, as a recipe writes it and as its definition reads."""

    privacy: dict[str, Any]
    meets: Meets
    reference: str = "original"
    least_k: int = 1


@dataclass(frozen=True, slots=True, eq=False)
class Publishable:
    """A set of classes of a node that meets the requirement."""

    release: Release
    suppresses_in_vain: bool


@pytest.mark.parametrize("shard", range(SHARDS))
def test_random_fronts_are_those_of_all_sets_of_suppressed_classes(shard: int) -> None:
    rng = random.Random(shard)  # noqa: S311 - nothing secret is drawn
    figures: Counter[str] = Counter()
    for _ in range(math.ceil(FRONTS / SHARDS / PER_TABLE)):
        figures += try_table(rng)
    record(shard, figures)
    assert figures["fronts"] == sum(figures[ending] for ending in ENDINGS)


@pytest.mark.parametrize("tries", [1, 2, 4])
def test_with_few_tries_a_front_is_complete_or_bounds_what_it_lacks(
    tries: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for function in (suppression_sets.suppression_sets, suppression_sets.sets_at, ClassAssessor.__init__):
        monkeypatch.setattr(function, "__kwdefaults__", {**(function.__kwdefaults__ or {}), "tries": tries})
    monkeypatch.setattr(suppression_sets, "EFFORTS", (tries, 2 * tries))
    monkeypatch.setattr(suppression_sets, "MANY_TRIES", 2 * tries)
    monkeypatch.setattr(suppression_sets, "TRIES", tries)
    rng = random.Random(tries)  # noqa: S311 - nothing secret is drawn
    figures: Counter[str] = Counter()

    for _ in range(20):
        figures += try_table(rng)

    assert figures["complete"]
    assert tries > 2 or figures["not called complete"]


ENDINGS = ("complete", "not called complete", "refused: no solution")


def try_table(rng: random.Random) -> Counter[str]:
    """Search one table many times; how many fronts were tried, and how they ended."""
    sample, demand = draw_sample(rng), draw_demand(rng)
    known = {node: list(publishable(sample, node, demand)) for node in nodes(sample.heights)}
    problem = problem_of(sample, demand)
    figures = Counter(tables=1)
    for _ in range(PER_TABLE):
        loss = rng.choice([name for name in LOSSES if name != "c-avg" or demand.reference == "original"])
        use = rng.choice(["needed", "needed", "all"])
        limit = rng.randint(0, len(sample.rows))
        method = "exhaustive" if loss == "c-avg" else rng.choice(["exact", "exact", "exhaustive"])
        front = search(problem, loss, use, limit, method)
        compare(front, known, demand, (sample, demand.privacy, loss, use, limit, method))
        ending = ENDINGS[2] if front is None else ENDINGS[0] if front.complete else ENDINGS[1]
        figures.update(["fronts", ending, method, kind_of(demand)])
    return figures


def kind_of(demand: Demand) -> str:
    if demand.privacy.keys() & {"t", "beta", "delta"}:
        return f"compared with the {demand.reference} rows"
    return "each class by itself" if demand.privacy.keys() - {"k"} else "k alone"


def compare(front: pn.Front | None, known: dict[Levels, list[Publishable]], demand: Demand, context: Context) -> None:
    """A complete front is the expected one; the points of any other exist, and its corners bound what it lacks."""
    *_, loss, use, limit, _ = context
    expected = front_of(known, loss, use, limit)
    found = {} if front is None else {point.k: point.loss for point in front}
    if front is None or front.complete:
        assert set(found) == set(expected), context
        assert all(alike(found[k], expected[k]) for k in found), context
        return
    assert demand.reference == "released", context
    every = (one.release for of_node in known.values() for one in of_node)
    there = [(one.k, loss_of(one, loss)) for one in every if len(one.gone) <= limit]
    assert all(any(k == other and alike(found[k], value) for other, value in there) for k in found), context
    corners = [(corner.k, corner.loss) for corner in front.possible or ()]
    bounded = (
        any(k >= other and (alike(least, value) or least < value) for k, least in corners)
        for other, value in expected.items()
    )
    assert all(bounded), context


def record(shard: int, figures: Counter[str]) -> None:
    """Log the figures of a shard, and append them to the file that `SOAK_FIGURES` names."""
    LOG.info("shard %d of %d: %s", shard + 1, SHARDS, ", ".join(f"{count:,} {name}" for name, count in figures.items()))
    if to := os.environ.get("SOAK_FIGURES"):
        with Path(to).open("a", encoding="utf-8") as file:
            file.write(json.dumps({"shard": shard, **figures}) + "\n")


def front_of(known: dict[Levels, list[Publishable]], loss: str, use: str, limit: int) -> dict[int, float]:
    """The least loss of every k that no other k dominates."""
    best: dict[int, float] = {}
    for of_node in known.values():
        allowed = [one for one in of_node if len(one.release.gone) <= limit]
        if loss == "c-avg" or use == "all":
            allowed = [one for one in allowed if not one.suppresses_in_vain]
        highest = max((one.release.k for one in allowed), default=0)
        for one in allowed:
            if use == "needed" or one.release.k == highest:
                value = loss_of(one.release, loss)
                best[one.release.k] = min(value, best.get(one.release.k, value))
    return {
        k: value
        for k, value in best.items()
        if not any(other > k and (alike(rival, value) or rival < value) for other, rival in best.items())
    }


def publishable(sample: Sample, node: Levels, demand: Demand) -> Iterator[Publishable]:
    """Every set of classes that meets the requirement, fewest suppressed classes first."""
    classes, seen = sample.classes(node), list[tuple[frozenset[int], int]]()
    original = values_of(sample.rows)
    for number in range(len(classes) + 1):
        for gone in map(frozenset, itertools.combinations(range(len(classes)), number)):
            kept = tuple(group for place, group in enumerate(classes) if place not in gone)
            k = min(map(len, kept), default=len(sample.rows))
            released = [row for group in kept for row in group]
            reference = values_of(released) if demand.reference == "released" else original
            if k >= demand.least_k and all(demand.meets(values_of(group), reference) for group in kept):
                in_vain = any(fewer < gone and other >= k for fewer, other in seen)
                seen.append((gone, k))
                lost = tuple(row for place in gone for row in classes[place])
                yield Publishable(Release(sample, node, k, kept, lost), in_vain)


def values_of(rows: Any) -> list[int]:
    return [ord(row.illness) for row in rows]


def search(problem: pn.Problem, loss: str, use: str, limit: int, method: str) -> pn.Front | None:
    other = problem.replace(metric=loss, suppression_rows=limit, suppression_use=use)
    try:
        return pn.frontier(other, method=method, cores=1)
    except Unattainable:
        return None


def problem_of(sample: Sample, demand: Demand) -> pn.Problem:
    columns = {f"q{j}": [row.cells[j] for row in sample.rows] for j in range(len(sample.trees))}
    others = {"ill": [row.illness for row in sample.rows], "label": [row.label for row in sample.rows]}
    return pn.Problem(
        pa.table({**columns, **others}),
        quasi_identifiers={f"q{j}": tree.lines for j, tree in enumerate(sample.trees)},
        weights={f"q{j}": weight for j, weight in enumerate(sample.weights)},
        sensitive=["ill"],
        label="label",
        metric="ce",  # so that the label is counted
        privacy=demand.privacy,
    )


def draw_demand(rng: random.Random) -> Demand:
    reference, value = (
        rng.choice(["released", "released", "original"]),
        rng.choice([0.1, 0.2, 0.25, 0.3, 0.5, 0.75, 1.0]),
    )
    compared: dict[str, Any] = {"value": value, "reference": reference}
    up = 1 + 1e-9
    choices = [
        Demand({}, lambda *_: True),
        Demand({"l": 1.5}, lambda group, _: models.frequency(group) * up >= 1.5),
        Demand({"p": 2}, lambda group, _: models.distinct(group) >= 2),
        Demand({"l": {"value": 1.8, "kind": "entropy"}}, lambda group, _: models.entropy(group) * up >= 1.8),
        Demand({"alpha": 0.6}, lambda group, _: models.alpha(group) <= 0.6 * up),
        Demand({"t": compared}, lambda group, whole: models.equal(group, whole) <= value * up + 1e-12, reference),
        Demand({"t": compared}, lambda group, whole: models.equal(group, whole) <= value * up + 1e-12, reference),
        Demand(
            {"beta": compared | {"kind": "basic"}},
            lambda group, whole: models.basic_beta(group, whole) <= value * up + 1e-12,
            reference,
        ),
        Demand(
            {"beta": compared | {"kind": "enhanced"}},
            lambda group, whole: models.enhanced_beta(group, whole) <= value * up + 1e-12,
            reference,
        ),
        Demand(
            {"delta": compared},
            lambda group, whole: models.delta_disclosure(group, whole) < value / up - 1e-12,
            reference,
        ),
    ]
    demand = rng.choice(choices)
    return replace(demand, privacy=demand.privacy | {"k": 2}, least_k=2) if rng.random() < 0.3 else demand


def draw_sample(rng: random.Random) -> Sample:
    trees = tuple(draw_tree(rng) for _ in range(rng.randint(1, 2)))
    rows: list[Row] = []
    for _ in range(rng.randint(1, 6)):
        cells = tuple(rng.choice(tree.leaves) for tree in trees)
        rows += [Row(cells, rng.choice(["yes", "no"]), rng.choice("uvw")) for _ in range(rng.randint(1, 3))]
    return Sample(trees, tuple(rows), tuple(rng.choice([1.0, 1.0, 0.5, 2.75]) for _ in trees))


def draw_tree(rng: random.Random) -> Tree:
    names = [f"leaf {place}" for place in range(rng.randint(1, 4))]
    leaves = [str(place * place) for place in range(len(names))] if rng.random() < 0.4 else names
    lines: list[tuple[str, ...]] = [(leaf,) for leaf in leaves]
    if rng.random() < 0.5:
        lines = [(*line, f"group {rng.randint(0, 1)}") for line in lines]
    return Tree(tuple((*line, "*") for line in lines))
