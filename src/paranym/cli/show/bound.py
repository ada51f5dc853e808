"""Printing lower bounds to the terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.progress import Progress, SpinnerColumn, TextColumn
from rich.table import Table
from rich.text import Text

from paranym.cli.terminal import notes, out
from paranym.results.bound import LowerBound
from paranym.wording.numbers import tabulated


@contextmanager
def following(*, quiet: bool) -> Iterator[Callable[[Iterator[LowerBound]], LowerBound]]:
    """Yield a function that follows a search for a bound, and returns its last one; Ctrl-C ends that search."""
    columns = (SpinnerColumn(), TextColumn("k = {task.fields[k]}, pass {task.fields[passes]}: {task.fields[bound]}"))
    with Progress(*columns, console=notes, disable=quiet, transient=True) as progress:
        task = progress.add_task("bounding", total=None, k="", passes=0, bound="")

        def follow(bounds: Iterator[LowerBound]) -> LowerBound:
            last: LowerBound | None = None
            try:
                for last in bounds:
                    progress.update(task, k=f"{last.k:,}", passes=last.passes, bound=tabulated(last.ncp_fraction))
            except KeyboardInterrupt:
                if last is None or last.passes == 0:
                    raise
                notes.print("Stopped early. The bound is valid; further passes would raise it.", style="yellow")
            if last is None:
                raise AssertionError("a search yields at least one step")
            return last

        yield follow


def show_bounds(found: Sequence[LowerBound], *, is_checked: bool) -> None:
    """Print the bound of every k."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("k", "bound", "passes", "s"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in found:
        table.add_row(f"{each.k:,}", tabulated(each.ncp_fraction), str(each.passes), f"{each.seconds:.1f}")
    out.print(table)
    out.print()
    out.print(
        "No recoding with that k has a lower normalized certainty penalty (NCP) per cell, whatever its model: "
        "full-domain, cuts or local, with or without suppression."
    )
    if is_checked:
        out.print("Checked: no box of the table violates a bound.")
    if any(not each.complete for each in found):
        out.print(Text("More --passes may raise the bounds.", style="dim"))
