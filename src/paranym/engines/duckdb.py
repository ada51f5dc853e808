"""The embedded engine: files, DuckDB tables and data frames, larger than memory if need be."""

import glob
import hashlib
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, time
from pathlib import Path
from types import TracebackType
from typing import Self

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import sqlglot
import sqlglot.expressions as sql
from numpy.typing import NDArray

from paranym.engines import queries, writing
from paranym.engines.base import Coding, Column, Profile, Replacement, Rewriting, Spread, Target
from paranym.engines.csv_dialect import MIXED_LINE_ENDS, CsvDialect, recognize, transcode
from paranym.engines.frames import to_arrow
from paranym.engines.rewriting import SUPPRESSED, Published, as_text, for_file, formulas, in_order, labels_of, neutral
from paranym.engines.standard_input import STANDARD_INPUT, standard_input
from paranym.engines.workbooks import is_workbook, read_sheet
from paranym.errors import AmbiguousColumns, BadInput, UnreadableSource
from paranym.frequency import FrequencySet, Histogram
from paranym.model.packing import Packing
from paranym.model.values import to_text

Ints = NDArray[np.int64]

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
_NEAR = 0.4
"""Above this share of the rows, distinct values are counted exactly: estimates are a few percent off."""
_LONGEST_LINE = 2**24
_PART = 2**21
"""How many counts cross at a time: some hundred megabytes with all that is computed from them."""
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


class DuckDBTable:
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

    def profile(self, names: Sequence[str]) -> Profile:
        """Count the rows and list the distinct values of some columns."""
        positions = [self.columns.index(name) for name in names]
        for name, position in zip(names, positions, strict=True):
            if self._families[position] is None:
                raise BadInput(
                    f"Column {name!r} has type {self._types[position]}; "
                    "a quasi-identifier, sensitive attribute or label holds text, numbers, dates or truth values."
                )
        as_text = [position for position in positions if self._types[position] in _NANOSECONDS]
        answer = self._ask(queries.profile(positions, as_text=as_text))
        rows = answer.column("n")[0].as_py()
        columns = []
        for name, position in zip(names, positions, strict=True):
            listed = answer.column(f"values_{position}")[0].values
            values = [] if listed is None else self._values(name, position, listed.drop_null())
            missing = rows - answer.column(f"known_{position}")[0].as_py()
            columns.append(Column(name, tuple(sorted(values, key=str)), missing))
        return Profile(rows, tuple(columns))

    def spread(self, names: Sequence[str], *, exactly: Sequence[str] = ()) -> tuple[Spread, ...]:
        """Count the distinct values of some columns without listing them; to the last one for those of `exactly`."""
        positions = {name: self.columns.index(name) for name in names}
        surely = [positions[name] for name in exactly]
        found = self._spread([position for position in positions.values() if position not in surely], surely)
        rows, guessed = found.pop("n"), set(positions.values()) - set(surely)
        near = [i for i in guessed if found[f"different_{i}"] > _NEAR * rows]
        found |= self._spread((), near) if near else {}
        return tuple(Spread(name, found[f"different_{i}"], rows - found[f"known_{i}"]) for name, i in positions.items())

    def count(self, keys: Sequence[Coding], histograms: Sequence[Coding]) -> FrequencySet:
        """Count the combinations of codes of `keys`, with a histogram of each of `histograms`."""
        packing = Packing.of(tuple(coding.size for coding in keys))
        placed = [(self._place(coding), coding) for coding in keys]
        words, (counts,) = self._count(queries.count(placed, packing, None), packing)
        histogram = self._count_histograms(placed, packing, histograms)
        return FrequencySet((0,) * len(keys), packing, words, counts, histogram)

    def parts(self, keys: Sequence[Coding], histogram: Coding | None) -> Iterator[FrequencySet]:
        """The same, part after part, for combinations that need not fit memory together: each is whole in one part."""
        packing = Packing.of(tuple(coding.size for coding in keys))
        placed = [(self._place(coding), coding) for coding in keys]
        split = None if histogram is None else (self._place(histogram), histogram)
        for answer in self._in_parts(queries.count(placed, packing, split), packing.size):
            words, columns = self._numbers(answer, packing)
            if histogram is None:
                yield FrequencySet((0,) * len(keys), packing, words, columns[0])
            else:
                yield _gathered(words, packing, histogram, *columns)

    def fewest(self, keys: Sequence[Coding], person: str) -> int:
        """How many different persons a combination has at least; a row without a value is a person of its own."""
        packing = Packing.of(tuple(coding.size for coding in keys))
        placed = [(self._place(coding), coding) for coding in keys]
        answer = self._ask(queries.fewest(placed, packing, self.columns.index(person)))
        return int(answer.column("fewest")[0].as_py())

    def apply(self, rewriting: Rewriting) -> pa.Table:
        """What the replaced columns become, row by row in the order of the table, and which rows are left out."""
        columns = self._published(rewriting, [each.coding.column.name for each in rewriting.replaced])
        return self._ask(in_order(columns, rewriting, numbered=self._numbered))

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
                query = for_file(columns, rewriting, safe)
                write = writing.write_parquet if target.format == "parquet" else writing.write_table
                write(self._database, query, names, target)
        except duckdb.Error as error:
            fault = writing.fault(error, target)
            raise (UnreadableSource(self.name, _reason(error)) if fault is None else fault) from error

    def formulas(self, rewriting: Rewriting) -> int:
        """How many cells of the published rows a spreadsheet would run as formulas."""
        names = [name for name in self.columns if name not in rewriting.dropped]
        answer = self._ask(formulas(self._published(rewriting, names), rewriting))
        return int(answer.column("formulas")[0].as_py())

    def digest(self) -> bytes:
        """A hash of the names, types and cells, in their order."""
        cells = [sql.cast(sql.column(queries.raw(i)), "TEXT") for i in range(len(self.columns))]
        query = sql.select(*cells).from_(queries.ROWS)
        found = hashlib.sha256(repr((self.columns, self._kinds)).encode())
        try:
            for batch in self._database.sql(query.sql(_DIALECT)).to_arrow_reader(_PART):
                found.update(batch.serialize())
        except (duckdb.Error, pa.ArrowException) as error:
            raise UnreadableSource(self.name, _reason(error)) from error
        return found.digest()

    def close(self) -> None:
        """Let go of files and memory."""
        self._database.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

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
        self._families = tuple(_family(kind) for kind in self._types)
        cells = [
            queries.cell(i, family, missing, _READ_AS.get(kind)) if family else sql.column(queries.column(i))
            for i, (kind, family) in enumerate(zip(kinds, self._families, strict=True))
        ]
        passed = {self.columns.index(name): value for name, value in without.items()}
        view = queries.rows(source, cells, numbered=self._numbered, without=passed)
        self._database.execute(f"CREATE VIEW {queries.ROWS} AS {view.sql(_DIALECT)}")

    def _from_frame(self, data: object) -> sql.Expression:
        frame = to_arrow(data)
        self.columns = tuple(frame.column_names)
        positions = [queries.column(i) for i in range(frame.num_columns)]
        numbered = frame.rename_columns(positions).append_column(queries.PLACE, pa.array(np.arange(len(frame))))
        self._database.register(_FRAME, numbered)
        return sql.table_(_FRAME)

    def _from_file(self, path: Path, table: str | None, dialect: CsvDialect) -> sql.Expression:
        if not path.is_file():
            what = "it is a folder, not a file" if path.is_dir() else f"there is no file {str(path)!r}"
            raise UnreadableSource(self.name, f"{what}.")
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
        return _call("read_csv", path, options)

    def _from_parquet(self, path: Path) -> sql.Expression:
        try:
            self.columns = tuple(pq.read_schema(path).names)
        except pa.ArrowException as error:
            raise UnreadableSource(path.name, "it is a damaged Parquet file.") from error
        return _call("read_parquet", path, {"hive_partitioning": "false"})

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

    def _values(self, name: str, position: int, answer: pa.Array) -> list[object]:
        """The values of a column, as they are compared with leaves."""
        kind = self._types[position]
        if kind in _NANOSECONDS:
            return [_shortened(text, _NANOSECONDS[kind]) for text in answer.to_pylist()]
        try:
            values: list[object] = answer.to_pylist()
        except (OverflowError, ValueError) as error:
            raise BadInput(f"Column {name!r} has dates outside the years 1 to 9999.") from error
        if kind == "FLOAT":  # in the digits that single precision has: 0.1, not 0.10000000149011612
            return [float(str(np.float32(value))) for value in answer.to_numpy()]
        return values

    def _place(self, coding: Coding) -> int:
        """Make the table of a column's values and codes, and return the position of the column."""
        position = self.columns.index(coding.column.name)
        # written out and cast by the engine: its types are richer than those that a round trip through Arrow keeps
        texts = pa.array([str(value) for value in coding.column.values], pa.string())
        self._database.register("paranym_new_codes", pa.table({"value": texts, "code": pa.array(coding.codes)}))
        self._database.execute(
            f"CREATE OR REPLACE TEMP TABLE {queries.dimension(position)} AS "
            f"SELECT CAST(value AS {self._types[position]}) AS value, code FROM paranym_new_codes"
        )
        self._database.unregister("paranym_new_codes")
        return position

    def _published(self, rewriting: Rewriting, names: Sequence[str], target: Target | None = None) -> list[Published]:
        """How each of the named columns is published, once all that this takes is there."""
        self._place_suppressed(rewriting)
        replaced = {each.coding.column.name: each for each in rewriting.replaced}
        typed = target is None or target.format != "csv"
        columns = []
        for name in names:
            position, replacement = self.columns.index(name), replaced.get(name)
            family, kind, cast = self._families[position], self._kinds[position], None
            keeps = replacement is not None and replacement.keeps and typed and family != "text"
            if replacement is not None:
                self._place_labels(replacement)
                cast = None if keeps or (target and target.format == "parquet") else "TEXT"
            elif target is not None and target.format == "parquet" and any(odd in kind for odd in writing.TO_TEXT):
                cast = "TEXT" if not kind.startswith("TIMESTAMP") else None
            is_text = family in ("text", None) or (replacement is not None and not keeps)
            columns.append(Published(position, replacement, keeps, cast, is_text))
        return columns

    def _place_labels(self, replacement: Replacement) -> None:
        """Make the table of a column's values, codes and labels; labels are few, so each is stored once."""
        coding = replacement.coding
        position = self.columns.index(coding.column.name)
        table, kind = labels_of(position), f"{labels_of(position)}_kind"
        values: list[str | None] = [str(value) for value in coding.column.values]
        codes = coding.codes.tolist()
        if coding.missing is not None:
            values, codes = [*values, None], [*codes, coding.missing]
        shown = pa.array([replacement.labels[code] for code in codes], pa.string())
        new = pa.table({"value": pa.array(values, pa.string()), "code": pa.array(codes, pa.int32()), "label": shown})
        self._database.register("paranym_new_labels", new)
        self._database.execute(f"DROP TABLE IF EXISTS {table}")
        self._database.execute(f"DROP TYPE IF EXISTS {kind}")
        if new.column("label").null_count < len(new):
            listed = "SELECT DISTINCT label FROM paranym_new_labels WHERE label IS NOT NULL"
            self._database.execute(f"CREATE TYPE {kind} AS ENUM ({listed})")
        else:
            kind = "VARCHAR"
        self._database.execute(
            f"CREATE TEMP TABLE {table} AS SELECT CAST(value AS {self._types[position]}) AS value, code, "
            f"CAST(label AS {kind}) AS label FROM paranym_new_labels"
        )
        self._database.unregister("paranym_new_labels")

    def _place_suppressed(self, rewriting: Rewriting) -> None:
        words = rewriting.suppressed
        columns = {f"w{word}": pa.array(words[:, word], pa.int64()) for word in range(words.shape[1])}
        self._database.register("paranym_new_classes", pa.table(columns))
        self._database.execute(f"CREATE OR REPLACE TEMP TABLE {SUPPRESSED} AS FROM paranym_new_classes")
        self._database.unregister("paranym_new_classes")

    def _count_histograms(
        self, keys: list[tuple[int, Coding]], packing: Packing, histograms: Sequence[Coding]
    ) -> Histogram:
        blocks, owners, columns, amounts, width = {}, [], [], [], 0
        for coding in histograms:
            query = queries.count(keys, packing, (self._place(coding), coding))
            words, (codes, counts) = self._count(query, packing)
            new_owner = np.any(np.diff(words, axis=0) != 0, axis=1)
            owners.append(np.concatenate([[0], np.cumsum(new_owner)]).astype(np.int32))
            columns.append((codes + width).astype(np.int32))
            amounts.append(counts)
            blocks[coding.column.name] = range(width, width + coding.size)
            width += coding.size
        if not blocks:
            return Histogram()
        return Histogram(blocks, np.concatenate(owners), np.concatenate(columns), np.concatenate(amounts))

    def _spread(self, roughly: Sequence[int], exactly: Sequence[int]) -> dict[str, int]:
        [answer] = self._ask(queries.spread(roughly, exactly)).to_pylist()
        return dict(answer)

    def _count(self, query: sql.Select, packing: Packing) -> tuple[Ints, list[Ints]]:
        """The packed words of an answer, and the columns that follow them."""
        return self._numbers(self._ask(query), packing)

    def _numbers(self, answer: pa.Table, packing: Packing) -> tuple[Ints, list[Ints]]:
        if any(column.null_count for column in answer.columns):
            raise UnreadableSource(self.name, "it changed while it was read. Run again.")
        columns = [column.to_numpy().astype(np.int64, copy=False) for column in answer.columns]
        words = np.column_stack(columns[: packing.size]) if packing.size > 1 else columns[0].reshape(-1, 1)
        return words, columns[packing.size :]

    def _in_parts(self, query: sql.Select, words: int) -> Iterator[pa.Table]:
        """The answer in parts that end where the words change."""
        try:
            waiting: list[pa.RecordBatch] = []
            for batch in self._database.sql(query.sql(_DIALECT)).to_arrow_reader(_PART):
                waiting.append(batch)
                if sum(map(len, waiting)) >= _PART:
                    part = pa.Table.from_batches(waiting)
                    end = _last_change(part, words)
                    if end:
                        yield part.slice(0, end)
                    waiting = part.slice(end).to_batches()
            if waiting:
                yield pa.Table.from_batches(waiting)
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


def _last_change(part: pa.Table, words: int) -> int:
    """Where the last combination of a part begins; it may go on in the next part."""
    changed = np.zeros(len(part), np.bool_)
    for column in part.columns[:words]:
        cells = column.to_numpy()
        changed |= cells != cells[-1]
    return int(np.flatnonzero(changed)[-1]) + 1 if changed.any() else 0


def _gathered(words: Ints, packing: Packing, histogram: Coding, codes: Ints, counts: Ints) -> FrequencySet:
    """Combinations split by a further code as a frequency set with its histogram."""
    first = np.concatenate([[True], np.any(np.diff(words, axis=0) != 0, axis=1)])
    owners = (np.cumsum(first) - 1).astype(np.int32)
    starts = np.flatnonzero(first)
    entries = Histogram({histogram.column.name: range(histogram.size)}, owners, codes.astype(np.int32), counts)
    return FrequencySet((0,) * len(packing.widths), packing, words[starts], np.add.reduceat(counts, starts), entries)


def _shortened(text: str, parse: Callable[[str], datetime | time]) -> str:
    """A time as it would be written if the column were no finer than microseconds; as it is if it is finer."""
    whole, _, fraction = text.partition(".")
    if len(fraction) > 6:
        return text
    try:
        return to_text(parse(f"{whole}.{fraction:0<6}")) or text
    except ValueError:  # infinity
        return text


def _family(kind: str) -> str | None:
    """Text, number or other; None where values cannot be compared with labels."""
    if kind.endswith("]"):
        return None
    return next((family for family, kinds in _FAMILIES.items() if kind.startswith(kinds)), None)


def _call(function: str, path: Path, options: dict[str, str]) -> sql.Expression:
    arguments = "".join(f", {name} = {value}" for name, value in options.items())
    name = _quoted(glob.escape(str(path)))  # else `[1]` and `*` in a name would match other files
    called = sqlglot.parse_one(f"SELECT * FROM {function}({name}{arguments})", read=_DIALECT)
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
