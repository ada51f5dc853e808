"""A table that was named but is not open yet, and opening it in the engine that has it."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from paranym.engines.base import Table, Target
from paranym.engines.csv_dialect import CsvDialect
from paranym.engines.duckdb import DuckDBTable, files_of
from paranym.engines.frames import frame_digest
from paranym.engines.postgres import PostgresTable
from paranym.engines.postgres_server import Server, check_address, is_address
from paranym.engines.spark import SparkTable
from paranym.engines.spark_session import SparkSource, is_frame
from paranym.engines.standard_input import STANDARD_INPUT, standard_input
from paranym.errors import BadInput


def open_table(
    data: object,
    *,
    table: str | None = None,
    dialect: CsvDialect | None = None,
    missing: Sequence[str] = (),
    memory: str | None = None,
    without: Mapping[str, str | None] | None = None,
    writes: bool = False,
) -> Table:
    """Open a table in the engine that has it: Postgres, Spark, or else the embedded one, which takes at most `memory`.

    Rows that have all the values of `without` are passed over. `writes` says that the database will be written to.
    """
    if isinstance(data, Server) or is_address(data):
        where = data if isinstance(data, Server) else str(data)
        return PostgresTable(where, table=table, missing=missing, without=without, writes=writes)
    if isinstance(data, SparkSource) or is_frame(data):
        return SparkTable(data, missing=missing, dialect=dialect, without=without)
    return DuckDBTable(data, table=table, dialect=dialect, missing=missing, memory=memory, without=without)


def read_by(engine: str | None, data: Path | str, master: str | None = None) -> object:
    """What somebody named, to be read by the engine that they said."""
    if engine == "spark":
        return SparkSource(path=str(data), master=master)
    if master is not None:
        raise BadInput("Only Spark has a master; take the engine spark.")
    if (engine == "postgres") != is_address(data) and engine is not None:
        raise BadInput(f"The engine {engine} does not read {'a database' if is_address(data) else 'files'}.")
    return data


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Where a table is, and how it is read."""

    data: object
    """A path, the address of a database, a data frame, or what Spark shall read."""
    table: str | None = None
    """Of a DuckDB file or a database."""
    dialect: CsvDialect | None = None
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if is_address(self.data):
            check_address(str(self.data))

    @property
    def path(self) -> Path | None:
        """The file, if it is one that is read here."""
        if not isinstance(self.data, str | Path) or is_address(self.data):
            return None
        return standard_input() if str(self.data) == STANDARD_INPUT else Path(self.data)

    @property
    def is_frame(self) -> bool:
        """Whether it is a data frame, of which a release makes another one."""
        return not (isinstance(self.data, str | Path | SparkSource) or is_frame(self.data))

    @property
    def is_in_spark(self) -> bool:
        """Whether Spark has it."""
        return isinstance(self.data, SparkSource) or is_frame(self.data)

    @property
    def has_order(self) -> bool:
        """Whether its rows are in an order, so that each has a number."""
        return self.address is None and not self.is_in_spark

    @property
    def address(self) -> str | None:
        """Of the database, if it is in one."""
        return str(self.data) if is_address(self.data) else None

    @property
    def name(self) -> str:
        """What messages call it; no folder, server or user of it is named."""
        if is_address(self.data):
            return self.table or "the database"
        if isinstance(self.data, SparkSource):
            return self.data.name
        if not isinstance(self.data, str | Path):
            return "the table"
        return "standard input" if str(self.data) == STANDARD_INPUT else Path(self.data).name

    def open(self, *, memory: str | None = None, writes: bool = False) -> Table:
        """Open it; the embedded engine takes at most `memory`, such as "4GB"."""
        if self.table is not None and self.is_in_spark:
            raise BadInput("A data frame of Spark has no tables to choose from.")
        return open_table(
            self.data, table=self.table, dialect=self.dialect, missing=self.missing, memory=memory, writes=writes
        )

    def digest(self) -> bytes:
        """A hash of all that is in it: of the bytes of files, or of the cells of any other table."""
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
        with self.open() as opened:
            return opened.digest()


def written(opened: Table, target: Target) -> object:
    """What an open table has just written, to be opened by the same engine: in its transaction, or by its workers."""
    if isinstance(opened, PostgresTable) and target.format == "postgres":
        return opened.server
    if isinstance(opened, SparkTable):
        return SparkSource(path=f"file:{target.path.resolve()}", session=opened.session)
    return target.path


def _digest(path: Path) -> bytes:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").digest()
