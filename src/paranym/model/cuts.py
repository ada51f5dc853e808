"""Cuts: any partition of an ordered domain into intervals, any cut of a hierarchy tree, written as bit strings.

The encoding is that of Iyengar (KDD 2002): bit i is 1 if units i and i + 1 of an attribute are separated, 0 if they
are published as one value. Units are the leaves in tree order, or the values of a higher level if a domain is
granularized. The strings of all attributes, one after the other, are one recoding of the table.
"""

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput, did_you_mean
from paranym.model.hierarchy import Hierarchy, Label, another_text
from paranym.model.recoding import AttributeRecoding
from paranym.model.values import is_whole

Bits = NDArray[np.bool_]
Codes = NDArray[np.int32]
Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

MISSING = "missing"
_LISTED = 3
"""Most categories of a block that are listed; of more, only the first and the last are named."""


@dataclass(frozen=True, slots=True)
class Cut:
    """The cut of one attribute: its bit string, and the published values in the order of the leaves.

    >>> Cut("010", ("20-34", "35-49")).as_dict()
    {'bits': '010', 'values': ['20-34', '35-49']}
    """

    bits: str
    values: tuple[Label, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"bits": self.bits, "values": list(self.values)}


class InnerValue(NamedTuple):
    """A value of a tree that can be split."""

    parent: int
    """The number of the inner value above; -1 at the top."""
    depth: int
    begin: int
    """The first unit."""
    end: int
    """The unit after the last."""
    parts: tuple[tuple[int, int], ...]
    """The units of its children."""


@dataclass(frozen=True, eq=False)
class AttributeCuts:
    """All cuts of one attribute.

    >>> rows = [["cat", "fur", "*"], ["dog", "fur", "*"], ["owl", "feathers", "*"]]
    >>> pets = AttributeCuts(Hierarchy.from_rows(rows, attribute="pet"))
    >>> pets.size, pets.labels(np.array([False, True]))
    (3, ('fur', 'owl'))
    """

    hierarchy: Hierarchy
    constrained: bool = True
    """Whether every published value must be one of the hierarchy; otherwise any interval of units will do."""
    granularity: int = 0
    """The level whose values are the units."""

    def __post_init__(self) -> None:
        height = self.hierarchy.height
        if not (is_whole(self.granularity) and 0 <= self.granularity <= height):
            raise BadInput(
                f"The granularity of {self.hierarchy.attribute!r} is one of its levels, 0 to {height}; "
                f"got {self.granularity!r}."
            )

    @property
    def units(self) -> int:
        """Most values that can be published separately."""
        return len(self.hierarchy.labels[self.granularity])

    @property
    def length(self) -> int:
        """Bits of the string."""
        return self.units - 1

    @cached_property
    def first_leaf(self) -> Ints:
        """(units + 1,): where the leaves of each unit begin."""
        return np.searchsorted(self.hierarchy.codes[self.granularity], np.arange(self.units + 1))

    @cached_property
    def size(self) -> int:
        """Number of cuts."""
        if not self.constrained:
            return 1 << self.length
        return self._cuts_below(self.hierarchy.height, 0, self.units)

    def at_level(self, level: int) -> Bits:
        """Return the cut that publishes a level of the hierarchy, but nothing finer than the units."""
        bits: Bits = self.at_each(np.array([level]))[0]
        return bits

    def at_each(self, levels: Ints) -> Bits:
        """(levels, bits): the cuts of several levels."""
        bits: Bits = self._borders[np.maximum(levels, self.granularity)]
        return bits

    def level_of(self, bits: Bits) -> int | None:
        """The lowest level that is the same cut, if one is."""
        levels = range(self.granularity, self.hierarchy.height + 1)
        return next((level for level in levels if np.array_equal(self._borders[level], bits)), None)

    def is_valid(self, bits: Bits) -> bool:
        """Whether every block of the cut may be published."""
        if len(bits) != self.length:
            return False
        return not self.constrained or all(span in self._spans for span in self.blocks(bits))

    def blocks(self, bits: Bits) -> list[tuple[int, int]]:
        """The first unit and the unit after the last of every published value."""
        edges = [0, *(np.flatnonzero(bits) + 1).tolist(), self.units]
        return list(itertools.pairwise(edges))

    def codes(self, bits: Bits) -> Codes:
        """The number of the published value of every leaf."""
        of_unit = np.concatenate([[0], np.cumsum(bits)]).astype(np.int32)
        codes: Codes = of_unit[self.hierarchy.codes[self.granularity]]
        return codes

    def labels(self, bits: Bits) -> tuple[Label, ...]:
        """The published values, in the order of the leaves: those of the hierarchy where it has them."""
        return tuple(self._spans[span] if span in self._spans else self._describe(span) for span in self.blocks(bits))

    def cut(self, bits: Bits) -> Cut:
        """The cut as people and JSON read it."""
        return Cut("".join("1" if bit else "0" for bit in bits), self.labels(bits))

    def parse(self, written: str) -> Bits:
        """A written string as bits."""
        bits = np.array([letter == "1" for letter in written], bool)
        if set(written) - {"0", "1"} or not self.is_valid(bits):
            raise BadInput(
                f"{written!r} is no cut of {self.hierarchy.attribute!r}: {self.length} bits, 0 or 1, are needed"
                + (", and every block must be a value of the hierarchy." if self.constrained else ".")
            )
        return bits

    def recoding(self, bits: Bits, *, weight: float = 1.0) -> AttributeRecoding:
        """The cut as a release applies it."""
        labels = self.labels(bits)
        top = len(labels) == 1
        return AttributeRecoding(
            attribute=self.hierarchy.attribute,
            leaves=self.hierarchy.leaves,
            labels=labels,
            codes=tuple(self.codes(bits).tolist()),
            level=2 if top else 1,
            height=2,
            top=str(labels[0] if top else self.hierarchy.distinct_labels[-1][0]),
            weight=weight,
            categorical=self.hierarchy.categorical,
        )

    def draw(self, fineness: Floats, random: np.random.Generator) -> Bits:
        """Draw a random cut for each `fineness` between 0 (one value) and 1 (all units separated).

        In a tree, each value is split with that probability. In an order, the number of separated units is spread
        evenly by ratios.
        """
        bits = np.zeros((len(fineness), self.length), bool)
        if self.constrained:
            self._split(bits, fineness, self.hierarchy.height, (0, self.units), random)
        elif self.length:
            borders = self.units**fineness - 1
            bits = random.random(bits.shape) < (borders / self.length)[:, np.newaxis]
        return bits

    def splits(self, bits: Bits) -> Bits:
        """(splits, bits): the cuts that split one block: as the tree does, or, if unconstrained, in two."""
        if not self.constrained:
            edges = [[place] for place in np.flatnonzero(~bits).tolist()]
        else:
            parts = [self._children(self.hierarchy.height, *block)[1] for block in self.blocks(bits)]
            edges = [[part[0] - 1 for part in into[1:]] for into in parts if into]
        split = np.repeat(bits[np.newaxis], len(edges), axis=0)
        for row, places in zip(split, edges, strict=True):
            row[places] = True
        return split

    def each(self) -> Iterator[Bits]:
        """Every cut."""
        if self.constrained:
            for edges in self._edges_below(self.hierarchy.height, 0, self.units):
                bits = np.zeros(self.length, bool)
                bits[list(edges)] = True
                yield bits
        else:
            yield from (np.array(bits, bool) for bits in itertools.product((False, True), repeat=self.length))

    def inner_values(self) -> Iterator[InnerValue]:
        """Every value of the tree that can be split, behind the one above it.

        >>> rows = [["cat", "fur", "*"], ["dog", "fur", "*"], ["owl", "feathers", "*"]]
        >>> pets = AttributeCuts(Hierarchy.from_rows(rows, attribute="pet"))
        >>> [(value.parent, value.parts) for value in pets.inner_values()]
        [(-1, ((0, 2), (2, 3))), (0, ((0, 1), (1, 2)))]
        """
        found = 0
        waiting = [(-1, 0, self.hierarchy.height, 0, self.units)]
        while waiting:
            parent, depth, level, begin, end = waiting.pop()
            below, parts = self._children(level, begin, end)
            if parts:
                yield InnerValue(parent, depth, begin, end, tuple(parts))
                waiting += [(found, depth + 1, below, *part) for part in reversed(parts)]
                found += 1

    @cached_property
    def _borders(self) -> Bits:
        """(levels, bits): the neighbouring units that every level separates."""
        return np.diff(self.hierarchy.codes[:, self.first_leaf[:-1]], axis=1).astype(bool)

    @cached_property
    def _spans(self) -> dict[tuple[int, int], Label]:
        """The values of the hierarchy by their units; of several that have the same, the lowest."""
        spans: dict[tuple[int, int], Label] = {}
        for level in range(self.granularity, self.hierarchy.height + 1):
            for span, label in zip(
                self.blocks(self._borders[level]), self.hierarchy.distinct_labels[level], strict=True
            ):
                spans.setdefault(span, label)
        if self.units > 1:
            spans[0, self.units] = self.hierarchy.distinct_labels[-1][0]
        return spans

    @cached_property
    def _names(self) -> frozenset[Label]:
        """All that the hierarchy gives a name to."""
        return frozenset(itertools.chain.from_iterable(self.hierarchy.distinct_labels))

    def _describe(self, span: tuple[int, int]) -> str:
        """Return a name for units that have none in the hierarchy."""
        begin, end = int(self.first_leaf[span[0]]), int(self.first_leaf[span[1]])
        known = [leaf for leaf in self.hierarchy.leaves[begin:end] if leaf is not None]
        missing = [MISSING] if len(known) < end - begin else []
        if self.hierarchy.numbers is not None and len(known) > 1:
            dash = " to " if known[0].startswith("-") else "-"
            known = [f"{known[0]}{dash}{known[-1]}"]
        elif len(known) > _LISTED:
            known = [f"{known[0]} to {known[-1]}"]
        return another_text(" or ".join([*known, *missing]), self._names, " (cut)")

    def _children(self, level: int, begin: int, end: int) -> tuple[int, list[tuple[int, int]]]:
        """The parts of a value one level down, or, where it has one part only, as far down as it stays one."""
        while level > self.granularity:
            level -= 1
            edges = np.flatnonzero(self._borders[level, begin : end - 1]) + begin + 1
            if len(edges):
                return level, list(itertools.pairwise([begin, *edges.tolist(), end]))
        return level, []

    def _cuts_below(self, level: int, begin: int, end: int) -> int:
        below, parts = self._children(level, begin, end)
        return 1 + math.prod(self._cuts_below(below, *part) for part in parts) if parts else 1

    def _edges_below(self, level: int, begin: int, end: int) -> Iterator[tuple[int, ...]]:
        yield ()
        below, parts = self._children(level, begin, end)
        if parts:
            between = tuple(part[0] - 1 for part in parts[1:])
            for chosen in itertools.product(*(tuple(self._edges_below(below, *part)) for part in parts)):
                yield (*between, *itertools.chain.from_iterable(chosen))

    def _split(
        self, bits: Bits, fineness: Floats, level: int, span: tuple[int, int], random: np.random.Generator
    ) -> None:
        below, parts = self._children(level, *span)
        if not parts:
            return
        separated = random.random(len(bits)) < fineness
        for part in parts[1:]:
            bits[:, part[0] - 1] = separated
        for part in parts:
            self._split(bits, np.where(separated, fineness, 0.0), below, part, random)


@dataclass(frozen=True, eq=False)
class CutSpace:
    """The search space of evolution: all cuts of all quasi-identifiers.

    >>> sex = Hierarchy.suppression(["F", "M"], attribute="sex")
    >>> space = CutSpace.of([sex])
    >>> space.size, space.levels_of(space.at_levels([1]))
    (2, (1,))
    """

    attributes: tuple[AttributeCuts, ...]

    @classmethod
    def of(
        cls,
        hierarchies: Iterable[Hierarchy],
        *,
        unconstrained: Sequence[str] | None = None,
        granularity: Mapping[str, int] | None = None,
    ) -> "CutSpace":
        """The cuts of some hierarchies. Those of numbers are unconstrained unless `unconstrained` lists others."""
        hierarchies, fine = tuple(hierarchies), dict(granularity or {})
        names = tuple(hierarchy.attribute for hierarchy in hierarchies)
        for name in (*(unconstrained or ()), *fine):
            if name not in names:
                raise BadInput(
                    f"{name!r} is not a quasi-identifier; only quasi-identifiers have cuts.{did_you_mean(name, names)}"
                )
        free = [hierarchy.attribute for hierarchy in hierarchies if hierarchy.numbers is not None]
        free = free if unconstrained is None else list(unconstrained)
        return cls(
            tuple(
                AttributeCuts(hierarchy, hierarchy.attribute not in free, fine.get(hierarchy.attribute, 0))
                for hierarchy in hierarchies
            )
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(each.hierarchy.attribute for each in self.attributes)

    @property
    def granularity(self) -> tuple[int, ...]:
        """The node whose values are the units."""
        return tuple(each.granularity for each in self.attributes)

    @cached_property
    def fields(self) -> tuple[slice, ...]:
        """Where the string of each attribute stands in that of all."""
        ends = list(itertools.accumulate((each.length for each in self.attributes), initial=0))
        return tuple(slice(begin, end) for begin, end in itertools.pairwise(ends))

    @property
    def length(self) -> int:
        """Bits of all strings together."""
        return sum(each.length for each in self.attributes)

    @property
    def size(self) -> int:
        """Number of recodings."""
        return math.prod(each.size for each in self.attributes)

    def at_levels(self, levels: Sequence[int]) -> Bits:
        """A node of the lattice as cuts; no finer than the units."""
        return np.concatenate(
            [each.at_level(level) for each, level in zip(self.attributes, levels, strict=True)], dtype=bool
        )

    def at_nodes(self, nodes: Ints) -> Bits:
        """(nodes, bits): several nodes (nodes, attributes) as cuts."""
        return np.hstack([each.at_each(nodes[:, j]) for j, each in enumerate(self.attributes)])

    def levels_of(self, bits: Bits) -> tuple[int, ...] | None:
        """The lowest node of the lattice that is the same recoding, if one is."""
        levels = tuple(each.level_of(part) for each, part in self.parts(bits))
        return None if None in levels else tuple(level for level in levels if level is not None)

    def is_valid(self, bits: Bits) -> bool:
        """Whether the cut of every attribute is."""
        return len(bits) == self.length and all(each.is_valid(part) for each, part in self.parts(bits))

    def parts(self, bits: Bits) -> Iterator[tuple[AttributeCuts, Bits]]:
        """Every attribute with its string."""
        yield from ((each, bits[field]) for each, field in zip(self.attributes, self.fields, strict=True))

    def cuts(self, bits: Bits) -> dict[str, Cut]:
        """A recoding as people and JSON read it."""
        return {each.hierarchy.attribute: each.cut(part) for each, part in self.parts(bits)}

    def parse(self, written: Mapping[str, str]) -> Bits:
        """The bit strings of all attributes as one."""
        if set(written) != set(self.names):
            raise BadInput(f"A recoding has a bit string for each of {', '.join(self.names)}.")
        return np.concatenate([each.parse(written[each.hierarchy.attribute]) for each in self.attributes])

    def draw(self, count: int, random: np.random.Generator) -> Bits:
        """Recodings drawn at random; the same may be drawn twice.

        Each has a fineness of its own, which all its attributes share. If attributes were drawn independently, nearly
        all recodings of many attributes would make nearly all rows unique, and a search would never see a k above 1.
        """
        fineness = random.random(count)
        return np.hstack([each.draw(fineness, random) for each in self.attributes])

    def splits(self, bits: Bits) -> Bits:
        """(splits, bits): the recodings that split one block of one attribute."""
        found = []
        for field, (each, part) in zip(self.fields, self.parts(bits), strict=True):
            into = each.splits(part)
            split = np.repeat(bits[np.newaxis], len(into), axis=0)
            split[:, field] = into
            found.append(split)
        return np.concatenate(found)

    def each(self) -> Iterator[Bits]:
        """Every recoding; there may be very many."""
        for parts in itertools.product(*(tuple(each.each()) for each in self.attributes)):
            yield np.concatenate(parts)
