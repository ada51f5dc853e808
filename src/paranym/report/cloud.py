"""What was evaluated, as a cloud of dots behind a front."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from paranym.model.assessment import Assessments, Floats, Ints
from paranym.model.front import Corner, Front, Point
from paranym.model.wording import counted
from paranym.report.axes import LossAxis
from paranym.report.telling import Levels, told

_MOST = 4_000
_FINEST = (360, 210)
"""Cells across and up: dots that share one cover each other."""


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """Evaluated choices and their losses as fractions, both of one length; few enough to be drawn once thinned."""

    front: Front
    steps: Assessments
    loss: Floats
    evaluated: int
    """How many there were before thinning."""

    @classmethod
    def of(cls, front: Front, evaluated: Assessments) -> "Cloud | None":
        """The choices among what was evaluated; None if the front does not tell what a fraction of loss is."""
        worst = _worst(front)
        if worst is None:
            return None
        steps = evaluated.solutions
        return cls(front, steps, steps.loss / worst, len(steps))

    def extremes(self) -> list[float]:
        """The losses that an axis must make room for: the least, the least that is some, and the most."""
        some = self.loss[self.loss > 0]
        return [float(edge) for losses in (self.loss, some) if len(losses) for edge in (losses.min(), losses.max())]

    def thinned(self, axis: LossAxis) -> "Cloud":
        """The best choice of each cell: its dots would cover each other, or lie close together if there are many."""
        order = np.lexsort((self.loss, -self.steps.k))
        across = np.log(self.steps.k[order]) / np.log(max(self.front.rows, 2))
        up = axis.heights(self.loss[order])
        kept, coarseness = order, 1
        while len(kept) > _MOST or coarseness == 1:
            kept, coarseness = order[_first_of_cells(across, up, coarseness)], 2 * coarseness
        kept.sort()
        return Cloud(self.front, self.steps[kept], self.loss[kept], self.evaluated)

    def rows(self, axis: LossAxis) -> list[dict[str, Any]]:
        """Where each is drawn, and what is told about it."""
        levels = Levels(self.front.heights)
        columns = (self.steps.k, self.loss, self.steps.suppressed, self.steps.levels)
        return [
            {"k": k, "loss": axis.place(loss), "told": told(k, loss, suppressed, levels.told(raised))}
            for k, loss, suppressed, raised in zip(*(column.tolist() for column in columns), strict=True)
        ]

    def remark(self) -> str:
        """How much of what was evaluated is drawn."""
        drawn, all_of_them = len(self.steps), counted(self.evaluated, "evaluated choice")
        if drawn == self.evaluated:
            return f"Behind them: {all_of_them}."
        return f"Behind them: {all_of_them}, thinned to {drawn:,} where they crowd."


def _worst(front: Front) -> float | None:
    """The loss that the fractions of a front are fractions of, if some loss tells."""
    known: list[Point | Corner] = [*front.points, *(front.possible or ())]
    return max((each.loss / each.loss_fraction for each in known if each.loss_fraction > 0), default=None)


def _first_of_cells(across: Floats, up: Floats, coarseness: int) -> Ints:
    """Which places are the first of their cells."""
    columns, lines = (size // coarseness for size in _FINEST)
    cells = np.floor(across * columns) * (lines + 1) + np.floor(np.clip(up, 0, 1) * lines)
    first: Ints = np.unique(cells, return_index=True)[1]
    return first
