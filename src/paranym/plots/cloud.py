"""Evaluated solutions as a cloud of dots behind a front."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from paranym.plots.axes import LossAxis
from paranym.plots.tooltips import Levels, tooltip
from paranym.results.assessment import Assessments, Floats, Ints
from paranym.results.front import Corner, Front, Point
from paranym.wording.numbers import counted

_MOST = 4_000
_FINEST = (360, 210)
"""Cells across and up; dots in the same cell would cover each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """Evaluated solutions and their losses as fractions, of equal length; `thinned` leaves few enough to draw."""

    front: Front
    steps: Assessments
    loss: Floats
    evaluated: int
    """The number of solutions before thinning."""

    @classmethod
    def of(cls, front: Front, evaluated: Assessments) -> "Cloud | None":
        """Return the evaluated solutions, or None if the largest possible loss cannot be derived from the front."""
        worst = _worst(front)
        if worst is None:
            return None
        steps = evaluated.solutions
        return cls(front, steps, steps.loss / worst, len(steps))

    def extremes(self) -> list[float]:
        """Return the losses that an axis must cover: the least, the least above 0, and the largest."""
        some = self.loss[self.loss > 0]
        return [float(edge) for losses in (self.loss, some) if len(losses) for edge in (losses.min(), losses.max())]

    def thinned(self, axis: LossAxis) -> "Cloud":
        """Return the best solution of each cell, whose dots would cover each other; cells grow until they are few."""
        order = np.lexsort((self.loss, -self.steps.k))
        across = np.log(self.steps.k[order]) / np.log(max(self.front.rows, 2))
        up = axis.heights(self.loss[order])
        kept, coarseness = order, 1
        while len(kept) > _MOST or coarseness == 1:
            kept, coarseness = order[_first_of_cells(across, up, coarseness)], 2 * coarseness
        kept.sort()
        return Cloud(self.front, self.steps[kept], self.loss[kept], self.evaluated)

    def rows(self, axis: LossAxis) -> list[dict[str, Any]]:
        """Return the position and the tooltip of each solution."""
        levels = Levels(self.front.heights)
        columns = (self.steps.k, self.loss, self.steps.suppressed, self.steps.levels)
        return [
            {"k": k, "loss": axis.place(loss), "tooltip": tooltip(k, loss, suppressed, levels.entries(node))}
            for k, loss, suppressed, node in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def remark(self) -> str:
        """Return a sentence that says how many evaluated solutions are drawn."""
        drawn, all_of_them = len(self.steps), counted(self.evaluated, "evaluated solution")
        if drawn == self.evaluated:
            return f"Behind them: {all_of_them}."
        return f"Behind them: {all_of_them}, thinned to {drawn:,} dots."


def _worst(front: Front) -> float | None:
    """Return the largest possible loss, if some point has a loss above 0 to derive it from."""
    known: list[Point | Corner] = [*front.points, *(front.possible or ())]
    return max((each.loss / each.loss_fraction for each in known if each.loss_fraction > 0), default=None)


def _first_of_cells(across: Floats, up: Floats, coarseness: int) -> Ints:
    """Return the positions that are the first of their cells."""
    columns, lines = (size // coarseness for size in _FINEST)
    cells = np.floor(across * columns) * (lines + 1) + np.floor(np.clip(up, 0, 1) * lines)
    first: Ints = np.unique(cells, return_index=True)[1]
    return first
