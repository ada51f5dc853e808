"""A release that was written some time ago, held once more against its manifest."""

from dataclasses import dataclass
from hmac import compare_digest
from pathlib import Path
from typing import Any

from paranym.engines.base import Target
from paranym.errors import BadInput
from paranym.model.release import Check, Promise, Verification
from paranym.model.schema import Attribute, Role, Schema
from paranym.problem import Problem
from paranym.releases.databases import Standing, standing
from paranym.releases.inspection import Terms, inspect
from paranym.releases.manifest import MANIFEST, SavedRecoding, beside, fingerprint, read_json
from paranym.releases.releasing import Release

_SUPPRESSION = ("suppression", "suppression_rows", "suppression_use")


def verify_release(
    release: Path | str, *, table: str | None = None, manifest: Path | str | None = None, memory: str | None = None
) -> Verification:
    """Count a release afresh and compare it with what its manifest says.

    It is a file, a folder of Parquet files, or a `table` of a DuckDB file or of the Postgres database at an address.
    The manifest lies beside it, or in the current folder if it is in a database; or else `manifest` says where. With
    the recoding file, if it lies beside the manifest, the loss is checked as well.

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
    with standing(release, table) as found:
        return _held(found, _Papers.of(found.target, manifest), memory)


def read_release(
    problem: Problem,
    release: Path | str,
    *,
    table: str | None = None,
    manifest: Path | str | None = None,
    memory: str | None = None,
) -> Release:
    """A release of the table of a problem that was written some time ago, verified once more.

    Manifest and recoding file must be there, and the table must not have changed.
    """
    with standing(release, table) as found:
        target, papers = found.target, _Papers.of(found.target, manifest)
        verification = _held(found, papers, memory)
    called = repr(target.table) if target.format == "postgres" else repr(str(release))
    verification.demand(called)
    told, saved = papers.manifest, papers.saved
    if saved is None:
        raise BadInput(f"The recoding file {papers.recoding.name!r} is not beside the manifest, or of another release.")
    if not compare_digest(fingerprint(problem.source.digest(), saved.key), told["data"]["fingerprint"]):
        raise BadInput(f"{called} was released from another table than {problem.source.name!r} is now.")
    return Release(
        table=None,
        path=None if target.format == "postgres" else target.path,
        recoding=saved.recoding,
        promise=Promise.from_dict(told["assessment"]),
        verification=verification,
        manifest=told,
        warnings=tuple(told["warnings"]),
        target=target,
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Papers:
    """What was written about a release."""

    file: Path
    manifest: dict[str, Any]
    recoding: Path
    """The file, which need not be there."""
    saved: SavedRecoding | None
    """The recoding of this release, if it is there."""

    @classmethod
    def of(cls, target: Target, manifest: Path | str | None) -> "_Papers":
        file = beside(target, "manifest") if manifest is None else Path(manifest)
        if manifest is None and not file.exists():
            what, where = (target.path.name, "beside") if target.format != "postgres" else (target.table, "here for")
            raise BadInput(
                f"There is no manifest {file.name!r} {where} {what!r}: it was not released by paranym, or its manifest "
                "was lost or lies elsewhere (--manifest). `paranym audit` measures any table."
            )
        told = read_json(file, MANIFEST, "manifest")
        if not isinstance(told.get("id"), str):
            raise _damaged(file)
        recoding = file.with_name(f"{file.name.removesuffix('.manifest.json')}.recoding.json")
        saved = SavedRecoding.read(recoding) if recoding.exists() else None
        return cls(file, told, recoding, saved if saved is not None and saved.identity == told["id"] else None)


def _held(found: Standing, papers: _Papers, memory: str | None) -> Verification:
    """A release against its papers."""
    target, manifest = found.target, papers.manifest
    try:
        promised = manifest["release"]["sha256"] or manifest["id"]
        terms = _terms(manifest, papers.saved)
    except (KeyError, TypeError) as error:
        raise _damaged(papers.file) from error
    what = "sha256" if manifest["release"]["sha256"] else "release number"
    same = Check(what=what, promised=promised, found=found.identity or "unknown")
    read = inspect(found.data, terms, table=target.table, memory=memory)
    return Verification(checks=(same, *read.checks), audit=read.audit)


def _damaged(file: Path) -> BadInput:
    return BadInput(f"{file.name!r} is damaged: it is no complete manifest.")


def _terms(manifest: dict[str, Any], saved: SavedRecoding | None) -> Terms:
    promise, release = Promise.from_dict(manifest["assessment"]), manifest["release"]
    attributes = manifest["recipe"]["attributes"]
    return Terms(
        schema=Schema(
            tuple(Attribute(name, Role(told["role"]), told.get("weight", 1.0)) for name, told in attributes.items())
        ),
        promise=promise,
        columns=tuple(release["columns"]),
        marked=release["suppressed_rows"] == "blanked" and promise.suppressed > 0,
        neutralized=release["formulas"]["neutralized"],
        privacy={} if saved is None else saved.guarantee.privacy,
        trees={} if saved is None else saved.guarantee.trees,
        recoding=None if saved is None else saved.recoding,
    )
