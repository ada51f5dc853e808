"""The labels that a release will publish, as its manifest names them.

Only labels of published rows are named: a label that only suppressed rows have would disclose them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from paranym.frequency import FrequencySet
from paranym.measures.base import Domain
from paranym.measures.local import label_leaves, label_penalties
from paranym.measures.loss.ncp import CertaintyPenalty
from paranym.model.hierarchy import Hierarchy, Label
from paranym.model.local import LocalRecoding
from paranym.model.local_labels import AttributeLabels, LocalLabels
from paranym.model.recoding import AttributeRecoding, Recoding
from paranym.results.published import PublishedColumn, PublishedLabel

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]


def published_columns(
    recoding: Recoding, hierarchies: Sequence[Hierarchy], classes: FrequencySet, kept: Truths, *, with_penalties: bool
) -> tuple[PublishedColumn, ...]:
    """Return the quasi-identifiers under a global recoding, given the equivalence classes that are kept.

    `with_penalties` is for a loss that charges the ranges of numbers, which do not follow from a label alone.
    """
    codes, counts = classes.codes[kept], classes.counts[kept]
    found = []
    for j, (attribute, hierarchy) in enumerate(zip(recoding.attributes, hierarchies, strict=True)):
        rows = np.bincount(codes[:, j], weights=counts, minlength=len(attribute.labels)).astype(np.int64)
        penalties = _penalties(attribute, hierarchy, classes.rows) if with_penalties else None
        found.append(_column(attribute, hierarchy, rows, penalties))
    return tuple(found)


def locally_published_columns(recoding: LocalRecoding, labels: LocalLabels) -> tuple[PublishedColumn, ...]:
    """Return the quasi-identifiers under a local recoding."""
    found = []
    for published, attribute in zip(recoding.published, labels.attributes, strict=True):
        rows: dict[Label, int] = {}
        for label, group in zip(published, recoding.rows.tolist(), strict=True):
            rows[label] = rows.get(label, 0) + group
        found.append(_local_column(attribute, rows))
    return tuple(found)


def as_shown(columns: Sequence[PublishedColumn], shown: Callable[[str], str]) -> tuple[PublishedColumn, ...]:
    """Return the columns with names and labels as the file contains them."""
    return tuple(
        replace(
            column,
            name=shown(column.name),
            labels=tuple(
                each if each.label is None else replace(each, label=shown(each.label)) for each in column.labels
            ),
        )
        for column in columns
    )


def _column(
    attribute: AttributeRecoding, hierarchy: Hierarchy, rows: Ints, penalties: Sequence[float] | None
) -> PublishedColumn:
    codes = np.array(attribute.codes)
    level = _level(attribute, hierarchy, codes)
    edges = _edges(codes, len(attribute.labels)).tolist()
    labels: dict[Label, PublishedLabel] = {}
    amounts: dict[Label, int] = {}
    for code in np.flatnonzero(rows).tolist():
        label = attribute.labels[code]
        begin, end = edges[code : code + 2]
        own = _level_of_run(hierarchy, begin, end) if level is None else level
        each = PublishedLabel(label, own, end - begin, None if penalties is None else penalties[code])
        # two blocks of a cut with one label: the label does not distinguish them
        labels[label] = each if label not in labels else PublishedLabel(label, None, None)
        amounts[label] = amounts.get(label, 0) + int(rows[code])
    column = PublishedColumn(
        name=attribute.attribute,
        weight=attribute.weight,
        height=hierarchy.height,
        leaves=len(hierarchy.leaves),
        level=level,
        loss=None,
        labels=tuple(labels.values()),
    )
    return replace(column, loss=column.general_loss(amounts))


def _level(attribute: AttributeRecoding, hierarchy: Hierarchy, codes: NDArray[np.int64]) -> int | None:
    """Return the level of the hierarchy with these labels: that of the node, or the lowest that is the same cut."""
    if attribute.level is not None and attribute.height == hierarchy.height:
        return attribute.level
    return next((level for level, own in enumerate(hierarchy.codes) if np.array_equal(own, codes)), None)


def _edges(codes: NDArray[np.int64], labels: int) -> Ints:
    """Return (labels + 1,) the first leaf of each label; the leaves of a label are adjacent in tree order."""
    return np.searchsorted(codes, np.arange(labels + 1))


def _level_of_run(hierarchy: Hierarchy, begin: int, end: int) -> int | None:
    """Return the lowest level that has a value for exactly the leaves from `begin` to before `end`."""
    for level, codes in enumerate(hierarchy.codes):
        value = codes[begin]
        if (np.searchsorted(codes, value), np.searchsorted(codes, value, "right")) == (begin, end):
            return level
    return None


def _penalties(attribute: AttributeRecoding, hierarchy: Hierarchy, rows: int) -> list[float] | None:
    """Return the normalized certainty penalty of each label, if it follows from the range of numbers."""
    if hierarchy.numbers is None:
        return None
    edges = _edges(np.array(attribute.codes), len(attribute.labels))
    domain = Domain(hierarchy, np.zeros(len(hierarchy.leaves), np.int64))
    costs = CertaintyPenalty().costs(domain, rows)
    return [float(cost) / costs.denominator for cost in costs.of_runs(edges[:-1], edges[1:]).tolist()]


def _local_column(attribute: AttributeLabels, rows: Mapping[Label, int]) -> PublishedColumn:
    leaves, penalties = label_leaves(attribute), label_penalties(attribute)
    labels = [
        PublishedLabel(
            label,
            _local_level(attribute, label),
            leaves[label],
            penalties[label] if attribute.axis.numeric else None,
        )
        for label in rows
    ]
    column = PublishedColumn(
        name=attribute.attribute,
        weight=attribute.axis.weight,
        height=attribute.hierarchy.height,
        leaves=len(attribute.hierarchy.leaves),
        level=None,
        loss=None,
        labels=tuple(labels),
    )
    return replace(column, loss=column.general_loss(rows))


def _local_level(attribute: AttributeLabels, label: Label) -> int | None:
    """Return the level of the label that groups publish, if it is a value of the hierarchy."""
    axis, hierarchy = attribute.axis, attribute.hierarchy
    levels: set[int | None] = set()
    for first, last in attribute.spans[label]:
        leaves = axis.leaves[first : last + 1]
        low = np.array([leaves.min()])
        level = int(axis.common_level(low, np.array([leaves.max()]))[0])
        if hierarchy.distinct_labels[level][hierarchy.codes[level, low[0]]] == label:
            levels.add(level)
        else:
            levels.add(hierarchy.height if hierarchy.distinct_labels[-1][0] == label else None)
    return levels.pop() if len(levels) == 1 else None
