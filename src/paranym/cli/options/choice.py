"""Options to choose a point of the front, for the commands that need one."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cyclopts import Parameter

from paranym.cli.options.levels import read_levels
from paranym.cli.options.shared import SearchOptions, Whole, read_share
from paranym.errors import BadInput, Unattainable

if TYPE_CHECKING:
    from paranym.problem.problem import Problem
    from paranym.results.front import Front, Point


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceOptions:
    """How to choose a solution.

    Parameters
    ----------
    k
        Choose the solution with the least information loss among those with at least this k.
    max_loss
        Choose the solution with the largest k within this information loss, such as 25% or 0.25.
    point
        Choose the solution with this number in the list of `paranym frontier`; 1 has the largest k.
    levels
        Choose these levels of the quasi-identifiers, such as age=2,sex=1; others are not generalized. Quote a name
        that has a comma. With --k, rows in equivalence classes smaller than k are suppressed.
    prefer
        Choose by an order of preference, such as l,k: the largest l, then the largest k, within --k and --max-loss.
    front
        Use a front that `paranym frontier --json` saved instead of searching again.
    """

    k: Whole | None = None
    max_loss: str | None = None
    point: Whole | None = None
    levels: str | None = None
    prefer: str | None = None
    front: Path | None = None

    @property
    def is_made(self) -> bool:
        """True if any of the options was given, besides a front."""
        return any(each is not None for each in (self.k, self.max_loss, self.point, self.levels, self.prefer))

    def read(self) -> "Choice":
        """Return the choice; raise if its options contradict each other."""
        levels = None if self.levels is None else read_levels("--levels", self.levels)
        choice = Choice(self.k, read_share("--max-loss", self.max_loss), self.point, levels, self.prefer, self.front)
        given = [each is not None for each in (choice.k, choice.max_loss, choice.point, choice.levels)]
        if self.prefer is not None:
            if self.point is not None or levels is not None:
                raise BadInput("--prefer chooses by itself; only --k and --max-loss may go with it.")
        elif sum(given) != 1 and not (levels is not None and choice.k is not None and sum(given) == 2):
            raise BadInput(
                "Choose by one of --k, --max-loss, --point and --levels, or by --prefer; --k may go with --levels."
            )
        if levels is not None and self.front is not None:
            raise BadInput("--levels needs no front.")
        return choice


@dataclass(frozen=True, slots=True)
class Choice:
    """A rule to choose a point: limits, a number, levels, or an order of preference."""

    k: int | None = None
    max_loss: float | None = None
    point: int | None = None
    levels: dict[str, int] | None = None
    prefer: str | None = None
    front: Path | None = None

    @property
    def objectives(self) -> tuple[str, ...]:
        """The objectives that the problem needs: also l, if cuts of a saved front were selected by l."""
        from paranym.saved.front import read_front

        points = () if self.front is None else read_front(self.front)
        return ("k", "l", "loss") if any(each.cuts and "l" in each.values for each in points) else ("k", "loss")

    def as_dict(self) -> dict[str, Any]:
        """Return the given options as a dictionary for the manifest."""
        names = ("k", "max_loss", "point", "levels", "prefer")
        options = {name: getattr(self, name) for name in names}
        return {name: value for name, value in options.items() if value is not None}

    @classmethod
    def from_dict(cls, chosen: Mapping[str, Any]) -> "Choice":
        """Return the choice in a manifest; other entries, which a release from Python may have, are ignored."""
        return cls(*(chosen.get(name) for name in ("k", "max_loss", "point", "levels", "prefer")))

    def as_options(self) -> str:
        """Return the choice as command-line options."""
        options = self.as_dict()
        if self.levels is not None:
            options["levels"] = '"' + ",".join(f"{name}={level}" for name, level in self.levels.items()) + '"'
        return " ".join(f"--{name.replace('_', '-')} {value}" for name, value in options.items())

    def made(self, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "Point":
        """Return the chosen point."""
        if self.levels is not None:
            return self._at_levels(problem)
        return self.among(self.searched(problem, search, quiet=quiet))

    def made_beside(self, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "tuple[Front, Point]":
        """Return the front and the chosen point, which need not be on it."""
        front = self.searched(problem, search, quiet=quiet)
        return front, self.among(front) if self.levels is None else self._at_levels(problem)

    def among(self, front: "Front") -> "Point":
        """Return the chosen point of a front."""
        from paranym.choice import Question, answer, prefer

        if self.prefer is not None:
            return prefer(front, self.prefer, max_loss=self.max_loss, min_k=self.k)
        if self.point is None:
            return answer(front, Question(min_k=self.k, max_loss=self.max_loss)).point
        if not 1 <= self.point <= len(front):
            raise Unattainable(f"There is no solution number {self.point}: the front has 1 to {len(front)}.")
        return front[self.point - 1]

    def searched(self, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "Front":
        """Return the saved front if one is given, else search for it."""
        from paranym.cli.show.front import watch
        from paranym.saved.front import read_front

        if self.front is None:
            return watch(search.approach(problem), quiet=quiet, keeps=False)
        saved = read_front(self.front)
        heights = dict(zip(problem.attributes, problem.lattice.heights, strict=True))
        same = (saved.rows, saved.unit, saved.metric) == (problem.rows, problem.unit.value, problem.loss.name)
        if saved.heights:  # a front of nodes; one of cuts goes by the limit of its own problem
            limit = problem.suppression.limit(problem.rows)
            same = same and (saved.suppression_limit, dict(saved.heights)) == (limit, heights)
        if not same:
            raise BadInput(f"{str(self.front)!r} is a front of another table or another recipe.")
        return saved

    def _at_levels(self, problem: "Problem") -> "Point":
        from paranym.publishing.plan import point_at

        return point_at(problem, self.levels or {}, self.k)
