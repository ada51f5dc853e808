"""Every field of a manifest, derived again from the release and from the other fields, or listed as stated.

A field is derived from the release, or it repeats another field and must agree with it, or it is *stated*: neither the
release nor the manifest can confirm it. A manifest has no other fields.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.metadata import version
from typing import Any

from paranym.engines.sql.rewriting import neutral
from paranym.model.schema import Role
from paranym.releases.inspection import AGAINST_ORIGINAL, Inspection, Terms
from paranym.releases.losses import penalty_of
from paranym.releases.manifest import ONE_VALUE, requirements_in
from paranym.results.audit import Audit
from paranym.results.published import PublishedColumn, PublishedLabel
from paranym.results.release import COUNTED_IN_PEOPLE, Check, Verification, are_close
from paranym.saved.manifest import MANIFEST

_NEAR_ZERO = 1e-12
ORDER = "drawn by chance"
"""The order of the rows of every release."""


@dataclass(frozen=True, slots=True)
class Stated:
    """A field that the release cannot confirm; other fields may repeat it, and must then agree."""

    repeated: tuple[object, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """Facts about a release as a file or a table, without its rows."""

    file: str | None
    format: str
    table: object
    """A name, or `Stated` for a database, where one table may have several names."""
    formulas: Mapping[str, object]
    """Cells that a spreadsheet would run, and whether all of them are neutralized."""
    bytes: int | None
    sha256: str | None
    cells: str | None
    """A hash of the cells of a table in a database, which has no file of its own."""
    identity: str | None = None
    """The release number in the comment of such a table."""

    def as_dict(self) -> dict[str, Any]:
        """Return the fields of a manifest that follow from these facts."""
        names = ("file", "format", "table", "formulas", "bytes", "sha256", "cells")
        return {name: getattr(self, name) for name in names}


def compare_manifest(manifest: Mapping[str, Any], terms: Terms, found: Inspection, made: Made) -> Verification:
    """Compare every field of a manifest with the value derived from the release and from other fields."""
    verified = found.verification
    if found.audit is None:  # other columns, or no rows: there is nothing to derive from
        return verified
    unsigned = {name: value for name, value in manifest.items() if name != "signature"}
    derived = _Derivation(manifest, terms, found, found.audit, made).all()
    differing: list[Check] = []
    stated: dict[str, None] = {}
    compared = 0
    for path, here, there in _side_by_side(unsigned, derived, ""):
        if isinstance(there, Stated):
            stated[path] = None
            due = there.repeated[0] if there.repeated else here
        else:
            compared, due = compared + 1, there
        if not _agree(here, due):
            differing.append(Check(what=path, promised=_shown(here), found=_shown(due)))
    return replace(verified, fields=tuple(differing), compared=compared, stated=tuple(stated))


class _Absent:
    """Placeholder for a missing field."""


_ABSENT = _Absent()


def _side_by_side(written: object, derived: object, path: str) -> Iterator[tuple[str, object, object]]:
    """Yield each field of the manifest with its derived value; entries of a list share one path."""
    if isinstance(written, Mapping) and isinstance(derived, Mapping):
        for name in dict.fromkeys([*derived, *written]):
            below = f"{path}.{name}" if path else str(name)
            yield from _side_by_side(written.get(name, _ABSENT), derived.get(name, _ABSENT), below)
    elif isinstance(written, list) and isinstance(derived, list) and len(written) == len(derived):
        for one, other in zip(written, derived, strict=True):
            yield from _side_by_side(one, other, f"{path}[]")
    else:
        yield path, written, derived


def _agree(written: object, derived: object) -> bool:
    if isinstance(written, bool) or isinstance(derived, bool):
        return written is derived
    if isinstance(written, int | float) and isinstance(derived, int | float):
        return are_close(written, derived, least=_NEAR_ZERO)
    return type(written) is type(derived) and written == derived


def _shown(value: object) -> float | str:
    match value:
        case bool():
            return str(value).lower()
        case int() | float() | str():
            return value
        case None:
            return "null"
        case _Absent():
            return "absent"
        case list():
            return f"a list of {len(value):,}"
    return "a table"


@dataclass(frozen=True, eq=False)
class _Derivation:
    """One manifest and the inspection of its release."""

    manifest: Mapping[str, Any]
    terms: Terms
    found: Inspection
    audit: Audit
    made: Made
    is_local: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "is_local", "model" in self.manifest)

    def all(self) -> dict[str, Any]:
        """Return the manifest as it should be."""
        columns, recipe = self._columns, self.manifest["recipe"]
        levels = {
            "levels": {name: column.level for name, column in columns.items()},
            "heights": {name: column.height for name, column in columns.items()},
        }
        return {
            "format": MANIFEST,
            "id": Stated() if self.made.identity is None else self.made.identity,
            "release": self._release(),
            "data": {
                "name": Stated((recipe["data"]["source"],)),
                "rows": Stated((self.terms.claims.rows,)),
                "fingerprint": Stated(),
            },
            "recipe": self._recipe(),
            "chosen": self._chosen(),
            "columns": {name: self._column(name) for name in self.found.columns},
            **({"model": self._model()} if self.is_local else levels),
            "values": {name: len(column.labels) for name, column in columns.items()},
            "assessment": self._assessment(),
            "verification": self._verification(),
            "gate": self._gate(),
            "software": Stated(),
            "times": Stated(),
            "warnings": Stated(),
        }

    @cached_property
    def _columns(self) -> dict[str, PublishedColumn]:
        """The quasi-identifiers."""
        return {each.name: each for each in self.terms.published or ()}

    @cached_property
    def _names(self) -> dict[str, str]:
        """Names of columns in the file, by their names in the recipe."""
        known = self.manifest["columns"]
        return {name: name if name in known else neutral(name) for name in self.manifest["recipe"]["attributes"]}

    def _release(self) -> dict[str, Any]:
        suppressed = "removed" if self.found.rows == self.audit.rows else "blanked"
        return self.made.as_dict() | {
            "rows": self.found.rows,
            "columns": list(self.found.columns),
            "order": ORDER,
            "suppressed_rows": suppressed if self.audit.rows < self.terms.claims.rows else "none",
        }

    def _recipe(self) -> dict[str, Any]:
        recipe, claims = self.manifest["recipe"], self.terms.claims
        privacy = dict(recipe["privacy"]) | {"suppression_use": Stated()}  # `verification` repeats the other limits
        for key, listed in requirements_in(recipe["privacy"]).items():
            privacy[key] = [_with_true_mark(requirement) for requirement in listed]
        return {
            "data": {
                "source": Stated((self.manifest["data"]["name"],)),
                "table": Stated(),
                "missing": Stated(),
                **({"person": Stated()} if "person" in recipe["data"] else {}),
            },
            "attributes": {name: self._attribute(name) for name in recipe["attributes"]},
            "privacy": privacy,
            "loss": {"metric": Stated() if self.is_local else claims.metric},
        }

    def _attribute(self, name: str) -> dict[str, Any]:
        """Return role, weight and size of the hierarchy, which repeat those of the column."""
        written, column = self.manifest["recipe"]["attributes"][name], self._columns.get(self._names[name])
        role = self.manifest["columns"].get(self._names[name], {}).get("role")
        if role is None:
            return {"role": "a role that is not published" if Role(written["role"]).is_published else Stated()}
        if column is None:
            return {"role": role}
        hierarchy: dict[str, Any] = {"height": column.height, "leaves": column.leaves}
        hierarchy |= {"kind": Stated()} if "kind" in written.get("hierarchy", {}) else {}
        return {"role": role, "weight": column.weight, "numeric": Stated(), "hierarchy": hierarchy}

    def _chosen(self) -> dict[str, Any]:
        """Return how the solution was chosen.

        Limits that `verification` repeats are compared there; levels and methods have fields of their own.
        """
        chosen, limits = self.manifest["chosen"], {check.what for check in self.found.requested}
        derived: dict[str, Any] = {name: Stated() for name in chosen}
        derived |= {"k": chosen["k"]} if "k" in chosen and "k asked for" in limits else {}
        derived |= {"max_loss": chosen["max_loss"]} if "max_loss" in chosen and "loss allowed" in limits else {}
        if isinstance(chosen.get("levels"), Mapping) and not self.is_local:
            levels = {name: column.level for name, column in self._columns.items()}
            derived["levels"] = {name: levels.get(self._names.get(name, name)) for name in chosen["levels"]}
        if self.is_local:
            model = self.manifest["model"]
            derived |= {name: model[name] for name in ("method", "style", "seed") if name in chosen}
        return derived

    def _column(self, name: str) -> dict[str, Any]:
        """Return a column with its role in the recipe and its labels in the file."""
        known = {self._names[each]: each for each in self._names}
        attributes, column = self.manifest["recipe"]["attributes"], self._columns.get(name)
        role = attributes[known[name]]["role"] if name in known else Role.KEEP.value
        if column is None:
            return {"role": role}
        recipe = attributes.get(known.get(name), {})
        size, counts = recipe.get("hierarchy", {}), (self.found.counts or {}).get(name, {})
        return {
            "role": role,
            "weight": recipe.get("weight"),
            "height": size.get("height"),
            "leaves": size.get("leaves"),
            "level": None if self.is_local else self.manifest["levels"].get(name),
            "loss": column.general_loss(counts) if counts else Stated(),
            "labels": [_label(each, column) for each in column.labels if not counts or counts[each.label]],
        }

    def _assessment(self) -> dict[str, Any]:
        claims, measured = self.terms.claims, self.found.measured
        metric = "ncp" if self.is_local else self.manifest["recipe"]["loss"]["metric"]
        return {
            "rows": claims.suppressed + self.audit.rows,
            "k": self._k,
            "suppressed": claims.rows - self.audit.rows,
            "metric": metric,
            "loss": Stated() if measured is None else measured.loss,
            "loss_fraction": Stated() if measured is None else measured.fraction,
            "weighted_k": self.audit.sizes.weighted_k,
            **({"unit": claims.unit, "note": COUNTED_IN_PEOPLE} if self.found.verification.counts_people else {}),
        }

    @property
    def _k(self) -> object:
        """The k that was found; stated if it counts people, and the original table is not at hand."""
        found = self.found.verification.k
        return Stated() if found is None else found

    def _model(self) -> dict[str, Any]:
        """Return the assessment of a local recoding, from the equivalence classes and the labels of the file."""
        model, sizes, assessment = self.manifest["model"], self.audit.sizes, self._assessment()
        rows, suppressed = self.terms.claims.rows, self.terms.claims.rows - sizes.rows
        squares = sizes.weighted_k * sizes.rows + rows * suppressed
        return {
            "model": "local",
            "method": Stated(),
            "asked_k": model["asked_k"],  # `verification` repeats it
            "seed": Stated(),
            "start": Stated(),
            "refine": Stated(),
            "seconds_limit": Stated(),
            "style": Stated(),
            "rows": sizes.rows + self.terms.claims.suppressed,
            "k": sizes.smallest,
            "suppressed": suppressed,
            "groups": Stated(),
            "classes": sizes.count,
            "largest_class": sizes.largest,
            "ncp": assessment["loss"],
            "ncp_fraction": assessment["loss_fraction"],
            "ncp_per_attribute": {
                name: self._penalty(name) for name, shown in self._names.items() if shown in self._columns
            },
            "labels": {
                name: {"different": self._labels(shown), "overlapping": Stated()}
                for name, shown in self._names.items()
                if shown in self._columns
            },
            **self._general_loss(rows, suppressed),
            "dcn": squares,
            "dcn_fraction": squares / rows**2,
            "c_avg": sizes.rows / (sizes.count * sizes.smallest),
            "privacy": {
                name: Stated() if self.found.achieved.get(name) is None else self.found.achieved[name]
                for name in self.found.achieved
            },
            "seconds": Stated(),
        }

    def _labels(self, name: str) -> object:
        """Return the number of different labels of a column."""
        counts = None if self.found.counts is None else self.found.counts.get(name)
        return Stated() if counts is None else sum(rows > 0 for rows in counts.values())

    def _penalty(self, attribute: str) -> object:
        """Return the mean normalized certainty penalty of the cells of an attribute; a suppressed cell costs 1."""
        name = self._names.get(attribute, attribute)
        if name not in self._columns or self.found.counts is None:
            return Stated()
        total = penalty_of(self._columns[name], self.found.counts[name])
        rows = self.terms.claims.rows
        return Stated() if total is None else (total + rows - self.audit.rows) / rows

    def _general_loss(self, rows: int, suppressed: int) -> dict[str, Any]:
        losses = [
            None if self.found.counts is None else column.general_loss(self.found.counts[name])
            for name, column in self._columns.items()
        ]
        weights = [column.weight for column in self._columns.values()]
        if None in losses:
            return {"glm": Stated(), "glm_fraction": Stated()}
        share = sum(weight * (loss or 0.0) for weight, loss in zip(weights, losses, strict=True))
        total = share * (rows - suppressed) + suppressed * sum(weights)
        return {"glm": total, "glm_fraction": total / (rows * sum(weights))}

    def _gate(self) -> dict[str, Any]:
        """Return the findings of the gate: unique and certain rows are counted again, the others are stated."""
        rows = self.audit.rows
        certain = {name: models["distinct-l"] for name, models in self.audit.models.items()}
        return {
            "findings": Stated(),
            "accepted": Stated(),
            "unique": {"rows": self.found.unique, "share": self.found.unique / rows},
            "certain": {name: one.rows if one.value == 1 else 0 for name, one in certain.items()},
            "limits": Stated(),
            "undeclared": Stated(),
        }

    def _verification(self) -> dict[str, Any]:
        written, derived = self.manifest["verification"], self.found.verification.of_file()
        for part, checks in (("checks", self.found.checks), ("asked", self.found.requested)):
            pairs = zip(checks, [*written[part], *({} for _ in checks)], strict=False)
            derived[part] = [_check(check, stored) for check, stored in pairs]
        if self.manifest["software"].get("paranym") != version("paranym"):
            derived["audit"] = _shared(derived["audit"], written["audit"])
        return derived


def _with_true_mark(requirement: Mapping[str, Any]) -> dict[str, Any]:
    return dict(requirement) | ({ONE_VALUE: True} if ONE_VALUE in requirement else {})


def _label(label: PublishedLabel, column: PublishedColumn) -> dict[str, Any]:
    """Return a label: one leaf is at level 0, the top has all leaves; other levels of cuts and groups are stated."""
    document: dict[str, Any] = label.as_dict()
    if column.level is not None:
        document["level"] = column.level
        fixed = {0: 1, column.height: column.leaves}  # the top last: a hierarchy may be one level high
        return document | ({"leaves": fixed[column.level]} if column.level in fixed else {})
    return document | {"level": 0 if label.leaves == 1 else Stated()}


def _check(check: Check, stored: Mapping[str, Any]) -> dict[str, Any]:
    """Return a check as the manifest should contain it; a result that needs private knowledge is stated."""
    derived = check.as_dict()
    if check.found is not None or check.note == AGAINST_ORIGINAL:
        return derived
    open_to = {name for name in (*derived, *stored) if name not in ("what", "promised", "relation")}
    return derived | {name: Stated() for name in open_to}


def _shared(derived: object, written: object) -> object:
    """Return the numbers that both audits have: another version may use other words, or measure more."""
    if isinstance(derived, Mapping) and isinstance(written, Mapping):
        return {name: _shared(derived[name], value) if name in derived else Stated() for name, value in written.items()}
    if isinstance(derived, list) and isinstance(written, list) and len(derived) == len(written):
        return [_shared(one, other) for one, other in zip(derived, written, strict=True)]
    return derived if isinstance(derived, int | float) else Stated()
