"""Information loss of local recodings, and the classes by which privacy models judge them."""

import numpy as np
from numpy.typing import NDArray

from paranym.frequency import FrequencySet
from paranym.measures.privacy.base import Classes
from paranym.model.axis import Axis
from paranym.model.hierarchy import Label
from paranym.model.local import LocalRecoding
from paranym.model.local_labels import AttributeLabels

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

_ROUNDING = 1e-9


def certainty_penalty(recoding: LocalRecoding) -> Floats:
    """(attributes): NCP of the cells of each attribute, summed over all rows, without weights."""
    low, high = recoding.box
    spans = [_penalty(axis, low[:, j], high[:, j]) for j, axis in enumerate(recoding.axes)]
    return np.array([recoding.rows @ span for span in spans])


def general_loss(recoding: LocalRecoding) -> Floats:
    """(attributes): general loss of the cells, by the leaves between two numbers or under a closest common ancestor."""
    low, high = recoding.box
    shares = [_leaves_lost(axis, low[:, j], high[:, j]) for j, axis in enumerate(recoding.axes)]
    return np.array([recoding.rows @ share for share in shares])


def label_penalties(attribute: AttributeLabels) -> dict[Label, float | None]:
    """NCP of a cell by its published label, without weight; None if it differs between groups."""
    found: dict[Label, float | None] = {}
    for label, spans in attribute.spans.items():
        low, high = np.array(spans, np.int32).T
        each = _penalty(attribute.axis, low, high)
        found[label] = None if np.ptp(each) > _ROUNDING else float(each[0])
    return found


def label_leaves(attribute: AttributeLabels) -> dict[Label, int | None]:
    """Number of leaves that each label covers; None if it differs between groups."""
    axis, found = attribute.axis, {}
    others = max(len(axis.leaves) - 1, 1)
    for label, spans in attribute.spans.items():
        low, high = np.array(spans, np.int32).T
        each = np.rint(_leaves_lost(axis, low, high) * others).astype(np.int64) + 1
        found[label] = None if np.ptp(each) else int(each[0])
    return found


def classes_of(
    frequency: FrequencySet, class_of: Ints, sizes: Ints, attribute: str | None, reference: Ints | None
) -> Classes:
    """Return the classes that consist of whole combinations; `class_of` is -1 for combinations in no class."""
    if attribute is None:
        return Classes(sizes, reference=reference)
    single = Classes.of(frequency, attribute)
    width = int(single.columns.max(initial=0)) + 1
    owners = class_of[single.owners]
    mine = owners >= 0
    places, entries = np.unique(owners[mine] * width + single.columns[mine], return_inverse=True)
    amounts = np.bincount(entries, single.amounts[mine], len(places)).astype(np.int64)
    return Classes(sizes, (places // width).astype(np.int32), (places % width).astype(np.int32), amounts, reference)


def reference_of(frequency: FrequencySet, attribute: str | None) -> Ints | None:
    """Rows of the table per value of a sensitive attribute."""
    if attribute is None:
        return None
    single = Classes.of(frequency, attribute)
    return np.bincount(single.columns, single.amounts).astype(np.int64)


def _penalty(axis: Axis, low: Codes, high: Codes) -> Floats:
    if axis.numeric:
        return np.minimum(axis.shares[high] - axis.shares[low], 1.0)
    under = _leaves_under(axis, low, high)
    return np.where(under > 1, under / len(axis.leaves), 0.0)


def _leaves_lost(axis: Axis, low: Codes, high: Codes) -> Floats:
    leaves = len(axis.leaves)
    if not axis.numeric:
        return (_leaves_under(axis, low, high) - 1) / max(leaves - 1, 1)
    mixed = (axis.shares[high] > 1) & (low < high)  # numbers and missing values have only the top in common
    return np.where(mixed, 1.0, (high - low) / max(leaves - 1, 1))


def _leaves_under(axis: Axis, low: Codes, high: Codes) -> Ints:
    """Leaves of the closest common ancestor."""
    first = low.astype(np.int64)
    levels = axis.common_level(first, high.astype(np.int64))
    under = np.empty(len(low), np.int64)
    for level in np.unique(levels).tolist():
        mine = levels == level
        under[mine] = axis.hierarchy.leaf_counts(level)[axis.hierarchy.codes[level, first[mine]]]
    return under
