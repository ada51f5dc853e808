"""Values and keys as TOML writes them."""

import re
from collections.abc import Mapping, Sequence
from datetime import date


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
