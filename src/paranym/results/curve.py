"""A front as a formula: a polynomial fitted to its points (section 7.5 of the multi-objective paper)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from paranym.errors import BadInput
from paranym.model.values import is_whole
from paranym.results.front import Front, Point


@dataclass(frozen=True, slots=True)
class Curve:
    """The loss, as a fraction, as a function of log10 of a privacy value; valid for one table only.

    >>> Curve("k", (0.1, 0.25), 0.99, 1.0, 1000.0).formula
    'loss = 0.1 + 0.25 x, x = log10(k)'
    """

    privacy: str
    """The privacy value: k or weighted_k."""
    coefficients: tuple[float, ...]
    """Coefficients of x to the power of 0, 1, 2, ..."""
    explained: float
    """The share of the variance of the losses that the curve explains (R squared)."""
    least: float
    most: float
    """The range of the fit; the curve is not defined outside."""

    @property
    def formula(self) -> str:
        """The curve as text."""
        text = f"loss = {self.coefficients[0]:.4g}"
        for power, factor in enumerate(self.coefficients[1:], start=1):
            text += f" {'-' if factor < 0 else '+'} {abs(factor):.4g} x" + (f"^{power}" if power > 1 else "")
        return f"{text}, x = log10({self.privacy})"

    def loss_at(self, value: float) -> float:
        """Return the loss at this privacy value, as a fraction."""
        if not self.least <= value <= self.most:
            raise BadInput(
                f"The curve was fitted from {self.privacy} = {self.least:,.0f} to {self.most:,.0f}; got {value:,}."
            )
        return float(np.polynomial.polynomial.polyval(np.log10(value), self.coefficients))

    def as_dict(self) -> dict[str, Any]:
        """Return the curve as a dictionary for JSON."""
        return {
            "privacy": self.privacy,
            "coefficients": list(self.coefficients),
            "explained": self.explained,
            "from": self.least,
            "to": self.most,
            "formula": self.formula,
        }


def fit(front: Front, *, degree: int = 3, privacy: str = "k") -> Curve:
    """Fit a polynomial of this degree to the points of a front by least squares.

    >>> import paranym as pn
    >>> from paranym.datasets import adult
    >>> curve = fit(pn.frontier(pn.Problem.from_recipe(adult())), degree=2)
    >>> round(curve.loss_at(100), 2), round(curve.explained, 2)
    (0.54, 0.99)
    """
    if privacy not in ("k", "weighted_k"):
        raise BadInput(f"A curve runs along k or weighted_k; got {privacy!r}.")
    if not (is_whole(degree) and degree >= 1):
        raise BadInput(f"The degree of a curve is a positive whole number; got {degree!r}.")
    values = np.array([value_of(point, privacy) for point in front])
    losses = np.array([point.loss_fraction for point in front])
    if len(np.unique(values)) <= degree:
        raise BadInput(f"A curve of degree {degree} takes at least {degree + 1} points; the front has {len(front)}.")
    coefficients = np.polynomial.polynomial.polyfit(np.log10(values), losses, degree)
    missed = losses - np.polynomial.polynomial.polyval(np.log10(values), coefficients)
    spread = float(((losses - losses.mean()) ** 2).sum())
    explained = 1 - float((missed**2).sum()) / spread if spread else 1.0
    return Curve(privacy, tuple(coefficients.tolist()), explained, float(values.min()), float(values.max()))


def value_of(point: Point, name: str) -> float:
    """Return a value of a point by its name: k, loss as a fraction, or a further value."""
    own = {
        "k": point.k,
        "loss": point.loss_fraction,
        "suppression": point.suppressed,
        "weighted_k": point.weighted_k,
    }
    if name in own:
        return float(own[name])
    if name not in point.values:
        raise BadInput(f"The points of this front have no {name!r}; they have {', '.join([*own, *point.values])}.")
    return float(point.values[name])
