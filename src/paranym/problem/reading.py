"""Reading a table: its columns are profiled, its hierarchies built, and its values placed in them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from paranym.engines.base import Coding, Column, Table
from paranym.engines.codes import OrderedValues, number, tally
from paranym.errors import EmptyTable, ParanymError, raise_all
from paranym.hierarchies.build import build_hierarchy
from paranym.measures.privacy.anonymity import Unit
from paranym.model.hierarchy import Hierarchy
from paranym.model.lattice import Lattice
from paranym.problem.request import Request
from paranym.problem.requirements import check_use


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Reading:
    """The columns and values of a table, and the codes they are counted by."""

    columns: tuple[str, ...]
    """All columns of the table, with a role or without."""
    rows: int
    hierarchies: tuple[Hierarchy, ...]
    """Of the quasi-identifiers."""
    keys: tuple[Coding, ...]
    """The leaf of each value of each quasi-identifier."""
    labels: tuple[Coding, ...]
    """The codes of the label, if its values are counted."""
    values: Mapping[str, OrderedValues]
    """The values of the sensitive attributes that are counted."""
    trees: Mapping[str, Hierarchy]
    """Hierarchies of those sensitive attributes."""
    person: str | None = None
    """The column that identifies people, if they are counted."""

    @property
    def histograms(self) -> list[Coding]:
        """Codes of the columns whose values are counted within each combination of quasi-identifiers."""
        return [*self.labels, *(each.coding for each in self.values.values())]

    @property
    def lattice(self) -> Lattice:
        """All nodes over the hierarchies."""
        return Lattice(tuple(hierarchy.height for hierarchy in self.hierarchies))


def read(request: Request, table: Table) -> Reading:
    """Read the columns of an open table that a request is about."""
    request.schema.check(table.columns)
    check_use(request.required, request.sensitive, request.objectives, request.trees)
    attributes, label = request.attributes, request.measured_label
    labels = [] if label is None else [label]
    names = [*attributes, *labels, *request.measured_attributes]
    table.materialize(names if request.person is None else [*names, request.person])
    profile = table.profile(names)
    if profile.rows == 0:
        raise EmptyTable(table.name)
    columns, others = profile.columns[: len(attributes)], profile.columns[len(attributes) :]
    hierarchies = _hierarchies(request, table, columns)
    keys = _place(columns, hierarchies)
    values = {column.name: OrderedValues(column) for column in others[len(labels) :]}
    return Reading(
        columns=table.columns,
        rows=profile.rows,
        hierarchies=hierarchies,
        keys=keys,
        labels=tuple(map(number, others[: len(labels)])),
        values=values,
        trees={
            name: build_hierarchy(spec, values[name].listed, attribute=name)
            for name, spec in request.trees.items()
            if spec is not None and name in values
        },
        person=request.person if request.unit is Unit.PERSON else None,
    )


def _hierarchies(request: Request, table: Table, columns: Sequence[Column]) -> tuple[Hierarchy, ...]:
    """Build all hierarchies; all faults are reported at once."""
    built: list[Hierarchy] = []
    faults: list[ParanymError] = []
    for column in columns:
        spec = request.specs.get(column.name)
        values = [*column.values, None] if column.missing and spec is None else column.values
        try:
            hierarchy = build_hierarchy(spec, values, attribute=column.name, counts=partial(tally, table, column))
            hierarchy = hierarchy.reading_as_missing(request.source.missing)
            if column.name in request.categorical:
                hierarchy = replace(hierarchy, categorical=True)
            built.append(hierarchy.with_missing() if column.missing else hierarchy)
        except ParanymError as fault:
            faults.append(fault)
    raise_all(faults)
    return tuple(built)


def _place(columns: Sequence[Column], hierarchies: Sequence[Hierarchy]) -> tuple[Coding, ...]:
    """Find the leaf of every value; all faults are reported at once."""
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
    return tuple(codings)
