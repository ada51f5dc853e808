"""Auditing a table: every privacy model and every risk, from one count of its classes, without any hierarchy.

Classes are judged part by part as the engine delivers them, so that tables are audited whose classes do not fit memory:
once the reference is known, each class can be judged by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from paranym.audits.findings import concerns, sentences
from paranym.engines.base import Coding, Column, Table
from paranym.engines.coding import OrderedValues, number
from paranym.engines.csv_dialect import CsvDialect
from paranym.engines.source import open_table
from paranym.errors import BadInput, EmptyTable, did_you_mean
from paranym.frequency import FrequencySet
from paranym.hierarchies.build import HierarchySpec, build_hierarchy
from paranym.measures.privacy import MODELS
from paranym.measures.privacy.base import Classes, Model
from paranym.measures.privacy.closeness import HierarchicalCloseness
from paranym.measures.risk import risk
from paranym.model.audit import Audit, ClassSizes, Reached, Separating
from paranym.model.schema import Attribute, Role, Schema
from paranym.model.values import to_number, to_text

Ints = NDArray[np.int64]

_BY_CLASS = (
    "frequency-l",
    "distinct-l",
    "entropy-l",
    "recursive-c",
    "equal-t",
    "alpha",
    "basic-beta",
    "enhanced-beta",
    "delta-disclosure",
)
_AGAINST_POPULATION = ("k-map", "presence-least", "presence-most")
_INFINITE = {
    "recursive-c": "a class has one value only, so that no c is large enough for l = 2",
    "basic-beta": "a class has a value that the reference lacks",
    "enhanced-beta": "in a class a value gains more than any beta allows",
    "delta-disclosure": "a class lacks a value that others have",
}
_LOOKS_MISSING = {"?", "-", "--", ".", "na", "n/a", "#n/a", "<na>", "nan", "null"}
_FEW = 5
"""In a table of a few rows, columns that tell most of them apart are no news."""


def audit(
    data: object,
    *,
    quasi_identifiers: Sequence[str],
    sensitive: Sequence[str] = (),
    identifiers: Sequence[str] = (),
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    population: object | None = None,
    threshold: float = 0.2,
    missing: Sequence[str] = (),
    table: str | None = None,
    dialect: CsvDialect | None = None,
    memory: str | None = None,
) -> Audit:
    """Measure what a table, as it is, tells about the people in it.

    `data` is a path, a pandas, polars, pyarrow or Spark table, or the address of a Postgres database with the name of a
    `table`; it is not changed. Rows are alike if they agree on all
    `quasi_identifiers`; what nobody should learn is `sensitive`; `identifiers` name people. `hierarchies` of sensitive
    attributes give them hierarchical t-closeness. `population` is a larger table of the same kind, with the same
    quasi-identifiers in the same spelling, of which the people of this one are a part. A row is at risk if it is found
    with a probability above `threshold`. The engine takes at most `memory`, such as "4GB".

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [30, 30, 40, 40, 50], "illness": ["flu", "cold", "flu", "flu", "cold"]})
    >>> audit(people, quasi_identifiers=["age"], sensitive=["illness"])
    5 rows form 3 classes, each alike on age.
    1 in 5 rows (1, 20%) is unique on this column: k = 1.
    ...
    illness: 3 rows (60%) are in classes that have one value only; whoever finds a person there knows it (l = 1).
    ...
    No value is missing in these columns.
    """
    schema = _schema(quasi_identifiers, sensitive, identifiers)
    specs = {str(name): spec for name, spec in (hierarchies or {}).items()}
    _check_hierarchies(specs, schema)
    tokens = tuple(text for text in map(to_text, _listed("missing", missing)) if text is not None)
    with ExitStack() as open_tables:
        opened = open_tables.enter_context(
            open_table(data, table=table, dialect=dialect, missing=tokens, memory=memory)
        )
        schema.check(opened.columns)
        people = None
        if population is not None:
            people = open_tables.enter_context(open_table(population, dialect=dialect, missing=tokens, memory=memory))
            replace(schema, attributes=schema.quasi_identifiers).check(people.columns)
        return _audited(_Asked(opened, schema, specs, people, tokens), threshold)


def audit_table(
    table: Table, schema: Schema, *, hierarchies: Mapping[str, HierarchySpec] | None = None, threshold: float = 0.2
) -> Audit:
    """The same for a table that is open already; its schema says what the columns are."""
    return _audited(_Asked(table, schema, hierarchies or {}, None, ()), threshold)


@dataclass(frozen=True, slots=True, eq=False)
class _Asked:
    """An open table and what is asked about it."""

    table: Table
    schema: Schema
    hierarchies: Mapping[str, HierarchySpec]
    population: Table | None
    tokens: tuple[str, ...]

    def names(self, role: Role) -> tuple[str, ...]:
        return tuple(attribute.name for attribute in self.schema.having(role))

    @property
    def keys(self) -> tuple[str, ...]:
        return self.names(Role.QUASI_IDENTIFIER)

    @property
    def sensitive(self) -> tuple[str, ...]:
        return self.names(Role.SENSITIVE)

    @property
    def identifiers(self) -> tuple[str, ...]:
        return self.names(Role.IDENTIFIER)


@dataclass(slots=True, eq=False)
class _Worst:
    """The worst value of a model over the classes seen so far, and the rows that have it."""

    model: Model
    value: float | None = None
    rows: int = 0

    def see(self, classes: Classes) -> None:
        facts, values = self.model.facts, self.model.of(classes)
        found = float(values.min() if facts.larger_is_better else values.max())
        worst = found if self.value is None else facts.worst((self.value, found))
        known = self.rows if worst == self.value else 0
        self.rows = known + (int(classes.sizes[values == found].sum()) if worst == found else 0)
        self.value = worst

    def reached(self) -> Reached:
        reason = _INFINITE.get(self.model.name, "") if self.value == float("inf") else ""
        return Reached(self.value, self.model.facts.larger_is_better, self.rows, reason)


@dataclass(slots=True, eq=False)
class _Tallies:
    """What is added up over all classes."""

    marginals: list[Ints]
    sizes: ClassSizes = field(default_factory=lambda: ClassSizes.of(np.empty(0, np.int64)))

    def see(self, part: FrequencySet) -> None:
        self.sizes += ClassSizes.of(part.counts)
        for j in range(len(self.marginals)):
            self.marginals[j] += part.marginal(j, len(self.marginals[j]))


@dataclass(slots=True, eq=False)
class _Crowds:
    """What is added up over all classes about the people who belong to them."""

    frequency: FrequencySet
    models: list[_Worst]
    crowds: ClassSizes = field(default_factory=lambda: ClassSizes.of(np.empty(0, np.int64)))
    """How many rows (as `classes`) hide among how many people (as `sizes`)."""
    matched: int = 0
    strangers: int = 0

    def see(self, part: FrequencySet) -> None:
        found = _people(part.words, self.frequency)
        people = np.maximum(found, part.counts)
        self.crowds += ClassSizes.of(people, part.counts)
        self.matched += int(np.count_nonzero(found))
        self.strangers += int(part.counts[found < part.counts].sum())
        for one in self.models:
            one.see(Classes(part.counts, population=people))

    def reached(self) -> dict[str, Reached]:
        values = {one.model.name: one.reached() for one in self.models}
        if self.matched < len(self.frequency):  # some of the population are known not to be in the table
            values["presence-least"] = replace(values["presence-least"], value=0.0, rows=0)
        return values


def _audited(asked: _Asked, threshold: float) -> Audit:
    profile = asked.table.profile([*asked.keys, *asked.sensitive])
    if profile.rows == 0:
        raise EmptyTable(asked.table.name)
    columns = {column.name: column for column in profile.columns}
    keys = [number(columns[name]) for name in asked.keys]
    crowds = None
    if asked.population is not None:
        keys, people = _alongside(keys, asked.population)
        crowds = _Crowds(people, [_Worst(MODELS[name]()) for name in _AGAINST_POPULATION])
    tallies = _Tallies([np.zeros(key.size, np.int64) for key in keys])
    models = _walk(asked, keys, columns, tallies, crowds)
    population = None if crowds is None else (crowds.crowds.sizes, crowds.crowds.classes, crowds.frequency.rows)
    found = Audit(
        table=asked.table.name,
        quasi_identifiers=asked.keys,
        sensitive=asked.sensitive,
        identifiers=asked.identifiers,
        sizes=tallies.sizes,
        risk=risk(tallies.sizes, threshold, population),
        columns={name: Separating.by(counts) for name, counts in zip(asked.keys, tallies.marginals, strict=True)},
        together=Separating.by(tallies.sizes.sizes, times=tallies.sizes.classes),
        missing={name: columns[name].missing for name in (*asked.keys, *asked.sensitive)},
        models=models,
        against_population={} if crowds is None else crowds.reached(),
    )
    told = concerns(
        found,
        values={name: len(columns[name].values) + bool(columns[name].missing) for name in asked.sensitive},
        nearly_unique=_nearly_unique(asked, profile.rows),
        people=_repeating(asked, keys, profile.rows),
        tokens=[column.name for column in profile.columns if _looks_missing(column)],
        strangers=0 if crowds is None else crowds.strangers,
    )
    return replace(found, sentences=sentences(found), concerns=told)


def _walk(
    asked: _Asked, keys: list[Coding], columns: Mapping[str, Column], tallies: _Tallies, crowds: _Crowds | None
) -> dict[str, dict[str, Reached]]:
    """Walk over the classes once for every sensitive attribute; all else is added up on the first walk."""
    reached: dict[str, dict[str, Reached]] = {}
    for walk, name in enumerate(asked.sensitive or (None,)):
        values = None if name is None else OrderedValues(columns[name])
        judges = [] if values is None else _judges(asked, values)
        coding = None if values is None else values.coding
        reference = None if coding is None else _reference(asked.table, coding)
        for part in asked.table.parts(keys, coding):
            if walk == 0:
                tallies.see(part)
                if crowds is not None:
                    crowds.see(part)
            classes = Classes.of(part, name, reference=reference)
            for judge in judges:
                judge.see(classes)
        if name is not None and values is not None:
            reached[name] = _reached(judges)
    return reached


def _judges(asked: _Asked, values: OrderedValues) -> list[_Worst]:
    judges = [_Worst(MODELS[name]()) for name in _BY_CLASS]
    if values.have_order:
        judges.append(_Worst(MODELS["ordered-t"]()))
    if values.name in asked.hierarchies:
        judges.append(_Worst(_by_hierarchy(asked, values)))
    return judges


def _by_hierarchy(asked: _Asked, values: OrderedValues) -> HierarchicalCloseness:
    listed = values.listed
    hierarchy = build_hierarchy(asked.hierarchies[values.name], listed, attribute=values.name)
    hierarchy = hierarchy.reading_as_missing(asked.tokens)
    return HierarchicalCloseness.by(hierarchy.with_missing() if None in listed else hierarchy, listed)


def _reached(judges: Sequence[_Worst]) -> dict[str, Reached]:
    found = {judge.model.name: judge.reached() for judge in judges}
    absent = {
        "ordered-t": "the values are text, which has no order to measure distances by",
        "hierarchical-t": "no hierarchy of this attribute was given",
    }
    for name, reason in absent.items():
        found.setdefault(name, Reached(None, larger_is_better=False, reason=reason))
    return {name: found[name] for name in MODELS if name in found}


def _reference(table: Table, coding: Coding) -> Ints:
    """How many rows have each value."""
    counted = table.count([coding], [])
    reference = np.zeros(coding.size, np.int64)
    reference[counted.codes[:, 0]] = counted.counts
    return reference


def _nearly_unique(asked: _Asked, rows: int) -> dict[str, int]:
    """Columns that others could know too, and that have more values than half of the rows."""
    names = [name for name in asked.table.columns if name not in (*asked.keys, *asked.identifiers)]
    found = asked.table.spread(names) if names else ()
    return {one.name: one.different for one in found if one.different >= _FEW and 2 * one.different > rows}


def _repeating(asked: _Asked, keys: Sequence[Coding], rows: int) -> dict[str, tuple[int, int]]:
    """Of the identifiers that name a person more than once: how many people, and how many in the class with fewest."""
    names = asked.identifiers
    found = asked.table.spread(names, exactly=names) if names else ()
    return {
        one.name: (one.different + one.missing, asked.table.fewest(keys, one.name))
        for one in found
        if one.different + one.missing < rows
    }


def _looks_missing(column: Column) -> bool:
    return any(isinstance(value, str) and value.strip().casefold() in _LOOKS_MISSING for value in column.values)


def _alongside(keys: Sequence[Coding], population: Table) -> tuple[list[Coding], FrequencySet]:
    """Codes with one more for what only the population has, and the population counted by them."""
    profile = population.profile([key.column.name for key in keys])
    if profile.rows == 0:
        raise EmptyTable(population.name)
    wider = [replace(key, size=key.size + 1) for key in keys]
    return wider, population.count([_coded_like(key, one) for key, one in zip(wider, profile.columns, strict=True)], [])


def _coded_like(key: Coding, column: Column) -> Coding:
    """The values of a column of the population by the codes of the table: equal as text, or as numbers."""
    codes = key.codes.tolist()
    by_text = {to_text(value): code for value, code in zip(key.column.values, codes, strict=True)}
    by_number = {to_number(value): code for value, code in zip(key.column.values, codes, strict=True)}
    by_number.pop(None, None)
    elsewhere = key.size - 1
    found = [by_text.get(to_text(value), by_number.get(to_number(value), elsewhere)) for value in column.values]
    missing = elsewhere if key.missing is None else key.missing
    return Coding(column, np.array(found, np.int32), missing if column.missing else None, key.size)


def _people(words: Ints, population: FrequencySet) -> Ints:
    """How many people of the population have each of the packed combinations."""
    both, member = np.unique(np.concatenate([population.words, words]), axis=0, return_inverse=True)
    member = member.reshape(-1)
    people = np.zeros(len(both), np.int64)
    people[member[: len(population)]] = population.counts
    found: Ints = people[member[len(population) :]]
    return found


def _schema(quasi_identifiers: Sequence[str], sensitive: Sequence[str], identifiers: Sequence[str]) -> Schema:
    roles = {
        Role.QUASI_IDENTIFIER: _listed("quasi_identifiers", quasi_identifiers),
        Role.SENSITIVE: _listed("sensitive", sensitive),
        Role.IDENTIFIER: _listed("identifiers", identifiers),
    }
    return Schema(tuple(Attribute(str(name), role) for role, names in roles.items() for name in names))


def _listed(argument: str, values: Iterable[object]) -> tuple[object, ...]:
    """What an argument lists; a text would come apart into letters."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise BadInput(f"{argument} takes a list, such as [{str(values)!r}]; got {values!r}.")
    return tuple(values)


def _check_hierarchies(specs: Iterable[str], schema: Schema) -> None:
    known = tuple(attribute.name for attribute in schema.having(Role.SENSITIVE))
    for name in specs:
        if name not in known:
            raise BadInput(
                f"An audit takes hierarchies of sensitive attributes only; {name!r} is none.{did_you_mean(name, known)}"
            )
