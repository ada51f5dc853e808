"""A table that was named but is not open yet."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from paranym.engines.csv_dialect import CsvDialect
from paranym.engines.duckdb import DuckDBTable
from paranym.engines.frames import frame_digest
from paranym.engines.standard_input import STANDARD_INPUT, standard_input


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Where a table is, and how it is read."""

    data: object
    """A path, or a pandas, polars or pyarrow table."""
    table: str | None = None
    """Of a DuckDB file."""
    dialect: CsvDialect | None = None
    missing: tuple[str, ...] = ()

    @property
    def path(self) -> Path | None:
        """The file, if it is one."""
        if not isinstance(self.data, str | Path):
            return None
        return standard_input() if str(self.data) == STANDARD_INPUT else Path(self.data)

    @property
    def name(self) -> str:
        """What messages call it; no folder of it is named."""
        if not isinstance(self.data, str | Path):
            return "the table"
        return "standard input" if str(self.data) == STANDARD_INPUT else Path(self.data).name

    def open(self, *, memory: str | None = None) -> DuckDBTable:
        """Open it in the embedded engine, which takes at most `memory`, such as "4GB"."""
        return DuckDBTable(self.data, table=self.table, dialect=self.dialect, missing=self.missing, memory=memory)

    def digest(self) -> bytes:
        """A hash of all that is in it: of the bytes of a file, or of the cells of any other table, in their order."""
        path = self.path
        if path is not None:
            with path.open("rb") as stream:
                if stream.read(12)[8:] != b"DUCK":
                    stream.seek(0)
                    return hashlib.file_digest(stream, "sha256").digest()
            with self.open() as opened:
                return opened.digest()
        return frame_digest(self.data)
