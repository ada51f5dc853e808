"""`paranym run`: everything that a recipe requests, from the table to the report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from paranym.cli.options.choice import Choice, ChoiceOptions
from paranym.cli.options.shared import PublishingOptions, SearchOptions

if TYPE_CHECKING:
    from paranym.recipe import Recipe


def run(
    recipe: Path,
    *,
    choice: ChoiceOptions = ChoiceOptions(),
    out: Path | None = None,
    report: Path | None = None,
    pdf: Path | None = None,
    publishing: PublishingOptions = PublishingOptions(),
    search: SearchOptions = SearchOptions(),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Compute the front, take the solution that the recipe chooses, release and verify it, and write the report.

    Options override the sections [choice] and [output] of the recipe.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    out
        The release; by default as [output] says, or beside the recipe, named after the table.
    report
        The report, .html or .pdf; by default as [output] says, or beside the recipe.
    pdf
        Also print the report to this PDF file, with a browser on this machine.
    json
        Also write front, manifest and report as JSON to this file; - for standard output.
    quiet
        Print no progress and no result.
    """
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import show_private, showing_progress
    from paranym.cli.show.release import show_release
    from paranym.cli.show.report import show_report
    from paranym.problem.problem import Problem
    from paranym.recipe import Recipe
    from paranym.releases.databases import destination_of
    from paranym.releases.signing import check_key
    from paranym.report.gathering import account_of, check_reportable
    from paranym.report.writing import check_report_files, save_report

    request = Recipe.read(recipe)
    taken = choice.read() if choice.is_made else _choice(request, recipe, choice.front)
    target = request.release_file if out is None else out
    table = request.output.table if out is None else None
    files = _files(request, report, pdf)
    output = Output(json=json, quiet=quiet).checked()
    if publishing.sign is not None:
        check_key(publishing.sign)
    source = Problem.source_of(request)
    destination_of(source, target, table, overwrite=publishing.overwrite).check(source)
    check_report_files(files, overwrite=publishing.overwrite)

    def check(problem: Problem) -> None:
        check_reportable(problem)
        publishing.check_roles(problem)

    problem = output.problem(request, check=check)
    front, point = taken.made_beside(problem, search, quiet=quiet)
    released = publishing.write(
        problem,
        point,
        target,
        table=table,
        neutralize_formulas=request.output.neutralize_formulas,
        keep_suppressed=request.output.keep_suppressed,
        chosen=taken.as_dict(),
        quiet=quiet,
    )
    with showing_progress("reporting", quiet=quiet) as tell:
        command = f"paranym run {recipe.name}{f' {taken.as_options()}' if choice.is_made else ''}"
        found = account_of(
            problem, front, point=point, release=released, command=command, memory=publishing.memory, tell=tell
        )
        tell("writing the report")
        save_report(found, files, overwrite=publishing.overwrite)
    output.write(
        lambda: {
            **front.marking,
            "front": front.as_dict(),
            "manifest": dict(released.manifest or {}),
            "report": found.as_dict(),
        }
    )
    if output.is_shown:
        show_release(released)
        show_report(found, files, gist=False)
        if json is not None and front.is_private:
            show_private(json)


def _choice(recipe: "Recipe", file: Path, front: Path | None) -> Choice:
    """Return the choice of the recipe; without one, the k that it requires is the choice."""
    from paranym.errors import BadInput

    chosen = recipe.choice
    k = recipe.privacy.k if chosen.k is None and chosen.max_loss is None and chosen.levels is None else chosen.k
    if k is None and chosen.max_loss is None and chosen.levels is None:
        raise BadInput(
            f"{file.name} does not choose a solution. Add a section [choice] with k = 10 or max_loss = 0.25, or give "
            "--k, --max-loss, --point or --levels. `paranym ask` describes the front."
        )
    if chosen.levels is not None and front is not None:
        raise BadInput("--front cannot be used here: the recipe chooses levels.")
    return Choice(k, chosen.max_loss, None, chosen.levels, front=front)


def _files(recipe: "Recipe", report: Path | None, pdf: Path | None) -> list[Path]:
    page, *printed = recipe.report_files
    return [page if report is None else report, *(printed if pdf is None else [pdf])]
