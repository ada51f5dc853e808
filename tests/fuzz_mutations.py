"""Damage: what chance, or somebody who means ill, makes of a file. Every change is drawn from a seeded generator."""

import contextlib
import copy
import io
import json
import random
import re
import struct
import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

Mutation = Callable[[random.Random, bytes], bytes]

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**63,
    2**64,
    -(2**63) - 1,
    10**400,
    0.5,
    -0.0,
    1e308,
    1e-320,
    "",
    "*",
    "a",
    "0",
    "\x00",
    "\n",
    "\ud800",
    "\u202e",
    "x" * 5000,
    [],
    [[]],
    [None],
    {},
    {"": None},
    [1, "a", None],
    {"k": {"k": {}}},
)
ODD_TOKENS = (
    "0",
    "-1",
    "1e999",
    "nan",
    "inf",
    '""',
    '"\\u0000"',
    '"*"',
    "[]",
    "{}",
    "[[]]",
    "true",
    "1979-05-27",
    "07:32:00",
    "9" * 5000,
    '"' + "x" * 3000 + '"',
    "[1, 'a']",
    "{ a = 1 }",
    "'..'",
    '"/dev/null"',
    '"intervals"',
    "=",
    "]",
    "\x00",
    "\ufeff",
    "#",
)
ODD_CELLS = (
    b'"',
    b'""',
    b'"a',
    b'a"b',
    b",",
    b";",
    b"\t",
    b"\x00",
    b"\r",
    b"\n",
    b"\r\n",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xc3",
    b"'",
    b"=1+1",
    b"9" * 400,
    b"1e999",
    b"NaN",
    b"-0",
    b"x" * 70000,
    b"\xed\xa0\x80",
    b"\\",
    b"{",
    b"1979-05-27",
    b"99999-01-01",
)
ODD_NAMES = (
    "",
    " ",
    "a",
    "A",
    "a\x00b",
    "\x1b[31mred",
    "\u202e",
    "x" * 3000,
    "paranym_source",
    'q"uo"te',
    "a.b",
    "é\n",
)
ODD_KINDS = (
    "INTEGER", "VARCHAR[]", "STRUCT(a INTEGER)", "ENUM ('a', 'b')", "UUID", "BIT", "INTERVAL", "JSON",
    "DECIMAL(38, 10)", "UNION(n INTEGER, s VARCHAR)", "MAP(VARCHAR, INTEGER)", "TIME WITH TIME ZONE",
)  # fmt: skip
_HEADERS, _HEADER, _BLOCK = 3, 4096, 2**18
"""A DuckDB file begins with this many headers of this many bytes; blocks follow. Each begins with its checksum."""


def mutate_bytes(rng: random.Random, data: bytes) -> bytes:
    """Flip, cut, insert, repeat, overwrite: one to four times, anywhere."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        data = _mutated_once(rng, data, 0, len(data))
    return data


def mutate_tail(rng: random.Random, data: bytes) -> bytes:
    """The same near the end, where Parquet files and archives have their directories."""
    for _ in range(rng.choice((1, 1, 2, 4))):
        data = _mutated_once(rng, data, max(0, len(data) - rng.choice((16, 200, 1200))), len(data))
    return data


def mutate_head(rng: random.Random, data: bytes) -> bytes:
    """The same near the beginning."""
    return _mutated_once(rng, data, 0, min(len(data), rng.choice((8, 64, 512))))


def mutate_text(odd: tuple[bytes, ...]) -> Mutation:
    """Text with odd pieces put in, or in place of fields."""

    def mutate(rng: random.Random, data: bytes) -> bytes:
        for _ in range(rng.choice((1, 2, 5))):
            fields = list(re.finditer(rb"[^,;\t\n]+", data))
            if not fields:
                return rng.choice(odd)
            spot = rng.choice(fields)
            start, end = spot.span() if rng.random() < 0.7 else (spot.start(), spot.start())
            data = data[:start] + rng.choice(odd) + data[end:]
        return data

    return mutate


def recode_text(rng: random.Random, data: bytes) -> bytes:
    """The same text in another encoding, whole or in part."""
    encoding = rng.choice(("utf-16", "utf-16-le", "utf-32", "latin-1", "cp1252", "utf-7", "utf-8-sig"))
    text = data.decode("utf-8", "replace")
    made = text.encode(encoding, "replace")
    return made if rng.random() < 0.6 else made[: rng.randrange(1, len(made) + 1)] + data


def mutate_json(rng: random.Random, data: bytes) -> bytes:
    """A JSON document with values replaced, moved, nested or taken away."""
    document = json.loads(data)
    for _ in range(rng.choice((1, 1, 2, 3))):
        document = _change_value(rng, document)
    text = json.dumps(document)
    if rng.random() < 0.05:
        text = _nested(rng, text)
    return text.encode()


def mutate_json_lines(rng: random.Random, data: bytes) -> bytes:
    """Lines of JSON, one of them damaged."""
    lines = data.splitlines()
    place = rng.randrange(len(lines))
    inside = rng.choice((mutate_json, mutate_json, mutate_bytes))
    return b"\n".join([*lines[:place], inside(rng, lines[place]), *lines[place + 1 :]])


def mutate_toml(rng: random.Random, data: bytes) -> bytes:
    """TOML with values and keys replaced, lines repeated or moved, or tables nested."""
    text = data.decode()
    for _ in range(rng.choice((1, 1, 2, 4))):
        text = _mutated_toml(rng, text)
    return text.encode("utf-8", "surrogatepass")


def mutate_archive(inside: Mutation) -> Mutation:
    """A ZIP archive with one of its parts mutated by `inside`."""

    def mutate(rng: random.Random, data: bytes) -> bytes:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts = [(name, archive.read(name)) for name in archive.namelist()]
        chosen = rng.randrange(len(parts))
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", rng.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED))) as archive:
            for number, (name, content) in enumerate(parts):
                if number != chosen:
                    archive.writestr(name, content)
                elif rng.random() < 0.9:
                    archive.writestr(name, inside(rng, content))
        return made.getvalue()

    return mutate


def mutate_xml(rng: random.Random, data: bytes) -> bytes:
    """XML with attributes and contents replaced: far cells, huge counts, other types."""
    odd = (
        b"XFD1048576",
        b"A0",
        b"AAAAAAA1",
        b"1048577",
        b"-1",
        b"99999999999999999999",
        b"1e999",
        b"",
        b"&lol;",
        b"NaN",
        b"s",
        b"inlineStr",
        b"d",
        b"e",
        b"b",
        b"\x00",
        b"<",
        b"]]>",
        b"2958466",
        b"-700000",
    )
    spots = list(re.finditer(rb'"[^"]*"|>[^<]+<|<\w+', data))
    if not spots or rng.random() < 0.2:
        return mutate_bytes(rng, data)
    for spot in sorted(rng.sample(spots, min(len(spots), rng.choice((1, 2, 4)))), key=lambda each: -each.start()):
        start, end = spot.start() + 1, spot.end() - (0 if data[spot.start() :].startswith(b"<") else 1)
        data = data[:start] + rng.choice(odd) + data[end:]
    return data


def mutate_footer(rng: random.Random, data: bytes) -> bytes:
    """A Parquet file whose metadata are damaged, but end where its last bytes say: they are decoded, not refused."""
    length = struct.unpack("<I", data[-8:-4])[0]
    body, footer = data[: -8 - length], data[-8 - length : -8]
    for _ in range(rng.choice((1, 1, 2, 4))):
        footer = _mutated_once(rng, footer, 0, len(footer))
    return body + footer + struct.pack("<I", len(footer)) + data[-4:]


def odd_parquet(rng: random.Random, _sound: bytes) -> bytes:
    """A sound Parquet file of odd columns: any type, any name, any number of rows."""
    rows = rng.choice((0, 1, 7, 100))
    arrays = [_odd_column(rng, rows) for _ in range(rng.choice((0, 1, 3, 8)))]
    table = pa.Table.from_arrays(arrays, names=[rng.choice(ODD_NAMES) for _ in arrays])
    if rng.random() < 0.3:
        table = table.replace_schema_metadata({"pandas": rng.choice(ODD_TOKENS), "ARROW:schema": "AAAA"})
    made = io.BytesIO()
    pq.write_table(table, made, compression=rng.choice(("none", "gzip", "zstd", "snappy", "brotli")))
    return made.getvalue()


def mutate_blocks(rng: random.Random, data: bytes) -> bytes:
    """A DuckDB file with damaged blocks whose checksums are right, as somebody who means ill would make it."""
    first = _HEADERS * _HEADER
    blocks = range(first, len(data), _BLOCK)
    for _ in range(rng.choice((1, 1, 2, 4))):
        start = rng.choice((*blocks, rng.randrange(_HEADERS) * _HEADER))
        size = _HEADER if start < first else _BLOCK
        block = data[start + 8 : start + size]
        used = len(block.rstrip(b"\0")) or 64
        changed = _mutated_once(rng, block, 0, min(used, rng.choice((64, 600, 2**18))))
        changed = changed[: len(block)].ljust(len(block), b"\0")
        data = data[: start + 8] + changed + data[start + size :]
    return seal_blocks(data)


def seal_blocks(data: bytes) -> bytes:
    """A DuckDB file with the checksums that its headers and blocks ought to have."""
    first = _HEADERS * _HEADER
    spots = [(n * _HEADER, _HEADER) for n in range(_HEADERS)] + [(n, _BLOCK) for n in range(first, len(data), _BLOCK)]
    sealed = bytearray(data)
    for start, size in spots:
        words = np.frombuffer(data[start + 8 : start + size], "<u8")
        mixed = np.bitwise_xor.reduce(words * np.uint64(0xBF58476D1CE4E5B9)) ^ np.uint64(5381)
        sealed[start : start + 8] = struct.pack("<Q", int(mixed))
    return bytes(sealed)


def odd_database(rng: random.Random, _sound: bytes) -> bytes:
    """A sound DuckDB file of odd tables, views, macros, types and defaults, some of which reach for other files."""
    foreign = rng.choice(
        ("read_csv('/etc/passwd')", "read_text('/etc/*')", "'/etc/passwd'", "glob('/**')", "range(10)", "paranym_rows")
    )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "odd.duckdb"
        with duckdb.connect(str(path)) as database:
            for _ in range(rng.choice((0, 1, 2, 4))):
                _make_object(rng, database, foreign)
        return path.read_bytes()


def _make_object(rng: random.Random, database: duckdb.DuckDBPyConnection, foreign: str) -> None:
    name, other = (f'"{rng.choice(ODD_NAMES).replace(chr(0), "").replace(chr(34), chr(34) * 2) or "t"}"' for _ in "ab")
    kind = rng.choice(ODD_KINDS)
    statement = rng.choice(
        (
            f"CREATE TABLE {name} ({other} {kind}, b INTEGER DEFAULT 1)",
            f"CREATE TABLE {name} AS SELECT range AS {other}, NULL::{kind} AS n FROM range(20)",
            f"CREATE TABLE {name} (a INTEGER, {other} INTEGER GENERATED ALWAYS AS (a / 0))",
            f"CREATE TABLE {name} (a INTEGER CHECK (a > 1), {other} VARCHAR UNIQUE)",
            f"CREATE VIEW {name} AS SELECT * FROM {foreign}",
            f"CREATE VIEW {name} AS SELECT * FROM {other}",
            f"CREATE MACRO {name}(x) AS TABLE SELECT * FROM {foreign}",
            "CREATE MACRO count(x) AS error('macro')",
            f"CREATE SCHEMA {name}",
            f"CREATE TYPE {name} AS {kind}",
            f"CREATE SEQUENCE {name}",
            f"CREATE INDEX {name} ON {other} (b)",
        )
    )
    with contextlib.suppress(duckdb.Error):  # taken names, tables that are not there
        database.execute(statement)


def _odd_column(rng: random.Random, rows: int) -> pa.Array:
    kind = rng.choice(
        (
            pa.null(), pa.bool_(), pa.int8(), pa.uint64(), pa.float16(), pa.float64(), pa.string(), pa.large_string(),
            pa.binary(), pa.binary(3), pa.date32(), pa.date64(), pa.timestamp("ns"), pa.timestamp("s", "Europe/Oslo"),
            pa.time64("ns"), pa.duration("us"), pa.decimal128(38, 10), pa.decimal256(76, 0), pa.list_(pa.int8()),
            pa.struct([("", pa.int8())]), pa.map_(pa.string(), pa.int8()), pa.dictionary(pa.int8(), pa.string()),
        )
    )  # fmt: skip
    if rng.random() < 0.3:
        return pa.nulls(rows, kind)
    values = [rng.choice((None, 0, 1, 2**62, -1, float("nan"), "a", "\x00", b"\xff", "é" * 100)) for _ in range(rows)]
    made = []
    for value in values:
        try:
            made.append(pa.scalar(value, kind).as_py() if value is not None else None)
        except (pa.ArrowException, TypeError, ValueError, OverflowError):
            made.append(None)
    try:
        return pa.array(made, kind)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return pa.nulls(rows, kind)


def _mutated_once(rng: random.Random, data: bytes, start: int, end: int) -> bytes:
    if end <= start:
        return data + rng.randbytes(rng.randrange(1, 20))
    place, other = rng.randrange(start, end), rng.randrange(start, end)
    first, last = min(place, other), max(place, other) + 1
    match rng.randrange(8):
        case 0:
            return data[:place] + bytes([data[place] ^ (1 << rng.randrange(8))]) + data[place + 1 :]
        case 1:
            return data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]
        case 2:
            return data[:place]
        case 3:
            return data[:place] + rng.randbytes(rng.choice((1, 4, 40))) + data[place:]
        case 4:
            return data[:first] + data[last:]
        case 5:
            block = data[first:last]
            return data[:place] + block * rng.choice((1, 2, 30)) + data[place:]
        case 6:
            number = struct.pack("<I", rng.choice((0, 1, 2**31 - 1, 2**32 - 1, 2**31, 255)))
            return data[:place] + number + data[place + 4 :]
    return data[:first] + rng.randbytes(last - first) + data[last:]


def _change_value(rng: random.Random, document: Any) -> Any:
    """One place of a document, reached by chance."""
    if rng.random() < 0.02:
        return rng.choice(ODD_VALUES)
    document = copy.copy(document)
    if isinstance(document, dict) and document:
        key = rng.choice(list(document))
        match rng.random():
            case draw if draw < 0.1:
                del document[key]
            case draw if draw < 0.15:
                document[str(rng.choice(ODD_VALUES))[:50]] = document[key]
            case draw if draw < 0.4 or not isinstance(document[key], dict | list):
                document[key] = _replaced(rng, document[key])
            case _:
                document[key] = _change_value(rng, document[key])
    elif isinstance(document, list) and document:
        place = rng.randrange(len(document))
        match rng.random():
            case draw if draw < 0.1:
                del document[place]
            case draw if draw < 0.2:
                document.insert(place, rng.choice(document))
            case draw if draw < 0.4 or not isinstance(document[place], dict | list):
                document[place] = _replaced(rng, document[place])
            case _:
                document[place] = _change_value(rng, document[place])
    else:
        return _replaced(rng, document)
    return document


def _replaced(rng: random.Random, value: Any) -> Any:
    if isinstance(value, int | float) and rng.random() < 0.4:
        return rng.choice((value + 1, value - 1, -value, value * 1000, float(value), str(value), int(value)))
    return rng.choice(ODD_VALUES)


def _nested(rng: random.Random, text: str) -> str:
    depth = rng.choice((50, 300, 3000, 100_000))
    opening, closing = rng.choice((("[", "]"), ('{"a":', "}")))
    return opening * depth + text + closing * depth


def _mutated_toml(rng: random.Random, text: str) -> str:
    lines = text.splitlines() or [""]
    place = rng.randrange(len(lines))
    match rng.randrange(9):
        case 0 | 1 | 2 | 3:
            spots = list(re.finditer(r'(?<=[=\[,]) ?("[^"\n]*"|[\w.-]+)', text))
            if not spots:
                return text
            spot = rng.choice(spots)
            return text[: spot.start()] + rng.choice(ODD_TOKENS) + text[spot.end() :]
        case 4:
            words = list(re.finditer(r"\w+", text)) or list(re.finditer("^", text))
            first, second = rng.choice(words), rng.choice(words)
            return text[: first.start()] + second[0] + text[first.end() :]
        case 5:
            return "\n".join([*lines[:place], *lines[place + 1 :]])
        case 6:
            return "\n".join([*lines[:place], lines[rng.randrange(len(lines))], *lines[place:]])
        case 7:
            depth = rng.choice((20, 200, 2000))
            line = rng.choice(
                ("[" + ".".join("a" * depth) + "]", f"a = {'[' * depth}{']' * depth}", "a" + ".a" * depth + " = 1")
            )
            return "\n".join([*lines[:place], line, *lines[place:]])
    return mutate_bytes(rng, text.encode()).decode("utf-8", "replace")
