"""How a point of the front is chosen, for the commands that need one."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import Parameter

from paranym.cli.arguments import SearchOptions, Whole, read_share
from paranym.errors import BadInput, Unattainable

if TYPE_CHECKING:
    from paranym.model.front import Front, Point
    from paranym.workbench import Problem


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceOptions:
    """Which choice of the trade-off.

    Parameters
    ----------
    k
        Everyone shall be one of at least so many alike: of what gives that, the least loss.
    max_loss
        How much of the information may be lost, such as 25% or 0.25: within that, the best k.
    point
        The number of the choice in the list of `paranym frontier`, 1 being the one with the best k.
    levels
        Levels of the quasi-identifiers, such as age=2,sex=1; others stay as they are. A name with a comma stands in
        quotes. With --k what that k needs is left out.
    front
        A front that `paranym frontier --json` saved, instead of searching anew.
    """

    k: Whole | None = None
    max_loss: str | None = None
    point: Whole | None = None
    levels: str | None = None
    front: Path | None = None

    @property
    def is_made(self) -> bool:
        """Whether anything was said."""
        return any(each is not None for each in (self.k, self.max_loss, self.point, self.levels))

    def read(self) -> "Choice":
        """What was said, checked."""
        levels = None if self.levels is None else _levels(self.levels)
        choice = Choice(self.k, read_share("--max-loss", self.max_loss), self.point, levels, self.front)
        given = [each is not None for each in (choice.k, choice.max_loss, choice.point, choice.levels)]
        if sum(given) != 1 and not (levels is not None and choice.k is not None and sum(given) == 2):
            raise BadInput("Choose by one of --k, --max-loss, --point and --levels; --k may go with --levels.")
        if levels is not None and self.front is not None:
            raise BadInput("--levels needs no front.")
        return choice


@dataclass(frozen=True, slots=True)
class Choice:
    """How the point is chosen."""

    k: int | None = None
    max_loss: float | None = None
    point: int | None = None
    levels: dict[str, int] | None = None
    front: Path | None = None

    def as_dict(self) -> dict[str, Any]:
        """For the manifest."""
        told = {"k": self.k, "max_loss": self.max_loss, "point": self.point, "levels": self.levels}
        return {name: value for name, value in told.items() if value is not None}

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> "Choice":
        """What a manifest says; whoever released from Python may have said something else there."""
        return cls(*(told.get(name) for name in ("k", "max_loss", "point", "levels")))

    def as_options(self) -> str:
        """As a command says it."""
        told = self.as_dict()
        if self.levels is not None:
            told["levels"] = '"' + ",".join(f"{name}={level}" for name, level in self.levels.items()) + '"'
        return " ".join(f"--{name.replace('_', '-')} {value}" for name, value in told.items())

    def made(self, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "Point":
        """The point that it comes to."""
        if self.levels is not None:
            return self._at_levels(problem)
        return self.among(self.searched(problem, search, quiet=quiet))

    def made_beside(self, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "tuple[Front, Point]":
        """The front, and the point that it comes to, which need not be on it."""
        front = self.searched(problem, search, quiet=quiet)
        return front, self.among(front) if self.levels is None else self._at_levels(problem)

    def among(self, front: "Front") -> "Point":
        """The point of a front."""
        from paranym.choice import Question, answer

        if self.point is None:
            return answer(front, Question(min_k=self.k, max_loss=self.max_loss)).point
        if not 1 <= self.point <= len(front):
            raise Unattainable(f"There is no choice number {self.point}: the front has 1 to {len(front)}.")
        return front[self.point - 1]

    def searched(self, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "Front":
        """The front that was saved, or else a new one."""
        from paranym.cli.show import watch
        from paranym.model.saved_front import read_front

        if self.front is None:
            return watch(search.approach(problem), quiet=quiet)
        saved = read_front(self.front)
        heights = dict(zip(problem.attributes, problem.lattice.heights, strict=True))
        same = (saved.rows, saved.metric) == (problem.rows, problem.loss.name)
        if saved.heights:  # a front of nodes; one of cuts goes by the limit of its own problem
            limit = problem.suppression.limit(problem.rows)
            same = same and (saved.suppression_limit, dict(saved.heights)) == (limit, heights)
        if not same:
            raise BadInput(f"{str(self.front)!r} is a front of another table or another recipe.")
        return saved

    def _at_levels(self, problem: "Problem") -> "Point":
        from paranym.releases.planning import point_at

        return point_at(problem, self.levels or {}, self.k)


def _levels(written: str) -> dict[str, int]:
    """`age=2,sex=1` as levels."""
    found: dict[str, int] = {}
    for each in next(csv.reader([written], skipinitialspace=True)):
        name, sign, level = each.rpartition("=")
        if not (name and sign and level.strip().isdecimal()):
            raise BadInput(f"--levels takes NAME=LEVEL between commas, such as age=2,sex=1; got {each!r}.")
        if name.strip() in found:
            raise BadInput(f"--levels names {name.strip()!r} twice.")
        found[name.strip()] = int(level)
    return found
