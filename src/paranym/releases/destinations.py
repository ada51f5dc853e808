"""Destinations of a release: a new file, or a table of an existing DuckDB file.

A killed run leaves either the previous release or the new one, complete. The release gets its name in one step;
recoding file and manifest follow. If a run was killed between these steps, the next run finishes its work: it
recognizes the release by the hash of the file, or by the comment of the table. An existing DuckDB file is replaced as a
whole, so that it keeps nothing of an overwritten table.
"""

import hashlib
import json
import os
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

from paranym.engines.base import Table, Target
from paranym.engines.duckdb.files import (
    absorb_log,
    carry_over,
    comment_on_table,
    log_of,
    make_file,
    tables_of,
    unchanged,
)
from paranym.engines.formats import format_of
from paranym.engines.source import Source
from paranym.errors import BadInput
from paranym.files.writing import followed, is_stream
from paranym.releases.manifest import beside, number_of
from paranym.releases.staging import (
    exists,
    folders_of,
    leftovers,
    publish,
    publish_folder,
    remove,
    staged,
    suffix_of,
    sync,
)
from paranym.saved.manifest import read_manifest

_PARTIAL = "paranym_partial_"
"""The beginning of the names of tables that killed runs of earlier versions left in a DuckDB file."""
_REPLACED = "replaced"
"""The name of a replaced folder within the staging folder."""
_FILES = ("recoding", "manifest")
"""Companion files in the order of writing: where there is a manifest, there is a recoding file."""


def target_of(path: Path, table: str | None = None, *, folder: bool = False) -> Target:
    """Return the target by the ending of its name; `folder` if many workers write it, each its own file."""
    if "\0" in str(path):
        raise BadInput(f"Cannot write {str(path)!r}: there can be no file of this name.")
    format_ = format_of(path)
    if table is not None and not format_.has_tables:
        raise BadInput(f"Only a DuckDB file has tables; {path.name!r} is written as {format_.name}.")
    if folder and not format_.is_parallel:
        raise BadInput(f"Spark writes Parquet: let the name of the release end in .parquet; got {path.name!r}.")
    return Target(path, format_, (table or "release") if format_.has_tables else None, folder)


@dataclass(frozen=True, slots=True)
class Destination:
    """A place for a release and its companion files."""

    target: Target
    overwrite: bool = False
    spared: str | None = None
    """The number of the release whose recoding is being applied; its file is never removed."""
    mark: ClassVar[str] = ""

    @property
    def joins(self) -> bool:
        """True if the release joins other tables in an existing file."""
        return self.target.format.has_tables and self.target.path.exists()

    def check(self, source: Source | None) -> None:
        """Raise if the release cannot be written there, before a long search begins."""
        path = self.target.path
        if is_stream(path):
            raise BadInput(
                f"Cannot write {str(path)!r}: it is a device or a pipe, and a release is read back and lies beside its "
                "manifest. Release to a file, and copy that."
            )
        if path.exists() and path.is_dir() != self.target.is_folder:
            kind = "a folder" if path.is_dir() else "a file, and Spark writes a folder"
            raise BadInput(f"Cannot write {str(path)!r}: it is {kind}.")
        for place in dict.fromkeys((path, followed(path))):
            if not place.parent.is_dir():
                raise BadInput(f"Cannot write {str(path)!r}: there is no folder {str(place.parent)!r}.")
            if not os.access(place.parent, os.W_OK | os.X_OK):
                raise BadInput(
                    f"Cannot write {str(path)!r}: no permission to write in {str(place.parent)!r}. Take another folder."
                )
        original = source.path if source is not None and path.exists() else None
        if original is not None and original.exists() and path.samefile(original):
            raise BadInput(f"{str(path)!r} is the original table: its release needs a file of its own.")
        if self.joins and path.is_symlink():
            raise BadInput(f"Cannot write {str(path)!r}: it is a link, and the file is replaced. Name the file itself.")
        self.settle()
        if not self.overwrite and self._is_taken():
            raise exists(path if self.target.table is None else path / self.target.table)

    def settle(self) -> None:
        """Finish or undo the work of killed runs."""
        for folder in leftovers(self.target.path):
            _complete(folder, self.target)
            remove(folder)
        if self.joins:
            if log_of(self.target.path).exists():
                absorb_log(self.target.path)
            alive = {suffix_of(folder) for folder in folders_of(self.target.path)}
            partial = [name for name in tables_of(self.target.path) if name.startswith(_PARTIAL)]
            stale = [name for name in partial if name.removeprefix(_PARTIAL) not in alive]
            if stale:
                with staged(self.target.path) as folder:
                    made = folder / self.target.path.name
                    make_file(made, like=self.target.path)
                    _replace(self.target.path, made, folder, without=stale)

    def stage(self, folder: Path) -> Target:
        """Return the staged target, which is written and checked before it is put in place."""
        made = replace(self.target, path=folder / self.target.path.name)
        if self.joins:
            make_file(made.path, like=self.target.path)
        return made

    def put(
        self,
        made: Target,
        folder: Path,
        documents: dict[str, dict[str, Any]],
        identity: str,
        opened: Table | None = None,
    ) -> None:
        """Put the release in place, then its companion files; remove those of a replaced release."""
        stage_documents(documents, folder)
        if made.format.has_tables:
            comment_on_table(made.path, str(made.table), identity)
        if made.is_folder:
            publish_folder(made.path, self.target.path, folder / _REPLACED, overwrite=self.overwrite)
        elif self.joins:
            self._join(made, folder)
        else:
            publish(made.path, self.target.path, overwrite=self.overwrite)
        follow(folder, self.target)
        forget(self.target, documents, spared=self.spared)

    def _join(self, made: Target, folder: Path) -> None:
        """Copy the other tables of the file, and put the new file in its place."""
        path, table = self.target.path, str(self.target.table)
        if not self.overwrite and table in tables_of(path):
            raise exists(path / table)
        _replace(path, made.path, folder, without=[table] if self.overwrite else [])

    def _is_taken(self) -> bool:
        path = self.target.path
        taken = str(self.target.table) in tables_of(path) if self.joins else path.exists()
        return taken or bool(companion_files(self.target))


def identity_of(target: Target) -> str | None:
    """Return the identity of the release at a target: the hash of the file, or the comment of the table."""
    if not target.path.exists():
        return None
    if target.format.has_tables:
        return tables_of(target.path).get(str(target.table))
    return sha256(target.path)


def sha256(path: Path) -> str:
    """Return the hash of a file, or of the files in a folder."""
    if path.is_dir():
        hashes = sorted(sha256(file) for file in path.rglob("*.parquet"))
        return hashlib.sha256("".join(hashes).encode()).hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_json(document: dict[str, Any], path: Path, *, private: bool = False) -> None:
    """Write a document; a private one is readable by its owner only."""
    path.touch(mode=0o600 if private else 0o666)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def _complete(folder: Path, target: Target) -> None:
    """Put the companion files of a release in place if its run was killed before that."""
    try:
        manifest = read_manifest(folder / "manifest.json")
    except BadInput:
        return  # the run had not come that far
    made = manifest["release"]
    staged = folder / target.path.name
    if target.is_folder and not target.path.exists() and staged.is_dir():
        publish_folder(staged, target.path, folder / _REPLACED, overwrite=False)  # the one before it is gone
    its = replace(target, table=made["table"], is_folder=False)
    if identity_of(its) == (made["sha256"] or manifest["id"]):
        follow(folder, its)


def _replace(path: Path, made: Path, folder: Path, *, without: Collection[str]) -> None:
    """Replace a DuckDB file by a new one that also gets its other tables, except those in `without`."""
    seen = carry_over(path, made, without=without, aside=folder / "carried.duckdb")
    with unchanged(path, seen):
        publish(made, path, overwrite=True)


def companion_files(target: Target) -> list[Path]:
    """Return the existing companion files at a target."""
    return [file for file in (beside(target, what) for what in _FILES) if file.exists()]


def stage_documents(documents: dict[str, dict[str, Any]], folder: Path) -> None:
    """Write the companion files of a release to its staging folder."""
    for what in _FILES:
        if what in documents:
            write_json(documents[what], folder / f"{what}.json", private=what == "recoding")
            sync(folder / f"{what}.json")
    sync(folder)


def follow(folder: Path, target: Target) -> None:
    """Put the companion files of a release in place."""
    for what in _FILES:
        made = folder / f"{what}.json"
        if made.exists():
            publish(made, beside(target, what), overwrite=True)


def forget(target: Target, documents: Collection[str], *, spared: str | None, replaced: str | None = None) -> None:
    """Remove the companion files of a replaced release that the new one does not overwrite.

    The recoding file of the release `spared` stays. If `replaced` is given, only files of that release are removed.
    """
    for what in set(_FILES) - set(documents):
        file = beside(target, what)
        number = number_of(file)
        is_spared = what == "recoding" and spared is not None and number == spared
        if not is_spared and replaced in (None, number):
            file.unlink(missing_ok=True)
