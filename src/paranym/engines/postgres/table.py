"""Tables of a Postgres server. Tables of codes and labels are part of each query, so that reading leaves nothing behind
and needs no privilege but SELECT; a release is written and verified in one transaction.
"""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from typing import Any

import pyarrow as pa
import sqlglot
import sqlglot.expressions as sql

from paranym.engines.base import Coding, Rewriting, Target
from paranym.engines.duckdb.table import DuckDBTable
from paranym.engines.postgres.session import DIALECT, Server, array, literal
from paranym.engines.sql import queries
from paranym.engines.sql import table as sql_table
from paranym.engines.sql.rewriting import for_file
from paranym.engines.sql.table import SqlTable
from paranym.errors import BadInput, UnreadableSource
from paranym.model.packing import Packing

_FAMILIES = {
    "text": ("text", "character", "name", '"char"', "uuid", "json", "inet", "cidr", "macaddr", "xml", "citext",
             "time with time zone", "enumeration"),
    "number": ("smallint", "integer", "bigint"),
    "real": ("real", "double precision", "numeric"),
    "other": ("boolean", "date", "timestamp", "time without time zone"),
}  # fmt: skip
_SHOWN = 20
_TEXT = {
    "datestyle": "ISO, YMD",
    "timezone": "UTC",
    "intervalstyle": "postgres",
    "bytea_output": "hex",
    "extra_float_digits": "1",
}
"""Settings that determine how values are written as text."""
_TABLES = """
SELECT n.nspname::text AS schema, c.relname::text AS name, pg_table_is_visible(c.oid) AS visible, c.oid::bigint AS oid,
  quote_ident(n.nspname) || '.' || quote_ident(c.relname) AS quoted
FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'f', 'p') AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
ORDER BY 1, 2
"""
_KIN = """
WITH RECURSIVE pair(source, target) AS (SELECT {source}::oid, TO_REGCLASS({target})::oid),
line(own, ancestor) AS (
  SELECT each, each FROM pair, UNNEST(ARRAY[source, target]) AS t(each)
  UNION SELECT own, inhparent FROM line JOIN pg_inherits ON inhrelid = ancestor)
SELECT COUNT(*) > 0 AS kin FROM line, pair WHERE (own, ancestor) IN ((source, target), (target, source))
"""
_COLUMNS = """
SELECT a.attname::text AS name,
  CASE WHEN t.typtype = 'e' THEN 'enumeration' WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod)
    ELSE format_type(a.atttypid, a.atttypmod) END AS kind
FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
WHERE a.attrelid = {oid} AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
"""


class PostgresTable(SqlTable):
    """A table or view of a Postgres database, seen by one transaction. Close it, or use it in a `with` block."""

    def __init__(
        self,
        where: str | Server,
        *,
        table: str | None = None,
        missing: Sequence[str] = (),
        writes: bool = False,
    ) -> None:
        """Open a table at an address, or on a connection that the caller closes."""
        self.name = table or "the database"
        self._is_own = isinstance(where, str)
        self.server = Server(where, name=self.name, writes=writes) if isinstance(where, str) else where
        self._missing = tuple(missing)
        self._held: dict[str, str] = {}
        try:
            self._open(table)
        except BaseException:
            self.close()
            raise

    def apply(self, rewriting: Rewriting) -> pa.Table:
        """Raise: rows of a database have no order."""
        raise BadInput(f"The rows of {self.name} have no order. Name a file or table to release it into.")

    def write(self, rewriting: Rewriting, target: Target) -> None:
        """Make a table in this transaction, or stream the rows into a file, in random order."""
        if not target.format.is_database:
            self._write_file(rewriting, target)
            return
        names = [name for name in self.columns if name not in rewriting.dropped]
        query = for_file(self._published(rewriting, names, target), rewriting, names, sql.func("GEN_RANDOM_UUID"))
        self.server.run(f"CREATE TABLE {quoted(str(target.table))} AS {self._sql(query)}")

    def digest(self) -> bytes:
        """Return a hash of the names, types and cells. It ignores the order of rows, since a database has none."""
        halves = [
            f"SUM(('x' || SUBSTR(MD5(t::text), {start}, 16))::bit(64)::bigint::numeric)::text AS h{start}"
            for start in (1, 17)
        ]
        answer = self.server.ask(f"SELECT COUNT(*) AS n, {', '.join(halves)} FROM {self._source} AS t").to_pylist()
        return hashlib.sha256(repr((self.columns, self._kinds, answer)).encode()).digest()

    def hash_rows(self) -> str:
        """Return a hash of the names and of all rows as text, independent of their order and of role settings."""
        settings = ", ".join(f"current_setting({literal(name)}) AS {name}" for name in _TEXT)
        [before] = self.server.ask(f"SELECT {settings}").to_pylist()
        self._set(_TEXT)
        hashed = "ENCODE(SHA256(CONVERT_TO(t::text, 'UTF8')), 'hex')"
        query = f'SELECT {hashed} AS h FROM {self._source} AS t ORDER BY {hashed} COLLATE "C"'
        found = sql_table.hash_of(self.columns, self.server.batches(query))
        self._set(before)
        return found

    def _set(self, settings: Mapping[str, str]) -> None:
        for name, value in settings.items():
            self.server.run(f"SET LOCAL {name} = {literal(value)}")

    def close(self) -> None:
        """End the transaction and the connection, if it belongs to this table."""
        if self._is_own:
            self.server.close()

    def _open(self, table: str | None) -> None:
        oid, self._source = find(self.server, table)
        described = self.server.ask(_COLUMNS.format(oid=oid)).to_pylist()
        if not described:
            raise UnreadableSource(self.name, "it has no columns.")
        self.columns = tuple(row["name"] for row in described)
        self._kinds = tuple(row["kind"] for row in described)
        families = [sql_table.family_of(kind, _FAMILIES) for kind in self._kinds]
        self._families = tuple(families)
        self._types = tuple(
            "text" if family == "text" else kind for kind, family in zip(self._kinds, families, strict=True)
        )
        cells = sql_table.cells(self._kinds, self._families, self._missing, lambda _: None)
        self._cells = [
            _read(cell, i, kind, family)
            for i, (cell, kind, family) in enumerate(zip(cells, self._kinds, families, strict=True))
        ]
        self._show({})

    def _show(self, without: Mapping[int, str | None]) -> None:
        source = sqlglot.parse_one(f"SELECT * FROM {self._source}", read=DIALECT).args["from_"].this
        self._rows = queries.rows(source, [cell.copy() for cell in self._cells], without=without)

    def _write_file(self, rewriting: Rewriting, target: Target) -> None:
        """Transfer the rows unchanged, and let the embedded engine rewrite them on the way to the file."""
        cells = []
        for i, kind in enumerate(self._kinds):
            cell: sql.Expression = sql.column(queries.raw(i))
            known = self._families[i] in ("number", "other") or kind in ("real", "double precision")
            cell = cell if known or kind == "bytea" or kind.endswith("]") else sql.cast(cell, "TEXT")
            cells.append(sql.alias_(cell, queries.raw(i)))
        rows = sql.select(*cells).from_(queries.ROWS)
        kinds = [_decimal(kind) for kind in self._kinds]
        fields = self.server.ask(self._sql(rows.limit(0))).schema
        schema = pa.schema(
            [pa.field(name, kind or field.type) for name, kind, field in zip(self.columns, kinds, fields, strict=True)]
        )
        batches = (
            pa.RecordBatch.from_arrays(
                [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)], schema=schema
            )
            for batch in self.server.batches(self._sql(rows))
        )
        reader = pa.RecordBatchReader.from_batches(schema, batches)
        with DuckDBTable(reader, missing=self._missing, target=target) as local:
            local.write(rewriting, target)

    def _values(self, name: str, position: int, answer: pa.Array) -> list[object]:
        values = super()._values(name, position, answer)
        is_exact = self._kinds[position].startswith("numeric")
        return [Decimal(str(value)) for value in values] if is_exact else values

    def _spread(self, roughly: Collection[int], exactly: Collection[int]) -> dict[str, int]:
        return super()._spread((), [*roughly, *exactly])  # the server has no estimate

    def _groups(self, keys: Sequence[tuple[int, Coding]], packing: Packing) -> sql.Select:
        return queries.groups(keys, packing, roughly=False)

    def _hold(self, name: str, table: pa.Table, casts: Mapping[str, str]) -> None:
        kinds = ["text" if pa.types.is_string(field.type) else "bigint" for field in table.schema]
        arrays = [array(column.to_pylist(), kind) for column, kind in zip(table.columns, kinds, strict=True)]
        names = table.column_names
        cells = [f"CAST({each} AS {casts[each]}) AS {each}" if each in casts else each for each in names]
        self._held[name] = f"SELECT {', '.join(cells)} FROM UNNEST({', '.join(arrays)}) AS t({', '.join(names)})"

    def _ask(self, query: sql.Expression) -> pa.Table:
        return self.server.ask(self._sql(query))

    def _batches(self, query: sql.Expression) -> Iterator[pa.RecordBatch]:
        return self.server.batches(self._sql(query))

    def _sql(self, query: sql.Expression) -> str:
        """Return a query as text, with the tables that it refers to."""
        named = {table.name for table in query.find_all(sql.Table)}
        held = {queries.ROWS: self._rows.transform(_spell).sql(DIALECT), **self._held}
        parts = ", ".join(f"{name} AS ({held[name]})" for name in held if name in named)
        return f"WITH {parts} {query.transform(_spell).sql(DIALECT)}"


def find(server: Server, table: str | None) -> tuple[int, str]:
    """Return the oid and the full name of a table that is named bare, with its schema, or as SQL would quote it."""
    listed = server.ask(_TABLES).to_pylist()
    wanted = [row for row in listed if table is None or table in _names(row["schema"], row["name"])]
    seen = [row for row in wanted if row["visible"]]
    wanted = seen if len(wanted) > 1 and len(seen) == 1 and table is not None else wanted
    if len(wanted) != 1:
        shown = [row["quoted"] for row in listed[:_SHOWN]]
        more = f" and {len(listed) - _SHOWN} more" if len(listed) > _SHOWN else ""
        have = (", ".join(shown) or "no tables") + more
        few = f"there is no table {table!r}" if table is not None else "there is nothing to read"
        many = "several tables could be meant: name one (table under [data], or --name)"
        raise UnreadableSource(table or "the database", f"{many if wanted else few}; the database has {have}.")
    return wanted[0]["oid"], wanted[0]["quoted"]


def _names(schema: str, name: str) -> set[str]:
    """Return the names that a table can be given by."""
    quotes = [sql.to_identifier(part, quoted=True).sql(DIALECT) for part in (schema, name)]
    return {name, f"{schema}.{name}", ".".join(quotes), quotes[1], f"{schema}.{quotes[1]}", f"{quotes[0]}.{name}"}


def quoted(table: str) -> str:
    """Return the name of a new table, bare or with its schema, quoted for SQL."""
    parts = re.fullmatch(r'(?:("(?:[^"]|"")+"|[^".]+)\.)?("(?:[^"]|"")+"|[^"]+)', table)
    if parts is None:
        raise BadInput(f"A table is named as schema.name, with quotes around names that hold dots; got {table!r}.")
    plain = [part[1:-1].replace('""', '"') if part.startswith('"') else part for part in parts.groups() if part]
    return ".".join(sql.to_identifier(part, quoted=True).sql(DIALECT) for part in plain)


def comment_on(server: Server, table: str) -> tuple[bool, str | None]:
    """Return whether such a table exists, and the comment on it."""
    name = literal(quoted(table))
    [row] = server.ask(
        f"SELECT TO_REGCLASS({name}) IS NOT NULL AS there, OBJ_DESCRIPTION(TO_REGCLASS({name}), 'pg_class') AS said"
    ).to_pylist()
    return row["there"], row["said"]


def is_part_of(server: Server, table: str, source: str | None) -> bool:
    """True if a table of that name exists and is the source, a part of the source, or a parent of it."""
    oid, _ = find(server, source)
    [row] = server.ask(_KIN.format(source=oid, target=literal(quoted(table)))).to_pylist()
    return bool(row["kin"])


def put_in_place(server: Server, staged: str, table: str, note: str, *, overwrite: bool) -> None:
    """Rename a table and set its comment, replacing an existing table of that name, and commit."""
    if overwrite:
        server.run(f"DROP TABLE IF EXISTS {quoted(table)}")
    bare = quoted(table).rpartition('."')[2].removeprefix('"')
    server.run(f'ALTER TABLE {quoted(staged)} RENAME TO "{bare}')
    server.run(f"COMMENT ON TABLE {quoted(table)} IS {literal(note)}")
    server.commit()


def beside_table(table: str, name: str) -> str:
    """Return the name of a table in the schema of another one."""
    schema, dot, _ = quoted(table).rpartition('."') if '."' in quoted(table) else ("", "", "")
    return f'{schema}."{name}"' if dot else f'"{name}"'


def _read(cell: sql.Expression, position: int, kind: str, family: str | None) -> sql.Expression:
    """Return a cell in a type that Arrow supports: text in byte order, exact numbers without trailing zeros."""
    own = sql.column(queries.column(position))
    if family == "text":
        as_text: Any = sql.Collate(this=sql.cast(own.copy(), "TEXT"), expression=sql.to_identifier("C", quoted=True))
    elif kind == "numeric":
        as_text = sql.func("TRIM_SCALE", own.copy())
    else:
        return cell
    replace = partial(_replaced, column=own, by=as_text)
    return cell.transform(replace) if cell != own else as_text


def _replaced(node: sql.Expression, *, column: sql.Expression, by: sql.Expression) -> sql.Expression:
    return by.copy() if node == column else node


def _spell(node: sql.Expression) -> sql.Expression:
    """Translate what this dialect writes in another way."""
    if isinstance(node, sql.IsNan):
        return sql.EQ(this=node.this.copy(), expression=sql.Literal.string("NaN"))
    return node


def _decimal(kind: str) -> pa.DataType | None:
    """Return the exact type of numbers with this many digits, if Arrow and files have it."""
    digits = re.fullmatch(r"numeric\((\d+),(\d+)\)", kind)
    return pa.decimal128(int(digits[1]), int(digits[2])) if digits and int(digits[1]) <= 38 else None
