"""The schema of a front that was saved as JSON."""

import itertools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from paranym.model.cuts import Cut
from paranym.results.front import Corner, Front, Point, Solution
from paranym.saved.checking import Amount, Count, Figure, Positive, Saved, checked, read_saved

_CALLED = "front"


class CutFile(Saved):
    """The cut of one attribute."""

    bits: str = Field(pattern="^[01]*$")
    values: list[str | None]


class SolutionFile(Saved):
    """A recoding with its suppressed rows."""

    levels: dict[str, Count] | None = None
    cuts: dict[str, CutFile] | None = None
    suppressed: Count
    weighted_k: Amount

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.levels is None and self.cuts is None:
            raise ValueError("there are neither levels nor cuts")
        return self

    def solution(self) -> Solution:
        """Return the solution."""
        cuts = None
        if self.cuts is not None:
            cuts = {name: Cut(cut.bits, tuple(cut.values)) for name, cut in self.cuts.items()}
        return Solution(self.levels or {}, self.suppressed, self.weighted_k, cuts)


class PointFile(SolutionFile):
    """A point; unknown keys are further objectives."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Figure | None]

    k: Positive
    loss: Amount
    loss_fraction: Amount
    bound: Amount | None = None
    bound_fraction: Amount | None = None
    proved: bool = False
    alternatives: list[SolutionFile]

    def point(self) -> Point:
        """Return the point."""
        values = {name: float("nan") if value is None else value for name, value in self.__pydantic_extra__.items()}
        solutions = (self.solution(), *(each.solution() for each in self.alternatives))
        return Point(self.k, self.loss, self.loss_fraction, solutions, values)


class CornerFile(Saved):
    """A possible corner of the front."""

    k: Positive
    loss: Amount
    loss_fraction: Amount


class FrontFile(Saved):
    """The output of `Front.as_dict`."""

    method: str
    complete: bool
    points: list[PointFile]
    lattice_nodes: int = Field(ge=1)
    evaluated_nodes: Count
    decided_nodes: int = Field(ge=0)
    rows: Positive
    unit: Literal["row", "person"] = "row"
    people: Positive | None = None
    metric: str
    suppression_use: str
    suppression_limit: Count
    heights: dict[str, Count]
    objectives: list[str]
    demands: str | None
    suppression_searched: bool = False
    floor: dict[str, Count] | None = None
    start: str | None = None
    possible: list[CornerFile] | None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.suppression_limit > self.rows:
            raise ValueError("more rows may be suppressed than there are")
        if (self.unit == "row") != (self.people is None):
            raise ValueError("it states the number of people if and only if these were counted")
        further = set(self.objectives) - {"k", "loss", "suppression"}
        for number, point in enumerate(self.points):
            for solution in (point, *point.alternatives):
                self._check_solution(solution, f"point {number}")
            if not further <= {*point.__pydantic_extra__, *type(point).model_fields}:
                raise ValueError(f"point {number} has no value of an objective")
            if point.k > (self.rows if self.people is None else self.people):
                counted = "rows" if self.people is None else "people"
                raise ValueError(f"point {number} has a k above the number of {counted}")
        if len({point.cuts is None for point in self.points}) > 1:
            raise ValueError("some points are nodes and others are cuts")
        if self.objectives == ["k", "loss"] and not self._descends():
            raise ValueError("the points do not descend in k and in loss")
        return self

    def _descends(self) -> bool:
        pairs = itertools.pairwise(self.points)
        return all(one.k > other.k and one.loss_fraction >= other.loss_fraction for one, other in pairs)

    def _check_solution(self, solution: SolutionFile, called: str) -> None:
        if solution.suppressed > self.rows:
            raise ValueError(f"{called} suppresses more rows than there are")
        if solution.cuts is not None:
            return
        levels = solution.levels or {}
        if set(levels) != set(self.heights) or any(level > self.heights[name] for name, level in levels.items()):
            raise ValueError(f"{called} has levels that its attributes do not have")

    def front(self) -> Front:
        """Return the front."""
        possible = self.possible
        return Front(
            method=self.method,
            complete=self.complete,
            points=tuple(point.point() for point in self.points),
            lattice_nodes=self.lattice_nodes,
            evaluated_nodes=self.evaluated_nodes,
            decided_nodes=self.decided_nodes,
            rows=self.rows,
            unit=self.unit,
            people=self.people,
            metric=self.metric,
            suppression_use=self.suppression_use,
            suppression_limit=self.suppression_limit,
            heights=self.heights,
            objectives=tuple(self.objectives),
            demands=self.demands,
            suppression_searched=self.suppression_searched,
            floor=self.floor,
            start=self.start,
            possible=None if possible is None else tuple(Corner(**corner.model_dump()) for corner in possible),
        )


def read_front(path: Path) -> Front:
    """Read the front from a file of `paranym frontier --json`, which does not contain the certificate."""
    return checked(FrontFile, read_saved(path, _CALLED), path, _CALLED).front()


def front_from_dict(document: Mapping[str, Any]) -> Front:
    """Read the output of `Front.as_dict`.

    >>> import json
    >>> from paranym.datasets import adult
    >>> import paranym as pn
    >>> front = pn.frontier(pn.Problem.from_recipe(adult()))
    >>> front_from_dict(json.loads(json.dumps(front.as_dict()))).points == front.points
    True
    """
    return checked(FrontFile, dict(document), Path("front"), _CALLED).front()
