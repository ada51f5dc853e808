"""How local recodings look in a terminal."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from paranym.cli.show import notes, out
from paranym.localizing import LocalStep, Problem
from paranym.model.local import LocalAssessment


@contextmanager
def watching(*, quiet: bool) -> Iterator[Callable[[LocalStep], None]]:
    """A progress bar that hears how far an algorithm has come."""
    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=32),
        MofNCompleteColumn(),
        TextColumn("{task.fields[groups]} groups"),
    )
    with Progress(*columns, console=notes, disable=quiet, transient=True) as progress:
        task = progress.add_task("reading", total=None, groups=0)

        def tell(step: LocalStep) -> None:
            progress.update(
                task, description=step.phase, total=step.total, completed=step.done, groups=f"{step.groups:,}"
            )

        yield tell


def show_local(found: LocalAssessment, problem: Problem) -> None:
    """Print what a local recoding loses, attribute by attribute and in all."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    table.add_column("attribute", no_wrap=True)
    table.add_column("certainty penalty", justify="right", no_wrap=True)
    for name, penalty in found.per_attribute.items():
        table.add_row(Text(name), f"{penalty:.2%}")
    out.print(table)
    out.print(
        f"\n{found.method}: {found.rows:,} rows in {found.classes:,} classes of {found.k:,} to {found.largest:,}; "
        "nothing suppressed."
    )
    out.print(
        f"certainty penalty {found.ncp_fraction:.2%} per cell, general loss {found.glm_fraction:.2%}, "
        f"discernibility {found.dcn:,.0f}, C_AVG {found.c_avg:.2f}; {found.seconds:.1f} s."
    )
    for demand, reached in found.privacy.items():
        out.print(Text(f"{demand}: reached {reached:.4g}"))
    if problem.suppression.limit(problem.rows):
        out.print(Text("The recipe would allow rows to be suppressed; local recoding keeps all of them.", style="dim"))
