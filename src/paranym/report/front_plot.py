"""The front as a picture: what every k costs."""

from pathlib import Path
from typing import Any

import altair as alt

from paranym.errors import BadInput
from paranym.model.front import Front

_FORMATS = (".html", ".png", ".svg", ".pdf")
_INK, _ACCENT = "#334155", "#0f766e"


def save_front_plot(front: Front, path: Path) -> None:
    """Write the plot as HTML (self-contained, works offline), PNG, SVG or PDF, by the ending of `path`."""
    check_plot_format(path)
    chart = front_plot(front)
    if path.suffix == ".html":
        chart.save(str(path), inline=True)
    else:
        chart.save(str(path), scale_factor=2)


def check_plot_format(path: Path) -> None:
    """Raise unless the ending of `path` names a format that plots can be written in."""
    if path.suffix not in _FORMATS:
        raise BadInput(f"A plot is written as {', '.join(_FORMATS)}; got {path.name!r}.")


def front_plot(front: Front) -> alt.LayerChart:
    """Loss against k on a logarithmic axis; the line is the least loss for at least that k."""
    data = alt.InlineData(values=[_row(front, number) for number in range(len(front))])
    x = alt.X(
        "k:Q",
        scale=alt.Scale(type="log", nice=False),
        axis=alt.Axis(tickCount=8),
        title="k: every row is one of at least k alike (log scale)",
    )
    y = alt.Y("loss:Q", axis=alt.Axis(format="%"), title=f"share of information lost ({front.metric})")
    base = alt.Chart(data).encode(x=x, y=y)
    tooltip = [
        alt.Tooltip("k:Q", format=","),
        alt.Tooltip("loss:Q", format=".2%", title="loss"),
        alt.Tooltip("suppressed:Q", format=",", title="suppressed rows"),
        *(alt.Tooltip(f"level{j}:N", title=_plain(name)) for j, name in enumerate(front.heights)),
    ]
    line = base.mark_line(interpolate="step-before", color=_INK, strokeWidth=1.5)
    points = base.mark_circle(color=_ACCENT, size=70, opacity=1).encode(tooltip=tooltip)
    known = "complete" if front.complete else "incomplete"
    title = alt.TitleParams(
        "What anonymity costs",
        subtitle=f"{len(front)} choices that no other beats ({known}); {front.rows:,} rows, "
        f"{front.lattice_nodes:,} generalizations, at most {front.suppression_limit:,} rows suppressed",
        anchor="start",
    )
    chart: alt.LayerChart = (
        alt.layer(line, points, title=title, description=_described(front))
        .properties(width=720, height=420)
        .configure_axis(grid=True, gridColor="#e2e8f0", labelFontSize=12, titleFontSize=13, titleColor=_INK)
        .configure_title(fontSize=18, subtitleFontSize=13, subtitleColor="#64748b", color=_INK, offset=12)
        .configure_view(stroke=None)
    )
    return chart


def _row(front: Front, number: int) -> dict[str, Any]:
    point = front[number]
    levels = {
        f"level{j}": f"level {level} of {height}"
        for j, (level, height) in enumerate(zip(point.levels.values(), front.heights.values(), strict=True))
    }
    return {"k": point.k, "loss": point.loss_fraction, "suppressed": point.suppressed, **levels}


def _described(front: Front) -> str:
    """The plot in words, for those who cannot see it."""
    best, least = front[0], front[len(front) - 1]
    return (
        f"Loss against k for {len(front)} choices, from k = {best.k} at {best.loss_fraction:.1%} loss "
        f"to k = {least.k} at {least.loss_fraction:.1%} loss."
    )


def _plain(name: str) -> str:
    """A column name as a title: nothing that the plot grammar would read as its own."""
    return name.replace("\n", " ")
