"""What a front looks like: its ends, its knee, and where k is cheap and where it is dear."""

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from paranym.choice.known import ONE_POINT, facts, reason_to_doubt
from paranym.choice.wording import alike, difference, percent, price_tag, rows_of, what_is_lost
from paranym.errors import Unattainable
from paranym.model.assessment import TOLERANCE
from paranym.model.front import Front, Point

_FLAT, _STEEP = 0.5, 2.0
"""A step is flat if a doubling of k costs at most this many times what it costs on average, steep if at least."""

_MOST_TOLD = 14
"""Of longer lists the strongest stretches are told."""

Kind = Literal["flat", "steep"]


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of a front where a doubling of k costs far less than on average (flat), or far more (steep).

    >>> from paranym.model.front import Solution
    >>> start = Point(12, 30.0, 0.30, (Solution({"age": 2}, 0, 20.0),))
    >>> region = Region("flat", start, Point(24, 31.0, 0.31, (Solution({"age": 3}, 4, 25.0),)))
    >>> round(region.price, 9), region.phrase()
    (0.01, '12 to 24 for 1.00')
    """

    kind: Kind
    start: Point
    """The smaller k."""
    end: Point

    @property
    def more_loss(self) -> float:
        """What the whole stretch costs, as a fraction."""
        return self.end.loss_fraction - self.start.loss_fraction

    @property
    def price(self) -> float:
        """What a doubling of k costs here, as a fraction."""
        return price_of_doubling(self.start, self.end)

    def phrase(self) -> str:
        """From k to k for percentage points of loss, to stand in a list."""
        return f"{self.start.k:,} to {self.end.k:,} for {percent(self.more_loss).removesuffix('%')}"

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "from_k": self.start.k,
            "to_k": self.end.k,
            "more_loss_fraction": self.more_loss,
            "price_of_doubling": self.price,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What a front looks like: its ends, its knee, and where k is cheap and where it is dear.

    >>> import paranym as pn
    >>> from paranym.datasets import adult
    >>> overview = pn.describe(pn.frontier(pn.Problem.from_recipe(adult())))
    >>> overview.knee.k, [region.phrase() for region in overview.flat][:2]
    (9753, ['6 to 7 for 0.14', '12 to 16 for 0.25'])
    """

    front: Front = field(repr=False)
    knee: Point | None
    flat: tuple[Region, ...]
    """Where k grows much for little loss, smallest k first."""
    steep: tuple[Region, ...]
    """Where k grows little for much loss."""

    @property
    def average_price(self) -> float | None:
        """What a doubling of k costs from one end to the other, as a fraction; None if there is one point only."""
        return None if len(self.front) == 1 else price_of_doubling(self.front[-1], self.front[0])

    def sentences(self) -> tuple[str, ...]:
        """The front in plain words."""
        return tuple(self._told())

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
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

    def _told(self) -> Iterator[str]:
        front, price = self.front, self.average_price
        if price is None:
            yield f"There is one choice only: {price_tag(front[0])}."
        else:
            yield (
                f"There are {len(front)} choices, from a loss of {percent(front[-1].loss_fraction)} of "
                f"{what_is_lost(front.metric)}, with {alike(front[-1].k)}, to {percent(front[0].loss_fraction)}, "
                f"with {alike(front[0].k)}."
            )
        most = rows_of(front.suppression_limit, front.rows)
        yield f"At most {most} may be left out." if front.suppression_limit else "No row may be left out."
        if price is not None:
            yield f"On average, twice as many alike cost {difference(price)} more loss."
            yield from self._stretches(price)
            yield self._bend()
        doubt = reason_to_doubt(front, front.suppression_limit)
        beaten = "it" if len(front) == 1 else "any of them"
        yield f"{doubt}, so that better choices may exist." if doubt else f"No other generalization beats {beaten}."

    def _stretches(self, price: float) -> Iterator[str]:
        units = "from k to k, for points of loss"
        if self.flat:
            yield f"Flat stretches, where it costs little to go up ({units}): {_listed(self.flat, price)}."
        if self.steep:
            yield f"Steep stretches, where it saves much to go down ({units}): {_listed(self.steep, price)}."

    def _bend(self) -> str:
        """The knee, by its definition."""
        line = "the straight line between both ends (loss against the logarithm of k)"
        if self.knee is None:
            return f"The front has no knee: no choice lies below {line}."
        below = difference(depth(self.knee, self.front[0], self.front[-1]))
        return f"The knee is {price_tag(self.knee)}, {below} below {line}, farther than any other choice."


def describe(front: Front) -> Overview:
    """What the front looks like, for somebody who has no question yet.

    >>> import paranym as pn
    >>> from paranym.datasets import adult
    >>> describe(pn.frontier(pn.Problem.from_recipe(adult()))).sentences()[2]
    'On average, twice as many alike cost 6.72 points more loss.'
    """
    if not front.points:
        raise Unattainable("The front holds no point: there is nothing to describe.")
    found = regions(front)
    return Overview(
        front=front,
        knee=knee(front),
        flat=tuple(region for region in found if region.kind == "flat"),
        steep=tuple(region for region in found if region.kind == "steep"),
    )


def knee(points: Iterable[Point]) -> Point | None:
    """The point farthest below the straight line between the ends, on axes of log k and loss; None if none is below.

    Neither the base of the logarithm nor the scale of an axis changes which one that is.
    """
    points = tuple(points)
    below = {depth(point, points[0], points[-1]): point for point in reversed(points[1:-1])}  # of equals the best k
    deepest = max(below, default=0.0)
    return below[deepest] if deepest > TOLERANCE else None


def regions(points: Iterable[Point]) -> tuple[Region, ...]:
    """The flat and the steep stretches, smallest k first.

    A step to the next point is flat if a doubling of k costs there half of what it costs on average or less, and steep
    if it costs twice that or more. Neighbouring steps of a kind make a stretch, which counts if it costs at least one
    percentage point less, or more, than its doublings do on average.
    """
    ascending = tuple(points)[::-1]
    if len(ascending) < 2:
        return ()
    average = price_of_doubling(ascending[0], ascending[-1])
    found = []
    for kind, run in itertools.groupby(itertools.pairwise(ascending), key=lambda step: _kind(step, average)):
        steps = tuple(run)
        if kind is not None:
            found.append(Region(kind, steps[0][0], steps[-1][1]))
    return tuple(region for region in found if _strength(region, average) >= ONE_POINT)


def price_of_doubling(start: Point, end: Point) -> float:
    """What a doubling of k costs between two points."""
    return (end.loss_fraction - start.loss_fraction) / math.log2(end.k / start.k)


def depth(point: Point, first: Point, last: Point) -> float:
    """How much less is lost than on the straight line between two points, over log k."""
    share = math.log(point.k / last.k) / math.log(first.k / last.k) if first.k > last.k else 0.0
    return last.loss_fraction + share * (first.loss_fraction - last.loss_fraction) - point.loss_fraction


def _kind(step: tuple[Point, Point], average: float) -> Kind | None:
    price = price_of_doubling(*step)
    if price <= _FLAT * average:
        return "flat"
    return "steep" if price >= _STEEP * average else None


def _strength(region: Region, average: float) -> float:
    """How much less or more a stretch costs than it would at the average price."""
    return abs(region.price - average) * math.log2(region.end.k / region.start.k)


def _listed(found: Sequence[Region], average: float) -> str:
    """The stretches as a list; of many the strongest."""
    strongest = sorted(found, key=lambda region: -_strength(region, average))[:_MOST_TOLD]
    left = len(found) - len(strongest)
    return ", ".join(region.phrase() for region in found if region in strongest) + (f" and {left} more" if left else "")
