"""Plots of a front: the information loss at each k, evaluated solutions, and proved bounds."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import altair as alt

from paranym.plots.axes import INK, LossAxis, drawn, k_axis
from paranym.plots.cloud import Cloud
from paranym.plots.saving import check_plot_format, save_plot
from paranym.plots.tooltips import in_words, point_rows
from paranym.results.assessment import Assessments
from paranym.results.front import Corner, Front, Point
from paranym.wording.numbers import counted

_OPTIMAL, _EVALUATED, _OPEN = "non-dominated solution", "evaluated solution", "better solutions are possible here"
_LOOKS = {_OPTIMAL: ("#0f766e", "circle"), _EVALUATED: ("#94a3b8", "circle"), _OPEN: ("#f2b134", "square")}
_BOUND = "#b45309"

Rows = list[dict[str, Any]]


def save_front_plot(
    front: Front, path: Path, *, cloud: bool | Assessments = True, log_loss: bool | None = None
) -> None:
    """Write the plot as HTML (self-contained, works offline), PNG, SVG or PDF, by the suffix of `path`."""
    check_plot_format(path)
    save_plot(front_plot(front, cloud=cloud, log_loss=log_loss), path)


def front_plot(front: Front, *, cloud: bool | Assessments = True, log_loss: bool | None = None) -> alt.LayerChart:
    """Return a chart of information loss against k, on a logarithmic axis; the line is the least loss at each k.

    The cloud behind it shows the evaluated solutions that the front holds, or those that `cloud` gives. If the front is
    incomplete but has bounds, the area that may contain better solutions is shaded. The axis of the loss is logarithmic
    if `log_loss` is true; if it is None, a logarithmic axis is used where half of the points would lie at the foot of a
    linear one.
    """
    evaluated = cloud if isinstance(cloud, Assessments) else front.certificate if cloud else None
    dots = None if evaluated is None else Cloud.of(front, evaluated)
    corners = () if front.complete else front.possible or ()
    behind = [corner.loss_fraction for corner in corners] + ([] if dots is None else dots.extremes())
    axis = LossAxis.fitting([point.loss_fraction for point in front], behind, logarithmic=log_loss)
    look = _look([_OPTIMAL, *([_EVALUATED] if dots else []), *([_OPEN] if corners else [])])
    layers, remarks = [], [_proved(front)]
    if dots is not None:
        dots = dots.thinned(axis)
        layers.append(_dots(dots.rows(axis), look))
        remarks.append(dots.remark())
    if corners:
        layers.extend(_region(_outline(front.points, corners, axis), look))
    layers.extend(_solutions(point_rows(front, axis), look))
    return drawn(
        layers,
        k=k_axis(front),
        loss=axis.encoding(front.metric),
        subtitle=[_found(front), *remarks],
        description=" ".join([in_words(front), *remarks]),
    )


def _look(names: list[str]) -> dict[str, Any]:
    """Return the colour and shape of each kind of mark, with one legend for both unless there is only one kind."""
    colours, shapes = zip(*(_LOOKS[name] for name in names), strict=True)
    legend = alt.Legend(symbolOpacity=1) if len(names) > 1 else None
    return {
        "color": alt.Color("what:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
        "shape": alt.Shape("what:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
    }


def _chart(rows: Rows, what: str) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=[row | {"what": what} for row in rows]))


def _solutions(rows: Rows, look: dict[str, Any]) -> list[alt.Chart]:
    """Return the line of the least loss at each k, and the points."""
    base = _chart(rows, _OPTIMAL)
    line = base.mark_line(interpolate="step-before", color=INK, strokeWidth=1.5, aria=False)
    points = base.mark_point(filled=True, size=75, opacity=1, stroke="white", strokeWidth=0.8)
    return [line, points.encode(tooltip="tooltip:N", description="words:N", **look)]


def _dots(rows: Rows, look: dict[str, Any]) -> alt.Chart:
    """Return the cloud, which is hidden from screen readers because it has thousands of dots."""
    dots = _chart(rows, _EVALUATED).mark_point(filled=True, size=14, opacity=0.45, aria=False)
    encoded: alt.Chart = dots.encode(tooltip="tooltip:N", **look)
    return encoded


def _region(outline: Rows, look: dict[str, Any]) -> list[alt.Chart]:
    """Return the area that may contain better solutions, and the line below which there are none."""
    base = _chart(outline, _OPEN)
    area = base.mark_area(interpolate="step-before", opacity=0.35, aria=False)
    line = base.mark_line(interpolate="step-before", color=_BOUND, strokeDash=[5, 3], strokeWidth=1.5, aria=False)
    return [area.encode(y2="found:Q", color=look["color"]), line]


def _outline(points: Sequence[Point], corners: Sequence[Corner], axis: LossAxis) -> Rows:
    """Return the least possible and the least found loss, at every k where one of them changes."""
    least_found, least_possible = _least(points, axis.most), _least(corners, axis.most)
    rows = []
    for k in sorted({1, *(point.k for point in points), *(corner.k for corner in corners)}):
        found = least_found(k)
        rows.append({"k": k, "loss": axis.place(min(least_possible(k), found)), "found": axis.place(found)})
    return rows


def _least(corners: Sequence[Point | Corner], otherwise: float) -> Callable[[int], float]:
    """Return a function from k to the least loss with at least that k."""
    falling = sorted(corners, key=lambda corner: -corner.k)
    least = [otherwise, *accumulate((corner.loss_fraction for corner in falling), min)]
    rising = [corner.k for corner in reversed(falling)]
    return lambda k: least[len(rising) - bisect_left(rising, k)]


def _found(front: Front) -> str:
    kind = "Pareto-optimal solution" if front.complete else "non-dominated solution"
    return (
        f"{counted(len(front), kind)} among {counted(front.lattice_nodes, 'generalization')} with {front.recodings}; "
        f"{_table(front)}, at most {front.suppression_limit:,} of {'them' if front.people is None else 'the rows'} "
        "suppressed."
    )


def _table(front: Front) -> str:
    rows = counted(front.rows, "row")
    return rows if front.people is None else f"{rows} of {front.everyone}"


def _proved(front: Front) -> str:
    """Return a sentence on solutions that are not drawn."""
    if front.complete:
        return f"Proved complete: no solution with {front.recodings} lies below the line; other recodings may."
    if front.possible is None:
        return "Not proved complete: better solutions may exist."
    return (
        "Incomplete: better solutions may lie in the shaded area; "
        f"no solution with {front.recodings} lies below the dashed line."
    )


__all__ = ["check_plot_format", "front_plot", "save_front_plot"]
