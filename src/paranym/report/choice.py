"""The section on the choice: the front, the chosen solution, and the cost of its neighbours."""

from collections.abc import Sequence

from paranym.measures.catalogue import describe_loss
from paranym.plots.figures import front_figure, front_in_words
from paranym.report.account import Account
from paranym.report.elements import Child, Drawing, Element, data, e
from paranym.report.pieces import figure, section, table
from paranym.results.front import Front, Point
from paranym.wording.numbers import counted, difference, magnitude, percent, tabulated

_AROUND = 2
"""Neighbours shown on each side of the choice."""


def choice_section(account: Account) -> Element:
    """Return the section that explains the choice."""
    front, point = account.front, account.point
    shown = _neighbours(front, point)
    rows = [_row(each, point) for each in shown]
    return section(
        "Why this choice?",
        e("p", account.reason),
        e("p", _completeness(front)),
        figure(Drawing("front", front_figure(front, point)), front_in_words(front, point), _caption(front))
        if len(front) > 1
        else None,
        e("h3", "What the neighbouring solutions would have cost"),
        table(
            ["k", "information loss", "suppressed rows", "compared with the choice", "columns published differently"],
            rows,
            numbers=(0, 1, 2),
            marked=shown.index(point),
        ),
        _off_front(front, point),
        e("p", f"Information loss is measured by {describe_loss(front.metric)}.", class_="small"),
    )


def _caption(front: Front) -> str:
    if front.complete:
        what = (
            f"a Pareto-optimal solution with {front.recodings}: no other has a larger k without losing more information"
        )
    else:
        what = f"a solution with {front.recodings} that no other one found so far dominates"
    return (
        f"Each dot is {what}. The further right, the larger k; the further up, the larger the information loss. "
        "The ring marks the chosen solution."
    )


def _completeness(front: Front) -> str:
    ways = magnitude(front.lattice_nodes)
    if front.complete:
        return (
            f"This table has {ways} generalizations with {front.recodings}, and each can suppress more or fewer rows. "
            "All of them were evaluated, or proved not to be better than one that was. The Pareto front consists of "
            f"{counted(len(front), 'solution')}, and none is missing."
        )
    return (
        f"This table has {ways} generalizations with {front.recodings}, and each can suppress more or fewer rows. "
        f"{front.evaluated_nodes:,} of them were evaluated, with {counted(len(front), 'non-dominated solution')}. "
        "It is not proved that the front is complete."
    )


def _neighbours(front: Front, point: Point) -> list[Point]:
    """Return the choice between solutions with a larger k and solutions with a smaller loss."""
    others = sorted((each for each in front if each is not point and each != point), key=lambda each: -each.k)
    more = [each for each in others if each.k >= point.k][-_AROUND:]
    less = [each for each in others if each.k < point.k][:_AROUND]
    return [*more, point, *less]


def _row(each: Point, point: Point) -> Sequence[Child | Sequence[Child]]:
    cells: list[Child | Sequence[Child]] = [f"{each.k:,}", tabulated(each.loss_fraction), f"{each.suppressed:,}"]
    if each is point:
        return [*cells, "the choice", ""]
    return [*cells, _compared(each, point), _changes(each, point)]


def _compared(each: Point, point: Point) -> str:
    more = each.loss_fraction - point.loss_fraction
    cost = f"{difference(abs(more))} {'more' if more > 0 else 'less'} information loss"
    if each.k == point.k:
        return f"same k; {cost}"
    return f"k {'larger' if each.k > point.k else 'smaller'} by {abs(each.k - point.k):,}; {cost}"


def _changes(each: Point, point: Point) -> list[Child]:
    """Return the columns that would be generalized more or less."""
    parts: list[Child] = []
    for word, sign in (("generalized more", 1), ("generalized less", -1)):
        names = [name for name, level in each.levels.items() if (level - point.levels.get(name, level)) * sign > 0]
        if names:
            parts += [*(["; "] if parts else []), f"{word}: "]
            parts += [part for name in names[:6] for part in (data(name, 30), ", ")][:-1]
            parts += [f" and {len(names) - 6} more"] if len(names) > 6 else []
    rows = each.suppressed - point.suppressed
    return parts or ["none" if not rows else f"none, but {'more' if rows > 0 else 'fewer'} rows suppressed"]


def _off_front(front: Front, point: Point) -> Element | None:
    better = [
        each for each in front if each.k >= point.k and each.loss_fraction <= point.loss_fraction and each != point
    ]
    if not better:
        return None
    best = min(better, key=lambda each: each.loss_fraction)
    return e(
        "p",
        f"The choice is not Pareto-optimal: k = {best.k:,} is possible at an information loss of "
        f"{percent(best.loss_fraction, point.loss_fraction)} instead of "
        f"{percent(point.loss_fraction, best.loss_fraction)}.",
        class_="note",
    )
