"""`paranym release`: the chosen table, written and verified."""

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from paranym.cli.arguments import PlaceArgument, SearchOptions, Whole, read_share

if TYPE_CHECKING:
    from paranym.model.front import Front, Point
    from paranym.workbench import Problem


def release(
    recipe: Path,
    *,
    out: PlaceArgument,
    k: Whole | None = None,
    max_loss: str | None = None,
    point: Whole | None = None,
    levels: str | None = None,
    front: Path | None = None,
    table: str | None = None,
    overwrite: Annotated[bool, Parameter(negative=())] = False,
    keep_suppressed: Annotated[bool, Parameter(negative=())] = False,
    neutralize_formulas: Annotated[bool, Parameter(negative=())] = False,
    earlier: Annotated[list[Path] | None, Parameter(negative=())] = None,
    memory: str | None = None,
    search: SearchOptions = SearchOptions(),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Write the table as one choice of the trade-off publishes it, and verify what was written.

    Choose by --k (the least loss of at least that k), --max-loss (the best k within that loss), --point (by its number
    in the list of `paranym frontier`), or --levels (a node of your own, with --k if it shall be a certain one).

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    out
        Where the release goes: .csv, .csv.gz, .parquet, or .duckdb; or the address of the database that the table is
        in. It appears only when complete and verified.
    k
        Everyone shall be one of at least so many alike.
    max_loss
        How much of the information may be lost, such as 25% or 0.25.
    point
        The number of the choice, 1 being the one with the best k.
    levels
        Levels of the quasi-identifiers, such as age=2,sex=1; others stay as they are. A name with a comma stands in
        quotes.
    front
        A front that `paranym frontier --json` saved, instead of searching anew.
    table
        The table to make in a DuckDB file or a database.
    overwrite
        Replace a release that is there already.
    keep_suppressed
        Keep rows that must be suppressed, as * and with nothing in their other columns, instead of leaving them out.
    neutralize_formulas
        Put a quote before cells of a CSV file that a spreadsheet would run.
    earlier
        A folder with other releases of this table, which are warned of. May be given several times.
    memory
        How much the counts and the embedded engine may take, such as 4GB; the engine goes on on disk beyond that.
    json
        Also write the manifest as JSON to this file; - for standard output.
    quiet
        No progress, no sentences.
    """
    from paranym.cli.output import check_target, write_json
    from paranym.cli.show import note_compilation
    from paranym.cli.show_release import show_release, telling
    from paranym.recipe import Recipe
    from paranym.releases.databases import check_place, destination_of
    from paranym.releases.releasing import release as make
    from paranym.workbench import Problem

    choice = _Choice(k, max_loss, point, levels, front)
    check_target(json)
    check_place(out, table, overwrite=overwrite)
    asked = Recipe.read(recipe)
    destination_of(Problem.source_of(asked), out, table, overwrite=overwrite).check(None)
    problem = Problem.from_recipe(asked, memory=memory)
    note_compilation(quiet=quiet)
    chosen = choice.made(problem, search, quiet=quiet)
    with telling(quiet=quiet) as tell:
        released = make(
            problem,
            chosen,
            out,
            table=table,
            overwrite=overwrite,
            keep_suppressed=keep_suppressed,
            neutralize_formulas=neutralize_formulas,
            earlier=earlier or [],
            chosen=choice.as_dict(),
            memory=memory,
            tell=tell,
        )
    if json is not None:
        write_json(dict(released.manifest or {}), json)
    if not quiet and str(json) != "-":
        show_release(released)


class _Choice:
    """How the point is chosen."""

    def __init__(
        self, k: int | None, max_loss: str | None, point: int | None, levels: str | None, front: Path | None
    ) -> None:
        from paranym.errors import BadInput

        self.k, self.max_loss, self.point, self.front = k, read_share("--max-loss", max_loss), point, front
        self.levels = None if levels is None else _levels(levels)
        given = [self.k is not None, self.max_loss is not None, self.point is not None, self.levels is not None]
        if sum(given) != 1 and not (self.levels is not None and self.k is not None and sum(given) == 2):
            raise BadInput("Choose by one of --k, --max-loss, --point and --levels; --k may go with --levels.")
        if self.levels is not None and self.front is not None:
            raise BadInput("--levels needs no front.")

    def as_dict(self) -> dict[str, Any]:
        """For the manifest."""
        told = {"k": self.k, "max_loss": self.max_loss, "point": self.point, "levels": self.levels}
        return {name: value for name, value in told.items() if value is not None}

    def made(self, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "Point":
        """The point that it comes to."""
        from paranym.choice import Question, answer
        from paranym.errors import Unattainable
        from paranym.releases.planning import point_at

        if self.levels is not None:
            return point_at(problem, self.levels, self.k)
        front = self._front(problem, search, quiet=quiet)
        if self.point is None:
            return answer(front, Question(min_k=self.k, max_loss=self.max_loss)).point
        if not 1 <= self.point <= len(front):
            raise Unattainable(f"There is no choice number {self.point}: the front has 1 to {len(front)}.")
        return front[self.point - 1]

    def _front(self, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "Front":
        from paranym.cli.show import watch
        from paranym.errors import BadInput
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


def _levels(written: str) -> dict[str, int]:
    """`age=2,sex=1` as levels."""
    from paranym.errors import BadInput

    found: dict[str, int] = {}
    for each in next(csv.reader([written], skipinitialspace=True)):
        name, sign, level = each.rpartition("=")
        if not (name and sign and level.strip().isdecimal()):
            raise BadInput(f"--levels takes NAME=LEVEL between commas, such as age=2,sex=1; got {each!r}.")
        if name.strip() in found:
            raise BadInput(f"--levels names {name.strip()!r} twice.")
        found[name.strip()] = int(level)
    return found
