"""Choosing by an order of preference, and a front as a formula."""

import math

import pytest

import paranym as pn
from paranym.errors import BadInput, Unattainable
from paranym.results.front import Front, Point, Solution


def front_of(*points: tuple[int, float, float]) -> Front:
    """Points of k, l and loss."""
    return Front(
        method="nsga2",
        complete=False,
        points=tuple(
            Point(k, loss * 100, loss, (Solution({"age": 0}, 0, 2.0 * k),), values_of(diverse, loss))
            for k, diverse, loss in points
        ),
        lattice_nodes=9,
        evaluated_nodes=9,
        decided_nodes=9,
        rows=1000,
        metric="glm",
        suppression_use="needed",
        suppression_limit=0,
        heights={"age": 1},
        objectives=("k", "l", "loss"),
    )


def values_of(diverse: float, loss: float) -> dict[str, float]:
    """Values of models that should be large follow l; those of models that should be small follow the loss."""
    large = dict.fromkeys(("l", "weighted_l", "d1", "entropy-l", "distinct-l:ill"), diverse)
    return large | dict.fromkeys(("t", "equal-t", "alpha"), loss)


PAPER = front_of((90, 2, 0.29), (20, 4, 0.20), (22, 3, 0.21), (18, 6, 0.21), (15, 7, 0.30), (9, 7, 0.26), (15, 7, 0.28))
"""In the manner of section 7.4: where l is desired more, (15,7) is chosen within 30%."""


@pytest.mark.parametrize(
    ("order", "limit", "expected"),
    [
        ("l,k", 0.30, (15, 7, 0.28)),
        ("k,l", 0.30, (90, 2, 0.29)),
        (["l", "k"], 0.21, (18, 6, 0.21)),
        ("l", 0.20, (20, 4, 0.20)),
        ("t,k", None, (20, 4, 0.20)),
        ("weighted_k", None, (90, 2, 0.29)),
        ("entropy-l,k", 0.30, (15, 7, 0.28)),
        ("distinct-l:ill,k", 0.21, (18, 6, 0.21)),
        ("weighted_l,k", 0.30, (15, 7, 0.28)),
        ("d1", 0.20, (20, 4, 0.20)),
        ("equal-t", None, (20, 4, 0.20)),
        ("alpha", 0.30, (20, 4, 0.20)),
    ],
)
def test_the_first_decides_then_the_second_then_the_loss(
    order: str | list[str], limit: float | None, expected: tuple[int, float, float]
) -> None:
    point = pn.prefer(PAPER, order, max_loss=limit)

    assert (point.k, point.values["l"], point.loss_fraction) == expected


def test_what_cannot_be_preferred_is_said() -> None:
    with pytest.raises(BadInput, match="no 'x'; they have k, loss, suppression, weighted_k, l, weighted_l"):
        pn.prefer(PAPER, "x")
    with pytest.raises(Unattainable):
        pn.prefer(PAPER, "l", max_loss=0.1)
    with pytest.raises(BadInput, match="list of names"):
        pn.prefer(PAPER, "l,,k")


def test_a_curve_goes_through_points_that_lie_on_one() -> None:
    """loss = 0.1 + 0.2 x - 0.01 x^2 with x = log10 k, at k = 1, 10, 100, 1000."""
    losses = [0.1 + 0.2 * x - 0.01 * x * x for x in range(4)]
    curve = pn.fit(front_of(*((10**x, 1, loss) for x, loss in enumerate(losses))), degree=2)

    assert curve.coefficients == pytest.approx((0.1, 0.2, -0.01))
    assert curve.explained == pytest.approx(1)
    assert curve.loss_at(50) == pytest.approx(0.1 + 0.2 * math.log10(50) - 0.01 * math.log10(50) ** 2)
    assert curve.formula == "loss = 0.1 + 0.2 x - 0.01 x^2, x = log10(k)"
    assert curve.as_dict()["to"] == 1000


def test_a_curve_along_weighted_k_says_so() -> None:
    assert pn.fit(PAPER, degree=1, privacy="weighted_k").least == 18


def test_what_no_curve_can_tell_is_refused() -> None:
    curve = pn.fit(PAPER, degree=1)

    with pytest.raises(BadInput, match="fitted from k = 9 to 90"):
        curve.loss_at(1000)
    with pytest.raises(BadInput, match="at least 10 points"):
        pn.fit(PAPER, degree=9)
    with pytest.raises(BadInput, match="positive whole number"):
        pn.fit(PAPER, degree=0)
    with pytest.raises(BadInput, match="along k or weighted_k"):
        pn.fit(PAPER, privacy="l")
