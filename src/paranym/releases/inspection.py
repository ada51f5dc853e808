"""Inspection of a release: it is read back, counted again, and compared with the claims of its manifest.

Nothing here depends on how the release was made. The claims come from the manifest alone. Equivalence classes are
counted by the code that audits any table. The loss follows from the frequency of each label and its number of leaves.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from paranym.audits.audit import audit_table
from paranym.engines.base import Column, Rewriting, Table
from paranym.engines.codes import OrderedValues, number
from paranym.engines.source import open_table
from paranym.engines.sql.rewriting import neutral
from paranym.errors import ParanymError
from paranym.hierarchies.build import HierarchySpec
from paranym.measures.catalogue import find_loss
from paranym.measures.privacy.anonymity import Suppression, Unit
from paranym.measures.privacy.base import Classes, Model, Reference, Requirement
from paranym.model.hierarchy import Hierarchy, Label
from paranym.model.schema import Attribute, Role, Schema
from paranym.model.values import is_number, is_whole, to_text
from paranym.problem.requirements import privacy_requirements
from paranym.recipe import PrivacySection
from paranym.releases.losses import KNOWN_LOSSES, Basis, Measured, OriginalSpread, measure
from paranym.releases.manifest import ONE_VALUE, requirements_in
from paranym.releases.own_losses import OwnLoss
from paranym.results.audit import Audit
from paranym.results.published import PublishedColumn
from paranym.results.release import K_IN_PEOPLE, MARK, Check, Claims, Verification

_UNNAMED_VALUES = "not derivable, since there are values that the manifest does not name"
_UNPUBLISHED = "it depends on values that are not published"
AGAINST_ORIGINAL = "it compares with the original table"
"""The reason why a requirement cannot be checked from the release, not even with the recoding file."""
_WITHOUT_KEY = "the release does not tell people apart; verify it with the original table"
_OWN = "it is measured by a loss that is not part of paranym"
_ONE = "it is about one value, which is not named"
_TREE = "it depends on a hierarchy that is not published"


@dataclass(frozen=True, slots=True, kw_only=True)
class Private:
    """Facts that only the owner of the original table knows; without them some checks are not possible."""

    privacy: Mapping[str, Any] = field(default_factory=dict)
    """The privacy requirements, as `written_requirements` lists them, with the values that a manifest does not name."""
    trees: Mapping[str, HierarchySpec] = field(default_factory=dict)
    """Hierarchies of sensitive attributes."""
    spread: Mapping[str, OriginalSpread] = field(default_factory=dict)
    """The distribution of the original rows over each quasi-identifier; only entropy needs it."""
    models: Mapping[str, Model] = field(default_factory=dict)
    """User-defined privacy models, by their names."""
    own: OwnLoss | None = None
    """A user-defined loss."""
    fewest_people: Callable[[Table], int] | None = None
    """Counts the fewest different people of a class of the release, with the original table."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Terms:
    """The claims that a release is checked against."""

    schema: Schema
    """The published columns and their roles, by their names in the file."""
    claims: Claims
    columns: tuple[str, ...]
    """The published columns, in order."""
    sensitive: Mapping[str, str] = field(default_factory=dict)
    """Per sensitive attribute, by its name in the recipe: its name in the file."""
    marked: bool = False
    """True if suppressed rows are kept, as rows of `*`."""
    privacy: Mapping[str, Any] = field(default_factory=dict)
    """The privacy requirements, as `written_requirements` lists them; the manifest does not name values."""
    published: tuple[PublishedColumn, ...] | None = None
    """The labels of the quasi-identifiers; None if no loss is claimed."""
    requested: tuple[Check, ...] = ()
    """The limits that the user set; `found` names the figure that each is compared with."""
    private: Private | None = None
    missing: tuple[str, ...] = ()
    """Tokens that the recipe names as missing."""

    @classmethod
    def of(cls, manifest: Mapping[str, Any], private: Private | None = None) -> "Terms":
        """Return the claims of a manifest; raise `KeyError`, `TypeError` or `ValueError` if it is incomplete."""
        claims, release, columns = _claims(manifest["assessment"]), manifest["release"], manifest["columns"]
        if sorted(columns) != sorted(release["columns"]):
            raise ValueError("The columns of a manifest are those of its release.")
        roles = {name: Role(column["role"]) for name, column in columns.items()}
        published = {
            name: PublishedColumn.from_dict(name, columns[name])
            for name, role in roles.items()
            if role is Role.QUASI_IDENTIFIER
        }
        attributes = manifest["recipe"]["attributes"]
        names = [name for name, attribute in attributes.items() if attribute["role"] == Role.SENSITIVE]
        privacy = manifest["recipe"]["privacy"]
        return cls(
            schema=Schema(
                tuple(
                    Attribute(name, role, published[name].weight if name in published else 1.0)
                    for name, role in roles.items()
                )
            ),
            claims=claims,
            columns=tuple(release["columns"]),
            sensitive={name: shown for name in names for shown in (name, neutral(name)) if shown in columns},
            marked=release["suppressed_rows"] == "blanked",
            privacy={key: _listed(written) for key, written in requirements_in(privacy).items()},
            published=tuple(published.values()),
            requested=tuple(_requested(manifest, claims)),
            private=private,
            missing=tuple(manifest["recipe"]["data"].get("missing", ())),
        )

    @property
    def keys(self) -> tuple[str, ...]:
        """The quasi-identifiers, by their names in the file."""
        return tuple(each.name for each in self.schema.quasi_identifiers)

    @property
    def blank(self) -> dict[str, str | None]:
        """The cells of a suppressed row, where such rows are kept."""
        return {name: MARK if name in self.keys else None for name in self.columns} if self.marked else {}


def _listed(requirements: object) -> list[Mapping[str, Any]]:
    if not isinstance(requirements, list) or not all(isinstance(each, Mapping) for each in requirements):
        raise TypeError("Requirements of one kind are a list of tables.")
    return requirements


def _claims(document: Mapping[str, Any]) -> Claims:
    claims = Claims.from_dict(document)
    whole = all(map(is_whole, (claims.rows, claims.k, claims.suppressed))) and claims.rows >= 1
    whole = whole and claims.unit in list(Unit)
    if not (whole and all(map(is_number, (claims.loss, claims.loss_fraction, claims.weighted_k)))):
        raise ValueError("This is not the assessment of a manifest.")
    return claims


def _requested(manifest: Mapping[str, Any], claims: Claims) -> Iterator[Check]:
    """Yield the limits of the request. Until it is counted, `found` names the figure that a limit is compared with."""
    privacy, chosen = manifest["recipe"]["privacy"], manifest["chosen"]
    if privacy.get("k") is not None:
        yield Check(what="k demanded", promised=privacy["k"], found="k", relation=">=")
    if isinstance(chosen.get("k"), int):
        yield Check(what="k asked for", promised=chosen["k"], found="k", relation=">=")
    if isinstance(chosen.get("max_loss"), float | int):
        yield Check(what="loss allowed", promised=chosen["max_loss"], found="loss_fraction", relation="<=")
    share, rows = privacy["suppression"], privacy["suppression_rows"]
    if share is not None or rows is not None:
        limit = Suppression(share, rows).limit(claims.rows)
        yield Check(what="suppressed rows allowed", promised=limit, found="suppressed", relation="<=")
    if isinstance(manifest.get("model"), Mapping):
        yield Check(what="k asked of the groups", promised=manifest["model"]["asked_k"], found="k", relation=">=")


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Inspection:
    """The content of a release, as it was counted."""

    columns: tuple[str, ...]
    rows: int
    """Number of rows, including suppressed rows that are kept as `*`."""
    checks: tuple[Check, ...]
    requested: tuple[Check, ...] = ()
    audit: Audit | None = None
    """The audit of the release; None if its columns are not those of the claims, or it has no rows."""
    counts: Mapping[str, Mapping[Label, int]] | None = None
    """Per quasi-identifier: rows with each label; None if there are values that the manifest does not name."""
    measured: Measured | None = None
    """The loss, if it can be derived."""
    achieved: Mapping[str, float | None] = field(default_factory=dict)
    """The value of each requirement, by its text; None if it cannot be derived."""
    keys: tuple[str, ...] = ()
    unique: int = 0
    """Rows that differ from every other row in some column; suppressed rows are not counted."""

    @property
    def verification(self) -> Verification:
        """The comparison with the claims."""
        return Verification(checks=self.checks, asked=self.requested, audit=self.audit, quasi_identifiers=self.keys)


@contextmanager
def opened_release(data: object, *, table: str | None = None, memory: str | None = None) -> Iterator[Table]:
    """Open a release and read it once for all checks."""
    with open_table(data, table=table, memory=memory) as opened:
        opened.materialize(opened.columns)
        yield opened


def inspect(opened: Table, terms: Terms, *, called: str = "") -> Inspection:
    """Compare an open release with its claims; `called` is its name in the audit.

    From then on, the open table skips suppressed rows that are kept as `*`.
    """
    claims, columns = terms.claims, opened.columns
    rows = opened.profile(()).rows
    if columns != terms.columns:
        names = Check(what="columns", promised=", ".join(terms.columns), found=", ".join(columns))
        return Inspection(columns=columns, rows=rows, checks=(names,), keys=terms.keys)
    if rows == 0:
        none = Check(what="rows", promised=claims.published, found=0)
        return Inspection(columns=columns, rows=rows, checks=(none,), keys=terms.keys)
    if terms.marked:
        opened.pass_over(terms.blank)
    return _compared(opened, terms, rows, called)


def count_formulas(opened: Table) -> tuple[int, bool]:
    """Count the cells of a file that a spreadsheet would run, and return whether a quote neutralizes all of them."""
    every = Rewriting(replaced=())
    found = opened.formulas(every)
    return found, found > 0 and opened.formulas(every, bare=True) == 0


def _compared(table: Table, terms: Terms, rows: int, called: str) -> Inspection:
    """Compare the claims with an open table that skips suppressed rows."""
    claims, audit = terms.claims, audit_table(table, terms.schema, known_tokens=terms.missing)
    audit = replace(audit, table=called or audit.table)
    counts = _counts(table, terms)
    measured = _measured(table, terms, audit, counts)
    k = _k(table, terms, audit)
    requirements = list(_requirements(table, terms))
    checks = [
        Check(what="columns", promised=len(terms.columns), found=len(table.columns)),
        Check(what="rows", promised=claims.rows if terms.marked else claims.published, found=rows),
        Check(what="suppressed rows", promised=claims.suppressed, found=claims.rows - audit.rows),
        *_checks_of_k(claims, audit, k),
        *(each.check for each in requirements),
        *([] if terms.published is None else [_loss(terms, counts, measured)]),
    ]
    fraction = None if measured is None else measured.fraction
    against = {"k": k, "suppressed": claims.rows - audit.rows, "loss_fraction": fraction}
    return Inspection(
        columns=table.columns,
        rows=rows,
        checks=tuple(checks),
        requested=tuple(_against(each, against[str(each.found)]) for each in terms.requested),
        audit=audit,
        counts=counts,
        measured=measured,
        achieved={str(each.requirement): each.achieved for each in requirements},
        keys=terms.keys,
        unique=table.unique(table.columns),
    )


def _k(table: Table, terms: Terms, audit: Audit) -> int | None:
    """Return the k of a release; None if it counts people, and the original table is not at hand."""
    if terms.claims.unit == Unit.ROW:
        return audit.k
    count = None if terms.private is None else terms.private.fewest_people
    return None if count is None else count(table)


def _checks_of_k(claims: Claims, audit: Audit, k: int | None) -> tuple[Check, ...]:
    """Return the check of k, and for a k in people also that every class has at least as many rows."""
    if claims.unit == Unit.ROW:
        return (Check(what="k", promised=claims.k, found=k),)
    return (
        Check(what=K_IN_PEOPLE, promised=claims.k, found=k, note=_WITHOUT_KEY if k is None else ""),
        Check(what="rows of the smallest class", promised=claims.k, found=audit.k, relation=">="),
    )


def _against(check: Check, found: float | None) -> Check:
    """Return a limit of the request compared with what was found."""
    return replace(check, found=found, note=_WITHOUT_KEY if found is None and check.found == "k" else check.note)


def _loss(terms: Terms, counts: object, measured: Measured | None) -> Check:
    claims = terms.claims
    unknown = Check(what=f"loss ({claims.metric})", promised=claims.loss, found=None)
    if counts is None:
        return replace(unknown, found=_UNNAMED_VALUES)
    note = _UNPUBLISHED if claims.metric in KNOWN_LOSSES else _OWN
    return replace(unknown, note=note) if measured is None else replace(unknown, found=measured.loss)


def _measured(
    table: Table, terms: Terms, audit: Audit, counts: Mapping[str, Mapping[Label, int]] | None
) -> Measured | None:
    if counts is None or terms.published is None:
        return None
    metric, private = terms.claims.metric, terms.private or Private()
    loss = find_loss(metric) if private.own is None else private.own.loss
    needs_target = loss is not None and loss.facts.needs_label
    basis = Basis(
        rows=terms.claims.rows,
        sizes=audit.sizes,
        columns=terms.published,
        counts=counts,
        majority=_majority(table, terms) if needs_target else None,
        spread=private.spread,
    )
    return measure(metric, basis) if private.own is None else private.own.measure(basis)


def _counts(table: Table, terms: Terms) -> dict[str, dict[Label, int]] | None:
    """Count the rows under each label; None if some value is not a label. The value is not named."""
    found = {}
    for column, published in zip(table.profile(terms.keys).columns, terms.published or (), strict=False):
        labels = [label.label for label in published.labels]
        coding = number(column)
        counted = table.count([coding], [])
        rows = np.zeros(coding.size, np.int64)
        rows[counted.codes[:, 0]] = counted.counts
        named = named_labels(column, labels)
        if named is None:
            return None
        found[published.name] = dict.fromkeys(labels, 0)
        for label, amount in zip(named, rows.tolist(), strict=True):
            found[published.name][label] += amount
    return found


def named_labels(column: Column, labels: Sequence[Label]) -> list[Label] | None:
    """Return the label of each value of a column, a missing one last; None if a value is not a label.

    Text must match exactly. Typed cells match by value, as in a hierarchy.
    """
    known = set(labels)
    values: list[object] = [*column.values, *([None] if column.missing else [])]
    named = [to_text(value) for value in values]
    if set(named) <= known:
        return named
    if any(isinstance(value, str) for value in values) or not known:
        return None
    domain = Hierarchy.suppression(labels, attribute=column.name)
    try:
        return [domain.leaves[leaf] for leaf in domain.place(values).tolist()]
    except ParanymError:
        return None


def _majority(table: Table, terms: Terms) -> int | None:
    """Count the rows with the most frequent target value of their class; None if no column is a target."""
    target = next((each.name for each in terms.schema.having(Role.LABEL)), None)
    if target is None:
        return None
    *keys, last = [number(column) for column in table.profile([*terms.keys, target]).columns]
    return sum(int(Classes.of(part, target).largest.sum()) for part in table.parts(keys, last))


@dataclass(frozen=True, slots=True, eq=False)
class _Judged:
    """A privacy requirement, and the value that the file achieves."""

    requirement: Requirement
    achieved: float | None
    check: Check


def _requirements(table: Table, terms: Terms) -> Iterator[_Judged]:
    """Yield each privacy requirement, checked on the rows of the file."""
    if not any(requirements_in(terms.privacy).values()):
        return
    names = list(terms.sensitive.values())
    columns = table.profile([*terms.keys, *names]).columns
    keys = [number(column) for column in columns[: len(terms.keys)]]
    values = dict(zip(terms.sensitive, map(OrderedValues, columns[len(keys) :]), strict=True))
    counted = table.count(keys, [each.coding for each in values.values()])
    for requirement, unknown in _named_requirements(terms, values):
        name = None if requirement.attribute is None else terms.sensitive[requirement.attribute]
        yield _judged(requirement, Classes.of(counted, name), unknown)


def _named_requirements(terms: Terms, values: Mapping[str, OrderedValues]) -> Iterator[tuple[Requirement, str]]:
    """Yield the privacy requirements, each with the reason why it cannot be checked, if there is one."""
    private = terms.private or Private()
    # without its hierarchy a distance is not known, but the requirement can be named all the same
    stand_ins = {name: Hierarchy.suppression(each.listed, attribute=name) for name, each in values.items()}
    trees: dict[str, HierarchySpec] = {**stand_ins, **private.trees}
    known = private.privacy or terms.privacy
    for key, listed in requirements_in(known).items():
        model = private.models.get(key, key)
        for written in listed:
            options = {option: value for option, value in written.items() if option != ONE_VALUE}
            section = PrivacySection.of_requirements({model: [options]})
            for each in privacy_requirements(section, values, trees).requirements:
                is_by_tree = each.model.facts.needs_hierarchy
                yield (
                    each,
                    _ONE
                    if ONE_VALUE in written
                    else _TREE
                    if is_by_tree and each.attribute not in private.trees
                    else "",
                )


def _judged(requirement: Requirement, classes: Classes, unknown: str) -> _Judged:
    if requirement.model.facts.needs_reference and requirement.reference is Reference.ORIGINAL:
        unknown = AGAINST_ORIGINAL
    title, attribute = requirement.model.title, requirement.attribute
    check = Check(
        what=title if attribute is None else f"{title} ({attribute})",
        promised=requirement.threshold,
        found=None,
        note=unknown,
        relation=">=" if requirement.model.facts.larger_is_better else "<=",
    )
    if unknown:
        return _Judged(requirement, None, check)
    achieved = float(requirement.model.achieved(classes))
    return _Judged(requirement, achieved, replace(check, found=achieved, is_met=requirement.is_met(classes)))
