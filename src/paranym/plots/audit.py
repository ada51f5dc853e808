"""Plots of an audit: the share of rows in equivalence classes of each size."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import altair as alt

from paranym.plots.axes import INK
from paranym.plots.saving import check_plot_format, save_plot
from paranym.plots.tooltips import plain
from paranym.results.audit import Audit, ClassSizes
from paranym.wording.numbers import percent

_UNIQUE, _FEW, _MANY = "unique record", "class of fewer than five", "class of five or more"
_LOOKS = {_UNIQUE: "#b45309", _FEW: "#f2b134", _MANY: "#0f766e"}


def save_audit_plot(audit: Audit, path: Path) -> None:
    """Write the plot as HTML (self-contained, works offline), PNG, SVG or PDF, by the suffix of `path`."""
    check_plot_format(path)
    save_plot(audit_plot(audit), path)


def audit_plot(audit: Audit) -> alt.LayerChart:
    """Return a chart of the share of rows in equivalence classes of each size."""
    bars = _bars(audit.sizes)
    x = alt.X(
        "size:N",
        sort=[bar["size"] for bar in bars],
        axis=alt.Axis(labelAngle=0, domain=False, ticks=False),
        title="rows in the equivalence class",
    )
    y = alt.Y("share:Q", axis=alt.Axis(format="%", tickCount=6), title="share of all rows")
    color = alt.Color(
        "kind:N", scale=alt.Scale(domain=list(_LOOKS), range=list(_LOOKS.values())), legend=alt.Legend(title=None)
    )
    base = alt.Chart(alt.InlineData(values=bars)).encode(x=x, y=y)
    drawn = base.mark_bar(cornerRadiusEnd=2).encode(color=color, tooltip="tooltip:N", description="words:N")
    labels = base.mark_text(dy=-7, fontSize=12, color=INK).encode(text="label:N")
    title = alt.TitleParams(
        "Rows by the size of their equivalence class", subtitle=_subtitle(audit), color=INK, subtitleColor="#64748b"
    )
    chart: alt.LayerChart = (
        alt.layer(drawn, labels, title=title, description=" ".join(audit.sentences))
        .properties(width=720, height=420, padding=12)
        .configure_axis(
            gridColor="#e2e8f0",
            domainColor="#94a3b8",
            labelFontSize=12,
            labelColor=INK,
            titleFontSize=13,
            titleFontWeight="normal",
            titleColor=INK,
            titlePadding=10,
        )
        .configure_title(fontSize=18, subtitleFontSize=13, subtitleLineHeight=17, offset=14, anchor="start")
        .configure_legend(orient="top", labelFontSize=13, labelColor=INK, labelLimit=0, columnPadding=24)
        .configure_view(stroke=None)
    )
    return chart


def _subtitle(audit: Audit) -> list[str]:
    names = [plain(name) for name in audit.quasi_identifiers]
    shown = ", ".join(names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
    return [
        f"{audit.rows:,} rows in {audit.sizes.count:,} equivalence classes, k = {audit.k:,}; quasi-identifiers:",
        shown,
    ]


def _bars(sizes: ClassSizes) -> list[dict[str, Any]]:
    """Return one bar for each range of sizes up to the largest class; ranges widen with the size."""
    bars = []
    for least, beyond in pairwise(edges(sizes.largest)):
        chosen = (sizes.sizes >= least) & (sizes.sizes < beyond)
        rows = int(sizes.sizes[chosen] @ sizes.classes[chosen])
        name = f"{least:,}" if beyond == least + 1 else f"{least:,}\N{EN DASH}{beyond - 1:,}"
        tooltip = {
            "class size": name,
            "classes": f"{int(sizes.classes[chosen].sum()):,}",
            "rows": f"{rows:,}",
            "share of rows": percent(rows / sizes.rows),
        }
        bars.append(
            {
                "size": name,
                "share": rows / sizes.rows,
                "kind": _UNIQUE if beyond == 2 else _FEW if beyond <= 5 else _MANY,
                "label": percent(rows / sizes.rows).replace("less than ", "<") if rows else "",
                "tooltip": tooltip,
                "words": "; ".join(f"{key}: {value}" for key, value in tooltip.items()),
            }
        )
    return bars


def edges(largest: int) -> list[int]:
    """Return where ranges begin: 1, 2, 3, 4, 5, then 10, 20, 50, 100, ... until beyond the largest."""
    edges = [1, 2, 3, 4, 5, 10]
    while edges[-1] <= largest:
        edges.append(edges[-1] * 5 // 2 if str(edges[-1]).startswith("2") else edges[-1] * 2)
    return edges
