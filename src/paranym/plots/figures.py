"""The pictures of a report: static, without scripts and without text of the table."""

import io
from itertools import pairwise
from typing import Any

import altair as alt

from paranym.plots.audit import edges
from paranym.plots.axes import LossAxis, k_axis
from paranym.plots.saving import check_drawing
from paranym.results.audit import Audit, ClassSizes
from paranym.results.front import Front, Point
from paranym.wording.numbers import counted, percent

INK, FAINT, TEAL, AMBER, SLATE = "#1f2937", "#6b7280", "#0f766e", "#b45309", "#cbd5e1"
_FONT = "Helvetica, Arial, sans-serif"
_WIDTH, _HEIGHT = 640, 300


def front_figure(front: Front, point: Point) -> str:
    """Return the Pareto front as SVG, with the chosen point marked."""
    losses = [each.loss_fraction for each in front]
    axis = LossAxis.fitting(losses, [point.loss_fraction])
    rows = [{"k": each.k, "loss": axis.place(each.loss_fraction)} for each in front]
    base = alt.Chart(alt.InlineData(values=rows))
    line = base.mark_line(interpolate="step-before", color="#94a3b8", strokeWidth=1.5)
    dots = base.mark_point(filled=True, size=42, opacity=1, color=TEAL, stroke="white", strokeWidth=0.7)
    here = {"k": point.k, "loss": axis.place(point.loss_fraction), "label": f"k = {point.k:,}"}
    chosen = alt.Chart(alt.InlineData(values=[here]))
    down = chosen.mark_rule(color=AMBER, strokeDash=[3, 3], strokeWidth=1).encode(y2=alt.value(_HEIGHT))
    ring = chosen.mark_point(size=190, color=AMBER, strokeWidth=2.5, fill="white", opacity=1)
    core = chosen.mark_point(size=60, color=AMBER, filled=True, opacity=1)
    # nothing is drawn below and to the right of a point; at the right edge there is room above and to the left
    at_edge = point.k**4 > max(front.rows, 2) ** 3
    name = chosen.mark_text(
        align="right" if at_edge else "left",
        dx=-14 if at_edge else 14,
        dy=-14 if at_edge else 16,
        fontSize=13,
        fontWeight="bold",
        color=AMBER,
    ).encode(text="label:N")
    layers = [down, line, dots, ring, core, name]
    chart = alt.layer(*layers).encode(x=k_axis(front), y=axis.encoding(front.metric))
    return _drawn(chart.properties(width=_WIDTH, height=_HEIGHT))


def front_in_words(front: Front, point: Point) -> str:
    """Return the text alternative of the front."""
    if not len(front):
        return "There is no other solution to compare with."
    best, least = max(front, key=lambda each: each.k), min(front, key=lambda each: each.loss)
    return (
        f"Information loss against k for {counted(len(front), 'solution')}, from k = {least.k:,} at "
        f"{percent(least.loss_fraction)} to k = {best.k:,} at {percent(best.loss_fraction)}; the chosen solution has "
        f"k = {point.k:,} at {percent(point.loss_fraction)}."
    )


def sizes_figure(before: Audit, after: Audit) -> str:
    """Return the share of rows in classes of each size, before and after, as SVG."""
    rows = [
        {"size": bar["size"], "share": bar[name], "table": name}
        for bar in size_bars(before.sizes, after.sizes)
        for name in ("before", "after")
    ]
    order = [bar["size"] for bar in size_bars(before.sizes, after.sizes)]
    colors = alt.Scale(domain=["before", "after"], range=[SLATE, TEAL])
    bars = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(cornerRadiusEnd=1.5)
        .encode(
            x=alt.X(
                "size:N",
                sort=order,
                title="rows in the equivalence class",
                axis=alt.Axis(labelAngle=-35 if len(order) > 9 else 0, domain=False, ticks=False),
            ),
            xOffset=alt.XOffset("table:N", sort=["before", "after"]),
            y=alt.Y("share:Q", axis=alt.Axis(format="%", tickCount=5), title="share of all rows"),
            color=alt.Color(
                "table:N", scale=colors, legend=alt.Legend(title=None, orient="top", direction="horizontal")
            ),
        )
    )
    return _drawn(bars.properties(width=_WIDTH, height=230))


def size_bars(before: ClassSizes, after: ClassSizes) -> list[dict[str, Any]]:
    """Return the share of rows before and after, for each range of class sizes."""
    bars = []
    for least, beyond in pairwise(edges(max(before.largest, after.largest))):
        name = f"{least:,}" if beyond == least + 1 else f"{least:,}\N{EN DASH}{beyond - 1:,}"
        shares = {
            which: (sizes.rows_below(beyond) - sizes.rows_below(least)) / sizes.rows
            for which, sizes in (("before", before), ("after", after))
        }
        bars.append({"size": name, **shares})
    return bars


def _drawn(chart: alt.LayerChart | alt.Chart) -> str:
    styled = (
        chart.configure(font=_FONT, background="transparent", padding=4)
        .configure_axis(
            gridColor="#e5e7eb",
            domainColor="#9ca3af",
            tickColor="#9ca3af",
            labelFontSize=11.5,
            labelColor=INK,
            titleFontSize=12,
            titleFontWeight="normal",
            titleColor=FAINT,
            titlePadding=8,
        )
        .configure_legend(labelFontSize=12, labelColor=INK, symbolType="square", columnPadding=18)
        .configure_view(stroke=None)
    )
    check_drawing()
    stream = io.StringIO()
    styled.save(stream, format="svg")
    return stream.getvalue()
