"""`paranym run`: all that a recipe asks for, from the table to the report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from paranym.cli.arguments import SearchOptions
from paranym.cli.choosing import Choice, ChoiceOptions

if TYPE_CHECKING:
    from paranym.recipe import Recipe


def run(
    recipe: Path,
    *,
    choice: ChoiceOptions = ChoiceOptions(),
    out: Path | None = None,
    report: Path | None = None,
    pdf: Path | None = None,
    overwrite: Annotated[bool, Parameter(negative=())] = False,
    earlier: Annotated[list[Path] | None, Parameter(negative=())] = None,
    memory: str | None = None,
    search: SearchOptions = SearchOptions(),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Search the trade-off, take the choice that the recipe names, release it, verify the file, and write the report.

    What is said here comes before what the recipe says in [choice] and [output].

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    out
        Where the release goes; without it as [output] says, or beside the recipe, named after the table.
    report
        Where the report goes, .html or .pdf; likewise.
    pdf
        Also print the report to this PDF file, by a browser on this machine.
    overwrite
        Replace a release and a report that are there already.
    earlier
        A folder with other releases of this table, which are warned of. May be given several times.
    memory
        How much the engine may take, such as 4GB; it goes on on disk beyond that.
    json
        Also write front, manifest and report as JSON to this file; - for standard output.
    quiet
        No progress, no sentences.
    """
    from paranym.cli.output import check_target, write_json
    from paranym.cli.show import note_compilation, telling
    from paranym.cli.show_release import show_release
    from paranym.cli.show_report import show_report
    from paranym.recipe import Recipe
    from paranym.releases.databases import destination_of
    from paranym.releases.releasing import release
    from paranym.reporting import account_of, check_report_files, check_reportable, save_report
    from paranym.workbench import Problem

    asked = Recipe.read(recipe)
    taken = choice.read() if choice.is_made else _choice(asked, recipe, choice.front)
    target = asked.release_file if out is None else out
    table = asked.output.table if out is None else None
    files = _files(asked, report, pdf)
    check_target(json)
    source = Problem.source_of(asked)
    destination_of(source, target, table, overwrite=overwrite).check(source)
    check_report_files(files, overwrite=overwrite)
    with telling("reading the table", quiet=quiet):
        problem = Problem.from_recipe(asked)
    check_reportable(problem)
    note_compilation(quiet=quiet)
    front, point = taken.made_beside(problem, search, quiet=quiet)
    with telling("releasing", quiet=quiet) as tell:
        released = release(
            problem,
            point,
            target,
            table=table,
            overwrite=overwrite,
            keep_suppressed=asked.output.keep_suppressed,
            neutralize_formulas=asked.output.neutralize_formulas,
            earlier=earlier or [],
            chosen=taken.as_dict(),
            memory=memory,
            tell=tell,
        )
    with telling("reporting", quiet=quiet) as tell:
        command = f"paranym run {recipe.name}{f' {taken.as_options()}' if choice.is_made else ''}"
        found = account_of(problem, front, point=point, release=released, command=command, memory=memory, tell=tell)
        tell("writing the report")
        save_report(found, files, overwrite=overwrite)
    if json is not None:
        told = {"front": front.as_dict(), "manifest": dict(released.manifest or {}), "report": found.as_dict()}
        write_json(told, json)
    if not quiet and str(json) != "-":
        show_release(released)
        show_report(found, files, gist=False)


def _choice(recipe: "Recipe", file: Path, front: Path | None) -> Choice:
    """What the recipe chooses; a k that it demands anyway is a choice, too."""
    from paranym.errors import BadInput

    said = recipe.choice
    k = recipe.privacy.k if said.k is None and said.max_loss is None and said.levels is None else said.k
    if k is None and said.max_loss is None and said.levels is None:
        raise BadInput(
            f"{file.name} does not say which choice to take. Add a section [choice] with k = 10 or max_loss = 0.25, or "
            "give --k, --max-loss, --point or --levels. `paranym ask` tells what there is to choose from."
        )
    if said.levels is not None and front is not None:
        raise BadInput("--front is of no use: the recipe chooses levels.")
    return Choice(k, said.max_loss, None, said.levels, front=front)


def _files(recipe: "Recipe", report: Path | None, pdf: Path | None) -> list[Path]:
    page, *printed = recipe.report_files
    return [page if report is None else report, *(printed if pdf is None else [pdf])]
