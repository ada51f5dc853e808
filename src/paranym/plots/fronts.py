"""Several fronts in one plot: other suppression rules, methods or metrics."""

from collections.abc import Mapping
from typing import Any

import altair as alt

from paranym.errors import BadInput
from paranym.plots.axes import LossAxis, drawn, k_axis
from paranym.plots.tooltips import distinct, in_words, plain, point_rows
from paranym.results.front import Front
from paranym.wording.numbers import counted

_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#a04a86", "#000000", "#b58900")
"""Distinguishable with colour vision deficiencies, after Okabe and Ito."""
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_DASHES = ([1, 0], [7, 3], [2, 2], [9, 3, 2, 3], [4, 4], [12, 4])
_SIZES = (220, 90, 48, 28, 18, 12)
"""The first is the largest, so that points at the same position surround each other."""


def compare_plot(fronts: Mapping[str, Front], *, log_loss: bool | None = None) -> alt.LayerChart:
    """Return a chart of fronts by name, each with its own colour, shape and dash; shared points surround each other.

    >>> compare_plot({})
    Traceback (most recent call last):
    paranym.errors.BadInput: A comparison shows 1 to 6 fronts; got 0.
    """
    if not 1 <= len(fronts) <= len(_SHAPES):
        raise BadInput(f"A comparison shows 1 to {len(_SHAPES)} fronts; got {len(fronts)}.")
    labels = _labels(fronts)
    axis = LossAxis.fitting([point.loss_fraction for front in fronts.values() for point in front], logarithmic=log_loss)
    look = _look(labels)
    return drawn(
        [
            mark
            for number, (label, front) in enumerate(zip(labels, fronts.values(), strict=True))
            for mark in _marks(point_rows(front, axis), label, number, look)
        ],
        k=k_axis(*fronts.values()),
        loss=axis.encoding(*sorted({front.metric for front in fronts.values()})),
        subtitle=[_setting(fronts)],
        description=" ".join(f"{label}: {in_words(each)}" for label, each in zip(labels, fronts.values(), strict=True)),
    )


def _look(labels: list[str]) -> dict[str, Any]:
    """Return the colour and shape of each front, with one legend for both."""
    legend = alt.Legend(columns=2, labelLimit=420)
    colours, shapes = _COLOURS[: len(labels)], _SHAPES[: len(labels)]
    return {
        "color": alt.Color("front:N", scale=alt.Scale(domain=labels, range=colours), legend=legend),
        "shape": alt.Shape("front:N", scale=alt.Scale(domain=labels, range=shapes), legend=legend),
    }


def _marks(rows: list[dict[str, Any]], label: str, number: int, look: dict[str, Any]) -> list[alt.Chart]:
    """Return the line and the points of one front."""
    values = [
        row | {"front": label, "tooltip": {"front": label} | row["tooltip"], "words": f"{label}; {row['words']}"}
        for row in rows
    ]
    base = alt.Chart(alt.InlineData(values=values)).encode(color=look["color"])
    line = base.mark_line(interpolate="step-before", strokeDash=_DASHES[number], strokeWidth=1.5, aria=False)
    points = base.mark_point(filled=False, size=_SIZES[number], strokeWidth=1.8, opacity=1)
    return [line, points.encode(shape=look["shape"], tooltip="tooltip:N", description="words:N")]


def _labels(fronts: Mapping[str, Front]) -> list[str]:
    """Return the label of each front in the legend: its name and the number of its points."""
    return distinct(
        f"{plain(name)} ({counted(len(front), 'solution')}{', complete' if front.complete else ''})"
        for name, front in fronts.items()
    )


def _setting(fronts: Mapping[str, Front]) -> str:
    rows = _either({front.rows for front in fronts.values()})
    return f"{rows} rows, at most {_either({front.suppression_limit for front in fronts.values()})} of them suppressed."


def _either(numbers: set[int]) -> str:
    return " or ".join(f"{number:,}" for number in sorted(numbers))
