"""Count how often an engine scans a table: each plan of the embedded engine lists the scans of files and tables."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from paranym.engines.duckdb import table as engine
from paranym.engines.duckdb.table import DuckDBTable

_PLANNED = re.compile(r"\s*(SELECT|WITH|CREATE (OR REPLACE )?(TEMP )?TABLE .* AS\b|COPY)", re.IGNORECASE | re.DOTALL)


class Reads:
    """Scans of tables, by the name of the file or frame that was opened."""

    def __init__(self) -> None:
        self.scans: defaultdict[str, list[str]] = defaultdict(list)

    def __getitem__(self, name: str) -> int:
        return len(self.scans[name])

    def note(self, name: str, statement: str, scans: int) -> None:
        self.scans[name] += [statement] * scans


class _Watched:
    """A connection that notes the scans of each statement before it runs."""

    def __init__(self, database: Any, reads: Reads) -> None:
        self._database, self._reads, self.name = database, reads, ""

    def execute(self, query: str, parameters: object = None) -> Any:
        if parameters is None:  # else it is a setting, or a look into the catalogue
            self._note(query)
        return self._database.execute(query, parameters)

    def sql(self, query: str) -> Any:
        self._note(query)
        return self._database.sql(query)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    def _note(self, query: str) -> None:
        if _PLANNED.match(query):
            [(_, plan)] = self._database.execute(f"EXPLAIN (FORMAT json) {query}").fetchall()
            scans = sum(_is_scan(each) for root in json.loads(plan) for each in _operators(root))
            self._reads.note(self.name, query, scans)


def _operators(node: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield node
    for child in node["children"]:
        yield from _operators(child)


def _is_scan(node: Mapping[str, Any]) -> bool:
    """Whether an operator reads the table that was opened, and not one that the engine holds."""
    if node["name"] in ("READ_CSV", "READ_PARQUET", "ARROW_SCAN"):
        return True
    return str(node["extra_info"].get("Table", "")).startswith("paranym_file.")


@contextmanager
def counted_reads(monkeypatch: pytest.MonkeyPatch) -> Iterator[Reads]:
    """Count the scans of all tables that are opened within the block, as plans of the engine show them."""
    reads = Reads()
    connect, opened = engine._connect, DuckDBTable._open

    def watched(folder: Path, memory: str | None) -> duckdb.DuckDBPyConnection:
        return _Watched(connect(folder, memory), reads)  # type: ignore[return-value]

    def noted(self: DuckDBTable, data: object, *rest: Any) -> None:
        self._database.name = Path(data).name if isinstance(data, str | Path) else "a frame"  # type: ignore[attr-defined]
        opened(self, data, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(engine, "_connect", watched)
        patch.setattr(DuckDBTable, "_open", noted)
        yield reads
