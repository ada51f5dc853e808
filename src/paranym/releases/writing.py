"""The writer of releases, for `release` and `apply`: a table is staged, read back, checked, and only then put in place.

The original is read once. The staged table is read once by its verification, and once more by the gate.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paranym.engines.base import Rewriting, Table, Target
from paranym.engines.frames.conversion import IndexRole, republish, to_arrow
from paranym.engines.source import Source, written
from paranym.files.writing import undisturbed
from paranym.model.values import to_text
from paranym.publishing.findings import Examined, Finding
from paranym.publishing.gate import Gate
from paranym.publishing.linkage import undone
from paranym.releases.databases import DatabaseDestination
from paranym.releases.derivation import Made
from paranym.releases.destinations import Destination
from paranym.releases.inspection import Inspection, Terms
from paranym.releases.made import read_back
from paranym.releases.registry import History
from paranym.releases.staging import staged
from paranym.results.audit import Audit

Tell = Callable[[str], None]
"""Called with the name of each step as it begins."""


def ignore_step(_: str) -> None:
    """Ignore the name of a step."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Content:
    """The published rows of an open table, the claims about them, and the gate that they must pass."""

    rewriting: Rewriting
    terms: Terms
    gate: Gate
    called: str
    """The beginning of error messages about it."""

    def examined(
        self,
        data: object,
        audit: Audit | None,
        coded: Sequence[Finding],
        *,
        unique: int | None,
        table: str | None = None,
        memory: str | None = None,
    ) -> Examined:
        """Return the findings of the gate in a release that was read back; raise if one of them stops it.

        `unique` is the number of unique rows; they are counted if it is None.
        """
        examined = self.gate.examine(
            data,
            self.terms.keys,
            table=table,
            memory=memory,
            without=self.terms.blank,
            audit=audit,
            unique=unique,
            undone=coded,
        )
        self.gate.require(examined, self.called)
        return examined


_Content = TypeVar("_Content", bound=Content)


class Checked(NamedTuple):
    """A release that passed all checks and is not in place yet."""

    found: Inspection
    facts: Made
    examined: Examined
    history: History


class Documents(NamedTuple):
    """The companion files of a release, and its warnings."""

    files: dict[str, dict[str, Any]]
    warnings: tuple[str, ...]
    identity: str
    """The number of the release."""
    replaced: str | None = None
    """The number of the release that it replaces."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Writer:
    """Writes one table to one destination."""

    source: Source
    destination: Destination | DatabaseDestination
    memory: str | None = None
    registry: bool = True
    """True to look up earlier releases of the table, and to record this one."""
    tell: Tell = ignore_step
    times: dict[str, Any] = field(default_factory=dict)
    """Seconds that each step took."""

    def write(
        self, content: Callable[[Table], _Content], documents: Callable[[_Content, Checked], Documents]
    ) -> tuple[_Content, Checked, Documents]:
        """Write the content made from the open table; call `documents` once everything is checked."""
        target = self.destination.target
        self.destination.check(self.source)
        with staged(target.path, self.destination.mark) as folder:
            made = self.destination.stage(folder)
            with self.source.open(memory=self.memory, target=made) as opened:
                opened.materialize(opened.columns)
                new = content(opened)
                data, history = self._written(opened, new, made)
                with self.timed("compared"):
                    coded = disclosing_columns(opened, new.rewriting)
                if not made.format.is_database:  # in a database, only this transaction sees the staged table
                    opened.close()
                found, facts = self._inspected(data, new, made)
                with self.timed("examined"):
                    self.tell("examining the published columns")
                    examined = new.examined(
                        data, found.audit, coded, unique=found.unique, table=made.table, memory=self.memory
                    )
                checked = Checked(found, facts, examined, history)
                beside = documents(new, checked)
                self._put(checked, beside, made, folder, opened)
                return new, checked, beside

    @contextmanager
    def timed(self, what: str) -> Iterator[None]:
        """Record the duration of a step."""
        begin = time.perf_counter()
        yield
        self.times[f"{what}_seconds"] = round(time.perf_counter() - begin, 3)

    def _written(self, opened: Table, new: Content, made: Target) -> tuple[object, History]:
        with self.timed("written"):
            self.tell("writing")
            opened.write(new.rewriting, made)
            return written(opened, made), History.of(opened, wanted=self.registry)

    def _inspected(self, data: object, new: Content, made: Target) -> tuple[Inspection, Made]:
        target = self.destination.target
        with self.timed("verified"):
            self.tell("reading back and counting again")
            name = target.table or target.path.name
            found, facts = read_back(data, new.terms, target=target, where=made, called=name, memory=self.memory)
            found.verification.demand(new.called)
        return found, facts

    def _put(self, checked: Checked, documents: Documents, made: Target, folder: Path, opened: Table) -> None:
        files, identity = documents.files, documents.identity
        with undisturbed():  # a release without its manifest is not a release
            self.destination.put(made, folder, files, identity if files else "", opened)
            checked.history.record(identity, replaced=documents.replaced)


def disclosing_columns(opened: Table, rewriting: Rewriting) -> tuple[Finding, ...]:
    """Find the columns that are published as they are and undo a generalization."""
    replaced = {each.coding.column.name for each in rewriting.replaced}
    return undone(
        opened, rewriting, [name for name in opened.columns if name not in replaced and name not in rewriting.dropped]
    )


def frame_of(
    data: object,
    columns: Sequence[str],
    rewriting: Rewriting,
    published: pa.Table,
    *,
    tokens: bool,
    index: IndexRole | None = None,
) -> object:
    """Return the released frame, given the replaced columns as an engine computed them.

    Columns whose values are all kept stay as they are, in type as well, unless some of their tokens mean a missing
    value.
    """
    suppressed = published.column("suppressed")
    original = to_arrow(data)
    replaced = {}
    for n, each in enumerate(rewriting.replaced):
        position = columns.index(each.coding.column.name)
        cells = published.column(f"p{n}")
        if each.keeps and not tokens and _are_kept(original.column(position), cells):
            continue
        if rewriting.mark is not None and rewriting.suppresses:
            cells = pc.if_else(suppressed, rewriting.mark, cells.cast(pa.string()))
        replaced[position] = cells
    return republish(
        data,
        replaced,
        ~np.asarray(suppressed),
        dropped=[columns.index(name) for name in rewriting.dropped],
        blank=rewriting.mark is not None,
        index=index,
    )


def _are_kept(original: pa.ChunkedArray, cells: pa.ChunkedArray) -> bool:
    """Return whether a column would be replaced by itself; typed cells always would, text only if spelled the same."""
    if not pa.types.is_string(cells.type):
        return True
    texts: list[str | None] = cells.to_pylist()
    return [to_text(cell) for cell in original.to_pylist()] == texts
