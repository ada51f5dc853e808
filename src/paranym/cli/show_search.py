"""How searches for a fixed k look in a terminal."""

from collections.abc import Iterator

from rich.measure import Measurement
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
from rich.table import Table
from rich.text import Text

from paranym.cli.show import UNBOUNDED, level_text, notes, out
from paranym.generalizing import Stage
from paranym.model.generalizations import Generalization, Generalizations

_MOST_ROWS = 20


def follow(stages: Iterator[Stage], *, quiet: bool) -> Stage:
    """Follow a search with a progress bar; Ctrl-C keeps what is known by then, if anything is."""
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
            notes.print("Stopped. These give the k that was asked for; there may be others.", style="yellow")
    if stage is None:
        raise AssertionError("a search yields at least one stage")
    return stage


def show_generalizations(found: Generalizations, *, every: bool) -> None:
    """Print what was found, the best first: the minimal ones, or all."""
    chosen = [each for each in found if every or each.minimal or each is found.best]
    shown = chosen if every else chosen[:_MOST_ROWS]
    table = _table(found, shown, by_attribute=True)
    if Measurement.get(out, out.options.update(max_width=UNBOUNDED), table).maximum > out.width:
        table = _table(found, shown, by_attribute=False)
    out.print(table)
    if len(shown) < len(chosen):
        out.print(Text(f"… and {len(chosen) - len(shown):,} more; --all or --json lists them.", style="dim"))
    tops = ", ".join(f"{name} {height}" for name, height in found.heights.items())
    out.print(Text(f"\nLevels: 0 is untouched; fully general is {tops}.", style="dim"))
    for sentence in sentences(found):
        out.print(Text(sentence))


def sentences(found: Generalizations) -> Iterator[str]:
    """What was found and what it cost, in words."""
    summary = found.summary()
    allowed = f"at most {found.suppression_limit:,} of {found.rows:,} rows left out"
    yield f"{summary[0].upper()}{summary[1:]}, with {allowed}."
    if len(found) > 1:
        first = "".join(f"the least general {name}, then " for name in found.priorities)
        yield f"The best comes first: {first}the least loss ({found.metric})."
        if not found.best.minimal:
            yield "It is not minimal: a less general one gives the same, but ranks lower."
    cost = found.cost
    yield (
        f"{found.algorithm}: {count(cost.checked_nodes, 'node')} checked; {count(cost.scans, 'scan')} of the counted "
        f"table, {count(cost.rollups, 'rollup')}, {count(cost.combinations_read, 'combination')} read."
    )


def count(number: int, noun: str) -> str:
    """A number of things."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _table(found: Generalizations, shown: list[Generalization], *, by_attribute: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("#", "k", "loss", "suppressed"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in found.heights if by_attribute else ():
        table.add_column(Text(name.replace("-", "-\n").replace("_", "_\n")), justify="right", no_wrap=True)
    if not by_attribute:
        table.add_column("levels", no_wrap=True)
    if not all(each.minimal for each in shown):
        table.add_column("minimal")
    for number, each in enumerate(shown, start=1):
        levels = [level_text(level, found.heights[name]) for name, level in each.levels.items()]
        table.add_row(
            str(number),
            f"{each.k:,}",
            f"{each.loss_fraction:.2%}",
            f"{each.suppressed:,}",
            *(levels if by_attribute else [Text(" ").join(levels)]),
            *([] if all(other.minimal for other in shown) else ["yes" if each.minimal else ""]),
        )
    return table
