"""Releases into the database of the original table: made, checked and named in one transaction; and finding them there.

Other sessions see the complete release or nothing. Manifest and recoding file are written to the current folder. If a
run was killed between the transaction and these files, the next run recognizes that by the comment of the table.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paranym.engines.base import Table, Target
from paranym.engines.formats import POSTGRES
from paranym.engines.postgres.session import Server, database_of, is_address
from paranym.engines.postgres.table import PostgresTable, beside_table, comment_on, is_part_of, put_in_place, quoted
from paranym.engines.source import Source
from paranym.errors import BadInput
from paranym.releases.destinations import (
    Destination,
    companion_files,
    follow,
    forget,
    identity_of,
    stage_documents,
    target_of,
)
from paranym.releases.manifest import number_of
from paranym.releases.staging import exists, leftovers, mark_of, remove, suffix_of

_AROUND = ("PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE", "PGSERVICEFILE", "PGOPTIONS")
"""Environment variables that complete an address."""


def destination_of(
    source: Source, to: Path | str, table: str | None, *, overwrite: bool, spared: str | None = None
) -> "Destination | DatabaseDestination":
    """Return the destination of a release: a file, a folder of files if Spark has the table, or its database.

    The recoding file of the release `spared` is never removed.
    """
    if not is_address(to):
        return Destination(target_of(Path(to), table, folder=source.is_in_spark), overwrite, spared)
    if source.address != to:
        raise BadInput("A table is released into a file, or into the database that it is in, by the same address.")
    if table is None:
        raise BadInput("Name the table of the database that the release is written to.")
    return DatabaseDestination(_target(str(to), table), str(to), overwrite, spared)


def check_place(to: Path | str, table: str | None, *, overwrite: bool) -> None:
    """Raise if the file or folder of a release exists already, before its table is known."""
    if not is_address(to):
        path = Path(to)
        folder = path.is_dir() and path.name.lower().endswith(".parquet")
        Destination(target_of(path, table, folder=folder), overwrite).check(None)


@dataclass(frozen=True, slots=True, eq=False)
class FoundRelease:
    """An existing release."""

    target: Target
    data: object
    """The path, frame or connection to open it by."""
    identity: str | None
    """The hash of its file, or the comment of its table."""


@contextmanager
def found_release(release: Path | str, table: str | None) -> Iterator[FoundRelease]:
    """Find a release: a file, a folder, or a table of a database, which one transaction reads."""
    if not is_address(release):
        if "\0" in str(release):
            raise BadInput(f"Cannot read {str(release)!r}: there can be no file of this name.")
        target = target_of(Path(release), table, folder=Path(release).is_dir())
        if not target.path.exists():
            raise BadInput(f"There is no file {str(target.path)!r}.")
        Destination(target).settle()
        yield FoundRelease(target, target.format.opened_by(target.path), identity_of(target))
        return
    if table is None:
        raise BadInput("Name the table of the database that holds the release (--table).")
    server = Server(str(release), name=table)
    try:
        there, note = comment_on(server, table)
        if not there:
            raise BadInput(f"The database has no table {table!r}.")
        destination = DatabaseDestination(_target(str(release), table), str(release))
        destination.settle(note)
        yield FoundRelease(destination.target, server, note)
    finally:
        server.close()


def _target(address: str, table: str) -> Target:
    return Target(Path(database_of(address)), POSTGRES, table)


@dataclass(frozen=True, slots=True)
class DatabaseDestination:
    """A place for a release in a database."""

    target: Target
    address: str
    overwrite: bool = False
    spared: str | None = None
    """The number of the release whose recoding is being applied; its file is never removed."""

    @property
    def mark(self) -> str:
        """A mark that differs from tables of the same name in other databases, as far as the address shows."""
        around = [os.environ.get(name) for name in _AROUND]
        return hashlib.sha256(repr((self.address, around, quoted(str(self.target.table)))).encode()).hexdigest()[:16]

    def check(self, source: Source | None) -> None:
        """Raise if the release cannot be written there."""
        table = str(self.target.table)
        server = Server(self.address, name=table)
        try:
            there, note = comment_on(server, table)
            if there and source is not None and is_part_of(server, table, source.table):
                raise BadInput(
                    f"{table!r} is the original table, or a part of it: its release needs a name of its own."
                )
        finally:
            server.close()
        self.settle(note)
        if there and not self.overwrite:
            raise BadInput(
                f"The database has a table {self.target.table!r} already. Take another name, or allow to overwrite it "
                "(--overwrite)."
            )
        companions = companion_files(self.target)
        if companions and not self.overwrite:  # perhaps of a table in another database of that name
            raise exists(companions[0])

    def settle(self, note: str | None) -> None:
        """Finish or clean up after killed runs, given the comment of the table.

        Staging folders of other tables stay, and so do those of a table with this name in another database.
        """
        for folder in leftovers(self.target.path):
            is_here = bool(note) and number_of(folder / "manifest.json") == note
            if is_here:
                follow(folder, self.target)
            if is_here or mark_of(folder) == self.mark:
                remove(folder)

    def stage(self, folder: Path) -> Target:
        """Return the staged target, which is written and checked before it is put in place."""
        staged = beside_table(str(self.target.table), f"paranym_partial_{suffix_of(folder)}")
        return Target(self.target.path, POSTGRES, staged)

    def put(
        self, made: Target, folder: Path, documents: dict[str, dict[str, Any]], identity: str, opened: Table
    ) -> None:
        """Commit the transaction that made the release, and put its companion files in place.

        Companion files of the replaced release are removed, if they are certain to belong to it.
        """
        if not isinstance(opened, PostgresTable):
            raise TypeError(f"a {type(opened).__name__} has no transaction")
        stage_documents(documents, folder)
        _, replaced = comment_on(opened.server, str(self.target.table))
        put_in_place(opened.server, str(made.table), str(self.target.table), identity, overwrite=self.overwrite)
        follow(folder, self.target)
        if replaced:
            forget(self.target, documents, spared=self.spared, replaced=replaced)
