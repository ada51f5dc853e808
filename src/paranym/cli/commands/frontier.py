"""`paranym frontier`: the Pareto front."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.options.evolution import EvolutionOptions
from paranym.cli.options.shared import SearchOptions, Whole


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
    """Compute the Pareto front between k-anonymity and information loss.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    objectives
        The objectives: k, loss, suppression, l, t, or a privacy model with its attribute, such as
        entropy-l:occupation. The default is k,loss, and k,l,loss for problem 4.
    memory
        Memory for the counts, such as 4GB, instead of the recipe's limit or half of the free memory.
    json
        Also write the result as JSON to this file; - for standard output.
    plot
        Also plot the front to this file: .html, .png, .svg or .pdf.
    fit
        Also fit a polynomial of this degree, such as 3, to the front, and add it to the plot.
    quiet
        Print no progress and no result.
    """
    from paranym.cli.options.evolution import show_cuts
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import show_front, show_private, watch
    from paranym.cli.show.plots import draw, fitted, show_curve
    from paranym.errors import BadInput
    from paranym.results.objectives import names_of

    output = Output(json=json, plot=plot, quiet=quiet).checked()
    evolution.check(search)
    names = names_of(evolution.objectives if objectives is None else objectives)
    if plot is not None and not search.finds_cuts and set(names) != {"k", "loss"}:
        raise BadInput("A plot shows k and loss; with other objectives, take the table or --json.")
    problem = output.problem(recipe, objectives=names, memory=memory)
    if search.evolves:
        front = evolution.run(recipe, problem, search, quiet=quiet)
    elif search.finds_cuts:
        front = evolution.prove(recipe, problem, search, quiet=quiet)
    else:
        front = watch(search.approach(problem), quiet=quiet)
    output.write(front.as_dict)
    curve = None if fit is None else fitted(front, fit)
    if plot is not None:
        draw(front, curve, plot)
    if output.is_shown:
        (show_cuts if search.finds_cuts else show_front)(front)
        if json is not None and front.is_private:
            show_private(json)
        if curve is not None:
            show_curve(curve)
