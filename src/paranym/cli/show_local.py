"""How local recodings look in a terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from paranym.cli.show import notes, out
from paranym.model.local_result import LocalAssessment
from paranym.model.wording import counted
from paranym.workbench.comparing import Candidate, Comparison
from paranym.workbench.localizing import LocalStep, Problem
from paranym.workbench.querying import QueryError


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
    sizes = f"{found.k:,}" if found.k == found.largest else f"{found.k:,} to {found.largest:,}"
    classes = counted(found.classes, "class", "classes")
    out.print(f"\n{found.method}: {counted(found.rows, 'row')} in {classes} of {sizes}; nothing suppressed.")
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
    """Print what every model loses, k by k, the smallest penalty first; the best of every column is bold."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("k", "model", *_FIGURES, "left out", "s"):
        table.add_column(name, justify="left" if name == "model" else "right", no_wrap=True)
    for asked in k:
        found = comparison.at(asked)
        if table.row_count and found:
            table.add_row()
        best = {name: min(map(figure, found), default=0.0) for name, (figure, _) in _FIGURES.items()}
        for place, each in enumerate(found):
            figures = [
                Text(form.format(figure(each)), style="bold green" if figure(each) <= best[name] else "")
                for name, (figure, form) in _FIGURES.items()
            ]
            model = Text(each.model, style="bold" if place == 0 else "")
            number = f"{asked:,}" if place == 0 else ""
            table.add_row(number, model, *figures, f"{each.suppressed:,}", f"{each.seconds:.1f}")
    out.print(table)
    out.print()
    for sentence in _verdicts(comparison, k):
        out.print(Text(sentence))
    out.print(Text(_LEGEND, style="dim"))


def _verdicts(comparison: Comparison, k: Sequence[int]) -> Iterator[str]:
    """Which model loses least, and where to go from there."""
    reached = [asked for asked in k if comparison.at(asked)]
    winners: dict[str, list[int]] = {}
    for asked in reached:
        winners.setdefault(comparison.at(asked)[0].model, []).append(asked)
    told = {model: f"at k = {', '.join(map(str, mine))}" for model, mine in winners.items()}
    if len(winners) == 1 and len(reached) > 1:
        told = dict.fromkeys(winners, "at every k")
    yield "Least penalty: " + "; ".join(f"{model} {where}" for model, where in told.items()) + "."
    if missing := [asked for asked in k if asked not in reached]:
        yield f"No model reaches k = {', '.join(map(str, missing))}."
    best = comparison.at(reached[len(reached) // 2])[0]
    yield f"Release any of them, such as --release {best.model}:{best.asked_k} --out FILE."


_FIGURES: dict[str, tuple[Callable[[Candidate], float], str]] = {
    "penalty": (lambda each: each.ncp_fraction, "{:.2%}"),
    "glm": (lambda each: each.glm_fraction, "{:.2%}"),
    "dcn": (lambda each: each.dcn, "{:,.0f}"),
    "queries": (lambda each: inf if each.queries.median is None else each.queries.median, "{:.1%}"),
}
"""What is compared: smaller is better."""
_LEGEND = (
    "penalty, glm: certainty penalty and general loss per cell. dcn: discernibility. queries: half of 1,000 random "
    "counts about three attributes are off by at most so much. left out: rows. s: processor time, of full-domain and "
    "cuts for all k together."
)
