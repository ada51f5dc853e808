"""Checking saved files by a schema; violations become one sentence with the file and the places."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from paranym.errors import BadInput, UnreadableDocument
from paranym.files.reading import read_json

_SHOWN = 3
_LONGEST_KEY = 40

Count = Annotated[int, Field(ge=0, lt=2**63)]
Positive = Annotated[int, Field(ge=1, lt=2**63)]
Figure = Annotated[float, Field(allow_inf_nan=False)]
Amount = Annotated[float, Field(ge=0, allow_inf_nan=False)]


class Saved(BaseModel):
    """A part of a saved file; unknown keys, which other versions may write, are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)


AnySaved = TypeVar("AnySaved", bound=Saved)


def read_saved(path: Path, called: str, *, kind: str | None = None) -> dict[str, Any]:
    """Return the JSON object of a saved file; `called` names it in messages, `kind` is its format, if it states one."""
    try:
        document = read_json(path)
    except UnreadableDocument as error:
        where = f"Cannot read the {called} {error.path!r}" if error.cannot_open else f"{error.path!r} is no {called}"
        raise BadInput(f"{where}: {error.why}") from error
    written = document.get("format") if isinstance(document, dict) else None
    if kind is not None and isinstance(written, str) and _is_other_version(written, kind):
        raise BadInput(
            f"{str(path)!r} was written by another version of paranym; this one reads {kind!r}. Release the table "
            "again, or take that version."
        )
    if not isinstance(document, dict) or (kind is not None and written != kind):
        raise BadInput(f"{str(path)!r} is no {called} that this version of paranym knows.")
    return document


def _is_other_version(written: str, kind: str) -> bool:
    return written != kind and re.fullmatch(re.escape(kind.rpartition(" ")[0]) + r" \d{1,3}", written) is not None


def checked(schema: type[AnySaved], document: object, path: Path, called: str) -> AnySaved:
    """Return a document that fits the schema; errors name the place and the kind, never the values."""
    try:
        return schema.model_validate(document)
    except ValidationError as error:
        faults = error.errors(include_input=False, include_url=False, include_context=False)
    shown = "; ".join(_fault(fault) for fault in faults[:_SHOWN])
    more = f"; and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    # raised outside the handler: the original error quotes the file
    raise BadInput(f"{str(path)!r} is damaged: it is not a complete {called} ({shown}{more}).")


def _fault(fault: Any) -> str:
    place = ".".join(_key(part) for part in fault["loc"])
    what = "is missing" if fault["type"] == "missing" else fault["msg"].removeprefix("Value error, ")
    what = what.removeprefix("Input ")
    return f"{place}: {what}" if place else str(what)


def _key(part: int | str) -> str:
    text = str(part)
    if re.fullmatch(r"[\w-]{1,40}", text):
        return text
    return repr(text if len(text) <= _LONGEST_KEY else f"{text[:_LONGEST_KEY]}...")


def has_duplicates(names: Sequence[object]) -> bool:
    """Return whether a name occurs twice."""
    return len(set(names)) < len(names)
