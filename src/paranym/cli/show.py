"""How fronts look in a terminal."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.style import Style
from rich.table import Table
from rich.text import Text

from paranym.errors import BadInput
from paranym.kernels._jit import is_compiled
from paranym.model.front import Front

out = Console()
notes = Console(stderr=True)
"""Progress and remarks: standard output stays clean for results."""


def note_compilation(*, quiet: bool) -> None:
    """Say once, on a fresh installation, why nothing moves for a while."""
    if not quiet and not is_compiled():
        notes.print("First run: compiling the kernels for this machine, about half a minute ...", style="dim")


def watch(fronts: Iterator[Front], *, quiet: bool) -> Front:
    """Follow a search with a progress bar; Ctrl-C keeps the last front."""
    front: Front | None = None
    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=32),
        MofNCompleteColumn(),
        TextColumn("nodes, {task.fields[points]} points"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=notes, disable=quiet, transient=True) as progress:
        task = progress.add_task("searching", total=None, points=0)
        try:
            for front in fronts:
                progress.update(task, total=front.lattice_nodes, completed=front.evaluated_nodes, points=len(front))
        except KeyboardInterrupt:
            if front is None:
                raise
            notes.print("Stopped. This is what was found so far; it may not be complete.", style="yellow")
    if front is None:
        raise AssertionError("a search yields at least one step")
    return front


def show_front(front: Front) -> None:
    """Print a front as a table."""
    table = Table(title=None, box=None, pad_edge=False, header_style="bold", collapse_padding=True)
    for name in ("#", "k", "loss", "suppressed"):
        table.add_column(name, justify="right")
    for name in front.heights:
        table.add_column(Text(name), justify="right", overflow="fold")
    table.add_column("ties", justify="right")
    for number, point in enumerate(front, start=1):
        levels = [_level(level, front.heights[name]) for name, level in point.levels.items()]
        ties = f"+{len(point.alternatives)}" if point.alternatives else ""
        table.add_row(str(number), f"{point.k:,}", f"{point.loss_fraction:.2%}", f"{point.suppressed:,}", *levels, ties)
    out.print(table)
    out.print()
    out.print(Text(front.summary() + "."))
    out.print(
        Text("Columns of attributes show the level each is raised to: 0 is untouched, ", style="dim")
        + Text(", ".join(f"{name} {height}" for name, height in front.heights.items()), style="dim")
        + Text(" is fully general.", style="dim")
    )


def write_json(document: dict[str, Any], path: Path) -> None:
    """Write a result as JSON, or to standard output for `-`."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    if str(path) == "-":
        print(text)  # noqa: T201 - asked for
        return
    try:
        path.write_text(text + "\n", encoding="utf-8")
    except OSError as error:
        raise BadInput(f"Cannot write {str(path)!r}: {error.strerror}.") from error


def _level(level: int, height: int) -> Text:
    """A level, the warmer the more general."""
    share = level / height if height else 0.0
    red, green = round(60 + 170 * share), round(170 - 90 * share)
    return Text(str(level), style=Style(color=f"rgb({red},{green},90)"))
