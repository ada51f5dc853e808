"""HTML elements. Text is escaped, so that no value of a table can become markup."""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Union

_VOID = {"br", "hr", "meta"}
_SHAPES = {"svg", "g", "path", "rect", "text", "tspan", "line", "circle", "defs", "clipPath", "title"}
"""The elements that a drawing may contain: none that runs code, loads a resource or links elsewhere."""
_LONGEST = 80

Child = Union["Element", "Drawing", str, None]


@dataclass(frozen=True, slots=True)
class Element:
    """A tag with attributes and children.

    >>> Element("p", (("class", "small"),), ("<b>1 & 2</b>",)).render()
    '<p class="small">&lt;b&gt;1 &amp; 2&lt;/b&gt;</p>'
    """

    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple[Child, ...]

    def render(self) -> str:
        """Return the element as HTML."""
        attributes = "".join(f' {name}="{html.escape(value)}"' for name, value in self.attributes)
        if self.tag in _VOID:
            return f"<{self.tag}{attributes}>"
        return f"<{self.tag}{attributes}>{''.join(map(_rendered, self.children))}</{self.tag}>"


@dataclass(frozen=True, slots=True)
class Drawing:
    """An SVG picture made by this package. Its identifiers get a prefix, since a page may hold several pictures.

    >>> Drawing("a", '<svg><script>alert(1)</script></svg>')
    Traceback (most recent call last):
        ...
    ValueError: a drawing holds shapes and text only, not script
    """

    name: str
    svg: str

    def __post_init__(self) -> None:
        others = sorted(set(re.findall(r"<\s*([^\s>/!?]+)", self.svg)) - _SHAPES)
        if others:
            raise ValueError(f"a drawing holds shapes and text only, not {', '.join(others)}")

    def render(self) -> str:
        """Return the picture as SVG."""
        return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{self.name}-", self.svg)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A style sheet written for this package."""

    css: str

    def render(self) -> str:
        """Return the style sheet as an HTML element."""
        return f"<style>\n{self.css}</style>"


def e(tag: str, *children: Child | Iterable[Child], **attributes: str | None) -> Element:
    """Return an element without attributes that are None; `class_`, `aria_label` become `class`, `aria-label`.

    >>> e("td", "1", class_="number", id=None).render()
    '<td class="number">1</td>'
    """
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    return Element(tag, tuple(named.items()), tuple(_flat(children)))


def data(text: object, longest: int = _LONGEST) -> Element:
    r"""Return text from the table: on one line, shortened, and isolated so that it cannot change the text direction.

    >>> data("a\nb").render(), len(data("x" * 10**6).render()) < 1000
    ('<bdi>a b</bdi>', True)
    """
    shown = short(str(text), longest)
    return e("bdi", shown, title=short(str(text), 500) if shown.endswith("…") else None)


def short(text: str, longest: int = _LONGEST) -> str:
    r"""Return text on one line, cut at its end if it is longer than `longest`.

    >>> short("a\tb", 9), short("a long name", 7)
    ('a b', 'a long…')
    """
    head = text[: longest + 1]
    line = "".join(character if character.isprintable() else " " for character in head)
    return line if len(text) <= longest else f"{line[: longest - 1]}…"


def listed(names: Iterable[object], most: int = 12) -> list[Child]:
    """Return names from the table as a list within a sentence; of many, the first ones and a count."""
    every = list(names)
    shown: list[Child] = []
    for n, name in enumerate(every[:most]):
        last = n == len(every) - 1
        shown += ["" if n == 0 else " and " if last else ", ", data(name, 40)]
    return [*shown, f" and {len(every) - most} more"] if len(every) > most else shown


def page(title: str, sheet: Sheet, policy: str, *body: Child) -> str:
    """Return a whole page."""
    head = [
        e("meta", charset="utf-8").render(),
        e("meta", http_equiv="Content-Security-Policy", content=policy).render(),
        e("meta", name="viewport", content="width=device-width, initial-scale=1").render(),
        e("meta", name="referrer", content="no-referrer").render(),
        e("title", title).render(),
        sheet.render(),
    ]
    lines = ["<!DOCTYPE html>", '<html lang="en">', "<head>", *head, "</head>", "<body>"]
    return "\n".join([*lines, *map(_rendered, body), "</body>", "</html>", ""])


def _rendered(child: Child) -> str:
    if child is None:
        return ""
    return html.escape(child, quote=False) if isinstance(child, str) else child.render()


def _flat(children: Iterable[Child | Iterable[Child]]) -> Iterator[Child]:
    for child in children:
        if child is None or isinstance(child, Element | Drawing | str):
            yield child
        else:
            yield from child
