"""Printing hierarchies to the terminal."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from paranym.cli.terminal import out
from paranym.drafting.level_effects import Left
from paranym.model.drawing import draw
from paranym.model.hierarchy import Hierarchy


def show_hierarchy(hierarchy: Hierarchy, left: Sequence[Left], *, alone: bool, written: Path | None = None) -> None:
    """Print a hierarchy as a tree, and the effect of each of its levels.

    `alone`: there is no other quasi-identifier, so that each value is an equivalence class.
    """
    out.print(Text(hierarchy.attribute, style="bold"))
    for line in draw(hierarchy, width=out.width).split("\n"):
        out.print(Text(line), no_wrap=True, overflow="ellipsis", crop=True)
    for remark in remarks(hierarchy):
        out.print(Text(remark, style="dim"))
    if left:
        out.print()
        out.print(_table(left, alone=alone))
    if written is not None:
        out.print()
        out.print(Text(f"Wrote {written}. Edit it as you like, and name it as the hierarchy in the recipe."))
    out.print()


def as_dict(hierarchy: Hierarchy, left: Sequence[Left]) -> dict[str, Any]:
    """Return the levels of a hierarchy for JSON, without values."""
    sizes = [len(labels) for labels in hierarchy.labels]
    return {"attribute": hierarchy.attribute, "values": sizes, "levels": [level.as_dict() for level in left]}


def remarks(hierarchy: Hierarchy) -> Iterator[str]:
    """Yield remarks on levels that change nothing, which may be mistakes."""
    for level in range(1, hierarchy.height + 1):
        if len(hierarchy.labels[level]) == len(hierarchy.labels[level - 1]) > 1:
            yield f"Level {level} generalizes nothing: it has as many values as level {level - 1}."
        if level < hierarchy.height and len(hierarchy.labels[level]) == 1:
            yield f"Level {level} has a single value already: the levels above it generalize nothing."


def _table(left: Sequence[Left], *, alone: bool) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    names = ["level", "values", "in the table", "rows of the rarest"]
    for name in names if alone else [*names, "classes", "unique rows"]:
        table.add_column(Text(name), justify="right")
    for level in left:
        cells = [level.level, level.values, level.occurring, level.smallest]
        table.add_row(*(f"{cell:,}" for cell in (cells if alone else [*cells, level.classes, level.unique])))
    return table
