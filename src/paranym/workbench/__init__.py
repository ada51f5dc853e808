"""Names resolved to searches, searches run: fronts, and whatever else is asked of a problem, one file each."""

from paranym.workbench.fronts import (
    METHODS,
    Budget,
    Problem,
    approach,
    check_plot_format,
    frontier,
    save_front_plot,
)

__all__ = [
    "METHODS",
    "Budget",
    "Problem",
    "approach",
    "check_plot_format",
    "frontier",
    "save_front_plot",
]
