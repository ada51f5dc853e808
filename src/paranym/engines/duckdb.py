"""The embedded engine: files, DuckDB tables and data frames, larger than memory if need be."""

import glob
import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sqlglot
import sqlglot.expressions as sql

from paranym.engines import queries, sql_table, writing
from paranym.engines.base import Gathering, Replacement, Rewriting, Target
from paranym.engines.csv_dialect import MIXED_LINE_ENDS, CsvDialect, recognize, transcode
from paranym.engines.frames import to_arrow
from paranym.engines.rewriting import GATHERED, as_text, drawn, for_file, labels_of, neutral
from paranym.engines.sql_table import SqlTable, family_of
from paranym.engines.standard_input import STANDARD_INPUT, standard_input
from paranym.engines.workbooks import is_workbook, read_sheet
from paranym.errors import AmbiguousColumns, BadInput, UnreadableSource
from paranym.model.values import to_text

_DIALECT = "duckdb"
_FRAME = "paranym_frame"
_FILE = "paranym_file"
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
"""Types whose values Arrow or Python cannot hold, and what they are read as."""
_NANOSECONDS: dict[str, Callable[[str], datetime | time]] = {
    "TIMESTAMP_NS": datetime.fromisoformat,
    "TIME_NS": time.fromisoformat,
}
"""Types that may be finer than those of Python, and the latter."""
_LONGEST_LINE = 2**24
_SUPPORTED = "Give a CSV file (plain or in gzip), a Parquet file, a DuckDB file or an Excel workbook."
_FOREIGN = {
    b"PK\x03\x04": "a ZIP archive",
    b"SQLite format 3": "an SQLite file",
    b"ARROW1": "an Arrow file",
}
"""How files begin that could be taken for others."""
_JSON = re.compile(rb'(\xef\xbb\xbf)?\s*(\[\s*[\[{]|\{\s*")')
_LINE_ENDS = {"\n": r"'\n'", "\r": r"'\r'", "\r\n": r"'\r\n'"}

_CSV_FAULTS = {
    "unterminated quote": "a quoted value does not end where it should",
    "Invalid unicode": "the text is not written in UTF-8",
    "Maximum line size": "the line is too long",
}
"""What the engine says about a line that it cannot read, and what that means."""


class DuckDBTable(SqlTable):
    """A table opened in a private, in-memory DuckDB. Close it, or use it in a `with` block."""

    def __init__(
        self,
        data: object,
        *,
        table: str | None = None,
        dialect: CsvDialect | None = None,
        missing: Sequence[str] = (),
        memory: str | None = None,
        without: Mapping[str, str | None] | None = None,
    ) -> None:
        """Open `data`; the engine takes at most `memory`, such as "4GB", and goes on on disk beyond that.

        Rows that have all these values are passed over, where `without` says what that is for every column.
        """
        self._folder = Path(tempfile.mkdtemp(prefix="paranym-"))
        self._database = _connect(self._folder, memory)
        try:
            self._database.execute("SET autoinstall_known_extensions = false")
            self._database.execute("SET enable_progress_bar = false")
            self._open(data, table, dialect or CsvDialect(), missing, without or {})
        except BaseException:
            self.close()
            raise

    def write(self, rewriting: Rewriting, target: Target) -> None:
        """Write the published rows, in an order drawn by chance, larger than memory if need be."""
        names = [name for name in self.columns if name not in rewriting.dropped]
        columns = self._published(rewriting, names, target)
        try:
            with writing.drawing(self._database):
                if target.format == "csv":
                    shown = [neutral(name) if rewriting.neutralize else name for name in names]
                    writing.write_csv(self._database, as_text(columns, rewriting), shown, target)
                    return
                safe = names if writing.engine_can_name(names) else [f"o{n}" for n in range(len(names))]
                query = for_file(columns, rewriting, safe, drawn())
                write = writing.write_parquet if target.format == "parquet" else writing.write_table
                write(self._database, query, names, target)
        except duckdb.Error as error:
            fault = writing.fault(error, target)
            raise (UnreadableSource(self.name, _reason(error)) if fault is None else fault) from error

    def digest(self) -> bytes:
        """A hash of the names, types and cells, in their order."""
        cells = [sql.cast(sql.column(queries.raw(i)), "TEXT") for i in range(len(self.columns))]
        query = sql.select(*cells).from_(queries.ROWS)
        found = hashlib.sha256(repr((self.columns, self._kinds)).encode())
        try:
            for batch in self._database.sql(query.sql(_DIALECT)).to_arrow_reader(sql_table.PART):
                found.update(batch.serialize())
        except (duckdb.Error, pa.ArrowException) as error:
            raise UnreadableSource(self.name, _reason(error)) from error
        return found.digest()

    def close(self) -> None:
        """Let go of files and memory."""
        self._database.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _open(
        self,
        data: object,
        table: str | None,
        dialect: CsvDialect,
        missing: Sequence[str],
        without: Mapping[str, str | None],
    ) -> None:
        self._numbered = not isinstance(data, str | Path)
        self.peculiarity = ""
        if isinstance(data, str | Path) and str(data) == STANDARD_INPUT:
            self.name = "standard input"
            source = self._from_file(standard_input(), table, dialect)
        elif isinstance(data, str | Path):
            self.name = Path(data).name or str(Path(data))
            source = self._from_file(Path(data), table, dialect)
        else:
            self.name = "the table"
            source = self._from_frame(data)
        twice = tuple(sorted({name for name in self.columns if self.columns.count(name) > 1}))
        if twice:
            raise AmbiguousColumns(self.name, twice)
        kinds = self._ask(sql.Describe(this=sql.select("*").from_(source))).column("column_type").to_pylist()
        kinds = kinds[: len(self.columns)]  # a column that numbers the rows is none of theirs
        self._kinds = tuple(kinds)
        self._types = tuple(_READ_AS.get(kind, kind) for kind in kinds)
        self._families = tuple(family_of(kind, _FAMILIES) for kind in self._types)
        cells = sql_table.cells(kinds, self._families, missing, _READ_AS.get)
        passed = {self.columns.index(name): value for name, value in without.items()}
        view = queries.rows(source, cells, numbered=self._numbered, without=passed)
        self._database.execute(f"CREATE VIEW {queries.ROWS} AS {view.sql(_DIALECT)}")

    def _from_frame(self, data: object) -> sql.Expression:
        if isinstance(data, pa.RecordBatchReader):
            return self._from_stream(data)
        frame = to_arrow(data)
        self.columns = tuple(frame.column_names)
        positions = [queries.column(i) for i in range(frame.num_columns)]
        numbered = frame.rename_columns(positions).append_column(queries.PLACE, pa.array(np.arange(len(frame))))
        self._database.register(_FRAME, numbered)
        return sql.table_(_FRAME)

    def _from_stream(self, reader: pa.RecordBatchReader) -> sql.Expression:
        """Rows that pass once, which is enough to write them."""
        self._numbered = False
        self.columns = tuple(reader.schema.names)
        renamed = pa.schema([field.with_name(queries.column(i)) for i, field in enumerate(reader.schema)])
        batches = (pa.RecordBatch.from_arrays(batch.columns, schema=renamed) for batch in reader)
        self._database.register(_FRAME, pa.RecordBatchReader.from_batches(renamed, batches))
        return sql.table_(_FRAME)

    def _from_file(self, path: Path, table: str | None, dialect: CsvDialect) -> sql.Expression:
        files = files_of(path)
        if files != (path,):
            return self._from_parquet(*files)
        if not path.is_file():
            raise UnreadableSource(self.name, f"there is no file {str(path)!r}.")
        try:
            with path.open("rb") as stream:
                head = stream.read(256)
        except OSError as error:
            raise UnreadableSource(self.name, f"{error.strerror}.") from error
        if head.startswith(b"PAR1"):
            return self._from_parquet(path)
        if head[8:12] == b"DUCK":
            return self._from_database(path, table)
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
            # left alone, the engine takes a line end within quotes for that of all lines, and finds no rows at all
            **({"new_line": _LINE_ENDS[found.line_end]} if found.line_end else {}),
            "compression": _quoted("gzip" if _is_gzip(path) else "none"),
            "hive_partitioning": "false",  # folders named like `year=2024` add no columns
        }
        return _call("read_csv", [path], options)

    def _from_parquet(self, *paths: Path) -> sql.Expression:
        """One file, or several that have the same columns."""
        schemas = []
        for path in paths:
            try:
                schemas.append(pq.read_schema(path))
            except pa.ArrowException as error:
                raise UnreadableSource(path.name, "it is a damaged Parquet file.") from error
        self.columns = tuple(schemas[0].names)
        for path, schema in zip(paths, schemas, strict=True):
            if not schema.equals(schemas[0]):
                raise UnreadableSource(path.name, f"its columns are not those of {paths[0].name!r} beside it.")
        return _call("read_parquet", paths, {"hive_partitioning": "false"})

    def _from_database(self, path: Path, table: str | None) -> sql.Expression:
        try:
            self._database.execute(f"ATTACH {_quoted(str(path))} AS {_FILE} (READ_ONLY)")
        except duckdb.Error as error:
            raise UnreadableSource(path.name, _reason(error)) from error
        listed = self._database.execute(
            "SELECT table_schema, table_name FROM information_schema.tables WHERE table_catalog = ? ORDER BY ALL",
            [_FILE],
        ).fetchall()
        wanted = [(schema, name) for schema, name in listed if table in (None, name, f"{schema}.{name}")]
        if len(wanted) != 1:
            have = ", ".join(f"{schema}.{name}" for schema, name in listed) or "no tables"
            few = f"there is no table {table!r}" if table is not None else "there is nothing to read"
            many = "several tables could be meant: name one (table under [data], or --name)"
            raise UnreadableSource(path.name, f"{many if wanted else few}; the file has {have}.")
        [(schema, name)] = wanted
        source = sql.table_(name, db=schema, catalog=_FILE, quoted=True)
        described = self._ask(sql.Describe(this=sql.select("*").from_(source)))
        self.columns = tuple(described.column("column_name").to_pylist())
        return source

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
        """The values of a column, as they are compared with leaves."""
        kind = self._types[position]
        if kind in _NANOSECONDS:
            return [_shortened(text, _NANOSECONDS[kind]) for text in answer.to_pylist()]
        return super()._values(name, position, answer)

    def _hold(self, name: str, table: pa.Table, casts: Mapping[str, str]) -> None:
        columns = [f"CAST({each} AS {casts[each]}) AS {each}" if each in casts else each for each in table.column_names]
        self._database.register("paranym_new", table)
        self._database.execute(f"CREATE OR REPLACE TEMP TABLE {name} AS SELECT {', '.join(columns)} FROM paranym_new")
        self._database.unregister("paranym_new")

    def _cast(self, position: int, target: Target | None, *, replaced: bool, keeps: bool) -> str | None:
        kind, is_parquet = self._kinds[position], target is not None and target.format == "parquet"
        if replaced:
            return None if keeps or is_parquet else "TEXT"
        odd = is_parquet and any(odd in kind for odd in writing.TO_TEXT) and not kind.startswith("TIMESTAMP")
        return "TEXT" if odd else None

    def _place_gathering(self, rewriting: Rewriting, gathering: Gathering) -> None:
        """Make the table of entries, with the labels of their groups."""
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
        """Labels are few, so each is stored once."""
        super()._place_labels(replacement)
        table = labels_of(self.columns.index(replacement.coding.column.name))
        kind = f"{table}_kind"
        listed = f"SELECT DISTINCT label FROM {table} WHERE label IS NOT NULL"
        if self._database.execute(f"SELECT COUNT(*) FROM ({listed})").fetchall() != [(0,)]:
            self._database.execute(f"CREATE OR REPLACE TYPE {kind} AS ENUM ({listed})")
            self._database.execute(f"ALTER TABLE {table} ALTER label TYPE {kind}")

    def _batches(self, query: sql.Expression) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._database.sql(query.sql(_DIALECT)).to_arrow_reader(sql_table.PART)
        except (duckdb.Error, pa.ArrowException) as error:
            raise UnreadableSource(self.name, _reason(error)) from error

    def _ask(self, query: sql.Expression) -> pa.Table:
        try:
            return self._database.sql(query.sql(_DIALECT)).to_arrow_table()
        except duckdb.Error as error:
            raise UnreadableSource(self.name, _reason(error)) from error


def _connect(folder: Path, memory: str | None) -> duckdb.DuckDBPyConnection:
    limit = {} if memory is None else {"memory_limit": memory}
    try:
        return duckdb.connect(config={"temp_directory": str(folder / "spill"), **limit})
    except duckdb.Error as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise BadInput(f"Memory is given as a number and a unit, such as '4GB'; got {memory!r}.") from error


def _shortened(text: str, parse: Callable[[str], datetime | time]) -> str:
    """A time as it would be written if the column were no finer than microseconds; as it is if it is finer."""
    whole, _, fraction = text.partition(".")
    if len(fraction) > 6:
        return text
    try:
        return to_text(parse(f"{whole}.{fraction:0<6}")) or text
    except ValueError:  # infinity
        return text


def files_of(path: Path) -> tuple[Path, ...]:
    """The files that a path stands for: itself, the Parquet files in a folder, or those that match a pattern."""
    if "://" in str(path) or str(path).startswith(("s3:/", "s3a:/", "gs:/", "hdfs:/")):
        raise UnreadableSource(path.name, "the embedded engine reads local files. Set engine = 'spark' under [data].")
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
        raise UnreadableSource(path.name, f"a pattern stands for Parquet files; {strange[0]!r} is none.")
    return tuple(found)


def _is_aside(path: Path) -> bool:
    """Whether a file is none of the table's: what Spark and others write meanwhile."""
    return any(part.startswith((".", "_")) for part in path.parts)


def _call(function: str, paths: Sequence[Path], options: dict[str, str]) -> sql.Expression:
    arguments = "".join(f", {name} = {value}" for name, value in options.items())
    # else `[1]` and `*` in a name would match other files
    names = ", ".join(_quoted(glob.escape(str(path))) for path in paths)
    called = sqlglot.parse_one(f"SELECT * FROM {function}([{names}]{arguments})", read=_DIALECT)
    source: sql.Expression = called.args["from_"].this
    return source


def _quoted(text: str) -> str:
    return sql.Literal.string(text).sql(_DIALECT)


def _is_gzip(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(2) == b"\x1f\x8b"


def _reason(error: Exception) -> str:
    """What went wrong, without the lines of the file that the engine quotes."""
    text = str(error)
    if "already attached" in text or "lock on file" in text:
        return "it is open elsewhere. Close it there first."
    if "reached an invalid state" in text:
        return MIXED_LINE_ENDS
    what = next((meaning for sign, meaning in _CSV_FAULTS.items() if sign in text), None)
    fields = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", text)
    if fields:
        what = f"the number of fields is {fields[2]} where the first line has {fields[1]}"
    line = re.search(r"Line: (\d+)", text)
    if what is None and line is None:
        return text.splitlines()[0]
    place = f"line {line[1]}: " if line else ""
    hint = "Set separator, quote or encoding (under [data] in a recipe) if the file is written in another way."
    return f"{place}{what or 'it cannot be split into fields'}. {hint}"
