"""The embedded engine: files, DuckDB tables and data frames, larger than memory if necessary."""

import glob
import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, time
from pathlib import Path
from typing import Literal, TypeVar

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sqlglot.expressions as sql

from paranym.engines.base import Gathering, Replacement, Rewriting, Target
from paranym.engines.duckdb import writing
from paranym.engines.duckdb.files import CONFINED
from paranym.engines.duckdb.session import connect
from paranym.engines.files.csv import MIXED_LINE_ENDS, CsvDialect, recognize, transcode
from paranym.engines.files.scratch import discard, make_scratch
from paranym.engines.files.standard_input import STANDARD_INPUT, standard_input
from paranym.engines.files.workbooks import is_workbook, read_sheet
from paranym.engines.frames.conversion import to_arrow
from paranym.engines.sql import queries
from paranym.engines.sql import table as sql_table
from paranym.engines.sql.rewriting import GATHERED, Published, as_text, drawn, for_file, labels_of, neutral, spelled_out
from paranym.engines.sql.table import SqlTable, family_of
from paranym.errors import AmbiguousColumns, BadInput, UnreadableSource
from paranym.model.values import to_text
from paranym.wording.sizes import read_size

_DIALECT = "duckdb"
_FRAME = "paranym_frame"
_FILE = "paranym_file"
_SOURCE = "paranym_source"
_COPY = "paranym_copy"
_COPY_SHARE = 4
"""A copy takes at most this part of the memory of the engine: the rest is for what is counted."""
_CELL = 24
"""About how many bytes a cell takes in a copy."""
_UNPACKED = 10
"""About how many times larger a table is in memory than in a compressed file, and a CSV file than the same in gzip."""
_WIDE = 200
"""CSV files with more columns are parsed once and kept by column, on disk if necessary."""
_FAMILIES = {
    "text": ("VARCHAR", "ENUM"),
    "number": ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
               "UHUGEINT", "DECIMAL"),
    "real": ("FLOAT", "DOUBLE"),
    "other": ("BOOLEAN", "DATE", "TIME", "TIMESTAMP"),
}  # fmt: skip
_READ_AS = {
    '"NULL"': "VARCHAR",
    "JSON": "VARCHAR",
    "TIME WITH TIME ZONE": "VARCHAR",
    "UUID": "VARCHAR",
}
"""Types whose values Arrow or Python cannot hold, and the types that they are read as."""
_NANOSECONDS: dict[str, Callable[[str], datetime | time]] = {
    "TIMESTAMP_NS": datetime.fromisoformat,
    "TIME_NS": time.fromisoformat,
}
"""Types that may be finer than those of Python, with a parser of the latter."""
_ENUMERATION = re.compile(r"""(ENUM\((?:'(?:[^']|'')*'(?:, )?)*\))|"(?:[^"]|"")*\"""")
"""A type that lists its values, or a quoted name, which may look like one."""
_LONGEST_LINE = 2**24
_MOST_MEMORY = 2**60
"""The engine refuses limits beyond 64 bits; no machine has this much memory."""
_SUPPORTED = "Give a CSV file (plain or in gzip), a Parquet file, a DuckDB file or an Excel workbook."
_FOREIGN = {
    b"PK\x03\x04": "a ZIP archive",
    b"SQLite format 3": "an SQLite file",
    b"ARROW1": "an Arrow file",
}
"""The first bytes of files that could be mistaken for others."""
_JSON = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*[\[{]|\{\s*")')
ONLY_DUCKDB = "Only a DuckDB file has views to allow; leave out views (views under [data], --views)."
"""The message if views are allowed for anything else."""
_NAME_A_VIEW = (
    " A view is a query by the author of the file. If you trust it, name it (table under [data], --name, or table=) "
    "and allow it (views = true under [data], --views, or views=True)."
)
_READS_ELSEWHERE = (
    "a view or a column of it reads another file or the network, which nothing in a DuckDB file may do here. Store the "
    "rows as a table of their own (CREATE TABLE ... AS), in DuckDB, and read that."
)
_LINE_ENDS = {"\n": r"'\n'", "\r": r"'\r'", "\r\n": r"'\r\n'"}

_CSV_FAULTS = {
    "unterminated quote": "a quoted value does not end where it should",
    "Invalid unicode": "the text is not written in UTF-8",
    "Maximum line size": "the line is too long",
}
"""Parts of the engine's message about an unreadable line, and their meaning."""

_Column = TypeVar("_Column", pa.Array, pa.ChunkedArray)


_ABOUT_CELLS = (duckdb.DataError, duckdb.InvalidInputException, duckdb.IntegrityError, pa.ArrowException)
"""Errors whose messages contain values of a table: conversions, overflows, invalid text."""


class DuckDBTable(SqlTable):
    """A table opened in a private, in-memory DuckDB. Close it, or use it in a `with` block."""

    _cells: dict[str, sql.Expression] | None = None
    """The expression of each column of the rows, once they are known."""
    _rest = ""
    """The source of the rows, and the condition for rows to ignore."""
    _passes = False
    """Whether some rows are ignored."""
    _copied: frozenset[str] = frozenset()
    """The columns that were materialized, by the names that queries give them."""
    _size: int | None = None
    """About how many bytes a copy of all columns would take; None if the table is in memory already."""

    def __init__(
        self,
        data: object,
        *,
        table: str | None = None,
        dialect: CsvDialect | None = None,
        missing: Sequence[str] = (),
        memory: str | None = None,
        views: bool = False,
        target: Target | None = None,
    ) -> None:
        """Open `data`; the engine takes at most `memory`, such as "4GB", and spills to disk beyond that.

        `views` allows `table` to name a view of a DuckDB file. From then on the engine can access only the files that
        it reads, and the `target`.
        """
        self._views, self._target = views, target
        self._folder = make_scratch()
        try:
            self._database = _connect(self._folder, memory)
            [(limit,)] = self._database.execute("SELECT current_setting('memory_limit')").fetchall()
            self._limit = read_size(limit)
        except BaseException:
            discard(self._folder)
            raise
        try:
            self._open(data, table, dialect or CsvDialect(), missing)
        except BaseException:
            self.close()
            raise

    def materialize(self, names: Sequence[str]) -> None:
        """Read these columns once, and answer further queries from a copy, if memory allows."""
        positions = sorted({self._position(name) for name in names})
        columns = [queries.column(i) for i in positions]
        if self._size is None or self._copied >= set(columns) or not columns:
            return
        if self._size * len(columns) > len(self.columns) * self._limit // _COPY_SHARE:
            return
        with self._reading():
            self._database.execute(
                f"CREATE OR REPLACE TEMP TABLE {_COPY} AS SELECT {', '.join(columns)} FROM {_SOURCE}"
            )
            if len(columns) == len(self.columns):
                self._database.execute(f"CREATE OR REPLACE VIEW {_SOURCE} AS SELECT * FROM {_COPY}")
        self._copied = frozenset(columns) | {queries.raw(i) for i in positions}

    def apply(self, rewriting: Rewriting) -> pa.Table:
        """Return the labels of the replaced columns, row by row in the order of the table, and the suppressed rows."""
        answer = super().apply(rewriting)
        for number, replacement in enumerate(rewriting.replaced):
            position, name = self.columns.index(replacement.coding.column.name), f"p{number}"
            published = self._in_its_zone(position, answer.column(name))
            answer = answer.set_column(answer.column_names.index(name), name, published)
        return answer

    def write(self, rewriting: Rewriting, target: Target) -> None:
        """Write the published rows in random order; the table may be larger than memory."""
        names = [name for name in self.columns if name not in rewriting.dropped]
        columns = self._published(rewriting, names, target)
        try:
            with writing.drawing(self._database):
                if target.format.is_text:
                    shown = [neutral(name) if rewriting.neutralize else name for name in names]
                    writing.write_csv(self._database, as_text(columns, rewriting), shown, target)
                    return
                safe = names if writing.engine_can_name(names) else [f"o{n}" for n in range(len(names))]
                kinds = [self._spelled(column) for column in columns]
                query = spelled_out(for_file(columns, rewriting, safe, drawn()), safe, kinds, _DIALECT)
                writing.write_columns(self._database, query, names, target)
        except duckdb.Error as error:
            fault = writing.fault(error, target)
            raise (UnreadableSource(self.name, _reason(error)) if fault is None else fault) from error

    def digest(self) -> bytes:
        """Return a hash of the names, types and cells, in their order."""
        cells = [sql.cast(sql.column(queries.raw(i)), "TEXT") for i in range(len(self.columns))]
        query = sql.select(*cells).from_(queries.ROWS)
        found = hashlib.sha256(repr((self.columns, self._kinds)).encode())
        for batch in self._batches(query):
            found.update(batch.serialize())
        return found.digest()

    def hash_rows(self) -> str:
        """A hash of the names and of all rows as text, whatever their order."""
        cells = [_as_text(queries.column(i), kind) for i, kind in enumerate(self._kinds)]
        query = f"SELECT sha256({' || '.join(cells)}) AS h FROM {_SOURCE} ORDER BY h"
        try:
            batches = self._database.sql(query).to_arrow_reader(sql_table.PART)
            return sql_table.hash_of(self.columns, batches)
        except (duckdb.Error, pa.ArrowException) as error:
            raise UnreadableSource(self.name, _reason(error)) from error

    def close(self) -> None:
        """Release files and memory."""
        try:
            self._database.close()
        finally:
            discard(self._folder)

    def _open(
        self,
        data: object,
        table: str | None,
        dialect: CsvDialect,
        missing: Sequence[str],
    ) -> None:
        self._numbered = not isinstance(data, str | Path)
        self.peculiarity = ""
        self._zones: dict[int, str] = {}
        if isinstance(data, str | Path) and str(data) == STANDARD_INPUT:
            self.name = "standard input"
            source = self._from_file(standard_input(), table, dialect)
        elif isinstance(data, str | Path):
            self.name = Path(data).name or str(Path(data))
            source = self._from_file(Path(data), table, dialect)
        else:
            self.name = "the table"
            if self._views:
                raise BadInput(ONLY_DUCKDB)
            source = self._from_frame(data)
        twice = tuple(sorted(name for name, times in Counter(self.columns).items() if times > 1))
        if twice:
            raise AmbiguousColumns(self.name, twice)
        kinds = self._ask(sql.Describe(this=sql.select("*").from_(source))).column("column_type").to_pylist()
        kinds = kinds[: len(self.columns)]  # without a column that numbers the rows
        self._kinds = tuple(kinds)
        self._types = tuple(_READ_AS.get(kind, kind) for kind in kinds)
        self._families = tuple(family_of(kind, _FAMILIES) for kind in self._types)
        self._read_as = sql_table.cells(kinds, self._families, missing, _READ_AS.get)
        self._name_source(source)
        self._show({})

    def _name_source(self, source: sql.Expression) -> None:
        """Name the source, and its columns by their positions."""
        names = [queries.column(i) for i in range(len(self.columns))] + ([queries.PLACE] if self._numbered else [])
        # a CSV file is parsed completely by every query, and wide ones are queried many times
        is_wide = isinstance(source.this, sql.Anonymous) and source.this.name == "read_csv" and len(names) > _WIDE
        kind = "TEMP TABLE" if is_wide else "VIEW"
        with self._reading():
            self._database.execute(
                f"CREATE {kind} {_SOURCE} ({', '.join(names)}) AS SELECT * FROM {source.sql(_DIALECT)}"
            )
        if is_wide:
            self._size = None

    def _show(self, without: Mapping[int, str | None]) -> None:
        """Define the rows that queries see.

        Each query then names the columns that it needs, so that a hundred queries on a thousand columns do not make the
        engine bind a hundred thousand.
        """
        cells = [cell.copy() for cell in self._read_as]
        rows = queries.rows(sql.table_(_SOURCE), cells, numbered=self._numbered, without=without)
        rows.args["from_"].set("this", sql.table_(_SOURCE, alias="t"))
        with self._reading():
            self._database.execute(f"CREATE OR REPLACE VIEW {queries.ROWS} AS {rows.sql(_DIALECT)}")
        self._cells = {each.alias_or_name: each for each in rows.expressions}
        self._passes = bool(without)
        rows.set("expressions", [sql.Literal.number(1)])
        self._rest = rows.sql(_DIALECT).removeprefix("SELECT 1 ")

    def _written(self, query: sql.Expression) -> str:
        """Return a query as text for the engine, with the rows restricted to the columns that it names."""
        text = query.sql(_DIALECT)
        stars = (star for star in query.find_all(sql.Star) if not isinstance(star.parent, sql.Count))
        if self._cells is None or next(stars, None) is not None:
            return text
        named = {column.name for column in query.find_all(sql.Column)} & self._cells.keys()
        cells = ", ".join(self._cells[name].sql(_DIALECT) for name in sorted(named)) or "1 AS one"
        is_copied = not self._passes and named <= self._copied
        rest = self._rest.replace(_SOURCE, _COPY, 1) if is_copied and self._copied else self._rest
        return f"WITH {queries.ROWS} AS (SELECT {cells} {rest}) {text}"

    def _from_frame(self, data: object) -> sql.Expression:
        if isinstance(data, pa.RecordBatchReader):
            return self._from_stream(data)
        frame = to_arrow(data)
        self.columns = tuple(frame.column_names)
        self._zones = _zones(frame.schema)
        positions = [queries.column(i) for i in range(frame.num_columns)]
        numbered = frame.rename_columns(positions).append_column(queries.PLACE, pa.array(np.arange(len(frame))))
        self._database.register(_FRAME, numbered)
        self._confine()
        return sql.table_(_FRAME)

    def _from_stream(self, reader: pa.RecordBatchReader) -> sql.Expression:
        """Return rows that can be read once, which is enough to write them."""
        self._numbered = False
        self.columns = tuple(reader.schema.names)
        self._zones = _zones(reader.schema)
        renamed = pa.schema([field.with_name(queries.column(i)) for i, field in enumerate(reader.schema)])
        batches = (pa.RecordBatch.from_arrays(batch.columns, schema=renamed) for batch in reader)
        self._database.register(_FRAME, pa.RecordBatchReader.from_batches(renamed, batches))
        self._confine()
        return sql.table_(_FRAME)

    def _from_file(self, path: Path, table: str | None, dialect: CsvDialect) -> sql.Expression:
        files = files_of(path)
        if files != (path,):
            return self._from_parquet(*(file.absolute() for file in files))
        if not path.is_file():
            no_file = "it is a device or a pipe, and tables are read more than once."
            raise UnreadableSource(self.name, no_file if path.exists() else f"there is no file {str(path)!r}.")
        path = path.absolute()  # otherwise `md:x` and the like would not mean files
        try:
            with path.open("rb") as stream:
                head = stream.read(256)
        except OSError as error:
            raise UnreadableSource(self.name, f"{error.strerror}.") from error
        if head[8:12] == b"DUCK":
            return self._from_database(path, table)
        if self._views:
            raise BadInput(ONLY_DUCKDB)
        if head.startswith(b"PAR1"):
            return self._from_parquet(path)
        if is_workbook(path, head):
            self._numbered = True
            return self._from_frame(read_sheet(path, self.name, table))
        foreign = next((kind for sign, kind in _FOREIGN.items() if head.startswith(sign)), None)
        if foreign is None and _JSON.match(head):
            foreign = "a JSON file"
        if foreign is not None:
            raise UnreadableSource(self.name, f"it is {foreign}. {_SUPPORTED}")
        return self._from_csv(path, dialect)

    def _from_csv(self, path: Path, dialect: CsvDialect) -> sql.Expression:
        found = recognize(path, dialect)
        self.columns = found.names
        self.peculiarity = found.peculiarity
        if not found.is_plain:
            path = self._folder / "transcoded.csv"
            transcode(found, path)
        is_gzip = _is_gzip(path)
        self._size = 3 * path.stat().st_size * (_UNPACKED if is_gzip else 1)  # a short cell takes three times its text
        kinds = {queries.column(i): "VARCHAR" for i in range(len(found.names))}
        options = {
            "auto_detect": "false",
            "header": "true",
            "skip": str(found.blank_lines),
            "columns": "{" + ", ".join(f"{name}: '{kind}'" for name, kind in kinds.items()) + "}",
            "delim": _quoted(found.separator),
            "quote": _quoted(found.quote),
            "escape": _quoted(found.quote),
            "nullstr": "''",
            "max_line_size": str(_LONGEST_LINE),
            "buffer_size": str(2 * _LONGEST_LINE),
            # left to itself, the engine takes a line end within quotes for that of all lines, and finds no rows at all
            **({"new_line": _LINE_ENDS[found.line_end]} if found.line_end else {}),
            "compression": _quoted("gzip" if is_gzip else "none"),
            "hive_partitioning": "false",  # folders named like `year=2024` add no columns
        }
        self._confine(path)
        return _call("read_csv", [path], options)

    def _from_parquet(self, *paths: Path) -> sql.Expression:
        """One file, or several that have the same columns."""
        schemas, rows = [], 0
        for path in paths:
            try:
                metadata = pq.read_metadata(path)
                schemas.append(metadata.schema.to_arrow_schema())
                rows += metadata.num_rows
            except (pa.ArrowException, OSError, ValueError, MemoryError) as error:
                raise UnreadableSource(path.name, "it is a damaged Parquet file.") from error
        self.columns = tuple(schemas[0].names)
        self._zones = _zones(schemas[0])
        for path, schema in zip(paths, schemas, strict=True):
            if not schema.equals(schemas[0]):
                raise UnreadableSource(path.name, f"its columns are not those of {paths[0].name!r} beside it.")
        self._size = rows * len(self.columns) * _CELL
        self._confine(*paths)
        return _call("read_parquet", paths, {"hive_partitioning": "false"})

    def _from_database(self, path: Path, table: str | None) -> sql.Expression:
        try:
            self._database.execute(f"ATTACH {_quoted(str(path))} AS {_FILE} (TYPE duckdb, READ_ONLY)")
        except duckdb.Error as error:
            raise UnreadableSource(path.name, _reason(error)) from error
        self._confine(path)  # before any lookup: binding a view reads its sources
        schema, name = self._named(path, table)
        source = sql.table_(name, db=schema, catalog=_FILE, quoted=True)
        self._size = _UNPACKED * path.stat().st_size
        described = self._ask(sql.Describe(this=sql.select("*").from_(source)))
        self.columns = tuple(described.column("column_name").to_pylist())
        return source

    def _named(self, path: Path, table: str | None) -> tuple[str, str]:
        """Return the schema and the name of the requested table; a view only if it is named and allowed."""
        tables, views = (self._catalogue(kind) for kind in ("table", "view"))
        called = {(schema, name) for schema, name in views if table in (name, f"{schema}.{name}")}
        wanted = [(schema, name) for schema, name in tables if table in (None, name, f"{schema}.{name}")]
        if called and not self._views and not wanted:
            raise UnreadableSource(
                path.name,
                f"{table!r} is a view: a query by the author of the file. If you trust it, allow it "
                "(views = true under [data], --views, or views=True).",
            )
        wanted += sorted(called) if self._views else []
        if len(wanted) != 1:
            have = ", ".join(f"{schema}.{name}" for schema, name in tables) or "no tables"
            besides = f", and the views {', '.join(f'{schema}.{name}' for schema, name in views)}" if views else ""
            few = f"there is no table {table!r}" if table is not None else "there is nothing to read"
            many = "several tables could be meant: name one (table under [data], or --name)"
            offer = "" if wanted or tables or not views else _NAME_A_VIEW
            raise UnreadableSource(path.name, f"{many if wanted else few}; the file has {have}{besides}.{offer}")
        return wanted[0]

    def _catalogue(self, kind: Literal["table", "view"]) -> list[tuple[str, str]]:
        with self._reading():
            return self._database.execute(
                f"SELECT schema_name, {kind}_name FROM duckdb_{kind}s() "
                "WHERE database_name = ? AND NOT internal ORDER BY ALL",
                [_FILE],
            ).fetchall()

    def _confine(self, *reads: Path) -> None:
        """Restrict the engine to these files and its target: nothing in a file can make it access others."""
        paths = [*(str(path) for path in reads), *(glob.escape(str(path)) for path in reads)]
        paths += [] if self._target is None else writing.files_of(self._target)
        with self._reading():
            self._database.execute("SET allowed_paths = $1", [paths])
            self._database.execute("SET enable_external_access = false")
            self._database.execute("SET lock_configuration = true")

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Convert the engine's errors about its source into ours: a damaged file may break any of its parts."""
        try:
            yield
        except (duckdb.Error, pa.ArrowException, UnicodeError) as error:
            raise UnreadableSource(self.name, _reason(error)) from error

    def _listed(self, positions: Sequence[int]) -> tuple[int, dict[int, tuple[int, pa.Array]]]:
        as_text = [position for position in positions if self._types[position] in _NANOSECONDS]
        answer = self._ask(queries.lists(positions, as_text=as_text))
        rows, found = answer.column("n")[0].as_py(), {}
        for position in positions:
            listed = answer.column(f"values_{position}")[0].values
            values = pa.array([], pa.null()) if listed is None else listed.drop_null()
            found[position] = answer.column(f"known_{position}")[0].as_py(), values
        return rows, found

    def _values(self, name: str, position: int, answer: pa.Array) -> list[object]:
        """Return the values of a column, in the form in which they are compared with leaves."""
        kind = self._types[position]
        if kind in _NANOSECONDS:
            return [_shortened(text, _NANOSECONDS[kind]) for text in answer.to_pylist()]
        return super()._values(name, position, self._in_its_zone(position, answer))

    def _in_its_zone(self, position: int, answer: _Column) -> _Column:
        """Return timestamps in the time zone of their column, so that a day begins there at midnight."""
        is_moment = pa.types.is_timestamp(answer.type) and position in self._zones
        return answer.cast(pa.timestamp(answer.type.unit, self._zones[position])) if is_moment else answer

    def _hold(self, name: str, table: pa.Table, casts: Mapping[str, str]) -> None:
        columns = [f"CAST({each} AS {casts[each]}) AS {each}" if each in casts else each for each in table.column_names]
        self._database.register("paranym_new", table)
        with self._reading():
            self._database.execute(
                f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {', '.join(columns)} FROM paranym_new"
            )
        self._database.unregister("paranym_new")

    def _cast(self, position: int, target: Target | None, *, replaced: bool, keeps: bool) -> str | None:
        kind, is_typed = self._kinds[position], target is not None and not target.format.is_text
        if replaced:  # in files with types labels are spelled out once they are sorted
            return None if keeps or is_typed else "TEXT"
        is_odd = any(odd in kind for odd in writing.TO_TEXT) and not kind.startswith("TIMESTAMP")
        is_file = target is not None and is_typed and not target.format.has_tables
        return "TEXT" if is_file and is_odd else None

    def _spelled(self, column: Published) -> str | None:
        """Return the type that a column is cast to after the sort, if it is another one."""
        if column.replacement is not None:
            return None if column.keeps or column.gathered is not None else "TEXT"
        kind = _ENUMERATION.sub(lambda found: "VARCHAR" if found[1] else found[0], self._kinds[column.position])
        return None if column.cast or kind == self._kinds[column.position] else kind

    def _place_gathering(self, rewriting: Rewriting, gathering: Gathering) -> None:
        """Create the table of entries, with the labels of their groups."""
        for each in rewriting.replaced:
            self._place(each.coding)
        words = {f"w{word}": pa.array(gathering.words[:, word]) for word in range(gathering.words.shape[1])}
        labels = {
            f"l{n}": pa.DictionaryArray.from_arrays(gathering.labels[:, n], pa.array(each.labels, pa.string()))
            for n, each in enumerate(rewriting.replaced)
        }
        turns = {"after": pa.array(gathering.after), "upto": pa.array(gathering.upto)}
        self._hold(GATHERED, pa.table(words | turns | labels), {})

    def _place_labels(self, replacement: Replacement) -> None:
        """Create the table of labels as an enumeration: labels are few, so each is stored once."""
        super()._place_labels(replacement)
        table = labels_of(self.columns.index(replacement.coding.column.name))
        kind = f"{table}_kind"
        listed = f"SELECT DISTINCT label FROM {table} WHERE label IS NOT NULL"
        if self._database.execute(f"SELECT COUNT(*) FROM ({listed})").fetchall() != [(0,)]:
            self._database.execute(f"CREATE OR REPLACE TYPE {kind} AS ENUM ({listed})")
            self._database.execute(f"ALTER TABLE {table} ALTER label TYPE {kind}")

    def _batches(self, query: sql.Expression) -> Iterator[pa.RecordBatch]:
        with self._reading():
            yield from self._database.sql(self._written(query)).to_arrow_reader(sql_table.PART)

    def _ask(self, query: sql.Expression) -> pa.Table:
        with self._reading():
            return self._database.sql(self._written(query)).to_arrow_table()


def _connect(folder: Path, memory: str | None) -> duckdb.DuckDBPyConnection:
    limit = {} if memory is None else {"memory_limit": f"{min(read_size(memory), _MOST_MEMORY)}B"}
    database = connect(config={"temp_directory": str(folder / "spill"), **CONFINED, **limit})
    database.execute("SET enable_progress_bar = false")
    database.execute("SET TimeZone = 'UTC'")  # not the time zone of the machine
    return database


def _zones(schema: pa.Schema) -> dict[int, str]:
    """Return the time zones of columns that have one, by position. The engine stores timestamps without them."""
    return {
        position: field.type.tz
        for position, field in enumerate(schema)
        if pa.types.is_timestamp(field.type) and field.type.tz is not None
    }


def _shortened(text: str, parse: Callable[[str], datetime | time]) -> str:
    """Return a time in the notation of microseconds; unchanged if it is finer."""
    whole, _, fraction = text.partition(".")
    if len(fraction) > 6:
        return text
    try:
        return to_text(parse(f"{whole}.{fraction:0<6}")) or text
    except ValueError:  # infinity
        return text


def files_of(path: Path) -> tuple[Path, ...]:
    """Return the files of a path: itself, the Parquet files in a folder, or those that match a pattern."""
    if "://" in str(path) or str(path).startswith(("s3:/", "s3a:/", "gs:/", "hdfs:/")):
        raise UnreadableSource(path.name, "the embedded engine reads local files. Set engine = 'spark' under [data].")
    if "\0" in str(path):
        raise UnreadableSource(path.name, "there can be no file of this name.")
    if path.is_dir():
        found = [file for file in path.rglob("*.parquet") if not _is_aside(file.relative_to(path))]
        if not found:
            raise UnreadableSource(path.name or str(path), "it is a folder without Parquet files.")
        return tuple(sorted(found))
    if path.exists() or not glob.has_magic(str(path)):
        return (path,)
    matching = sorted(Path(found) for found in glob.glob(str(path), recursive=True))  # noqa: PTH207 - may be absolute
    found = [file for file in matching if file.is_file()]
    if not found:
        raise UnreadableSource(path.name, "no file matches it.")
    strange = [file.name for file in found if file.suffix.lower() != ".parquet"]
    if strange:
        raise UnreadableSource(path.name, f"a pattern stands for Parquet files; {strange[0]!r} is not one.")
    return tuple(found)


def _is_aside(path: Path) -> bool:
    """True if a file is not part of the table, such as the temporary files of Spark and others."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _call(function: str, paths: Sequence[Path], options: dict[str, str]) -> sql.Expression:
    arguments = "".join(f", {name} = {value}" for name, value in options.items())
    # otherwise `[1]` and `*` in a name would match other files
    names = ", ".join(_quoted(glob.escape(str(path))) for path in paths)
    # as text, since a tree of thousands of columns would be copied and written repeatedly
    return sql.Table(this=sql.Anonymous(this=function, expressions=[sql.Var(this=f"[{names}]{arguments}")]))


def _quoted(text: str) -> str:
    return sql.Literal.string(text).sql(_DIALECT)


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _harmless(error: Exception) -> str:
    """Return the first line of an engine's message without cell values, which it quotes if it cannot convert them."""
    if isinstance(error, _ABOUT_CELLS):
        kind = str(error).partition(":")[0] if isinstance(error, duckdb.Error) else type(error).__name__
        return f"it has a value that the engine cannot handle ({kind})."
    first = next(iter(str(error).splitlines()), type(error).__name__)
    return re.sub(r"""(["'])(?:(?!\1).)*\1""", "...", first)


def _reason(error: Exception) -> str:
    """Return the reason of a failure, without the lines of the file that the engine quotes."""
    text = str(error)
    if "already attached" in text or "lock on file" in text:
        return "it is open elsewhere. Close it there first."
    if isinstance(error, duckdb.PermissionException):
        return _READS_ELSEWHERE
    if "reached an invalid state" in text:
        return MIXED_LINE_ENDS
    what = next((meaning for sign, meaning in _CSV_FAULTS.items() if sign in text), None)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if fields:
        what = f"the number of fields is {fields[2]} where the first line has {fields[1]}"
    line = re.search(r"Line: (\d+)", text)
    if what is None and line is None:
        return _harmless(error)
    place = f"line {line[1]}: " if line else ""
    hint = "Set separator, quote or encoding (under [data] in a recipe) if the file is written in another way."
    return f"{place}{what or 'it cannot be split into fields'}. {hint}"


def _as_text(cell: str, kind: str) -> str:
    """Return a cell as unambiguous text; a timestamp independent of the time zone of this machine."""
    plain = f"({cell} AT TIME ZONE 'UTC')" if kind == "TIMESTAMP WITH TIME ZONE" else cell
    text = f"CAST({plain} AS VARCHAR)"
    return f"CASE WHEN {cell} IS NULL THEN '-' ELSE length({text}) || ':' || {text} END"
