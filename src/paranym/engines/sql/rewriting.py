"""Published rows as SQL trees: labels joined from dimension tables, suppressed rows removed or marked.

In a local recoding, the rows of a combination are numbered, and the number of a row determines its group.

Labels and names are passed in tables; only for files that name their columns are names part of a query, quoted.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlglot.expressions as sql
from sqlglot import select

from paranym.engines.base import Replacement, Rewriting
from paranym.engines.sql import queries

SUPPRESSED = "paranym_suppressed"
"""The table of the suppressed classes, under `w0`, `w1`, ..."""
HEADER = "paranym_header"
"""The table with one row that holds the names of the columns, under `o0`, `o1`, ..."""
GATHERED = "paranym_gathered"
"""The table of entries: a combination as `w0`, `w1`, ..., `after` and `upto` of its rows, labels `l0`, `l1`, ..."""
DRAW = "paranym_draw"
"""The function that draws a random number for every row, from the operating system's source."""

_RUNS = r"^'*[=+@\t\r-]"
"""The beginning of a cell that a spreadsheet would run; quotes before it may have neutralized one."""
_BARE = r"^[=+@\t\r-]"
"""The beginning of such a cell without quotes."""
_NUMBER = r"^[+-]?[0-9.,]+([eE][+-]?[0-9]+)?( ?(-|to) ?[+-]?[0-9.,]+)?$|^[-+.]+$"
"""Exceptions with such a beginning: a number, an interval as hierarchies label it, or a mark for a missing value."""


def neutral(text: str) -> str:
    """Return text that no spreadsheet runs; different texts stay different.

    >>> neutral("=1+1"), neutral("-5"), neutral("-10 to -1"), neutral("--"), neutral("a=b")
    ("'=1+1", '-5', '-10 to -1', '--', 'a=b')
    """
    runs = re.match(_RUNS, text) and not re.match(_NUMBER, text)
    return f"'{text}" if runs else text


def labels_of(position: int) -> str:
    """Return the name of the table with values, codes and labels of a column; the missing value is null."""
    return f"paranym_labels_{position}"


@dataclass(frozen=True, slots=True, eq=False)
class Published:
    """A column of the release."""

    position: int
    replacement: Replacement | None = None
    """None: unchanged."""
    keeps: bool = False
    """True if the cells of a replaced column are published themselves."""
    cast: str | None = None
    """A type of the format for values that it could not hold otherwise."""
    is_text: bool = True
    """True if cells could be formulas."""
    gathered: int | None = None
    """The index of the column among the labels of its group, in a local recoding."""

    def cell(self) -> sql.Expression:
        """Return the published cell of a row that is not suppressed."""
        if self.replacement is None:
            value: sql.Expression = sql.column(queries.raw(self.position), queries.ROWS)
        elif self.gathered is not None:
            value = sql.column(f"l{self.gathered}", GATHERED)
        elif self.keeps:
            value = sql.column(queries.column(self.position), queries.ROWS)
        else:
            value = self._found("label")
        return value if self.cast is None else sql.cast(value, self.cast)

    def code(self) -> sql.Expression:
        """Return the index of the label: null for a value without a label, which no class has."""
        return sql.cast(self._found("code"), "BIGINT")

    def _found(self, what: str) -> Any:
        """Return an entry of the table of labels; the missing value, which equals nothing, is looked up separately."""
        table = labels_of(self.position)
        found = sql.column(what, table)
        if self.replacement is None or self.replacement.coding.missing is None:
            return found
        is_missing = sql.column(queries.column(self.position), queries.ROWS).is_(sql.null())
        apart = select(what).from_(table).where(sql.column("value").is_(sql.null())).subquery()
        return sql.func("COALESCE", found, sql.case().when(is_missing, apart))


def in_order(columns: Sequence[Published], rewriting: Rewriting, *, numbered: bool) -> sql.Select:
    """Select, in the order of the source, whether each row is suppressed, and its replaced columns."""
    place = sql.column(queries.PLACE) if numbered else sql.Window(this=sql.func("ROW_NUMBER"))
    counted = select("*", *([] if numbered else [sql.alias_(place, queries.PLACE)])).from_(queries.ROWS)
    cells = [sql.alias_(column.cell(), f"p{n}") for n, column in enumerate(columns)]
    suppressed = sql.alias_(_is_suppressed(rewriting), "suppressed")
    query = select(suppressed, *cells).from_(_source(counted.subquery(queries.ROWS), columns, rewriting, numbered=True))
    return _joined(query, columns, rewriting).order_by(sql.column(queries.PLACE, queries.ROWS))


def for_file(columns: Sequence[Published], rewriting: Rewriting, names: Sequence[str], by: Any = None) -> sql.Select:
    """Select the published rows under the names of their columns, in the random order of `by`."""
    quoted = [sql.to_identifier(name, quoted=True) for name in names]
    cells = zip((_marked(column, rewriting) for column in columns), quoted, strict=True)
    query = _left(select(*(sql.Alias(this=cell, alias=name) for cell, name in cells)), columns, rewriting)
    return query if by is None else query.order_by(by)


def spelled_out(query: sql.Select, names: Sequence[str], kinds: Sequence[str | None], dialect: str) -> sql.Select:
    """Select the same rows in the same order, with columns cast to the types in `kinds`.

    An enumeration is fast to sort, but a file that holds one also lists the values that no published row has; so the
    sorted numbers are written as text.
    """
    if not any(kinds):
        return query
    columns = [sql.column(sql.to_identifier(name, quoted=True)) for name in names]
    cells = [
        column if kind is None else sql.Alias(this=sql.cast(column, kind, dialect=dialect), alias=column.this)
        for column, kind in zip(columns, kinds, strict=True)
    ]
    return select(*cells).from_(query.subquery("everything"))


def as_text(columns: Sequence[Published], rewriting: Rewriting) -> sql.Select:
    """Select the published rows as text, after a first row that holds the names."""
    names = [f"o{n}" for n in range(len(columns))]
    first = select(*names, sql.alias_(sql.Literal.number(0), "part"), sql.alias_(sql.Literal.number(0), "drawn"))
    cells = [sql.alias_(_text(column, rewriting), name) for column, name in zip(columns, names, strict=True)]
    last = [sql.alias_(sql.Literal.number(1), "part"), sql.alias_(drawn(), "drawn")]
    query = _left(select(*cells, *last), columns, rewriting)
    both = sql.union(first.from_(HEADER), query, distinct=False)
    return select(*names).from_(both.subquery("everything")).order_by("part", "drawn")


def formulas(columns: Sequence[Published], rewriting: Rewriting, *, bare: bool = False) -> sql.Select:
    """Select one number: the cells that a spreadsheet would run; with `bare`, without those behind a quote."""
    counted: sql.Expression = sql.Literal.number(0)
    for column in columns:
        if column.is_text:
            runs = sql.case().when(
                _runs(sql.cast(_marked(column, rewriting), "TEXT"), _BARE if bare else _RUNS), sql.Literal.number(1)
            )
            counted = sql.Add(this=counted, expression=sql.Count(this=runs))
    return _left(select(sql.alias_(counted, "formulas")), columns, rewriting)


def _left(query: sql.Select, columns: Sequence[Published], rewriting: Rewriting) -> sql.Select:
    """Return the query without the suppressed rows, unless these are marked."""
    query = query.from_(_source(sql.table_(queries.ROWS), columns, rewriting, numbered=False))
    query = _joined(query, columns, rewriting)
    if rewriting.mark is not None or not rewriting.suppresses:
        return query
    return query.where(sql.not_(_is_suppressed(rewriting)))


def _source(
    rows: sql.Expression, columns: Sequence[Published], rewriting: Rewriting, *, numbered: bool
) -> sql.Expression:
    """Return the rows; in a local recoding, each with its combination and its number."""
    if rewriting.gathering is None:
        return rows
    positions = {id(column.replacement): column.position for column in columns}
    keys = [(positions[id(each)], each.coding) for each in rewriting.replaced]
    return queries.turns(rows, keys, rewriting.packing, numbered=numbered).subquery(queries.ROWS)


def _joined(query: sql.Select, columns: Sequence[Published], rewriting: Rewriting) -> sql.Select:
    """Join the rows with their labels, and with their class if it is suppressed."""
    if rewriting.gathering is not None:
        return query.join(sql.table_(GATHERED), on=sql.and_(*_in_entry(rewriting)), join_type="left")
    replaced = [column for column in columns if column.replacement is not None]
    for column in replaced:
        cell, table = sql.column(queries.column(column.position), queries.ROWS), labels_of(column.position)
        on = sql.EQ(this=cell, expression=sql.column("value", table))
        query = query.join(sql.table_(table), on=on, join_type="left")
    if not len(rewriting.suppressed):
        return query
    packing = rewriting.packing
    same = [
        sql.EQ(this=_word(replaced, rewriting, word), expression=sql.column(f"w{word}", SUPPRESSED))
        for word in range(packing.size)
    ]
    return query.join(sql.table_(SUPPRESSED), on=sql.and_(*same), join_type="left")


def _in_entry(rewriting: Rewriting) -> list[sql.Expression]:
    """Return the conditions for a row to belong to an entry."""
    words = [f"w{word}" for word in range(rewriting.packing.size)]
    same = [sql.EQ(this=sql.column(word, queries.ROWS), expression=sql.column(word, GATHERED)) for word in words]
    turn = sql.column(queries.TURN, queries.ROWS)
    return [
        *same,
        sql.GT(this=turn, expression=sql.column("after", GATHERED)),
        sql.LTE(this=turn.copy(), expression=sql.column("upto", GATHERED)),
    ]


def _word(replaced: Sequence[Published], rewriting: Rewriting, word: int) -> sql.Expression:
    """Return the codes that share one word, in the order in which the rewriting names their columns."""
    packing = rewriting.packing
    columns = {id(column.replacement): column for column in replaced}
    total: sql.Expression = sql.Literal.number(0)
    for replacement, home, shift in zip(rewriting.replaced, packing.words, packing.shifts, strict=True):
        if home == word:
            code, factor = columns[id(replacement)].code(), sql.Literal.number(1 << shift)
            total = sql.Add(this=total, expression=sql.Mul(this=code, expression=factor))
    return sql.cast(total, "BIGINT")


def _is_suppressed(rewriting: Rewriting) -> sql.Expression:
    if not rewriting.suppresses:
        return sql.false()
    if rewriting.gathering is not None:
        return sql.column("after", GATHERED).is_(sql.null())
    return sql.not_(sql.column("w0", SUPPRESSED).is_(sql.null()))


def _marked(column: Published, rewriting: Rewriting) -> sql.Expression:
    """Return the cell, or the mark in its place if the row is suppressed."""
    if rewriting.mark is None or not rewriting.suppresses:
        return column.cell()
    instead = sql.null() if column.replacement is None else sql.Literal.string(rewriting.mark)
    kept = column.cell() if column.replacement is None else sql.cast(column.cell(), "TEXT")
    return sql.case().when(_is_suppressed(rewriting), instead).else_(kept)


def _text(column: Published, rewriting: Rewriting) -> sql.Expression:
    cell = sql.cast(_marked(column, rewriting), "TEXT")
    if not (rewriting.neutralize and column.is_text):
        return cell
    harmless = sql.DPipe(this=sql.Literal.string("'"), expression=cell.copy())
    return sql.case().when(_runs(cell), harmless).else_(cell.copy())


def _runs(cell: sql.Expression, beginning: str = _RUNS) -> Any:
    """Return the condition that a spreadsheet would take a cell for a formula."""
    begins = sql.RegexpLike(this=cell.copy(), expression=sql.Literal.string(beginning))
    number = sql.RegexpLike(this=cell.copy(), expression=sql.Literal.string(_NUMBER))
    return sql.and_(begins, sql.not_(number))


def drawn() -> sql.Expression:
    """Return a random number for each row."""
    # an argument that differs from row to row: a constant one would be evaluated only once
    return sql.Anonymous(this=DRAW, expressions=[sql.func("RANDOM")])
