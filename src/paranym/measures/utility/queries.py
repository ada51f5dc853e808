"""Query error of a release: random counting and sum queries, as in section 5.1 of the utility-based paper.

A query counts the rows in a range of every attribute that it names, or sums a numeric attribute over them. An estimate
from the release assumes that the rows of a class are spread evenly over the values that its published value covers. The
error of a query is |estimate - truth| / truth; queries whose true answer is zero have no error and are counted apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.model.axis import Axis
from paranym.model.local import LocalRecoding, Style

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Codes = NDArray[np.int32]

QUERIES = 1000
"""Usual number of queries."""
AT_ONCE = 3
"""Attributes that a query restricts; with more, nearly all true answers are zero."""
_WORK = 20_000_000
"""Combinations that all queries together may visit; a table with very many gets fewer queries."""
_LEAST = 100


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Queries as intervals of positions."""

    low: Ints
    """(queries, attributes)"""
    high: Ints
    total_of: int | None = None
    """The attribute that is summed; None if rows are counted."""

    def __len__(self) -> int:
        return len(self.low)


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Rows that lie somewhere between two positions of every attribute."""

    low: Codes
    high: Codes
    rows: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryError:
    """The error of the answers from a release."""

    queries: int
    zero: int
    """Queries whose true answer is zero; they do not count for the error."""
    mean: float | None
    """The mean relative error; None if every true answer is zero."""
    median: float | None
    mean_at_zero: float | None
    """The mean estimate where the true answer is zero."""

    def as_dict(self) -> dict[str, float | int | None]:
        """For JSON."""
        return {
            "queries": self.queries,
            "zero": self.zero,
            "mean": self.mean,
            "median": self.median,
            "mean_at_zero": self.mean_at_zero,
        }


def draw_workload(
    axes: Sequence[Axis],
    *,
    queries: int = 1000,
    attributes: Sequence[int] | None = None,
    at_once: int | None = None,
    total_of: int | None = None,
    seed: int = 0,
) -> Workload:
    """Return random queries about some attributes, or all but the one that is summed.

    A numeric attribute is restricted to a range between two random values. A categorical one is restricted, with equal
    probability, to one value or to all leaves under a value of an inner level. Attributes that are not named are not
    restricted; with `at_once`, every query restricts this many of them, drawn at random.
    """
    if total_of is not None and not axes[total_of].numeric:
        raise BadInput(f"Only numbers can be added up; {axes[total_of].hierarchy.attribute!r} has none.")
    rng = np.random.default_rng(seed)
    named = set(range(len(axes)) if attributes is None else attributes) - {total_of}
    low = np.zeros((queries, len(axes)), np.int64)
    high = np.broadcast_to([len(axis.leaves) - 1 for axis in axes], low.shape).copy()
    turn = np.argsort(rng.random((queries, len(named))), axis=1)
    for place, j in enumerate(sorted(named)):
        drawn = _numbers(rng, axes[j], queries) if axes[j].numeric else _values(rng, axes[j], queries)
        mine = turn[:, place] < (len(named) if at_once is None else at_once)
        low[mine, j], high[mine, j] = drawn[0][mine], drawn[1][mine]
    return Workload(low, high, total_of)


def usual_workload(axes: Sequence[Axis], *, combinations: int = 0, seed: int = 0) -> Workload:
    """Return 1,000 counting queries about three attributes each; fewer if the table has very many combinations."""
    queries = min(QUERIES, max(_LEAST, _WORK // max(combinations, 1)))
    return draw_workload(axes, queries=queries, at_once=min(AT_ONCE, len(axes)), seed=seed)


def boxes_of_labels(axes: Sequence[Axis], labelled: Sequence[NDArray[np.integer]], classes: Ints, rows: Ints) -> Boxes:
    """Boxes of the rows of classes, from their published labels (of a level or of a cut).

    `labelled` has the number of the label of every leaf, by attribute; `classes` (classes, attributes) these numbers.
    """
    low, high = np.empty((2, *classes.shape), np.int32)
    for j, (axis, codes) in enumerate(zip(axes, labelled, strict=True)):
        first = np.full(int(codes.max()) + 1, len(codes), np.int32)
        last = np.zeros_like(first)
        np.minimum.at(first, codes, axis.positions)
        np.maximum.at(last, codes, axis.positions)
        low[:, j], high[:, j] = first[classes[:, j]], last[classes[:, j]]
    return Boxes(low, high, rows)


def boxes_of(recoding: LocalRecoding) -> Boxes:
    """Boxes of the rows of a local recoding."""
    if recoding.style in (Style.MEAN, Style.MEDIAN):
        raise BadInput(f"Queries are answered from ranges; what is published here is a {recoding.style}.")
    low, high = (ends.copy() for ends in recoding.box)
    for j, axis in enumerate(recoding.axes):
        low[:, j], high[:, j] = _covered(axis, low[:, j], high[:, j])
    return Boxes(low, high, recoding.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """True answers of queries, and estimates from a release."""

    true: Floats
    estimated: Floats

    def error(self, *, least: float = 0.0) -> QueryError:
        """Return the error of all queries, or of those whose true answer is at least `least`.

        >>> Answers(np.array([0.0, 2.0, 100.0]), np.array([1.0, 3.0, 90.0])).error(least=50).mean
        0.1
        """
        mine = self.true >= least
        true, estimated = self.true[mine], self.estimated[mine]
        real = true > 0
        errors = np.abs(estimated[real] - true[real]) / true[real]
        return QueryError(
            queries=len(true),
            zero=int(np.count_nonzero(~real)),
            mean=float(errors.mean()) if len(errors) else None,
            median=float(np.median(errors)) if len(errors) else None,
            mean_at_zero=float(estimated[~real].mean()) if not real.all() else None,
        )


def answered(workload: Workload, axes: Sequence[Axis], truth: Boxes, released: Boxes) -> Answers:
    """Answer queries from the true boxes, one of a single position for every combination, and from a release."""
    return Answers(answers(workload, axes, truth), answers(workload, axes, released))


def error_of_boxes(workload: Workload, axes: Sequence[Axis], truth: Boxes, released: Boxes) -> QueryError:
    """Return the error of answers from the released boxes; `truth` has one box, of one position, per combination."""
    return answered(workload, axes, truth, released).error()


def answers(workload: Workload, axes: Sequence[Axis], boxes: Boxes) -> Floats:
    """Answer queries from boxes; boxes of one position, one for every combination, give the true answers."""
    total = None if workload.total_of is None else _centres(axes[workload.total_of], boxes, workload.total_of)
    columns = [_Side(axis, boxes, j) for j, axis in enumerate(axes)]
    found = np.empty(len(workload))
    for q in range(len(workload)):
        inside, share = np.arange(len(boxes.rows)), boxes.rows.astype(np.float64)
        for j, side in enumerate(columns):
            low, high = int(workload.low[q, j]), int(workload.high[q, j])
            if low > 0 or high < side.last:
                inside, share = side.restrict(inside, share, low, high)
        found[q] = share.sum() if total is None else share @ total[inside]
    return found


class _Side:
    """One attribute of all boxes."""

    def __init__(self, axis: Axis, boxes: Boxes, j: int) -> None:
        self.last = len(axis.leaves) - 1
        self._low, self._high = (np.ascontiguousarray(ends[:, j]) for ends in (boxes.low, boxes.high))

    def restrict(self, inside: Ints, share: Floats, low: int, high: int) -> tuple[Ints, Floats]:
        """Return the boxes that overlap a range, and the share of their rows in it, spread evenly."""
        lows, highs = self._low[inside], self._high[inside]
        common = np.minimum(highs, high) - np.maximum(lows, low) + 1
        hit = common > 0
        return inside[hit], share[hit] * common[hit] / (highs[hit] - lows[hit] + 1)


def _numbers(rng: np.random.Generator, axis: Axis, queries: int) -> tuple[Ints, Ints]:
    known = int(np.count_nonzero(axis.shares <= 1))
    ends = np.sort(rng.integers(0, known, (queries, 2)), axis=1)
    return ends[:, 0], ends[:, 1]


def _values(rng: np.random.Generator, axis: Axis, queries: int) -> tuple[Ints, Ints]:
    """Single leaves, or the leaves under inner values, where the tree has any."""
    leaves = rng.integers(0, len(axis.leaves), queries)
    inner = [
        (int(np.argmax(codes == value)), int(np.count_nonzero(codes == value)))
        for codes in axis.hierarchy.codes[1:-1]
        for value in range(int(codes.max()) + 1)
    ]
    inner = [(first, count) for first, count in dict.fromkeys(inner) if count > 1]
    if not inner:
        return leaves, leaves
    drawn = np.array(inner, np.int64)[rng.integers(0, len(inner), queries)]
    whole = rng.random(queries) < 0.5
    low = np.where(whole, drawn[:, 0], leaves)
    return low, np.where(whole, drawn[:, 0] + drawn[:, 1] - 1, leaves)


def _covered(axis: Axis, low: Codes, high: Codes) -> tuple[Codes, Codes]:
    """All positions that a published value covers: the leaves of an ancestor, and everything under the top."""
    if axis.numeric:
        mixed = (axis.shares[high] > 1) & (low < high)
        return np.where(mixed, 0, low), np.where(mixed, len(axis.leaves) - 1, high)
    levels, codes = axis.common_level(low.astype(np.int64), high.astype(np.int64)), axis.hierarchy.codes
    first, last = low.copy(), high.copy()
    for level in np.unique(levels).tolist():
        mine = levels == level
        values = codes[level][low[mine]]
        first[mine] = np.searchsorted(codes[level], values)
        last[mine] = np.searchsorted(codes[level], values, side="right") - 1
    return first, last


def _centres(axis: Axis, boxes: Boxes, j: int) -> Floats:
    """Estimated number of a row: the mean of all numbers between two positions; a missing value counts as 0."""
    numbers = axis.hierarchy.numbers or ()
    values = [numbers[leaf] for leaf in axis.leaves.tolist()]
    upto = np.cumsum([0.0, *(0.0 if value is None else float(value) for value in values)])
    counted = np.cumsum([0, *(value is not None for value in values)])
    low, high = boxes.low[:, j], boxes.high[:, j] + 1
    centres: Floats = (upto[high] - upto[low]) / np.maximum(counted[high] - counted[low], 1)
    return centres
