"""Existing DuckDB files: their tables, and how a table is replaced.

A dropped table leaves its rows in freed blocks of the file, and so does a failed release. Therefore a release is
written to a new file; everything else that the old file holds is copied into it, and the new file replaces the old
one.
"""

import os
import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import duckdb
import sqlglot.expressions as sql

from paranym.engines.duckdb.session import connect
from paranym.errors import BadInput

_DIALECT = "duckdb"
Settings = dict[str, str | bool | int | float | list[str]]
CONFINED: Settings = {
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "python_enable_replacements": "false",
}
"""Settings of every engine: a file cannot load extensions or read variables of this program."""
_ALONE: Settings = {"enable_external_access": "false", "lock_configuration": "true"}
"""Further settings where a file is opened: it cannot read other files."""
_MEMORY = Path(":memory:")
LOGS = (".wal", ".wal.checkpoint", ".wal.recovery")
"""The suffixes of the files that DuckDB creates beside a file that it writes."""
_OLD, _NEW = "paranym_old", "paranym_new"
_CATALOG = {
    "tables": "SELECT schema_name, table_name FROM duckdb_tables() WHERE NOT internal",
    "views": "SELECT schema_name, view_name FROM duckdb_views() WHERE NOT internal",
    "indexes": "SELECT schema_name, index_name FROM duckdb_indexes() WHERE true",
    "sequences": "SELECT schema_name, sequence_name FROM duckdb_sequences() WHERE true",
    "types": "SELECT schema_name, type_name FROM duckdb_types() WHERE NOT internal",
    "macros": "SELECT schema_name, function_name FROM duckdb_functions() WHERE NOT internal",
}
"""Queries that list everything a file may hold, by kind."""


def tables_of(path: Path) -> dict[str, str | None]:
    """Return the tables in the main schema of a DuckDB file, with the comment on each."""
    with _open(path, read_only=True) as database:
        listed = database.execute(
            "SELECT table_name, comment FROM duckdb_tables() WHERE schema_name = 'main' AND NOT internal"
        ).fetchall()
    return dict(listed)


def comment_on_table(path: Path, table: str, comment: str) -> None:
    """Set the comment on a table, which identifies it later."""
    with _open(path) as database:
        name = sql.table_(table, db="main", quoted=True).sql(_DIALECT)
        database.execute(f"COMMENT ON TABLE {name} IS {_quoted(comment)}")
        database.execute("CHECKPOINT")


def absorb_log(path: Path) -> None:
    """Let a DuckDB file absorb the log that a killed process left beside it."""
    with _open(path) as database:
        # a truncated log is skipped, but stays until something is written
        database.execute("CREATE TABLE main.paranym_partial_log (a INTEGER)")
        database.execute("DROP TABLE main.paranym_partial_log")
        database.execute("CHECKPOINT")


def log_of(path: Path) -> Path:
    """Return the path of the write-ahead log of a DuckDB file."""
    return path.with_name(f"{path.name}.wal")


def make_file(path: Path, *, like: Path) -> None:
    """Create an empty DuckDB file that every program able to read the other one can read."""
    with _open(_MEMORY) as database:
        database.execute(f"ATTACH {_quoted(str(like))} AS {_OLD} (READ_ONLY)")
        [(tags,)] = database.execute(f"SELECT tags FROM duckdb_databases() WHERE database_name = '{_OLD}'").fetchall()
        version = re.match(r"v[0-9.]+", str(tags.get("storage_version", "")))
        how = f" (STORAGE_VERSION '{version[0]}')" if version else ""
        database.execute(f"ATTACH {_quoted(str(path))} AS {_NEW}{how}")


def carry_over(path: Path, made: Path, *, without: Collection[str], aside: Path) -> os.stat_result:
    """Copy everything that a DuckDB file holds, except some tables, into another; return the state that was copied.

    A copy of the file is made at `aside`, since tables are excluded by dropping them.
    """
    if log_of(path).exists():
        absorb_log(path)
    seen = path.stat()
    shutil.copyfile(path, aside)
    with _open(_MEMORY) as database:
        database.execute(f"SET temp_directory = {_quoted(str(aside.with_suffix('.spill')))}")
        database.execute(f"ATTACH {_quoted(str(aside))} AS {_OLD}")
        database.execute(f"ATTACH {_quoted(str(made))} AS {_NEW}")
        # views and macros of the file are copied, and must not read anything in the meantime
        paths = [f"{each.absolute()}{ending}" for each in (aside, made) for ending in ("", *LOGS)]
        database.execute("SET allowed_paths = $1", [paths])
        database.execute("SET enable_external_access = false")
        database.execute("SET lock_configuration = true")
        try:
            for name in without:
                database.execute(f"DROP TABLE IF EXISTS {sql.table_(name, 'main', _OLD, quoted=True).sql(_DIALECT)}")
            database.execute(f"COPY FROM DATABASE {_OLD} TO {_NEW}")
        except duckdb.Error as error:
            raise _cannot_carry(path, str(error).splitlines()[0]) from error
        _check_carried(database, path)
        database.execute(f"CHECKPOINT {_NEW}")
    aside.unlink()
    shutil.copymode(path, made)
    return seen


@contextmanager
def unchanged(path: Path, seen: os.stat_result) -> Iterator[None]:
    """Lock a DuckDB file against other writers while the block runs, and check that it has not changed since `seen`."""
    with ExitStack() as stack:
        if os.name == "nt":  # Windows cannot replace an open file
            with _open(path):
                pass
        else:
            stack.enter_context(_open(path))
        now = path.stat()
        if (now.st_mtime_ns, now.st_size, now.st_ino) != (seen.st_mtime_ns, seen.st_size, seen.st_ino):
            raise BadInput(f"{str(path)!r} was changed while the release was made. Nothing was written; run again.")
        yield


def _check_carried(database: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Raise if the new file lacks anything that the old one holds."""
    for kind, question in _CATALOG.items():
        old, new = (
            set(database.execute(f"{question} AND database_name = '{name}'").fetchall()) for name in (_OLD, _NEW)
        )
        if not old <= new:
            raise _cannot_carry(path, f"some {kind} would be lost")
        if kind == "tables":
            for schema, name in old:
                counts = [
                    database.execute(f"SELECT count(*) FROM {table.sql(_DIALECT)}").fetchall()
                    for table in (sql.table_(name, schema, catalog, quoted=True) for catalog in (_OLD, _NEW))
                ]
                if counts[0] != counts[1]:
                    raise _cannot_carry(path, "some rows would be lost")


def _cannot_carry(path: Path, why: str) -> BadInput:
    return BadInput(
        f"Cannot carry over what {str(path)!r} holds besides: {why}. Nothing was written. Release into a file of its "
        "own."
    )


@contextmanager
def _open(path: Path, *, read_only: bool = False) -> Iterator[duckdb.DuckDBPyConnection]:
    where, config = (":memory:", CONFINED) if path == _MEMORY else (str(path.absolute()), CONFINED | _ALONE)
    try:
        database = connect(where, read_only=read_only, config=config)
    except duckdb.Error as error:
        raise cannot_open(path, error) from error
    try:
        yield database
    finally:
        database.close()


def cannot_open(path: Path, error: duckdb.Error) -> BadInput:
    """Return the error for a DuckDB file that cannot be opened."""
    text = str(error)
    if any(sign in text for sign in ("already attached", "lock on file", "different configuration")):
        return BadInput(f"Cannot write {str(path)!r}: it is open elsewhere. Close it there first.")
    return BadInput(f"Cannot write {str(path)!r}: {text.splitlines()[0]}")


def _quoted(text: str) -> str:
    return sql.Literal.string(text).sql(_DIALECT)
