"""A Pareto front, and what is known about its completeness."""

import html
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from paranym.errors import MissingExtra
from paranym.model.cuts import Cut
from paranym.results.assessment import TOLERANCE, Assessments
from paranym.results.division import CutCertificate
from paranym.results.objectives import Objectives
from paranym.wording.numbers import counted, magnitude, percent, tabulated

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


class AttributeLevels(Mapping[str, int]):
    """A read-only mapping from attributes to levels. Unlike a proxy of a dictionary, it can be copied and pickled.

    >>> AttributeLevels({"age": 2, "sex": 0})["age"]
    2
    """

    __slots__ = ("_levels",)

    def __init__(self, levels: Mapping[str, int]) -> None:
        self._levels = dict(levels)

    def __getitem__(self, attribute: str) -> int:
        return self._levels[attribute]

    def __iter__(self) -> Iterator[str]:
        return iter(self._levels)

    def __len__(self) -> int:
        return len(self._levels)

    def __hash__(self) -> int:
        return hash(frozenset(self._levels.items()))

    def __repr__(self) -> str:
        return repr(self._levels)


@dataclass(frozen=True, slots=True)
class Solution:
    """A node of the lattice, with the number of rows suppressed there to achieve the k of its point.

    >>> Solution({"age": 2, "sex": 0}, suppressed=3, weighted_k=17.5).as_dict()
    {'levels': {'age': 2, 'sex': 0}, 'suppressed': 3, 'weighted_k': 17.5}
    """

    levels: Mapping[str, int]
    suppressed: int
    """Number of suppressed rows."""
    weighted_k: float
    """Expected class size of a row, before suppression."""
    cuts: Mapping[str, Cut] | None = field(default=None, hash=False)
    """The cut of each quasi-identifier, where it is not published at a level; `levels` is empty then."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "levels", AttributeLevels(self.levels))

    @property
    def recoded(self) -> dict[str, Any]:
        """Return the recoding of the quasi-identifiers, for JSON."""
        if self.cuts is not None:
            return {"cuts": {name: cut.as_dict() for name, cut in self.cuts.items()}}
        return {"levels": dict(self.levels)}

    def as_dict(self) -> dict[str, Any]:
        """Return the solution as a dictionary for JSON."""
        return {**self.recoded, "suppressed": self.suppressed, "weighted_k": self.weighted_k}


@dataclass(frozen=True, slots=True)
class Point:
    """A Pareto-optimal pair of k and loss, and the solutions that achieve it.

    >>> point = Point(5, 12.0, 0.25, (Solution({"age": 2}, 0, 9.0), Solution({"age": 3}, 1, 9.5)))
    >>> point.levels, point.suppressed, len(point.alternatives)
    ({'age': 2}, 0, 1)
    """

    k: int
    loss: float
    loss_fraction: float
    solutions: tuple[Solution, ...]
    """At least one; the first suppresses fewest rows."""
    values: Mapping[str, float] = field(default_factory=dict)
    """The values of further objectives."""

    @property
    def levels(self) -> Mapping[str, int]:
        """The level to which each quasi-identifier is generalized."""
        return self.solutions[0].levels

    @property
    def cuts(self) -> Mapping[str, Cut] | None:
        """The cut of each quasi-identifier, where it is not published at a level of its hierarchy."""
        return self.solutions[0].cuts

    @property
    def suppressed(self) -> int:
        """Number of suppressed rows."""
        return self.solutions[0].suppressed

    @property
    def weighted_k(self) -> float:
        """Expected class size of a row, before suppression."""
        return self.solutions[0].weighted_k

    @property
    def alternatives(self) -> tuple[Solution, ...]:
        """The other solutions with the same k and loss."""
        return self.solutions[1:]

    def as_dict(self) -> dict[str, Any]:
        """Return the point as a dictionary for JSON."""
        return {
            "k": self.k,
            "loss": self.loss,
            "loss_fraction": self.loss_fraction,
            "suppressed": self.suppressed,
            "weighted_k": self.weighted_k,
            **{name: value if math.isfinite(value) else None for name, value in self.values.items()},
            **self.solutions[0].recoded,
            "alternatives": [solution.as_dict() for solution in self.alternatives],
        }


@dataclass(frozen=True, slots=True)
class Corner:
    """A bound on the solutions in some part of the lattice: at most this k, at least this loss.

    >>> Corner(k=50, loss=12.0, loss_fraction=0.25).as_dict()
    {'k': 50, 'loss': 12.0, 'loss_fraction': 0.25}
    """

    k: int
    loss: float
    loss_fraction: float

    @classmethod
    def of(cls, point: Point) -> "Corner":
        """Return the bound that a point itself gives."""
        return cls(point.k, point.loss, point.loss_fraction)

    def as_dict(self) -> dict[str, Any]:
        """Return the bound as a dictionary for JSON."""
        return {"k": self.k, "loss": self.loss, "loss_fraction": self.loss_fraction}


_NOTICE = "Keep this file private: it holds values of the original table, rare ones included. Do not publish it."


def hypervolume(corners: Iterable[Point | Corner], rows: int) -> float:
    """Return the share of the plane of log k (1 to `rows`) and loss (0 to 1) that `corners` weakly dominate.

    >>> hypervolume([Corner(k=100, loss=1.0, loss_fraction=1.0), Corner(k=10, loss=0.25, loss_fraction=0.25)], 100)
    0.375
    """
    area, height = 0.0, 0.0
    for corner in sorted(corners, key=lambda corner: -corner.k):
        gained = max(1 - corner.loss_fraction - height, 0.0)
        area += gained * math.log(corner.k)
        height += gained
    return area / math.log(rows) if rows > 1 else height


def _each_once(solutions: Iterable[Solution]) -> tuple[Solution, ...]:
    """In their order; several sets of suppressed classes of a node may give the same solution."""
    return tuple(dict.fromkeys(solutions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """A Pareto front between k and information loss, largest k first.

    >>> import paranym as pn
    >>> from paranym.datasets import adult
    >>> front = pn.frontier(pn.Problem.from_recipe(adult()))
    >>> len(front), front.complete, front[-2].k, front[-2].suppressed
    (52, True, 2, 263)
    """

    method: str
    complete: bool
    """True if every other node of the lattice is proved to be dominated. For cuts: if no cut dominates a point or would
    add one; other cuts may share the points."""
    points: tuple[Point, ...]
    lattice_nodes: int
    evaluated_nodes: int
    rows: int
    metric: str
    suppression_use: str
    suppression_limit: int
    """Number of rows that may be suppressed."""
    heights: Mapping[str, int]
    """The top level of each quasi-identifier."""
    decided_nodes: int
    """Nodes that were evaluated or proved to be dominated; all nodes if the front is complete."""
    objectives: tuple[str, ...] = ("k", "loss")
    """The names of the objectives."""
    demands: str | None = None
    """The privacy requirements that every solution meets, in words."""
    suppression_searched: bool = False
    """True if the classes to suppress are a choice, because a requirement compares classes with the released rows: if
    the front is `complete`, its points are then optimal over all sets of suppressed classes as well."""
    unit: str = "row"
    """The unit of k: rows, or different people ("person")."""
    people: int | None = None
    """All different people of the table, if these are counted."""
    floor: Mapping[str, int] | None = None
    """The node that was counted, where counts at the bottom of the lattice would not have fit in memory."""
    possible: tuple[Corner, ...] | None = None
    """Bounds: one of these weakly dominates every solution of the lattice. They are the points themselves if the front
    is complete; None if the method proves nothing about nodes that it did not evaluate."""
    certificate: Assessments | None = field(default=None, compare=False, repr=False)
    """The evaluated nodes, where these are not all: `verify_front` checks the proof of completeness from them."""

    start: str | None = None
    """The starting point of the evolution, in words."""
    cut_certificate: CutCertificate | None = field(default=None, compare=False, repr=False)
    """Of a complete front of cuts, how the search space was divided: `verify_front` checks the proof from it."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "heights", AttributeLevels(self.heights))

    @staticmethod
    def points_of(found: Assessments, attributes: tuple[str, ...], worst: float) -> tuple[Point, ...]:
        """Group solutions that share a point; `found` must be Pareto-optimal."""
        rows = zip(
            found.k.tolist(),
            found.loss.tolist(),
            found.suppressed.tolist(),
            found.weighted_k.tolist(),
            found.levels.tolist(),
            strict=True,
        )
        points = []
        for k, group in itertools.groupby(rows, key=lambda row: row[0]):
            shared = sorted(group, key=lambda row: (row[2], row[4]))
            loss = min(row[1] for row in shared)
            achieved = _each_once(
                Solution(dict(zip(attributes, levels, strict=True)), suppressed, weighted_k)
                for _, _, suppressed, weighted_k, levels in shared
            )
            points.append(Point(k, loss, loss / worst if worst else 0.0, achieved))
        return tuple(points)

    @staticmethod
    def many_points_of(
        found: Assessments, attributes: tuple[str, ...], worst: float, objectives: Objectives
    ) -> tuple[Point, ...]:
        """Group solutions that share a point, for more than two objectives."""
        points = []
        for shared in objectives.groups(found):
            one = found[shared]
            achieved = _each_once(
                Solution(dict(zip(attributes, levels, strict=True)), suppressed, weighted_k)
                for levels, suppressed, weighted_k in zip(
                    one.levels.tolist(), one.suppressed.tolist(), one.weighted_k.tolist(), strict=True
                )
            )
            values = {each.name: float(each.of(one)[0]) for each in objectives.listed if each.name not in ("k", "loss")}
            loss = float(one.loss[0])
            points.append(Point(int(one.k[0]), loss, loss / worst if worst else 0.0, achieved, values))
        return tuple(points)

    def __len__(self) -> int:
        return len(self.points)

    def __iter__(self) -> Iterator[Point]:
        return iter(self.points)

    def __getitem__(self, index: int) -> Point:
        return self.points[index]

    @property
    def recodings(self) -> str:
        """The family of recodings that was searched, in words: the front is complete within this family only."""
        with_cuts = any(solution.cuts is not None for point in self.points for solution in point.solutions)
        return "cuts of the hierarchies" if with_cuts else "one level per column"

    @property
    def further(self) -> tuple[str, ...]:
        """The objectives other than k, loss and the number of suppressed rows."""
        return tuple(name for name in self.objectives if name not in ("k", "suppression", "loss"))

    @property
    def hypervolume(self) -> float:
        """The share of the plane of log k and loss that the points weakly dominate."""
        return hypervolume(self.points, self.largest_k)

    @property
    def everyone(self) -> str:
        """The rows of the table, or its people if these are counted, as a number in words."""
        return counted(self.rows, "row") if self.people is None else counted(self.people, "person", "people")

    @property
    def largest_k(self) -> int:
        """The largest k that there can be: all rows, or all people if these are counted."""
        return self.rows if self.people is None else self.people

    @property
    def possible_hypervolume(self) -> float | None:
        """An upper bound on the hypervolume of the complete front; None if there is no bound."""
        return None if self.possible is None else hypervolume(self.possible, self.largest_k)

    def limit_on_k(self, loss_fraction: float) -> int:
        """Return the largest k that a solution with at most this loss can have, as far as is proved."""
        if self.possible is None:
            return self.largest_k
        return max((corner.k for corner in self.possible if corner.loss_fraction <= loss_fraction), default=0)

    def bound_at(self, k: int) -> Corner | None:
        """Return the least loss that any solution with at least this k can have, as far as is proved.

        None if nothing is proved, or if there are more objectives than k and loss.

        >>> from paranym.datasets import adult
        >>> from paranym.problem import Problem
        >>> from paranym.solve.fronts import frontier
        >>> front = frontier(Problem.from_recipe(adult()))
        >>> front.bound_at(16).loss == front.within(min_k=16)[-1].loss
        True
        """
        if set(self.objectives) != {"k", "loss"}:
            return None
        known = tuple(map(Corner.of, self.points)) if self.complete else self.possible or ()
        return min((corner for corner in known if corner.k >= k), key=lambda corner: corner.loss, default=None)

    def is_proved(self, point: Point) -> bool:
        """Return whether no solution with at least the k of the point has a smaller loss."""
        bound = self.bound_at(point.k)
        return bound is not None and point.loss - bound.loss <= 2 * TOLERANCE * abs(point.loss)

    @property
    def gap(self) -> float | None:
        """The largest distance of a point's loss from its bound, as a fraction; None if nothing is proved."""
        bounds = [self.bound_at(point.k) for point in self.points]
        if any(bound is None for bound in bounds):
            return None
        return max(
            (
                0.0 if self.is_proved(point) else point.loss_fraction - bound.loss_fraction
                for point, bound in zip(self.points, bounds, strict=True)
                if bound is not None
            ),
            default=0.0,
        )

    @property
    def is_private(self) -> bool:
        """True if the front holds values of the original table: a cut lists them, rare ones included; levels do not."""
        return any(solution.cuts is not None for point in self.points for solution in point.solutions)

    @property
    def marking(self) -> dict[str, Any]:
        """Return the first keys of every document that is made of this front: whether it must be kept private."""
        return {"private": True, "notice": _NOTICE} if self.is_private else {"private": False}

    def as_dict(self) -> dict[str, Any]:
        """Return the front as a dictionary for JSON."""
        return {
            "method": self.method,
            **self.marking,
            "complete": self.complete,
            "lattice_nodes": self.lattice_nodes,
            "evaluated_nodes": self.evaluated_nodes,
            "decided_nodes": self.decided_nodes,
            "rows": self.rows,
            "unit": self.unit,
            **({} if self.people is None else {"people": self.people}),
            "metric": self.metric,
            "objectives": list(self.objectives),
            "demands": self.demands,
            "suppression_use": self.suppression_use,
            "suppression_limit": self.suppression_limit,
            "suppression_searched": self.suppression_searched,
            "heights": dict(self.heights),
            "hypervolume": self.hypervolume,
            "possible_hypervolume": self.possible_hypervolume,
            **({} if self.floor is None else {"floor": dict(self.floor)}),
            **({} if self.start is None else {"start": self.start}),
            "recoding": "cuts" if self.is_private else "levels",
            "gap": self.gap,
            "points": [self._point_as_dict(point) for point in self.points],
            "possible": None if self.possible is None else [corner.as_dict() for corner in self.possible],
        }

    def _point_as_dict(self, point: Point) -> dict[str, Any]:
        bound = self.bound_at(point.k)
        known = {
            "bound": None if bound is None else bound.loss,
            "bound_fraction": None if bound is None else bound.loss_fraction,
            "proved": self.is_proved(point),
        }
        return {**point.as_dict(), **known}

    def to_arrow(self) -> "pa.Table":
        """Return a table, one row per point: the level of attribute A as `level.A`, the bits of its cut as `cut.A`."""
        import pyarrow as pa  # noqa: PLC0415 - slow to import, and rarely needed

        columns: dict[str, list[Any]] = {
            "k": [point.k for point in self],
            "loss": [point.loss for point in self],
            "loss_fraction": [point.loss_fraction for point in self],
            "suppressed": [point.suppressed for point in self],
            "weighted_k": [point.weighted_k for point in self],
            **{name: [point.values[name] for point in self] for name in self.further},
        }
        for name in self.heights:
            columns[f"level.{name}"] = [point.levels[name] for point in self]
        for name in (self.points[0].cuts or {}) if self.points else {}:
            columns[f"cut.{name}"] = [point.cuts[name].bits for point in self if point.cuts is not None]
        columns["alternatives"] = [len(point.alternatives) for point in self]
        return pa.table(columns)

    def to_pandas(self) -> "pd.DataFrame":
        """Return the table of `to_arrow` as a pandas data frame."""
        try:
            import pandas  # noqa: F401, ICN001, PLC0415 - only to name the package to install
        except ImportError as error:
            raise MissingExtra("pandas", "pandas") from error
        frame: pd.DataFrame = self.to_arrow().to_pandas()
        return frame

    def summary(self) -> str:
        """Return one sentence about the front."""
        known = "complete" if self.complete else self._gap()
        share = percent(self.suppression_limit / self.rows)
        return (
            f"{counted(len(self), 'point')}, {known}; {self.evaluated_nodes:,} of {self._space_in_words()} evaluated "
            f"({self.method}), {counted(self.rows, 'row')}, loss {self.metric}, "
            f"at most {counted(self.suppression_limit, 'row')} suppressed ({share})"
            + (f"; all have {self.demands}" if self.demands else "")
            + self._sets_in_words()
            + (f"; started from {self.start}" if self.start else "")
        )

    def _sets_in_words(self) -> str:
        """Return over which sets of suppressed classes the points are optimal; nothing if there is no choice."""
        if not self.suppression_searched:
            return ""
        if self.complete:
            return "; optimal over all sets of suppressed classes"
        return "; not proved optimal over all sets of suppressed classes"

    def _space_in_words(self) -> str:
        """Return the size of the search space in words: nodes of a lattice, or cuts, which may be very many."""
        cuts = bool(self.points) and self.points[0].cuts is not None
        return f"{magnitude(self.lattice_nodes)} {'cuts' if cuts else 'nodes'}"

    def _gap(self) -> str:
        if self.possible_hypervolume is None:
            return "not proved complete"
        share = self.hypervolume / self.possible_hypervolume if self.possible_hypervolume else 1.0
        return f"not complete (at least {math.floor(share * 1000) / 1000:.1%} of the possible hypervolume)"

    def __repr__(self) -> str:
        further = "".join(f"{name:>{max(len(name), 8)}}  " for name in self.further)
        header = f"{'k':>9}  {'loss':>8}  {'suppressed':>10}  {further}levels ({', '.join(self.heights)})"
        lines = [
            f"{point.k:>9,}  {tabulated(point.loss_fraction):>8}  {point.suppressed:>10,}  "
            f"{''.join(f'{point.values[name]:>{max(len(name), 8)}.4g}  ' for name in self.further)}"
            f"{' '.join(map(str, point.levels.values()))}"
            for point in self
        ]
        return "\n".join([self.summary(), header, *lines])

    def _repr_html_(self) -> str:
        names = ["k", "loss", "suppressed", *self.further, *self.heights]
        head = "".join(f"<th>{html.escape(name)}</th>" for name in names)
        body = "".join(
            f"<tr><td>{point.k:,}</td><td>{tabulated(point.loss_fraction)}</td><td>{point.suppressed:,}</td>"
            + "".join(f"<td>{point.values[name]:.4g}</td>" for name in self.further)
            + "".join(f"<td>{level}</td>" for level in point.levels.values())
            + "</tr>"
            for point in self
        )
        return f"<p>{html.escape(self.summary())}</p><table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def within(
        self, *, max_loss: float | None = None, min_k: int | None = None, max_suppressed: int | None = None
    ) -> tuple[Point, ...]:
        """Return the points within all limits (loss as a fraction, k, suppressed rows), largest k first.

        Only the solutions of a point that keep the suppression limit remain. The front of a problem with a smaller
        suppression limit may have further points: those dominated here by solutions that suppress more rows.

        >>> from paranym.datasets import adult
        >>> from paranym.problem import Problem
        >>> from paranym.solve.fronts import frontier
        >>> front = frontier(Problem.from_recipe(adult()))
        >>> [(point.k, point.suppressed) for point in front.within(max_loss=0.4, min_k=14, max_suppressed=290)]
        [(16, 288), (15, 273)]
        """
        most = math.inf if max_loss is None else max_loss * (1 + TOLERANCE)
        rows = self.rows if max_suppressed is None else max_suppressed
        narrowed = (
            replace(point, solutions=tuple(each for each in point.solutions if each.suppressed <= rows))
            for point in self
            if point.loss_fraction <= most and point.k >= (min_k or 1)
        )
        return tuple(point for point in narrowed if point.solutions)
