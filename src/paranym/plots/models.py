"""Recoding models in one plot: the information loss of each at every requested k."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import altair as alt

from paranym.plots.axes import K_TITLE, LossAxis, drawn
from paranym.wording.numbers import tabulated

_LOOKS = {
    "full-domain": ("#0072b2", "circle"),
    "cuts": ("#d55e00", "square"),
    "mondrian": ("#009e73", "triangle-up"),
    "mondrian-relaxed": ("#b58900", "triangle-down"),
    "best": ("#56b4e9", "triangle-right"),
    "top-down": ("#a04a86", "diamond"),
    "bottom-up": ("#000000", "cross"),
}
"""Distinguishable with colour vision deficiencies, after Okabe and Ito; a model looks the same in every plot."""
_BAND = "#cbd5e1"
_MARGIN = 0.04


@dataclass(frozen=True, slots=True)
class Drawn:
    """The result of one model for one k."""

    model: str
    k: int
    """The requested k."""
    loss: float
    """The information loss as a fraction."""
    is_best: bool
    """True if no other model loses less at this k."""
    details: dict[str, str] = field(default_factory=dict)
    """Further entries of the tooltip."""


def model_plot(points: Sequence[Drawn], *, metric: str, subtitle: str) -> alt.LayerChart:
    """Return a chart with a line for every model; the least loss at each k is filled, on one band.

    >>> chart = model_plot([Drawn("cuts", 2, 0.25, True)], metric="ncp", subtitle="Two rows.")
    >>> [layer["mark"]["type"] for layer in chart.to_dict()["layer"]]
    ['line', 'line', 'point', 'point']
    """
    axis = LossAxis.fitting([point.loss for point in points])
    rows = [_row(point, axis) for point in points]
    look = _look(list(dict.fromkeys(point.model for point in points)))
    best = alt.Chart(alt.InlineData(values=[row for row in rows if row["best"]]))
    every = alt.Chart(alt.InlineData(values=rows)).encode(color=look["color"])
    marks: dict[str, Any] = {"size": 80, "strokeWidth": 1.8, "opacity": 1}
    named = {"shape": look["shape"], "tooltip": "tooltip:N", "description": "words:N"}
    return drawn(
        [
            best.mark_line(strokeWidth=12, color=_BAND, strokeCap="round", strokeJoin="round", aria=False),
            every.mark_line(strokeWidth=1.5),
            every.mark_point(filled=False, fill="white", **marks).encode(**named),
            best.mark_point(filled=True, **marks).encode(color=look["color"], **named),
        ],
        k=_k_axis(sorted({point.k for point in points})),
        loss=axis.encoding(metric),
        subtitle=[subtitle, "Filled, on the grey band: the least information loss at this k."],
        description=" ".join(row["words"] for row in rows if row["best"]),
    )


def _row(point: Drawn, axis: LossAxis) -> dict[str, Any]:
    tooltip = {"model": point.model, "k": f"{point.k:,}", "information loss": tabulated(point.loss)} | point.details
    words = "; ".join(f"{key}: {value}" for key, value in tooltip.items()) + "."
    return {
        "model": point.model,
        "k": point.k,
        "loss": axis.place(point.loss),
        "best": point.is_best,
        "tooltip": tooltip,
        "words": words,
    }


def _look(models: list[str]) -> dict[str, Any]:
    """Return the colour and shape of each model, with one legend for both."""
    legend = alt.Legend(columns=len(models), symbolSize=110)
    colours, shapes = zip(*(_LOOKS[model] for model in models), strict=True)
    return {
        "color": alt.Color("model:N", scale=alt.Scale(domain=models, range=list(colours)), legend=legend),
        "shape": alt.Shape("model:N", scale=alt.Scale(domain=models, range=list(shapes)), legend=legend),
    }


def _k_axis(requested: list[int]) -> alt.X:
    """Return an axis from the least to the largest k, with a tick at each."""
    span = max(requested[-1] / requested[0], 2.0)
    return alt.X(
        "k:Q",
        scale=alt.Scale(type="log", domain=[requested[0] * span**-_MARGIN, requested[-1] * span**_MARGIN], nice=False),
        axis=alt.Axis(values=requested, format=",d"),
        title=f"{K_TITLE} (log scale)",
    )
