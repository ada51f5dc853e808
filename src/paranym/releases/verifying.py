"""A release that was written some time ago, checked against its manifest."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hmac import compare_digest
from pathlib import Path
from typing import Any

from paranym.engines.base import Table, Target
from paranym.engines.source import Source
from paranym.engines.sql.rewriting import neutral
from paranym.errors import BadInput
from paranym.model.recoding import Recoding
from paranym.problem import Problem
from paranym.releases.databases import FoundRelease, found_release
from paranym.releases.derivation import Stated, compare_manifest
from paranym.releases.inspection import Private, Terms
from paranym.releases.made import read_back
from paranym.releases.manifest import (
    SavedRecoding,
    beside,
    fingerprint,
    requirements_in,
    without_values,
    written_requirements,
)
from paranym.releases.people import PeopleOfRelease
from paranym.releases.releasing import Release
from paranym.releases.signing import check_signature
from paranym.results.release import Check, Claims, Verification
from paranym.saved.manifest import read_manifest


def verify_release(
    release: Path | str,
    *,
    table: str | None = None,
    manifest: Path | str | None = None,
    signers: Path | str | None = None,
    original: Path | str | None = None,
    memory: str | None = None,
) -> Verification:
    """Count a release again and compare it with its manifest, field by field.

    The release is a file, a folder of Parquet files, or a `table` of a DuckDB file or of the Postgres database at an
    address. Its manifest is expected beside it, or in the current folder if it is in a database, unless `manifest`
    names the file. Every field is derived again or listed as `stated`. With `signers`, a file of allowed signers in
    the format of OpenSSH, the manifest must be signed by one of them. Privacy requirements that name a value or need a
    hierarchy are checked if the recoding file is beside the manifest. A k that counts people is checked if the
    `original` table is given as well; the release alone does not tell people apart.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> import tempfile
    >>> people = pa.table({"age": [31, 34, 38, 52, 55, 58]})
    >>> problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10, 20]}})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     released = pn.release(problem, pn.ask(pn.frontier(problem), min_k=3).point, f"{folder}/people.csv")
    ...     verify_release(f"{folder}/people.csv").holds
    True
    """
    with found_release(release, table) as found:
        return _verified(found, _CompanionFiles.of(found.target, manifest), signers, memory, original)


def read_release(
    problem: Problem,
    release: Path | str,
    *,
    table: str | None = None,
    manifest: Path | str | None = None,
    memory: str | None = None,
) -> Release:
    """Read and verify an earlier release of the table of a problem.

    Manifest and recoding file must exist, and the table must not have changed.
    """
    with found_release(release, table) as found:
        target, companions = found.target, _CompanionFiles.of(found.target, manifest)
        verification = _verified(found, companions, None, memory)
    called = repr(target.table) if target.file is None else repr(str(release))
    verification.demand(called)
    document, saved = companions.manifest, companions.saved
    if saved is None:
        name = companions.recoding.name
        raise BadInput(f"The recoding file {name!r} is not beside the manifest, or belongs to another release.")
    if not compare_digest(fingerprint(problem.source.digest(), saved.key), document["data"]["fingerprint"]):
        raise BadInput(f"{called} was released from another table than {problem.source.name!r} is now.")
    return Release(
        table=None,
        path=target.file,
        recoding=saved.recoding,
        promise=Claims.from_dict(document["assessment"]),
        verification=verification,
        manifest=document,
        warnings=tuple(document["warnings"]),
        target=target,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _CompanionFiles:
    """The companion files of a release: its manifest and its recoding file."""

    file: Path
    manifest: dict[str, Any]
    recoding: Path
    """The path of the recoding file, which need not exist."""
    saved: SavedRecoding | None
    """The recoding of this release, if its file exists."""

    @classmethod
    def of(cls, target: Target, manifest: Path | str | None) -> "_CompanionFiles":
        file = beside(target, "manifest") if manifest is None else Path(manifest)
        if manifest is None and not file.exists():
            what, where = (target.table, "here for") if target.file is None else (target.path.name, "beside")
            raise BadInput(
                f"There is no manifest {file.name!r} {where} {what!r}: it was not released by paranym, or its manifest "
                "was lost or lies elsewhere (--manifest). `paranym audit` measures any table."
            )
        document = read_manifest(file)
        recoding = file.with_name(f"{file.name.removesuffix('.manifest.json')}.recoding.json")
        saved = SavedRecoding.read(recoding) if recoding.exists() else None
        return cls(file, document, recoding, saved if saved is not None and saved.identity == document["id"] else None)


def _verified(
    found: FoundRelease,
    companions: _CompanionFiles,
    signers: Path | str | None,
    memory: str | None,
    original: Path | str | None = None,
) -> Verification:
    """Check a release against its companion files."""
    target, manifest = found.target, companions.manifest
    signature = check_signature(manifest, signers)
    count = None if original is None else _fewest_people(companions, original, memory)
    try:
        terms = Terms.of(manifest, _private(companions.saved, count))
        is_table, called = manifest["release"]["sha256"] is None, _called(manifest)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(companions.file) from error
    identity = found.identity or "unknown"
    what, claimed = ("release number", manifest["id"]) if is_table else ("sha256", manifest["release"]["sha256"])
    noted = identity if target.format.has_tables else None
    read, made = read_back(found.data, terms, target=target, where=target, called=called, identity=noted, memory=memory)
    made = replace(made, table=Stated()) if target.file is None else made
    try:
        compared = compare_manifest(manifest, terms, read, made)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _damaged(companions.file) from error
    same = [Check(what=what, promised=claimed, found=identity)]
    if made.cells is not None:
        same.append(Check(what="cells", promised=str(manifest["release"].get("cells")), found=made.cells))
    return replace(
        compared,
        checks=(*same, *compared.checks),
        fields=(*compared.fields, *_of_recoding(terms, manifest, companions.saved)),
        signature=signature,
    )


def _called(manifest: dict[str, Any]) -> str:
    """Return the name of the table in its audit."""
    return str(manifest["release"]["table"] or manifest["release"]["file"])


def _private(saved: SavedRecoding | None, count: Callable[[Table], int] | None) -> Private | None:
    """Return the private facts of the recoding file; it does not hold the distribution of the original rows."""
    if saved is None:
        return None
    return Private(
        privacy=written_requirements(saved.guarantee.privacy), trees=saved.guarantee.trees, fewest_people=count
    )


def _fewest_people(companions: _CompanionFiles, original: Path | str, memory: str | None) -> Callable[[Table], int]:
    """Return how the people of a release are counted in its original table."""
    saved, manifest = companions.saved, companions.manifest
    if saved is None:
        name = companions.recoding.name
        raise BadInput(f"The recoding file {name!r} is not beside the manifest: without it, nobody is found again.")
    if saved.guarantee.person is None or not isinstance(saved.recoding, Recoding):
        raise BadInput("k counts rows in this release: the release alone confirms it, without the original table.")
    source = Source(Path(original), None, None, saved.recoding.missing)
    if not compare_digest(fingerprint(source.digest(), saved.key), manifest["data"]["fingerprint"]):
        raise BadInput(f"{source.name!r} is not the table that was released, or it was changed since.")
    shown = neutral if manifest["release"]["formulas"]["neutralized"] else str
    return PeopleOfRelease(
        original=source, recoding=saved.recoding, person=saved.guarantee.person, shown=shown, memory=memory
    ).fewest


def _of_recoding(terms: Terms, manifest: dict[str, Any], saved: SavedRecoding | None) -> list[Check]:
    """Return where recoding file and manifest disagree: about quasi-identifiers, or about privacy requirements."""
    if saved is None:
        return []
    shown = {name: name if name in terms.columns else neutral(name) for name in saved.names}
    columns = Check(
        what="quasi-identifiers", promised=", ".join(terms.keys), found=", ".join(shown[name] for name in saved.names)
    )
    privacy, own = manifest["recipe"]["privacy"], without_values(written_requirements(saved.guarantee.privacy))
    requirements = [
        Check(what=f"recipe.privacy.{kind}", promised=str(privacy.get(kind)), found=str(own.get(kind)))
        for kind in ("k", *dict.fromkeys([*requirements_in(privacy), *requirements_in(own)]))
    ]
    return [check for check in (columns, *requirements) if check.holds is False]


def _damaged(file: Path) -> BadInput:
    return BadInput(f"{file.name!r} is damaged: it is not a complete manifest.")
