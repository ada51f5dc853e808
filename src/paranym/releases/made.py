"""A release as a file or a table: its format, size and hash, without regard to its content."""

from pathlib import Path

from paranym.engines.base import Table, Target
from paranym.engines.source import hash_rows
from paranym.releases.derivation import Made
from paranym.releases.destinations import sha256
from paranym.releases.inspection import Inspection, Terms, count_formulas, inspect, opened_release


def read_back(
    data: object,
    terms: Terms,
    *,
    target: Target,
    where: Target,
    called: str = "",
    identity: str | None = None,
    memory: str | None = None,
) -> tuple[Inspection, Made]:
    """Read a release once; return its content compared with its claims, and its facts as a file or a table.

    It is read from `where`, and is or will be published at `target`. `called` is its name in the audit.
    """
    with opened_release(data, table=where.table, memory=memory) as opened:
        made = made_of(target, where, opened, identity=identity)
        return inspect(opened, terms, called=called), made


def made_of(target: Target, where: Target, opened: Table, *, identity: str | None = None) -> Made:
    """Return the facts for a manifest about the open release at `where`, which is or will be published at `target`.

    `identity` is the release number in the comment of a database table.
    """
    is_file = not target.format.has_tables
    formulas: dict[str, object] = {"found": None, "neutralized": False}
    if target.format.is_text:
        found, neutralized = count_formulas(opened)
        formulas = {"found": found, "neutralized": neutralized}
    return Made(
        file=None if target.file is None else target.file.name,
        format=target.format.name,
        table=target.table,
        formulas=formulas,
        bytes=_bytes(where.path) if is_file else None,
        sha256=sha256(where.path) if is_file else None,
        cells=None if is_file else hash_rows(opened),
        identity=identity,
    )


def _bytes(path: Path) -> int:
    """Return the size of a file, or of the files in a folder."""
    files = path.rglob("*.parquet") if path.is_dir() else [path]
    return sum(file.stat().st_size for file in files)
