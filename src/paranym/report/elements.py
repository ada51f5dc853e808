"""Elements of a page. Text is text: whatever it holds, it cannot become markup."""

import html
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Union

_VOID = {"br", "hr", "meta"}
_SHAPES = {"svg", "g", "path", "rect", "text", "tspan", "line", "circle", "defs", "clipPath", "title"}
"""What a drawing is made of: nothing that runs, loads or leads elsewhere."""
_LONGEST = 80

Child = Union["Element", "Drawing", str, None]


@dataclass(frozen=True, slots=True)
class Element:
    """A tag with attributes and children.

    >>> Element("p", (("class", "told"),), ("<b>1 & 2</b>",)).render()
    '<p class="told">&lt;b&gt;1 &amp; 2&lt;/b&gt;</p>'
    """

    tag: str
    attributes: tuple[tuple[str, str], ...]
    children: tuple[Child, ...]

    def render(self) -> str:
        """As HTML."""
        told = "".join(f' {name}="{html.escape(value)}"' for name, value in self.attributes)
        if self.tag in _VOID:
            return f"<{self.tag}{told}>"
        return f"<{self.tag}{told}>{''.join(map(_rendered, self.children))}</{self.tag}>"


@dataclass(frozen=True, slots=True)
class Drawing:
    """An SVG picture that was made here; its identifiers are made its own, since a page may hold several.

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
        """As SVG."""
        return re.sub(r'(\bid="|url\(#|href="#)', rf"\g<1>{self.name}-", self.svg)


@dataclass(frozen=True, slots=True)
class Sheet:
    """A style sheet that was written here."""

    css: str

    def render(self) -> str:
        """As an element."""
        return f"<style>\n{self.css}</style>"


def e(tag: str, *children: Child | Iterable[Child], **attributes: str | None) -> Element:
    """An element; an attribute without a value is left out, and `class_`, `aria_label` are spelt as HTML does.

    >>> e("td", "1", class_="number", id=None).render()
    '<td class="number">1</td>'
    """
    told = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items() if value is not None}
    return Element(tag, tuple(told.items()), tuple(_flat(children)))


def data(text: object, longest: int = _LONGEST) -> Element:
    r"""Text that comes from the table: on one line, of a bearable length, and without power over what is around it.

    >>> data("a\nb").render(), len(data("x" * 10**6).render()) < 1000
    ('<bdi>a b</bdi>', True)
    """
    shown = short(str(text), longest)
    return e("bdi", shown, title=short(str(text), 500) if shown.endswith("…") else None)


def short(text: str, longest: int = _LONGEST) -> str:
    r"""Text on one line, its end cut where it is long.

    >>> short("a\tb", 9), short("a long name", 7)
    ('a b', 'a long…')
    """
    head = text[: longest + 1]
    line = "".join(character if character.isprintable() else " " for character in head)
    return line if len(text) <= longest else f"{line[: longest - 1]}…"


def listed(names: Iterable[object], most: int = 12) -> list[Child]:
    """Names from the table as a sentence lists them, of many the first ones."""
    every = list(names)
    shown: list[Child] = []
    for n, name in enumerate(every[:most]):
        last = n == len(every) - 1
        shown += ["" if n == 0 else " and " if last else ", ", data(name, 40)]
    return [*shown, f" and {len(every) - most} more"] if len(every) > most else shown


def page(title: str, sheet: Sheet, policy: str, *body: Child) -> str:
    """A whole page."""
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
