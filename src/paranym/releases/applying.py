"""A saved recoding applied to another table, such as that of the next month: does what it was chosen for hold there?"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from paranym.engines.base import Rewriting, Table, Target
from paranym.engines.coding import OrderedValues
from paranym.engines.csv_dialect import CsvDialect
from paranym.engines.source import Source, written
from paranym.errors import BadInput, EmptyTable, GuaranteeLost
from paranym.measures.demands import Demands
from paranym.model.recoding import Recoding
from paranym.model.release import MARK, Promise
from paranym.model.schema import Role, Schema
from paranym.problem.requirements import demands
from paranym.recipe import PrivacySection
from paranym.releases.databases import DatabaseDestination, destination_of
from paranym.releases.destinations import Destination
from paranym.releases.inspection import Terms, inspect
from paranym.releases.manifest import Guarantee, SavedRecoding
from paranym.releases.placing import Placed, Unknown, place
from paranym.releases.planning import publishable
from paranym.releases.releasing import frame_of
from paranym.releases.staging import staged

Ints = NDArray[np.int64]
Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Whether what a recoding was chosen for holds of another table.

    >>> few = Judgement(k=5, k_found=2, rows=90, to_suppress=2, limit=4, new_values={"age": 1}, strangers={"age": 0})
    >>> few.holds, few.can_hold, few.sentences()[2]
    (False, True, 'age: 1 value that the recoding had not seen.')
    """

    k: int
    """That was promised."""
    k_found: int
    """Of the recoded table, before anything is left out."""
    rows: int
    to_suppress: int
    """Rows that must be left out, so that what was promised holds."""
    limit: int
    """Rows that may be left out."""
    new_values: Mapping[str, int]
    """How many values of each quasi-identifier the recoding had not seen."""
    strangers: Mapping[str, int]
    """How many of these belong nowhere and are published as the top."""
    suppressed_rows: tuple[int, ...] | None = field(default=None, repr=False)
    """Which rows must be left out, counted from 0, if that was asked."""

    @property
    def holds(self) -> bool:
        """Whether everything that was promised holds with all rows."""
        return self.to_suppress == 0

    @property
    def can_hold(self) -> bool:
        """Whether it holds when no more rows are left out than may be."""
        return self.to_suppress <= self.limit and self.to_suppress < self.rows

    def sentences(self) -> tuple[str, ...]:
        """The same in plain words."""
        return tuple(self._told())

    def _told(self) -> "list[str]":
        told = []
        if self.holds:
            told.append(
                f"The guarantee holds: everyone is one of at least {self.k_found:,} alike, as promised ({self.k:,})."
            )
        else:
            share = self.to_suppress / self.rows
            told.append(
                f"{self.to_suppress:,} of {self.rows:,} rows ({share:.2%}) are in classes that break the guarantee "
                f"(k = {self.k:,}; the smallest has {self.k_found:,})."
            )
            if self.can_hold:
                told.append(f"Without them it holds; at most {self.limit:,} may be left out.")
            else:
                told.append(f"Only {self.limit:,} may be left out: the recoding does not suit this table.")
        for name, new in self.new_values.items():
            lost = self.strangers[name]
            how = f", {lost:,} of them published as the top" if lost else ""
            told.append(f"{name}: {new:,} {'value' if new == 1 else 'values'} that the recoding had not seen{how}.")
        told.append(
            "Whoever is in this table and in earlier ones can be looked for in all of them: k holds for each alone."
        )
        return told

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
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


@dataclass(frozen=True, slots=True, eq=False)
class Applied:
    """Another table, recoded, and whether the guarantee holds of it.

    >>> good = Judgement(k=5, k_found=7, rows=90, to_suppress=0, limit=4, new_values={}, strangers={})
    >>> Applied(None, Path("june.csv"), good).judgement.holds
    True
    """

    table: Any
    """Of the same kind as the original; None if it was written to a file or a database, or not at all."""
    path: Path | None
    """The file or folder, if it was written to one."""
    judgement: Judgement
    target: Target | None = None
    """What was written, if anything was."""

    @property
    def where(self) -> str | None:
        """What messages call it."""
        if self.target is not None and self.target.format == "postgres":
            return f"table {self.target.table}"
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
    memory: str | None = None,
) -> Applied:
    """Recode another table as one was released before, and say whether what was promised holds of it.

    `recoding` is the private file that was put beside the release. New values of ordered attributes are placed by their
    breakpoints; others are an error, or are published as the top if `unknown` says so. Rows in classes that break the
    guarantee are left out (or kept as `*`), at most the share that the release allowed, or `max_suppression`; if there
    are more, `GuaranteeLost` is raised and nothing is written. `table` names the one to read of a DuckDB file or a
    database, `into` the one to write. With `list_rows` the judgement says which rows must go.

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
    source = Source(data, table, dialect, rules.missing)
    if list_rows and not source.has_order:
        raise BadInput(
            f"The rows of {source.name} have no order, so none can be listed by its number. Ask how many must go "
            "instead: leave out list_rows (--suppressed-rows)."
        )
    destination = None if to is None else destination_of(source, to, into, overwrite=overwrite, spared=saved.identity)
    with source.open(memory=memory, writes=isinstance(destination, DatabaseDestination)) as opened:
        job = _Job(rules, saved.guarantee, opened, unknown, max_suppression)
        if destination is not None:
            destination.check(source)
            job.demand(list_rows=list_rows)
            job.write(destination, source, keep=keep_suppressed, memory=memory)
            target = destination.target
            path = None if target.format == "postgres" else target.path
            return Applied(None, path, job.judgement(list_rows=list_rows), target)
        if not source.is_frame:
            return Applied(None, None, job.judgement(list_rows=list_rows))
        job.demand(list_rows=list_rows)
        made = job.frame(source, keep=keep_suppressed)
        return Applied(made, None, job.judgement(list_rows=list_rows))


def recode(
    saved: SavedRecoding, data: object, *, unknown: Unknown, suppress: Literal["star", "drop", "none"]
) -> tuple[Any, Judgement]:
    """Recode a data frame, whatever becomes of the guarantee, and judge it."""
    rules = _rules(saved)
    source = Source(data, None, None, rules.missing)
    with source.open() as opened:
        job = _Job(rules, saved.guarantee, opened, unknown, None)
        made = job.frame(source, keep=suppress == "star", suppress=suppress != "none")
        return made, job.judgement()


def _rules(saved: SavedRecoding) -> Recoding:
    """What can be applied to other tables."""
    if isinstance(saved.recoding, Recoding):
        return saved.recoding
    raise BadInput(
        "A local recoding gathers the rows of one table and says nothing about those of another. Release the new "
        "table anew (`paranym local`)."
    )


class _Job:
    """One recoding applied to one open table."""

    def __init__(
        self, recoding: Recoding, guarantee: Guarantee, table: Table, unknown: Unknown, most: float | None
    ) -> None:
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
        self.kept = publishable(self.classes, self._demands(values), guarantee.k, self.limit, self.classes)

    def demand(self, *, list_rows: bool) -> None:
        """Raise if more rows must go than may."""
        if not self.judgement().can_hold:
            raise GuaranteeLost(self.judgement(list_rows=list_rows))

    def judgement(self, *, list_rows: bool = False) -> Judgement:
        """What was found."""
        names = self.recoding.names
        new = {name: each.new for name, each in zip(names, self.placed, strict=True) if each.new}
        return Judgement(
            k=self.guarantee.k,
            k_found=int(self.classes.counts.min()),
            rows=self.rows,
            to_suppress=int(self.classes.counts[~self.kept].sum()),
            limit=self.limit,
            new_values=new,
            strangers={name: each.strangers for name, each in zip(names, self.placed, strict=True) if each.new},
            suppressed_rows=self._suppressed_rows() if list_rows else None,
        )

    def frame(self, source: Source, *, keep: bool, suppress: bool = True) -> object:
        """The table recoded, of the same kind."""
        rewriting = self.rewriting(keep=keep, suppress=suppress)
        published = self.table.apply(rewriting)
        return frame_of(source.data, self.table.columns, rewriting, published, tokens=bool(source.missing))

    def write(
        self, destination: Destination | DatabaseDestination, source: Source, *, keep: bool, memory: str | None
    ) -> None:
        """The table recoded in a file or a database, which is read back before it is put in place."""
        rewriting = self.rewriting(keep=keep)
        with staged(destination.target.path, destination.mark) as folder:
            made = destination.stage(folder)
            with destination.abandoning(made):
                self.table.write(rewriting, made)
                found = inspect(written(self.table, made), self._terms(keep=keep), table=made.table, memory=memory)
                found.demand(f"What was made of {source.name}, and has been removed,")
                destination.put(made, folder, {}, "", self.table)

    def rewriting(self, *, keep: bool, suppress: bool = True) -> Rewriting:
        """How the rows are rewritten."""
        gone = self.classes.words[~self.kept] if suppress else self.classes.words[:0]
        marked = keep and len(gone) > 0
        return Rewriting(
            replaced=tuple(each.replacement if not marked else each.as_text() for each in self.placed),
            dropped=tuple(name for name in self.recoding.identifiers if name in self.table.columns),
            suppressed=gone,
            mark=MARK if keep else None,
        )

    def _terms(self, *, keep: bool) -> Terms:
        gone = int(self.classes.counts[~self.kept].sum())
        k = int(self.classes.counts[self.kept].min())
        promise = Promise(
            rows=self.rows, k=k, suppressed=gone, metric="glm", loss=0.0, loss_fraction=0.0, weighted_k=0.0
        )
        return Terms(
            schema=self._schema,
            promise=promise,
            columns=tuple(name for name in self.table.columns if name not in self.recoding.identifiers),
            marked=keep and gone > 0,
            privacy=self.guarantee.privacy,
            trees=self.guarantee.trees,
            is_loss_promised=False,
        )

    @property
    def _sensitive(self) -> list[str]:
        """The sensitive attributes, if something is demanded of them."""
        return list(self.recoding.sensitive) if set(self.guarantee.privacy) - {"k"} else []

    @property
    def _schema(self) -> Schema:
        """What the columns are that this table has."""
        return Schema(tuple(each for each in self.recoding.schema.attributes if each.name in self.table.columns))

    def _check_columns(self) -> None:
        needed = [
            each
            for each in self.recoding.schema.attributes
            if each.role is Role.QUASI_IDENTIFIER or each.name in self._sensitive
        ]
        Schema(tuple(needed)).check(self.table.columns)

    def _demands(self, values: Mapping[str, OrderedValues]) -> Demands:
        asked = PrivacySection.demanding(self.guarantee.privacy)
        return demands(asked, values, self.guarantee.trees, self.recoding.missing)

    def _suppressed_rows(self) -> tuple[int, ...]:
        gone = np.asarray(self.table.apply(self.rewriting(keep=False)).column("suppressed"))
        return tuple(np.flatnonzero(gone).tolist())
