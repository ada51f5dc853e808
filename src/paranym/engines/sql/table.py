"""The common part of all SQL engines: queries as trees, tables of codes and labels, results as Arrow."""

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from types import TracebackType
from typing import Self

import numpy as np
import pyarrow as pa
import sqlglot.expressions as sql
from numpy.typing import NDArray

from paranym.engines.base import Coding, Column, Gathering, LabelKind, Profile, Replacement, Rewriting, Spread, Target
from paranym.engines.sql import queries
from paranym.engines.sql.rewriting import SUPPRESSED, Published, formulas, in_order, labels_of
from paranym.errors import BadInput, UnreadableSource
from paranym.frequency import FrequencySet, Histogram
from paranym.model.packing import Packing

Ints = NDArray[np.int64]

PART = 2**21
"""Number of counts that are transferred at a time: some hundred megabytes with all that is computed from them."""
_LONGEST = 400
"""Number of characters of a text that are read to recognize its kind."""
_AT_ONCE = 200
"""Columns per query; with a thousand per query, the same columns take five times as long."""
_NEAR = 0.4
"""Above this share of the rows, distinct values are counted exactly: estimates are a few percent off."""


class SqlTable(ABC):
    """A table opened in an SQL engine. A subclass defines how to run a query, and how to hold a table of codes."""

    name: str
    columns: tuple[str, ...]
    peculiarity = ""
    _kinds: tuple[str, ...]
    """The types of the columns, in the engine's names."""
    _types: tuple[str, ...]
    """The types that their values are read as."""
    _families: tuple[str | None, ...]
    _numbered = False
    """True if the rows have a known order."""
    _positions: dict[str, int] | None = None
    _sorts = True
    """True if the engine sorts counts; otherwise they are sorted here."""

    def _position(self, name: str) -> int:
        """Return the position of a column; by a dictionary, since a table may have thousands."""
        if self._positions is None:
            self._positions = {each: place for place, each in enumerate(self.columns)}
        return self._positions[name]

    def materialize(self, names: Sequence[str]) -> None:  # noqa: B027 - not every engine needs a copy
        """Do nothing: the server or the cluster holds the table itself."""

    def pass_over(self, values: Mapping[str, str | None]) -> None:
        """Ignore from now on the rows that have all of these values, in every column that is named."""
        self._show({self._position(name): value for name, value in values.items()})

    @abstractmethod
    def _show(self, without: Mapping[int, str | None]) -> None:
        """Define the rows that questions are about: all but those that have these values, by position."""

    def profile(self, names: Sequence[str]) -> Profile:
        """Count the rows, and list the distinct values of some columns."""
        positions = [self._position(name) for name in names]
        for name, position in zip(names, positions, strict=True):
            if self._families[position] is None:
                raise BadInput(
                    f"Column {name!r} has type {self._types[position]}; "
                    "a quasi-identifier, sensitive attribute or label holds text, numbers, dates or truth values."
                )
        rows, listed = self._listed(positions)
        columns = []
        for name, position in zip(names, positions, strict=True):
            known, answer = listed[position]
            values = self._values(name, position, answer)
            columns.append(Column(name, tuple(sorted(values, key=str)), rows - known))
        return Profile(rows, tuple(columns))

    def spread(self, names: Sequence[str], *, exactly: Sequence[str] = ()) -> tuple[Spread, ...]:
        """Count the distinct values of some columns without listing them; exactly for the columns in `exactly`."""
        positions = {name: self._position(name) for name in names}
        surely = {positions[name] for name in exactly}
        found = self._spread_in_parts([i for i in positions.values() if i not in surely], surely)
        rows, guessed = found["n"], set(positions.values()) - set(surely)
        near = {i for i in guessed if found[f"different_{i}"] > _NEAR * rows}
        found |= self._spread_in_parts((), near) if near else {}
        return tuple(Spread(name, found[f"different_{i}"], rows - found[f"known_{i}"]) for name, i in positions.items())

    def listed(self, name: str) -> tuple[Column, ...]:
        """Return a column with its values; nothing if their type cannot be compared, such as lists."""
        return self.profile([name]).columns if self._families[self.columns.index(name)] is not None else ()

    def texts(self, name: str, most: int) -> tuple[str, ...]:
        """Return up to `most` distinct values of a column as text, each cut to its first characters."""
        answer = self._ask(queries.texts(self.columns.index(name), most, _LONGEST))
        return tuple(answer.column("value").to_pylist())

    def unique(self, names: Sequence[str]) -> int:
        """Return the number of rows that are unique on these columns."""
        positions = [self.columns.index(name) for name in names]
        odd = [position for position in positions if self._families[position] is None]
        return int(self._ask(queries.unique(positions, as_text=odd)).column("n")[0].as_py())

    def groups(self, keys: Sequence[Coding]) -> int:
        """Estimate the number of combinations of codes, within a few percent."""
        packing = Packing.of(tuple(coding.size for coding in keys))
        placed = [(self._place(coding), coding) for coding in keys]
        return int(self._ask(self._groups(placed, packing)).column("groups")[0].as_py())

    def count(self, keys: Sequence[Coding], histograms: Sequence[Coding], person: str | None = None) -> FrequencySet:
        """Count the combinations of codes of `keys`, with a histogram of each of `histograms`, and people by a key."""
        packing = Packing.of(tuple(coding.size for coding in keys))
        placed = [(self._place(coding), coding) for coding in keys]
        words, (counts,) = self._count(queries.count(placed, packing, None, ordered=self._sorts), packing)
        histogram = self._count_histograms(placed, packing, histograms)
        if person is not None:
            found = self._ask(queries.persons(placed, packing, self._person(person)))
            histogram = _with_people(histogram, words, found)
        return FrequencySet((0,) * len(keys), packing, words, counts, histogram)

    def people(self, keys: Sequence[Coding], person: str) -> tuple[Ints, Ints]:
        """Return the packed combinations, in ascending order, and how many different people each has."""
        packing = Packing.of(tuple(coding.size for coding in keys))
        placed = [(self._place(coding), coding) for coding in keys]
        query = queries.people(placed, packing, self._person(person), ordered=self._sorts)
        words, (people,) = self._count(query, packing)
        return words, people

    def parts(self, keys: Sequence[Coding], histogram: Coding | None) -> Iterator[FrequencySet]:
        """Count part by part, for combinations that may not fit in memory together: each is complete in one part."""
        packing = Packing.of(tuple(coding.size for coding in keys))
        placed = [(self._place(coding), coding) for coding in keys]
        split = None if histogram is None else (self._place(histogram), histogram)
        for answer in self._in_parts(queries.count(placed, packing, split, ordered=self._sorts), packing.size):
            words, columns = self._numbers(answer, packing)
            if histogram is None:
                yield FrequencySet((0,) * len(keys), packing, words, columns[0])
            else:
                yield _split(words, packing, histogram, *columns)

    def fewest(self, keys: Sequence[Coding], person: str) -> int:
        """Return the smallest number of distinct persons of a combination; a row without a value counts as one."""
        packing = Packing.of(tuple(coding.size for coding in keys))
        placed = [(self._place(coding), coding) for coding in keys]
        answer = self._ask(queries.fewest(placed, packing, self._person(person)))
        return int(answer.column("fewest")[0].as_py())

    def _person(self, name: str) -> int:
        """Return the position of the column that identifies people."""
        position = self._position(name)
        if self._families[position] is None:
            raise BadInput(
                f"Column {name!r} has type {self._types[position]}; "
                "a person key holds text, numbers, dates or truth values."
            )
        return position

    def apply(self, rewriting: Rewriting) -> pa.Table:
        """Return the labels of the replaced columns, row by row in the order of the table, and the suppressed rows."""
        columns = self._published(rewriting, [each.coding.column.name for each in rewriting.replaced])
        return self._ask(in_order(columns, rewriting, numbered=self._numbered))

    @abstractmethod
    def write(self, rewriting: Rewriting, target: Target) -> None:
        """Write the published rows in random order; the table may be larger than memory."""

    def formulas(self, rewriting: Rewriting, *, bare: bool = False) -> int:
        """Count published cells that a spreadsheet would run as formulas; with `bare`, only those without a quote."""
        names = [name for name in self.columns if name not in rewriting.dropped]
        answer = self._ask(formulas(self._published(rewriting, names), rewriting, bare=bare))
        return int(answer.column("formulas")[0].as_py())

    @abstractmethod
    def digest(self) -> bytes:
        """Return a hash of the names, types and cells."""

    @abstractmethod
    def close(self) -> None:
        """Release files and memory."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def _ask(self, query: sql.Expression) -> pa.Table:
        """Return the complete result of a query."""

    @abstractmethod
    def _batches(self, query: sql.Expression) -> Iterator[pa.RecordBatch]:
        """Return the result in batches, as they arrive."""

    @abstractmethod
    def _hold(self, name: str, table: pa.Table, casts: Mapping[str, str]) -> None:
        """Register a small table under a name; the engine itself casts text to the types of `casts`."""

    def _listed(self, positions: Sequence[int]) -> tuple[int, dict[int, tuple[int, pa.Array]]]:
        """Return the number of rows; and for each column the number of rows with a value, and the values."""
        answer = self._ask(queries.profile(positions))
        rows = answer.column("n").to_numpy()
        if not positions:
            return int(rows.sum()), {}
        found: dict[int, tuple[int, pa.Array]] = {}
        for position in positions:
            mine = answer.column(f"apart_{position}").to_numpy() == 0
            values = answer.column(f"value_{position}").combine_chunks()
            known = mine & values.is_valid().to_numpy(zero_copy_only=False)
            found[position] = int(rows[known].sum()), values.filter(pa.array(known))
        return int(rows[mine].sum()), found

    def _values(self, name: str, position: int, answer: pa.Array) -> list[object]:
        """Return the values of a column, in the form in which they are compared with leaves."""
        try:
            values: list[object] = answer.to_pylist()
        except (OverflowError, ValueError) as error:
            raise BadInput(f"Column {name!r} has dates outside the years 1 to 9999.") from error
        if pa.types.is_float32(answer.type):  # in the digits of single precision: 0.1, not 0.10000000149011612
            return [float(str(np.float32(value))) for value in answer.to_numpy()]
        return values

    def _spread_in_parts(self, roughly: Collection[int], exactly: Collection[int]) -> dict[str, int]:
        """Count distinct values of any number of columns: the time to plan a query grows with the square of it."""
        columns = [*((i, False) for i in roughly), *((i, True) for i in exactly)]
        found: dict[str, int] = {}
        for begin in range(0, max(len(columns), 1), _AT_ONCE):
            part = columns[begin : begin + _AT_ONCE]
            found |= self._spread([i for i, surely in part if not surely], {i for i, surely in part if surely})
        return found

    def _spread(self, roughly: Collection[int], exactly: Collection[int]) -> dict[str, int]:
        [answer] = self._ask(queries.spread(roughly, exactly)).to_pylist()
        return dict(answer)

    def _groups(self, keys: Sequence[tuple[int, Coding]], packing: Packing) -> sql.Select:
        return queries.groups(keys, packing, roughly=True)

    def _place(self, coding: Coding) -> int:
        """Create the table of a column's values and codes, and return the position of the column."""
        position = self._position(coding.column.name)
        # written as text and cast by the engine: its types are richer than those that Arrow keeps in a round trip
        texts = pa.array([_written(value) for value in coding.column.values], pa.string())
        new = pa.table({"value": texts, "code": pa.array(coding.codes)})
        self._hold(queries.dimension(position), new, {"value": self._types[position]})
        return position

    def _published(self, rewriting: Rewriting, names: Sequence[str], target: Target | None = None) -> list[Published]:
        """Return how each of the named columns is published, after creating the tables that this needs."""
        if rewriting.gathering is None:
            self._place_suppressed(rewriting)
        else:
            self._place_gathering(rewriting, rewriting.gathering)
        numbers = {each.coding.column.name: number for number, each in enumerate(rewriting.replaced)}
        columns = []
        for name in names:
            position, number = self._position(name), numbers.get(name)
            if number is None:
                columns.append(self._untouched(position, target))
            elif rewriting.gathering is None:
                columns.append(self._labelled(position, rewriting.replaced[number], target))
            else:
                kind = rewriting.gathering.kinds[number]
                columns.append(self._gathered(position, rewriting.replaced[number], number, kind, target))
        return columns

    def _untouched(self, position: int, target: Target | None) -> Published:
        cast = self._cast(position, target, replaced=False, keeps=False)
        return Published(position, cast=cast, is_text=self._families[position] in ("text", None))

    def _labelled(self, position: int, replacement: Replacement, target: Target | None) -> Published:
        """Return a column whose values become labels, each by itself."""
        self._place_labels(replacement)
        keeps = replacement.keeps and _is_typed(target) and self._families[position] != "text"
        cast = self._cast(position, target, replaced=True, keeps=keeps)
        return Published(position, replacement, keeps, cast, is_text=not keeps)

    def _gathered(
        self, position: int, replacement: Replacement, number: int, kind: LabelKind, target: Target | None
    ) -> Published:
        """Return a column whose rows get the labels of their groups."""
        if not _is_typed(target) or self._families[position] == "text":
            kind = "text"
        cast = {"text": "TEXT", "number": "DOUBLE", "value": self._types[position]}[kind]
        return Published(position, replacement, cast=cast, is_text=kind == "text", gathered=number)

    def _place_gathering(self, rewriting: Rewriting, gathering: Gathering) -> None:
        """Create the table of the groups of a local recoding."""
        raise BadInput(
            "A local recoding can be released from files and data frames only. "
            "Write the table to a Parquet file first, or use a recoding by levels."
        )

    def _cast(self, position: int, target: Target | None, *, replaced: bool, keeps: bool) -> str | None:
        """Return the type that a column is published as, if it is not its own."""
        return "TEXT" if replaced and not keeps else None

    def _place_labels(self, replacement: Replacement) -> None:
        """Create the table of a column's values, codes and labels."""
        coding = replacement.coding
        position = self._position(coding.column.name)
        values: list[str | None] = [_written(value) for value in coding.column.values]
        codes = coding.codes.tolist()
        if coding.missing is not None:
            values, codes = [*values, None], [*codes, coding.missing]
        shown = pa.array([replacement.labels[code] for code in codes], pa.string())
        new = pa.table({"value": pa.array(values, pa.string()), "code": pa.array(codes, pa.int32()), "label": shown})
        self._hold(labels_of(position), new, {"value": self._types[position]})

    def _place_suppressed(self, rewriting: Rewriting) -> None:
        words = rewriting.suppressed
        columns = {f"w{word}": pa.array(words[:, word], pa.int64()) for word in range(words.shape[1])}
        self._hold(SUPPRESSED, pa.table(columns), {})

    def _count_histograms(
        self, keys: list[tuple[int, Coding]], packing: Packing, histograms: Sequence[Coding]
    ) -> Histogram:
        blocks, owners, columns, amounts, width = {}, [], [], [], 0
        for coding in histograms:
            query = queries.count(keys, packing, (self._place(coding), coding), ordered=self._sorts)
            words, (codes, counts) = self._count(query, packing)
            new_owner = np.any(np.diff(words, axis=0) != 0, axis=1)
            owners.append(np.concatenate([[0], np.cumsum(new_owner)]).astype(np.int32))
            columns.append((codes + width).astype(np.int32))
            amounts.append(counts)
            blocks[coding.column.name] = range(width, width + coding.size)
            width += coding.size
        if not blocks:
            return Histogram()
        return Histogram(blocks, np.concatenate(owners), np.concatenate(columns), np.concatenate(amounts))

    def _count(self, query: sql.Select, packing: Packing) -> tuple[Ints, list[Ints]]:
        """Return the packed words of a result, and the columns after them."""
        return self._numbers(self._ask(query), packing)

    def _numbers(self, answer: pa.Table, packing: Packing) -> tuple[Ints, list[Ints]]:
        if any(column.null_count for column in answer.columns):
            raise UnreadableSource(self.name, "it changed while it was read. Run again.")
        columns = [column.to_numpy().astype(np.int64, copy=False) for column in answer.columns]
        if not self._sorts:
            keys = [*columns[packing.size : -1], *columns[: packing.size]]
            order = np.lexsort(keys)
            columns = [column[order] for column in columns]
        words = np.column_stack(columns[: packing.size]) if packing.size > 1 else columns[0].reshape(-1, 1)
        return words, columns[packing.size :]

    def _in_parts(self, query: sql.Select, words: int) -> Iterator[pa.Table]:
        """Return the result in parts that end where the words change."""
        waiting: list[pa.RecordBatch] = []
        for batch in self._batches(query):
            waiting.append(batch)
            if sum(map(len, waiting)) >= PART:
                part = pa.Table.from_batches(waiting)
                end = _last_change(part, words)
                if end:
                    yield part.slice(0, end)
                waiting = part.slice(end).to_batches()
        if sum(map(len, waiting)):
            yield pa.Table.from_batches(waiting)


def family_of(kind: str, families: Mapping[str, tuple[str, ...]]) -> str | None:
    """Return text, number, real or other; None if values cannot be compared with labels."""
    if kind.endswith("]"):
        return None
    return next((family for family, kinds in families.items() if kind.startswith(kinds)), None)


def cells(
    kinds: Sequence[str],
    families: Sequence[str | None],
    missing: Sequence[str],
    read_as: Callable[[str], str | None],
) -> list[sql.Expression]:
    """Return the columns of a table as they are read, with null for missing values."""
    return [
        queries.cell(i, family, missing, read_as(kind)) if family else sql.column(queries.column(i))
        for i, (kind, family) in enumerate(zip(kinds, families, strict=True))
    ]


def _is_typed(target: Target | None) -> bool:
    return target is None or not target.format.is_text


def _written(value: object) -> str:
    """Return a value as text that an engine can read."""
    return format(value, "f") if isinstance(value, Decimal) and value.is_finite() else str(value)


def _last_change(part: pa.Table, words: int) -> int:
    """Return where the last combination of a part begins; it may continue in the next part."""
    changed = np.zeros(len(part), np.bool_)
    for column in part.columns[:words]:
        numbers = column.to_numpy()
        changed |= numbers != numbers[-1]
    return int(np.flatnonzero(changed)[-1]) + 1 if changed.any() else 0


def _split(words: Ints, packing: Packing, histogram: Coding, codes: Ints, counts: Ints) -> FrequencySet:
    """Return combinations that are split by a further code as a frequency set with its histogram."""
    first = np.concatenate([[True], np.any(np.diff(words, axis=0) != 0, axis=1)])
    owners = (np.cumsum(first) - 1).astype(np.int32)
    starts = np.flatnonzero(first)
    entries = Histogram({histogram.column.name: range(histogram.size)}, owners, codes.astype(np.int32), counts)
    return FrequencySet((0,) * len(packing.widths), packing, words[starts], np.add.reduceat(counts, starts), entries)


def _with_people(histogram: Histogram, words: Ints, found: pa.Table) -> Histogram:
    """Return the histogram with further columns about people, from the answer to `queries.persons`."""
    size, first = words.shape[1], histogram.width
    pairs = np.column_stack([column.to_numpy().astype(np.int64) for column in found.columns[:size]])
    owners = _places_in(words, pairs.reshape(-1, size))
    rows = found.column("n").to_numpy().astype(np.int64)
    # as integers at once: who a person is leaves the engine, but is kept nowhere
    coded = found.column("person").combine_chunks().dictionary_encode()
    several = coded.indices.is_valid().to_numpy(zero_copy_only=False)
    people = coded.indices.fill_null(0).to_numpy(zero_copy_only=False)[several].astype(np.int64) + first + 1
    repeats = np.bincount(owners, weights=np.where(several, rows, rows - 1), minlength=len(words)).astype(np.int64)
    repeated, together = np.flatnonzero(repeats), np.argsort(people, kind="stable")
    return Histogram(
        histogram.blocks,
        np.concatenate([owners[several][together], repeated, histogram.owners]).astype(np.int32),
        np.concatenate([people[together], np.full(len(repeated), first), histogram.columns]).astype(np.int32),
        np.concatenate([np.ones(len(people), np.int64), repeats[repeated], histogram.amounts]),
        range(first, first + 1 + len(coded.dictionary)),
    )


def _places_in(words: Ints, others: Ints) -> Ints:
    """Return where each of the `others` stands among `words`, which ascend and contain them."""
    order = np.lexsort(np.concatenate([words, others]).T)  # stable: a combination comes before what equals it
    places = np.empty(len(order), np.int64)
    places[order] = np.cumsum(order < len(words)) - 1
    return places[len(words) :]


def hash_of(names: Sequence[str], batches: Iterable[pa.RecordBatch]) -> str:
    """Return a hash of names and of the hashes of rows, which come in ascending order."""
    found = hashlib.sha256(repr(tuple(names)).encode())
    for batch in batches:
        found.update("".join(batch.column(0).to_pylist()).encode())
    return found.hexdigest()
