"""`paranym compare`: recoding models side by side."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import TargetOptions, Whole
from paranym.errors import BadInput


def compare(
    recipe: Path,
    *,
    k: str = "2,5,10,20,50,100",
    models: str | None = None,
    seed: Whole = 0,
    release: str | None = None,
    out: Path | None = None,
    target: TargetOptions = TargetOptions(),
    json: Path | None = None,
    plot: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """For every k, what each recoding model loses, by one yardstick; and release the one that you choose.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    k
        The values of k, such as 5,10,20.
    models
        Of full-domain, cuts, mondrian, mondrian-relaxed, top-down and bottom-up; all but mondrian-relaxed unless told.
        Cuts need the extra evolution.
    seed
        For what is drawn at random.
    release
        Also release one of them, by its model and k, such as top-down:10.
    out
        Where the release goes: .csv, .csv.gz, .parquet, or .duckdb. It appears only when complete and verified.
    json
        Also write the result as JSON to this file; - for standard output.
    plot
        Also draw the certainty penalty against k into this file: .html, .png, .svg or .pdf.
    quiet
        No progress, no table.
    """
    from paranym.cli.output import check_target, complete, write_json
    from paranym.cli.show import note_compilation, telling
    from paranym.cli.show import out as terminal
    from paranym.cli.show_local import show_comparison
    from paranym.cli.show_release import show_release
    from paranym.workbench.comparing import Problem, check_plot_format, save_comparison_plot
    from paranym.workbench.comparing import compare as compare_models

    check_target(json)
    check_target(plot)
    if plot is not None:
        check_plot_format(plot)
    wanted, picked = _wholes(k), None if release is None else _picked(release)
    target.check(out)
    if (picked is None) != (out is None):
        raise BadInput("A release takes both --release MODEL:K, such as top-down:10, and --out FILE.")
    if picked is not None and picked[1] not in wanted:
        raise BadInput(f"--release asks for k = {picked[1]}, which is none of those compared: {k}.")
    with telling("reading the table", quiet=quiet):
        problem = Problem.from_recipe(recipe)
    note_compilation(quiet=quiet)
    with telling("comparing", quiet=quiet) as tell:
        chosen = None if models is None else [name.strip() for name in models.split(",") if name.strip()]
        found = compare_models(problem, wanted, models=chosen, seed=seed, tell=tell)
    if json is not None:
        write_json(found.as_dict(), json)
    if plot is not None:
        with complete(plot) as partial:
            save_comparison_plot(found, partial)
    if not quiet and str(json) != "-":
        show_comparison(found, wanted)
    if picked is not None and out is not None:
        choice, told = found.pick(*picked).choice, {"model": picked[0], "k": picked[1], "seed": seed}
        released = target.release(found.problem, choice, out, chosen=told, quiet=quiet)
        if not quiet and str(json) != "-":
            terminal.print()
            show_release(released)


def _picked(written: str) -> tuple[str, int]:
    """`top-down:10` as a model and a k."""
    model, _, k = written.rpartition(":")
    if not (model.strip() and k.strip().isdecimal()):
        raise BadInput(f"--release takes a model and a k, such as top-down:10; got {written!r}.")
    return model.strip(), int(k)


def _wholes(written: str) -> list[int]:
    try:
        return [int(each) for each in written.split(",") if each.strip()]
    except ValueError:
        raise BadInput(f"--k takes whole numbers such as 5,10,20; got {written!r}.") from None
