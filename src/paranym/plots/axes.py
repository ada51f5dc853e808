"""The axes and the style that all plots of fronts share."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, TypeVar

import altair as alt
import numpy as np

from paranym.measures.catalogue import is_about_cells
from paranym.results.assessment import Floats
from paranym.results.front import Front

_Chart = TypeVar("_Chart", alt.Chart, alt.LayerChart, alt.HConcatChart, alt.VConcatChart)

INK = "#334155"
_K_TITLE = "k: every equivalence class has at least k {}"
K_TITLE = _K_TITLE.format("rows")
_LOW = 0.2
"""An axis is logarithmic by default if half of the losses would lie below this share of a linear one."""
_MARGIN = 0.015
_AXIS: dict[str, Any] = {
    "gridColor": "#e2e8f0",
    "domainColor": "#94a3b8",
    "tickColor": "#94a3b8",
    "labelFontSize": 12,
    "labelColor": INK,
    "titleFontSize": 13,
    "titleFontWeight": "normal",
    "titleColor": INK,
    "titlePadding": 10,
}


def k_title(fronts: Iterable[Front]) -> str:
    """Return the title of k, which counts rows or people."""
    units = {"rows" if front.people is None else "people" for front in fronts}
    return _K_TITLE.format(" or ".join(sorted(units, reverse=True)))


def k_axis(*fronts: Front) -> alt.X:
    """Return a logarithmic axis from 1 to the number of rows, or of people if k counts them."""
    last = max(2, *(front.largest_k for front in fronts))
    return alt.X(
        "k:Q",
        scale=alt.Scale(type="log", domain=[last**-_MARGIN, last ** (1 + _MARGIN)], nice=False),
        axis=alt.Axis(values=_round_numbers(1, last, least_step=1), format=",d"),
        title=f"{k_title(fronts)} (log scale)",
    )


@dataclass(frozen=True, slots=True)
class LossAxis:
    """An axis for losses as fractions: linear, or logarithmic with a loss of 0 at its foot.

    >>> axis = LossAxis.fitting([1.0, 0.1, 0.01, 0.001, 0.0])
    >>> axis.is_logarithmic, axis.place(0.1), 0 < axis.place(0.0) < 0.001
    (True, 0.1, True)
    """

    is_logarithmic: bool
    foot: float
    """On a logarithmic axis: where a loss of 0 is drawn, or the least loss if none is 0."""
    least: float
    most: float

    @classmethod
    def fitting(
        cls, losses: Sequence[float], others: Iterable[float] = (), *, logarithmic: bool | None = None
    ) -> "LossAxis":
        """Return the axis for the losses of points and of others behind them; by default the scale suits the points."""
        drawn = [max(loss, 0.0) for loss in (*losses, *others)]
        some = [loss for loss in drawn if loss > 0]
        if not some:
            return cls(is_logarithmic=False, foot=0.0, least=0.0, most=1.0)
        least, most = min(some), max(some)
        foot = least / max((most / least) ** 0.1, 2.0) if min(drawn) == 0 else least
        crowded = median([loss for loss in losses if loss > 0] or [most]) < _LOW * most
        return cls(is_logarithmic=crowded if logarithmic is None else logarithmic, foot=foot, least=least, most=most)

    def place(self, loss: float) -> float:
        """Return the position of a loss."""
        return max(loss, self.foot) if self.is_logarithmic else loss

    def heights(self, losses: Floats) -> Floats:
        """Return the positions of losses, from 0 at the foot of the axis to 1 at its top."""
        if not self.is_logarithmic:
            return losses / self.most
        return np.log(np.maximum(losses, self.foot) / self.foot) / max(math.log(self.most / self.foot), 1e-9)

    def encoding(self, *metrics: str) -> alt.Y:
        """Return the encoding of the column `loss`."""
        share = "information loss" if all(map(is_about_cells, metrics)) else "share of the largest possible loss"
        title = f"{share} ({' / '.join(metrics)}{', log scale' if self.is_logarithmic else ''})"
        if not self.is_logarithmic:
            return alt.Y("loss:Q", axis=alt.Axis(format="%"), title=title)
        span = max(self.most / self.foot, 2.0)
        labels = f"datum.value < {self.least!r} * 0.999 ? '0' : format(datum.value, '~%')"
        foot = [self.foot] if self.foot < self.least else []
        return alt.Y(
            "loss:Q",
            scale=alt.Scale(type="log", domain=[self.foot * span**-_MARGIN, self.foot * span ** (1 + _MARGIN)]),
            axis=alt.Axis(values=[*foot, *_round_numbers(self.least, self.most)], labelExpr=labels),
            title=title,
        )


def drawn(
    layers: Sequence[alt.Chart], *, k: alt.X, loss: alt.Y, subtitle: list[str], description: str
) -> alt.LayerChart:
    """Return the layers as one chart, in the size and style that all plots share."""
    title = alt.TitleParams("k-anonymity and information loss", subtitle=subtitle, color=INK, subtitleColor="#64748b")
    layered = alt.layer(*layers, title=title, description=description).encode(x=k, y=loss)
    return dressed(layered.properties(width=720, height=420))


def dressed(chart: _Chart) -> _Chart:
    """Return a chart in the fonts and colours that all plots share."""
    clothed: _Chart = (
        chart.properties(padding=12)
        .configure_axis(**_AXIS)
        .configure_title(fontSize=18, subtitleFontSize=13, subtitleLineHeight=17, offset=14, anchor="start")
        .configure_legend(orient="top", title=None, labelFontSize=13, labelColor=INK, labelLimit=0, columnPadding=24)
        .configure_view(stroke=None)
    )
    return clothed


def _round_numbers(first: float, last: float, *, least_step: float = 0.0) -> list[float]:
    """Return ticks of a logarithmic axis: powers of ten; if few, also twice and five times these; else even steps.

    >>> _round_numbers(1, 30162), _round_numbers(3, 60), _round_numbers(1, 3, least_step=1)
    ([1.0, 10.0, 100.0, 1000.0, 10000.0], [5.0, 10.0, 20.0, 50.0], [1, 2, 3])
    """
    decades = range(math.floor(math.log10(first)), math.ceil(math.log10(last)) + 1)
    for factors in ((1,), (1, 2, 5)):
        numbers = [factor * 10.0**decade for decade in decades for factor in factors]
        within = [number for number in numbers if first * 0.999 <= number <= last * 1.001]
        if len(within) >= 3:
            return within
    step = max(_even_step(last - first), least_step)
    return [first] if step == 0 else [step * n for n in range(math.ceil(first / step), math.floor(last / step) + 1)]


def _even_step(span: float) -> float:
    """Return a round step that divides a span into five to ten parts."""
    if span <= 0:
        return 0.0
    power = 10.0 ** math.floor(math.log10(span))
    return power / (5 if span < 2 * power else 2 if span < 5 * power else 1)
