"""`paranym demo`: the main job on the data that comes with paranym."""

from pathlib import Path


def demo(*, folder: Path = Path("paranym-demo")) -> None:
    """Compute the whole trade-off of the Adult census table.

    Parameters
    ----------
    folder
        Where the plot and the JSON go; made if it is not there.
    """
    from rich.text import Text

    from paranym.cli.output import complete, write_json
    from paranym.cli.show import note_compilation, out, show_front, watch
    from paranym.datasets import adult
    from paranym.errors import BadInput
    from paranym.workbench import Problem, approach, save_front_plot

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"Cannot make the folder {str(folder)!r}: {error.strerror}.") from error
    problem = Problem.from_recipe(adult())
    alone = int(problem.frequency.counts[problem.frequency.counts == 1].sum())
    out.print(
        Text(f"Adult: {problem.rows:,} people of the 1994 US census. By ")
        + Text(f"{', '.join(problem.attributes)} alone, {alone:,} of them ({alone / problem.rows:.0%}) are unique.\n")
    )
    note_compilation(quiet=False)
    front = watch(approach(problem), quiet=False)
    show_front(front)
    write_json(front.as_dict(), folder / "front.json")
    for plot in (folder / "front.html", folder / "front.png"):
        with complete(plot) as partial:
            save_front_plot(front, partial)
    ten = min((point for point in front if point.k >= 10), key=lambda point: point.k)
    out.print(
        Text(f"\nFor example: making everyone one of at least {ten.k} alike costs {ten.loss_fraction:.1%} of the ")
        + Text(f"information, with {ten.suppressed} rows left out.")
    )
    out.print(Text(f"Look at {folder / 'front.html'} (or front.png); the same as data: {folder / 'front.json'}"))
