"""Printing searches for a fixed k to the terminal."""

from collections.abc import Iterator

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from paranym.cli.show.front import fits_terminal, level_cells, level_table, show_levels
from paranym.cli.terminal import notes, out
from paranym.results.generalizations import Generalization, Generalizations
from paranym.search.fixed_k.base import Stage
from paranym.wording.numbers import counted, tabulated

_MOST_ROWS = 20


def follow(stages: Iterator[Stage], *, quiet: bool) -> Stage:
    """Follow a search with a progress bar; Ctrl-C ends it and keeps the solutions found so far, if there are any."""
    stage: Stage | None = None
    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=32),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}; {task.fields[checked]:,} nodes checked"),
    )
    with Progress(*columns, console=notes, disable=quiet, transient=True) as progress:
        task = progress.add_task("searching", total=None, unit="", checked=0)
        try:
            for stage in stages:
                checked = stage.effort.checked
                progress.update(task, total=stage.total, completed=stage.done, unit=stage.unit, checked=checked)
        except KeyboardInterrupt:
            if stage is None or not len(stage.found()):
                raise
            notes.print("Stopped early. These solutions achieve the requested k; there may be others.", style="yellow")
    if stage is None:
        raise AssertionError("a search yields at least one stage")
    return stage


def show_generalizations(found: Generalizations, *, every: bool) -> None:
    """Print the minimal solutions, or all, the best first."""
    chosen = [each for each in found if every or each.minimal or each is found.best]
    shown = chosen if every else chosen[:_MOST_ROWS]
    wide, narrow = (_table(found, shown, by_attribute=each) for each in (True, False))
    fits = fits_terminal(wide)
    out.print(wide if fits else narrow)
    if len(shown) < len(chosen):
        out.print(Text(f"… and {len(chosen) - len(shown):,} more; --all and --json list them.", style="dim"))
    show_levels(found.heights, in_order=not fits)
    for sentence in sentences(found):
        out.print(Text(sentence))


def sentences(found: Generalizations) -> Iterator[str]:
    """Yield sentences on the solutions and on the cost of the search."""
    summary = found.summary()
    yield f"{summary[0].upper()}{summary[1:]}."
    limit = f"At most {found.suppression_limit:,} of {found.rows:,} rows" if found.suppression_limit else "No rows"
    yield f"{limit} may be suppressed."
    if len(found) > 1:
        first = "".join(f"the least general {name}, then " for name in found.priorities)
        yield f"The best solution comes first: {first}the least information loss ({found.metric})."
        if not found.best.minimal:
            yield "It is not minimal: a less general solution achieves the requested k as well, but ranks lower."
    cost = found.cost
    yield (
        f"{found.algorithm}: {counted(cost.checked_nodes, 'node')} checked; {counted(cost.scans, 'scan')} of the "
        f"counted table, {counted(cost.rollups, 'rollup')}, {counted(cost.combinations_read, 'combination')} read."
    )


def _table(found: Generalizations, shown: list[Generalization], *, by_attribute: bool) -> Table:
    table = level_table(("#", "k", "loss", "suppressed"), found.heights, by_attribute=by_attribute)
    all_minimal = all(each.minimal for each in shown)
    if not all_minimal:
        table.add_column("minimal")
    for number, each in enumerate(shown, start=1):
        table.add_row(
            str(number),
            f"{each.k:,}",
            tabulated(each.loss_fraction),
            f"{each.suppressed:,}",
            *level_cells(each.levels, found.heights, by_attribute=by_attribute),
            *([] if all_minimal else ["yes" if each.minimal else "no"]),
        )
    return table
