"""Elements that all sections of a report share."""

import re
from collections.abc import Iterable, Sequence

from paranym.report.elements import Child, Drawing, Element, e
from paranym.wording.numbers import counted

_SHORT = 16
"""Tables with at most this many rows are not split between printed pages."""


def section(title: str, *children: Child | Iterable[Child]) -> Element:
    """Return a part of the page under its heading."""
    name = re.sub("[^a-z]+", "-", title.lower()).strip("-")
    return e("section", e("h2", title, id=name), *children, aria_labelledby=name)


def table(
    heads: Sequence[str],
    rows: Iterable[Sequence[Child | Sequence[Child]]],
    *,
    numbers: Sequence[int] = (),
    marked: int | None = None,
) -> Element:
    """Return a table. Columns in `numbers` are aligned to the right; one row may be marked."""

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
    """Return a table of names and their descriptions."""
    rows = [e("tr", e("th", name, scope="row"), e("td", *fact)) for name, fact in facts]
    return e("table", e("tbody", rows), class_="facts")


def figure(drawing: Drawing, words: str, caption: str, *details: Child) -> Element:
    """Return a picture with its text alternative for screen readers, and the numbers behind it."""
    return e(
        "figure",
        e("div", drawing, role="img", aria_label=words, class_="drawing"),
        e("figcaption", caption),
        *details,
    )


def bar(share: float, *, most: float = 1.0, kind: str = "teal") -> Element:
    """Return a bar as long as a share. Screen readers skip it, since the number is beside it."""
    width = 0.0 if most <= 0 else min(max(share / most, 0.0), 1.0)
    return e("span", e("span", class_=kind, style=f"width:{width:.2%}"), class_="bar", aria_hidden="true")


def about(number: int, noun: str) -> str:
    """Return a count with its noun, where 0 is "no".

    >>> about(0, "row"), about(278, "row")
    ('no rows', '278 rows')
    """
    return f"no {noun}s" if number == 0 else counted(number, noun)
