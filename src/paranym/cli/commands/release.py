"""`paranym release`: the chosen table, written and verified."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.options.choice import ChoiceOptions
from paranym.cli.options.shared import PlaceArgument, SearchOptions, TargetOptions


def release(
    recipe: Path,
    *,
    out: PlaceArgument,
    choice: ChoiceOptions = ChoiceOptions(),
    keep_suppressed: Annotated[bool, Parameter(negative=())] = False,
    target: TargetOptions = TargetOptions(),
    search: SearchOptions = SearchOptions(),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Write an anonymized table and verify it.

    Choose the solution by --k, --max-loss, --point, --levels or --prefer.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    out
        The file to write: .csv, .csv.gz, .parquet, or .duckdb; or the address of the database that holds the table.
        It appears only when it is complete and verified.
    keep_suppressed
        Keep suppressed rows, with * in every quasi-identifier and empty other columns, instead of removing them.
    json
        Also write the manifest as JSON to this file; - for standard output.
    quiet
        Print no progress and no result.
    """
    from paranym.cli.options.output import Output
    from paranym.cli.show.release import show_release
    from paranym.problem.problem import Problem
    from paranym.recipe import Recipe
    from paranym.releases.databases import destination_of

    taken = choice.read()
    output = Output(json=json, quiet=quiet).checked()
    target.check(out)
    request = Recipe.read(recipe)
    source = Problem.source_of(request)
    destination_of(source, out, target.table, overwrite=target.overwrite).check(source)
    problem = output.problem(request, objectives=taken.objectives, memory=target.memory, check=target.check_roles)
    chosen = taken.made(problem, search, quiet=quiet)
    released = target.release(
        problem, chosen, out, chosen=taken.as_dict(), quiet=quiet, keep_suppressed=keep_suppressed
    )
    output.write(lambda: dict(released.manifest or {}))
    if output.is_shown:
        show_release(released)
