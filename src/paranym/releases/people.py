"""The people of a release, counted with the original table at hand: the release itself no longer tells who is who."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from paranym.engines.base import Table
from paranym.engines.codes import number
from paranym.engines.source import Source
from paranym.model.hierarchy import Label
from paranym.model.recoding import Recoding
from paranym.releases.inspection import named_labels
from paranym.releases.placing import place

_Class = tuple[Label, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class PeopleOfRelease:
    """The original table of a release, how it was recoded, and the column that identifies people in it."""

    original: Source
    recoding: Recoding
    person: str
    shown: Callable[[str], str]
    """Returns text as the release contains it."""
    memory: str | None = None

    def fewest(self, release: Table) -> int:
        """Return the fewest different people of a published class; 0 if the release is not made from the original.

        The engine recodes the original and counts distinct people. Every class of the release must have as many rows
        as the class of the recoded original with the same labels.
        """
        with self.original.open(memory=self.memory) as opened:
            known, labels = self._recoded(opened)
        published = _classes(release, [self.shown(name) for name in self.recoding.names], labels)
        if published is None or any(known.get(labels, (0, 0))[0] != rows for labels, rows in published.items()):
            return 0
        return min((known[labels][1] for labels in published), default=0)

    def _recoded(self, original: Table) -> tuple[dict[_Class, tuple[int, int]], list[tuple[Label, ...]]]:
        """Return the rows and the people of every class of the recoded original, and the labels of its columns."""
        columns = original.profile(self.recoding.names).columns
        replaced = [
            place(attribute, column, unknown="error").replacement
            for attribute, column in zip(self.recoding.attributes, columns, strict=True)
        ]
        codings = [each.coding for each in replaced]
        counted = original.count(codings, [])
        _, people = original.people(codings, self.person)
        labels = [
            tuple(None if label is None else self.shown(label) for label in replacement.labels)
            for replacement in replaced
        ]
        found = zip(counted.codes.tolist(), counted.counts.tolist(), people.tolist(), strict=True)
        return {_named(codes, labels): (rows, some) for codes, rows, some in found}, labels


def _classes(release: Table, names: Sequence[str], labels: Sequence[Sequence[Label]]) -> Counter[_Class] | None:
    """Count the rows of every class of a release by its labels; None if it holds values that are no labels."""
    columns = release.profile(names).columns
    named = [named_labels(column, known) for column, known in zip(columns, labels, strict=True)]
    counted = release.count([number(column) for column in columns], [])
    found: Counter[_Class] = Counter()
    for codes, rows in zip(counted.codes.tolist(), counted.counts.tolist(), strict=True):
        values = [None if each is None else each[code] for each, code in zip(named, codes, strict=True)]
        found[tuple(values)] += rows
    return None if None in named else found


def _named(codes: Sequence[int], labels: Sequence[Sequence[Label]]) -> _Class:
    return tuple(known[code] for known, code in zip(labels, codes, strict=True))
