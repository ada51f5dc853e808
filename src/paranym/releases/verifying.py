"""A release that was written some time ago, held once more against its manifest."""

from hmac import compare_digest
from pathlib import Path
from typing import Any

from paranym.engines.base import Target
from paranym.errors import BadInput
from paranym.model.release import Check, Promise, Verification
from paranym.model.schema import Attribute, Role, Schema
from paranym.problem import Problem
from paranym.releases.destinations import Destination, identity_of, target_of
from paranym.releases.inspection import Terms, inspect
from paranym.releases.manifest import MANIFEST, SavedRecoding, beside, fingerprint, read_json
from paranym.releases.releasing import Release

_SUPPRESSION = ("suppression", "suppression_rows", "suppression_use")


def verify_release(path: Path | str, *, table: str | None = None, memory: str | None = None) -> Verification:
    """Count a release afresh and compare it with what its manifest says.

    The manifest lies beside the release. With the recoding file, if it is there too, the loss is checked as well.

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
    target = target_of(Path(path), table, folder=Path(path).is_dir())
    if not target.path.exists():
        raise BadInput(f"There is no file {str(target.path)!r}.")
    Destination(target).settle()
    if not beside(target, "manifest").exists():
        raise BadInput(
            f"There is no manifest {beside(target, 'manifest').name!r} beside {target.path.name!r}: it was not "
            "released by paranym, or its manifest was lost. `paranym audit` measures any file."
        )
    manifest = read_json(beside(target, "manifest"), MANIFEST, "manifest")
    try:
        promised = manifest["release"]["sha256"] or manifest["id"]
        terms = _terms(manifest, _saved(target, manifest["id"]))
    except (KeyError, TypeError) as error:
        raise BadInput(f"{beside(target, 'manifest').name!r} is damaged: it is no complete manifest.") from error
    what = "release number" if target.format == "duckdb" else "sha256"
    same = Check(what=what, promised=promised, found=identity_of(target) or "unknown")
    found = inspect(target.path, terms, table=target.table, memory=memory)
    return Verification(checks=(same, *found.checks), audit=found.audit)


def read_release(problem: Problem, path: Path | str, *, table: str | None = None, memory: str | None = None) -> Release:
    """A release of the table of a problem that was written some time ago, verified once more.

    Manifest and recoding file must lie beside it, and the table must not have changed.
    """
    target = target_of(Path(path), table)
    verification = verify_release(path, table=table, memory=memory)
    verification.demand(f"{str(path)!r}")
    manifest = read_json(beside(target, "manifest"), MANIFEST, "manifest")
    saved = _saved(target, manifest["id"])
    if saved is None:
        raise BadInput(
            f"The recoding file {beside(target, 'recoding').name!r} is not beside the release, or of another."
        )
    if not compare_digest(fingerprint(problem.source.digest(), saved.key), manifest["data"]["fingerprint"]):
        raise BadInput(f"{str(path)!r} was released from another table than {problem.source.name!r} is now.")
    return Release(
        table=None,
        path=target.path,
        recoding=saved.recoding,
        promise=Promise.from_dict(manifest["assessment"]),
        verification=verification,
        manifest=manifest,
        warnings=tuple(manifest["warnings"]),
    )


def _saved(target: Target, identity: str) -> SavedRecoding | None:
    """The recoding of this release, if it is there."""
    file = beside(target, "recoding")
    saved = SavedRecoding.read(file) if file.exists() else None
    return saved if saved is not None and saved.identity == identity else None


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
