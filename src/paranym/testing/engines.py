"""Contract check of an engine: its answers are compared with a loop over the rows."""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from paranym.engines.base import Coding, Replacement, Rewriting, Table, Target
from paranym.engines.codes import number
from paranym.engines.formats import CSV, PARQUET
from paranym.engines.source import open_table
from paranym.frequency import FrequencySet
from paranym.model.values import to_text
from paranym.testing.contracts import ContractCheck, ContractFault

if TYPE_CHECKING:
    import pyarrow as pa


class Load(Protocol):
    """Put an Arrow table into the engine and open it, perhaps to write a `target`."""

    def __call__(self, table: "pa.Table", /, *, target: Target | None = None) -> Table: ...


_Row = tuple[object, ...]

_NAMES = ("age", "odd 'näme", "illness", "person")
_ROWS: tuple[_Row, ...] = (
    (31, "F", "flu", "a"),
    (31, "F", "cold", "a"),
    (38, "M", "flu", "b"),
    (38, "M", "flu", None),
    (38, None, "NULL", None),
    (None, "ü'\\", "cold", "c"),
    (52, "=1+1", None, "d"),
    (52, "M", "flu", "e"),
)
_CHANGED = (*_ROWS[:-1], (52, "M", "flu", "f"))


def check_engine(load: Load, *, writes: bool = True) -> ContractCheck:
    """Check an engine on a small table of awkward values; `load` puts an Arrow table into the engine and opens it.

    Profiles, counts and rewritten rows are compared with a loop over the rows. `writes=False` skips the requirements of
    a release, for an engine that serves searches and audits only.

    >>> from paranym.engines.source import open_table
    >>> check_engine(open_table).holds
    True
    """
    faults: list[ContractFault] = []
    tried = 0
    for rule, check in _CHECKS.items():
        tried += 1
        faults += _tried(rule, check, load)
    if writes:
        tried += 1
        faults += _tried("write", _writes, load)
    return ContractCheck(tried, tuple(faults))


def _tried(rule: str, check: Callable[[Load], Iterator[str]], load: Load) -> list[ContractFault]:
    """Return the violations of one rule; an exception of the engine counts as one."""
    try:
        return [ContractFault(rule, why) for why in check(load)]
    except Exception as error:  # noqa: BLE001 - the code of others may raise anything
        return [ContractFault(rule, f"it raises {type(error).__name__}: {error}")]


def _arrow(rows: tuple[_Row, ...]) -> "pa.Table":
    import pyarrow as pa  # noqa: PLC0415 - an engine need not have it loaded

    columns = zip(_NAMES, zip(*rows, strict=True), strict=True)
    return pa.table({name: pa.array(list(values)) for name, values in columns})


def _columns(load: Load) -> Iterator[str]:
    with load(_arrow(_ROWS)) as table:
        if tuple(table.columns) != _NAMES:
            yield f"the columns are {', '.join(_NAMES)}; it has {', '.join(table.columns)}"
        if not table.name:
            yield "messages need a name to call the table by"


def _profile(load: Load) -> Iterator[str]:
    with load(_arrow(_ROWS)) as table:
        profile = table.profile(_NAMES)
    if profile.rows != len(_ROWS):
        yield f"the table has {len(_ROWS)} rows; it counts {profile.rows}"
    for place, column in enumerate(profile.columns):
        values = [row[place] for row in _ROWS]
        known = {to_text(value) for value in values if value is not None}
        if column.missing != values.count(None):
            yield f"{column.name}: {values.count(None)} values are missing; it counts {column.missing}"
        if len(column.values) != len(known) or {to_text(value) for value in column.values} != known:
            yield f"{column.name}: it lists {len(column.values)} values of {len(known)}, or other ones"


def _spread(load: Load) -> Iterator[str]:
    with load(_arrow(_ROWS)) as table:
        found = table.spread(_NAMES, exactly=_NAMES)
    for place, spread in enumerate(found):
        values = [row[place] for row in _ROWS]
        expected = len(set(values) - {None}), values.count(None)
        if (spread.different, spread.missing) != expected:
            yield f"{spread.name}: {expected} different and missing; it counts {spread.different, spread.missing}"


def _count(load: Load) -> Iterator[str]:
    with load(_arrow(_ROWS)) as table:
        age, name, illness, _ = _codings(table)
        found = table.count([age, name], [illness])
        yield from _compare(found, (age, name), illness)
        yield from _compare_people(table, (age,), _NAMES[1])


def _compare_people(table: Table, keys: tuple[Coding, ...], person: str) -> Iterator[str]:
    """Count the values of a column in every combination, as if they were people."""
    who, places = _NAMES.index(person), [_NAMES.index(key.column.name) for key in keys]
    homes: dict[tuple[int | None, ...], list[object]] = {}
    for row in _ROWS:
        home = tuple(_code(key, row[at]) for key, at in zip(keys, places, strict=True))
        homes.setdefault(home, []).append(row[who])
    expected = {home: len(set(all_) - {None}) + all_.count(None) for home, all_ in homes.items()}
    found = table.count(keys, [], person)
    codes: list[tuple[int | None, ...]] = list(map(tuple, found.codes.tolist()))
    if dict(zip(codes, found.sizes.tolist(), strict=True)) != expected:
        yield "the people of a combination are counted otherwise"
    values = [row[who] for row in _ROWS]
    if found.people != len(set(values) - {None}) + values.count(None):
        yield f"it finds {found.people} people in the table"
    words, people = table.people(keys, person)
    if words.tolist() != found.words.tolist() or people.tolist() != [expected[each] for each in codes]:
        yield "the distinct people of a combination are counted otherwise"


def _parts(load: Load) -> Iterator[str]:
    with load(_arrow(_ROWS)) as table:
        age, name, illness, _ = _codings(table)
        parts = list(table.parts([age, name], illness))
        if any(not len(part) for part in parts):
            yield "a part is empty"
        seen = [tuple(word) for part in parts for word in part.words.tolist()]
        if len(seen) != len(set(seen)):
            yield "a combination is in two parts"
        if sum(part.rows for part in parts) != len(_ROWS):
            yield f"all parts together have {sum(part.rows for part in parts)} rows of {len(_ROWS)}"


def _compare(found: FrequencySet, keys: tuple[Coding, ...], histogram: Coding) -> Iterator[str]:
    places = [_NAMES.index(key.column.name) for key in keys]
    expected = Counter(tuple(_code(key, row[at]) for key, at in zip(keys, places, strict=True)) for row in _ROWS)
    counted = dict(zip(map(tuple, found.codes.tolist()), found.counts.tolist(), strict=True))
    if counted != dict(expected):
        yield f"{len(expected)} combinations of {len(_ROWS)} rows are counted otherwise"
        return
    of = _NAMES.index(histogram.column.name)
    dense = found.histogram.dense(histogram.column.name, len(found))
    for codes, amounts in zip(map(tuple, found.codes.tolist()), dense.tolist(), strict=True):
        rows = [row for row in _ROWS if tuple(_code(k, row[at]) for k, at in zip(keys, places, strict=True)) == codes]
        own = Counter(_code(histogram, row[of]) for row in rows)
        if {code: amount for code, amount in enumerate(amounts) if amount} != dict(own):
            yield "the histogram of a combination is another one"


def _groups(load: Load) -> Iterator[str]:
    with load(_arrow(_ROWS)) as table:
        age, name, _, _ = _codings(table)
        found = table.groups([age, name])
    expected = len({row[:2] for row in _ROWS})
    if abs(found - expected) > 1:
        yield f"there are {expected} combinations; it estimates {found}"


def _unique(load: Load) -> Iterator[str]:
    with load(_arrow(_ROWS)) as table:
        for names in (("age",), ("age", "odd 'näme"), _NAMES):
            at = [_NAMES.index(name) for name in names]
            counts = Counter(tuple(row[place] for place in at) for row in _ROWS)
            expected = sum(amount == 1 for amount in counts.values())
            if table.unique(names) != expected:
                yield f"{expected} rows are unique on {', '.join(names)}; it counts {table.unique(names)}"


def _fewest(load: Load) -> Iterator[str]:
    with load(_arrow(_ROWS)) as table:
        keys = [number(column) for column in table.profile(["age"]).columns]
        if table.fewest(keys, "person") != 1:
            yield f"some age has one person; it counts at least {table.fewest(keys, 'person')}"
        if table.fewest([], "person") != 7:
            yield f"a row without a person is one of its own: 7 in all; it counts {table.fewest([], 'person')}"


def _texts(load: Load) -> Iterator[str]:
    with load(_arrow(_ROWS)) as table:
        if set(table.texts("illness", 10)) != {"flu", "cold", "NULL"}:
            yield "it must return the different values as text, without missing ones"
        if len(table.texts("illness", 2)) != 2:
            yield "it must return no more values than asked for"
        if [len(column.values) for column in table.listed("age")] != [3]:
            yield "listed: it must return the column with its values"


def _digest(load: Load) -> Iterator[str]:
    digests = []
    for rows in (_ROWS, _ROWS, _CHANGED):
        with load(_arrow(rows)) as table:
            digests.append(table.digest())
    if digests[0] != digests[1]:
        yield "the same table has two digests"
    if digests[0] == digests[2]:
        yield "a table with another cell has the same digest"


def _applied(load: Load) -> Iterator[str]:
    with load(_arrow(_ROWS)) as table:
        rewriting = _rewriting(table)
        found = table.apply(rewriting)
    expected = ["30-39"] * 5 + [None, "40-59", "40-59"]
    if [to_text(value) for value in found.column("p0").to_pylist()] != expected:
        yield "labels are not put in place row by row"
    if any(found.column("suppressed").to_pylist()):
        yield "rows are suppressed that no rewriting names"


def _writes(load: Load) -> Iterator[str]:
    expected = Counter((to_text(row[1]), to_text(row[2])) for row in _ROWS)
    for format_ in (CSV, PARQUET):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"out.{format_.name}"
            target = Target(path, format_)
            with load(_arrow(_ROWS), target=target) as table:
                table.write(_rewriting(table), target)
            with open_table(path) as written:
                if written.columns != _NAMES[:3]:
                    yield f"{format_.name}: it writes the columns {', '.join(written.columns)}"
                    continue
                ages = number(written.profile(["age"]).columns[0])
                pairs = [number(column) for column in written.profile(_NAMES[1:3]).columns]
                found, labels = written.count(pairs, []), written.count([ages], [])
            if sorted(found.counts.tolist()) != sorted(expected.values()):
                yield f"{format_.name}: kept columns are not written as they are"
            if sorted(labels.counts.tolist()) != [1, 2, 5]:
                yield f"{format_.name}: labels are not written as the rewriting says"


def _rewriting(table: Table) -> Rewriting:
    """Return a rewriting with ages in two ranges, without the column that names a person."""
    age = _codings(table)[0]
    labels: tuple[str | None, ...] = ("30-39", "40-59", None)
    codes = [0 if int(str(value)) < 40 else 1 for value in age.column.values]
    coding = Coding(age.column, np.array(codes, np.int32), 2, 3)
    return Rewriting(replaced=(Replacement(coding, labels),), dropped=("person",))


def _codings(table: Table) -> list[Coding]:
    return [number(column) for column in table.profile(_NAMES).columns]


def _code(coding: Coding, value: object) -> int | None:
    if value is None:
        return coding.missing
    texts = [to_text(each) for each in coding.column.values]
    return int(coding.codes[texts.index(to_text(value))])


_CHECKS: dict[str, Callable[[Load], Iterator[str]]] = {
    "columns": _columns,
    "profile": _profile,
    "spread": _spread,
    "count": _count,
    "parts": _parts,
    "groups": _groups,
    "unique": _unique,
    "fewest": _fewest,
    "texts": _texts,
    "digest": _digest,
    "apply": _applied,
}
