"""Printing local recodings and comparisons to the terminal."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from math import inf, isfinite

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from paranym.cli.terminal import notes, out
from paranym.comparison.models import Candidate, Comparison
from paranym.measures.utility.queries import QueryError
from paranym.problem import Problem
from paranym.results.local_front import LocalFront
from paranym.results.local_result import LocalAssessment
from paranym.search.local.base import LocalStep
from paranym.wording.numbers import counted, figure, percent, tabulated


@contextmanager
def watching(*, quiet: bool) -> Iterator[Callable[[LocalStep], None]]:
    """Show a progress bar, and yield the function that updates it."""
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
    """Print the information loss of a local recoding, for each attribute and in total."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    table.add_column("attribute", no_wrap=True)
    table.add_column("NCP", justify="right", no_wrap=True)
    table.add_column("labels", justify="right", no_wrap=True)
    table.add_column("overlap", no_wrap=True)
    for name, penalty in found.per_attribute.items():
        use = found.labels[name]
        table.add_row(Text(name), tabulated(penalty), f"{use.different:,}", "yes" if use.overlapping else "no")
    out.print(table)
    sizes = counted(found.k, "row") if found.k == found.largest else f"{found.k:,} to {found.largest:,} rows"
    classes = counted(found.classes, "equivalence class", "equivalence classes")
    suppressed = f"{counted(found.suppressed, 'row')} suppressed" if found.suppressed else "no rows suppressed"
    out.print()
    out.print(f"{found.method}: {counted(found.rows - found.suppressed, 'row')} in {classes} of {sizes}; {suppressed}.")
    out.print(
        f"Normalized certainty penalty (NCP) {percent(found.ncp_fraction)}, general loss "
        f"{percent(found.glm_fraction)}, discernibility {found.dcn:,.0f}, C_AVG {found.c_avg:.2f}; "
        f"{found.seconds:.1f} s."
    )
    for requirement, achieved in found.privacy.items():
        out.print(Text(f"{requirement}: achieved {figure(achieved)}"))
    limit = problem.suppression.limit(problem.rows)
    if limit > found.suppressed:
        more = f"The recipe allows {counted(limit, 'suppressed row')}; suppressing more would lose more information."
        out.print(Text(more, style="dim"))


def show_local_front(front: LocalFront) -> None:
    """Print the information loss of the local recoding for each k."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("k", "NCP", "general loss", "classes", "largest", "labels", "suppressed"):
        table.add_column(name, justify="right", no_wrap=True)
    for each in (result.assessment for result in front):
        labels = sum(use.different for use in each.labels.values())
        counts = (each.classes, each.largest, labels, each.suppressed)
        losses = (tabulated(each.ncp_fraction), tabulated(each.glm_fraction))
        table.add_row(f"{each.asked_k:,}", *losses, *(f"{count:,}" for count in counts))
    out.print(table)


def show_error(error: QueryError) -> None:
    """Print the error of queries."""
    queries = counted(error.queries, "counting query", "counting queries")
    if error.mean is None or error.median is None:
        out.print(f"{queries}: no relative error, since the true answer of each is 0.")
        return
    out.print(
        f"{queries}: relative error {percent(error.mean)} on average, {percent(error.median)} median; "
        f"queries with the true answer 0 are not counted ({error.zero:,})."
    )


def show_comparison(comparison: Comparison, k: Sequence[int]) -> None:
    """Print the information loss of every model at every k, the least NCP first; the best of every column is bold."""
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("k", "model", *_FIGURES, "labels", "suppressed", "s"):
        table.add_column(name, justify="left" if name == "model" else "right", no_wrap=True)
    for requested in k:
        found = comparison.at(requested)
        if table.row_count and found:
            table.add_row()
        best = {name: min(map(value, found), default=0.0) for name, (value, _) in _FIGURES.items()}
        for place, each in enumerate(found):
            figures = [
                Text(written(value(each)), style="bold green" if value(each) <= best[name] else "")
                for name, (value, written) in _FIGURES.items()
            ]
            model = Text(each.model, style="bold" if place == 0 else "")
            number = f"{requested:,}" if place == 0 else ""
            labels = f"{sum(use.different for use in each.labels.values()):,}"
            table.add_row(number, model, *figures, labels, f"{each.suppressed:,}", f"{each.seconds:.1f}")
    out.print(table)
    out.print()
    for sentence in _verdicts(comparison, k):
        out.print(Text(sentence))
    for name, why in comparison.skipped.items():
        out.print(Text(f"Skipped: {name}. ", style="yellow") + Text(why))
    out.print(Text(_LEGEND, style="dim"))


def _verdicts(comparison: Comparison, k: Sequence[int]) -> Iterator[str]:
    """Yield sentences on the model that loses least, and on the next command."""
    achieved = [requested for requested in k if comparison.at(requested)]
    winners: dict[str, list[int]] = {}
    for requested in achieved:
        winners.setdefault(comparison.at(requested)[0].model, []).append(requested)
    where = {model: f"at k = {', '.join(map(str, mine))}" for model, mine in winners.items()}
    if len(winners) == 1 and len(achieved) > 1:
        where = dict.fromkeys(winners, "at every k")
    yield "Least NCP: " + "; ".join(f"{model} {place}" for model, place in where.items()) + "."
    if missing := [requested for requested in k if requested not in achieved]:
        yield f"No model achieves k = {', '.join(map(str, missing))}."
    best = comparison.at(achieved[len(achieved) // 2])[0]
    yield f"Release one of them with, for example, --release {best.model}:{best.asked_k} --out FILE."


_FIGURES: dict[str, tuple[Callable[[Candidate], float], Callable[[float], str]]] = {
    "ncp": (lambda each: each.ncp_fraction, tabulated),
    "glm": (lambda each: each.glm_fraction, tabulated),
    "dcn": (lambda each: each.dcn, "{:,.0f}".format),
    "queries": (
        lambda each: inf if each.queries.median is None else each.queries.median,
        lambda error: tabulated(error) if isfinite(error) else "\N{EN DASH}",
    ),
}
"""The compared figures, of which less is better, and their formats."""
_LEGEND = (
    "ncp: normalized certainty penalty; glm: general loss; both per cell. dcn: discernibility. queries: median "
    "relative error of random counting queries about three attributes. labels: different ones in all columns; those of "
    "local recodings may overlap. suppressed: rows. s: processor time; for "
    "full-domain and cuts, that of all k together."
)
