"""`paranym demo`: the main job on the data that comes with paranym, from the table to the report."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

_K = 10


def demo(
    *,
    folder: Path = Path("paranym-demo"),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Compute the whole trade-off of the Adult census table, release it with k = 10, verify that, and report.

    Parameters
    ----------
    folder
        Where all of it goes; made if it is not there.
    json
        Also write the manifest of the release as JSON to this file; - for standard output.
    quiet
        No progress, no sentences.
    """
    from rich.text import Text

    from paranym.choice import ask
    from paranym.cli.output import check_target, complete, write_json
    from paranym.cli.show import note_compilation, out, show_front, telling, watch
    from paranym.cli.show_release import show_release
    from paranym.cli.show_report import show_report
    from paranym.datasets import adult
    from paranym.errors import BadInput
    from paranym.releases.releasing import release
    from paranym.reporting import account_of, save_report
    from paranym.workbench import Problem, approach, save_front_plot

    check_target(json)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"Cannot make the folder {str(folder)!r}: {error.strerror}.") from error
    silent = quiet or str(json) == "-"
    problem = Problem.from_recipe(adult())
    alone = int(problem.frequency.counts[problem.frequency.counts == 1].sum())
    if not silent:
        out.print(
            Text(f"Adult: {problem.rows:,} people of the 1994 US census. By ")
            + Text(
                f"{', '.join(problem.attributes)} alone, {alone:,} of them ({alone / problem.rows:.0%}) are unique.\n"
            )
        )
    note_compilation(quiet=silent)
    front = watch(approach(problem), quiet=silent)
    if not silent:
        show_front(front)
    write_json(front.as_dict(), folder / "front.json")
    for plot in (folder / "front.html", folder / "front.png"):
        with complete(plot) as partial:
            save_front_plot(front, partial)
    point, file, page = ask(front, min_k=_K).point, folder / f"adult-k{_K}.csv", folder / "report.html"
    with telling("releasing", quiet=silent) as tell:
        released = release(problem, point, file, overwrite=True, chosen={"k": _K}, tell=tell)
    with telling("reporting", quiet=silent) as tell:
        command = f"paranym release recipe.toml --k {_K} --out {file.name}"
        found = account_of(problem, front, point=point, release=released, command=command, tell=tell)
        save_report(found, [page], overwrite=True)
    if json is not None:
        write_json(dict(released.manifest or {}), json)
    if silent:
        return
    out.print(Text(f"\nNow one of these choices, the one that loses least with k = {_K}, as a file:\n"))
    show_release(released)
    show_report(found, [page], gist=False)
    out.print(
        Text(f"The trade-off as a picture: {folder / 'front.html'} (or front.png); as data: {folder / 'front.json'}")
    )
