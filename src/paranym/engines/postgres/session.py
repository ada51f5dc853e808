"""A connection to a Postgres server: queries in, Arrow out. Passwords come from the environment only."""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit
from weakref import WeakSet

import pyarrow as pa
import sqlglot.expressions as sql

from paranym.errors import BadInput, MissingExtra, UnreadableSource

if TYPE_CHECKING:
    from adbc_driver_manager.dbapi import Cursor

DIALECT = "postgres"
_SCHEMES = ("postgresql://", "postgres://")
_LOST = ("server closed the connection", "terminating connection", "connection not open", "no connection to the server")


def is_address(data: object) -> bool:
    """True if an object is the address of a Postgres database."""
    return isinstance(data, str) and data.startswith(_SCHEMES)


def check_address(address: str) -> None:
    """Raise if an address contains a password: it would end up in recipes and in the history of shells."""
    parts = urlsplit(address)
    if parts.password is not None or any(key == "password" for key, _ in parse_qsl(parts.query)):
        raise BadInput(
            "The address of a database holds no password: recipes are shared. Set PGPASSWORD, or write the password "
            "into ~/.pgpass or a service file, and leave it out of the address."
        )


def database_of(address: str) -> str:
    """Return the name of a database, without user and host."""
    return urlsplit(address).path.strip("/") or "postgres"


class Server:
    """One connection and one transaction, which sees the tables as of its beginning."""

    def __init__(self, address: str, *, name: str, writes: bool = False) -> None:
        check_address(address)
        try:
            import adbc_driver_manager as manager  # noqa: PLC0415 - an extra
            import adbc_driver_postgresql.dbapi as driver  # noqa: PLC0415 - an extra
        except ImportError as error:
            raise MissingExtra("adbc-driver-postgresql", "postgres") from error
        self.address, self.name, self.writes = address, name, writes
        self._error: type[Exception] = manager.Error
        self._cursors: WeakSet[Cursor] = WeakSet()
        try:
            self._connection: Any = driver.connect(address)
        except manager.Error as error:
            raise UnreadableSource(name, f"no connection: {_reason(error)}") from error
        self.run(f"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ{'' if writes else ', READ ONLY'}")
        self.run("SET standard_conforming_strings = on")

    def ask(self, query: str) -> pa.Table:
        """Return the complete result of a query."""
        with self._asking(query) as cursor:
            try:
                return _plain(cursor.fetch_arrow_table())
            except (self._error, pa.ArrowException, OSError) as error:
                raise _fault(self.name, error) from error

    def batches(self, query: str) -> Iterator[pa.RecordBatch]:
        """Return the result in batches, as they arrive."""
        with self._asking(query) as cursor:
            try:
                for batch in cursor.fetch_record_batch():
                    yield from _plain(pa.Table.from_batches([batch])).to_batches()
            except (self._error, pa.ArrowException, OSError) as error:
                raise _fault(self.name, error) from error

    def run(self, statement: str) -> None:
        """Execute a statement without a result."""
        with self._asking(statement):
            pass

    def commit(self) -> None:
        """Commit the transaction."""
        try:
            self._connection.commit()
        except self._error as error:
            raise _fault(self.name, error) from error

    def close(self) -> None:
        """End the transaction; uncommitted changes are rolled back."""
        with suppress(self._error):  # the connection may be lost
            for cursor in self._cursors:
                cursor.close()
            self._connection.close()

    def _asking(self, query: str) -> "Cursor":
        try:
            cursor: Cursor = self._connection.cursor()
            self._cursors.add(cursor)
            cursor.execute(query)
        except self._error as error:
            raise _fault(self.name, error) from error
        return cursor


def literal(text: str) -> str:
    """Return text as an SQL literal."""
    return sql.Literal.string(text).sql(DIALECT)


def array(values: list[Any], kind: str) -> str:
    """Return a list as an SQL array literal, which is parsed a hundred times faster than single literals."""
    elements = ["NULL" if value is None else _element(value) for value in values]
    return f"{literal('{' + ','.join(elements) + '}')}::{kind}[]"


def _element(value: object) -> str:
    if isinstance(value, int):
        return str(value)
    escaped = str(value).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _plain(table: pa.Table) -> pa.Table:
    """Return a table without the driver's marks for types that Arrow does not have."""
    for position, field in enumerate(table.schema):
        if isinstance(field.type, pa.BaseExtensionType):
            column = table.column(position)
            storage = pa.chunked_array([chunk.storage for chunk in column.chunks], field.type.storage_type)
            table = table.set_column(position, field.name, storage)
    return table


def _fault(name: str, error: Exception) -> BaseException:
    """Return the error to raise; on an interrupt, the driver lets the server cancel its work."""
    if "canceling statement due to user request" in str(error):
        return KeyboardInterrupt()
    return UnreadableSource(name, _reason(error))


def _reason(error: Exception) -> str:
    """Return the reason of a failure, without the query, which contains values of the table."""
    text = str(error).partition("Query was:")[0]
    if any(sign in text for sign in _LOST):
        return "the connection to the server was lost. Nothing was written; run again."
    found = re.search(r"(?:ERROR|FATAL):\s*([^\n]*)", text) or re.search(r"failed: ([^\n]*)", text)
    said = found[1] if found else text.strip().splitlines()[0]
    said = re.sub(r': ".*"\.?$', "", said)  # a cell that cannot be converted; names are inside the sentence
    return f"{said.rstrip('.')}."
