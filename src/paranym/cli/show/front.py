"""Printing fronts to the terminal."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.style import Style
from rich.table import Table
from rich.text import Text

from paranym.cli.terminal import notes, out, stacked
from paranym.kernels._jit import is_compiled
from paranym.results.front import Front
from paranym.wording.numbers import tabulated

_UNBOUNDED = 10_000
"""A width that is enough for any table."""


def note_compilation(*, quiet: bool) -> None:
    """Explain the delay of the first run, which compiles the kernels."""
    if not quiet and not is_compiled():
        notes.print("First run: compiling the kernels for this machine, about half a minute ...", style="dim")


def show_private(path: Path) -> None:
    """Print that a file must not be published."""
    out.print(Text(f"Private: {path}, which holds values of the original table.", style="yellow"))


@contextmanager
def showing_progress(what: str, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show a task and its current step, and yield the function that names the step."""
    if quiet:
        yield lambda _: None
        return
    with notes.status(what) as status:
        yield lambda step: status.update(f"{what}: {step}")


def watch(fronts: Iterator[Front], *, quiet: bool, keeps: bool = True) -> Front:
    """Follow a search with a progress bar; with `keeps`, Ctrl-C returns the last front."""
    front: Front | None = None
    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=32),
        MofNCompleteColumn(),
        TextColumn("nodes decided, {task.fields[evaluated]} evaluated, {task.fields[points]} points"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=notes, disable=quiet, transient=True) as progress:
        task = progress.add_task("searching", total=None, evaluated=0, points=0)
        try:
            for front in fronts:
                progress.update(
                    task,
                    total=front.lattice_nodes,
                    completed=front.decided_nodes,
                    evaluated=front.evaluated_nodes,
                    points=len(front),
                )
        except KeyboardInterrupt:
            if front is None or not keeps:
                raise
            notes.print("Stopped. These are the solutions found so far; the front may be incomplete.", style="yellow")
    if front is None:
        raise AssertionError("a search yields at least one step")
    return front


def show_front(front: Front) -> None:
    """Print a front as a table: attributes in columns where the terminal is wide enough, else in one."""
    wide, narrow = (_front_table(front, by_attribute=each) for each in (True, False))
    fits = fits_terminal(wide)
    out.print(wide if fits else narrow)
    show_levels(front.heights, in_order=not fits)
    out.print(Text(front.summary() + "."))
    if front.floor is not None:
        floor = ", ".join(f"{name} {level}" for name, level in front.floor.items())
        out.print(Text(f"Counted at {floor}, which fits memory; below that the engine counted again."))


def fits_terminal(table: Table) -> bool:
    """Return whether the table fits the width of the terminal."""
    return Measurement.get(out, out.options.update(max_width=_UNBOUNDED), table).maximum <= out.width


def show_levels(heights: Mapping[str, int], *, in_order: bool) -> None:
    """Print the meaning of the levels of a table; `in_order` if its columns do not name the attributes."""
    tops = ", ".join(f"{name} {height}" for name, height in heights.items())
    order = ", in the same order," if in_order else ""
    out.print()
    out.print(Text(f"Levels: 0 is untouched; fully general is{order} {tops}.", style="dim"))


def level_table(figures: Iterable[str], heights: Mapping[str, int], *, by_attribute: bool) -> Table:
    """Return an empty table: a column for each figure, and one for each attribute or one for all levels."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in figures:
        table.add_column(name, justify="right", no_wrap=True)
    for name in heights if by_attribute else ():
        table.add_column(stacked(re.split(r"(?<=[-_])(?=.)", name)), justify="right", no_wrap=True)
    if not by_attribute:
        table.add_column("levels", no_wrap=True)
    return table


def level_cells(levels: Mapping[str, int], heights: Mapping[str, int], *, by_attribute: bool) -> list[Text]:
    """Return the levels in one row of a level table."""
    cells = [_level_text(level, heights[name]) for name, level in levels.items()]
    return cells if by_attribute else [Text(" ").join(cells)]


def _front_table(front: Front, *, by_attribute: bool) -> Table:
    figures = ("#", "k", "loss", "suppressed", *front.further)
    table = level_table(figures, front.heights, by_attribute=by_attribute)
    if any(point.alternatives for point in front):
        table.add_column("ties", justify="right")
    for number, point in enumerate(front, start=1):
        table.add_row(
            str(number),
            f"{point.k:,}",
            tabulated(point.loss_fraction),
            f"{point.suppressed:,}",
            *(f"{point.values[name]:.4g}" for name in front.further),
            *level_cells(point.levels, front.heights, by_attribute=by_attribute),
            *([f"+{len(point.alternatives)}"] if point.alternatives else []),
        )
    return table


def _level_text(level: int, height: int) -> Text:
    """Return a level, in a warmer colour the more general it is."""
    share = level / height if height else 0.0
    red, green = round(60 + 170 * share), round(170 - 90 * share)
    return Text(str(level), style=Style(color=f"rgb({red},{green},90)"))
