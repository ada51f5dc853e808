"""How local recodings look in a terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from paranym.cli.show import notes, out
from paranym.comparing import Comparison
from paranym.localizing import LocalStep, Problem, QueryError
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


def show_error(error: QueryError) -> None:
    """Print how far queries are off."""
    told = "all of them truly answered by zero" if error.mean is None else f"off by {error.mean:.1%} on average"
    half = "" if error.median is None else f", half of them by at most {error.median:.1%}"
    out.print(f"{error.queries:,} counting queries: {told}{half}; {error.zero:,} whose true answer is zero left aside.")


def show_comparison(comparison: Comparison, k: Sequence[int]) -> None:
    """Print what every model loses, k by k, the smallest penalty first."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("k", "model", "penalty", "glm", "dcn", "left out", "queries", "s", ""):
        table.add_column(name, justify="left" if name == "model" else "right", no_wrap=True)
    for asked in k:
        for place, each in enumerate(comparison.at(asked)):
            table.add_row(
                f"{asked:,}" if place == 0 else "",
                each.model,
                f"{each.ncp_fraction:.2%}",
                f"{each.glm_fraction:.2%}",
                f"{each.dcn:,.0f}",
                f"{each.suppressed:,}",
                "-" if each.queries.median is None else f"{each.queries.median:.1%}",
                f"{each.seconds:.1f}",
                "best" if place == 0 else "",
            )
    out.print(table)
    out.print(
        Text(
            "\nCertainty penalty and general loss (glm) per cell; discernibility; rows left out; how far the middle "
            "one of random counting queries about three attributes is off; time, for full-domain of the whole front.",
            style="dim",
        )
    )
