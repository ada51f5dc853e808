"""How hierarchies look in a terminal."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from paranym.cli.show import out
from paranym.drafting.leaving import Left
from paranym.model.drawing import draw
from paranym.model.hierarchy import Hierarchy


def show_hierarchy(hierarchy: Hierarchy, left: Sequence[Left], *, alone: bool, written: Path | None = None) -> None:
    """Print a hierarchy as a tree, and what each of its levels leaves.

    `alone`: there is no other quasi-identifier, so that classes are values.
    """
    out.print(Text(hierarchy.attribute, style="bold"))
    out.print(Text(draw(hierarchy, width=out.width)), no_wrap=True, overflow="ellipsis", crop=True)
    for remark in remarks(hierarchy):
        out.print(Text(remark, style="dim"))
    if left:
        out.print()
        out.print(_table(left, alone=alone))
    if written is not None:
        out.print(Text(f"\nWrote {written}: edit it as you like, and name it in the recipe as the hierarchy."))
    out.print()


def as_dict(hierarchy: Hierarchy, left: Sequence[Left]) -> dict[str, Any]:
    """The levels of a hierarchy as JSON; no values are shown."""
    sizes = [len(labels) for labels in hierarchy.labels]
    return {"attribute": hierarchy.attribute, "values": sizes, "levels": [level.as_dict() for level in left]}


def remarks(hierarchy: Hierarchy) -> Iterator[str]:
    """What might be a slip: levels that change nothing."""
    for level in range(1, hierarchy.height + 1):
        if len(hierarchy.labels[level]) == len(hierarchy.labels[level - 1]) > 1:
            yield f"Level {level} groups nothing: it has as many values as level {level - 1}."
        if level < hierarchy.height and len(hierarchy.labels[level]) == 1:
            yield f"Level {level} has one value already: the levels above it say no less."


def _table(left: Sequence[Left], *, alone: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    names = ["level", "values", "in the table", "rows of the rarest"]
    for name in names if alone else [*names, "classes", "unique rows"]:
        table.add_column(Text(name), justify="right")
    for level in left:
        cells = [level.level, level.values, level.occurring, level.smallest]
        table.add_row(*(f"{cell:,}" for cell in (cells if alone else [*cells, level.classes, level.unique])))
    return table
