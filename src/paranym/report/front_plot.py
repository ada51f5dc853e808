"""The front as a picture: what every k costs."""

import json
import re
from pathlib import Path
from typing import Any, Literal

import altair as alt

from paranym.errors import BadInput
from paranym.model.front import Front

_FORMATS: dict[str, Literal["html", "png", "svg", "pdf"]] = {
    ".html": "html",
    ".png": "png",
    ".svg": "svg",
    ".pdf": "pdf",
}
_INK, _ACCENT = "#334155", "#0f766e"


def save_front_plot(front: Front, path: Path) -> None:
    """Write the plot as HTML (self-contained, works offline), PNG, SVG or PDF, by the ending of `path`."""
    check_plot_format(path)
    chart = front_plot(front)
    kind = _FORMATS[path.suffix.lower()]
    if kind == "html":
        path.write_text(chart.to_html(inline=True, json_kwds={"cls": _ScriptSafe}), encoding="utf-8")
    else:
        chart.save(str(path), format=kind, scale_factor=2 if kind == "png" else 1)  # others scale by themselves


def check_plot_format(path: Path) -> None:
    """Raise unless the ending of `path` names a format that plots can be written in."""
    if path.suffix.lower() not in _FORMATS:
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
    line = base.mark_line(interpolate="step-before", color=_INK, strokeWidth=1.5)
    points = base.mark_circle(color=_ACCENT, size=70, opacity=1).encode(tooltip="told:N", description="words:N")
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


class _ScriptSafe(json.JSONEncoder):
    """JSON that stays data inside a page: no name of a column can end the script that it stands in."""

    def encode(self, o: Any) -> str:
        return re.sub("[<>&]", lambda mark: f"\\u{ord(mark[0]):04x}", super().encode(o))


def _row(front: Front, number: int) -> dict[str, Any]:
    """A point, and what is told about it; names of columns are data there, never part of an expression."""
    point = front[number]
    told = {
        "k": f"{point.k:,}",
        "loss": f"{point.loss_fraction:.2%}",
        "suppressed rows": f"{point.suppressed:,}",
        **{f"level of {_plain(name)}": f"{level} of {front.heights[name]}" for name, level in point.levels.items()},
    }
    words = "; ".join(f"{key}: {value}" for key, value in told.items())
    return {"k": point.k, "loss": point.loss_fraction, "told": told, "words": words}


def _described(front: Front) -> str:
    """The plot in words, for those who cannot see it."""
    best, least = front[0], front[len(front) - 1]
    return (
        f"Loss against k for {len(front)} choices, from k = {best.k} at {best.loss_fraction:.1%} loss "
        f"to k = {least.k} at {least.loss_fraction:.1%} loss."
    )


def _plain(name: str) -> str:
    """A column name on one line, without characters that a picture cannot hold."""
    return "".join(character if character.isprintable() else " " for character in name)
