"""A draft as a TOML file, with the reasons as comments."""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from textwrap import wrap
from typing import TYPE_CHECKING, Any

from paranym.model.schema import Role

if TYPE_CHECKING:
    from paranym.drafting.drafts import ColumnDraft, Draft

_WIDTH = 110
_ROLES = """\
quasi-identifier: others can know it, so it is generalized; identifier: left out of what is published;
sensitive: what nobody should learn, kept; other: kept as it is."""


def write_toml(draft: "Draft", source: str) -> str:
    """The recipe."""
    parts = [_opening(draft), _data(draft, source), *(_column(column) for column in draft.columns.values())]
    privacy = f"[privacy]\nsuppression = {draft.suppression}  # at most this share of the rows may be left out\n"
    loss = f'[loss]\nmetric = "{draft.metric}"  # how loss is measured; docs/recipe.md lists the others\n'
    return "\n".join([*parts, privacy, loss])


def _opening(draft: "Draft") -> str:
    lines = [
        *_comment(f"Drafted by paranym from {draft.name}: {draft.rows:,} rows, {len(draft.columns):,} columns."),
        *_comment("It runs as it is: paranym frontier RECIPE. Read it once before you rely on it."),
        *_comment(_ROLES),
    ]
    if draft.concerns:
        lines += ["#", *_comment("What deserves a second look:")]
        lines += [line for concern in draft.concerns for line in _comment(concern.says, first="- ", then="  ")]
    return "".join(f"{line}\n" for line in lines)


def _data(draft: "Draft", source: str) -> str:
    keys: dict[str, Any] = {"source": source, "table": draft.table}
    keys |= {"separator": draft.dialect.separator, "quote": draft.dialect.quote, "encoding": draft.dialect.encoding}
    lines = [f"{key} = {to_toml(value)}\n" for key, value in keys.items() if value is not None]
    if draft.missing:
        lines.append(f"missing = {to_toml(list(draft.missing))}  # these texts mean: no value\n")
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
    """The groups of a table first, then the tables below it: TOML would take them for its own otherwise."""
    yield f"[{place}]"
    for key, part in tree.items():
        if not isinstance(part, Mapping):
            yield from _array(to_key(key), list(part))
    for key, part in tree.items():
        if isinstance(part, Mapping):
            yield from _tree(f"{place}.{to_key(key)}", part)


def _array(key: str, values: Sequence[object]) -> Iterator[str]:
    """A list on one line, or on several if it is long."""
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


def to_toml(value: object) -> str:
    """A value as TOML writes it.

    >>> to_toml({"intervals": [5, 10.5], "apart": ["unknown"]})
    '{ intervals = [5, 10.5], apart = ["unknown"] }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float | date):
        return str(value)
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{to_key(str(key))} = {to_toml(part)}" for key, part in value.items()) + " }"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(map(to_toml, value)) + "]"
    return _string(str(value))


def to_key(name: str) -> str:
    """A key as TOML writes it: bare where it can be."""
    return name if re.fullmatch("[A-Za-z0-9_-]+", name) else _string(name)


def _string(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(character if character.isprintable() else _escape(character) for character in escaped) + '"'


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) < 2**16 else f"\\U{ord(character):08x}"


def _comment(text: str, first: str = "", then: str = "") -> Iterator[str]:
    """Text as lines of comment; what could end a comment is written out."""
    plain = "".join(character if character.isprintable() else " " for character in text)
    yield from wrap(plain, _WIDTH, initial_indent=f"# {first}", subsequent_indent=f"# {then}")
