"""Size limits for workbooks, checked before anything is laid out in memory.

A few kilobytes can unpack to any number of bytes, and a single cell in the far corner makes a sheet of seventeen
billion cells. Libraries lay sheets out as rectangles, so the last row times the last column counts.
"""

import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO
from xml.parsers import expat

from paranym.errors import UnreadableSource

MOST_BYTES = 2**30
"""Limit for all parts of a workbook, unpacked."""
MOST_CELLS = 2**25
"""Limit for a sheet, from its first row and column to the last ones in use."""

_BLOCK = 2**18
_OVERLAP = 128
_REFERENCE = re.compile(rb"""[\s:]r\s*=\s*["']\s*([A-Za-z]{0,30})([0-9]{1,30})\s*["']""")
_REPEATED = "number-{}-repeated"
_ROW, _LAST_CELL = 0, 11
"""Record types of a binary sheet: a row, and the last of the cell types, which begin at 1."""

DAMAGE = (zipfile.BadZipFile, zlib.error, struct.error, OSError, NotImplementedError, ValueError, OverflowError)
"""Errors by which the libraries refuse an archive, as early as it is opened."""


def check_workbook(path: Path, name: str) -> None:
    """Raise unless a ZIP archive that is a workbook unpacks to a size that memory can be expected to hold."""
    try:
        with zipfile.ZipFile(path) as archive, path.open("rb") as stream:
            budget = _Budget(name)
            for part in archive.infolist():
                measure = _measure(part.filename)
                blocks = budget.spending(_unpacked(part, stream))
                cells = measure(blocks) if measure is not None else _exhaust(blocks)
                if cells > MOST_CELLS:
                    raise UnreadableSource(
                        name,
                        f"a sheet of it spans {cells:,} cells, and at most {MOST_CELLS:,} are read. Delete what stands "
                        "far below or beside the table, or save it as CSV or Parquet.",
                    )
    except DAMAGE as error:
        if isinstance(error, UnreadableSource):
            raise
        raise UnreadableSource(name, "it is a damaged workbook.") from error


class _Budget:
    """The number of bytes that may still be unpacked."""

    def __init__(self, name: str) -> None:
        self._name, self._left = name, MOST_BYTES

    def spending(self, blocks: Iterator[bytes]) -> Iterator[bytes]:
        for block in blocks:
            self._left -= len(block)
            if self._left < 0:
                raise UnreadableSource(
                    self._name, f"it unpacks to more than {MOST_BYTES:,} bytes. Save the sheet as CSV or Parquet."
                )
            yield block


def _unpacked(part: zipfile.ZipInfo, stream: IO[bytes]) -> Iterator[bytes]:
    """Unpack a part, regardless of the size that the archive states."""
    stream.seek(part.header_offset)
    head = stream.read(30)
    names, extras = struct.unpack("<26x2H", head)
    stream.seek(names + extras, 1)
    left = part.compress_size
    unpack = zlib.decompressobj(-15) if part.compress_type == zipfile.ZIP_DEFLATED else None
    if unpack is None and part.compress_type != zipfile.ZIP_STORED:
        raise NotImplementedError
    while left > 0 and (packed := stream.read(min(left, _BLOCK))):
        left -= len(packed)
        if unpack is None:
            yield packed
            continue
        while packed and not unpack.eof:
            yield unpack.decompress(packed, _BLOCK)
            packed = unpack.unconsumed_tail


def _measure(part: str) -> Callable[[Iterator[bytes]], int] | None:
    """Return the function that counts the cells of a part, if it is a sheet."""
    if part == "content.xml":
        return _open_document_cells
    if not part.startswith("xl/"):
        return None
    return {"xml": _excel_cells, "bin": _binary_cells}.get(part.rpartition(".")[2])


def _exhaust(blocks: Iterator[bytes]) -> int:
    for _ in blocks:
        pass
    return 0


def _excel_cells(blocks: Iterator[bytes]) -> int:
    """Count cells by the references of rows and cells, such as r="12" and r="AB12"."""
    columns: set[bytes] = set()
    last, row, before, cells = 0, 0, b"", 0
    for block in blocks:
        text = before + block
        found = set(_REFERENCE.findall(text))
        columns |= {column for column, _ in found}
        row = max(row, max((int(number) for _, number in found), default=0))
        cells += block.count(b"<c") + block.count(b":c ")
        before = text[-_OVERLAP:]
    last = max((_column(letters) for letters in columns), default=0)
    # cells without a reference follow the previous one
    return max(row * last, cells)


def _column(letters: bytes) -> int:
    number = 0
    for letter in letters.upper():
        number = number * 26 + letter - 64
    return number


def _binary_cells(blocks: Iterator[bytes]) -> int:
    """Count cells by the records of a binary sheet: rows begin with their number, and cells with their column."""
    row = column = 0
    for kind, content in _records(blocks):
        if kind == _ROW:
            row = max(row, 1 + struct.unpack_from("<I", content)[0])
        elif kind <= _LAST_CELL:
            column = max(column, 1 + struct.unpack_from("<I", content)[0])
    return row * column


def _records(blocks: Iterator[bytes]) -> Iterator[tuple[int, bytes]]:
    """Return the type of each record and its first bytes."""
    data, place = b"", 0
    for block in blocks:
        data, place = data[place:] + block, 0
        while len(data) - place > _OVERLAP:
            kind, start = _varying(data, place, 2)
            size, start = _varying(data, start, 4)
            if start + size > len(data):
                break
            yield kind, data[start : start + 8]
            place = start + size
        if place == 0 and len(data) > MOST_BYTES // 4:
            raise struct.error
    while place < len(data):
        kind, start = _varying(data, place, 2)
        size, start = _varying(data, start, 4)
        if start + size > len(data):
            return
        yield kind, data[start : start + 8]
        place = start + size


def _varying(data: bytes, place: int, most: int) -> tuple[int, int]:
    """Decode a number of seven bits per byte, and return its end; a record type keeps its highest bits."""
    number = 0
    for index in range(most):
        if place + index >= len(data):
            return number, place + index
        byte = data[place + index]
        number |= (byte & 0x7F) << (7 * index)
        if byte < 0x80:
            return number, place + index + 1
    return number, place + most


def _open_document_cells(blocks: Iterator[bytes]) -> int:
    """Count the rows and cells that have a value, with their repetitions; return the largest sheet."""
    found = _OpenDocument()
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = found.begin, found.end
    try:
        for block in blocks:
            parser.Parse(block, False)
    except expat.ExpatError:
        pass  # the library reports the fault; the cells up to there are counted
    return max(found.most, found.row * found.column)


class _OpenDocument:
    """Counts the cells of one sheet after the other."""

    def __init__(self) -> None:
        self.most = self.row = self.column = 0
        self._rows_before = self._repeats = self._cells = self._used = 0

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        match name.rpartition(" ")[2]:
            case "table":
                self.most = max(self.most, self.row * self.column)
                self.row = self.column = self._rows_before = 0
            case "table-row":
                self._repeats, self._cells, self._used = _repeated(attributes, "rows"), 0, 0
            case "table-cell" | "covered-table-cell":
                self._cells += _repeated(attributes, "columns")
                if any(key.rpartition(" ")[2] in ("value-type", "formula") for key in attributes):
                    self._used = self._cells

    def end(self, name: str) -> None:
        if name.rpartition(" ")[2] == "table-row":
            self._rows_before += self._repeats
            if self._used:
                self.row, self.column = self._rows_before, max(self.column, self._used)


def _repeated(attributes: dict[str, str], what: str) -> int:
    found = next((value for key, value in attributes.items() if key.endswith(_REPEATED.format(what))), "1")
    return int(found) if found.isascii() and found.isdecimal() and len(found) < 12 else 1
