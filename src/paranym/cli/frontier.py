"""`paranym frontier`: the whole trade-off."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import SearchOptions


def frontier(
    recipe: Path,
    *,
    search: SearchOptions = SearchOptions(),
    json: Path | None = None,
    plot: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """List every choice of k and loss that no other one beats.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    json
        Also write the result as JSON to this file; - for standard output.
    plot
        Also draw the front into this file: .html, .png, .svg or .pdf.
    quiet
        No progress, no table.
    """
    from paranym.cli.output import check_target, complete, write_json
    from paranym.cli.show import note_compilation, show_front, watch
    from paranym.workbench import Problem, check_plot_format, save_front_plot

    check_target(json)
    check_target(plot)
    if plot is not None:
        check_plot_format(plot)
    problem = Problem.from_recipe(recipe)
    note_compilation(quiet=quiet)
    front = watch(search.approach(problem), quiet=quiet)
    if json is not None:
        write_json(front.as_dict(), json)
    if plot is not None:
        with complete(plot) as partial:
            save_front_plot(front, partial)
    if not quiet and str(json) != "-":
        show_front(front)
