"""From a chosen point to a release: made aside, read back, compared with its promise, and only then put in place."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paranym.engines.base import Rewriting, Table, Target
from paranym.engines.frames import republish, to_arrow
from paranym.engines.rewriting import neutral
from paranym.engines.source import written
from paranym.errors import BadInput
from paranym.hierarchies.build import HierarchySpec, build_hierarchy
from paranym.model.front import Point
from paranym.model.hierarchy import Hierarchy
from paranym.model.local_labels import LocalLabels
from paranym.model.local_result import LocalResult
from paranym.model.recoding import Recoding
from paranym.model.release import MARK, Promise, Verification
from paranym.model.values import to_text
from paranym.problem import Problem
from paranym.releases.databases import DatabaseDestination, destination_of
from paranym.releases.destinations import Destination, sha256
from paranym.releases.inspection import Terms, inspect
from paranym.releases.local_planning import LocalPlan, plan_local_release
from paranym.releases.manifest import (
    MANIFEST,
    Guarantee,
    SavedRecoding,
    beside,
    earlier_releases,
    fingerprint,
    new_key,
    recipe_of,
    software,
)
from paranym.releases.planning import Plan, leaves_of, plan_release
from paranym.releases.staging import staged

AnyPlan = Plan | LocalPlan
Tell = Callable[[str], None]
"""Hears which step begins."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Release:
    """A table that was released, and how it was checked.

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
    promise: Promise
    verification: Verification
    manifest: Mapping[str, Any] | None = None
    """What was written beside the file, for everybody."""
    warnings: tuple[str, ...] = ()
    target: Target | None = None
    """What was written, if anything was."""

    @property
    def where(self) -> str:
        """What messages call it."""
        if self.target is not None and self.target.format == "postgres":
            return f"table {self.target.table}"
        return "a table" if self.path is None else str(self.path)

    def __repr__(self) -> str:
        return (
            f"Release({self.where}: {self.promise.published:,} rows, k = {self.promise.k}, "
            f"loss {self.promise.loss_fraction:.2%}, {self.promise.suppressed:,} rows suppressed, "
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
    memory: str | None = None,
    tell: Tell | None = None,
) -> Release:
    """Generalize the table of a problem as a point of its front, or a local recoding, says, and check what came out.

    A data frame gives a frame of the same kind, with its index and order. With `to` a file is written, by its ending
    CSV, Parquet or a `table` of a DuckDB file, its rows in an order drawn by chance; a manifest and the recoding, which
    is private, are put beside it. A table in Spark becomes a folder of Parquet files. With `to` the address of its own
    database, a table becomes another `table` there, in one transaction. A release appears only when it is complete and
    was read back and found to be what was promised. Identifiers are dropped. Rows in classes too small for the k of the
    point are left out, or, with `keep_suppressed`, kept as `*` with nothing in their other columns. `earlier` names
    folders with other releases, besides that of the file. `chosen` says in the manifest how the point was chosen. The
    engine takes at most `memory`.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58], "job": ["cook", "smith", "cook", "nurse", "smith", "cook"]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}})
    >>> released = pn.release(problem, pn.ask(pn.frontier(problem), min_k=3).point)
    >>> released.table.to_pydict()["age"]
    ['30-39', '30-39', '30-39', '50-59', '50-59', '50-59']
    """
    plan = plan_local_release(problem, point) if isinstance(point, LocalResult) else plan_release(problem, point)
    if keep_suppressed and isinstance(plan, Plan):
        _check_marks(plan)
    terms = _Terms(keep_suppressed=keep_suppressed, neutralize=neutralize_formulas, memory=memory)
    if to is None:
        return _release_frame(plan, terms)
    destination = destination_of(problem.source, to, table, overwrite=overwrite)
    if neutralize_formulas and destination.target.format != "csv":
        raise BadInput("Formulas are run by spreadsheets that open CSV files; only there can they be neutralized.")
    run = _Run(plan, terms, destination, tuple(map(Path, earlier)), dict(chosen or {}), tell or (lambda _: None))
    return run.release()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Terms:
    """How a release was asked for, besides its point."""

    keep_suppressed: bool
    neutralize: bool
    memory: str | None

    def rewriting(self, plan: AnyPlan, table: Table) -> Rewriting:
        return plan.rewriting(table, keep_suppressed=self.keep_suppressed, neutralize=self.neutralize)

    def terms(self, plan: AnyPlan, columns: Sequence[str]) -> Terms:
        problem = plan.problem
        kept = [name for name in columns if name not in plan.identifiers]
        return Terms(
            schema=problem.schema,
            promise=plan.promise,
            columns=tuple(neutral(name) if self.neutralize else name for name in kept),
            marked=self.keep_suppressed and len(plan.suppressed) > 0,
            neutralized=self.neutralize,
            privacy=problem.privacy,
            trees=problem.trees,
            rows_per_leaf=leaves_of(problem),
            recoding=plan.recoding,
        )


def _check_marks(plan: Plan) -> None:
    """A class that is published as `*` throughout could not be told from rows that are suppressed."""
    if len(plan.suppressed) and all(MARK in each.labels for each in plan.recoding.attributes):
        raise BadInput(
            "Suppressed rows cannot be kept here: '*' is a value in every quasi-identifier, so that nobody could tell "
            "them from others. Leave them out."
        )


def _release_frame(plan: AnyPlan, asked: _Terms) -> Release:
    source = plan.problem.source
    if not source.is_frame:
        what = "a file" if source.path is not None else "in a database or in Spark"
        raise BadInput(f"The table is {what}: say into which file, folder or table it shall be released.")
    if asked.neutralize:
        raise BadInput("Formulas are neutralized in CSV files only.")
    with source.open(memory=asked.memory) as opened:
        rewriting = asked.rewriting(plan, opened)
        made = frame_of(source.data, opened.columns, rewriting, opened.apply(rewriting), tokens=bool(source.missing))
        terms = asked.terms(plan, opened.columns)
    found = inspect(made, terms, memory=asked.memory)
    found.demand("The released table")
    return Release(table=made, path=None, recoding=plan.recoding, promise=plan.promise, verification=found)


def frame_of(
    data: object, columns: Sequence[str], rewriting: Rewriting, published: pa.Table, *, tokens: bool
) -> object:
    """The frame that is released, given what an engine says its replaced columns become.

    Columns whose values are all kept stay as they are, in type as well, unless tokens of theirs mean: no value.
    """
    suppressed = published.column("suppressed")
    original = to_arrow(data)
    replaced = {}
    for n, each in enumerate(rewriting.replaced):
        position = columns.index(each.coding.column.name)
        cells = published.column(f"p{n}")
        if each.keeps and not tokens and _are_kept(original.column(position), cells):
            continue
        if rewriting.mark is not None and len(rewriting.suppressed):
            cells = pc.if_else(suppressed, rewriting.mark, cells.cast(pa.string()))
        replaced[position] = cells
    return republish(
        data,
        replaced,
        ~np.asarray(suppressed),
        dropped=[columns.index(name) for name in rewriting.dropped],
        blank=rewriting.mark is not None,
    )


def _are_kept(original: pa.ChunkedArray, cells: pa.ChunkedArray) -> bool:
    """Whether a column would be replaced by itself; typed cells always are kept, text only if it is written alike."""
    if not pa.types.is_string(cells.type):
        return True
    texts: list[str | None] = cells.to_pylist()
    return [to_text(cell) for cell in original.to_pylist()] == texts


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
    """One release into a file."""

    plan: AnyPlan
    asked: _Terms
    destination: Destination | DatabaseDestination
    earlier: tuple[Path, ...]
    chosen: Mapping[str, Any]
    tell: Tell
    identity: str = field(default_factory=lambda: uuid4().hex)
    times: dict[str, Any] = field(default_factory=lambda: {"begun": datetime.now(UTC).isoformat(timespec="seconds")})

    def release(self) -> Release:
        source, target = self.plan.problem.source, self.destination.target
        self.destination.check(source)
        with staged(target.path, self.destination.mark) as folder:
            made = self.destination.stage(folder)
            with self.destination.abandoning(made):
                return self._release(made, folder)

    def _release(self, made: Target, folder: Path) -> Release:
        source, target = self.plan.problem.source, self.destination.target
        is_in_database = target.format == "postgres"
        with source.open(memory=self.asked.memory, writes=is_in_database) as opened:
            with self._timed("written"):
                self.tell("writing")
                rewriting = self.asked.rewriting(self.plan, opened)
                opened.write(rewriting, made)
                terms = self.asked.terms(self.plan, opened.columns)
                formulas = opened.formulas(rewriting) if target.format == "csv" else None
                data = written(opened, made)
            if not is_in_database:  # there, what was written is seen by nobody else yet
                opened.close()
            return self._verified(made, folder, _Written(opened, data, terms, formulas))

    def _verified(self, made: Target, folder: Path, new: "_Written") -> Release:
        source, target, terms, formulas = self.plan.problem.source, self.destination.target, new.terms, new.formulas
        with self._timed("verified"):
            self.tell("reading back and counting afresh")
            found = inspect(new.data, terms, table=made.table, memory=self.asked.memory)
        found.demand(f"What was written for {target.table or str(target.path)!r}, and has been removed,")
        with self._timed("fingerprinted"):
            self.tell("taking the fingerprint of the data")
            digest = source.digest()
        warnings = self._warnings(digest, formulas)
        saved = SavedRecoding(self.plan.recoding, _guarantee(self.plan), self.identity, new_key())
        manifest = self._manifest(_Made(made, terms, formulas), found, fingerprint(digest, saved.key), warnings)
        documents = {"manifest": manifest, "recoding": saved.as_dict()}
        self.destination.put(made, folder, documents, self.identity, new.opened)
        return Release(
            table=None,
            path=target.path if target.format != "postgres" else None,
            recoding=self.plan.recoding,
            promise=self.plan.promise,
            verification=found,
            manifest=manifest,
            warnings=warnings,
            target=target,
        )

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        begin = time.perf_counter()
        yield
        self.times[f"{what}_seconds"] = round(time.perf_counter() - begin, 3)

    def _warnings(self, digest: bytes, formulas: int | None) -> tuple[str, ...]:
        target, found = self.destination.target, []
        if self.plan.promise.k == 1:
            found.append("k = 1 protects nobody: somebody is one of a kind in this release.")
        own = beside(target, "release").name.removesuffix(".release.json")
        others = [name for name in earlier_releases(digest, (target.path.parent, *self.earlier)) if name != own]
        if others:
            found.append(
                f"This table was released before: {', '.join(others)}. Whoever has several releases of one table can "
                "join them: k holds for each of them alone, not for all together."
            )
        if formulas and not self.asked.neutralize:
            cells = "1 cell begins" if formulas == 1 else f"{formulas:,} cells begin"
            found.append(
                f"{cells} like a formula, which a spreadsheet would run. Neutralize formulas, or do not open the file "
                "with one."
            )
        return tuple(found)

    def _manifest(self, made: "_Made", found: Verification, mark: str, warnings: tuple[str, ...]) -> dict[str, Any]:
        plan = self.plan
        return {
            "format": MANIFEST,
            "id": self.identity,
            "release": self._described(made),
            "data": {"name": plan.problem.source.name, "rows": plan.promise.rows, "fingerprint": mark},
            "recipe": recipe_of(plan.problem),
            "chosen": dict(self.chosen),
            **plan.described,
            "assessment": plan.promise.as_dict(),
            "verification": found.as_dict(),
            "software": software(),
            "times": self.times | {"ended": datetime.now(UTC).isoformat(timespec="seconds")},
            "warnings": list(warnings),
        }

    def _described(self, made: "_Made") -> dict[str, Any]:
        target, promise, path = self.destination.target, self.plan.promise, made.target.path
        is_file = target.format not in ("duckdb", "postgres")
        return {
            "file": target.path.name if target.format != "postgres" else None,
            "format": target.format,
            "table": target.table,
            "rows": promise.rows if made.terms.marked else promise.published,
            "columns": list(made.terms.columns),
            "order": "drawn by chance",
            "suppressed_rows": "blanked" if self.asked.keep_suppressed else "removed",
            "formulas": {"found": made.formulas, "neutralized": self.asked.neutralize},
            "bytes": sum(file.stat().st_size for file in [path, *path.rglob("*.parquet")]) if is_file else None,
            "sha256": sha256(path) if is_file else None,
        }


class _Written(NamedTuple):
    """A table that was rewritten, where to find what came of it, and what that is held against."""

    opened: Table
    data: object
    terms: Terms
    formulas: int | None


@dataclass(frozen=True, slots=True, eq=False)
class _Made:
    """What was written, and what it is held against."""

    target: Target
    terms: Terms
    formulas: int | None
    """Cells that a spreadsheet would run, if anyone could open the file with one."""


def _guarantee(plan: AnyPlan) -> Guarantee:
    problem = plan.problem
    trees = {name: _written_down(spec, name) for name, spec in problem.trees.items() if spec is not None}
    return Guarantee(plan.promise.k, problem.suppression.limit(problem.rows) / problem.rows, problem.privacy, trees)


def _written_down(spec: HierarchySpec, attribute: str) -> Any:
    """What a hierarchy is made from, without files."""
    if isinstance(spec, str | Path | Hierarchy):
        return [list(row) for row in build_hierarchy(spec, (), attribute=attribute).rows()]
    return spec
