"""Cumulative shares of rows by class size: the insets of Figure 6 of the multi-objective paper."""

from collections.abc import Mapping
from pathlib import Path

import altair as alt
import numpy as np

from paranym.plots.axes import INK, dressed
from paranym.plots.saving import check_plot_format, save_plot
from paranym.results.assessment import Floats, Ints


def save_sizes_plot(sizes: Mapping[str, Ints], path: Path) -> None:
    """Write the plot as HTML (self-contained, works offline), PNG, SVG or PDF, by the suffix of `path`."""
    check_plot_format(path)
    save_plot(dressed(sizes_plot(sizes)), path)


def sizes_plot(sizes: Mapping[str, Ints], *, title: str = "Equivalence class sizes") -> alt.Chart:
    """Return a chart of the share of rows in classes of at most each size; `sizes` has the class sizes by recoding."""
    rows = []
    for name, counts in sizes.items():
        size, share = cumulative(counts)
        rows += [{"size": 1, "share": 0.0, "recoding": name}] if size[0] > 1 else []
        rows += [{"size": a, "share": b, "recoding": name} for a, b in zip(size.tolist(), share.tolist(), strict=True)]
    heading = alt.TitleParams(title, color=INK)
    chart: alt.Chart = (
        alt.Chart(
            alt.InlineData(values=rows),
            title=heading,
            description="Cumulative share of rows by the size of their equivalence class.",
        )
        .mark_line(interpolate="step-after", strokeWidth=2)
        .properties(width=360, height=360)
        .encode(
            x=alt.X(
                "size:Q", scale=alt.Scale(type="log"), axis=alt.Axis(format="~s"), title="rows in an equivalence class"
            ),
            y=alt.Y("share:Q", axis=alt.Axis(format="%"), title="rows in classes of at most this size"),
            color=alt.Color("recoding:N", sort=list(sizes), title=None),
        )
    )
    return chart


def cumulative(counts: Ints) -> tuple[Ints, Floats]:
    """Return the class sizes that occur, ascending, and the share of rows in classes of at most each size.

    >>> size, share = cumulative(np.array([2, 1, 1, 4]))
    >>> size.tolist(), share.tolist()
    ([1, 2, 4], [0.25, 0.5, 1.0])
    """
    size, classes = np.unique(counts, return_counts=True)
    rows = np.cumsum(size * classes)
    return size, rows / rows[-1]
