"""What every engine gives an audit: counts in parts, how many values there are, how many people."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paranym.engines.base import Coding, Column
from paranym.engines.duckdb.table import DuckDBTable
from paranym.frequency import FrequencySet

ROWS = np.random.default_rng(0).integers(0, 4, (400, 4))


def opened(folder: Path) -> DuckDBTable:
    table = pa.table({name: ROWS[:, i] for i, name in enumerate("abcd")})
    table = table.append_column("gaps", pa.array([None if i % 3 else i for i in range(len(ROWS))]))
    pq.write_table(table, folder / "t.parquet")
    return DuckDBTable(folder / "t.parquet")


def coding(column: Column) -> Coding:
    known = len(column.values)
    missing = known if column.missing else None
    return Coding(column, np.arange(known, dtype=np.int32), missing, known + bool(column.missing))


def codings(table: DuckDBTable, names: Sequence[str]) -> list[Coding]:
    return [coding(column) for column in table.profile(names).columns]


@pytest.mark.parametrize("most", [1, 5, 37, 10**6])
def test_parts_are_the_whole_count_and_split_no_combination(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int
) -> None:
    monkeypatch.setattr("paranym.engines.sql.table.PART", most)
    with opened(tmp_path) as table:
        *keys, last = codings(table, "abcd")
        whole = table.count(keys, [last])
        parts = list(table.parts(keys, last))
        plain = list(table.parts(keys, None))

    assert np.array_equal(np.concatenate([part.words for part in parts]), whole.words)
    assert np.array_equal(np.concatenate([part.counts for part in parts]), whole.counts)
    dense = [part.histogram.dense("d", len(part)) for part in parts]
    assert np.array_equal(np.concatenate(dense), whole.histogram.dense("d", len(whole)))
    assert np.array_equal(np.concatenate([part.counts for part in plain]), whole.counts)
    assert len(parts) == 1 if most > len(ROWS) else len(parts) > 1


def test_a_combination_larger_than_a_part_stays_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paranym.engines.sql.table.PART", 2)
    pq.write_table(pa.table({"q": [1] * 50 + [2], "s": [*range(50), 0]}), tmp_path / "t.parquet")
    with DuckDBTable(tmp_path / "t.parquet") as table:
        key, value = codings(table, ["q", "s"])
        parts: list[FrequencySet] = list(table.parts([key], value))

    assert sorted(count for part in parts for count in part.counts.tolist()) == [1, 50]


def test_values_are_counted_without_being_listed(tmp_path: Path) -> None:
    with opened(tmp_path) as table:
        a, gaps = table.spread(["a", "gaps"])
        [exact] = table.spread(["a"], exactly=["a"])

    assert (a.name, a.missing, exact.different) == ("a", 0, 4)
    assert a.different in (3, 4, 5)
    assert gaps.missing == 266
    assert gaps.different == pytest.approx(134, rel=0.15)


def test_columns_that_nearly_tell_rows_apart_are_counted_exactly() -> None:
    with DuckDBTable(pa.table({"weight": [i * 7919 % 10007 for i in range(9000)]})) as table:
        assert table.spread(["weight"])[0].different == 9000


def test_people_are_counted_where_a_combination_has_fewest() -> None:
    people = pa.table({"q": [1, 1, 1, 2, 2, 2], "id": ["x", "x", "x", "y", None, None]})
    with DuckDBTable(people) as table:
        assert table.fewest(codings(table, ["q"]), "id") == 1
        assert table.fewest(codings(table, ["q"])[:0], "id") == 4


def test_little_memory_is_enough(tmp_path: Path) -> None:
    pq.write_table(pa.table({"q": np.arange(300_000) % 50_000}), tmp_path / "t.parquet")
    with DuckDBTable(tmp_path / "t.parquet", memory="64MB") as table:
        assert sum(len(part) for part in table.parts(codings(table, ["q"]), None)) == 50_000
