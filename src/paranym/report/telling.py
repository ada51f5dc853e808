"""What tooltips and descriptions tell about choices. Names of columns are data there, never part of a formula."""

from collections.abc import Iterable, Mapping
from itertools import count
from typing import Any

from paranym.model.front import Front
from paranym.model.wording import counted
from paranym.report.axes import LossAxis


def told(k: int, loss: float, suppressed: int, levels: Mapping[str, str]) -> dict[str, str]:
    """A choice in words: its k, its loss as a fraction, what it suppresses, and how far each attribute is raised.

    >>> told(1000, 0.25, 3, {"level of age": "2 of 6"})
    {'k': '1,000', 'loss': '25.00%', 'suppressed rows': '3', 'level of age': '2 of 6'}
    """
    return {"k": f"{k:,}", "loss": f"{loss:.2%}", "suppressed rows": f"{suppressed:,}", **levels}


class Levels:
    """How levels are told: by attribute, each with the highest there is.

    >>> Levels({"age": 6, "sex": 1}).told([2, 0])
    {'level of age': '2 of 6', 'level of sex': '0 of 1'}
    """

    def __init__(self, heights: Mapping[str, int]) -> None:
        self._names = distinct(f"level of {plain(name)}" for name in heights)
        self._tops = [f" of {height}" for height in heights.values()]

    def told(self, levels: Iterable[int]) -> dict[str, str]:
        """The levels of one node, attributes in order."""
        return {name: f"{level}{top}" for name, level, top in zip(self._names, levels, self._tops, strict=True)}


def point_rows(front: Front, axis: LossAxis) -> list[dict[str, Any]]:
    """The points of a front: where they are drawn, and what is told about them."""
    levels, rows = Levels(front.heights), []
    for point in front:
        raised = levels.told(point.levels[name] for name in front.heights)
        about = told(point.k, point.loss_fraction, point.suppressed, raised)
        if point.alternatives:
            about["as good"] = counted(len(point.alternatives), "other node")
        words = "; ".join(f"{key}: {value}" for key, value in about.items())
        rows.append({"k": point.k, "loss": axis.place(point.loss_fraction), "told": about, "words": words})
    return rows


def in_words(front: Front) -> str:
    """A front in one sentence, for those who cannot see it."""
    if not len(front):
        return "Loss against k, without any choice."
    best, least = front[0], front[len(front) - 1]
    return (
        f"Loss against k for {counted(len(front), 'choice')}, from k = {best.k:,} at {best.loss_fraction:.1%} loss "
        f"to k = {least.k:,} at {least.loss_fraction:.1%} loss."
    )


def plain(name: str) -> str:
    """A name on one line, without characters that a picture cannot hold."""
    return "".join(character if character.isprintable() else " " for character in name)


def distinct(names: Iterable[str]) -> list[str]:
    """The names, numbered where one comes again.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a #2']
    """
    kept: list[str] = []
    for name in names:
        numbered = (f"{name} #{number}" for number in count(2))
        kept.append(name if name not in kept else next(other for other in numbered if other not in kept))
    return kept
