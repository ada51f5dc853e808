"""Tables in Spark: on one machine, on a cluster, or through Spark Connect. Counting and writing happen there."""

import hashlib
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import pyarrow as pa
import sqlglot.expressions as sql

from paranym.engines.base import Coding, Rewriting, Target
from paranym.engines.files.csv import CsvDialect
from paranym.engines.spark.session import SparkSource, start
from paranym.engines.spark.workers import Workers
from paranym.engines.sql import queries
from paranym.engines.sql import table as sql_table
from paranym.engines.sql.rewriting import for_file
from paranym.engines.sql.table import SqlTable
from paranym.errors import AmbiguousColumns, BadInput, UnreadableSource
from paranym.model.packing import Packing

_DIALECT = "spark"
_SOURCE = "paranym_source"
_FAMILIES = {
    "text": ("string", "char", "varchar"),
    "number": ("tinyint", "smallint", "int", "bigint", "decimal"),
    "real": ("float", "double"),
    "other": ("boolean", "date", "timestamp"),
}
_DECLARED = {pa.string(): "string", pa.int32(): "int", pa.int64(): "bigint"}
_UNKNOWN = ("interval",)
"""Types with a common prefix."""
_TO_EVERYONE = 2**20
"""Tables of up to this many rows are broadcast to all workers, so that the rows need not be shuffled."""
_ALONE = ("ExecutorLostFailure", "Master removed our application", "All masters are unresponsive")
_NOBODY = "its workers were lost. Nothing was written; run again."
_LOST = ("Connection refused", "was shut down", "has been shutdown", "UNAVAILABLE", "Connection reset", "Socket closed")


class SparkTable(SqlTable):
    """A data frame of Spark with its session. Close it, or use it in a `with` block."""

    _sorts = False

    def __init__(
        self,
        data: Any,
        *,
        missing: Sequence[str] = (),
        dialect: CsvDialect | None = None,
    ) -> None:
        """Open a data frame, or the table of a `SparkSource`."""
        self._views: set[str] = set()
        self._mark = f"paranym_{uuid4().hex}"
        self.name = data.name if isinstance(data, SparkSource) else "the table"
        self.session = start(data) if isinstance(data, SparkSource) else data.sparkSession
        self._workers = Workers(self.session, self._mark)
        try:
            with self._asking():
                frame = _read(self.session, data, dialect) if isinstance(data, SparkSource) else data
                self._open(frame, missing)
        except BaseException:
            self.close()
            raise

    def apply(self, rewriting: Rewriting) -> pa.Table:
        """Raise: rows in Spark have no order."""
        raise BadInput("The rows of a table in Spark have no order. Name a folder to release it into.")

    def write(self, rewriting: Rewriting, target: Target) -> None:
        """Have the workers write a folder of Parquet files, with rows in random order."""
        if not target.format.is_parallel:
            raise BadInput("Spark writes Parquet: let the name of the release end in .parquet.")
        names = [name for name in self.columns if name not in rewriting.dropped]
        places = [f"o{n}" for n in range(len(names))]
        key = secrets.token_hex(32)
        # a hash with a secret key: random, and yet the same if a worker is lost and its part is computed again
        drawn = f"substring(sha2(concat('{key}', cast(monotonically_increasing_id() as string)), 256), 1, 16)"
        with self._asking():
            made = self._frame(for_file(self._published(rewriting, names, target), rewriting, places))
            # the file of a row and its position there are random; a global sort would read everything twice
            spread = made.selectExpr("*", f"{drawn} AS drawn").repartition("drawn").sortWithinPartitions("drawn")
            published = spread.drop("drawn").toDF(*names)
            writer = published.write.option("mapreduce.fileoutputcommitter.marksuccessfuljobs", "false")
            writer.parquet(_address(target.path))
        if not target.path.is_dir():
            raise BadInput(
                f"Spark wrote {target.path.name!r} where this program cannot see it. Release into a folder that is "
                "shared with the workers."
            )
        for checksum in target.path.glob(".*.crc"):
            checksum.unlink()

    def digest(self) -> bytes:
        """Return a hash of the names, types and cells. It ignores the order of rows, since Spark has none."""
        cells = ", ".join(queries.raw(i) for i in range(len(self.columns)))
        hashes = [f"sum(cast(xxhash64({seed}, h) AS decimal(20, 0))) AS h{seed}" for seed in (0, 1)]
        hashed = f"SELECT sha2(to_json(struct({cells})), 256) AS h FROM {self._called(queries.ROWS)}"
        with self._asking():
            answer = self.session.sql(f"SELECT count(*) AS n, {', '.join(hashes)} FROM ({hashed})").toArrow()
        return hashlib.sha256(repr((self.columns, self._kinds, answer.to_pylist())).encode()).digest()

    def close(self) -> None:
        """Drop the views that were created in the session, which stays open."""
        with suppress(Exception):  # the session may have ended, and its views with it
            for view in self._views:
                self.session.catalog.dropTempView(view)
            self.session.removeTag(self._mark)
        self._views.clear()

    def _open(self, frame: Any, missing: Sequence[str]) -> None:
        self.columns = tuple(frame.columns)
        if not self.columns:
            raise UnreadableSource(self.name, "it has no columns.")
        twice = tuple(sorted({name for name in self.columns if self.columns.count(name) > 1}))
        if twice:
            raise AmbiguousColumns(self.name, twice)
        places = [queries.column(i) for i in range(len(self.columns))]
        renamed = frame.toDF(*places)
        self._kinds = self._types = tuple(kind for _, kind in renamed.dtypes)
        self._families = tuple(
            None if kind.startswith(_UNKNOWN) else sql_table.family_of(kind, _FAMILIES) for kind in self._kinds
        )
        self._keep(_SOURCE, renamed)
        self._cells = sql_table.cells(self._kinds, self._families, missing, lambda _: None)
        self._show({})

    def _show(self, without: Mapping[int, str | None]) -> None:
        cells = [cell.copy() for cell in self._cells]
        rows = queries.rows(sql.table_(self._called(_SOURCE)), cells, without=without)
        with self._asking():
            self._keep(queries.ROWS, self.session.sql(rows.sql(_DIALECT)))

    def _values(self, name: str, position: int, answer: pa.Array) -> list[object]:
        if pa.types.is_timestamp(answer.type) and answer.type.tz is not None:
            answer = answer.cast(pa.timestamp("us", "UTC"))
        return super()._values(name, position, answer)

    def _groups(self, keys: Sequence[tuple[int, Coding]], packing: Packing) -> sql.Select:
        return queries.groups(keys, packing, roughly=True, hashed="XXHASH64")

    def _hold(self, name: str, table: pa.Table, casts: Mapping[str, str]) -> None:
        cells = [f"CAST({each} AS {casts[each]}) AS {each}" if each in casts else each for each in table.column_names]
        with self._asking():
            kinds = ", ".join(f"{field.name} {_DECLARED[field.type]}" for field in table.schema)
            # Spark Connect rejects an empty table
            new = self.session.createDataFrame(table) if len(table) else self.session.createDataFrame([], kinds)
            frame = new.selectExpr(*cells)
            self._keep(name, frame.hint("broadcast") if len(table) <= _TO_EVERYONE else frame)

    def _keep(self, name: str, frame: Any) -> None:
        """Register a data frame under a name that no other table of the session has."""
        frame.createOrReplaceTempView(self._called(name))
        self._views.add(self._called(name))

    def _called(self, name: str) -> str:
        return f"{self._mark}_{name}"

    def _ask(self, query: sql.Expression) -> pa.Table:
        with self._asking():
            return self._frame(query).toArrow()

    def _batches(self, query: sql.Expression) -> Iterator[pa.RecordBatch]:
        yield from self._ask(query).to_batches()

    def _in_parts(self, query: sql.Select, words: int) -> Iterator[pa.Table]:
        """Return the result in parts, each combination complete in one part: rows are divided by their hash."""
        with self._asking():
            counted = self._frame(query).persist()
            parts = -(-counted.count() // sql_table.PART)
        try:
            hashed = f"pmod(xxhash64({', '.join(f'w{word}' for word in range(words))}), {parts})"
            for part in range(parts):
                with self._asking():
                    answer = counted.where(f"{hashed} = {part}").toArrow()
                if len(answer):
                    yield answer
        finally:
            with self._asking():
                counted.unpersist()

    def _frame(self, query: sql.Expression) -> Any:
        return self.session.sql(query.transform(self._renamed).sql(_DIALECT))

    def _renamed(self, node: Any) -> Any:
        if isinstance(node, sql.Table) and self._called(node.name) in self._views:
            return sql.alias_(sql.table_(self._called(node.name)), node.name, table=True)
        return node

    @contextmanager
    def _asking(self) -> Iterator[None]:
        """Convert the errors of Spark into ours; an interrupt also cancels the jobs of the workers."""
        try:
            self.session.addTag(self._mark)
            with self._workers.watched():
                yield
        except KeyboardInterrupt:
            self.session.interruptTag(self._mark)
            raise
        except Exception as error:
            if type(error).__module__.split(".")[0] not in ("pyspark", "py4j", "grpc"):
                raise
            raise UnreadableSource(self.name, _NOBODY if self._workers.are_lost else _reason(error)) from error


def _read(session: Any, source: SparkSource, dialect: CsvDialect | None) -> Any:
    if source.path is None:
        return session.table(str(source.table))
    if source.path.lower().endswith((".csv", ".csv.gz", ".tsv")):
        return session.read.csv(source.path, header=True, multiLine=True, nullValue="", **_csv_options(dialect))
    return session.read.parquet(source.path)


def _csv_options(dialect: CsvDialect | None) -> dict[str, str]:
    """Return the options for a CSV file; Spark detects nothing by itself."""
    dialect = dialect or CsvDialect()
    quote = dialect.quote or '"'
    return {
        "sep": dialect.separator or ",",
        "quote": quote,
        "escape": quote,
        "encoding": dialect.encoding or "UTF-8",
        "mode": "FAILFAST",
    }


def _address(path: Path) -> str:
    return f"file:{path.resolve()}"


def _reason(error: Exception) -> str:
    """Return the reason of a failure, in one line."""
    text = str(error)
    if any(sign in text for sign in _LOST):
        return "the connection to Spark was lost. Nothing was written; run again."
    if any(sign in text for sign in _ALONE):
        return _NOBODY
    if "MALFORMED_RECORD" in text:  # the rest of the message is the line itself
        return "a line cannot be split into fields. Set separator, quote or encoding (under [data] in a recipe)."
    said = next((line.strip()[:300] for line in text.splitlines() if line.strip()), "Spark failed.")
    return re.sub(r"""(["'])(?:(?!\1).)*\1""", "...", said)
