"""`paranym report`: a report on a chosen solution, or on a release, for reviewers."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.options.choice import Choice, ChoiceOptions
from paranym.cli.options.shared import PlaceArgument, SearchOptions


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
    """Write a report for reviewers: what is published and why, how well people are protected, and who is suppressed.

    With --release, it describes a file that `paranym release` wrote. Otherwise it describes a trial release that is not
    kept: choose a solution as with `paranym release`; the default is the knee of the front.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    out
        The file to write: .html, one page that works offline, or .pdf.
    pdf
        Also print the report to this PDF file, with a browser on this machine.
    release
        A release of this recipe: a file, or the address of a database. Its manifest and recoding file must be beside
        it, or in the current folder.
    table
        The table in a DuckDB file or a database.
    manifest
        The manifest, if it is elsewhere, with the recoding file beside it.
    overwrite
        Replace an existing report.
    memory
        Memory for the embedded engine, such as 4GB; beyond that it spills to disk.
    json
        Also write the content of the report as JSON to this file; - for standard output.
    quiet
        Print no progress and no result.
    """
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import showing_progress
    from paranym.cli.show.report import show_report
    from paranym.errors import BadInput
    from paranym.releases.verifying import read_release
    from paranym.report.gathering import account_of, check_reportable
    from paranym.report.writing import check_report_files, save_report

    if release is not None and choice.is_made:
        raise BadInput("--release says which choice was made; leave out --k, --max-loss, --point and --levels.")
    taken = choice.read() if choice.is_made else Choice(front=choice.front)
    files = [out, *([] if pdf is None else [pdf])]
    output = Output(json=json, quiet=quiet).checked()
    check_report_files(files, overwrite=overwrite)
    problem = output.problem(recipe, check=check_reportable)
    made = None
    if release is not None:
        made = read_release(problem, release, table=table, manifest=manifest, memory=memory)
    if choice.is_made:
        front, point = taken.made_beside(problem, search, quiet=quiet)
    else:
        front, point = taken.searched(problem, search, quiet=quiet), None
    shown = taken if made is None else Choice.from_dict((made.manifest or {})["chosen"])
    command = f"paranym release {recipe.name} {shown.as_options()} --out FILE" if shown.as_dict() else None
    with showing_progress("reporting", quiet=quiet) as tell:
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
    output.write(found.as_dict)
    if output.is_shown:
        show_report(found, files)
