"""The choice: all that could have been chosen, what was, and what its neighbours would have cost."""

from collections.abc import Sequence

from paranym.model.front import Front, Point
from paranym.model.wording import counted
from paranym.report.account import Account
from paranym.report.elements import Child, Element, data, e
from paranym.report.figures import front_figure, front_in_words
from paranym.report.pieces import figure, percent, section, table
from paranym.report.wording import METRICS

_AROUND = 2
"""So many neighbours on each side."""


def choice_section(account: Account) -> Element:
    """Why this one."""
    front, point = account.front, account.point
    caption = (
        "Each dot is one way to publish the table that no other way beats. To the right more people look the same; "
        "further up more detail is lost. The ring is the one that was taken."
    )
    shown = _neighbours(front, point)
    rows = [_row(each, point) for each in shown]
    return section(
        "Why this choice?",
        e("p", account.reason),
        e("p", _completeness(front)),
        figure(front_figure(front, point), front_in_words(front, point), caption) if len(front) > 1 else None,
        e("h3", "What the neighbours would have cost"),
        table(
            ["alike (k)", "detail lost", "rows left out", "compared with the choice", "columns published differently"],
            rows,
            numbers=(0, 1, 2),
            marked=shown.index(point),
        ),
        _off_front(front, point),
        e("p", f"Detail is measured by {METRICS[front.metric]}.", class_="small"),
    )


def _completeness(front: Front) -> str:
    ways = f"{front.lattice_nodes:,}" if front.lattice_nodes < 10**15 else f"{front.lattice_nodes:.2g}"
    if front.complete:
        remaining = f"{counted(len(front), 'choice')} {'remains' if len(front) == 1 else 'remain'}"
        return (
            f"There are {ways} ways to coarsen this table, each with more or fewer rows left out. All of them were "
            f"evaluated or proved to be worse: {remaining} that "
            f"{'is' if len(front) == 1 else 'are'} worth considering, and none is missing."
        )
    return (
        f"Of {ways} ways to coarsen this table, each with more or fewer rows left out, {front.evaluated_nodes:,} were "
        f"evaluated; worth considering: {counted(len(front), 'choice')}. It is not proved that none is missing."
    )


def _neighbours(front: Front, point: Point) -> list[Point]:
    """The choice between those that protect more and those that lose less."""
    others = sorted((each for each in front if each is not point and each != point), key=lambda each: -each.k)
    more = [each for each in others if each.k >= point.k][-_AROUND:]
    less = [each for each in others if each.k < point.k][:_AROUND]
    return [*more, point, *less]


def _row(each: Point, point: Point) -> Sequence[Child | Sequence[Child]]:
    told: list[Child | Sequence[Child]] = [f"{each.k:,}", percent(each.loss_fraction), f"{each.suppressed:,}"]
    if each is point:
        return [*told, "the choice", ""]
    return [*told, _compared(each, point), _changes(each, point)]


def _compared(each: Point, point: Point) -> str:
    more = each.loss_fraction - point.loss_fraction
    cost = f"{abs(100 * more):.2f} points {'more' if more > 0 else 'less'} lost"
    if each.k == point.k:
        return f"as many alike, {cost}"
    return f"{abs(each.k - point.k):,} {'more' if each.k > point.k else 'fewer'} alike, {cost}"


def _changes(each: Point, point: Point) -> list[Child]:
    """Which columns would be coarser or finer."""
    told: list[Child] = []
    for word, sign in (("coarser", 1), ("finer", -1)):
        names = [name for name, level in each.levels.items() if (level - point.levels.get(name, level)) * sign > 0]
        if names:
            told += [*(["; "] if told else []), f"{word}: "]
            told += [part for name in names[:6] for part in (data(name, 30), ", ")][:-1]
            told += [f" and {len(names) - 6} more"] if len(names) > 6 else []
    rows = each.suppressed - point.suppressed
    return told or ["none" if not rows else f"none, but {'more' if rows > 0 else 'fewer'} rows left out"]


def _off_front(front: Front, point: Point) -> Element | None:
    better = [
        each for each in front if each.k >= point.k and each.loss_fraction <= point.loss_fraction and each != point
    ]
    if not better:
        return None
    best = min(better, key=lambda each: each.loss_fraction)
    return e(
        "p",
        f"The choice is not one of the best: k = {best.k:,} could be had for a loss of {percent(best.loss_fraction)} "
        f"instead of {percent(point.loss_fraction)}.",
        class_="note",
    )
