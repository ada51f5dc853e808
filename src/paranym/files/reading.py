"""Reading text, JSON and TOML files: completely, or refused with the reason.

Any invalid content raises `UnreadableDocument`: bytes that are not text, numbers with thousands of digits, nesting that
would exhaust the stack, or names that the system cannot look up.
"""

import json
import tomllib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from paranym.errors import UnreadableDocument, toml_reason

DEEPEST = 100
"""Maximum nesting of lists and tables; no file written by hand is deeper."""
_TOO_DEEP = f"it is nested more than {DEEPEST} levels deep"


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, without a byte order mark."""
    try:
        found = path.read_bytes()
    except OSError as error:
        raise UnreadableDocument(str(path), f"{error.strerror}.", cannot_open=True) from error
    except ValueError as error:  # a character that a file name cannot contain
        raise UnreadableDocument(str(path), "there can be no file of this name.", cannot_open=True) from error
    with suppress(UnicodeDecodeError):
        return found.decode("utf-8-sig")
    raise UnreadableDocument(str(path), "it is not written in UTF-8.")


def read_json(path: Path) -> Any:
    """Return the contents of a JSON file; not-a-number and infinity are not JSON."""
    return _parsed(path, parse_json, "JSON")


def read_toml(path: Path, *, known: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the contents of a TOML file. A fault names no key of the file, unless it begins with a `known` one."""
    document: dict[str, Any] = _parsed(path, lambda text: parse_toml(text, known=known), "TOML")
    return document


def parse_toml(text: str, *, known: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the contents of a TOML text.

    >>> parse_toml("intervals = [5, 10]")
    {'intervals': [5, 10]}
    """
    why = ""
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        why = toml_reason(error, known)
    except RecursionError:
        why = _TOO_DEEP
    except (ValueError, OverflowError):
        why = "a number is too large"
    if why:  # raised outside the handler, so that no chained error quotes the text
        raise ValueError(why)
    _check_depth(document)
    return document


def parse_json(text: str) -> Any:
    """Return the contents of a JSON text; a `ValueError` has the reason if it is not valid.

    >>> parse_json('{"intervals": [5, 10]}')
    {'intervals': [5, 10]}
    """
    why = ""
    try:
        document = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        why = f"line {error.lineno}, column {error.colno}"
    except RecursionError:
        why = _TOO_DEEP
    except ValueError as error:
        why = "a number is too large" if "digits" in str(error) else str(error)
    if why:  # as above
        raise ValueError(why)
    _check_depth(document)
    if "\\u" in text:
        _check_unicode(document)
    return document


def _parsed(path: Path, parse: Callable[[str], Any], kind: str) -> Any:
    text = read_text(path)
    try:
        return parse(text)
    except ValueError as error:
        raise UnreadableDocument(str(path), f"it is no valid {kind}: {error}.") from error


def _refuse_constant(constant: str) -> Any:
    raise ValueError(f"{constant} is no number")


def _check_depth(document: Any) -> None:
    """Raise if a document is nested too deeply; TOML parsers do not limit dotted keys."""
    level, depth = [document], 0
    while level:
        if depth > DEEPEST:
            raise ValueError(_TOO_DEEP)
        depth += 1
        level = [part for each in level for part in _parts(each)]


def _parts(value: Any) -> list[Any]:
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [part for part in inside if isinstance(part, dict | list)]


def _check_unicode(document: Any) -> None:
    """Raise for surrogates: JSON can contain halves of characters, which cannot be encoded."""
    try:
        json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError("it has text that is no valid Unicode") from error
