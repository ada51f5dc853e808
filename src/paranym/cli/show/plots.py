"""Plots of fronts, and the curves that are fitted to them."""

from pathlib import Path

from paranym.cli.options.files import complete
from paranym.cli.terminal import out
from paranym.results.curve import Curve, fit
from paranym.results.front import Front
from paranym.wording.numbers import percent


def fitted(front: Front, degree: int) -> Curve:
    """Return the curve that is fitted to loss over privacy."""
    return fit(front, degree=degree, privacy="weighted_k" if "weighted_k" in front.objectives else "k")


def draw(front: Front, curve: Curve | None, path: Path) -> None:
    """Write the plot that suits the objectives of the front."""
    from paranym.plots.axes import k_title
    from paranym.plots.front import save_front_plot
    from paranym.plots.objectives import save_objectives_plot

    with complete(path) as partial:
        if set(front.objectives) == {"k", "loss"} and curve is None:
            save_front_plot(front, partial)
        else:
            across, *others = front.objectives
            axes, k_means = (across, *reversed(others)), k_title([front])
            save_objectives_plot(front.points, partial, axes=axes, curve=curve, k_means=k_means)


def show_curve(curve: Curve) -> None:
    """Print the formula, and how well it fits."""
    out.print(
        f"Fitted to {curve.privacy} from {curve.least:,.0f} to {curve.most:,.0f}: {curve.formula} "
        f"({percent(curve.explained)} of the variance).",
        markup=False,
        highlight=False,
    )
