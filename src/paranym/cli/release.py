"""`paranym release`: the chosen table, written and verified."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import PlaceArgument, SearchOptions
from paranym.cli.choosing import ChoiceOptions


def release(
    recipe: Path,
    *,
    out: PlaceArgument,
    choice: ChoiceOptions = ChoiceOptions(),
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
    from paranym.cli.show import note_compilation, telling
    from paranym.cli.show_release import show_release
    from paranym.recipe import Recipe
    from paranym.releases.databases import check_place, destination_of
    from paranym.releases.releasing import release as make
    from paranym.workbench import Problem

    taken = choice.read()
    check_target(json)
    check_place(out, table, overwrite=overwrite)
    asked = Recipe.read(recipe)
    destination_of(Problem.source_of(asked), out, table, overwrite=overwrite).check(None)
    with telling("reading the table", quiet=quiet):
        problem = Problem.from_recipe(asked, memory=memory)
    note_compilation(quiet=quiet)
    chosen = taken.made(problem, search, quiet=quiet)
    with telling("releasing", quiet=quiet) as tell:
        released = make(
            problem,
            chosen,
            out,
            table=table,
            overwrite=overwrite,
            keep_suppressed=keep_suppressed,
            neutralize_formulas=neutralize_formulas,
            earlier=earlier or [],
            chosen=taken.as_dict(),
            memory=memory,
            tell=tell,
        )
    if json is not None:
        write_json(dict(released.manifest or {}), json)
    if not quiet and str(json) != "-":
        show_release(released)
