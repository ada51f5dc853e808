"""Thousands of columns: work grows with their number, not with its square."""

from pathlib import Path

import pytest
import sqlglot.expressions as sql

import paranym as pn
from paranym.engines.duckdb.table import _WIDE, DuckDBTable
from paranym.model.schema import Attribute, Role, Schema


def wide(folder: Path, columns: int) -> Path:
    path = folder / f"{columns}.csv"
    lines = [
        ",".join(f"c{i}" for i in range(columns)),
        *(",".join(str(r % (2 + i % 3)) for i in range(columns)) for r in range(12)),
    ]
    path.write_text("\n".join(lines))
    return path


def test_a_wide_file_is_split_into_fields_once(tmp_path: Path) -> None:
    with DuckDBTable(wide(tmp_path, _WIDE + 1)) as table:
        (tmp_path / f"{_WIDE + 1}.csv").unlink()  # so that it cannot be read again

        assert [each.different for each in table.spread(["c0", "c1", f"c{_WIDE}"])] == [2, 3, 4]
        assert table.profile(["c2"]).columns[0].values == ("0", "1", "2", "3")


def test_a_question_names_the_columns_that_it_asks_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All questions of a draft together name each column a few times, however many there are."""
    asked: list[int] = []
    written = DuckDBTable._written

    def counted(self: DuckDBTable, query: sql.Expression) -> str:
        text = written(self, query)
        if self._cells is not None:
            asked.append(text.count(" AS c") + text.count(" AS r"))
        return text

    monkeypatch.setattr(DuckDBTable, "_written", counted)
    totals = []
    for columns in (_WIDE + 50, 2 * (_WIDE + 50)):
        asked.clear()
        pn.draft(wide(tmp_path, columns))
        totals.append(sum(asked))

    assert totals[0] <= 8 * (_WIDE + 50)
    assert totals[1] <= 2.2 * totals[0]


def test_no_question_grows_with_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the engine takes to plan a question grows with the square of what it answers: 10,000 took minutes."""
    answers: list[int] = []
    written = DuckDBTable._written

    def counted(self: DuckDBTable, query: sql.Expression) -> str:
        if self._cells is not None:
            answers.append(len(query.expressions))
        return written(self, query)

    monkeypatch.setattr(DuckDBTable, "_written", counted)
    found = pn.audit(wide(tmp_path, 5 * _WIDE), quasi_identifiers=["c0", "c1"])

    assert found.rows == 12
    assert len(answers) > 5
    assert max(answers) <= 2 * _WIDE + 1


def test_names_are_compared_once_each() -> None:
    class Name(str):
        compared = 0
        __slots__ = ()

        def __eq__(self, other: object) -> bool:
            Name.compared += 1
            return str.__eq__(self, other)

        __hash__ = str.__hash__

    names = [Name(f"c{i}") for i in range(2000)]
    schema = Schema(tuple(Attribute(name, Role.QUASI_IDENTIFIER) for name in names))
    schema.check(tuple(names))

    assert Name.compared < 20 * len(names)
