"""How well a release answers counting and adding: random queries, as in section 5.1 of the utility-based paper.

A query asks how many rows lie in a range of every attribute it names, or what a numeric attribute of theirs adds up to.
Whoever has only the release takes the rows of a class as spread evenly over the values that its published value covers.
The error of a query is |estimate - truth| / truth; queries whose truth is zero have none and are told apart.
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
"""How many usually are asked."""
AT_ONCE = 3
"""How many attributes a query restricts: of queries about many, hardly any has a true answer other than zero."""
_WORK = 20_000_000
"""Of very many combinations fewer queries are asked, so that all together look at about so many."""
_LEAST = 100


@dataclass(frozen=True, slots=True, eq=False)
class Workload:
    """Queries as intervals of positions."""

    low: Ints
    """(queries, attributes)"""
    high: Ints
    total_of: int | None = None
    """The attribute that is added up; None: rows are counted."""

    def __len__(self) -> int:
        return len(self.low)


@dataclass(frozen=True, slots=True, eq=False)
class Boxes:
    """Rows that are somewhere between two positions of every attribute."""

    low: Codes
    high: Codes
    rows: Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryError:
    """How far the answers of a release are off."""

    queries: int
    zero: int
    """Queries whose true answer is zero; the others make up the error."""
    mean: float | None
    """The mean relative error; None if every true answer is zero."""
    median: float | None
    mean_at_zero: float | None
    """What is answered on average where the truth is zero."""

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
    """Random queries about some attributes, or all but the one that is added up.

    Of numbers a range between two that are drawn; of categories, with equal chances, one value or all under a value of
    a level between the leaves and the top. Attributes that are not named are not restricted; with `at_once`, every
    query restricts so many of them, drawn at random.
    """
    if total_of is not None and not axes[total_of].numeric:
        raise BadInput(f"Only numbers can be added up; {axes[total_of].hierarchy.attribute!r} has none.")
    rng = np.random.default_rng(seed)
    asked = set(range(len(axes)) if attributes is None else attributes) - {total_of}
    low = np.zeros((queries, len(axes)), np.int64)
    high = np.broadcast_to([len(axis.leaves) - 1 for axis in axes], low.shape).copy()
    turn = np.argsort(rng.random((queries, len(asked))), axis=1)
    for place, j in enumerate(sorted(asked)):
        drawn = _numbers(rng, axes[j], queries) if axes[j].numeric else _values(rng, axes[j], queries)
        mine = turn[:, place] < (len(asked) if at_once is None else at_once)
        low[mine, j], high[mine, j] = drawn[0][mine], drawn[1][mine]
    return Workload(low, high, total_of)


def usual_workload(axes: Sequence[Axis], *, combinations: int = 0, seed: int = 0) -> Workload:
    """1,000 counting queries about three attributes each; fewer where there are very many combinations to look at."""
    queries = min(QUERIES, max(_LEAST, _WORK // max(combinations, 1)))
    return draw_workload(axes, queries=queries, at_once=min(AT_ONCE, len(axes)), seed=seed)


def boxes_of_labels(axes: Sequence[Axis], labelled: Sequence[NDArray[np.integer]], classes: Ints, rows: Ints) -> Boxes:
    """What classes of published labels tell about their rows, be the labels of a level or of a cut.

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
    """What a local recoding tells about its rows."""
    if recoding.style in (Style.MEAN, Style.MEDIAN):
        raise BadInput(f"Queries are answered from ranges; what is published here is a {recoding.style}.")
    low, high = (ends.copy() for ends in recoding.box)
    for j, axis in enumerate(recoding.axes):
        low[:, j], high[:, j] = _told(axis, low[:, j], high[:, j])
    return Boxes(low, high, recoding.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What queries truly come to, and what the release says."""

    true: Floats
    told: Floats

    def error(self, *, least: float = 0.0) -> QueryError:
        """How far they are off, all of them or those that truly come to at least so much.

        >>> Answers(np.array([0.0, 2.0, 100.0]), np.array([1.0, 3.0, 90.0])).error(least=50).mean
        0.1
        """
        mine = self.true >= least
        true, told = self.true[mine], self.told[mine]
        real = true > 0
        errors = np.abs(told[real] - true[real]) / true[real]
        return QueryError(
            queries=len(true),
            zero=int(np.count_nonzero(~real)),
            mean=float(errors.mean()) if len(errors) else None,
            median=float(np.median(errors)) if len(errors) else None,
            mean_at_zero=float(told[~real].mean()) if not real.all() else None,
        )


def answered(workload: Workload, axes: Sequence[Axis], truth: Boxes, released: Boxes) -> Answers:
    """Queries answered from the truth, which has a box of one position for every combination, and from a release."""
    return Answers(_answers(workload, axes, truth), _answers(workload, axes, released))


def query_error(workload: Workload, axes: Sequence[Axis], truth: Boxes, released: Boxes) -> QueryError:
    """How far answers from the released boxes are off; `truth` has a box for every combination, of one position."""
    return answered(workload, axes, truth, released).error()


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


def _told(axis: Axis, low: Codes, high: Codes) -> tuple[Codes, Codes]:
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


def _answers(workload: Workload, axes: Sequence[Axis], boxes: Boxes) -> Floats:
    length = (boxes.high - boxes.low + 1).astype(np.float64)
    total = None if workload.total_of is None else _centres(axes[workload.total_of], boxes, workload.total_of)
    asked = [j for j in range(len(axes)) if (workload.low[:, j] > 0).any() or _is_cut(workload, axes, j)]
    answers = np.empty(len(workload))
    for q in range(len(workload)):
        share = boxes.rows.astype(np.float64)
        for j in asked:
            inside = np.minimum(boxes.high[:, j], workload.high[q, j]) - np.maximum(boxes.low[:, j], workload.low[q, j])
            share *= np.maximum(inside + 1, 0) / length[:, j]
        answers[q] = share.sum() if total is None else share @ total
    return answers


def _is_cut(workload: Workload, axes: Sequence[Axis], j: int) -> bool:
    return bool((workload.high[:, j] < len(axes[j].leaves) - 1).any())


def _centres(axis: Axis, boxes: Boxes, j: int) -> Floats:
    """What the number of a row is taken for: the mean of all numbers between two positions; a missing one adds 0."""
    numbers = axis.hierarchy.numbers or ()
    values = [numbers[leaf] for leaf in axis.leaves.tolist()]
    upto = np.cumsum([0.0, *(0.0 if value is None else float(value) for value in values)])
    counted = np.cumsum([0, *(value is not None for value in values)])
    low, high = boxes.low[:, j], boxes.high[:, j] + 1
    centres: Floats = (upto[high] - upto[low]) / np.maximum(counted[high] - counted[low], 1)
    return centres
