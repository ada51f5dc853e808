"""Apply a saved recoding to another table, such as that of the next month, and check whether its guarantee holds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Rewriting, Table, Target
from paranym.engines.codes import OrderedValues
from paranym.engines.files.csv import CsvDialect
from paranym.engines.frames.conversion import IndexRole, check_index, published_index, with_index
from paranym.engines.source import Source
from paranym.errors import BadInput, EmptyTable, GuaranteeLost
from paranym.measures.requirements import PrivacyRequirements
from paranym.model.recoding import Recoding
from paranym.model.schema import Role, Schema
from paranym.problem.requirements import privacy_requirements
from paranym.publishing.columns import Decision, Undeclared, check_known
from paranym.publishing.findings import Examined
from paranym.publishing.gate import Gate
from paranym.publishing.plan import publishable
from paranym.recipe import PrivacySection
from paranym.releases.databases import destination_of
from paranym.releases.inspection import Private, Terms, inspect, opened_release
from paranym.releases.manifest import Guarantee, SavedRecoding, written_requirements
from paranym.releases.placing import Placed, Unknown, place
from paranym.releases.registry import History
from paranym.releases.writing import Checked, Content, Documents, Writer, disclosing_columns, frame_of
from paranym.results.audit import Audit
from paranym.results.release import MARK, Claims
from paranym.wording.numbers import rows_of

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Whether the guarantee of a recoding holds for another table.

    >>> few = Judgement(k=5, k_found=2, rows=90, to_suppress=2, limit=4, new_values={"age": 1}, strangers={"age": 0})
    >>> few.holds, few.can_hold, few.sentences()[2]
    (False, True, 'age: 1 value that the recoding had not seen.')
    """

    k: int
    """The k that the release guarantees."""
    k_found: int
    """The k of the recoded table, before suppression."""
    rows: int
    to_suppress: int
    """Number of rows that must be suppressed for the guarantee to hold."""
    limit: int
    """Number of rows that may be suppressed."""
    new_values: Mapping[str, int]
    """Number of unseen values of each quasi-identifier: values that the recoding does not know."""
    strangers: Mapping[str, int]
    """Number of unseen values that no label covers; they are published as the top value."""
    quasi_identifiers: int = 0
    """The number of quasi-identifiers: k counts these columns and no others."""
    suppressed_rows: tuple[int, ...] | None = field(default=None, repr=False)
    """The rows that must be suppressed, counted from 0, if requested."""

    @property
    def holds(self) -> bool:
        """True if the guarantee holds with all rows."""
        return self.to_suppress == 0

    @property
    def can_hold(self) -> bool:
        """True if the guarantee holds when at most the allowed rows are suppressed."""
        return self.to_suppress <= self.limit and self.to_suppress < self.rows

    def sentences(self) -> tuple[str, ...]:
        """Return the judgement in plain words."""
        return tuple(self._sentences())

    def _sentences(self) -> "list[str]":
        written = []
        if self.holds:
            written.append(
                f"The guarantee (k = {self.k:,}) holds: every row is in an equivalence class of at least "
                f"{self.k_found:,} rows on {_columns(self.quasi_identifiers)}."
            )
        else:
            written.append(
                f"{rows_of(self.to_suppress, self.rows)} are in classes that break the guarantee "
                f"(k = {self.k:,}; the smallest has {self.k_found:,})."
            )
            if self.can_hold:
                written.append(f"Without them it holds; at most {self.limit:,} may be suppressed.")
            else:
                written.append(f"Only {self.limit:,} may be suppressed: the recoding does not suit this table.")
        for name, new in self.new_values.items():
            unplaced = self.strangers[name]
            how = f", {unplaced:,} of them published as the top" if unplaced else ""
            written.append(f"{name}: {new:,} {'value' if new == 1 else 'values'} that the recoding had not seen{how}.")
        written.append(
            "People in this table and in earlier ones can be matched across releases: k holds for each release alone."
        )
        return written

    def headline(self, gate: Examined | None) -> str:
        """Return the first sentence; if many rows are unique on all published columns, it says so."""
        first = self.sentences()[0]
        return (
            first if gate is None or not gate.is_mostly_unique else f"{first.removesuffix('.')}; but {gate.uniqueness}."
        )

    def as_dict(self) -> dict[str, Any]:
        """Return the judgement as a dictionary for JSON."""
        return {
            "holds": self.holds,
            "can_hold": self.can_hold,
            "k": self.k,
            "k_found": self.k_found,
            "rows": self.rows,
            "to_suppress": self.to_suppress,
            "limit": self.limit,
            "new_values": dict(self.new_values),
            "strangers": dict(self.strangers),
            "sentences": list(self.sentences()),
        }


def _columns(number: int) -> str:
    return f"the {number:,} quasi-identifiers" if number > 1 else "the quasi-identifier"


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """Another table, recoded, and whether the guarantee holds for it.

    >>> good = Judgement(k=5, k_found=7, rows=90, to_suppress=0, limit=4, new_values={}, strangers={})
    >>> Applied(None, Path("june.csv"), good).judgement.holds
    True
    """

    table: Any
    """The recoded table, of the same kind as the original; None if it was written elsewhere or not made."""
    path: Path | None
    """The file or folder, if it was written to one."""
    judgement: Judgement
    target: Target | None = None
    """The file or table that was written, if any."""
    gate: Examined | None = None
    """The findings of the gate; None if nothing was published."""
    warnings: tuple[str, ...] = ()

    @property
    def where(self) -> str | None:
        """The name in messages; None if nothing was written."""
        if self.target is not None:
            return self.target.where
        return None if self.path is None else str(self.path)


def apply(
    recoding: SavedRecoding | Path | str,
    data: object,
    to: Path | str | None = None,
    *,
    table: str | None = None,
    into: str | None = None,
    dialect: CsvDialect | None = None,
    unknown: Unknown = "error",
    max_suppression: float | None = None,
    keep_suppressed: bool = False,
    overwrite: bool = False,
    list_rows: bool = False,
    undeclared: Undeclared | None = None,
    accept: Sequence[str] = (),
    index: IndexRole | None = None,
    memory: str | None = None,
    views: bool = False,
    registry: bool = True,
) -> Applied:
    """Apply a saved recoding to another table, and check whether its guarantee still holds.

    `recoding` is the private file beside the release. Unseen values of ordered attributes are placed by breakpoints;
    other unseen values are an error, or are published as the top value with `unknown="top"`. Rows in equivalence
    classes that break the guarantee are suppressed (with `keep_suppressed`, kept as `*`), at most the share that the
    release allowed, or `max_suppression`. If more rows would have to be suppressed, `GuaranteeLost` is raised and
    nothing is written. `table` names the table to read in a DuckDB file or a database (a view of a file only with
    `views`), `into` the table to write. With `list_rows`, the judgement lists the rows that must be suppressed. A
    column that the recoding does not know is refused, or dropped with `undeclared="drop"`. The result passes the same
    gate as a release: `accept` names the findings that may be published, such as "free-text:notes". The private
    `registry` of the user shows whether the same table was published before. The index of a data frame is refused,
    unless it only numbers the rows or `index` is "keep" or "drop".

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> import tempfile
    >>> may = pa.table({"age": [31, 34, 38, 52, 55, 58]})
    >>> problem = pn.Problem(may, quasi_identifiers={"age": {"intervals": [10, 20]}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     released = pn.release(problem, pn.ask(pn.frontier(problem), min_k=3).point, f"{folder}/may.csv")
    ...     june = pn.apply(f"{folder}/may.csv.recoding.json", pa.table({"age": [41, 42, 47, 33, 36, 39]}))
    >>> june.table.to_pydict()["age"], june.judgement.holds
    (['40-49', '40-49', '40-49', '30-39', '30-39', '30-39'], True)
    """
    saved = recoding if isinstance(recoding, SavedRecoding) else SavedRecoding.read(Path(recoding))
    rules = _rules(saved)
    source = Source(data, table, dialect, rules.missing, views)
    if list_rows and not source.has_order:
        raise BadInput(
            f"The rows of {source.name} have no order, so the suppressed ones cannot be listed by number. Without "
            "list_rows (--suppressed-rows), only their number is reported."
        )
    request = _Request(rules, saved.guarantee, unknown, max_suppression)
    if to is not None:
        destination = destination_of(source, to, into, overwrite=overwrite, spared=saved.identity)
        writer = Writer(source=source, destination=destination, memory=memory, registry=registry)
        called = f"The table that was made of {source.name}, and has been removed,"

        def content(opened: Table) -> _AppliedContent:
            job = _Job(request, opened)
            check_known(source.name, job.unknown_columns, undeclared)
            job.require(list_rows=list_rows)
            return job.content(job.gate(accept), keep=keep_suppressed, list_rows=list_rows, called=called)

        new, checked, documents = writer.write(content, _recorded)
        target = destination.target
        return Applied(None, target.file, new.judgement, target, checked.examined, documents.warnings)
    with source.open(memory=memory) as opened:
        if not source.is_frame:
            opened.materialize(opened.columns)
            return Applied(None, None, _Job(request, opened).judgement(list_rows=list_rows))
        job = _Job(request, opened)
        check_known(source.name, job.unknown_columns, undeclared)
        check_index(source.data, index)
        job.require(list_rows=list_rows)
        frame = job.frame(source, keep=keep_suppressed, index=index)
        examined = job.examine_published(
            frame, job.gate(accept, published_index(data, index)), keep=keep_suppressed, index=index, memory=memory
        )
        history = History.of(opened, wanted=registry)
        warning = history.warning()
        history.record(uuid4().hex)
        warnings = (*examined.warnings, *(() if warning is None else (warning,)))
        return Applied(frame, None, job.judgement(list_rows=list_rows), gate=examined, warnings=warnings)


def _recorded(_: "_AppliedContent", checked: Checked) -> Documents:
    """Return no files, and a warning if the table was published before."""
    warning = checked.history.warning()
    return Documents({}, (*checked.examined.warnings, *(() if warning is None else (warning,))), uuid4().hex)


def recode(
    saved: SavedRecoding,
    data: object,
    *,
    unknown: Unknown,
    suppress: Literal["star", "drop", "none"],
    accept: Sequence[str] = (),
    index: IndexRole | None = None,
) -> Any:
    """Recode a data frame, whether or not the guarantee holds for it."""
    check_index(data, index)
    rules = _rules(saved)
    source = Source(data, None, None, rules.missing)
    with source.open() as opened:
        job = _Job(_Request(rules, saved.guarantee, unknown), opened)
        check_known(source.name, job.unknown_columns, None)
        made = job.frame(source, keep=suppress == "star", suppress=suppress != "none", index=index)
        job.examine(made, job.gate(accept, published_index(data, index)), keep=suppress == "star", index=index)
        return made


def judge(saved: SavedRecoding, data: object, *, unknown: Unknown) -> Judgement:
    """Check whether the guarantee of a recoding holds for a data frame; nothing is published."""
    rules = _rules(saved)
    with Source(data, None, None, rules.missing).open() as opened:
        return _Job(_Request(rules, saved.guarantee, unknown), opened).judgement()


def _rules(saved: SavedRecoding) -> Recoding:
    """Return the recoding, if it can be applied to other tables."""
    if saved.guarantee.person is not None:
        raise BadInput(
            f"This recoding guarantees a k that counts people by {saved.guarantee.person!r}; applied to another table, "
            "it would count rows. Release that table by itself."
        )
    if isinstance(saved.recoding, Recoding):
        return saved.recoding
    raise BadInput(
        "A local recoding groups the rows of one table and cannot be applied to another. Anonymize the new table by "
        "itself (`paranym local`)."
    )


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class _AppliedContent(Content):
    """The recoded rows of another table, and whether the guarantee holds for them."""

    judgement: Judgement


class _Request(NamedTuple):
    """A saved recoding, and how to apply it."""

    recoding: Recoding
    guarantee: Guarantee
    unknown: Unknown
    max_suppression: float | None = None


class _Job:
    """One recoding applied to one open table."""

    def __init__(self, request: _Request, table: Table) -> None:
        recoding, guarantee, unknown, most = request
        self.recoding, self.guarantee, self.table = recoding, guarantee, table
        self._check_columns()
        profile = table.profile([*recoding.names, *self._sensitive])
        if profile.rows == 0:
            raise EmptyTable(table.name)
        self.rows = profile.rows
        columns = profile.columns[: len(recoding.names)]
        self.placed: list[Placed] = [
            place(attribute, column, unknown=unknown)
            for attribute, column in zip(recoding.attributes, columns, strict=True)
        ]
        values = {column.name: OrderedValues(column) for column in profile.columns[len(columns) :]}
        codings = [each.replacement.coding for each in self.placed]
        self.classes = table.count(codings, [each.coding for each in values.values()])
        self.limit = int((guarantee.suppression if most is None else most) * self.rows)
        self.kept = publishable(self.classes, self._requirements(values), guarantee.k, self.limit, self.classes)

    @property
    def unknown_columns(self) -> tuple[str, ...]:
        """The columns that the recoding does not know."""
        return self.recoding.schema.without_role(self.table.columns)

    def require(self, *, list_rows: bool) -> None:
        """Raise if more rows must be suppressed than allowed."""
        if not self.judgement().can_hold:
            raise GuaranteeLost(self.judgement(list_rows=list_rows))

    def judgement(self, *, list_rows: bool = False) -> Judgement:
        """Return whether the guarantee holds for the table."""
        names = self.recoding.names
        new = {name: each.new for name, each in zip(names, self.placed, strict=True) if each.new}
        return Judgement(
            k=self.guarantee.k,
            k_found=int(self.classes.counts.min()),
            rows=self.rows,
            to_suppress=int(self.classes.counts[~self.kept].sum()),
            limit=self.limit,
            new_values=new,
            strangers={name: each.unplaced for name, each in zip(names, self.placed, strict=True) if each.new},
            quasi_identifiers=len(names),
            suppressed_rows=self._suppressed_rows() if list_rows else None,
        )

    def frame(self, source: Source, *, keep: bool, suppress: bool = True, index: IndexRole | None = None) -> object:
        """Return the recoded table, of the same kind as the original."""
        rewriting = self.rewriting(keep=keep, suppress=suppress)
        published = self.table.apply(rewriting)
        return frame_of(source.data, self.table.columns, rewriting, published, tokens=bool(source.missing), index=index)

    def content(self, gate: Gate, *, keep: bool, list_rows: bool, called: str) -> _AppliedContent:
        """Return the content of the file or the database table to write."""
        return _AppliedContent(
            rewriting=self.rewriting(keep=keep),
            terms=self._terms(keep=keep),
            gate=gate,
            called=called,
            judgement=self.judgement(list_rows=list_rows),
        )

    def gate(self, accept: Sequence[str], index: Sequence[str] = ()) -> Gate:
        """Return the gate that the recoded table must pass."""
        if isinstance(accept, str):
            raise BadInput(f"accept takes a list, such as [{accept!r}]; got {accept!r}.")
        gate = Gate(
            accepted=tuple(accept),
            limits=self.guarantee.limits,
            decision=self._decision,
            missing=self.recoding.missing,
        )
        gate.check((*self.table.columns, *index))
        return gate

    @property
    def _decision(self) -> Decision:
        """The decision about columns that the recoding does not know: they are dropped, or the table is refused."""
        return Decision(self.unknown_columns, "drop")

    def examine_published(
        self, made: object, gate: Gate, *, keep: bool, index: IndexRole | None, memory: str | None
    ) -> Examined:
        """Verify a recoded data frame and pass it through the gate; raise if either finds a fault."""
        with opened_release(made, memory=memory) as again:
            found = inspect(again, self._terms(keep=keep))
        found.verification.demand("The recoded table")
        return self.examine(made, gate, keep=keep, index=index, audit=found.audit)

    def examine(
        self, made: object, gate: Gate, *, keep: bool, index: IndexRole | None, audit: Audit | None = None
    ) -> Examined:
        """Return the findings of the gate in a recoded data frame; raise if one of them stops it."""
        coded = disclosing_columns(self.table, self.rewriting(keep=keep))
        blank = self._terms(keep=keep).blank if keep and self.kept.any() else None
        shown = with_index(made, index)
        examined = gate.examine(shown, self.recoding.names, without=blank, audit=audit, undone=coded)
        gate.require(examined, "The recoded table")
        return examined

    def rewriting(self, *, keep: bool, suppress: bool = True) -> Rewriting:
        """Return the instructions to rewrite the rows."""
        suppressed = self.classes.words[~self.kept] if suppress else self.classes.words[:0]
        marked = keep and len(suppressed) > 0
        return Rewriting(
            replaced=tuple(each.replacement if not marked else each.as_text() for each in self.placed),
            dropped=tuple(name for name in self.table.columns if name not in self._published),
            suppressed=suppressed,
            mark=MARK if keep else None,
        )

    def _terms(self, *, keep: bool) -> Terms:
        suppressed = int(self.classes.counts[~self.kept].sum())
        k = int(self.classes.counts[self.kept].min())
        claims = Claims(
            rows=self.rows, k=k, suppressed=suppressed, metric="glm", loss=0.0, loss_fraction=0.0, weighted_k=0.0
        )
        privacy = written_requirements(self.guarantee.privacy)
        return Terms(
            schema=self._schema,
            claims=claims,
            columns=tuple(name for name in self.table.columns if name in self._published),
            sensitive={name: name for name in self._sensitive},
            marked=keep and suppressed > 0,
            privacy=privacy,
            private=Private(privacy=privacy, trees=self.guarantee.trees),
            missing=self.recoding.missing,
        )

    @property
    def _published(self) -> frozenset[str]:
        """The columns that the recoding publishes, whether or not this table has them."""
        return frozenset(each.name for each in self.recoding.schema.attributes if each.role.is_published)

    @property
    def _sensitive(self) -> list[str]:
        """The sensitive attributes, if there are privacy requirements on them."""
        return list(self.recoding.sensitive) if set(self.guarantee.privacy) - {"k"} else []

    @property
    def _schema(self) -> Schema:
        """The roles of the columns that this table publishes."""
        known = [each for each in self.recoding.schema.attributes if each.name in self.table.columns]
        return Schema(tuple(each for each in known if each.role is not Role.IDENTIFIER))

    def _check_columns(self) -> None:
        needed = [
            each
            for each in self.recoding.schema.attributes
            if each.role is Role.QUASI_IDENTIFIER or each.name in self._sensitive
        ]
        Schema(tuple(needed)).check(self.table.columns)

    def _requirements(self, values: Mapping[str, OrderedValues]) -> PrivacyRequirements:
        section = PrivacySection.of_requirements(self.guarantee.privacy)
        return privacy_requirements(section, values, self.guarantee.trees, self.recoding.missing)

    def _suppressed_rows(self) -> tuple[int, ...]:
        suppressed = np.asarray(self.table.apply(self.rewriting(keep=False)).column("suppressed"))
        return tuple(np.flatnonzero(suppressed).tolist())
