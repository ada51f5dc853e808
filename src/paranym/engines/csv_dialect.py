"""How a CSV file is written: encoding, separator, quotes, and the names in its first line."""

import codecs
import csv
import gzip
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from paranym.errors import UnreadableSource

_SAMPLE = 2**20
_SEPARATORS = ",;\t|"


@dataclass(frozen=True, slots=True)
class CsvDialect:
    """What the user says about a CSV file; None is recognized from the file.

    >>> CsvDialect(separator=";").encoding is None
    True
    """

    separator: str | None = None
    quote: str | None = None
    encoding: str | None = None


@dataclass(frozen=True, slots=True)
class RecognizedCsv:
    """All that is needed to read a CSV file."""

    path: Path
    encoding: str
    separator: str
    quote: str
    names: tuple[str, ...]

    @property
    def is_plain(self) -> bool:
        """Whether every engine reads the file as it stands: UTF-8."""
        return codecs.lookup(self.encoding).name in ("utf-8", "utf-8-sig", "ascii")


def recognize(path: Path, given: CsvDialect) -> RecognizedCsv:
    """Look at the beginning of a file and fill in what was not given."""
    with _open_bytes(path) as stream:
        sample = stream.read(_SAMPLE)
    encoding = given.encoding or _recognize_encoding(sample)
    text = _decode(path, sample, encoding)
    if not text.strip():
        raise UnreadableSource(path.name, "the file is empty.")
    quote = given.quote or '"'
    separator = given.separator or _recognize_separator(text, quote, whole=len(sample) < _SAMPLE)
    try:
        names = next(csv.reader(io.StringIO(text, newline=""), delimiter=separator, quotechar=quote, strict=True))
    except (csv.Error, StopIteration, TypeError) as error:
        raise UnreadableSource(path.name, f"its first line cannot be split into names ({error}).") from error
    return RecognizedCsv(path, encoding, separator, quote, tuple(names))


def transcode(source: RecognizedCsv, target: Path) -> None:
    """Copy a file into UTF-8."""
    try:
        with _open_bytes(source.path) as stream, target.open("w", encoding="utf-8", newline="") as copy:
            text = io.TextIOWrapper(stream, encoding=source.encoding, newline="")
            while block := text.read(_SAMPLE):
                copy.write(block)
    except UnicodeError as error:
        raise _not_in(source.path, source.encoding) from error


def _open_bytes(path: Path) -> IO[bytes]:
    with path.open("rb") as stream:
        packed = stream.read(2) == b"\x1f\x8b"
    return cast("IO[bytes]", gzip.open(path, "rb")) if packed else path.open("rb")


def _recognize_encoding(sample: bytes) -> str:
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
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
        return codecs.getincrementaldecoder(encoding)().decode(sample)
    except LookupError as error:
        raise UnreadableSource(path.name, f"there is no encoding {encoding!r}.") from error
    except UnicodeError as error:
        raise _not_in(path, encoding) from error


def _not_in(path: Path, encoding: str) -> UnreadableSource:
    return UnreadableSource(
        path.name, f"it is not written in {encoding}. Name its encoding, for example encoding = 'latin-1' under [data]."
    )


def _recognize_separator(text: str, quote: str, *, whole: bool) -> str:
    """The separator that splits the first lines into the same number of fields, as many as possible."""
    best, fields = ",", 1
    for separator in _SEPARATORS:
        widths = list(_widths(text, separator, quote, whole=whole))
        if widths and widths[0] > fields and all(width == widths[0] for width in widths):
            best, fields = separator, widths[0]
    if fields > 1:
        return best
    # no candidate fits every line: go by the header, and let reading say which line is wrong
    header = text.splitlines()[0]
    return max(_SEPARATORS, key=header.count) if any(mark in header for mark in _SEPARATORS) else ","


def _widths(text: str, separator: str, quote: str, *, whole: bool, lines: int = 1000) -> Iterator[int]:
    """How many fields each of the first lines has; the last line of a cut sample does not count."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, quotechar=quote)
    try:
        widths = [len(line) for _, line in zip(range(lines + 1), reader, strict=False) if line]
    except csv.Error:
        return
    yield from widths if whole and len(widths) <= lines else widths[:-1]
