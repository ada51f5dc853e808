"""The questions to an engine, built once as SQL trees and written in each dialect.

Columns reach the engine under positions (`c0`, `c1`, ...), so no name of a user's column is ever part of a query.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlglot.expressions as sql
from sqlglot import select

from paranym.engines.base import Coding
from paranym.model.packing import Packing
from paranym.model.values import to_number

ROWS = "paranym_rows"
"""The view that a table is opened as."""
PLACE = "place"
"""The column that numbers the rows, where a source has one."""
TURN = "turn"
"""The column that numbers the rows of one combination."""


def column(position: int) -> str:
    """What the engine calls the column at a position."""
    return f"c{position}"


def raw(position: int) -> str:
    """What it calls the same column as it stands in the source, where no missing value has become null."""
    return f"r{position}"


def dimension(position: int) -> str:
    """The table that holds values and codes of the column at a position."""
    return f"paranym_codes_{position}"


def rows(
    source: sql.Expression,
    columns: Sequence[sql.Expression],
    *,
    numbered: bool = False,
    without: Mapping[int, str | None] | None = None,
) -> sql.Select:
    """The table under its positions: each column as `columns` says, where missing values become null, and untouched.

    If the source numbers its rows, in a column that follows the others, so does the table. Rows that have all the
    values of `without`, by position, are passed over.
    """
    names = [column(position) for position in range(len(columns))]
    aliases = [sql.to_identifier(name) for name in (*names, *([PLACE] if numbered else []))]
    renamed = sql.TableAlias(this=sql.to_identifier("t"), columns=aliases)
    source = source.copy()
    source.set("alias", renamed)
    cells = [sql.alias_(cell, name) for cell, name in zip(columns, names, strict=True)]
    untouched = [sql.alias_(sql.column(column(position), "t"), raw(position)) for position in range(len(columns))]
    found = select(*cells, *untouched, *([sql.column(PLACE, "t")] if numbered else [])).from_(source)
    passed = [
        sql.NullSafeEQ(
            this=sql.column(column(position), "t"),
            expression=sql.null() if value is None else sql.Literal.string(value),
        )
        for position, value in (without or {}).items()
    ]
    return found.where(sql.not_(sql.and_(*passed))) if passed else found


def cell(position: int, family: str, missing: Sequence[str], read_as: str | None = None) -> sql.Expression:
    """A cell with null for a missing value: empty text, not-a-number, and the tokens that mean missing."""
    value: sql.Expression = sql.column(column(position))
    if read_as is not None:
        value = sql.cast(value, read_as)
    absent: list[Any] = []
    if family == "text":
        absent.append(_is_one_of(value, ("", *missing)))
    elif family in ("number", "real"):
        absent += [sql.func("ISNAN", value.copy())] if family == "real" else []
        tokens = [sql.Literal.number(token) for token in missing if _is_within_reach(token)]
        absent += [sql.In(this=value.copy(), expressions=tokens)] if tokens else []
    elif missing:
        midnights = [f"{token} 00:00:00" for token in missing]
        absent.append(_is_one_of(sql.cast(value.copy(), "TEXT"), (*missing, *midnights)))
    return sql.case().when(sql.or_(*absent), sql.null()).else_(value) if absent else value


def profile(positions: Sequence[int]) -> sql.Select:
    """A row for every value of every column, from one look at the table: how many rows have it.

    `apart_0` is 0 in the rows that tell of the column at position 0, and so on; a missing value is null there.
    """
    counted = sql.alias_(sql.Count(this=sql.Star()), "n")
    if not positions:
        return select(counted).from_(ROWS)
    names = [column(position) for position in positions]
    values = [sql.alias_(sql.column(name), f"value_{i}") for i, name in zip(positions, names, strict=True)]
    apart = [
        sql.alias_(sql.func("GROUPING", sql.column(name)), f"apart_{i}")
        for i, name in zip(positions, names, strict=True)
    ]
    sets = sql.GroupingSets(expressions=[sql.Paren(this=sql.column(name)) for name in names])
    query = select(*values, *apart, counted).from_(ROWS)
    query.set("group", sql.Group(grouping_sets=[sets]))
    return query


def lists(positions: Sequence[int], *, as_text: Collection[int] = ()) -> sql.Select:
    """The same in one row with a list for every column, where an engine is quick at that.

    Columns that `as_text` names are listed as text.
    """
    answers: list[Any] = [sql.alias_(sql.Count(this=sql.Star()), "n")]
    for position in positions:
        cell = sql.column(column(position))
        value = sql.cast(cell.copy(), "TEXT") if position in as_text else cell.copy()
        answers.append(sql.alias_(sql.Count(this=cell), f"known_{position}"))
        answers.append(sql.alias_(sql.ArrayAgg(this=sql.Distinct(expressions=[value])), f"values_{position}"))
    return select(*answers).from_(ROWS)


def spread(roughly: Collection[int], exactly: Collection[int]) -> sql.Select:
    """One row: how many rows there are, how many have a value in each column, and how many values these are."""
    answers: list[Any] = [sql.alias_(sql.Count(this=sql.Star()), "n")]
    for position in [*roughly, *exactly]:
        cell = sql.column(column(position))
        counted = (
            sql.Count(this=sql.Distinct(expressions=[cell.copy()]))
            if position in exactly
            else sql.ApproxDistinct(this=cell.copy())
        )
        answers.append(sql.alias_(sql.Count(this=cell), f"known_{position}"))
        answers.append(sql.alias_(counted, f"different_{position}"))
    return select(*answers).from_(ROWS)


def groups(keys: Sequence[tuple[int, Coding]], packing: Packing, *, roughly: bool, hashed: str = "HASH") -> sql.Select:
    """One number: how many combinations there are; roughly, if that is quicker, by hashes of 64 bits."""
    words = [_word(keys, packing, word) for word in range(packing.size)]
    names = _numbered(words)
    if roughly:
        all_words = sql.func(hashed, *map(sql.column, names)) if len(names) > 1 else sql.column(names[0])
        return select(sql.alias_(sql.ApproxDistinct(this=all_words), "groups")).from_(_coded(words, keys))
    different = select(*names).distinct().from_(_coded(words, keys))
    return select(sql.alias_(sql.Count(this=sql.Star()), "groups")).from_(different.subquery("different"))


def count(
    keys: Sequence[tuple[int, Coding]], packing: Packing, histogram: tuple[int, Coding] | None, *, ordered: bool = True
) -> sql.Select:
    """Packed combinations with their counts, split by the code of `histogram` if there is one.

    They come in ascending order if that is asked.
    """
    words = [_word(keys, packing, word) for word in range(packing.size)]
    joined = list(keys)
    if histogram is not None:
        words.append(_code(*histogram))
        joined.append(histogram)
    names = _numbered(words)
    counted = sql.alias_(sql.Count(this=sql.Star()), "n")
    ascending = [*reversed(names[: packing.size]), *names[packing.size :]]
    query = select(*names, counted).from_(_coded(words, joined)).group_by(*names)
    return query.order_by(*ascending) if ordered else query


def fewest(keys: Sequence[tuple[int, Coding]], packing: Packing, person: int) -> sql.Select:
    """One number: the persons of the combination that has fewest; a row that names none is one."""
    words = [_word(keys, packing, word) for word in range(packing.size)]
    names = _numbered(words)
    cell = sql.column("person")
    coded = _coded([*words, sql.column(column(person), ROWS)], keys, [*names, "person"])
    named = sql.Count(this=sql.Distinct(expressions=[cell]))
    nameless = sql.Sub(this=sql.Count(this=sql.Star()), expression=sql.Count(this=cell.copy()))
    people = select(sql.alias_(sql.Add(this=named, expression=nameless), "people")).from_(coded).group_by(*names)
    return select(sql.alias_(sql.Min(this=sql.column("people")), "fewest")).from_(people.subquery("classes"))


def turns(
    source: sql.Expression, keys: Sequence[tuple[int, Coding]], packing: Packing, *, numbered: bool
) -> sql.Select:
    """Every row of `source` with its packed combination, and its turn, from 1 on, among the rows that share it.

    They take turns in the order of the table where its rows are numbered.
    """
    names = [f"w{word}" for word in range(packing.size)]
    words = [sql.alias_(_word(keys, packing, word), name) for word, name in enumerate(names)]
    every = sql.Column(this=sql.Star(), table=sql.to_identifier(ROWS))
    coded = _with_codes(select(every, *words).from_(source), keys)
    order = {"order": sql.Order(expressions=[sql.column(PLACE)])} if numbered else {}
    turn = sql.Window(this=sql.func("ROW_NUMBER"), partition_by=[sql.column(name) for name in names], **order)
    return select("*", sql.alias_(turn, TURN)).from_(coded.subquery("coded"))


def _numbered(words: Sequence[sql.Expression]) -> list[str]:
    return [f"w{index}" for index in range(len(words))]


def _coded(
    columns: Sequence[sql.Expression], joined: Sequence[tuple[int, Coding]], names: Sequence[str] | None = None
) -> sql.Subquery:
    """Every row as `columns` say, under `names`, where codes are those of the columns in `joined`."""
    named = zip(columns, names or _numbered(columns), strict=True)
    return _with_codes(select(*(sql.alias_(cell, name) for cell, name in named)).from_(ROWS), joined).subquery("coded")


def _with_codes(query: sql.Select, joined: Sequence[tuple[int, Coding]]) -> sql.Select:
    for position, _ in joined:
        query = query.join(
            sql.table_(dimension(position)),
            on=sql.EQ(this=sql.column(column(position), ROWS), expression=sql.column("value", dimension(position))),
            join_type="left",
        )
    return query


def _is_one_of(value: sql.Expression, tokens: Sequence[str]) -> sql.Expression:
    return sql.In(this=value.copy(), expressions=[sql.Literal.string(token) for token in tokens])


def _is_within_reach(token: str) -> bool:
    """Whether a token is a number that engines can compare with: they refuse literals of more than 38 digits."""
    return to_number(token) is not None and sum(character.isdigit() for character in token) <= 38


def _word(keys: Sequence[tuple[int, Coding]], packing: Packing, word: int) -> sql.Expression:
    """The fields of one word, added up: fields do not overlap, so a sum packs them on every engine."""
    total: sql.Expression = sql.Literal.number(0)
    for (position, coding), home, shift in zip(keys, packing.words, packing.shifts, strict=True):
        if home == word:
            factor = sql.Literal.number(1 << shift)
            total = sql.Add(this=total, expression=sql.Mul(this=_code(position, coding), expression=factor))
    return sql.cast(total, "BIGINT")


def _code(position: int, coding: Coding) -> sql.Expression:
    """The code of a cell: null, and so noticed, where a value has none."""
    code = sql.column("code", dimension(position))
    if coding.missing is None:
        return sql.cast(code, "BIGINT")
    cell = sql.column(column(position), ROWS)
    missing = sql.case().when(cell.is_(sql.null()), sql.Literal.number(coding.missing))
    return sql.cast(sql.func("COALESCE", code, missing), "BIGINT")
