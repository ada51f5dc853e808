"""Writing what a query gives into a file: CSV, Parquet, or a table of a DuckDB file."""

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
from paranym.engines.rewriting import DRAW, HEADER
from paranym.errors import BadInput

_DIALECT = "duckdb"
_DATABASE = "paranym_target"
_ROWS_PER_GROUP = 122_880

TO_TEXT = ("HUGEINT", "WITH TIME ZONE")
"""Parquet has no integers of 128 bits and no times with a zone; what holds them is written as text."""


@contextmanager
def drawing(database: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Lend the engine the function that draws numbers. What was drawn is not kept anywhere."""
    database.create_function(DRAW, _draw, ["DOUBLE"], "BIGINT", type=ARROW, side_effects=True)
    try:
        yield
    finally:
        database.remove_function(DRAW)


def _draw(rows: pa.Array) -> pa.Array:
    return pa.array(np.frombuffer(os.urandom(8 * len(rows)), np.int64))


def write_csv(database: duckdb.DuckDBPyConnection, query: sql.Expression, names: Sequence[str], target: Target) -> None:
    """Write text; `query` puts the names of the table `HEADER` first, so that no name is part of it."""
    header = pa.table({f"o{n}": pa.array([name], pa.string()) for n, name in enumerate(names)})
    database.register(HEADER, header)
    packing = "gzip" if target.is_packed else "none"
    try:
        options = f"FORMAT csv, HEADER false, COMPRESSION {packing}"
        database.execute(f"COPY ({query.sql(_DIALECT)}) TO {_quoted(target.path)} ({options})")
    finally:
        database.unregister(HEADER)


def write_parquet(
    database: duckdb.DuckDBPyConnection, query: sql.Expression, names: Sequence[str], target: Target
) -> None:
    """Write columns with their types."""
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
    """Make a table in a DuckDB file, which is made if it is not there."""
    if not engine_can_name(names):
        raise BadInput(
            "A DuckDB table needs names for all columns that differ in more than upper and lower case. "
            "Rename the columns, or write CSV or Parquet."
        )
    with attached(database, target.path):
        database.execute(f"CREATE TABLE {_inside(str(target.table))} AS {query.sql(_DIALECT)}")


def fault(error: duckdb.Error, target: Target) -> BaseException | None:
    """What stopped the engine, if it was not the table that it read."""
    text = str(error)
    if "KeyboardInterrupt" in text:
        return KeyboardInterrupt()  # it came while the engine asked for a number
    refused = re.search(r'Could not write file \\?".*?": ([A-Za-z ]+)', text, re.DOTALL)
    if refused is None:
        return None
    return BadInput(f"Cannot write {target.path.name!r}: {refused[1].strip()}.")


def engine_can_name(names: Sequence[str]) -> bool:
    """Whether the engine gives columns just these names: it knows no empty ones, and takes A and a for the same."""
    return all(names) and len({name.casefold() for name in names}) == len(names)


def tables_of(path: Path) -> dict[str, str | None]:
    """The tables in the main schema of a DuckDB file, with the comment on each."""
    with _open(path, read_only=True) as database:
        listed = database.execute(
            "SELECT table_name, comment FROM duckdb_tables() WHERE schema_name = 'main' AND NOT internal"
        ).fetchall()
    return dict(listed)


def replace_table(path: Path, staged: str, name: str, comment: str, *, overwrite: bool) -> None:
    """Give a table its name and a comment, in place of the one that may have it, in one transaction."""
    with _open(path) as database:
        database.execute("BEGIN")
        if overwrite:
            database.execute(f"DROP TABLE IF EXISTS {_name(name)}")
        bare = sql.to_identifier(name, quoted=True).sql(_DIALECT)
        database.execute(f"ALTER TABLE {_name(staged)} RENAME TO {bare}")
        database.execute(f"COMMENT ON TABLE {_name(name)} IS {sql.Literal.string(comment).sql(_DIALECT)}")
        database.execute("COMMIT")


def drop_tables(path: Path, names: Sequence[str]) -> None:
    """Remove tables, if they are there."""
    with _open(path) as database:
        for name in names:
            database.execute(f"DROP TABLE IF EXISTS {_name(name)}")


def absorb_log(path: Path) -> None:
    """Have a DuckDB file take in what was logged beside it by a run that was killed."""
    with _open(path) as database:
        # a log that breaks off is passed over, but stays until something was written
        database.execute("CREATE TABLE main.paranym_partial_log (a INTEGER)")
        database.execute("DROP TABLE main.paranym_partial_log")
        database.execute("CHECKPOINT")


@contextmanager
def attached(database: duckdb.DuckDBPyConnection, path: Path) -> Iterator[None]:
    """A DuckDB file that can be written while the block runs."""
    try:
        database.execute(f"ATTACH {_quoted(path)} AS {_DATABASE}")
    except duckdb.Error as error:
        raise _cannot_open(path, error) from error
    try:
        yield
        database.execute(f"CHECKPOINT {_DATABASE}")
    finally:
        database.execute(f"DETACH {_DATABASE}")


@contextmanager
def _open(path: Path, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    try:
        database = duckdb.connect(str(path), read_only=read_only)
    except duckdb.Error as error:
        raise _cannot_open(path, error) from error
    try:
        yield database
    finally:
        database.close()


def _cannot_open(path: Path, error: duckdb.Error) -> BadInput:
    text = str(error)
    if "already attached" in text or "lock on file" in text:
        return BadInput(f"Cannot write {str(path)!r}: it is open elsewhere. Close it there first.")
    return BadInput(f"Cannot write {str(path)!r}: {text.splitlines()[0]}")


def _inside(table: str) -> str:
    return sql.table_(table, db="main", catalog=_DATABASE, quoted=True).sql(_DIALECT)


def _name(table: str) -> str:
    return sql.table_(table, db="main", quoted=True).sql(_DIALECT)


def _quoted(path: Path) -> str:
    return sql.Literal.string(str(path)).sql(_DIALECT)
