"""The source of a table, and opening it in the right engine."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from paranym.engines.base import Table, Target
from paranym.engines.duckdb.table import ONLY_DUCKDB, DuckDBTable, files_of
from paranym.engines.files.csv import CsvDialect
from paranym.engines.files.standard_input import STANDARD_INPUT, standard_input
from paranym.engines.frames.conversion import frame_digest
from paranym.engines.installed import engine_of, is_table, lent
from paranym.engines.postgres.session import Server, check_address, is_address
from paranym.engines.postgres.table import PostgresTable
from paranym.engines.spark.session import SparkSource, is_frame
from paranym.engines.spark.table import SparkTable
from paranym.errors import BadInput


def open_table(
    data: object,
    *,
    table: str | None = None,
    dialect: CsvDialect | None = None,
    missing: Sequence[str] = (),
    memory: str | None = None,
    views: bool = False,
    target: Target | None = None,
) -> Table:
    """Open a table in the engine that has it: Postgres, Spark, or else the embedded one, which takes at most `memory`.

    `views` allows `table` to name a view of a DuckDB file. `target` says what will be written.
    """
    engine = engine_of(data)
    is_remote = (
        isinstance(data, Server | SparkSource)
        or is_address(data)
        or is_frame(data)
        or is_table(data)
        or engine is not None
    )
    if views and is_remote:
        raise BadInput(ONLY_DUCKDB)
    if is_table(data):
        _check_open(table=table, missing=missing)
        return lent(data)
    if engine is not None:
        return engine.open(str(data), table=table, missing=missing, memory=memory, target=target)
    if isinstance(data, Server) or is_address(data):
        where = data if isinstance(data, Server) else str(data)
        writes = target is not None and target.format.is_database
        return PostgresTable(where, table=table, missing=missing, writes=writes)
    if isinstance(data, SparkSource) or is_frame(data):
        return SparkTable(data, missing=missing, dialect=dialect)
    return DuckDBTable(
        data,
        table=table,
        dialect=dialect,
        missing=missing,
        memory=memory,
        views=views,
        target=target,
    )


def _check_open(*, table: str | None, missing: Sequence[str]) -> None:
    """Raise if options of opening are given for a table that is open already."""
    if table is not None or missing:
        raise BadInput("This table is open already: choose the table, and what means missing, when you open it.")


def read_by(engine: str | None, data: Path | str, master: str | None = None) -> object:
    """Return the source for a path or an address, to be read by the requested engine."""
    if engine == "spark":
        return SparkSource(path=str(data), master=master)
    if master is not None:
        raise BadInput("Only Spark has a master; use the engine spark.")
    if (engine == "postgres") != is_address(data) and engine is not None:
        raise BadInput(f"The engine {engine} does not read {'a database' if is_address(data) else 'files'}.")
    return data


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The location of a table, and how to read it."""

    data: object
    """A path, the address of a database, a data frame, or a source of Spark."""
    table: str | None = None
    """The table of a DuckDB file or a database."""
    dialect: CsvDialect | None = None
    missing: tuple[str, ...] = ()
    views: bool = False
    """True if the table may be a view of a DuckDB file, which is a query of the file's author."""

    def __post_init__(self) -> None:
        if is_address(self.data):
            check_address(str(self.data))

    @property
    def path(self) -> Path | None:
        """The file, if it is one that the embedded engine reads."""
        if not isinstance(self.data, str | Path) or is_address(self.data) or self.is_elsewhere:
            return None
        return standard_input() if str(self.data) == STANDARD_INPUT else Path(self.data)

    @property
    def is_frame(self) -> bool:
        """True if it is a data frame; its release is a data frame too."""
        return not (isinstance(self.data, str | Path | SparkSource) or is_frame(self.data) or self.is_elsewhere)

    @property
    def is_elsewhere(self) -> bool:
        """True if a third-party engine has it."""
        return is_table(self.data) or engine_of(self.data) is not None

    @property
    def is_in_spark(self) -> bool:
        """Whether Spark has it."""
        return isinstance(self.data, SparkSource) or is_frame(self.data)

    @property
    def has_order(self) -> bool:
        """True if its rows have an order, so that each has a number."""
        return self.address is None and not self.is_in_spark and not self.is_elsewhere

    @property
    def address(self) -> str | None:
        """The address of the database, if it is in one."""
        return str(self.data) if is_address(self.data) else None

    @property
    def name(self) -> str:
        """The name in messages, without folder, server and user."""
        if is_address(self.data):
            return self.table or "the database"
        if isinstance(self.data, SparkSource):
            return self.data.name
        if is_table(self.data):
            return str(getattr(self.data, "name", "the table"))
        if not isinstance(self.data, str | Path):
            return "the table"
        if self.is_elsewhere:
            return self.table or "the table"
        return "standard input" if str(self.data) == STANDARD_INPUT else Path(self.data).name

    def open(self, *, memory: str | None = None, target: Target | None = None) -> Table:
        """Open it, perhaps to write a `target`; the embedded engine takes at most `memory`, such as "4GB"."""
        if self.table is not None and self.is_in_spark:
            raise BadInput("A data frame of Spark has no tables to choose from.")
        return open_table(
            self.data,
            table=self.table,
            dialect=self.dialect,
            missing=self.missing,
            memory=memory,
            views=self.views,
            target=target,
        )

    def digest(self, opened: Table | None = None) -> bytes:
        """Return a hash of the content: of the bytes of files, or of the cells of any other table, open or not."""
        path = self.path
        if path is None and self.is_frame:
            return frame_digest(self.data)
        if path is not None:
            files = files_of(path)
            if len(files) > 1 or files[0] != path:
                digests = sorted(_digest(file) for file in files)
                return hashlib.sha256(b"".join(digests)).digest()
            with path.open("rb") as stream:
                if stream.read(12)[8:] != b"DUCK":
                    return _digest(path)
        if opened is not None:
            return opened.digest()
        with self.open() as again:
            return again.digest()


def written(opened: Table, target: Target) -> object:
    """Return the source of a table just written, for the same engine: in its transaction, or by its workers."""
    if isinstance(opened, PostgresTable) and target.format.is_database:
        return opened.server
    if isinstance(opened, SparkTable):
        return SparkSource(path=f"file:{target.path.resolve()}", session=opened.session)
    return target.format.opened_by(target.path)


def hash_rows(opened: Table) -> str:
    """A hash of the rows of a table in a database, whatever their order."""
    if not isinstance(opened, DuckDBTable | PostgresTable):
        raise TypeError("Only tables of a database have no file to take a hash of.")
    return opened.hash_rows()


def _digest(path: Path) -> bytes:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()
