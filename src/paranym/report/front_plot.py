"""The front as a picture: what every k costs, what was evaluated, and what is proved."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any

import altair as alt

from paranym.model.assessment import Assessments
from paranym.model.front import Corner, Front, Point
from paranym.model.wording import counted
from paranym.report.axes import INK, LossAxis, drawn, k_axis
from paranym.report.cloud import Cloud
from paranym.report.saving import check_plot_format, save_plot
from paranym.report.telling import in_words, point_rows

_UNBEATEN, _EVALUATED, _HOPE = "unbeaten choice", "evaluated choice", "better choices may hide here"
_LOOKS = {_UNBEATEN: ("#0f766e", "circle"), _EVALUATED: ("#94a3b8", "circle"), _HOPE: ("#f2b134", "square")}
_BOUND = "#b45309"

Rows = list[dict[str, Any]]


def save_front_plot(
    front: Front, path: Path, *, cloud: bool | Assessments = True, log_loss: bool | None = None
) -> None:
    """Write the plot as HTML (self-contained, works offline), PNG, SVG or PDF, by the ending of `path`."""
    check_plot_format(path)
    save_plot(front_plot(front, cloud=cloud, log_loss=log_loss), path)


def front_plot(front: Front, *, cloud: bool | Assessments = True, log_loss: bool | None = None) -> alt.LayerChart:
    """Loss against k on a logarithmic axis; the line is the least loss for at least that k.

    Behind it the cloud: what was evaluated, as far as the front holds it, or as given. Where the front is incomplete
    but knows what is possible, the area that may hold better choices is shaded. The loss has a logarithmic axis if
    `log_loss` says so, or if it says nothing and half of the points would crowd at the foot of a plain one.
    """
    evaluated = cloud if isinstance(cloud, Assessments) else front.certificate if cloud else None
    dots = None if evaluated is None else Cloud.of(front, evaluated)
    corners = () if front.complete else front.possible or ()
    behind = [corner.loss_fraction for corner in corners] + ([] if dots is None else dots.extremes())
    axis = LossAxis.fitting([point.loss_fraction for point in front], behind, logarithmic=log_loss)
    look = _look([_UNBEATEN, *([_EVALUATED] if dots else []), *([_HOPE] if corners else [])])
    layers, remarks = [], [_proved(front)]
    if dots is not None:
        dots = dots.thinned(axis)
        layers.append(_dots(dots.rows(axis), look))
        remarks.append(dots.remark())
    if corners:
        layers.extend(_region(_outline(front.points, corners, axis), look))
    layers.extend(_choices(point_rows(front, axis), look))
    return drawn(
        layers,
        k=k_axis(front.rows),
        loss=axis.encoding(front.metric),
        subtitle=[_found(front), *remarks],
        description=" ".join([in_words(front), *remarks]),
    )


def _look(names: list[str]) -> dict[str, Any]:
    """The colour and shape of each kind of mark, and one legend for both unless there is only one kind."""
    colours, shapes = zip(*(_LOOKS[name] for name in names), strict=True)
    legend = alt.Legend(symbolOpacity=1) if len(names) > 1 else None
    return {
        "color": alt.Color("what:N", scale=alt.Scale(domain=names, range=colours), legend=legend),
        "shape": alt.Shape("what:N", scale=alt.Scale(domain=names, range=shapes), legend=legend),
    }


def _chart(rows: Rows, what: str) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=[row | {"what": what} for row in rows]))


def _choices(rows: Rows, look: dict[str, Any]) -> list[alt.Chart]:
    """The line of the least loss for at least some k, and the points."""
    base = _chart(rows, _UNBEATEN)
    line = base.mark_line(interpolate="step-before", color=INK, strokeWidth=1.5, aria=False)
    points = base.mark_point(filled=True, size=75, opacity=1, stroke="white", strokeWidth=0.8)
    return [line, points.encode(tooltip="told:N", description="words:N", **look)]


def _dots(rows: Rows, look: dict[str, Any]) -> alt.Chart:
    """The cloud; silent to screen readers, which would have to listen to thousands."""
    dots = _chart(rows, _EVALUATED).mark_point(filled=True, size=14, opacity=0.45, aria=False)
    encoded: alt.Chart = dots.encode(tooltip="told:N", **look)
    return encoded


def _region(outline: Rows, look: dict[str, Any]) -> list[alt.Chart]:
    """The area that may hold better choices, and the line below which none can be."""
    base = _chart(outline, _HOPE)
    area = base.mark_area(interpolate="step-before", opacity=0.35, aria=False)
    line = base.mark_line(interpolate="step-before", color=_BOUND, strokeDash=[5, 3], strokeWidth=1.5, aria=False)
    return [area.encode(y2="found:Q", color=look["color"]), line]


def _outline(points: Sequence[Point], corners: Sequence[Corner], axis: LossAxis) -> Rows:
    """For every k where something changes: the least loss that is possible, and the least that was found."""
    least_found, least_possible = _least(points, axis.most), _least(corners, axis.most)
    rows = []
    for k in sorted({1, *(point.k for point in points), *(corner.k for corner in corners)}):
        found = least_found(k)
        rows.append({"k": k, "loss": axis.place(min(least_possible(k), found)), "found": axis.place(found)})
    return rows


def _least(corners: Sequence[Point | Corner], otherwise: float) -> Callable[[int], float]:
    """For each k, the least loss of at least that k."""
    falling = sorted(corners, key=lambda corner: -corner.k)
    least = [otherwise, *accumulate((corner.loss_fraction for corner in falling), min)]
    rising = [corner.k for corner in reversed(falling)]
    return lambda k: least[len(rising) - bisect_left(rising, k)]


def _found(front: Front) -> str:
    rivals = "no other beats" if front.complete else "no other found so far beats"
    return (
        f"{counted(len(front), 'choice')} that {rivals}; {counted(front.rows, 'row')}, at most "
        f"{front.suppression_limit:,} of them suppressed, {counted(front.lattice_nodes, 'generalization')}."
    )


def _proved(front: Front) -> str:
    """What is known of choices that are not drawn."""
    if front.complete:
        return "Complete: every other choice is proved to be beaten, so none lies below the line."
    if front.possible is None:
        return "Not proved complete: there may be better choices."
    return "Incomplete: better choices may hide in the shaded area, and none can lie below the dashed line."


__all__ = ["check_plot_format", "front_plot", "save_front_plot"]
