"""A problem: a counted table, what its columns are, and how loss and suppression are reckoned."""

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Coding, Column, Table
from paranym.engines.coding import OrderedValues, number, tally
from paranym.engines.csv_dialect import CsvDialect
from paranym.engines.postgres_server import is_address
from paranym.engines.source import Source
from paranym.engines.spark_session import SparkSource
from paranym.errors import (
    BadInput,
    EmptyTable,
    ParanymError,
    UnreadableSource,
    UnsuitableLoss,
    did_you_mean,
    raise_all,
)
from paranym.evaluation.floored import Engine, FlooredEvaluator
from paranym.evaluation.nodes import Evaluator, count_cores
from paranym.frequency import FrequencySet, lifts_of, rollup
from paranym.hierarchies.build import HierarchySpec, build_hierarchy
from paranym.measures.base import Loss
from paranym.measures.demands import Demands
from paranym.measures.loss import LOSSES
from paranym.measures.privacy.anonymity import Suppression, SuppressionUse
from paranym.measures.verdicts import Gauge
from paranym.model.hierarchy import Hierarchy
from paranym.model.lattice import Lattice
from paranym.model.objectives import Objectives
from paranym.model.packing import Packing
from paranym.model.recoding import Recoding
from paranym.model.schema import Attribute, Role, Schema
from paranym.model.values import to_text
from paranym.problem.flooring import (
    Room,
    Sizes,
    combinations_in,
    engine_share,
    make_room,
    memory_of,
    raised,
    recoded,
)
from paranym.problem.requirements import (
    check_objectives,
    check_use,
    demands,
    gauges,
    objectives_of,
    sensitive_attributes,
)
from paranym.recipe import PrivacySection, Recipe

Ints = NDArray[np.int64]


class Problem:
    """A table that is to be published, ready for searches: read, checked against its hierarchies, and counted.

    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"]})
    >>> Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None})
    Problem(4 rows, 4 combinations of age, sex; 6 nodes; loss glm; at most 0 rows suppressed)
    """

    source: Source
    specs: Mapping[str, HierarchySpec]
    """What the hierarchies of the quasi-identifiers were made from."""
    privacy: Mapping[str, object]
    """What is demanded besides, as it was asked for."""
    trees: Mapping[str, HierarchySpec]
    """Hierarchies of sensitive attributes."""
    schema: Schema
    suppression: Suppression
    loss: Loss
    hierarchies: tuple[Hierarchy, ...]
    """Of the quasi-identifiers."""
    counted: FrequencySet
    """The combinations at the floor: the bottom of the lattice, unless they would not have fit the memory."""
    lattice: Lattice
    demands: Demands
    """What every solution must meet."""
    objectives: Objectives
    """What is traded off."""

    def __init__(
        self,
        data: object,
        *,
        quasi_identifiers: Mapping[str, HierarchySpec] | Sequence[str],
        sensitive: Mapping[str, HierarchySpec] | Sequence[str] = (),
        label: str | None = None,
        identifiers: Sequence[str] = (),
        others: Sequence[str] = (),
        categorical: Sequence[str] = (),
        weights: Mapping[str, float] | None = None,
        metric: str = "glm",
        suppression: float | None = None,
        suppression_rows: int | None = None,
        suppression_use: str = "needed",
        privacy: Mapping[str, object] | None = None,
        objectives: Sequence[str] = ("k", "loss"),
        missing: Sequence[str] = (),
        table: str | None = None,
        dialect: CsvDialect | None = None,
        memory: str | int | None = None,
    ) -> None:
        """Read and count `data`, which is not changed: a path; a pandas, polars, pyarrow or Spark table; or the address
        of a Postgres database, with the name of a `table`.

        `quasi_identifiers` maps columns to hierarchies: a `Hierarchy`, a file, rows from leaf to top, a mapping of
        level to values, `{"intervals": widths}`, or None for nothing between the values and `*`. Those that
        `categorical` names have no range even if their values are numbers, such as postal codes. `others` are only
        checked to be there: every column without a role is kept as it is.

        `privacy` demands what the section of a recipe can: `{"k": 5, "l": {"value": 3, "kind": "entropy"}, "t": 0.2}`.
        Sensitive attributes may be mapped to hierarchies, for the hierarchical distance. `objectives` are traded off:
        k, loss, suppression, and models of a sensitive attribute such as l, t or `entropy-l:illness`.

        Counts may take `memory`, such as "4GB", or half of what is free. If all combinations would take more, they are
        counted at a floor, a node of fewer; for what lies below it the engine counts again when a search comes there.
        """
        names, categories = _names(quasi_identifiers=quasi_identifiers), _names(categorical=categorical)
        given = quasi_identifiers.values() if isinstance(quasi_identifiers, Mapping) else [None] * len(names)
        specs = dict(zip(names, given, strict=True))
        _check_quasi_identifiers(specs, "are categorical", categories)
        tokens = tuple(text for text in map(to_text, _listed(missing=missing)) if text is not None)
        self.schema = _schema(
            weights={str(name): weight for name, weight in (weights or {}).items()},
            quasi_identifiers=specs,
            sensitive=_names(sensitive=sensitive),
            label=() if label is None else (str(label),),
            identifiers=_names(identifiers=identifiers),
            others=_names(others=others),
        )
        self.suppression = Suppression(suppression, suppression_rows, _use(suppression_use))
        self.loss = _loss(metric)
        if self.loss.facts.needs_label and label is None:
            raise UnsuitableLoss(metric, "needs a column with the role 'label'.")
        wanted = _names(objectives=objectives)
        check_objectives(wanted)
        demanded = PrivacySection.demanding(privacy or {})
        trees = {str(name): spec for name, spec in sensitive.items()} if isinstance(sensitive, Mapping) else {}
        self.source = Source(data, table, dialect, tokens)
        self.specs, self.privacy, self.trees = specs, dict(privacy or {}), trees
        self._memory = memory_of(memory)
        with self.source.open(memory=engine_share(self._memory)) as opened:
            self._count(opened, specs, categories, tokens, _Sought(demanded, trees, wanted))

    @classmethod
    def from_recipe(
        cls,
        recipe: Recipe | Path | str,
        *,
        objectives: Sequence[str] = ("k", "loss"),
        memory: str | int | None = None,
    ) -> "Problem":
        """Read and count what a recipe names; counts may take `memory` instead of what the recipe allows."""
        recipe = recipe if isinstance(recipe, Recipe) else Recipe.read(recipe)
        schema, data, privacy = recipe.roles, recipe.data, recipe.privacy
        label = schema.label
        source = cls.source_of(recipe)
        return cls(
            source.data,
            quasi_identifiers={
                attribute.name: recipe.hierarchy(attribute.name) for attribute in schema.quasi_identifiers
            },
            sensitive={attribute.name: recipe.hierarchy(attribute.name) for attribute in schema.having(Role.SENSITIVE)},
            label=None if label is None else label.name,
            identifiers=[attribute.name for attribute in schema.having(Role.IDENTIFIER)],
            others=[attribute.name for attribute in schema.having(Role.OTHER)],
            categorical=[name for name, section in recipe.attributes.items() if not section.numeric],
            weights={attribute.name: attribute.weight for attribute in schema.quasi_identifiers},
            metric=recipe.loss.metric,
            suppression=privacy.suppression,
            suppression_rows=privacy.suppression_rows,
            suppression_use=privacy.suppression_use,
            privacy=privacy.demands,
            objectives=objectives,
            missing=data.missing,
            table=source.table,
            dialect=source.dialect,
            memory=data.memory if memory is None else memory,
        )

    @staticmethod
    def source_of(recipe: Recipe) -> Source:
        """Where the table of a recipe is."""
        data, dialect = recipe.data, CsvDialect(recipe.data.separator, recipe.data.quote, recipe.data.encoding)
        written, missing = data.source, tuple(data.missing)
        if data.engine == "spark":
            path = None if written is None else written if "://" in written else str(recipe.path(written))
            return Source(SparkSource(path=path, table=data.table, master=data.master), None, dialect, missing)
        if written is not None and is_address(written):
            return Source(written, data.table, dialect, missing)
        return Source(recipe.path(str(written)), data.table, dialect, missing)

    @property
    def rows(self) -> int:
        """N."""
        return self.counted.rows

    @property
    def frequency(self) -> FrequencySet:
        """All combinations, at the bottom of the lattice."""
        if any(self.counted.levels):
            raise BadInput(
                f"The combinations of {', '.join(self.attributes)} do not fit the memory that is allowed, and this "
                "takes all of them. Allow more memory, or search by the methods exact or exhaustive."
            )
        return self.counted

    @property
    def rows_per_leaf(self) -> tuple[Ints, ...]:
        """How the rows spread over the leaves of each quasi-identifier."""
        sizes = [len(hierarchy.leaves) for hierarchy in self.hierarchies]
        if self._spread is None:
            return tuple(self.counted.marginal(j, size) for j, size in enumerate(sizes))
        return tuple(one.marginal(0, size) for one, size in zip(self._spread, sizes, strict=True))

    def cores(self, asked: int | None = None) -> int:
        """On how many cores to work with what was counted: as many as are asked for, or as there is memory for."""
        return self._room.cores if asked is None else min(asked, self._room.cores)

    @property
    def floor(self) -> Mapping[str, int] | None:
        """The node that was counted, if it is not the bottom."""
        levels = self.counted.levels
        return dict(zip(self.attributes, levels, strict=True)) if any(levels) else None

    def classes(self, recoding: Recoding) -> FrequencySet:
        """The classes that a recoding makes, their codes the numbers of its labels."""
        if self.floor is None:
            lifts = lifts_of([each.hierarchy for each in recoding.attributes])
            return rollup(self.frequency, lifts, [each.place for each in recoding.attributes])
        labels = [np.array(each.codes, np.int32) for each in recoding.attributes]
        keys = [
            replace(recoded(key, codes), size=len(each.labels))
            for key, codes, each in zip(self._keys, labels, recoding.attributes, strict=True)
        ]
        with self._open_again() as opened:
            return opened.count(keys, self._histograms)

    @property
    def attributes(self) -> tuple[str, ...]:
        """The quasi-identifiers, in the order of the lattice."""
        return tuple(attribute.name for attribute in self.schema.quasi_identifiers)

    @property
    def gauges(self) -> tuple[Gauge, ...]:
        """The models of sensitive attributes that are objectives."""
        return self._gauges

    def with_suppression(self, share: float | None = None, *, rows: int | None = None) -> "Problem":
        """The same counted table under another suppression limit; nothing is read anew.

        >>> import pyarrow as pa
        >>> Problem(pa.table({"age": [31, 34, 38, 52]}), quasi_identifiers=["age"]).with_suppression(rows=1)
        Problem(4 rows, 4 combinations of age; 2 nodes; loss glm; at most 1 rows suppressed)
        """
        other = copy.copy(self)
        other.suppression = Suppression(share, rows, self.suppression.use)
        return other

    def evaluator(self, *, cores: int | None = None) -> Evaluator:
        """What searches ask about nodes."""
        label = self.schema.label
        kind = Evaluator if self.floor is None else FlooredEvaluator
        evaluator = kind(
            self.counted,
            self.hierarchies,
            self.loss,
            self.suppression,
            weights=[attribute.weight for attribute in self.schema.quasi_identifiers],
            label=None if label is None else label.name,
            demands=self.demands,
            gauges=self._gauges,
            rows_per_leaf=self.rows_per_leaf,
            cores=self.cores(cores),
        )
        if isinstance(evaluator, FlooredEvaluator):
            evaluator.engine = Engine(self._room.foothold, self._can_be_held, self._fetch, self._in_parts)
        return evaluator

    def __repr__(self) -> str:
        return (
            f"Problem({self.rows:,} rows, {len(self.counted):,} combinations of {', '.join(self.attributes)}"
            f"{'' if self.floor is None else f' at {self.counted.levels}'}; "
            f"{self.lattice.size:,} nodes; loss {self.loss.name}; "
            f"at most {self.suppression.limit(self.rows):,} rows suppressed)"
        )

    def _count(
        self,
        table: Table,
        specs: Mapping[str, HierarchySpec],
        categorical: Sequence[str],
        missing: Sequence[str],
        sought: "_Sought",
    ) -> None:
        self.schema.check(table.columns)
        label = self.schema.label
        labels = [] if label is None or not self.loss.facts.needs_label else [label.name]
        names = [each.name for each in self.schema.having(Role.SENSITIVE)]
        check_use(sought.privacy, names, sought.objectives, sought.hierarchies)
        sensitive = sensitive_attributes(sought.privacy, names, sought.objectives)
        profile = table.profile([*self.attributes, *labels, *sensitive])
        if profile.rows == 0:
            raise EmptyTable(table.name)
        columns = profile.columns[: len(self.attributes)]
        self.hierarchies = _hierarchies(table, columns, specs, categorical, missing)
        keys = _place(columns, self.hierarchies)
        values = {column.name: OrderedValues(column) for column in profile.columns[len(columns) + len(labels) :]}
        self.demands = demands(sought.privacy, values, sought.hierarchies, missing)
        self._gauges = gauges(sought.objectives, values, sought.hierarchies, missing)
        self.objectives = objectives_of(sought.objectives, self._gauges)
        histograms = [number(column) for column in profile.columns[len(columns) : len(columns) + len(labels)]]
        self._keys, self._histograms = keys, [*histograms, *(each.coding for each in values.values())]
        packing = Packing.of(tuple(key.size for key in keys))
        self._sizes = Sizes(self.hierarchies, profile.rows)
        self._room = self._make_room(table, packing)
        self.counted = self._counted_at(table, self._room.floor)
        if self.counted.rows != profile.rows:
            raise AssertionError(f"counted {self.counted.rows} of {profile.rows} rows")
        # told apart only where the counts do not tell
        self._spread = None if self.floor is None else [table.count([key], []) for key in keys]
        self.lattice = Lattice(tuple(hierarchy.height for hierarchy in self.hierarchies))

    def _make_room(self, table: Table, packing: Packing) -> Room:
        def most(memory: int, cores: int) -> int:
            return combinations_in(memory, packing, len(self._histograms), cores)

        def fit(node: tuple[int, ...], most: int) -> bool:
            return self._sizes.fit(node, most, partial(self._estimated_by, table))

        return make_room(self.hierarchies, fit, most, self._memory, count_cores())

    def _estimated_by(self, table: Table, node: tuple[int, ...]) -> int:
        return table.groups(raised(self._keys, self.hierarchies, node))

    def _can_be_held(self, node: tuple[int, ...]) -> bool:
        """Whether there is memory for the counts of one more node."""

        def estimate(node: tuple[int, ...]) -> int:
            with self._open_again() as opened:
                return self._estimated_by(opened, node)

        return self._sizes.fit(node, self._room.foothold, estimate)

    def _open_again(self) -> Table:
        """While counts take half of the memory already."""
        return self.source.open(memory=engine_share(self._memory // 2))

    def _counted_at(self, table: Table, node: tuple[int, ...]) -> FrequencySet:
        return replace(table.count(raised(self._keys, self.hierarchies, node), self._histograms), levels=node)

    def _fetch(self, node: tuple[int, ...]) -> FrequencySet:
        """Have the engine count at a node, after the table was read once."""
        with self._open_again() as opened:
            found = self._counted_at(opened, node)
        self._check_rows(found.rows)
        return found

    def _in_parts(self, node: tuple[int, ...]) -> Iterator[FrequencySet]:
        """The same without histograms, part after part."""
        rows = 0
        with self._open_again() as opened:
            for part in opened.parts(raised(self._keys, self.hierarchies, node), None):
                rows += part.rows
                yield part
        self._check_rows(rows)

    def _check_rows(self, found: int) -> None:
        if found != self.rows:
            raise UnreadableSource(self.source.name, "it changed while it was read. Run again.")


class _Sought(NamedTuple):
    """What is demanded, by which trees distances between sensitive values are measured, and what is traded off."""

    privacy: PrivacySection
    hierarchies: Mapping[str, HierarchySpec]
    objectives: tuple[str, ...]


def _listed(**given: Iterable[object]) -> tuple[object, ...]:
    """What an argument lists; a text would come apart into letters."""
    [(argument, values)] = given.items()
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise BadInput(f"{argument} takes a list, such as [{str(values)!r}]; got {values!r}.")
    return tuple(values)


def _names(**given: Iterable[object]) -> tuple[str, ...]:
    """The columns that an argument lists; a data frame may number them."""
    return tuple(str(name) for name in _listed(**given))


def _check_quasi_identifiers(known: Iterable[str], what: str, names: Iterable[str]) -> None:
    others = sorted(set(names) - set(known))
    if others:
        raise BadInput(f"Only quasi-identifiers {what}; {', '.join(map(repr, others))} is none.")


def _schema(
    *,
    weights: Mapping[str, float],
    quasi_identifiers: Iterable[str],
    sensitive: Iterable[str],
    label: Iterable[str],
    identifiers: Iterable[str],
    others: Iterable[str],
) -> Schema:
    _check_quasi_identifiers(quasi_identifiers, "have weights", weights)
    return Schema(
        (
            *(Attribute(name, Role.QUASI_IDENTIFIER, weights.get(name, 1.0)) for name in quasi_identifiers),
            *(Attribute(name, Role.SENSITIVE) for name in sensitive),
            *(Attribute(name, Role.LABEL) for name in label),
            *(Attribute(name, Role.IDENTIFIER) for name in identifiers),
            *(Attribute(name, Role.OTHER) for name in others),
        )
    )


def _loss(metric: str) -> Loss:
    if metric not in LOSSES:
        known = tuple(LOSSES)
        raise BadInput(f"There is no loss {metric!r}; known are {', '.join(known)}.{did_you_mean(metric, known)}")
    return LOSSES[metric]


def _use(name: str) -> SuppressionUse:
    if name not in [use.value for use in SuppressionUse]:
        raise BadInput(f"suppression_use is 'needed' or 'all'; got {name!r}.")
    return SuppressionUse(name)


def _hierarchies(
    table: Table,
    columns: Sequence[Column],
    specs: Mapping[str, HierarchySpec],
    categorical: Sequence[str],
    missing: Sequence[str],
) -> tuple[Hierarchy, ...]:
    """Build all hierarchies; all faults are reported at once."""
    built: list[Hierarchy] = []
    faults: list[ParanymError] = []
    for column in columns:
        values = [*column.values, None] if column.missing and specs.get(column.name) is None else column.values
        try:
            hierarchy = build_hierarchy(
                specs.get(column.name), values, attribute=column.name, counts=partial(tally, table, column)
            )
            hierarchy = hierarchy.reading_as_missing(missing)
            if column.name in categorical:
                hierarchy = replace(hierarchy, categorical=True)
            built.append(hierarchy.with_missing() if column.missing else hierarchy)
        except ParanymError as fault:
            faults.append(fault)
    raise_all(faults)
    return tuple(built)


def _place(columns: Sequence[Column], hierarchies: Sequence[Hierarchy]) -> list[Coding]:
    codings: list[Coding] = []
    faults: list[ParanymError] = []
    for column, hierarchy in zip(columns, hierarchies, strict=True):
        try:
            codes = hierarchy.place(column.values)
        except ParanymError as fault:
            faults.append(fault)
            continue
        missing = hierarchy.leaves.index(None) if column.missing else None
        codings.append(Coding(column, codes, missing, len(hierarchy.leaves)))
    raise_all(faults)
    return codings
