"""Taxonomies: nested groups of values."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from paranym.errors import BadHierarchy
from paranym.model.hierarchy import TOP, Hierarchy
from paranym.model.values import to_text

_WHAT = "a tree maps the name of each group to a list of values or to a table of smaller groups"


def tree_hierarchy(
    values: Iterable[object], tree: Mapping[str, Any], *, attribute: str, others: str | None = None
) -> Hierarchy:
    """The hierarchy of nested groups: `{"fur": ["cat", "dog"], "feathers": {"small": ["wren"], "large": ["emu"]}}`.

    If branches are not equally deep, a value of a shorter one stays unchanged on the lower levels. Values that the
    tree does not contain go to the group `others`, if there is one.

    >>> tree = {"fur": ["cat", "dog"], "feathers": {"small": ["wren"]}}
    >>> tree_hierarchy(["cat", "wren"], tree, attribute="pet").rows()[0]
    ('cat', 'cat', 'fur', '*')
    """
    paths = list(_paths(tree, (), attribute))
    if others is not None and (not isinstance(others, str) or not others):
        raise BadHierarchy(attribute, None, f"others names a group, such as 'other'; got {others!r}.")
    deepest = max((len(groups) for _, groups in paths), default=0)
    rows = [(leaf, *[leaf] * (deepest - len(groups)), *reversed(groups), TOP) for leaf, groups in paths]
    if not rows:
        raise BadHierarchy(attribute, None, "the tree has no values.")
    hierarchy = Hierarchy.from_rows(rows, attribute=attribute)
    unseen = () if others is None else hierarchy.outside([value for value in values if to_text(value) is not None])
    if not unseen:
        return hierarchy
    rows += [(text, *[text] * (deepest - 1), others or "", TOP) for text in unseen]
    return Hierarchy.from_rows(rows, attribute=attribute)


def _paths(tree: object, groups: tuple[str, ...], attribute: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Every value with the groups that it lies in, the largest first."""
    if isinstance(tree, Mapping):
        for name, part in tree.items():
            label = to_text(name)
            if label is None or isinstance(part, str) or not isinstance(part, Iterable):
                raise BadHierarchy(attribute, None, f"{_WHAT}; got {part!r} for {str(name)!r}.")
            yield from _paths(part, (*groups, label), attribute)
        return
    if not groups or not isinstance(tree, Iterable):
        raise BadHierarchy(attribute, None, f"{_WHAT}; got {tree!r}.")
    for leaf in tree:
        text = to_text(leaf)
        if text is None or isinstance(leaf, Mapping | list | tuple):
            raise BadHierarchy(attribute, None, f"{_WHAT}; {groups[-1]!r} lists {leaf!r}.")
        yield text, groups
