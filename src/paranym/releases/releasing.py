"""From a chosen solution to a release, with its manifest and its private recoding file."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from paranym.engines.base import Rewriting, Table, Target
from paranym.engines.files.scratch import scratch
from paranym.engines.frames.conversion import IndexRole, check_index, published_index, with_index
from paranym.engines.sql.rewriting import neutral
from paranym.errors import BadInput
from paranym.hierarchies.build import HierarchySpec, build_hierarchy
from paranym.measures.privacy.anonymity import Unit
from paranym.model.hierarchy import Hierarchy
from paranym.model.local_labels import LocalLabels
from paranym.model.recoding import Recoding
from paranym.problem import Problem
from paranym.publishing.columns import Undeclared, decide
from paranym.publishing.findings import Examined, Limits
from paranym.publishing.gate import Gate
from paranym.publishing.labels import as_shown
from paranym.publishing.plan import leaves_of
from paranym.publishing.publication import Publication, publication_of
from paranym.releases.databases import DatabaseDestination, destination_of
from paranym.releases.derivation import ORDER, Made, compare_manifest
from paranym.releases.destinations import Destination
from paranym.releases.inspection import Inspection, Private, Terms, inspect, opened_release
from paranym.releases.losses import KNOWN_LOSSES, OriginalSpread, bits
from paranym.releases.manifest import (
    Guarantee,
    SavedRecoding,
    beside,
    earlier_releases,
    fingerprint,
    new_key,
    number_of,
    recipe_of,
    software,
)
from paranym.releases.own_losses import OwnLoss
from paranym.releases.people import PeopleOfRelease
from paranym.releases.registry import History
from paranym.releases.signing import check_key
from paranym.releases.signing import sign as sign_manifest
from paranym.releases.writing import (
    Checked,
    Content,
    Documents,
    Tell,
    Writer,
    disclosing_columns,
    frame_of,
    ignore_step,
)
from paranym.results.front import Point
from paranym.results.local_result import LocalResult
from paranym.results.release import MARK, Claims, Verification
from paranym.saved.manifest import MANIFEST
from paranym.wording.numbers import counted, percent


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Release:
    """A released table, its claims, and their verification.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58], "sex": ["F", "M", "F", "M", "F", "M"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
    >>> pn.release(problem, pn.frontier(problem)[1]).verification.holds
    True
    """

    table: Any
    """The released table, of the same kind as the original; None if it was written to a file or a database."""
    path: Path | None
    """The file or folder, if it was written to one."""
    recoding: Recoding | LocalLabels
    promise: Claims
    verification: Verification
    manifest: Mapping[str, Any] | None = None
    """The manifest beside the file, which is public."""
    warnings: tuple[str, ...] = ()
    target: Target | None = None
    """The file or table that was written, if any."""
    gate: Examined | None = None
    """The findings of the gate; None if the release was read back later."""
    publication: Publication | None = field(default=None, repr=False)
    """The published recoding with its classes, for the report; None if the release was read back later."""

    @property
    def where(self) -> str:
        """The name of the release in messages."""
        if self.target is not None:
            return self.target.where
        return "a table" if self.path is None else str(self.path)

    def __repr__(self) -> str:
        return (
            f"Release({self.where}: {self.promise.published:,} rows, k = {self.promise.k}, "
            f"loss {percent(self.promise.loss_fraction)}, {counted(self.promise.suppressed, 'row')} suppressed, "
            f"{'verified' if self.verification.holds else 'BROKEN'})"
        )


def release(
    problem: Problem,
    point: Point | LocalResult,
    to: Path | str | None = None,
    *,
    table: str | None = None,
    overwrite: bool = False,
    keep_suppressed: bool = False,
    neutralize_formulas: bool = False,
    earlier: Sequence[Path | str] = (),
    chosen: Mapping[str, Any] | None = None,
    undeclared: Undeclared | None = None,
    accept: Sequence[str] = (),
    sign: Path | str | None = None,
    index: IndexRole | None = None,
    memory: str | None = None,
    registry: bool = True,
    tell: Tell | None = None,
) -> Release:
    """Anonymize the table of a problem by a point of its front or by a local recoding, and verify the result.

    Without `to`, a data frame is returned as a frame of the same kind, in its order. Its index is refused, unless it
    only numbers the rows or `index` is "keep" or "drop". With `to`, a file is written in random order: by its ending
    CSV, Parquet or a `table` of a DuckDB file. A manifest and the private recoding file are written beside it. A table
    in Spark becomes a folder of Parquet files. If `to` is the address of its own database, a table becomes another
    `table` there, in one transaction. A release is published only after it was read back and its claims hold.

    Only columns with a role are published. For columns without one, `undeclared` is "drop" or "keep"; otherwise
    `NoRole` is raised and nothing is written. Names and contacts of people, free text, and columns that undo a
    generalization raise `GateClosed`, unless `accept` names them, such as "free-text:notes". Rows in equivalence
    classes smaller than the k of the point are suppressed: removed, or with `keep_suppressed` kept as `*` with their
    other columns empty. With `neutralize_formulas`, cells that a spreadsheet would run are quoted.

    Earlier releases of the table are searched in the folder of the file, in the folders `earlier`, and in the private
    `registry` of the user, which also records this release. `chosen` states in the manifest how the point was chosen;
    limits that it names must hold. `sign` is an OpenSSH key that signs the manifest. The engine takes at most `memory`.
    `tell` is called with the name of each step as it begins.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58], "job": ["cook", "smith", "cook", "nurse", "smith", "cook"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}}, keep=["job"])
    >>> released = pn.release(problem, pn.ask(pn.frontier(problem), min_k=3).point)
    >>> released.table.to_pydict()["age"]
    ['30-39', '30-39', '30-39', '50-59', '50-59', '50-59']
    """
    problem, decision = decide(problem, undeclared)
    gate = Gate.of(problem, decision, accept)
    gate.check((*problem.columns, *published_index(problem.source.data, index)))
    plan = publication_of(point, problem)
    if keep_suppressed:
        _check_marks(plan)
    request = _Request(
        keep_suppressed=keep_suppressed,
        neutralize=neutralize_formulas,
        memory=memory,
        gate=gate,
        registry=registry,
        tell=tell or ignore_step,
    )
    if to is None:
        if sign is not None:
            raise BadInput("Only a release to a file or a database has a manifest to sign: name its destination.")
        return _release_frame(plan, request, index)
    if index is not None:
        raise BadInput("Only a data frame that is returned has an index; files and databases have none.")
    if sign is not None:
        check_key(sign)
    destination = destination_of(problem.source, to, table, overwrite=overwrite)
    if neutralize_formulas and not destination.target.format.is_text:
        raise BadInput("Formulas are run by spreadsheets that open CSV files; only there can they be neutralized.")
    return _Run(plan, request, destination, tuple(map(Path, earlier)), dict(chosen or {}), sign).release()


def rehearse(problem: Problem, point: Point, *, memory: str | None = None, tell: Tell | None = None) -> Release:
    """Make a trial release, verify and discard it; columns without a role are dropped, and no finding stops it."""
    problem, decision = decide(problem, "drop")
    gate = Gate.of(problem, decision, is_open=True)
    request = _Request(
        keep_suppressed=False, neutralize=False, memory=memory, gate=gate, registry=False, tell=tell or ignore_step
    )
    plan = publication_of(point, problem)
    if problem.source.is_frame:
        return _release_frame(plan, request, "drop")
    with scratch() as folder:
        destination = destination_of(problem.source, folder / "trial.parquet", None, overwrite=False)
        return _Run(plan, request, destination, (), {}).release()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Request:
    """The request for a release, besides its solution."""

    keep_suppressed: bool
    neutralize: bool
    memory: str | None
    gate: Gate
    registry: bool
    """True to look up earlier releases of the table, and to record this one."""
    tell: Tell

    def rewriting(self, plan: Publication, table: Table) -> Rewriting:
        """Return the instructions to rewrite the rows of an open table."""
        return plan.rewriting(table, keep_suppressed=self.keep_suppressed, neutralize=self.neutralize)

    def shown(self, text: str) -> str:
        """Return text as the file contains it."""
        return neutral(text) if self.neutralize else text

    def draft(self, plan: Publication, columns: Sequence[str], chosen: Mapping[str, Any]) -> dict[str, Any]:
        """Return the part of the manifest that contains the claims."""
        published = [name for name in columns if name not in plan.unpublished]
        described = as_shown(plan.columns, self.shown)
        roles = {each.name: each.role.value for each in plan.problem.schema.attributes}
        labels = {each.name: each.as_dict() for each in described}
        suppressed = "blanked" if self.keep_suppressed else "removed"
        drafted = {
            "release": {
                "columns": [self.shown(name) for name in published],
                "suppressed_rows": suppressed if plan.claims.suppressed else "none",
            },
            "recipe": recipe_of(plan.problem),
            "chosen": dict(chosen),
            "columns": {
                self.shown(name): {"role": roles[name]} | labels.get(self.shown(name), {}) for name in published
            },
            **plan.described(described),
            "values": {each.name: len(each.labels) for each in described},
            "assessment": plan.claims.as_dict(),
        }
        document: dict[str, Any] = json.loads(json.dumps(drafted))
        return document

    def private(self, plan: Publication) -> Private:
        """Return the facts that only the owner of the table knows."""
        leaves = leaves_of(plan.problem)
        return Private(
            privacy=dict(plan.problem.privacy),
            trees=plan.problem.trees,
            spread={
                self.shown(name): OriginalSpread(
                    {None if label is None else self.shown(label): number for label, number in rows.items()},
                    bits(leaves[name].tolist()),
                )
                for name, rows in plan.original_rows.items()
            },
            models=plan.problem.own_models,
            own=self._own_loss(plan),
            fewest_people=self._fewest_people(plan),
        )

    def _fewest_people(self, plan: Publication) -> Callable[[Table], int] | None:
        """Return how people of the release are counted; None if rows are."""
        person, recoding = plan.problem.request.person, plan.recoding
        if plan.claims.unit == Unit.ROW or person is None or not isinstance(recoding, Recoding):
            return None
        original = plan.problem.source
        return PeopleOfRelease(
            original=original, recoding=recoding, person=person, shown=self.shown, memory=self.memory
        ).fewest

    def _own_loss(self, plan: Publication) -> OwnLoss | None:
        """Return a user-defined loss, which a manifest cannot describe."""
        if not isinstance(plan.recoding, Recoding) or plan.claims.metric in KNOWN_LOSSES:
            return None
        return OwnLoss(
            loss=plan.problem.loss,
            attributes=plan.recoding.attributes,
            rows_per_leaf=leaves_of(plan.problem),
            shown={
                each.attribute: tuple(None if label is None else self.shown(label) for label in each.labels)
                for each in plan.recoding.attributes
            },
        )


def _check_marks(plan: Publication) -> None:
    """Raise if an equivalence class may be published as `*` throughout, like a suppressed row."""
    if plan.claims.suppressed and all(MARK in each.labels for each in plan.recoding.attributes):
        raise BadInput(
            "Suppressed rows cannot be kept here: '*' is a value of every quasi-identifier, so that they could not be "
            "distinguished from other rows. Remove them instead."
        )


def _release_frame(plan: Publication, request: _Request, index: IndexRole | None) -> Release:
    source = plan.problem.source
    if not source.is_frame:
        what = "a file" if source.path is not None else "in a database or in Spark"
        raise BadInput(f"The table is {what}: say into which file, folder or table to release it.")
    if request.neutralize:
        raise BadInput("Formulas are neutralized in CSV files only.")
    check_index(source.data, index)
    with source.open(memory=request.memory) as opened:
        content = Content(
            rewriting=request.rewriting(plan, opened),
            terms=Terms.of(request.draft(plan, opened.columns, {}), request.private(plan)),
            gate=request.gate,
            called="The released table",
        )
        published = opened.apply(content.rewriting)
        made = frame_of(
            source.data, opened.columns, content.rewriting, published, tokens=bool(source.missing), index=index
        )
        coded = disclosing_columns(opened, content.rewriting)
        history = History.of(opened, wanted=request.registry)
    with opened_release(made, memory=request.memory) as again:
        found = inspect(again, content.terms)
    found.verification.demand(content.called)
    shown = with_index(made, index)
    unique = found.unique if shown is made else None
    examined = content.examined(shown, found.audit, coded, unique=unique, memory=request.memory)
    warning = history.warning()
    history.record(uuid4().hex)
    return Release(
        table=made,
        path=None,
        recoding=plan.recoding,
        promise=plan.claims,
        verification=found.verification,
        warnings=(*_on_protection(plan), *examined.warnings, *(() if warning is None else (warning,))),
        gate=examined,
        publication=plan,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """One release into a file or a database."""

    plan: Publication
    request: _Request
    destination: Destination | DatabaseDestination
    earlier: tuple[Path, ...]
    chosen: Mapping[str, Any]
    key: Path | str | None = None
    """The OpenSSH key that signs the manifest."""
    identity: str = field(default_factory=lambda: uuid4().hex)
    times: dict[str, Any] = field(default_factory=lambda: {"begun": datetime.now(UTC).isoformat(timespec="seconds")})

    def release(self) -> Release:
        """Write the table, check it, and put it in place with its companion files."""
        target, source = self.destination.target, self.plan.problem.source
        writer = Writer(
            source=source,
            destination=self.destination,
            memory=self.request.memory,
            registry=self.request.registry,
            tell=self.request.tell,
            times=self.times,
        )
        _, checked, documents = writer.write(partial(self._content, writer), self._documents)
        return Release(
            table=None,
            path=target.file,
            recoding=self.plan.recoding,
            promise=self.plan.claims,
            verification=checked.found.verification,
            manifest=documents.files["manifest"],
            warnings=documents.warnings,
            target=target,
            gate=checked.examined,
            publication=self.plan,
        )

    def _content(self, writer: Writer, opened: Table) -> "_ReleaseContent":
        target, source = self.destination.target, self.plan.problem.source
        draft = self.request.draft(self.plan, opened.columns, self.chosen)
        with writer.timed("fingerprinted"):
            self.request.tell("taking the fingerprint of the data")
            digest = source.digest(opened)
        return _ReleaseContent(
            rewriting=self.request.rewriting(self.plan, opened),
            terms=Terms.of(draft, self.request.private(self.plan)),
            gate=self.request.gate,
            called=f"The release that was written for {target.table or str(target.path)!r}, and has been removed,",
            draft=draft,
            digest=digest,
        )

    def _documents(self, content: "_ReleaseContent", checked: Checked) -> Documents:
        """Return the manifest, checked field by field, and the recoding file."""
        replaced = number_of(beside(self.destination.target, "manifest"))
        warnings = self._warnings(content.digest, checked, replaced)
        saved = SavedRecoding(self.plan.recoding, _guarantee(self.plan), self.identity, new_key())
        draft = {**content.draft, "gate": checked.examined.as_dict()}
        mark = fingerprint(content.digest, saved.key)
        manifest = self._manifest(draft, checked.facts, checked.found, mark, warnings)
        compare_manifest(manifest, content.terms, checked.found, checked.facts).demand(content.called)
        if self.key is not None:
            manifest["signature"] = sign_manifest(manifest, self.key)
        return Documents({"manifest": manifest, "recoding": saved.as_dict()}, warnings, self.identity, replaced)

    def _warnings(self, digest: bytes, checked: Checked, replaced: str | None) -> tuple[str, ...]:
        """Return warnings about protection, about earlier releases of the table, and about formulas."""
        target, formulas = self.destination.target, checked.facts.formulas["found"]
        found = [*_on_protection(self.plan), *checked.examined.warnings]
        known = earlier_releases(digest, (target.path.parent, *self.earlier))
        others = {name: number for name, number in known.items() if number != replaced}
        warning = checked.history.warning(others, replaced)
        if warning is not None:
            found.append(warning)
        if isinstance(formulas, int) and formulas and not self.request.neutralize:
            cells = "1 cell begins" if formulas == 1 else f"{formulas:,} cells begin"
            found.append(
                f"{cells} like a formula, which a spreadsheet would run. Neutralize formulas, or do not open the file "
                "with one."
            )
        return tuple(found)

    def _manifest(
        self, draft: Mapping[str, Any], facts: Made, found: Inspection, mark: str, warnings: tuple[str, ...]
    ) -> dict[str, Any]:
        claims = self.plan.claims
        rows = claims.rows if draft["release"]["suppressed_rows"] == "blanked" else claims.published
        written = {
            "format": MANIFEST,
            "id": self.identity,
            "release": facts.as_dict() | {"rows": rows, "order": ORDER} | draft["release"],
            "data": {"name": self.plan.problem.source.name, "rows": claims.rows, "fingerprint": mark},
            **{name: value for name, value in draft.items() if name != "release"},
            "verification": found.verification.of_file(),
            "software": software(),
            "times": self.times | {"ended": datetime.now(UTC).isoformat(timespec="seconds")},
            "warnings": list(warnings),
        }
        document: dict[str, Any] = json.loads(json.dumps(written, allow_nan=False))
        return document


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _ReleaseContent(Content):
    """The published rows, with the part of the manifest that is known before they are written."""

    draft: Mapping[str, Any]
    digest: bytes
    """The digest of the original table."""


def _on_protection(plan: Publication) -> tuple[str, ...]:
    is_open = plan.claims.k == 1
    unprotected = ("k = 1 protects nobody: this release contains a unique record.",) if is_open else ()
    return (*unprotected, *plan.warnings)


def _guarantee(plan: Publication) -> Guarantee:
    problem = plan.problem
    trees = {name: _written_down(spec, name) for name, spec in problem.trees.items() if spec is not None}
    share, limits = problem.suppression.limit(problem.rows) / problem.rows, problem.gate
    person = None if problem.unit is Unit.ROW else problem.request.person
    return Guarantee(plan.claims.k, share, problem.privacy, trees, Limits(limits.unique, limits.certain), person)


def _written_down(spec: HierarchySpec, attribute: str) -> Any:
    """Return the specification of a hierarchy, with files replaced by their content."""
    if isinstance(spec, str | Path | Hierarchy):
        return [list(row) for row in build_hierarchy(spec, (), attribute=attribute).rows()]
    return spec
