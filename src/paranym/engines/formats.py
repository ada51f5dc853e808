"""Formats that a release can be written in: a table, one line each.

A further format is one `Format`, with functions to write and read a file, and a call of `register_format`. The
rest (staging, reading back, manifest, hash, verification) works for any of them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paranym.errors import BadInput

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Format:
    """A format of releases.

    >>> format_of(Path("out.csv.gz")).name, format_of(Path("out.parquet")).is_text
    ('csv', False)
    """

    name: str
    """The name in manifests."""
    endings: tuple[str, ...] = ()
    """Suffixes of its files, in lower case; none if it is not a file."""
    is_text: bool = False
    """Whether every cell is written as text, so that types are lost and a spreadsheet may run cells as formulas."""
    has_tables: bool = False
    """Whether a release is one table among others: it is recognized by its cells instead of the bytes of its file."""
    is_database: bool = False
    """Whether the table is in a database server, where it is made, checked and named in one transaction."""
    is_parallel: bool = False
    """Whether the workers of a cluster can write it, each a file of its own in one folder."""
    write: "Callable[[pa.RecordBatchReader, Path], None] | None" = None
    """How a file is written; None if the engine writes it itself."""
    read: Callable[[Path], object] | None = None
    """Reads a file as a table that an engine opens, such as an Arrow table; None if the engine reads it itself."""

    def opened_by(self, path: Path) -> object:
        """Return the object that an engine opens for a file."""
        return path if self.read is None else self.read(path)


CSV = Format("csv", (".csv", ".csv.gz"), is_text=True)
PARQUET = Format("parquet", (".parquet",), is_parallel=True)
DUCKDB = Format("duckdb", (".duckdb", ".ddb", ".db"), has_tables=True)
POSTGRES = Format("postgres", has_tables=True, is_database=True)

_FORMATS = {each.name: each for each in (CSV, PARQUET, DUCKDB, POSTGRES)}


def register_format(new: Format) -> None:
    """Let releases be written in a further format, by the endings of their names.

    >>> register_format(Format("csv", (".text",)))
    Traceback (most recent call last):
    paranym.errors.BadInput: There is a format 'csv' already.
    """
    if new.name in _FORMATS:
        raise BadInput(f"There is a format {new.name!r} already.")
    taken = sorted(set(new.endings) & set(endings()))
    if taken:
        raise BadInput(f"Names that end in {', '.join(taken)} are those of another format.")
    if new.write is None or not new.endings:
        raise BadInput(f"The format {new.name!r} does not say how its files are written, or how their names end.")
    _FORMATS[new.name] = new


def is_format(name: str) -> bool:
    """Return whether a format has this name.

    >>> is_format("csv"), is_format("exe")
    (True, False)
    """
    return name in _FORMATS


def endings() -> tuple[str, ...]:
    """Return the suffixes of all formats."""
    return tuple(ending for each in _FORMATS.values() for ending in each.endings)


def format_of(path: Path) -> Format:
    """Return the format of a file, by the ending of its name."""
    name = path.name.lower()
    for each in _FORMATS.values():
        if name.endswith(each.endings):
            return each
    raise BadInput(f"Cannot tell how to write {path.name!r}. End the name in {', '.join(endings())}.")
