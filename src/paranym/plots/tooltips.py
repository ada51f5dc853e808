"""Tooltips and descriptions of solutions. Column names are data in them, never part of a formula."""

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from paranym.plots.axes import LossAxis
from paranym.results.front import Front
from paranym.wording.numbers import counted, percent, tabulated


def tooltip(k: int, loss: float, suppressed: int, levels: Mapping[str, str]) -> dict[str, str]:
    """Return the tooltip of a solution: k, information loss, suppressed rows, and the level of each attribute.

    >>> tooltip(1000, 0.25, 3, {"level of age": "2 of 6"})
    {'k': '1,000', 'information loss': '25.00%', 'suppressed rows': '3', 'level of age': '2 of 6'}
    """
    return {"k": f"{k:,}", "information loss": tabulated(loss), "suppressed rows": f"{suppressed:,}", **levels}


class Levels:
    """The levels of a solution by attribute, each with the highest level.

    >>> Levels({"age": 6, "sex": 1}).entries([2, 0])
    {'level of age': '2 of 6', 'level of sex': '0 of 1'}
    """

    def __init__(self, heights: Mapping[str, int]) -> None:
        self._names = distinct(f"level of {plain(name)}" for name in heights)
        self._tops = [f" of {height}" for height in heights.values()]

    def entries(self, levels: Iterable[int]) -> dict[str, str]:
        """Return the entries of one node, attributes in order."""
        return {name: f"{level}{top}" for name, level, top in zip(self._names, levels, self._tops, strict=True)}


def point_rows(front: Front, axis: LossAxis) -> list[dict[str, Any]]:
    """Return the positions, tooltips and descriptions of the points of a front."""
    levels, rows = Levels(front.heights), []
    for point in front:
        entries = levels.entries(point.levels[name] for name in front.heights)
        about = tooltip(point.k, point.loss_fraction, point.suppressed, entries)
        if point.alternatives:
            about["equally good"] = counted(len(point.alternatives), "other generalization")
        words = "; ".join(f"{key}: {value}" for key, value in about.items())
        rows.append({"k": point.k, "loss": axis.place(point.loss_fraction), "tooltip": about, "words": words})
    return rows


def in_words(front: Front) -> str:
    """Return the text alternative of a front: one sentence."""
    if not len(front):
        return "Information loss against k, without any solution."
    best, least = front[0], front[len(front) - 1]
    return (
        f"Information loss against k for {counted(len(front), 'solution')}, from k = {best.k:,} at "
        f"{percent(best.loss_fraction)} to k = {least.k:,} at {percent(least.loss_fraction)}."
    )


def plain(name: str) -> str:
    """Return a name on one line, without characters that a picture cannot show."""
    return "".join(character if character.isprintable() else " " for character in name)


def distinct(names: Iterable[str]) -> list[str]:
    """Return the names, numbered where they repeat.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a #2']
    """
    kept: list[str] = []
    for name in names:
        numbered = (f"{name} #{number}" for number in count(2))
        kept.append(name if name not in kept else next(other for other in numbered if other not in kept))
    return kept
