"""The frequency set: distinct combinations of codes with their counts, and rolling it up to a higher node."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from paranym.kernels.attribute_parts import Parts
from paranym.kernels.grouping import slot_bits
from paranym.kernels.packing import Lifts
from paranym.kernels.rollup import NOBODY, Counted, Scratch, count_people, roll
from paranym.model.hierarchy import Hierarchy
from paranym.model.packing import Packing

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

_COMBINED = 4
"""Parts have at least this many times fewer combinations than the set."""


@dataclass(frozen=True, slots=True, eq=False)
class Histogram:
    """Histograms of further attributes within each combination: one sparse matrix, attributes side by side."""

    blocks: Mapping[str, range] = field(default_factory=dict)
    """The columns that belong to each attribute."""
    owners: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    """The combination of every entry."""
    columns: Codes = field(default_factory=lambda: np.empty(0, np.int32))
    amounts: Ints = field(default_factory=lambda: np.empty(0, np.int64))
    persons: range | None = None
    """The last columns, if people are counted: the first has the rows that add nobody to the people of a combination,
    each of the others stands for a person with rows in several combinations."""

    def __post_init__(self) -> None:
        _freeze(self.owners, self.columns, self.amounts)

    def __reduce__(self) -> tuple[type["Histogram"], tuple[object, ...]]:
        """Pickle so that the arrays are read-only again: kernels are compiled for that type."""
        return Histogram, (self.blocks, self.owners, self.columns, self.amounts, self.persons)

    @property
    def width(self) -> int:
        """Columns in all."""
        if self.persons is not None:
            return self.persons.stop
        return max((block.stop for block in self.blocks.values()), default=0)

    @property
    def nobody(self) -> int:
        """The first column about people, or `NOBODY` if rows alone are counted."""
        return NOBODY if self.persons is None else self.persons.start

    def over(self, owners: Codes, columns: Codes, amounts: Ints) -> "Histogram":
        """Return a histogram of the same attributes and people with other entries."""
        return Histogram(self.blocks, owners, columns, amounts, self.persons)

    def dense(self, attribute: str, combinations: int) -> Ints:
        """(combinations, values) counts of one attribute."""
        block = self.blocks[attribute]
        mine = (self.columns >= block.start) & (self.columns < block.stop)
        counts = np.zeros((combinations, len(block)), np.int64)
        np.add.at(counts, (self.owners[mine], self.columns[mine] - block.start), self.amounts[mine])
        return counts


@dataclass(frozen=True, slots=True, eq=False)
class FrequencySet:
    """Distinct combinations of the quasi-identifiers' codes at one node, with their numbers of rows."""

    levels: tuple[int, ...]
    """The node whose codes are counted."""
    packing: Packing
    words: Ints
    """(combinations, words): packed codes, in ascending order."""
    counts: Ints
    histogram: Histogram = field(default_factory=Histogram)

    def __post_init__(self) -> None:
        _freeze(self.words, self.counts)

    def __reduce__(self) -> tuple[type["FrequencySet"], tuple[object, ...]]:
        """Pickle so that the arrays are read-only again: kernels are compiled for that type."""
        return FrequencySet, (self.levels, self.packing, self.words, self.counts, self.histogram)

    @classmethod
    def build(
        cls, levels: Sequence[int], packing: Packing, words: Ints, counts: Ints, histogram: Histogram | None = None
    ) -> "FrequencySet":
        """The frequency set of combinations that come in any order."""
        order = np.lexsort(words.T)
        histogram = Histogram() if histogram is None else histogram
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        owners = rank[histogram.owners]
        entries = _in_order(owners, histogram)
        ordered = histogram.over(owners[entries], histogram.columns[entries], histogram.amounts[entries])
        return cls(tuple(levels), packing, words[order], counts[order], ordered)

    @property
    def rows(self) -> int:
        """N."""
        return int(self.counts.sum())

    @property
    def counts_people(self) -> bool:
        """Whether people are counted besides rows."""
        return self.histogram.persons is not None

    @property
    def people(self) -> int:
        """All different people; all rows if people are not counted."""
        if not self.counts_people:
            return self.rows
        columns, nobody = self.histogram.columns, self.histogram.nobody
        return (
            self.rows - int(self.histogram.amounts[columns == nobody].sum()) + len(np.unique(columns[columns > nobody]))
        )

    @property
    def sizes(self) -> Ints:
        """Per combination, what k counts: different people, or rows if people are not counted."""
        if not self.counts_people:
            return self.counts
        sizes = np.empty(len(self), np.int64)
        count_people(self.counted, len(self), len(self.histogram.amounts), self.histogram.nobody, sizes)
        return sizes

    @property
    def codes(self) -> Ints:
        """(combinations, attributes): the codes, unpacked."""
        return np.column_stack([self.packing.unpack(self.words, j) for j in range(len(self.levels))])

    @property
    def counted(self) -> Counted:
        """The frequency set as plain arrays, for kernels."""
        return Counted(
            self.words.reshape(-1), self.counts, self.histogram.owners, self.histogram.columns, self.histogram.amounts
        )

    def marginal(self, attribute: int, values: int) -> Ints:
        """Rows per code of one attribute."""
        codes = self.packing.unpack(self.words, attribute)
        return np.bincount(codes, weights=self.counts, minlength=values).astype(np.int64)

    def __len__(self) -> int:
        return len(self.counts)

    def __repr__(self) -> str:
        return f"FrequencySet({len(self):,} combinations of {self.rows:,} rows at {self.levels})"


def rollup(frequency: FrequencySet, lifts: Lifts, levels: Sequence[int]) -> FrequencySet:
    """The frequency set of a node at or above that of `frequency`, from its counts alone."""
    source, words = frequency.counted, frequency.packing.size
    scratch = new_scratch(source, words, frequency.histogram.nobody)
    classes, entries = roll(
        source,
        np.array(frequency.levels, np.int64),
        np.array(levels, np.int64),
        words,
        frequency.histogram.width,
        frequency.packing.fields,
        lifts,
        scratch,
    )
    rolled = scratch.rolled
    return FrequencySet.build(
        levels,
        frequency.packing,
        rolled.words[: classes * words].reshape(classes, words).copy(),
        rolled.counts[:classes].copy(),
        frequency.histogram.over(
            rolled.owners[:entries].copy(), rolled.columns[:entries].copy(), rolled.amounts[:entries].copy()
        ),
    )


def split_into_parts(frequency: FrequencySet) -> Parts:
    """Split combinations into parts: attributes are joined while few combinations of them can occur."""
    codes = frequency.codes
    parts = [([j], codes[:, j], int(codes[:, j].max()) + 1) for j in range(codes.shape[1])]
    while len(parts) > 1:
        parts.sort(key=lambda part: part[2])
        (some, places, size), (others, other_places, other_size), *rest = parts
        if size * other_size > len(frequency) // _COMBINED:
            break
        places, size = _numbered(places * other_size + other_places, size * other_size)
        parts = [(some + others, places, size), *rest]
    first, words, rows = [0], [], []
    belongs = np.zeros((len(parts), codes.shape[1]), np.int64)
    for p, (attributes, found, most) in enumerate(parts):
        places, size = _numbered(found, most)
        belongs[p, attributes] = 1
        combinations = np.zeros((size, codes.shape[1]), np.int64)
        combinations[places] = codes * belongs[p]
        words.append(frequency.packing.pack(combinations))
        rows.append(places + first[p])
        first.append(first[p] + size)
    return Parts(belongs, np.array(first, np.int64), np.concatenate(words).reshape(-1), np.array(rows, np.int32))


def no_parts(attributes: int) -> Parts:
    """Return the value for a set that is not split into parts."""
    empty = np.empty(0, np.int64)
    return Parts(np.empty((0, attributes), np.int64), empty, empty, np.empty((0, 0), np.int32))


def _numbered(places: Ints, size: int) -> tuple[Ints, int]:
    """The places that occur, of `size`, numbered in order, and how many there are."""
    occurs = np.bincount(places, minlength=size) > 0
    return (np.cumsum(occurs) - 1)[places], int(occurs.sum())


def _in_order(owners: Codes, histogram: Histogram) -> Ints:
    """Return the order of entries: people first, then rows that add nobody, then attributes by combination."""
    columns = histogram.columns
    if histogram.persons is None:
        return np.lexsort((columns, owners))
    is_person, is_nobody = columns > histogram.nobody, columns == histogram.nobody
    part = np.where(is_person, 0, np.where(is_nobody, 1, 2))
    return np.lexsort((columns, np.where(is_person, columns, owners), part))


def lifts_of(hierarchies: Sequence[Hierarchy]) -> Lifts:
    """The tables from every level of every hierarchy to every higher one."""
    most = max(hierarchy.height for hierarchy in hierarchies) + 1
    start = np.zeros((len(hierarchies), most, most), np.int64)
    radix = np.ones((len(hierarchies), most), np.int64)
    tables: list[Codes] = []
    length = 0
    for j, hierarchy in enumerate(hierarchies):
        for lower in range(hierarchy.height + 1):
            radix[j, lower] = len(hierarchy.labels[lower])
            for upper in range(lower + 1, hierarchy.height + 1):
                table = np.zeros(len(hierarchy.labels[lower]), np.int32)
                table[hierarchy.codes[lower]] = hierarchy.codes[upper]
                start[j, lower, upper] = length
                tables.append(table)
                length += len(table)
    return Lifts(np.concatenate([*tables, np.empty(0, np.int32)]), start, radix)


def new_scratch(source: Counted, words: int, nobody: int = NOBODY) -> Scratch:
    """Working memory for rolling `source` up to any node; histogram columns from `nobody` on are about people."""
    tuples, entries = len(source.counts), len(source.amounts)
    return Scratch(
        keys=np.empty(max(tuples * words, entries), np.int64),
        member=np.empty(max(tuples, entries), np.int32),
        slots=np.empty(2 ** max(slot_bits(tuples), slot_bits(entries)), np.int32),
        distinct=np.empty(entries, np.int64),
        rolled=Counted(
            np.empty(tuples * words, np.int64),
            np.empty(tuples, np.int64),
            np.empty(entries, np.int32),
            np.empty(entries, np.int32),
            np.empty(entries, np.int64),
        ),
        nobody=nobody,
        marks=np.empty(0 if nobody == NOBODY else tuples, np.int32),
        repeats=np.empty(0 if nobody == NOBODY else tuples, np.int64),
    )


def _freeze(*arrays: Ints | Codes) -> None:
    for array in arrays:
        array.flags.writeable = False
