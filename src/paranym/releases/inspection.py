"""A release read back: counted afresh from what was written, and compared with what was promised.

Nothing here knows how the release was made. Classes are counted by the code that audits any table; the loss is put
together from how often each label occurs in the file.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from paranym.audits.auditing import audit_table
from paranym.engines.base import Column, Table
from paranym.engines.coding import OrderedValues, number
from paranym.engines.rewriting import neutral
from paranym.engines.source import open_table
from paranym.errors import ParanymError
from paranym.hierarchies.build import HierarchySpec
from paranym.measures.base import CellLoss, Domain, Loss, Tally
from paranym.measures.local import label_costs
from paranym.measures.loss import LOSSES
from paranym.measures.privacy.base import Classes, Reference, Requirement
from paranym.model.audit import Audit
from paranym.model.local_labels import AttributeLabels, LocalLabels
from paranym.model.recoding import AttributeRecoding, Recoding
from paranym.model.release import MARK, Check, Promise, Verification
from paranym.model.schema import Attribute, Role, Schema
from paranym.model.values import to_text
from paranym.problem.requirements import demands
from paranym.recipe import PrivacySection

Ints = NDArray[np.int64]

_UNTOLD = "not to be told, since there are values that the recoding does not publish"


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Terms:
    """What a release is to be held against."""

    schema: Schema
    """What the columns of the original table are."""
    promise: Promise
    columns: tuple[str, ...]
    """What is published, in that order."""
    marked: bool = False
    """Whether suppressed rows are there, as rows of `*`."""
    neutralized: bool = False
    """Whether formulas were made harmless."""
    privacy: Mapping[str, object] = field(default_factory=dict)
    """What is demanded, as a recipe says it."""
    trees: Mapping[str, HierarchySpec] = field(default_factory=dict)
    """Hierarchies of sensitive attributes."""
    rows_per_leaf: Mapping[str, Ints] | None = None
    """How the original rows spread over the leaves of each quasi-identifier; only entropy asks for it."""
    recoding: Recoding | LocalLabels | None = None
    """Without it the loss cannot be told: it takes to know which values hide behind each label."""
    is_loss_promised: bool = True

    @property
    def published(self) -> Schema:
        """What the published columns are."""
        kept = [each for each in self.schema.attributes if each.role is not Role.IDENTIFIER]
        return Schema(tuple(Attribute(self.shown(each.name), each.role, each.weight) for each in kept))

    @property
    def keys(self) -> tuple[str, ...]:
        """The quasi-identifiers, as they stand in the file."""
        return tuple(each.name for each in self.published.quasi_identifiers)

    @property
    def blank(self) -> dict[str, str | None]:
        """What a suppressed row has in every column, where such rows are kept."""
        return {name: MARK if name in self.keys else None for name in self.columns} if self.marked else {}

    def shown(self, text: str) -> str:
        """How text stands in the file."""
        return neutral(text) if self.neutralized else text


def inspect(data: object, terms: Terms, *, table: str | None = None, memory: str | None = None) -> Verification:
    """Read a release and compare it with its promise."""
    promise = terms.promise
    with open_table(data, table=table, memory=memory) as opened:
        if opened.columns != terms.columns:
            names = Check(what="columns", promised=", ".join(terms.columns), found=", ".join(opened.columns))
            return Verification(checks=(names,))
        rows = opened.profile(()).rows
        if rows == 0:
            return Verification(checks=(Check(what="rows", promised=promise.published, found=0),))
        if not terms.marked:
            return _compared(opened, terms, rows)
    with open_table(data, table=table, memory=memory, without=terms.blank) as opened:
        return _compared(opened, terms, rows)


def _compared(table: Table, terms: Terms, rows: int) -> Verification:
    """What was promised beside what is in a table, which is open without rows that are suppressed."""
    promise, audit = terms.promise, audit_table(table, terms.published)
    checks = [
        Check(what="columns", promised=len(terms.columns), found=len(table.columns)),
        Check(what="rows", promised=promise.rows if terms.marked else promise.published, found=rows),
        Check(what="suppressed rows", promised=promise.suppressed, found=promise.rows - audit.rows),
        Check(what="k", promised=promise.k, found=audit.k),
        *_requirements(table, terms),
        *([_loss(table, terms, audit)] if terms.is_loss_promised else []),
    ]
    return Verification(checks=tuple(checks), audit=audit)


def _loss(table: Table, terms: Terms, audit: Audit) -> Check:
    promise, loss, recoding = terms.promise, LOSSES[terms.promise.metric], terms.recoding
    unknown = Check(what=f"loss ({promise.metric})", promised=promise.loss, found=None)
    if recoding is None:
        return replace(unknown, note="the recoding file is not here")
    if isinstance(recoding, LocalLabels):
        return _local_loss(table, terms, recoding, unknown)
    if loss.facts.needs_spread and terms.rows_per_leaf is None:
        return replace(unknown, note="it depends on values that are not published")
    try:
        return replace(unknown, found=_measure(table, terms, recoding, audit))
    except _Stranger:
        return replace(unknown, found=_UNTOLD)


def _local_loss(table: Table, terms: Terms, recoding: LocalLabels, unknown: Check) -> Check:
    """The certainty penalty, from how often each label occurs and which values it stands for."""
    total = 0.0
    for column, attribute in zip(table.profile(terms.keys).columns, recoding.attributes, strict=True):
        costs = label_costs(attribute)
        if costs is None:
            return replace(unknown, note="it depends on values that are not published")
        try:
            rows = _occurring(table, column, _codes(column, attribute, terms), len(costs))
        except _Stranger:
            return replace(unknown, found=_UNTOLD)
        total += attribute.axis.weight * float(rows @ costs)
    return replace(unknown, found=total)


class _Stranger(Exception):
    """A value in the release that the recoding does not publish; which one is not told."""


def _measure(table: Table, terms: Terms, recoding: Recoding, audit: Audit) -> float:
    """The loss, from what stands in the file and the hierarchies as far as they were used."""
    loss, attributes, sizes = LOSSES[terms.promise.metric], recoding.attributes, audit.sizes
    columns = table.profile(terms.keys).columns
    counts = [
        _occurring(table, column, _codes(column, each, terms), len(each.labels))
        for column, each in zip(columns, attributes, strict=True)
    ]
    domains = tuple(Domain(each.hierarchy, _leaves(each, terms), each.weight) for each in attributes)
    levels = [each.place for each in attributes]
    tally = Tally(
        rows=terms.promise.rows,
        domains=domains,
        levels=np.array([levels], np.int64),
        k=np.array([audit.k]),
        suppressed=np.array([terms.promise.rows - audit.rows]),
        kept_classes=np.array([sizes.count]),
        kept_squares=np.array([int((sizes.sizes**2) @ sizes.classes)]),
        kept_majority=np.array([_majority(table, terms) if loss.facts.needs_label else 0]),
        kept_costs=_costs(loss, terms, domains, levels, counts),
        spread=_spread(domains, levels, counts) if loss.facts.needs_spread else np.empty((1, 0)),
    )
    return float(loss.of(tally)[0])


def _leaves(attribute: AttributeRecoding, terms: Terms) -> Ints:
    if terms.rows_per_leaf is None:
        return np.zeros(len(attribute.leaves), np.int64)
    return terms.rows_per_leaf[attribute.attribute]


def _occurring(table: Table, column: Column, codes: Sequence[int], labels: int) -> Ints:
    """How many rows have each label of an attribute, given which label each value of its column is."""
    coding = number(column)
    counted = table.count([coding], [])
    rows = np.zeros(coding.size, np.int64)
    rows[counted.codes[:, 0]] = counted.counts
    return np.bincount(codes, weights=rows, minlength=labels).astype(np.int64)


def _codes(column: Column, attribute: AttributeRecoding | AttributeLabels, terms: Terms) -> list[int]:
    """Which label each value of a column is, a missing one last."""
    by_text = {None if label is None else terms.shown(label): code for code, label in enumerate(attribute.labels)}
    values: list[object] = [*column.values, *([None] if column.missing else [])]
    if attribute.keeps_values and not all(value is None or isinstance(value, str) for value in values):
        try:
            leaves = attribute.hierarchy.place(values).tolist()
        except ParanymError as error:
            raise _Stranger from error
        values = [attribute.hierarchy.leaves[leaf] for leaf in leaves]
    found = [by_text.get(to_text(value)) for value in values]
    if None in found:
        raise _Stranger
    return [code for code in found if code is not None]


def _costs(
    loss: Loss, terms: Terms, domains: Sequence[Domain], levels: Sequence[int], counts: Sequence[Ints]
) -> NDArray[np.float64]:
    if not loss.facts.needs_costs:
        return np.empty((1, 0))
    costs = [cast("CellLoss", loss).costs(domain, terms.promise.rows) for domain in domains]
    pairs = zip(costs, levels, counts, strict=True)
    return np.array([[int(rows @ cost.numerators[level]) / cost.denominator for cost, level, rows in pairs]])


def _spread(domains: Sequence[Domain], levels: Sequence[int], counts: Sequence[Ints]) -> NDArray[np.float64]:
    """The bits that tell the label of each suppressed row among all suppressed rows."""
    gone = [domain.rows_per_value(level) - rows for domain, level, rows in zip(domains, levels, counts, strict=True)]
    return np.array([[_bits(rows.sum(keepdims=True)) - _bits(rows) for rows in gone]])


def _bits(rows: Ints) -> float:
    some = rows[rows > 0].astype(float)
    return float((some * np.log2(some)).sum())


def _majority(table: Table, terms: Terms) -> int:
    """Rows that have the most frequent label of their class."""
    label = next(each.name for each in terms.published.having(Role.LABEL))
    *keys, last = [number(column) for column in table.profile([*terms.keys, label]).columns]
    return sum(int(Classes.of(part, label).largest.sum()) for part in table.parts(keys, last))


def _requirements(table: Table, terms: Terms) -> list[Check]:
    """Each of the demands, judged by what is in the file."""
    if not set(terms.privacy) - {"k"}:
        return []
    sensitive = [each.name for each in terms.schema.having(Role.SENSITIVE)]
    columns = table.profile([*terms.keys, *(terms.shown(name) for name in sensitive)]).columns
    keys = [number(column) for column in columns[: len(terms.keys)]]
    values = dict(zip(sensitive, map(OrderedValues, columns[len(keys) :]), strict=True))
    counted = table.count(keys, [each.coding for each in values.values()])
    return [
        _requirement(each, Classes.of(counted, None if each.attribute is None else terms.shown(each.attribute)))
        for each in demands(PrivacySection.demanding(terms.privacy), values, terms.trees).requirements
    ]


def _requirement(requirement: Requirement, classes: Classes) -> Check:
    facts = requirement.model.facts
    if facts.needs_reference and requirement.reference is Reference.ORIGINAL:
        note = "it compares with the original table"
        return Check(what=requirement.model.title, promised=str(requirement), found=None, note=note)
    met = requirement.is_met(classes)
    found = str(requirement) if met else f"{requirement.model.reached(classes):.10g}"
    return Check(what=requirement.model.title, promised=str(requirement), found=found)
