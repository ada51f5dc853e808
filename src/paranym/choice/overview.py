"""An overview of a front: its ends, its knee, and where a larger k costs little or much information."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from paranym.choice.bounds import ONE_POINT, facts, reason_to_doubt
from paranym.choice.points import price_tag, protection, what_is_lost
from paranym.errors import Unattainable
from paranym.results.assessment import TOLERANCE
from paranym.results.front import Front, Point
from paranym.wording.numbers import difference, percent, rows_of

_FLAT, _STEEP = 0.5, 2.0
"""A step is flat if a doubling of k costs at most this many times what it costs on average, steep if at least."""

_MOST_TOLD = 14
"""Of a longer list only the strongest stretches are shown."""

Kind = Literal["flat", "steep"]


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a front where a doubling of k costs far less than on average (flat), or far more (steep).

    >>> from paranym.results.front import Solution
    >>> start = Point(12, 30.0, 0.30, (Solution({"age": 2}, 0, 20.0),))
    >>> region = Region("flat", start, Point(24, 31.0, 0.31, (Solution({"age": 3}, 4, 25.0),)))
    >>> round(region.price, 9), region.phrase()
    (0.01, '12 to 24 for 1.0')
    """

    kind: Kind
    start: Point
    """The smaller k."""
    end: Point

    @property
    def more_loss(self) -> float:
        """Information loss of the whole stretch, as a fraction."""
        return self.end.loss_fraction - self.start.loss_fraction

    @property
    def price(self) -> float:
        """Information loss per doubling of k, as a fraction."""
        return price_of_doubling(self.start, self.end)

    def phrase(self) -> str:
        """Return the stretch for a list: from k to k, for percentage points of loss."""
        return f"{self.start.k:,} to {self.end.k:,} for {percent(self.more_loss).removesuffix('%')}"

    def as_dict(self) -> dict[str, Any]:
        """Return the stretch as a dictionary for JSON."""
        return {
            "from_k": self.start.k,
            "to_k": self.end.k,
            "more_loss_fraction": self.more_loss,
            "price_of_doubling": self.price,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """An overview of a front: its ends, its knee, and where a larger k costs little or much information.

    >>> import paranym as pn
    >>> from paranym.datasets import adult
    >>> overview = pn.describe(pn.frontier(pn.Problem.from_recipe(adult())))
    >>> overview.knee.k, [region.phrase() for region in overview.flat][:2]
    (9753, ['6 to 7 for 0.1', '12 to 16 for 0.2'])
    """

    front: Front = field(repr=False)
    knee: Point | None
    flat: tuple[Region, ...]
    """Where k grows much for little loss, smallest k first."""
    steep: tuple[Region, ...]
    """Where k grows little for much loss."""

    @property
    def average_price(self) -> float | None:
        """Information loss per doubling of k from end to end, as a fraction; None if all points have one k."""
        ends = _cheapest_of_each_k(self.front)
        return None if len(ends) == 1 else price_of_doubling(ends[0], ends[-1])

    def sentences(self) -> tuple[str, ...]:
        """Return the overview in plain words."""
        return tuple(self._sentences())

    def as_dict(self) -> dict[str, Any]:
        """Return the overview as a dictionary for JSON."""
        return {
            **facts(self.front),
            "most_private": self.front[0].as_dict(),
            "least_lossy": self.front[-1].as_dict(),
            "knee": self.knee and self.knee.as_dict(),
            "average_price_of_doubling": self.average_price,
            "flat": [region.as_dict() for region in self.flat],
            "steep": [region.as_dict() for region in self.steep],
            "sentences": list(self.sentences()),
        }

    def _sentences(self) -> Iterator[str]:
        front, price = self.front, self.average_price
        if len(front) == 1:
            yield f"The Pareto front has one point: {price_tag(front[0])}."
        else:
            yield (
                f"The Pareto front has {len(front)} points: from an information loss of "
                f"{percent(front[-1].loss_fraction)} of {what_is_lost(front.metric)} with {protection(front[-1].k)} "
                f"to {percent(front[0].loss_fraction)} with {protection(front[0].k)}."
            )
        if front.people is not None:
            yield f"k counts different people; the table has {front.everyone} in {front.rows:,} rows."
        most = rows_of(front.suppression_limit, front.rows)
        yield f"At most {most} may be suppressed." if front.suppression_limit else "No rows may be suppressed."
        if price is not None:
            yield f"On average, doubling k costs {difference(price)} of information loss."
            yield from self._stretches(price)
            yield self._bend()
        doubt = reason_to_doubt(front, front.suppression_limit)
        others = f"every other solution with {front.recodings} is dominated by one of its points"
        if front.is_private:
            others = f"no other solution with {front.recodings} dominates one of its points or would add one"
        sure = f"The front is complete: {others}."
        yield f"{doubt}, so better solutions may exist." if doubt else sure

    def _stretches(self, price: float) -> Iterator[str]:
        units = "from k to k, for percentage points of loss"
        if self.flat:
            yield f"Flat stretches, where a larger k costs little ({units}): {_listed(self.flat, price)}."
        if self.steep:
            yield f"Steep stretches, where a smaller k saves much ({units}): {_listed(self.steep, price)}."

    def _bend(self) -> str:
        """Return a sentence about the knee, with its definition."""
        line = "the straight line between both ends (loss against the logarithm of k)"
        if self.knee is None:
            return f"The front has no knee: no point lies below {line}."
        below = difference(depth(self.knee, self.front[0], self.front[-1]))
        return f"The knee is {price_tag(self.knee)}, {below} below {line}, farther than any other point."


def describe(front: Front) -> Overview:
    """Return an overview of the front.

    >>> import paranym as pn
    >>> from paranym.datasets import adult
    >>> describe(pn.frontier(pn.Problem.from_recipe(adult()))).sentences()[2]
    'On average, doubling k costs 6.7 percentage points of information loss.'
    """
    if not front.points:
        raise Unattainable("The front has no points, so there is nothing to describe.")
    found = regions(front)
    return Overview(
        front=front,
        knee=knee(front),
        flat=tuple(region for region in found if region.kind == "flat"),
        steep=tuple(region for region in found if region.kind == "steep"),
    )


def knee(points: Iterable[Point]) -> Point | None:
    """Return the point farthest below the line between the ends, on axes of log k and loss; None if none is below.

    Neither the base of the logarithm nor the scale of an axis changes the result.
    """
    points = tuple(points)
    below = {depth(point, points[0], points[-1]): point for point in reversed(points[1:-1])}  # ties: the largest k
    deepest = max(below, default=0.0)
    return below[deepest] if deepest > TOLERANCE else None


def regions(points: Iterable[Point]) -> tuple[Region, ...]:
    """Return the flat and the steep stretches, smallest k first.

    A step to the next point is flat if a doubling of k costs at most half of the average there, and steep if it costs
    at least twice the average. Adjacent steps of the same kind form a stretch, which counts if it costs at least one
    percentage point less, or more, than its doublings would at the average price.
    """
    ascending = _cheapest_of_each_k(points)
    if len(ascending) < 2:
        return ()
    average = price_of_doubling(ascending[0], ascending[-1])
    found = []
    for kind, run in itertools.groupby(itertools.pairwise(ascending), key=lambda step: _kind(step, average)):
        steps = tuple(run)
        if kind is not None:
            found.append(Region(kind, steps[0][0], steps[-1][1]))
    return tuple(region for region in found if _strength(region, average) >= ONE_POINT)


def _cheapest_of_each_k(points: Iterable[Point]) -> tuple[Point, ...]:
    """Return the point of least loss for each k, smallest k first. With further objectives, points may share a k."""
    found: dict[float, Point] = {}
    for point in points:
        doublings = math.log2(point.k)  # beyond 2^53, neighbours have the same logarithm
        if doublings not in found or point.loss_fraction < found[doublings].loss_fraction:
            found[doublings] = point
    return tuple(found[doublings] for doublings in sorted(found))


def price_of_doubling(start: Point, end: Point) -> float:
    """Return the information loss per doubling of k between two points, which differ in k."""
    return (end.loss_fraction - start.loss_fraction) / (math.log2(end.k) - math.log2(start.k))


def depth(point: Point, first: Point, last: Point) -> float:
    """Return how far the loss is below the straight line between two points, over log k."""
    share = math.log(point.k / last.k) / math.log(first.k / last.k) if first.k > last.k else 0.0
    return last.loss_fraction + share * (first.loss_fraction - last.loss_fraction) - point.loss_fraction


def _kind(step: tuple[Point, Point], average: float) -> Kind | None:
    price = price_of_doubling(*step)
    if price <= _FLAT * average:
        return "flat"
    return "steep" if price >= _STEEP * average else None


def _strength(region: Region, average: float) -> float:
    """Return the difference between the cost of a stretch and its cost at the average price."""
    return abs(region.price - average) * math.log2(region.end.k / region.start.k)


def _listed(found: Sequence[Region], average: float) -> str:
    """Return the stretches as a list; if there are many, the strongest."""
    strongest = sorted(found, key=lambda region: -_strength(region, average))[:_MOST_TOLD]
    left = len(found) - len(strongest)
    return ", ".join(region.phrase() for region in found if region in strongest) + (f" and {left} more" if left else "")
