"""Auditing a table: every privacy model and every risk, from one count of its classes, without any hierarchy.

Classes are judged part by part as the engine delivers them, so that tables are audited whose classes do not fit memory:
once the reference is known, each class can be judged by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from paranym.audits.findings import concerns, sentences
from paranym.engines.base import Coding, Column, Table
from paranym.engines.codes import OrderedValues, number
from paranym.engines.files.csv import CsvDialect
from paranym.engines.source import open_table
from paranym.errors import BadInput, EmptyTable, did_you_mean
from paranym.frequency import FrequencySet
from paranym.hierarchies.build import HierarchySpec, build_for_values
from paranym.measures.catalogue import audited_models, population_models
from paranym.measures.privacy.base import Classes, Model, ModelKind
from paranym.measures.risk import risk
from paranym.measures.sensitive import SensitiveAttribute
from paranym.model.schema import Attribute, Role, Schema
from paranym.model.values import to_number, to_text
from paranym.results.audit import Achieved, Audit, ClassSizes, Separating

Ints = NDArray[np.int64]

_LOOKS_MISSING = {"?", "-", "--", ".", "na", "n/a", "#n/a", "<na>", "nan", "null"}
_FEW = 5
"""Columns with fewer distinct values are never reported as nearly unique."""


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
    views: bool = False,
) -> Audit:
    """Measure the privacy and the re-identification risk of a table as it is.

    `data` is a path, a pandas, polars, pyarrow or Spark table, or the address of a Postgres database with the name of a
    `table`; it is not changed. Rows with the same values of all `quasi_identifiers` form an equivalence class.
    `sensitive` attributes are those that attackers must not learn; `identifiers` name people. With `hierarchies`,
    hierarchical t-closeness of sensitive attributes is measured. `population` is a larger table that includes the
    people of this one, with the same quasi-identifiers in the same spelling. A row is at risk if an attacker finds it
    with a probability above `threshold`. The engine takes at most `memory`, such as "4GB". `views` allows `table` to
    name a view of a DuckDB file.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [30, 30, 40, 40, 50], "illness": ["flu", "cold", "flu", "flu", "cold"]})
    >>> audit(people, quasi_identifiers=["age"], sensitive=["illness"])
    5 rows form 3 equivalence classes by age.
    1 in 5 rows (1, 20.0%) is unique on this column: k = 1.
    ...
    illness: 3 rows (60.0%) are in classes with a single value, so an attacker who finds the class ... (l = 1).
    ...
    No values are missing in these columns.
    """
    schema = _schema(quasi_identifiers, sensitive, identifiers)
    specs = {str(name): spec for name, spec in (hierarchies or {}).items()}
    _check_hierarchies(specs, schema)
    tokens = tuple(text for text in map(to_text, _listed("missing", missing)) if text is not None)
    with ExitStack() as open_tables:
        opened = open_tables.enter_context(
            open_table(data, table=table, dialect=dialect, missing=tokens, memory=memory, views=views)
        )
        schema.check(opened.columns)
        people = None
        if population is not None:
            people = open_tables.enter_context(open_table(population, dialect=dialect, missing=tokens, memory=memory))
            replace(schema, attributes=schema.quasi_identifiers).check(people.columns)
        return _audited(_AuditRequest(opened, schema, specs, people, tokens), threshold)


def audit_table(
    table: Table,
    schema: Schema,
    *,
    hierarchies: Mapping[str, HierarchySpec] | None = None,
    threshold: float = 0.2,
    known_tokens: Sequence[str] = (),
) -> Audit:
    """Audit a table that is open already; its schema gives the roles of the columns.

    `known_tokens` are texts such as `?` that are declared as missing values; there is no warning about them.
    """
    return _audited(_AuditRequest(table, schema, hierarchies or {}, None, tuple(known_tokens)), threshold)


@dataclass(frozen=True, slots=True, eq=False)
class _AuditRequest:
    """The request for an audit: an open table, and the roles of its columns."""

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

    kind: ModelKind
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

    def achieved(self) -> Achieved:
        reason = self.kind.infinite if self.value == float("inf") else ""
        return Achieved(self.value, self.model.facts.larger_is_better, self.rows, reason)


@dataclass(slots=True, eq=False)
class _Tallies:
    """Sums over all equivalence classes."""

    marginals: list[Ints]
    sizes: ClassSizes = field(default_factory=lambda: ClassSizes.of(np.empty(0, np.int64)))

    def see(self, part: FrequencySet) -> None:
        self.sizes += ClassSizes.of(part.counts)
        for j in range(len(self.marginals)):
            self.marginals[j] += part.marginal(j, len(self.marginals[j]))


@dataclass(slots=True, eq=False)
class _PopulationTallies:
    """Sums over all equivalence classes about matching people of the population."""

    frequency: FrequencySet
    models: list[_Worst]
    matches: ClassSizes = field(default_factory=lambda: ClassSizes.of(np.empty(0, np.int64)))
    """Rows (as `classes`) by the number of people of the population that share their values (as `sizes`)."""
    matched: int = 0
    outside: int = 0

    def see(self, part: FrequencySet) -> None:
        found = _people(part.words, self.frequency)
        people = np.maximum(found, part.counts)
        self.matches += ClassSizes.of(people, part.counts)
        self.matched += int(np.count_nonzero(found))
        self.outside += int(part.counts[found < part.counts].sum())
        for one in self.models:
            one.see(Classes(part.counts, population=people))

    def achieved(self) -> dict[str, Achieved]:
        """Return the values over all classes, including combinations of the population that no row has."""
        none = np.empty(0, np.int64)
        unmatched = Classes(none, population=none, absent=len(self.frequency) - self.matched)
        found = {}
        for one in self.models:
            achieved, without = one.achieved(), one.model.achieved(unmatched)
            worse = achieved.value is not None and one.model.facts.worst((achieved.value, without)) != achieved.value
            found[one.model.name] = replace(achieved, value=without, rows=0) if worse else achieved
        return found


def _audited(request: _AuditRequest, threshold: float) -> Audit:
    profile = request.table.profile([*request.keys, *request.sensitive])
    if profile.rows == 0:
        raise EmptyTable(request.table.name)
    columns = {column.name: column for column in profile.columns}
    keys = [number(columns[name]) for name in request.keys]
    in_population = None
    if request.population is not None:
        keys, people = _alongside(keys, request.population)
        in_population = _PopulationTallies(people, [_Worst(kind, kind()) for kind in population_models()])
    tallies = _Tallies([np.zeros(key.size, np.int64) for key in keys])
    models = _walk(request, keys, columns, tallies, in_population)
    population = (
        None
        if in_population is None
        else (in_population.matches.sizes, in_population.matches.classes, in_population.frequency.rows)
    )
    found = Audit(
        table=request.table.name,
        quasi_identifiers=request.keys,
        sensitive=request.sensitive,
        identifiers=request.identifiers,
        sizes=tallies.sizes,
        risk=risk(tallies.sizes, threshold, population),
        columns={name: Separating.by(counts) for name, counts in zip(request.keys, tallies.marginals, strict=True)},
        together=Separating.by(tallies.sizes.sizes, times=tallies.sizes.classes),
        missing={name: columns[name].missing for name in (*request.keys, *request.sensitive)},
        models=models,
        against_population={} if in_population is None else in_population.achieved(),
    )
    warnings = concerns(
        found,
        values={name: len(columns[name].values) + bool(columns[name].missing) for name in request.sensitive},
        nearly_unique=_nearly_unique(request, profile.rows),
        people=_repeating(request, keys, profile.rows),
        tokens=[column.name for column in profile.columns if _looks_missing(column, request.tokens)],
        outside=0 if in_population is None else in_population.outside,
    )
    return replace(found, sentences=sentences(found), concerns=warnings)


def _walk(
    request: _AuditRequest,
    keys: list[Coding],
    columns: Mapping[str, Column],
    tallies: _Tallies,
    in_population: _PopulationTallies | None,
) -> dict[str, dict[str, Achieved]]:
    """Visit the classes once for every sensitive attribute; all other sums are computed on the first pass."""
    achieved: dict[str, dict[str, Achieved]] = {}
    for walk, name in enumerate(request.sensitive or (None,)):
        values = None if name is None else OrderedValues(columns[name])
        judges = [] if values is None else _judges(request, values)
        coding = None if values is None else values.coding
        reference = None if coding is None else _reference(request.table, coding)
        for part in request.table.parts(keys, coding):
            if walk == 0:
                tallies.see(part)
                if in_population is not None:
                    in_population.see(part)
            classes = Classes.of(part, name, reference=reference)
            for judge in judges:
                judge.see(classes)
        if name is not None and values is not None:
            achieved[name] = _achieved(judges, _described(request, values))
    return achieved


def _judges(request: _AuditRequest, values: OrderedValues) -> list[_Worst]:
    attribute = _described(request, values)
    kinds = [kind for kind in audited_models() if not kind.obstacle(attribute)]
    return [_Worst(kind, kind.for_attribute(attribute)) for kind in kinds]


def _described(request: _AuditRequest, values: OrderedValues) -> SensitiveAttribute:
    """Return a sensitive attribute in the form that privacy models need."""
    build = None
    if values.name in request.hierarchies:
        spec = request.hierarchies[values.name]
        build = partial(build_for_values, spec, values.listed, attribute=values.name, missing=request.tokens)
    return SensitiveAttribute(values.name, values.listed, values.have_order, build)


def _achieved(judges: Sequence[_Worst], attribute: SensitiveAttribute) -> dict[str, Achieved]:
    """Return the value of every model, or the reason why it does not apply."""
    found = {judge.kind.name: judge.achieved() for judge in judges}
    for kind in audited_models():
        if kind.name not in found:
            reason = kind.obstacle(attribute)
            found[kind.name] = Achieved(None, larger_is_better=kind.facts.larger_is_better, reason=reason)
    return {kind.name: found[kind.name] for kind in audited_models()}


def _reference(table: Table, coding: Coding) -> Ints:
    """Count the rows with each value."""
    counted = table.count([coding], [])
    reference = np.zeros(coding.size, np.int64)
    reference[counted.codes[:, 0]] = counted.counts
    return reference


def _nearly_unique(request: _AuditRequest, rows: int) -> dict[str, int]:
    """Return the columns without a protecting role whose distinct values number more than half of the rows."""
    names = [
        name
        for name in request.table.columns
        if name not in (*request.keys, *request.identifiers, *request.names(Role.DROP))
    ]
    found = request.table.spread(names) if names else ()
    return {one.name: one.different for one in found if one.different >= _FEW and 2 * one.different > rows}


def _repeating(request: _AuditRequest, keys: Sequence[Coding], rows: int) -> dict[str, tuple[int, int]]:
    """Return, per identifier that repeats, the number of people, and the fewest people in a class."""
    names = request.identifiers
    found = request.table.spread(names, exactly=names) if names else ()
    return {
        one.name: (one.different + one.missing, request.table.fewest(keys, one.name))
        for one in found
        if one.different + one.missing < rows
    }


def _looks_missing(column: Column, known: Sequence[str]) -> bool:
    texts = [value for value in column.values if isinstance(value, str) and value not in known]
    return any(text.strip().casefold() in _LOOKS_MISSING for text in texts)


def _alongside(keys: Sequence[Coding], population: Table) -> tuple[list[Coding], FrequencySet]:
    """Return codes with an extra one for values that only the population has, and the population counted by them."""
    profile = population.profile([key.column.name for key in keys])
    if profile.rows == 0:
        raise EmptyTable(population.name)
    wider = [replace(key, size=key.size + 1) for key in keys]
    return wider, population.count([_coded_like(key, one) for key, one in zip(wider, profile.columns, strict=True)], [])


def _coded_like(key: Coding, column: Column) -> Coding:
    """Return the codes of the table for the values of the population: equal as text, or as numbers."""
    codes = key.codes.tolist()
    by_text = {to_text(value): code for value, code in zip(key.column.values, codes, strict=True)}
    by_number = {to_number(value): code for value, code in zip(key.column.values, codes, strict=True)}
    by_number.pop(None, None)
    elsewhere = key.size - 1
    found = [by_text.get(to_text(value), by_number.get(to_number(value), elsewhere)) for value in column.values]
    missing = elsewhere if key.missing is None else key.missing
    return Coding(column, np.array(found, np.int32), missing if column.missing else None, key.size)


def _people(words: Ints, population: FrequencySet) -> Ints:
    """Count the people of the population with each packed combination."""
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
    """Return the items of an argument; raise if it is a text, which would be split into letters."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise BadInput(f"{argument} takes a list, such as [{str(values)!r}]; got {values!r}.")
    return tuple(values)


def _check_hierarchies(specs: Iterable[str], schema: Schema) -> None:
    known = tuple(attribute.name for attribute in schema.having(Role.SENSITIVE))
    for name in specs:
        if name not in known:
            raise BadInput(
                f"{name!r} is not a sensitive attribute; an audit takes hierarchies of sensitive attributes only."
                f"{did_you_mean(name, known)}"
            )
