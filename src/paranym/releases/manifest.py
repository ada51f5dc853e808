"""What is written beside a release: a manifest for everybody, and a recoding file for nobody else.

The manifest holds no value of any cell. Not even the fingerprint of the data lets anyone try out guesses: it is made
with a key that stands in the recoding file.
"""

import hmac
import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any
from urllib.parse import quote

from paranym.engines.base import Target
from paranym.errors import BadInput
from paranym.model.hierarchy import Hierarchy
from paranym.model.local_labels import LocalLabels
from paranym.model.recoding import Recoding
from paranym.problem import Problem

MANIFEST = "paranym manifest 1"
RECODING = "paranym recoding 1"
_LIBRARIES = ("paranym", "duckdb", "numba", "numpy", "pyarrow", "sqlglot")
_WARNING = "This file holds values of the original table. Keep it to yourself."


@dataclass(frozen=True, slots=True)
class Guarantee:
    """What a recoding was chosen for, to be asked again of every table that it is applied to."""

    k: int
    suppression: float
    """At most this share of the rows may be left out."""
    privacy: Mapping[str, object]
    """What else is demanded, as a recipe says it."""
    trees: Mapping[str, Any]
    """What the hierarchies of sensitive attributes are made from."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        privacy, trees = dict(self.privacy), dict(self.trees)
        return {"k": self.k, "suppression": self.suppression, "privacy": privacy, "trees": trees}


@dataclass(frozen=True, slots=True)
class SavedRecoding:
    """The private file: how the release was made, to be applied to further tables."""

    recoding: Recoding | LocalLabels
    guarantee: Guarantee
    identity: str
    """Of the release."""
    key: bytes
    """Of the fingerprint."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "format": RECODING,
            "private": _WARNING,
            "release": self.identity,
            "key": self.key.hex(),
            "guarantee": self.guarantee.as_dict(),
            "recoding": self.recoding.as_dict(),
        }

    @classmethod
    def read(cls, path: Path) -> "SavedRecoding":
        """Read such a file."""
        document = read_json(path, RECODING, "recoding file")
        try:
            recoding = document["recoding"]
            kind = LocalLabels if recoding.get("model") == "local" else Recoding
            return cls(
                kind.from_dict(recoding),
                Guarantee(**document["guarantee"]),
                document["release"],
                bytes.fromhex(document["key"]),
            )
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise BadInput(f"{str(path)!r} is damaged: it is no complete recoding file.") from error


def beside(target: Target, what: str) -> Path:
    """The file of that kind which belongs to a release."""
    table = "" if target.table is None else f".{quote(target.table, safe='')}"
    return target.path.with_name(f"{target.path.name}{table}.{what}.json")


def number_of(paper: Path) -> str | None:
    """The number of the release that a manifest or a recoding file is of, if it can be told."""
    kind, called, key = (
        (MANIFEST, "manifest", "id") if paper.name.endswith("manifest.json") else (RECODING, "recoding file", "release")
    )
    try:
        number = read_json(paper, kind, called).get(key)
    except BadInput:
        return None
    return number if isinstance(number, str) else None


def fingerprint(digest: bytes, key: bytes) -> str:
    """What stands for the data: nobody can tell from it whether a guess is right without the key."""
    return hmac.new(key, digest, "sha256").hexdigest()


def new_key() -> bytes:
    """A key for a fingerprint."""
    return secrets.token_bytes(32)


def earlier_releases(digest: bytes, places: Iterable[Path]) -> list[str]:
    """The releases of the same table, by their files, among all that lie in these folders, or are these files."""
    found = []
    for file in dict.fromkeys(file.resolve() for place in places for file in _recodings(place)):
        manifest = file.with_name(file.name.replace(".recoding.json", ".manifest.json"))
        try:
            saved = SavedRecoding.read(file)
            mark = read_json(manifest, MANIFEST, "manifest")["data"]["fingerprint"]
        except (BadInput, KeyError):
            continue  # of something else, or without its other half
        if hmac.compare_digest(mark, fingerprint(digest, saved.key)):
            found.append(manifest.name.removesuffix(".manifest.json"))
    return found


def _recodings(place: Path) -> list[Path]:
    """The recoding files of a folder, or that of one release."""
    if place.is_dir():
        return sorted(place.glob("*.recoding.json"))
    name = place.name.removesuffix(".manifest.json").removesuffix(".recoding.json")
    if not place.with_name(f"{name}.recoding.json").exists():
        raise BadInput(f"There is no earlier release {str(place)!r}, or its recoding file is not beside it.")
    return [place.with_name(f"{name}.recoding.json")]


def recipe_of(problem: Problem) -> dict[str, Any]:
    """What was asked, in the words of a recipe, without values of the table: of hierarchies only the size is told."""
    suppression = problem.suppression
    roles: dict[str, dict[str, Any]] = {each.name: {"role": each.role.value} for each in problem.schema.attributes}
    for attribute, hierarchy in zip(problem.schema.quasi_identifiers, problem.hierarchies, strict=True):
        roles[attribute.name] |= {"weight": attribute.weight, "numeric": not hierarchy.categorical}
        roles[attribute.name] |= {"hierarchy": _described(hierarchy, problem.specs.get(attribute.name))}
    return {
        "data": {"source": problem.source.name, "table": problem.source.table},
        "attributes": roles,
        "privacy": {
            "suppression": suppression.share,
            "suppression_rows": suppression.rows,
            "suppression_use": suppression.use.value,
            **without_values(problem.privacy),
        },
        "loss": {"metric": problem.loss.name},
    }


def without_values(privacy: Mapping[str, object]) -> dict[str, Any]:
    """Demands without the values of a sensitive attribute that some name."""
    told: dict[str, Any] = {}
    for name, demands in privacy.items():
        told[name] = (
            [{key: value for key, value in demand.items() if key != "only"} for demand in demands]
            if isinstance(demands, list)
            else demands
        )
    return told


def software() -> dict[str, str]:
    """The versions of all that had a hand in it."""
    return {"python": python_version(), **{name: version(name) for name in _LIBRARIES}}


def read_json(path: Path, kind: str, called: str) -> dict[str, Any]:
    """Read a file that paranym wrote."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"Cannot read the {called} {str(path)!r}: {error.strerror}.") from error
    except ValueError as error:
        raise BadInput(f"{str(path)!r} is no {called}: it is no valid JSON.") from error
    if not isinstance(document, dict) or document.get("format") != kind:
        raise BadInput(f"{str(path)!r} is no {called} that this version of paranym knows.")
    return document


def _described(hierarchy: Hierarchy, spec: object) -> dict[str, Any]:
    kind = next((str(key) for key in spec if isinstance(key, str)), "levels") if isinstance(spec, Mapping) else None
    sizes = [len(values) for values in hierarchy.labels]
    return {"values_per_level": sizes} | ({} if kind is None else {"kind": kind})
