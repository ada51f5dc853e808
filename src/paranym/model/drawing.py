"""Drawings of a hierarchy: a tree of lines for a terminal, collapsible lists for a notebook."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paranym.model.hierarchy import Hierarchy, Label

_MOST_CHILDREN = 12
_MOST_LINES = 60
_MISSING = "(missing)"


@dataclass(frozen=True, slots=True)
class _Branch:
    """A value, and the values below it that differ from it."""

    label: str
    leaves: range
    children: tuple["_Branch", ...]

    @property
    def has_leaves_only(self) -> bool:
        return not any(child.children for child in self.children)


def draw(hierarchy: "Hierarchy", *, width: int = 100, most_lines: int = _MOST_LINES) -> str:
    """The tree, top first: values that have nothing below them stand in one line, and long lists are cut short.

    If the tree has more lines than `most_lines`, the finest values are omitted.

    >>> from paranym.model.hierarchy import Hierarchy
    >>> rows = [["cat", "fur", "*"], ["owl", "feathers", "*"], ["dog", "fur", "*"]]
    >>> print(draw(Hierarchy.from_rows(rows, attribute="pet")))
    *
    ├─ fur: cat, dog
    └─ feathers: owl
    """
    tree = _tree(hierarchy)
    for depth in range(hierarchy.height, -1, -1):
        lines = list(_lines(tree, "", "", width, depth))
        if len(lines) <= most_lines:
            break
    return "\n".join(lines if depth == hierarchy.height else [*lines, "… finer values are not drawn"])


def draw_html(hierarchy: "Hierarchy") -> str:
    """Return the tree as nested, collapsible lists of HTML, offline and without scripts."""
    sizes = " → ".join(f"{len(values):,}" for values in hierarchy.labels)
    return (
        f"<div><b>{escape(hierarchy.attribute)}</b>: values per level {sizes}"
        f"<ul>{''.join(_items(_tree(hierarchy)))}</ul></div>"
    )


def _tree(hierarchy: "Hierarchy") -> _Branch:
    """The hierarchy from its top; a value that is repeated from level to level is there once."""
    return _branch(hierarchy, hierarchy.height, 0, range(len(hierarchy.leaves)))


def _branch(hierarchy: "Hierarchy", level: int, code: int, leaves: range) -> _Branch:
    label = _shown(hierarchy.labels[level][code])
    while level > 0:
        level -= 1
        parts = _parts(hierarchy, level, leaves)
        if len(parts) > 1 or _shown(hierarchy.labels[level][parts[0][0]]) != label:
            below = tuple(_branch(hierarchy, level, part, span) for part, span in parts)
            return _Branch(label, leaves, below)
    return _Branch(label, leaves, ())


def _parts(hierarchy: "Hierarchy", level: int, leaves: range) -> list[tuple[int, range]]:
    """The values of a level that these leaves fall into, each with its leaves."""
    codes = hierarchy.codes[level, leaves.start : leaves.stop]
    starts = [
        leaves.start + offset for offset in range(len(codes)) if offset == 0 or codes[offset] != codes[offset - 1]
    ]
    ends = [*starts[1:], leaves.stop]
    return [(int(hierarchy.codes[level, start]), range(start, end)) for start, end in zip(starts, ends, strict=True)]


def _shown(label: "Label") -> str:
    """A label on one line."""
    if label is None:
        return _MISSING
    return label if label.isprintable() else repr(label)


def _lines(branch: _Branch, first: str, then: str, width: int, depth: int) -> Iterator[str]:
    if branch.has_leaves_only or depth == 0:
        yield f"{first}{branch.label}{_in_a_row(branch.children, width - len(first) - len(branch.label))}"
        return
    yield f"{first}{branch.label}"
    shown, hidden = _cut(branch.children)
    for number, child in enumerate(shown):
        last = number == len(shown) - 1 and not hidden
        yield from _lines(child, then + ("└─ " if last else "├─ "), then + ("   " if last else "│  "), width, depth - 1)
    if hidden:
        yield f"{then}└─ … and {hidden:,} more"


def _in_a_row(leaves: Sequence[_Branch], width: int) -> str:
    """Leaves behind their value, as many as the line takes."""
    if not leaves:
        return ""
    room = width - len(": ") - len(" and 1,000,000 more")
    shown: list[str] = []
    for leaf in leaves:
        room -= len(leaf.label) + len(", ")
        if shown and room < 0:
            break
        shown.append(leaf.label)
    more = len(leaves) - len(shown)
    return f": {', '.join(shown)}{f' and {more:,} more' if more else ''}"


def _cut(children: Sequence[_Branch]) -> tuple[Sequence[_Branch], int]:
    if len(children) <= _MOST_CHILDREN:
        return children, 0
    return children[: _MOST_CHILDREN - 1], len(children) - _MOST_CHILDREN + 1


def _items(branch: _Branch) -> Iterator[str]:
    label = escape(branch.label)
    if branch.has_leaves_only:
        yield f"<li>{label}{escape(_in_a_row(branch.children, 200))}</li>"
        return
    shown, hidden = _cut(branch.children)
    yield f"<li><details open><summary>{label}</summary><ul>"
    for child in shown:
        yield from _items(child)
    if hidden:
        yield f"<li>… and {hidden:,} more</li>"
    yield "</ul></details></li>"
