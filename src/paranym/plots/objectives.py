"""Plots of a front with three or more objectives: any two as axes, a third as colour."""

from collections.abc import Sequence
from pathlib import Path

import altair as alt

from paranym.plots.axes import INK, K_TITLE, dressed
from paranym.plots.saving import check_plot_format, save_plot
from paranym.results.curve import Curve, value_of
from paranym.results.front import Point
from paranym.wording.numbers import counted, percent

_TITLES = {
    "k": K_TITLE,
    "weighted_k": "weighted k: expected class size of a row",
    "weighted_l": "weighted l: expected diversity of a row's class",
    "l": "l: every class is l-diverse",
    "d1": "d1: size of the first class that is kept",
    "d2": "d2: diversity of the first class that is kept",
    "loss": "information loss",
    "gl": "generalization loss",
    "sl": "suppression loss",
    "suppression": "suppressed rows",
}
_SHARES = ("loss", "gl", "sl")
_COUNTS = ("k", "weighted_k", "d1")
_STEPS = 60


def save_objectives_plot(
    points: Sequence[Point], path: Path, *, axes: Sequence[str], curve: Curve | None = None, k_means: str = K_TITLE
) -> None:
    """Write the plot as HTML (self-contained, works offline), PNG, SVG or PDF, by the suffix of `path`."""
    check_plot_format(path)
    save_plot(dressed(objectives_plot(points, axes=axes, curve=curve, k_means=k_means)), path)


def objectives_plot(
    points: Sequence[Point],
    *,
    axes: Sequence[str],
    title: str = "Privacy and information loss",
    curve: Curve | None = None,
    k_means: str = K_TITLE,
) -> alt.LayerChart:
    """Return a chart of points by two objectives, with a third as the colour if `axes` has three names.

    Counts such as k have logarithmic axes. `k_means` is the title of k, which may count people. A fitted curve is drawn
    over the range that it was fitted to.
    """
    across, up, *colour = axes
    rows = [{name: value_of(point, name) for name in axes} for point in points]
    dots = alt.Chart(alt.InlineData(values=rows)).mark_point(filled=True, size=55, opacity=0.85, color="#0f766e")
    shade = {}
    if colour and rows:
        scale = alt.Scale(scheme="viridis", reverse=True)
        legend = alt.Legend(title=_title(colour[0], k_means), format=_format(colour[0]))
        shade = {"color": alt.Color(f"{colour[0]}:Q", scale=scale, legend=legend)}
    tips = [alt.Tooltip(f"{name}:Q", format=_format(name)) for name in axes]
    layers = [dots.encode(x=_x(across, k_means), y=_y(up, k_means), tooltip=tips, **shade)]
    if curve is not None:
        layers.append(_drawn_curve(curve, across, up, k_means))
    lines = [f"{counted(len(points), 'non-dominated solution')}."]
    if curve is not None:
        lines.append(f"Fitted: {curve.formula} ({percent(curve.explained)} of the variance).")
    heading = alt.TitleParams(title, subtitle=lines, color=INK, subtitleColor="#64748b")
    description = f"{_title(up, k_means)} against {_title(across, k_means)} for {counted(len(points), 'solution')}."
    chart: alt.LayerChart = alt.LayerChart(layer=layers, title=heading, description=description)
    return chart.properties(width=560, height=360)


def _drawn_curve(curve: Curve, across: str, up: str, k_means: str) -> alt.Chart:
    ratio = curve.most / curve.least
    values = [min(max(curve.least * ratio ** (step / _STEPS), curve.least), curve.most) for step in range(_STEPS + 1)]
    rows = [{across: value, up: curve.loss_at(value)} for value in values]
    line = alt.Chart(alt.InlineData(values=rows)).mark_line(color="#b45309", strokeDash=[5, 3], aria=False)
    drawn: alt.Chart = line.encode(x=_x(across, k_means), y=_y(up, k_means))
    return drawn


def _x(name: str, k_means: str) -> alt.X:
    return alt.X(f"{name}:Q", scale=_scale(name), axis=_axis(name), title=_title(name, k_means))


def _y(name: str, k_means: str) -> alt.Y:
    return alt.Y(f"{name}:Q", scale=_scale(name), axis=_axis(name), title=_title(name, k_means))


def _axis(name: str) -> alt.Axis:
    if name in ("l", "d2", "suppression"):
        return alt.Axis(format=_format(name), tickMinStep=1)
    return alt.Axis(format=_format(name))


def _scale(name: str) -> alt.Scale:
    return alt.Scale(type="log", nice=False, padding=12) if name in _COUNTS else alt.Scale(zero=False)


def _format(name: str) -> str:
    return ".0%" if name in _SHARES else ",.3~s" if name in _COUNTS else ".3~g"


def _title(name: str, k_means: str) -> str:
    title = k_means if name == "k" else _TITLES.get(name, name)
    return f"{title} (log scale)" if name in _COUNTS else title
