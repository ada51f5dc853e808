"""Random tables with hierarchies, as values for the reference and as counted tables for the package."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from numpy.typing import NDArray

from paranym.datasets import adult
from paranym.evaluation.nodes import Evaluator
from paranym.frequency import FrequencySet, Histogram
from paranym.measures.loss import LOSSES
from paranym.measures.privacy.anonymity import Suppression
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing
from paranym.problem import Problem
from paranym.results.assessment import Assessments
from reference import Cell, Levels, Row, Sample, Solution, Tree, nodes

ATTRIBUTES = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class")
LABELS = ("yes", "no", "perhaps")
ILLNESSES = ("flu", "cold")
PROVABLE = [name for name, loss in LOSSES.items() if loss.facts.monotone and loss.facts.bounded_by_unsuppressed]
"""Losses that the exact search can prove something about."""
SHARES = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0])


@st.composite
def trees(draw: st.DrawFn, *, most_leaves: int = 5, most_levels: int = 3) -> Tree:
    """Text or numbers, nested at random: values need not be neighbours, and levels may repeat the one below."""
    names: st.SearchStrategy[list[Cell]] = st.one_of(
        st.integers(1, most_leaves).map(lambda n: [f"leaf {i}" for i in range(n)]),
        st.lists(st.integers(-50, 50).map(str), min_size=1, max_size=most_leaves, unique=True),
        st.lists(st.sampled_from(["0.5", "1.25", "2", "7.75", "-3.5"]), min_size=1, max_size=most_leaves, unique=True),
    )
    leaves = draw(names)
    if draw(st.booleans()):
        leaves = [*leaves, None]
    height = draw(st.integers(0 if len(leaves) == 1 and leaves[0] is not None else 1, most_levels))
    columns: list[list[Cell]] = [leaves]
    values = list(range(len(leaves)))
    for level in range(1, height):
        groups = draw(st.lists(st.integers(0, max(values)), min_size=max(values) + 1, max_size=max(values) + 1))
        values = [groups[value] for value in values]
        columns.append([f"level {level} value {value}" for value in values])
    if height:
        columns.append(["*"] * len(leaves))
    return Tree(tuple(zip(*columns, strict=True)))


@st.composite
def samples(
    draw: st.DrawFn,
    *,
    most_attributes: int = 3,
    most_rows: int = 12,
    repeats: Sequence[int] = (1,),
    persons: Sequence[str | None] = (None,),
) -> Sample:
    """A table of a few rows of these `persons`, each of them repeated as often as one of `repeats` says."""
    grown = tuple(draw(st.lists(trees(), min_size=1, max_size=most_attributes)))
    row = st.builds(
        Row,
        st.tuples(*(st.sampled_from(tree.leaves) for tree in grown)),
        st.sampled_from(LABELS),
        st.sampled_from(ILLNESSES),
        st.sampled_from(persons),
    )
    drawn = draw(st.lists(st.tuples(row, st.sampled_from(repeats)), min_size=1, max_size=most_rows))
    weight = st.sampled_from([0.5, 1.0, 2.75])
    weights = draw(st.one_of(st.just((1.0,) * len(grown)), st.tuples(*(weight for _ in grown))))
    return Sample(grown, tuple(row for row, times in drawn for _ in range(times)), weights)


def nodes_of(sample: Sample) -> st.SearchStrategy[Levels]:
    """A node of the lattice of a sample."""
    return st.tuples(*(st.integers(0, height) for height in sample.heights))


@st.composite
def limits(draw: st.DrawFn) -> Suppression:
    """No suppression, a share, or a number of rows."""
    share = st.sampled_from([0.0, 0.1, 0.25, 0.5, 1.0]).map(lambda share: Suppression(share=share))
    rows = st.integers(0, 12).map(lambda rows: Suppression(rows=rows))
    return draw(st.one_of(st.just(Suppression()), share, rows))


def hierarchies_of(sample: Sample) -> tuple[Hierarchy, ...]:
    return tuple(Hierarchy.from_rows(tree.lines, attribute=f"q{j}") for j, tree in enumerate(sample.trees))


def count(sample: Sample) -> FrequencySet:
    """The frequency set of the rows, with histograms of the illness and of the label, in that order."""
    hierarchies = hierarchies_of(sample)
    codes = [tuple(h.leaves.index(cell) for h, cell in zip(hierarchies, row.cells, strict=True)) for row in sample.rows]
    combinations = sorted(set(codes), reverse=True)  # in any order but the one that is asked for
    counts = Counter(codes)
    packing = Packing.of(tuple(len(hierarchy.leaves) for hierarchy in hierarchies))
    blocks = {"illness": range(len(ILLNESSES)), "label": range(len(ILLNESSES), len(ILLNESSES) + len(LABELS))}
    entries: Counter[tuple[int, int]] = Counter()
    for code, row in zip(codes, sample.rows, strict=True):
        owner = combinations.index(code)
        entries[owner, ILLNESSES.index(row.illness)] += 1
        entries[owner, len(ILLNESSES) + LABELS.index(row.label)] += 1
    return FrequencySet.build(
        (0,) * len(hierarchies),
        packing,
        packing.pack(np.array(combinations, np.int64)),
        np.array([counts[code] for code in combinations], np.int64),
        Histogram(
            blocks,
            np.array([owner for owner, _ in entries], np.int32),
            np.array([column for _, column in entries], np.int32),
            np.array(list(entries.values()), np.int64),
        ),
    )


def evaluator(
    sample: Sample, loss: str, suppression: Suppression, *, cores: int = 1, cache_bytes: int = 2**20
) -> Evaluator:
    return Evaluator(
        count(sample),
        hierarchies_of(sample),
        LOSSES[loss],
        suppression,
        weights=sample.weights,
        label="label",
        cores=cores,
        cache_bytes=cache_bytes,
    )


def as_levels(chosen: Sequence[Levels], attributes: int) -> NDArray[np.int64]:
    return np.array(chosen, np.int64).reshape(len(chosen), attributes)


def all_nodes(sample: Sample) -> NDArray[np.int64]:
    return as_levels(list(nodes(sample.heights)), len(sample.trees))


def solutions_of(found: Assessments) -> list[Solution]:
    """The steps that count as solutions, as values."""
    found = found.solutions
    return [
        Solution(tuple(levels), k, suppressed, loss, weighted_k)
        for levels, k, suppressed, loss, weighted_k in zip(
            found.levels.tolist(),
            found.k.tolist(),
            found.suppressed.tolist(),
            found.loss.tolist(),
            found.weighted_k.tolist(),
            strict=True,
        )
    ]


def adult_problem(metric: str, share: float, use: str) -> Problem:
    """The shipped Adult table under the hierarchies of the POkA paper's heights."""
    folder = adult().parent
    attributes = ATTRIBUTES[:-1] if metric == "ce" else ATTRIBUTES
    return Problem(
        folder / "adult.csv",
        quasi_identifiers={name: folder / "hierarchies" / f"{name}.csv" for name in attributes},
        label="salary-class" if metric == "ce" else None,
        metric=metric,
        suppression=share,
        suppression_use=use,
    )


def problem_of(sample: Sample, metric: str, share: float, use: str, *, memory: int | None = None) -> Problem:
    """The sample as a table with columns q0, q1, ... and a label."""
    columns = {f"q{j}": [row.cells[j] for row in sample.rows] for j in range(len(sample.trees))}
    persons = [row.person for row in sample.rows]
    if any(persons):
        columns["person"] = persons
    return Problem(
        pa.table({**columns, "label": [row.label for row in sample.rows]}),
        quasi_identifiers={f"q{j}": tree.lines for j, tree in enumerate(sample.trees)},
        weights={f"q{j}": weight for j, weight in enumerate(sample.weights)},
        label="label",
        metric=metric,
        suppression=share,
        suppression_use=use,
        memory=memory,
        person="person" if any(persons) else None,
    )
