"""One engine as the contract tests see it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from paranym.engines.base import Table
from paranym.engines.source import open_table


@dataclass(frozen=True)
class Engine:
    """One engine, and how a table gets into it."""

    kind: str
    load: Callable[[pa.Table], dict[str, Any]]
    """A table as the arguments `data`, and `table` where a name is needed."""
    left: Callable[[], Sequence[str]]
    """What is there that the engine should have taken away."""
    suffixes: tuple[str, ...] = ("csv", "parquet", "duckdb")
    """What it releases into."""


def open_in(engine: Engine, table: pa.Table) -> Table:
    loaded = engine.load(table)
    return open_table(loaded["data"], table=loaded.get("table"))


def views(session: Any) -> list[str]:
    """The views of a Spark session."""
    return [row.viewName for row in session.sql("SHOW VIEWS").collect()]  # which takes no worker
