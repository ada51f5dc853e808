"""`paranym compare`: recoding models side by side."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import Whole


def compare(
    recipe: Path,
    *,
    k: str = "2,5,10,20,50,100",
    models: str = "full-domain,mondrian,top-down,bottom-up",
    seed: Whole = 0,
    json: Path | None = None,
    plot: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """For every k, what each recoding model loses, by one yardstick.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    k
        The values of k, such as 5,10,20.
    models
        Of full-domain, mondrian, mondrian-relaxed, top-down and bottom-up.
    seed
        For what is drawn at random.
    json
        Also write the result as JSON to this file; - for standard output.
    plot
        Also draw the certainty penalty against k into this file: .html, .png, .svg or .pdf.
    quiet
        No progress, no table.
    """
    from paranym.cli.output import check_target, complete, write_json
    from paranym.cli.show import note_compilation, telling
    from paranym.cli.show_local import show_comparison
    from paranym.comparing import Problem, check_plot_format, save_comparison_plot
    from paranym.comparing import compare as compare_models

    check_target(json)
    check_target(plot)
    if plot is not None:
        check_plot_format(plot)
    wanted = _wholes(k)
    with telling("reading the table", quiet=quiet):
        problem = Problem.from_recipe(recipe)
    note_compilation(quiet=quiet)
    with telling("comparing", quiet=quiet) as tell:
        chosen = [name.strip() for name in models.split(",") if name.strip()]
        found = compare_models(problem, wanted, models=chosen, seed=seed, tell=tell)
    if json is not None:
        write_json(found.as_dict(), json)
    if plot is not None:
        with complete(plot) as partial:
            save_comparison_plot(found, partial)
    if not quiet and str(json) != "-":
        show_comparison(found, wanted)


def _wholes(written: str) -> list[int]:
    from paranym.errors import BadInput

    try:
        return [int(each) for each in written.split(",") if each.strip()]
    except ValueError:
        raise BadInput(f"--k takes whole numbers such as 5,10,20; got {written!r}.") from None
