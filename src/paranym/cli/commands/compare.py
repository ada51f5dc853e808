"""`paranym compare`: recoding models side by side."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.options.shared import TargetOptions, Whole, read_wholes
from paranym.errors import BadInput


def compare(
    recipe: Path,
    *,
    k: str = "2,5,10,20,50,100",
    models: str | None = None,
    granularity: str | None = None,
    seed: Whole = 0,
    release: str | None = None,
    out: Path | None = None,
    target: TargetOptions = TargetOptions(),
    json: Path | None = None,
    plot: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Compare recoding models: the information loss of each for several k, by one measure; release the one you choose.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    k
        The values of k, such as 5,10,20.
    models
        Some of full-domain, cuts, mondrian, mondrian-relaxed, top-down and bottom-up; by default all but
        mondrian-relaxed. Cuts need the extra evolution. Models that cannot run on the table are skipped with a reason.
    granularity
        The finest level that cuts may publish, such as age=1; needed for columns with thousands of values.
    seed
        Seed for random choices.
    release
        Also release one of them, by its model and k, such as top-down:10.
    out
        The file to write: .csv, .csv.gz, .parquet, or .duckdb. It appears only when it is complete and verified.
    json
        Also write the result as JSON to this file; - for standard output.
    plot
        Also plot the normalized certainty penalty (NCP) against k to this file: .html, .png, .svg or .pdf.
    quiet
        Print no progress and no result.
    """
    from paranym.cli.options.files import complete
    from paranym.cli.options.levels import read_levels
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import showing_progress
    from paranym.cli.show.local import show_comparison
    from paranym.cli.show.release import show_release
    from paranym.cli.terminal import out as terminal
    from paranym.comparison.models import compare as compare_models
    from paranym.comparison.models import save_comparison_plot

    output = Output(json=json, plot=plot, quiet=quiet).checked()
    finest = None if granularity is None else read_levels("--granularity", granularity)
    wanted, picked = read_wholes("--k", k), None if release is None else _picked(release)
    target.check(out)
    if (picked is None) != (out is None):
        raise BadInput("A release takes both --release MODEL:K, such as top-down:10, and --out FILE.")
    if picked is not None and picked[1] not in wanted:
        raise BadInput(f"--release asks for k = {picked[1]}, which is not among those compared: {k}.")
    problem = output.problem(recipe, check=None if out is None else target.check_roles)
    with showing_progress("comparing", quiet=quiet) as tell:
        chosen = None if models is None else [name.strip() for name in models.split(",") if name.strip()]
        found = compare_models(problem, wanted, models=chosen, granularity=finest, seed=seed, tell=tell)
    output.write(found.as_dict)
    if plot is not None:
        with complete(plot) as partial:
            save_comparison_plot(found, partial)
    if output.is_shown:
        show_comparison(found, wanted)
    if picked is not None and out is not None:
        choice, chosen_by = found.pick(*picked).choice, {"model": picked[0], "k": picked[1], "seed": seed}
        released = target.release(found.problem, choice, out, chosen=chosen_by, quiet=quiet)
        if output.is_shown:
            terminal.print()
            show_release(released)


def _picked(written: str) -> tuple[str, int]:
    """Parse `top-down:10` as a model and a k."""
    model, _, k = written.rpartition(":")
    if not (model.strip() and k.strip().isdecimal()):
        raise BadInput(f"--release takes a model and a k, such as top-down:10; got {written!r}.")
    return model.strip(), int(k)
