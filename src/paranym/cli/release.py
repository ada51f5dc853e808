"""`paranym release`: the chosen table, written and verified."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import PlaceArgument, SearchOptions, TargetOptions
from paranym.cli.choosing import ChoiceOptions


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
    """Write the table as one choice of the trade-off publishes it, and verify what was written.

    Choose by --k (the least loss of at least that k), --max-loss (the best k within that loss), --point (by its number
    in the list of `paranym frontier`), --levels (a node of your own, with --k if it shall be a certain one), or
    --prefer (an order of preference within --k and --max-loss).

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    out
        Where the release goes: .csv, .csv.gz, .parquet, or .duckdb; or the address of the database that the table is
        in. It appears only when complete and verified.
    keep_suppressed
        Keep rows that must be suppressed, as * and with nothing in their other columns, instead of leaving them out.
    json
        Also write the manifest as JSON to this file; - for standard output.
    quiet
        No progress, no sentences.
    """
    from paranym.cli.output import check_target, write_json
    from paranym.cli.show import note_compilation, telling
    from paranym.cli.show_release import show_release
    from paranym.recipe import Recipe
    from paranym.releases.databases import destination_of
    from paranym.workbench import Problem

    taken = choice.read()
    check_target(json)
    target.check(out)
    asked = Recipe.read(recipe)
    source = Problem.source_of(asked)
    destination_of(source, out, target.table, overwrite=target.overwrite).check(source)
    with telling("reading the table", quiet=quiet):
        problem = Problem.from_recipe(asked, objectives=taken.objectives, memory=target.memory)
    note_compilation(quiet=quiet)
    chosen = taken.made(problem, search, quiet=quiet)
    released = target.release(
        problem, chosen, out, chosen=taken.as_dict(), quiet=quiet, keep_suppressed=keep_suppressed
    )
    if json is not None:
        write_json(dict(released.manifest or {}), json)
    if not quiet and str(json) != "-":
        show_release(released)
