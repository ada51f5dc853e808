"""A release into the database that its table is in: made, checked and named in one transaction; and finding it there.

Nothing of it is ever seen unless all of it is. Manifest and recoding are put into the current folder; a run that was
killed after the transaction and before that is recognized by what is noted on the table.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from paranym.engines.base import Table, Target
from paranym.engines.postgres import PostgresTable, beside_table, comment_on, is_part_of, put_in_place, quoted
from paranym.engines.postgres_server import Server, database_of, is_address
from paranym.engines.source import Source
from paranym.errors import BadInput
from paranym.releases.destinations import (
    Destination,
    follow,
    forget,
    identity_of,
    papers_of,
    stage_documents,
    target_of,
)
from paranym.releases.manifest import number_of
from paranym.releases.staging import exists, leftovers, mark_of, remove, suffix_of

_AROUND = ("PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGSERVICE", "PGSERVICEFILE", "PGOPTIONS")
"""What the environment says where an address does not."""


def destination_of(
    source: Source, to: Path | str, table: str | None, *, overwrite: bool, spared: str | None = None
) -> "Destination | DatabaseDestination":
    """Where a release of a table goes: a file, a folder of files if Spark has the table, or the database it is in.

    The recoding of the release `spared` is never removed.
    """
    if not is_address(to):
        return Destination(target_of(Path(to), table, folder=source.is_in_spark), overwrite, spared)
    if source.address != to:
        raise BadInput("A table is released into a file, or into the database that it is in, by the same address.")
    if table is None:
        raise BadInput("Say which table of the database the release shall be.")
    return DatabaseDestination(_target(str(to), table), str(to), overwrite, spared)


def check_place(to: Path | str, table: str | None, *, overwrite: bool) -> None:
    """Raise if a file or folder is where a release would go, whatever table it may be of."""
    if not is_address(to):
        path = Path(to)
        folder = path.is_dir() and path.name.lower().endswith(".parquet")
        Destination(target_of(path, table, folder=folder), overwrite).check(None)


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """A release where it was put."""

    target: Target
    data: object
    """What to open it by."""
    identity: str | None
    """What tells it from all others."""


@contextmanager
def standing(release: Path | str, table: str | None) -> Iterator[Standing]:
    """Find a release: a file, a folder, or a table of a database, which is seen by one transaction."""
    if not is_address(release):
        target = target_of(Path(release), table, folder=Path(release).is_dir())
        if not target.path.exists():
            raise BadInput(f"There is no file {str(target.path)!r}.")
        Destination(target).settle()
        yield Standing(target, target.path, identity_of(target))
        return
    if table is None:
        raise BadInput("Say which table of the database the release is (--table).")
    server = Server(str(release), name=table)
    try:
        there, note = comment_on(server, table)
        if not there:
            raise BadInput(f"The database has no table {table!r}.")
        destination = DatabaseDestination(_target(str(release), table), str(release))
        destination.settle(note)
        yield Standing(destination.target, server, note)
    finally:
        server.close()


def _target(address: str, table: str) -> Target:
    return Target(Path(database_of(address)), "postgres", table)


@dataclass(frozen=True, slots=True)
class DatabaseDestination:
    """A place for a release in a database."""

    target: Target
    address: str
    overwrite: bool = False
    spared: str | None = None
    """The number of a release whose recoding is never removed: it is being applied."""

    @property
    def mark(self) -> str:
        """What tells this table from those of the same name in other databases, as far as one can without asking."""
        around = [os.environ.get(name) for name in _AROUND]
        return hashlib.sha256(repr((self.address, around, quoted(str(self.target.table)))).encode()).hexdigest()[:16]

    def check(self, source: Source | None) -> None:
        """Raise if nothing may be written there."""
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
        papers = papers_of(self.target)
        if papers and not self.overwrite:  # perhaps of a table in another database of that name
            raise exists(papers[0])

    def settle(self, note: str | None) -> None:
        """End what runs that were killed left here, given what is noted on the table.

        What was left for other tables stays, and so does what was for one of that name in another database.
        """
        for folder in leftovers(self.target.path):
            is_here = bool(note) and number_of(folder / "manifest.json") == note
            if is_here:
                follow(folder, self.target)
            if is_here or mark_of(folder) == self.mark:
                remove(folder)

    def stage(self, folder: Path) -> Target:
        """What to write first, to be looked at and then put in place."""
        staged = beside_table(str(self.target.table), f"paranym_partial_{suffix_of(folder)}")
        return Target(self.target.path, "postgres", staged)

    @contextmanager
    def abandoning(self, made: Target) -> Iterator[None]:
        """A transaction that does not end well leaves nothing to take back."""
        yield

    def put(
        self, made: Target, folder: Path, documents: dict[str, dict[str, Any]], identity: str, opened: Table
    ) -> None:
        """End the transaction that the release was made in, and put what belongs to it in place.

        What belonged to the release that it replaces goes; what cannot be told to be of that one stays.
        """
        if not isinstance(opened, PostgresTable):
            raise TypeError(f"a {type(opened).__name__} has no transaction")
        stage_documents(documents, folder)
        _, replaced = comment_on(opened.server, str(self.target.table))
        put_in_place(opened.server, str(made.table), str(self.target.table), identity, overwrite=self.overwrite)
        follow(folder, self.target)
        if replaced:
            forget(self.target, documents, spared=self.spared, replaced=replaced)
