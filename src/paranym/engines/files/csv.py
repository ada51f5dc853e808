"""The dialect of a CSV file: encoding, separator, quotes, and the names in its first line."""

import codecs
import csv
import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from paranym.engines.files.scratch import private_file
from paranym.errors import UnreadableSource

MIXED_LINE_ENDS = "its lines do not all end in the same way (LF or CR LF). Write them all with the same line end."
"""The message for a file in which no engine could find the ends of lines reliably."""

_SAMPLE = 2**20
_SEPARATORS = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "bars"}


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """The dialect of a CSV file as given by the user; None is detected from the file.

    >>> CsvDialect(separator=";").encoding is None
    True
    """

    separator: str | None = None
    quote: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class RecognizedCsv:
    """The detected dialect: all that is needed to read a CSV file."""

    path: Path
    encoding: str
    separator: str
    quote: str
    names: tuple[str, ...]
    blank_lines: int
    """Number of empty lines before the names."""
    line_end: str
    """The line end after the names; empty if there is none."""

    @property
    def is_plain(self) -> bool:
        """True if every engine reads the file as it is: UTF-8."""
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig", "ascii")

    @property
    def peculiarity(self) -> str:
        """How the file differs from UTF-8 with commas, in words; empty if it does not."""
        separators = _SEPARATORS.get(self.separator, repr(self.separator))
        parts = [f"separated by {separators}"] if self.separator != "," else []
        return ", ".join([*parts, *([] if self.is_plain else [f"in the encoding {self.encoding}"])])


def recognize(path: Path, given: CsvDialect) -> RecognizedCsv:
    """Read the beginning of a file and detect what was not given."""
    with _readable(path), _open_bytes(path) as stream:
        sample = stream.read(_SAMPLE)
    encoding = given.encoding or _recognize_encoding(sample)
    text = _decode(path, sample, encoding)
    if not text.strip():
        raise UnreadableSource(path.name, "the file is empty.")
    quote = given.quote or '"'
    separator = given.separator or _recognize_separator(text, quote, whole=len(sample) < _SAMPLE)
    lines = list(io.StringIO(text, newline=""))
    try:
        reader = csv.reader(lines, delimiter=separator, quotechar=quote, strict=True)
        blank_lines, names = next((number, line) for number, line in enumerate(reader) if line)
    except (csv.Error, StopIteration, TypeError) as error:
        raise UnreadableSource(path.name, f"its first line cannot be split into names ({error}).") from error
    last = lines[reader.line_num - 1]
    line_end = last[len(last.rstrip("\r\n")) :]
    if "".join(lines[:blank_lines]) != blank_lines * line_end:
        raise UnreadableSource(path.name, MIXED_LINE_ENDS)
    return RecognizedCsv(path, encoding, separator, quote, tuple(names), blank_lines, line_end)


def transcode(source: RecognizedCsv, target: Path) -> None:
    """Copy a file, converted to UTF-8."""
    try:
        with (
            _readable(source.path),
            _open_bytes(source.path) as stream,
            io.TextIOWrapper(private_file(target), encoding="utf-8", newline="") as copy,
        ):
            text = io.TextIOWrapper(stream, encoding=source.encoding, newline="")
            while block := text.read(_SAMPLE):
                copy.write(block)
    except UnicodeError as error:
        raise _not_in(source.path, source.encoding) from error


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    """Convert the system's errors about an unreadable file into ours."""
    try:
        yield
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise UnreadableSource(path.name, "it is a damaged gzip file.") from error
    except OSError as error:
        raise UnreadableSource(path.name, f"{error.strerror}.") from error


def _open_bytes(path: Path) -> IO[bytes]:
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return cast("IO[bytes]", gzip.open(path, "rb")) if packed else path.open("rb")


def _recognize_encoding(sample: bytes) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF32_LE, "utf-32"),  # begins like the mark of utf-16
        (codecs.BOM_UTF32_BE, "utf-32"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if sample.startswith(mark):
            return encoding
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _decode(path: Path, sample: bytes, encoding: str) -> str:
    try:
        io.TextIOWrapper(io.BytesIO(), encoding)  # rejects codecs that do not produce text
        return codecs.getincrementaldecoder(encoding)().decode(sample).removeprefix("\ufeff")
    except LookupError as error:
        raise UnreadableSource(path.name, f"there is no encoding {encoding!r}.") from error
    except UnicodeError as error:
        raise _not_in(path, encoding) from error


def _not_in(path: Path, encoding: str) -> UnreadableSource:
    return UnreadableSource(
        path.name, f"it is not written in {encoding}. Name its encoding, for example encoding = 'latin-1' under [data]."
    )


def _recognize_separator(text: str, quote: str, *, whole: bool) -> str:
    """Return the separator that splits the first lines into the same number of fields, as many as possible."""
    best, fields = ",", 1
    for separator in _SEPARATORS:
        widths = list(_widths(text, separator, quote, whole=whole))
        if widths and widths[0] > fields and all(width == widths[0] for width in widths):
            best, fields = separator, widths[0]
    if fields > 1:
        return best
    # no candidate fits every line: use the header, and let the reader report the wrong line
    header = text.lstrip("\r\n").splitlines()[0]
    return max(_SEPARATORS, key=header.count) if any(mark in header for mark in _SEPARATORS) else ","


def _widths(text: str, separator: str, quote: str, *, whole: bool, lines: int = 1000) -> Iterator[int]:
    """Return the number of fields of each of the first lines; the last line of a truncated sample does not count."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, quotechar=quote)
    try:
        widths = [len(line) for _, line in zip(range(lines + 1), reader, strict=False) if line]
    except csv.Error:
        return
    yield from widths if whole and len(widths) <= lines else widths[:-1]
