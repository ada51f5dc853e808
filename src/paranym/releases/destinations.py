"""Where a release is put: a file, or a table of a DuckDB file that is there already.

A run that is killed leaves what was there before, or what it was about to put there, whole. The release takes its name
in one step; recoding and manifest follow. Whoever comes next first ends the work of a run that was killed between these
steps, which is recognized by the hash of the file, or by what is noted on the table.
"""

import hashlib
import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, get_args

from paranym.engines.base import Format, Table, Target
from paranym.engines.source import Source
from paranym.engines.writing import absorb_log, drop_tables, replace_table, tables_of
from paranym.errors import BadInput
from paranym.releases.manifest import MANIFEST, beside, number_of, read_json
from paranym.releases.staging import exists, leftovers, publish, publish_folder, remove, suffix_of, sync

_ENDINGS: dict[str, Format] = {
    ".csv": "csv",
    ".csv.gz": "csv",
    ".parquet": "parquet",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
    ".db": "duckdb",
}
_PARTIAL = "paranym_partial_"
_REPLACED = "replaced"
"""Where a folder goes that a new release takes the place of."""
_FILES = ("recoding", "manifest")
"""In the order in which they are written and put in place: where there is a manifest, there is a recoding."""


def target_of(path: Path, table: str | None = None, *, folder: bool = False) -> Target:
    """What to write, by the ending of a name; `folder` if many workers write it, each a file of its own."""
    name = path.name.lower()
    format_ = next((format_ for ending, format_ in _ENDINGS.items() if name.endswith(ending)), None)
    if format_ is None:
        raise BadInput(f"Cannot tell how to write {path.name!r}. End the name in {', '.join(_ENDINGS)}.")
    if table is not None and format_ != "duckdb":
        raise BadInput(f"Only a DuckDB file has tables; {path.name!r} is written as {format_}.")
    if folder and format_ != "parquet":
        raise BadInput(f"Spark writes Parquet: let the name of the release end in .parquet; got {path.name!r}.")
    return Target(path, format_, (table or "release") if format_ == "duckdb" else None, folder)


@dataclass(frozen=True, slots=True)
class Destination:
    """A place for a release and for what lies beside it."""

    target: Target
    overwrite: bool = False
    spared: str | None = None
    """The number of a release whose recoding is never removed: it is being applied."""
    mark: ClassVar[str] = ""

    @property
    def joins(self) -> bool:
        """Whether the release joins other tables in a file that is there."""
        return self.target.format == "duckdb" and self.target.path.exists()

    def check(self, source: Source | None) -> None:
        """Raise if nothing may be written there; better now than after a long search."""
        path = self.target.path
        if path.exists() and path.is_dir() != self.target.is_folder:
            kind = "a folder" if path.is_dir() else "a file, and Spark writes a folder"
            raise BadInput(f"Cannot write {str(path)!r}: it is {kind}.")
        if not path.parent.is_dir():
            raise BadInput(f"Cannot write {str(path)!r}: there is no folder {str(path.parent)!r}.")
        original = source.path if source is not None and path.exists() else None
        if original is not None and original.exists() and path.samefile(original):
            raise BadInput(f"{str(path)!r} is the original table: its release needs a file of its own.")
        self.settle()
        if not self.overwrite and self._is_taken():
            raise exists(path if self.target.table is None else path / self.target.table)

    def settle(self) -> None:
        """End or undo what runs that were killed left here."""
        for folder in leftovers(self.target.path):
            _complete(folder, self.target)
            remove(folder)
        if self.joins:
            if self.target.path.with_name(f"{self.target.path.name}.wal").exists():
                absorb_log(self.target.path)
            alive = {
                suffix_of(folder) for folder in self.target.path.parent.glob(f".{self.target.path.name}.paranym-*")
            }
            partial = [name for name in tables_of(self.target.path) if name.startswith(_PARTIAL)]
            stale = [name for name in partial if name.removeprefix(_PARTIAL) not in alive]
            if stale:
                drop_tables(self.target.path, stale)

    def stage(self, folder: Path) -> Target:
        """What to write first, to be looked at and then put in place."""
        if self.target.format != "duckdb":
            return Target(folder / self.target.path.name, self.target.format, is_folder=self.target.is_folder)
        path = self.target.path if self.joins else folder / self.target.path.name
        return Target(path, "duckdb", f"{_PARTIAL}{suffix_of(folder)}")

    @contextmanager
    def abandoning(self, made: Target) -> Iterator[None]:
        """Take back what was staged unless the block ends well."""
        try:
            yield
        except BaseException:
            if made.path == self.target.path:
                drop_tables(made.path, [str(made.table)])
            raise

    def put(
        self,
        made: Target,
        folder: Path,
        documents: dict[str, dict[str, Any]],
        identity: str,
        opened: Table | None = None,
    ) -> None:
        """Put the release in place, and then what belongs to it; what belonged to another one goes."""
        stage_documents(documents, folder)
        if made.format == "duckdb":
            replace_table(made.path, str(made.table), str(self.target.table), identity, overwrite=self.overwrite)
        if made.is_folder:
            publish_folder(made.path, self.target.path, folder / _REPLACED, overwrite=self.overwrite)
        elif made.path != self.target.path:
            publish(made.path, self.target.path, overwrite=self.overwrite)
        follow(folder, self.target)
        forget(self.target, documents, spared=self.spared)

    def _is_taken(self) -> bool:
        path = self.target.path
        taken = str(self.target.table) in tables_of(path) if self.joins else path.exists()
        return taken or bool(papers_of(self.target))


def identity_of(target: Target) -> str | None:
    """What tells the release that is there from all others: the hash of a file, or what is noted on a table."""
    if not target.path.exists():
        return None
    if target.format == "duckdb":
        return tables_of(target.path).get(str(target.table))
    return sha256(target.path)


def sha256(path: Path) -> str:
    """The hash of a file, or of the files in a folder."""
    if path.is_dir():
        hashes = sorted(sha256(file) for file in path.rglob("*.parquet"))
        return hashlib.sha256("".join(hashes).encode()).hexdigest()
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def write_json(document: dict[str, Any], path: Path, *, private: bool = False) -> None:
    """Write a document; a private one for its owner's eyes only."""
    path.touch(mode=0o600 if private else 0o666)
    path.write_text(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n", encoding="utf-8")


def _complete(folder: Path, target: Target) -> None:
    """Put manifest and recoding of a release in place whose run was killed before it could."""
    try:
        manifest = read_json(folder / "manifest.json", MANIFEST, "manifest")
    except BadInput:
        return  # the run had not come that far
    made = manifest["release"]
    if made["format"] not in get_args(Format):
        return
    staged = folder / target.path.name
    if target.is_folder and not target.path.exists() and staged.is_dir():
        publish_folder(staged, target.path, folder / _REPLACED, overwrite=False)  # the one before it is gone
    its = Target(target.path, made["format"], made["table"])
    if identity_of(its) == (made["sha256"] or manifest["id"]):
        follow(folder, its)


def papers_of(target: Target) -> list[Path]:
    """What lies beside a release, or beside the place for one."""
    return [paper for paper in (beside(target, what) for what in _FILES) if paper.exists()]


def stage_documents(documents: dict[str, dict[str, Any]], folder: Path) -> None:
    """Write what belongs to a release, to be put in place once the release is."""
    for what in _FILES:
        if what in documents:
            write_json(documents[what], folder / f"{what}.json", private=what == "recoding")
            sync(folder / f"{what}.json")
    sync(folder)


def follow(folder: Path, target: Target) -> None:
    """Put what belongs to a release in place."""
    for what in _FILES:
        made = folder / f"{what}.json"
        if made.exists():
            publish(made, beside(target, what), overwrite=True)


def forget(target: Target, documents: Collection[str], *, spared: str | None, replaced: str | None = None) -> None:
    """Remove what belonged to another release that was there, if it has no counterpart.

    The recoding of the release `spared` stays. If `replaced` is given, only what is of that release goes.
    """
    for what in set(_FILES) - set(documents):
        paper = beside(target, what)
        number = number_of(paper)
        is_spared = what == "recoding" and spared is not None and number == spared
        if not is_spared and replaced in (None, number):
            paper.unlink(missing_ok=True)
