"""Writing the result of a query to a file: CSV, Parquet, or a table of a DuckDB file."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sqlglot.expressions as sql
from duckdb.func import ARROW

from paranym.engines.base import Target
from paranym.engines.duckdb.files import LOGS, cannot_open
from paranym.engines.sql.rewriting import DRAW, HEADER
from paranym.errors import BadInput

_DIALECT = "duckdb"
_DATABASE = "paranym_target"
_ROWS_PER_GROUP = 122_880

TO_TEXT = ("HUGEINT", "WITH TIME ZONE")
"""Types that Parquet lacks, such as 128-bit integers and times with a zone; they are written as text."""


@contextmanager
def drawing(database: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Register the function that draws random numbers while the block runs. The numbers are not kept anywhere."""
    database.create_function(DRAW, _draw, ["DOUBLE"], "BIGINT", type=ARROW, side_effects=True)
    try:
        yield
    finally:
        database.remove_function(DRAW)


def _draw(rows: pa.Array) -> pa.Array:
    return pa.array(np.frombuffer(os.urandom(8 * len(rows)), np.int64))


def write_csv(database: duckdb.DuckDBPyConnection, query: sql.Expression, names: Sequence[str], target: Target) -> None:
    """Write CSV; `query` puts the names of the table `HEADER` first, so that no name is part of the query."""
    header = pa.table({f"o{n}": pa.array([name], pa.string()) for n, name in enumerate(names)})
    database.register(HEADER, header)
    packing = "gzip" if target.is_packed else "none"
    try:
        options = f"FORMAT csv, HEADER false, COMPRESSION {packing}"
        database.execute(f"COPY ({query.sql(_DIALECT)}) TO {_quoted(target.path)} ({options})")
    finally:
        database.unregister(HEADER)


def write_columns(
    database: duckdb.DuckDBPyConnection, query: sql.Expression, names: Sequence[str], target: Target
) -> None:
    """Write columns with their types, in any format but text."""
    if target.format.has_tables:
        write_table(database, query, names, target)
    elif target.format.write is None:
        write_parquet(database, query, names, target)
    else:
        reader = database.sql(query.sql(_DIALECT)).to_arrow_reader(_ROWS_PER_GROUP)
        schema = pa.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])
        batches = (pa.RecordBatch.from_arrays(batch.columns, schema=schema) for batch in reader)
        target.format.write(pa.RecordBatchReader.from_batches(schema, batches), target.path)


def write_parquet(
    database: duckdb.DuckDBPyConnection, query: sql.Expression, names: Sequence[str], target: Target
) -> None:
    """Write Parquet, with the types of the columns."""
    if engine_can_name(names):
        database.execute(f"COPY ({query.sql(_DIALECT)}) TO {_quoted(target.path)} (FORMAT parquet)")
        return
    reader = database.sql(query.sql(_DIALECT)).to_arrow_reader(_ROWS_PER_GROUP)
    schema = pa.schema([field.with_name(name) for field, name in zip(reader.schema, names, strict=True)])
    with pq.ParquetWriter(target.path, schema) as writer:
        for batch in reader:
            writer.write_table(pa.Table.from_batches([batch]).rename_columns(list(names)))


def write_table(
    database: duckdb.DuckDBPyConnection, query: sql.Expression, names: Sequence[str], target: Target
) -> None:
    """Create a table in a DuckDB file, which is created if it does not exist."""
    if not engine_can_name(names):
        raise BadInput(
            "A DuckDB table needs names for all columns that differ in more than upper and lower case. "
            "Rename the columns, or write CSV or Parquet."
        )
    with attached(database, target.path):
        database.execute(f"CREATE TABLE {_inside(str(target.table))} AS {query.sql(_DIALECT)}")


def files_of(target: Target) -> list[str]:
    """Return the files that the engine creates while it writes a target."""
    path = target.path.absolute()
    beside = [path.with_name(f"{path.name}{ending}") for ending in LOGS]
    return [str(each) for each in (path, path.with_name(f"tmp_{path.name}"), *beside)]


def fault(error: duckdb.Error, target: Target) -> BaseException | None:
    """Return the error that stopped the engine, if the table that it read is not the cause."""
    text = str(error)
    if "KeyboardInterrupt" in text:
        return KeyboardInterrupt()  # raised while the engine drew a number
    refused = re.search(r'Could not write file \\?".*?": ([A-Za-z ]+)', text, re.DOTALL)
    if refused is None:
        return None
    return BadInput(f"Cannot write {target.path.name!r}: {refused[1].strip()}.")


def engine_can_name(names: Sequence[str]) -> bool:
    """True if the engine can use these column names: it has no empty ones, and is not case-sensitive."""
    return all(names) and len({name.casefold() for name in names}) == len(names)


@contextmanager
def attached(database: duckdb.DuckDBPyConnection, path: Path) -> Iterator[None]:
    """Attach a DuckDB file for writing while the block runs."""
    try:
        database.execute(f"ATTACH {_quoted(path)} AS {_DATABASE}")
    except duckdb.Error as error:
        raise cannot_open(path, error) from error
    try:
        yield
        database.execute(f"CHECKPOINT {_DATABASE}")
    finally:
        database.execute(f"DETACH {_DATABASE}")


def _inside(table: str) -> str:
    return sql.table_(table, db="main", catalog=_DATABASE, quoted=True).sql(_DIALECT)


def _quoted(path: Path) -> str:
    return sql.Literal.string(str(path)).sql(_DIALECT)
