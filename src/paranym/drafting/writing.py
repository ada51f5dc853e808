"""Writing a draft as a TOML file, with the reasons as comments."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from paranym.model.schema import Role
from paranym.model.toml_text import to_key, to_toml

if TYPE_CHECKING:
    from paranym.drafting.drafts import ColumnDraft, Draft

_WIDTH = 110
_ROLES = """\
Roles: quasi-identifier: could be known to others, generalized; sensitive: must not be linked to a person, published;
keep: published unchanged; drop: not published; identifier: identifies people, never published. A column without a
role cannot be published."""


def write_toml(draft: "Draft", source: str) -> str:
    """Return the recipe."""
    parts = [_opening(draft), _data(draft, source), *(_column(column) for column in draft.columns.values())]
    privacy = f"[privacy]\nsuppression = {draft.suppression}  # at most this share of the rows may be suppressed\n"
    loss = f'[loss]\nmetric = "{draft.metric}"  # how information loss is measured; docs/recipe.md lists the metrics\n'
    return "\n".join([*parts, privacy, loss])


def _opening(draft: "Draft") -> str:
    lines = [
        *_comment(f"Drafted by paranym from {draft.name}: {draft.rows:,} rows, {len(draft.columns):,} columns."),
        *_comment("It runs as it is: paranym frontier RECIPE. Review it before you rely on it."),
        *_comment(_ROLES),
    ]
    if draft.concerns:
        lines += ["#", *_comment("Warnings:")]
        lines += [line for concern in draft.concerns for line in _comment(concern.says, first="- ", then="  ")]
    return "".join(f"{line}\n" for line in lines)


def _data(draft: "Draft", source: str) -> str:
    keys: dict[str, Any] = {"source": source, "table": draft.table, "views": draft.views or None}
    keys |= {"separator": draft.dialect.separator, "quote": draft.dialect.quote, "encoding": draft.dialect.encoding}
    lines = [f"{key} = {to_toml(value)}\n" for key, value in keys.items() if value is not None]
    if draft.missing:
        lines.append(f"missing = {to_toml(list(draft.missing))}  # texts that mean a missing value\n")
    return "[data]\n" + "".join(lines)


def _column(column: "ColumnDraft") -> str:
    lines = [*_comment(column.why), f"[attributes.{to_key(column.name)}]", f"role = {to_toml(column.role.value)}"]
    if column.role is Role.QUASI_IDENTIFIER and column.hierarchy is not None:
        lines += _hierarchy(column.name, column.hierarchy)
    return "".join(f"{line}\n" for line in lines)


def _hierarchy(name: str, spec: object) -> Iterator[str]:
    if not (isinstance(spec, Mapping) and "tree" in spec):
        yield f"hierarchy = {to_toml(spec)}"
        return
    place = f"attributes.{to_key(name)}.hierarchy"
    options = {key: value for key, value in spec.items() if key != "tree"}
    if options:
        yield f"[{place}]"
        yield from (f"{to_key(key)} = {to_toml(value)}" for key, value in options.items())
    yield from _tree(f"{place}.tree", spec["tree"])


def _tree(place: str, tree: Mapping[str, Any]) -> Iterator[str]:
    """Yield the groups of a table first, then its subtables, to which TOML would assign the groups otherwise."""
    yield f"[{place}]"
    for key, part in tree.items():
        if not isinstance(part, Mapping):
            yield from _array(to_key(key), list(part))
    for key, part in tree.items():
        if isinstance(part, Mapping):
            yield from _tree(f"{place}.{to_key(key)}", part)


def _array(key: str, values: Sequence[object]) -> Iterator[str]:
    """Yield a list on one line, or on several if it is long."""
    line = f"{key} = {to_toml(values)}"
    if len(line) <= _WIDTH:
        yield line
        return
    yield f"{key} = ["
    held = ""
    for text in map(to_toml, values):
        if held and len(held) + len(text) + 2 > _WIDTH - 4:
            yield f"    {held}"
            held = ""
        held = f"{held} {text},".lstrip()
    yield f"    {held}"
    yield "]"


def _comment(text: str, first: str = "", then: str = "") -> Iterator[str]:
    """Yield text as lines of a comment, without characters that could end it."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    yield from wrap(plain, _WIDTH, initial_indent=f"# {first}", subsequent_indent=f"# {then}")
