"""How fronts look in a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.style import Style
from rich.table import Table
from rich.text import Text

from paranym.kernels._jit import is_compiled
from paranym.model.front import Front

out = Console()
notes = Console(stderr=True)
"""Progress and remarks: standard output stays clean for results."""

UNBOUNDED = 10_000
"""Wide enough for any table."""


def note_compilation(*, quiet: bool) -> None:
    """Say once, on a fresh installation, why nothing moves for a while."""
    if not quiet and not is_compiled():
        notes.print("First run: compiling the kernels for this machine, about half a minute ...", style="dim")


@contextmanager
def telling(what: str, *, quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show what is done, and which step of it runs, for as long as it does."""
    if quiet:
        yield lambda _: None
        return
    with notes.status(what) as status:
        yield lambda step: status.update(f"{what}: {step}")


def watch(fronts: Iterator[Front], *, quiet: bool) -> Front:
    """Follow a search with a progress bar; Ctrl-C keeps the last front."""
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
            if front is None:
                raise
            notes.print("Stopped. This is what was found so far; it may not be complete.", style="yellow")
    if front is None:
        raise AssertionError("a search yields at least one step")
    return front


def show_front(front: Front) -> None:
    """Print a front as a table: attributes in columns where the terminal is wide enough, else in one."""
    table = _front_table(front, by_attribute=True)
    if Measurement.get(out, out.options.update(max_width=UNBOUNDED), table).maximum > out.width:
        table = _front_table(front, by_attribute=False)
    out.print(table)
    tops = ", ".join(f"{name} {height}" for name, height in front.heights.items())
    out.print(Text(f"\nLevels: 0 is untouched; fully general is {tops}.", style="dim"))
    out.print(Text(front.summary() + "."))


def _front_table(front: Front, *, by_attribute: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("#", "k", "loss", "suppressed", *front.further):
        table.add_column(name, justify="right", no_wrap=True)
    for name in front.heights if by_attribute else ():
        table.add_column(Text(name.replace("-", "-\n").replace("_", "_\n")), justify="right", no_wrap=True)
    if not by_attribute:
        table.add_column("levels", no_wrap=True)
    if any(point.alternatives for point in front):
        table.add_column("ties", justify="right")
    for number, point in enumerate(front, start=1):
        levels = [level_text(level, front.heights[name]) for name, level in point.levels.items()]
        table.add_row(
            str(number),
            f"{point.k:,}",
            f"{point.loss_fraction:.2%}",
            f"{point.suppressed:,}",
            *(f"{point.values[name]:.4g}" for name in front.further),
            *(levels if by_attribute else [Text(" ").join(levels)]),
            *([f"+{len(point.alternatives)}"] if point.alternatives else []),
        )
    return table


def level_text(level: int, height: int) -> Text:
    """A level, the warmer the more general."""
    share = level / height if height else 0.0
    red, green = round(60 + 170 * share), round(170 - 90 * share)
    return Text(str(level), style=Style(color=f"rgb({red},{green},90)"))
