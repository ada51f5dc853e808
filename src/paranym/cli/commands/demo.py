"""`paranym demo`: the main task on the built-in data, from the table to the report."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

if TYPE_CHECKING:
    from paranym.problem.problem import Problem

_K = 10


def demo(
    *,
    folder: Path = Path("paranym-demo"),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Compute the Pareto front of the Adult census table, write and verify a release with k = 10, and report.

    Parameters
    ----------
    folder
        The folder for all files; created if it does not exist.
    json
        Also write the manifest of the release as JSON to this file; - for standard output.
    quiet
        Print no progress and no result.
    """
    from rich.text import Text

    from paranym.choice import ask
    from paranym.cli.options.files import complete, write_json
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import note_compilation, show_front, showing_progress, watch
    from paranym.cli.show.release import show_release
    from paranym.cli.show.report import show_report
    from paranym.cli.terminal import out
    from paranym.datasets import adult
    from paranym.plots.front import save_front_plot
    from paranym.plots.saving import check_drawing
    from paranym.problem.problem import Problem
    from paranym.releases.releasing import release
    from paranym.report.gathering import account_of
    from paranym.report.writing import save_report
    from paranym.solve.fronts import approach

    output = Output(json=json, quiet=quiet).checked()
    check_drawing()
    _make(folder)
    silent = not output.is_shown
    problem = Problem.from_recipe(adult())
    if not silent:
        out.print(Text(_introduction(problem)))
        out.print()
    note_compilation(quiet=silent)
    front = watch(approach(problem), quiet=silent, keeps=False)
    if not silent:
        show_front(front)
    write_json(front.as_dict(), folder / "front.json")
    for plot in (folder / "front.html", folder / "front.png"):
        with complete(plot) as partial:
            save_front_plot(front, partial)
    point, file, page = ask(front, min_k=_K).point, folder / f"adult-k{_K}.csv", folder / "report.html"
    with showing_progress("releasing", quiet=silent) as tell:
        released = release(problem, point, file, overwrite=True, chosen={"k": _K}, registry=False, tell=tell)
    with showing_progress("reporting", quiet=silent) as tell:
        command = f"paranym release recipe.toml --k {_K} --out {file.name}"
        found = account_of(problem, front, point=point, release=released, command=command, tell=tell)
        save_report(found, [page], overwrite=True)
    output.write(lambda: dict(released.manifest or {}))
    if silent:
        return
    out.print()
    out.print(Text(f"The solution with the least information loss for k = {_K}, as a file:"))
    out.print()
    show_release(released)
    show_report(found, [page], gist=False)
    out.print(
        Text(f"The trade-off as a picture: {folder / 'front.html'} (or front.png); as data: {folder / 'front.json'}")
    )


def _make(folder: Path) -> None:
    from paranym.errors import BadInput

    if "\0" in str(folder):
        raise BadInput(f"Cannot make the folder {str(folder)!r}: there can be no folder of this name.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"Cannot make the folder {str(folder)!r}: {error.strerror}.") from error


def _introduction(problem: "Problem") -> str:
    """Return a sentence about the table: its rows, and how many are unique on the quasi-identifiers."""
    from paranym.wording.numbers import rows_of

    unique = int(problem.frequency.counts[problem.frequency.counts == 1].sum())
    columns = ", ".join(problem.attributes)
    return f"Adult: people of the 1994 US census. {rows_of(unique, problem.rows)} are unique on {columns} alone."
