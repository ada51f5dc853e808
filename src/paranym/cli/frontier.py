"""`paranym frontier`: the whole trade-off."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import SearchOptions, Whole
from paranym.cli.evolution import EvolutionOptions


def frontier(
    recipe: Path,
    *,
    objectives: str | None = None,
    search: SearchOptions = SearchOptions(),
    evolution: EvolutionOptions = EvolutionOptions(),
    memory: str | None = None,
    json: Path | None = None,
    plot: Path | None = None,
    fit: Whole | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """List every choice of k and loss that no other one beats.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    objectives
        What is traded off: k, loss, suppression, l, t, or a model with its attribute, such as entropy-l:occupation.
        By default k,loss; for problem 4 k,l,loss.
    memory
        How much the counts may take, such as 4GB, instead of what the recipe allows or half of what is free.
    json
        Also write the result as JSON to this file; - for standard output.
    plot
        Also draw the front into this file: .html, .png, .svg or .pdf.
    fit
        Also fit a polynomial of this degree, such as 3, to the front, and draw it if there is a plot.
    quiet
        No progress, no table.
    """
    from paranym.cli.drawing import draw, fitted, show_curve
    from paranym.cli.evolution import show_cuts
    from paranym.cli.output import check_target, write_json
    from paranym.cli.show import note_compilation, show_front, telling, watch
    from paranym.errors import BadInput
    from paranym.model.objectives import names_of
    from paranym.workbench import Problem, check_plot_format

    check_target(json)
    check_target(plot)
    if plot is not None:
        check_plot_format(plot)
    evolution.check(search)
    names = names_of(evolution.objectives if objectives is None else objectives)
    if plot is not None and not search.evolves and set(names) != {"k", "loss"}:
        raise BadInput("A plot shows k and loss; with other objectives, take the table or --json.")
    with telling("reading the table", quiet=quiet):
        problem = Problem.from_recipe(recipe, objectives=names, memory=memory)
    note_compilation(quiet=quiet)
    if search.evolves:
        front = evolution.run(recipe, problem, search, quiet=quiet)
    else:
        front = watch(search.approach(problem), quiet=quiet)
    if json is not None:
        write_json(front.as_dict(), json)
    curve = None if fit is None else fitted(front, fit)
    if plot is not None:
        draw(front, curve, plot)
    if not quiet and str(json) != "-":
        (show_cuts if search.evolves else show_front)(front)
        if curve is not None:
            show_curve(curve)
