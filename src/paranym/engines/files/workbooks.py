"""Sheets of workbooks: Excel (.xlsx, .xlsb, .xls) and OpenDocument (.ods)."""

import zipfile
from pathlib import Path

import pyarrow as pa

from paranym.engines.files.workbook_bounds import DAMAGE, check_workbook
from paranym.errors import MissingExtra, UnreadableSource
from paranym.model.values import to_text

Cells = list[object]


def is_workbook(path: Path, head: bytes) -> bool:
    """True if a file with these first bytes is a workbook; other ZIP archives are not."""
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return True
    if not head.startswith(b"PK\x03\x04"):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())
            return bool(names & {"xl/workbook.xml", "xl/workbook.bin"}) or {"mimetype", "content.xml"} <= names
    except DAMAGE:
        return False


def read_sheet(path: Path, name: str, sheet: str | None) -> pa.Table:
    """Read a sheet as a table: names in its first row, empty cells as missing, rows without any value omitted.

    A column of numbers, dates, times or booleans has that type; a column of mixed types is read as text.
    """
    rows = _rows(path, name, sheet)
    if not rows:
        raise UnreadableSource(name, "the sheet is empty.")
    names = [to_text(cell) or "" for cell in rows[0]]
    body = [row for row in rows[1:] if any(cell != "" for cell in row)]
    columns = [[row[position] for row in body] for position in range(len(names))]
    kept = [
        position for position, column in enumerate(columns) if names[position] or any(cell != "" for cell in column)
    ]
    return pa.Table.from_arrays([_typed(columns[position]) for position in kept], names=[names[i] for i in kept])


def _rows(path: Path, name: str, sheet: str | None) -> list[Cells]:
    try:
        import python_calamine as calamine  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtra("python-calamine", "excel") from error
    if zipfile.is_zipfile(path):
        check_workbook(path, name)
    try:
        with calamine.CalamineWorkbook.from_path(path) as book:
            return [list(row) for row in book.get_sheet_by_name(_sheet(book.sheet_names, name, sheet)).to_python()]
    except UnreadableSource:
        raise
    except calamine.PasswordError as error:
        raise UnreadableSource(name, "it is protected by a password. Save it without one.") from error
    except (calamine.CalamineError, OSError, ValueError, OverflowError) as error:
        raise UnreadableSource(name, "it is a damaged workbook.") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # a panic of the library, which is written in Rust
            raise
        raise UnreadableSource(name, "it is a damaged workbook.") from error


def _sheet(have: list[str], name: str, sheet: str | None) -> str:
    if sheet is None and len(have) == 1:
        return have[0]
    if sheet is not None and sheet in have:
        return sheet
    few = f"there is no sheet {sheet!r}" if sheet is not None else "several sheets could be meant: name one"
    how = "" if sheet is not None else " (table under [data], or --name)"
    raise UnreadableSource(name, f"{few}{how}; the workbook has {', '.join(map(repr, have)) or 'none'}.")


def _typed(cells: Cells) -> pa.Array:
    known: Cells = [None if cell == "" else cell for cell in cells]
    kinds = {bool if isinstance(cell, bool) else type(cell) for cell in known if cell is not None}
    if len(kinds) <= 1 or kinds == {int, float}:
        try:
            return pa.array(known)
        except (pa.ArrowException, OverflowError):
            pass
    return pa.array([to_text(cell) for cell in known], pa.string())
