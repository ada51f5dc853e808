"""`paranym report`: an account of a choice, or of a release, for those who have to agree to it."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import PlaceArgument, SearchOptions
from paranym.cli.choosing import Choice, ChoiceOptions


def report(
    recipe: Path,
    *,
    out: Path = Path("report.html"),
    pdf: Path | None = None,
    release: PlaceArgument | None = None,
    table: str | None = None,
    manifest: Path | None = None,
    choice: ChoiceOptions = ChoiceOptions(),
    overwrite: Annotated[bool, Parameter(negative=())] = False,
    memory: str | None = None,
    search: SearchOptions = SearchOptions(),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Write one page that says what is published, why, how well people are hidden, and who is left out.

    With --release it tells about a file that `paranym release` wrote. Otherwise it tells what a release would be, by a
    trial that is thrown away; choose as with `paranym release`, or leave it to the knee of the trade-off.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    out
        Where the report goes: .html, one page that works offline, or .pdf.
    pdf
        Also print it to this PDF file, by a browser on this machine.
    release
        A file that `paranym release` wrote with this recipe, or the address of the database that it made a table in;
        its manifest and recoding file must lie beside it, or in the current folder.
    table
        The table in a DuckDB file or a database.
    manifest
        Where the manifest is, if not there; with the recoding file beside it.
    overwrite
        Replace a report that is there already.
    memory
        How much the engine may take, such as 4GB; it goes on on disk beyond that.
    json
        Also write what the report tells as JSON to this file; - for standard output.
    quiet
        No progress, no sentences.
    """
    from paranym.cli.output import check_target, write_json
    from paranym.cli.show import note_compilation, telling
    from paranym.cli.show_report import show_report
    from paranym.errors import BadInput
    from paranym.releases.verifying import read_release
    from paranym.reporting import account_of, check_report_files, check_reportable, save_report
    from paranym.workbench import Problem

    if release is not None and choice.is_made:
        raise BadInput("--release says which choice was made; leave out --k, --max-loss, --point and --levels.")
    taken = choice.read() if choice.is_made else Choice(front=choice.front)
    files = [out, *([] if pdf is None else [pdf])]
    check_target(json)
    check_report_files(files, overwrite=overwrite)
    with telling("reading the table", quiet=quiet):
        problem = Problem.from_recipe(recipe)
    check_reportable(problem)
    note_compilation(quiet=quiet)
    made = None
    if release is not None:
        made = read_release(problem, release, table=table, manifest=manifest, memory=memory)
    if choice.is_made:
        front, point = taken.made_beside(problem, search, quiet=quiet)
    else:
        front, point = taken.searched(problem, search, quiet=quiet), None
    told = taken if made is None else Choice.from_dict((made.manifest or {})["chosen"])
    command = f"paranym release {recipe.name} {told.as_options()} --out FILE" if told.as_dict() else None
    with telling("reporting", quiet=quiet) as tell:
        found = account_of(
            problem,
            front,
            point=point,
            release=made,
            chosen=taken.as_dict(),
            command=command,
            memory=memory,
            tell=tell,
        )
        tell("writing the report")
        save_report(found, files, overwrite=overwrite)
    if json is not None:
        write_json(found.as_dict(), json)
    if not quiet and str(json) != "-":
        show_report(found, files)
