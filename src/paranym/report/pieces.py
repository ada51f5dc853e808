"""Pieces that all sections of a report are made of."""

import re
from collections.abc import Iterable, Sequence

from paranym.model.wording import counted
from paranym.report.elements import Child, Drawing, Element, e

_SHORT = 16
"""Tables of so many rows stay on one page."""


def section(title: str, *children: Child | Iterable[Child]) -> Element:
    """A part of the page under its heading."""
    name = re.sub("[^a-z]+", "-", title.lower()).strip("-")
    return e("section", e("h2", title, id=name), *children, aria_labelledby=name)


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[Child | Sequence[Child]]],
    *,
    numbers: Sequence[int] = (),
    marked: int | None = None,
) -> Element:
    """A table; columns of `numbers` stand to the right, and one row may be marked."""

    def cell(tag: str, column: int, child: Child | Sequence[Child]) -> Element:
        parts = [child] if isinstance(child, str | Element | Drawing) or child is None else child
        return e(tag, *parts, class_="number" if column in numbers else None, scope="col" if tag == "th" else None)

    head = e("thead", e("tr", [cell("th", column, name) for column, name in enumerate(heads)]))
    body = [
        e(
            "tr",
            [cell("td", column, child) for column, child in enumerate(row)],
            class_="marked" if n == marked else None,
        )
        for n, row in enumerate(rows)
    ]
    whole = "scroll short" if len(body) <= _SHORT else "scroll"
    return e("div", e("table", head, e("tbody", body)), class_=whole)


def facts_table(facts: Iterable[tuple[str, Sequence[Child]]]) -> Element:
    """Names and what is said of them."""
    rows = [e("tr", e("th", name, scope="row"), e("td", *told)) for name, told in facts]
    return e("table", e("tbody", rows), class_="facts")


def figure(drawing: Drawing, words: str, caption: str, *details: Child) -> Element:
    """A picture with its text alternative, for those who hear the page, and the numbers behind it."""
    return e(
        "figure",
        e("div", drawing, role="img", aria_label=words, class_="drawing"),
        e("figcaption", caption),
        *details,
    )


def bar(share: float, *, most: float = 1.0, kind: str = "teal") -> Element:
    """A bar as long as a share; the number stands beside it, so that nobody has to see it."""
    width = 0.0 if most <= 0 else min(max(share / most, 0.0), 1.0)
    return e("span", e("span", class_=kind, style=f"width:{width:.2%}"), class_="bar", aria_hidden="true")


def percent(share: float) -> str:
    """A share as people read it: what is neither nothing nor all is shown as neither.

    >>> percent(0.3556), percent(0.00921), percent(0.00001), percent(0), percent(1)
    ('35.6%', '0.92%', 'less than 0.01%', '0%', '100%')
    """
    if share in (0, 1):
        return f"{share:.0%}"
    if 0 < share < 0.0001:
        return "less than 0.01%"
    if 0.9999 < share < 1:
        return "more than 99.99%"
    return f"{share:.2%}" if share < 0.01 or 0.99 < share < 1 else f"{share:.1%}" if share < 1 else f"{share:,.0%}"


def about(number: int, noun: str) -> str:
    """A number of things, as a sentence says it.

    >>> about(0, "row"), about(278, "row")
    ('no row', '278 rows')
    """
    return f"no {noun}" if number == 0 else counted(number, noun)
