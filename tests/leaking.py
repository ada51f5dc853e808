"""A table with planted values that must not leave it, releases of it, and a search for them in all bytes."""

import gzip
import io
import pickle
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import paranym as pn

TOWN, ILLNESS, NAME, ACCOUNT = "ZZTOWN", "ZZILLNESS", "ZZNAME", "ZZACCOUNT"
AGE = 7_777_777
MARKERS = (
    *(text.encode() for text in (TOWN, ILLNESS, NAME, ACCOUNT, str(AGE)[:6])),
    *(AGE.to_bytes(size, "little") for size in (4, 8)),
)
"""What must not be found: in rows that are suppressed, or in columns that are not published."""

_ALONE = 6
_TOWNS = ["Abbotsbury", "Bradford", "Cardiff", "Dundee"]
ROWS = 400

PEOPLE = pa.table({
    "name": [f"{NAME} of a person whose name is long, number {n}" for n in range(ROWS)],
    "age": [AGE if n < _ALONE else 20 + n % 40 for n in range(ROWS)],
    "town": [f"{TOWN} in the hills beyond the river {n}" if n < _ALONE else _TOWNS[n % 4] for n in range(ROWS)],
    "illness": [f"{ILLNESS} that nobody else has, number {n}" if n < _ALONE else ["flu", "cold"][n // 4 % 2]
                for n in range(ROWS)],
    "account": [f"{ACCOUNT}{n}" for n in range(ROWS)],
})  # fmt: skip

TREE = {
    "west": _TOWNS[1:3],
    "rest": [_TOWNS[0], _TOWNS[3]],
    "hills": [town for town in PEOPLE["town"].to_pylist() if town.startswith(TOWN)],
}


def problem_of(data: Any, **options: Any) -> pn.Problem:
    return pn.Problem(
        data,
        quasi_identifiers={"age": {"intervals": [10, 20]}, "town": {"tree": TREE}},
        sensitive=["illness"],
        identifiers=["name", "account"],
        suppression_rows=_ALONE,
        **options,
    )


def chosen(problem: pn.Problem, model: str) -> Any:
    """What is released: without the six rows that hold planted values."""
    if model == "levels":
        return pn.point_at(problem, {"age": 1}, 10)
    return pn.recode_locally(problem, 10, method="mondrian", refine=0) if model == "local" else _cuts()


@lru_cache
def _cuts() -> pn.Point:
    front = pn.evolve(problem_of(PEOPLE), population=30, generations=8, seed=3, greedy=True)
    return next(point for point in front if point.suppressed == _ALONE and point.k >= 10)


def found_in(folder: Path, markers: tuple[bytes, ...] = MARKERS) -> set[tuple[str, bytes]]:
    """Which of the markers stand in which of the files; what is private by design is passed over."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".recoding.json")]
    return {
        (str(path.relative_to(folder)), marker)
        for path in files
        for marker in markers
        if any(marker in part for part in (path.name.encode(), *_bytes_of(path)))
    }


def found_in_frame(frame: Any, markers: tuple[bytes, ...] = MARKERS) -> set[bytes]:
    """Which of the markers stand in a frame, however it is sent."""
    return {marker for marker in markers if any(marker in part for part in _sent(frame))}


def _sent(frame: Any) -> Iterator[bytes]:
    yield pickle.dumps(frame)
    if isinstance(frame, pl.DataFrame):
        file = io.BytesIO()
        frame.write_ipc(file, compat_level=pl.CompatLevel.newest())
        yield file.getvalue()
        yield repr(frame.schema).encode()
        frame = frame.to_arrow()
    table = frame if isinstance(frame, pa.Table) else pa.Table.from_pandas(frame)
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    yield sink.getvalue()


def _bytes_of(path: Path) -> Iterator[bytes]:
    """What a file holds, as it is and unpacked."""
    raw = path.read_bytes()
    yield raw
    if raw.startswith(b"\x1f\x8b"):
        yield gzip.decompress(raw)
    if raw.startswith(b"PAR1"):
        file = pq.ParquetFile(path)
        yield repr(file.schema_arrow).encode() + repr(file.schema_arrow.metadata).encode()
        for number in range(file.metadata.num_row_groups):
            group = file.metadata.row_group(number)
            yield "".join(repr(group.column(n).statistics) for n in range(group.num_columns)).encode()
        yield from _sent(file.read())
        texts = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        yield from _sent(pq.read_table(path, read_dictionary=texts))
