"""The companion files of a release: a public manifest, and a private recoding file.

The only cell values in the manifest are the published labels. The fingerprint of the data is made with a key from the
recoding file, so that it does not allow anyone to test guesses about the data.
"""

import hmac
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any
from urllib.parse import quote

from paranym.engines.base import Target
from paranym.errors import BadInput
from paranym.measures.catalogue import cell_value_parameters
from paranym.model.hierarchy import Hierarchy
from paranym.model.local_labels import LocalLabels
from paranym.model.recoding import Recoding
from paranym.problem import Problem
from paranym.publishing.findings import Limits
from paranym.recipe import PrivacySection
from paranym.saved.checking import read_saved
from paranym.saved.manifest import MANIFEST, read_manifest
from paranym.saved.recoding import RECODING, read_recoding_file

ONE_VALUE = "of_one_value"
"""The key that replaces the value of a sensitive attribute in the requirements of a manifest."""
_LIBRARIES = ("paranym", "duckdb", "numba", "numpy", "pyarrow", "sqlglot")
_WARNING = "This file holds values of the original table. Keep it to yourself."


@dataclass(frozen=True, slots=True)
class Guarantee:
    """The guarantee of a recoding, which is checked for each table that it is applied to."""

    k: int
    suppression: float
    """Largest share of the rows that may be suppressed."""
    privacy: Mapping[str, object]
    """Further privacy requirements, in the form of a recipe."""
    trees: Mapping[str, Any]
    """Specifications of the hierarchies of sensitive attributes."""
    limits: Limits = field(default_factory=Limits)
    """The limits of the gate."""
    person: str | None = None
    """The column that identifies people, if k counts them."""

    def as_dict(self) -> dict[str, Any]:
        """Return the guarantee as a dictionary for JSON."""
        return {
            "k": self.k,
            "suppression": self.suppression,
            "privacy": dict(self.privacy),
            "trees": dict(self.trees),
            "gate": self.limits.as_dict(),
            **({} if self.person is None else {"person": self.person}),
        }


@dataclass(frozen=True, slots=True)
class SavedRecoding:
    """The private recoding file of a release, which can be applied to further tables."""

    recoding: Recoding | LocalLabels
    guarantee: Guarantee
    identity: str
    """The number of the release."""
    key: bytes
    """The key of the fingerprint."""

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(each.attribute for each in self.recoding.attributes)

    def as_dict(self) -> dict[str, Any]:
        """Return the recoding file as a dictionary for JSON."""
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
        """Read a recoding file."""
        file, recoding = read_recoding_file(path)
        saved = file.guarantee
        limits = Limits(saved.gate.unique, saved.gate.certain)
        guarantee = Guarantee(saved.k, saved.suppression, saved.privacy, saved.trees, limits, saved.person)
        return cls(recoding, guarantee, file.release, bytes.fromhex(file.key))


def beside(target: Target, what: str) -> Path:
    """Return the path of a companion file of a release: its manifest or its recoding."""
    table = "" if target.table is None else f".{quote(target.table, safe='')}"
    return target.path.with_name(f"{target.path.name}{table}.{what}.json")


def number_of(file: Path) -> str | None:
    """Return the release number in a manifest or a recoding file; None if it cannot be read."""
    kind, called, key = (
        (MANIFEST, "manifest", "id") if file.name.endswith("manifest.json") else (RECODING, "recoding file", "release")
    )
    try:
        number = read_saved(file, called, kind=kind).get(key)
    except BadInput:
        return None
    return number if isinstance(number, str) else None


def fingerprint(digest: bytes, key: bytes) -> str:
    """Return a keyed hash of the data, which cannot be compared with guesses without the key."""
    return hmac.new(key, digest, "sha256").hexdigest()


def new_key() -> bytes:
    """Return a new random key for a fingerprint."""
    return secrets.token_bytes(32)


def earlier_releases(digest: bytes, places: Iterable[Path]) -> dict[str, str]:
    """Return the releases of the same table in these folders or among these files: their numbers by name."""
    found = {}
    for file in dict.fromkeys(file.resolve() for place in places for file in _recodings(place)):
        manifest = file.with_name(file.name.replace(".recoding.json", ".manifest.json"))
        try:
            saved = SavedRecoding.read(file)
            mark = read_manifest(manifest)["data"]["fingerprint"]
        except BadInput:
            continue  # not a release, or without one of its companion files
        if hmac.compare_digest(mark, fingerprint(digest, saved.key)):
            found[manifest.name.removesuffix(".manifest.json")] = saved.identity
    return found


def _recodings(place: Path) -> list[Path]:
    """Return the recoding files of a folder, or that of one release."""
    if place.is_dir():
        return sorted(place.glob("*.recoding.json"))
    name = place.name.removesuffix(".manifest.json").removesuffix(".recoding.json")
    if not place.with_name(f"{name}.recoding.json").exists():
        raise BadInput(f"There is no earlier release {str(place)!r}, or its recoding file is not beside it.")
    return [place.with_name(f"{name}.recoding.json")]


def recipe_of(problem: Problem) -> dict[str, Any]:
    """Return the request in the form of a recipe, without values of the table; of hierarchies only the size."""
    suppression = problem.suppression
    roles: dict[str, dict[str, Any]] = {each.name: {"role": each.role.value} for each in problem.schema.attributes}
    for attribute, hierarchy in zip(problem.schema.quasi_identifiers, problem.hierarchies, strict=True):
        roles[attribute.name] |= {"weight": attribute.weight, "numeric": not hierarchy.categorical}
        roles[attribute.name] |= {"hierarchy": _described(hierarchy, problem.specs.get(attribute.name))}
    return {
        "data": {
            "source": problem.source.name,
            "table": problem.source.table,
            "missing": list(problem.source.missing),
            **({} if problem.request.person is None else {"person": problem.request.person}),
        },
        "attributes": roles,
        "privacy": {
            "suppression": suppression.share,
            "suppression_rows": suppression.rows,
            "suppression_use": suppression.use.value,
            **({} if problem.request.person is None else {"unit": problem.unit.value}),
            **without_values(problem.privacy),
        },
        "loss": {"metric": problem.loss.name},
    }


def written_requirements(privacy: Mapping[str, object]) -> dict[str, Any]:
    """Return privacy requirements in the form of a recipe, each kind as a list of tables.

    >>> written_requirements({"k": 3, "l": 2.0})
    {'k': 3, 'l': [{'value': 2.0}]}
    """
    return PrivacySection.of_requirements(privacy).as_written


def requirements_in(privacy: Mapping[str, Any]) -> dict[str, Any]:
    """Return the requirements on sensitive attributes, by their keys: everything but k and suppression.

    An unknown key is included, so that it is refused and not ignored.

    >>> requirements_in({"k": 3, "suppression": 0.1, "l": [{"value": 2.0}], "x": [{"value": 1.0}]})
    {'l': [{'value': 2.0}], 'x': [{'value': 1.0}]}
    """
    others = set(PrivacySection.model_fields) - {"requirements"}
    return {key: written for key, written in privacy.items() if key not in others}


def without_values(privacy: Mapping[str, Any]) -> dict[str, Any]:
    """Return the requirements without values of sensitive attributes."""
    return {
        name: [_unnamed(each) for each in written] if isinstance(written, list) else written
        for name, written in privacy.items()
    }


def _unnamed(requirement: Mapping[str, Any]) -> dict[str, Any]:
    values = cell_value_parameters()
    unnamed = {key: value for key, value in requirement.items() if key not in values}
    return unnamed if all(requirement.get(key) is None for key in values) else unnamed | {ONE_VALUE: True}


def software() -> dict[str, str]:
    """Return the versions of Python and of the libraries that make a release."""
    return {"python": python_version(), **{name: version(name) for name in _LIBRARIES}}


def _described(hierarchy: Hierarchy, spec: object) -> dict[str, Any]:
    """Return the size of a hierarchy, without the values per level, which would disclose suppressed ones."""
    kind = next((str(key) for key in spec if isinstance(key, str)), "levels") if isinstance(spec, Mapping) else None
    size = {"height": hierarchy.height, "leaves": len(hierarchy.leaves)}
    return size | ({} if kind is None else {"kind": kind})
