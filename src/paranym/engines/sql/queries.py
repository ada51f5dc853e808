"""The queries of all engines, built once as SQL trees and written in each dialect.

Columns are named by position (`c0`, `c1`, ...), so no name of a user's column is ever part of a query.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import sqlglot.expressions as sql
from sqlglot import select

from paranym.engines.base import Coding
from paranym.model.packing import Packing
from paranym.model.values import to_number

ROWS = "paranym_rows"
"""The view of an opened table."""
PLACE = "place"
"""The column that numbers the rows, if a source has one."""
TURN = "turn"
"""The column that numbers the rows of each combination."""


def column(position: int) -> str:
    """Return the engine's name of the column at a position."""
    return f"c{position}"


def raw(position: int) -> str:
    """Return the engine's name of the unchanged column, in which missing values are not replaced by null."""
    return f"r{position}"


def dimension(position: int) -> str:
    """Return the name of the table with the values and codes of the column at a position."""
    return f"paranym_codes_{position}"


def rows(
    source: sql.Expression,
    columns: Sequence[sql.Expression],
    *,
    numbered: bool = False,
    without: Mapping[int, str | None] | None = None,
) -> sql.Select:
    """Select the table with its columns named by position: each as in `columns`, with null for missing, and unchanged.

    If the source numbers its rows, in a column after the others, so does the result. Rows that equal `without`, by
    position, are skipped.
    """
    names = [column(position) for position in range(len(columns))]
    aliases = [sql.to_identifier(name) for name in (*names, *([PLACE] if numbered else []))]
    renamed = sql.TableAlias(this=sql.to_identifier("t"), columns=aliases)
    source = source.copy()
    source.set("alias", renamed)
    cells = [sql.alias_(cell, name, copy=False) for cell, name in zip(columns, names, strict=True)]
    untouched = [
        sql.alias_(sql.column(column(position), "t"), raw(position), copy=False) for position in range(len(columns))
    ]
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
    """Return a cell with null for a missing value: empty text, not-a-number, and the tokens that mean missing."""
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
    """Select the number of rows of every value of every column, in one scan of the table.

    `apart_0` is 0 in the rows about the column at position 0, and so on; a missing value is null there.
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
    """Select the values of all columns in one row, as one list per column, for engines that are fast at that.

    Columns in `as_text` are listed as text.
    """
    answers: list[Any] = [sql.alias_(sql.Count(this=sql.Star()), "n")]
    for position in positions:
        cell = sql.column(column(position))
        value = sql.cast(cell.copy(), "TEXT") if position in as_text else cell.copy()
        answers.append(sql.alias_(sql.Count(this=cell), f"known_{position}"))
        answers.append(sql.alias_(sql.ArrayAgg(this=sql.Distinct(expressions=[value])), f"values_{position}"))
    return select(*answers).from_(ROWS)


def spread(roughly: Collection[int], exactly: Collection[int]) -> sql.Select:
    """Select one row: the number of rows, and for each column the numbers of present and of distinct values."""
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


def texts(position: int, most: int, longest: int) -> sql.Select:
    """Select up to `most` distinct values of a column as text, each cut to its first characters."""
    cell = sql.cast(sql.column(column(position)), "TEXT")
    cut = sql.func("SUBSTRING", cell, sql.Literal.number(1), sql.Literal.number(longest))
    known = sql.not_(sql.column(column(position)).is_(sql.null()))
    return select(sql.alias_(cut, "value")).distinct().from_(ROWS).where(known).limit(most)


def unique(positions: Sequence[int], *, as_text: Collection[int] = ()) -> sql.Select:
    """Select one number: the rows that are unique on these columns."""
    cells: list[sql.Expression] = [
        sql.cast(sql.column(column(i)), "TEXT") if i in as_text else sql.column(column(i)) for i in positions
    ]
    alone = sql.EQ(this=sql.Count(this=sql.Star()), expression=sql.Literal.number(1))
    groups = select(sql.alias_(sql.Literal.number(1), "one")).from_(ROWS).group_by(*cells).having(alone)
    return select(sql.alias_(sql.Count(this=sql.Star()), "n")).from_(groups.subquery("alone"))


def groups(keys: Sequence[tuple[int, Coding]], packing: Packing, *, roughly: bool, hashed: str = "HASH") -> sql.Select:
    """Select one number: the combinations; with `roughly`, an estimate by hashes of 64 bits."""
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
    """Select the packed combinations with their counts, split by the code of `histogram` if given.

    They are in ascending order if `ordered`.
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


def persons(keys: Sequence[tuple[int, Coding]], packing: Packing, person: int) -> sql.Select:
    """Select the pairs of combination and person that a count of rows says too little about, with their rows.

    `person` is null for a person with rows in this combination alone, several of them. Pairs of one row, whose person
    has no other, are left out: there rows are people. So are rows without a person, each of which is one.
    """
    words = [_word(keys, packing, word) for word in range(packing.size)]
    names, cell, homes = _numbered(words), sql.column("person"), sql.column("homes")
    coded = _coded([*words, sql.column(column(person), ROWS)], keys, [*names, "person"])
    counted = sql.alias_(sql.Count(this=sql.Star()), "n")
    pairs = select(*names, cell, counted).from_(coded).where(sql.not_(cell.copy().is_(sql.null())))
    pairs = pairs.group_by(*names, cell.copy())
    dwelling = sql.Window(this=sql.Count(this=sql.Star()), partition_by=[cell.copy()])
    housed = select(*names, cell.copy(), "n", sql.alias_(dwelling, "homes")).from_(pairs.subquery("pairs"))
    one = sql.Literal.number(1)
    several = sql.GT(this=homes, expression=one)
    repeated = sql.GT(this=sql.column("n"), expression=one.copy())
    named = sql.alias_(sql.case().when(several, sql.cast(cell.copy(), "TEXT")), "person")
    return select(*names, named, "n").from_(housed.subquery("housed")).where(sql.or_(several.copy(), repeated))


def people(keys: Sequence[tuple[int, Coding]], packing: Packing, person: int, *, ordered: bool = True) -> sql.Select:
    """Select the packed combinations with their numbers of different people; a row without a person counts as one."""
    query, names = _people(keys, packing, person)
    return query.order_by(*reversed(names)) if ordered else query


def fewest(keys: Sequence[tuple[int, Coding]], packing: Packing, person: int) -> sql.Select:
    """Select one number: the fewest persons of any combination; a row without a person counts as one."""
    query, _ = _people(keys, packing, person)
    return select(sql.alias_(sql.Min(this=sql.column("people")), "fewest")).from_(query.subquery("classes"))


def _people(keys: Sequence[tuple[int, Coding]], packing: Packing, person: int) -> tuple[sql.Select, list[str]]:
    """Select the packed combinations with their different people; also return the names of the words."""
    words = [_word(keys, packing, word) for word in range(packing.size)]
    names = _numbered(words)
    cell = sql.column("person")
    coded = _coded([*words, sql.column(column(person), ROWS)], keys, [*names, "person"])
    named = sql.Count(this=sql.Distinct(expressions=[cell]))
    nameless = sql.Sub(this=sql.Count(this=sql.Star()), expression=sql.Count(this=cell.copy()))
    counted = sql.alias_(sql.Add(this=named, expression=nameless), "people")
    return select(*names, counted).from_(coded).group_by(*names), names


def turns(
    source: sql.Expression, keys: Sequence[tuple[int, Coding]], packing: Packing, *, numbered: bool
) -> sql.Select:
    """Select every row of `source` with its packed combination, and its number, from 1, among the rows that share it.

    The numbers follow the order of the table if its rows are numbered.
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
    """Select the expressions `columns` for every row, under `names`, with the codes of the columns in `joined`."""
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
    """True if a token is a number that engines can compare with: they reject literals of more than 38 digits."""
    return to_number(token) is not None and sum(character.isdigit() for character in token) <= 38


def _word(keys: Sequence[tuple[int, Coding]], packing: Packing, word: int) -> sql.Expression:
    """Return the sum of the fields of one word: fields do not overlap, so a sum packs them on every engine."""
    total: sql.Expression = sql.Literal.number(0)
    for (position, coding), home, shift in zip(keys, packing.words, packing.shifts, strict=True):
        if home == word:
            factor = sql.Literal.number(1 << shift)
            total = sql.Add(this=total, expression=sql.Mul(this=_code(position, coding), expression=factor))
    return sql.cast(total, "BIGINT")


def _code(position: int, coding: Coding) -> sql.Expression:
    """Return the code of a cell: null, and so detected, for a value without a code."""
    code = sql.column("code", dimension(position))
    if coding.missing is None:
        return sql.cast(code, "BIGINT")
    cell = sql.column(column(position), ROWS)
    missing = sql.case().when(cell.is_(sql.null()), sql.Literal.number(coding.missing))
    return sql.cast(sql.func("COALESCE", code, missing), "BIGINT")
