"""What an independent tool, ARX, finds on Adult under models of a sensitive attribute: at its optimal nodes the same
classes are suppressed and the loss is the same, and our searches find no smaller and no larger one.
"""

from functools import cache
from typing import Any

import numpy as np
import pytest

import paranym as pn
from arx_cases import cases_of_models, hierarchy, needs_hierarchies, table
from paranym.engines.base import Coding
from paranym.engines.duckdb.table import DuckDBTable
from paranym.frequency import FrequencySet, lifts_of, rollup
from paranym.hierarchies.build import build_hierarchy
from paranym.measures.privacy import MODELS
from paranym.measures.privacy.base import Classes, Floats, Ints, Requirement
from paranym.measures.privacy.closeness import HierarchicalCloseness
from paranym.model.hierarchy import Hierarchy

CASES = cases_of_models(2)
SENSITIVE = "occupation"
each_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case["privacy"][1]["model"])


@cache
def counted(names: tuple[str, ...]) -> tuple[FrequencySet, tuple[Hierarchy, ...], Ints]:
    """The bottom frequency set with the histogram of the occupation, all hierarchies, and the reference."""
    with DuckDBTable(table()) as opened:
        columns = opened.profile([*names, SENSITIVE]).columns
        files = [hierarchy(column.name) for column in columns]
        hierarchies = [build_hierarchy(file, (), attribute=file.stem) for file in files]
        codings = [
            Coding(column, hierarchy.place(column.values), None, len(hierarchy.leaves))
            for column, hierarchy in zip(columns, hierarchies, strict=True)
        ]
        frequency = opened.count(codings[:-1], codings[-1:])
    return frequency, tuple(hierarchies), frequency.histogram.dense(SENSITIVE, len(frequency)).sum(axis=0)


def requirement(model: dict[str, Any], occupation: Hierarchy) -> Requirement:
    match model["model"]:
        case "DistinctLDiversity":
            return Requirement(MODELS["distinct-l"](), model["l"], SENSITIVE)
        case "EntropyLDiversity":
            return Requirement(MODELS["entropy-l"](), model["l"], SENSITIVE)
        case "RecursiveCLDiversity":
            return Requirement(MODELS["recursive-c"](l=model["l"]), model["c"], SENSITIVE)
        case "EqualDistanceTCloseness":
            return Requirement(MODELS["equal-t"](), model["t"], SENSITIVE)
        case "HierarchicalDistanceTCloseness":
            return Requirement(HierarchicalCloseness.by(occupation), model["t"], SENSITIVE)
        case "BasicBLikeness":
            return Requirement(MODELS["basic-beta"](), model["beta"], SENSITIVE)
        case "EnhancedBLikeness":
            return Requirement(MODELS["enhanced-beta"](), model["beta"], SENSITIVE)
        case "DDisclosurePrivacy":
            return Requirement(MODELS["delta-disclosure"](), model["delta"], SENSITIVE)
    raise AssertionError(f"{model} is not known here")


def test_all_cases_of_other_models_are_there() -> None:
    assert len(CASES) == 18


@needs_hierarchies
@each_case
def test_an_optimal_node_keeps_what_it_promises(case: dict[str, Any]) -> None:
    frequency, hierarchies, reference = counted(tuple(case["quasi_identifiers"]))
    published = rollup(frequency, lifts_of(hierarchies[:-1]), case["an_optimal_node"])
    classes = Classes.of(published, SENSITIVE, reference=reference)

    k, model = case["privacy"]
    kept = (classes.sizes >= k["k"]) & requirement(model, hierarchies[-1]).met_by(classes)
    suppressed = frequency.rows - int(classes.sizes[kept].sum())

    assert suppressed <= int(case["suppression_limit"] * frequency.rows)
    if case["loss_metric"] == "dcn":
        loss = float((classes.sizes[kept] ** 2).sum() + frequency.rows * suppressed)
    else:
        loss = sum(_bits(published, kept, j, frequency, hierarchy) for j, hierarchy in enumerate(hierarchies[:-1]))
    assert loss == pytest.approx(case["optimal_loss"], rel=1e-9)


def _bits(
    published: FrequencySet, kept: "np.ndarray[Any, Any]", j: int, bottom: FrequencySet, hierarchy: Hierarchy
) -> float:
    """Non-uniform entropy of one attribute, as the oracle file says."""
    level = published.levels[j]
    leaves = bottom.marginal(j, len(hierarchy.leaves))
    values = np.bincount(hierarchy.codes[level], weights=leaves)
    codes = published.packing.unpack(published.words, j)
    gone = np.bincount(codes[~kept], weights=published.counts[~kept], minlength=1)
    return _weight(values) - _weight(leaves) + _weight(np.array([gone.sum()])) - _weight(gone)


def _weight(counts: Floats | Ints) -> float:
    some = counts[counts > 0].astype(float)
    return float((some * np.log2(some)).sum())


def demanded(model: dict[str, Any]) -> dict[str, Any]:
    """The same as a recipe says it."""
    match model["model"]:
        case "DistinctLDiversity":
            return {"l": {"value": model["l"], "kind": "distinct"}}
        case "EntropyLDiversity":
            return {"l": {"value": model["l"], "kind": "entropy"}}
        case "RecursiveCLDiversity":
            return {"l": {"value": model["l"], "kind": "recursive", "c": model["c"]}}
        case "EqualDistanceTCloseness":
            return {"t": {"value": model["t"], "reference": "original"}}
        case "HierarchicalDistanceTCloseness":
            return {"t": {"value": model["t"], "reference": "original", "distance": "hierarchical"}}
        case "BasicBLikeness":
            return {"beta": {"value": model["beta"], "reference": "original"}}
        case "EnhancedBLikeness":
            return {"beta": {"value": model["beta"], "reference": "original", "kind": "enhanced"}}
        case "DDisclosurePrivacy":
            return {"delta": {"value": model["delta"], "reference": "original"}}
    raise AssertionError(f"{model} is not known here")


@needs_hierarchies
@pytest.mark.parametrize("method", ["exhaustive", "exact"])
@each_case
def test_the_least_loss_is_that_of_arx(case: dict[str, Any], method: str) -> None:
    k, model = case["privacy"]
    by_tree = model["model"] == "HierarchicalDistanceTCloseness"
    problem = pn.Problem(
        table(),
        quasi_identifiers={name: hierarchy(name) for name in case["quasi_identifiers"]},
        sensitive={SENSITIVE: hierarchy(SENSITIVE) if by_tree else None},
        metric="dcn" if case["loss_metric"] == "dcn" else "entropy",
        suppression=case["suppression_limit"],
        privacy={"k": k["k"]} | demanded(model),
    )

    front = pn.frontier(problem, method=method)

    assert front[-1].loss == pytest.approx(case["optimal_loss"], rel=1e-9)
    assert front[-1].k >= k["k"]
