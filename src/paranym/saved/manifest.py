"""The schema of a manifest: the part that verification and report read."""

from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from paranym.engines.formats import is_format
from paranym.errors import BadInput
from paranym.model.schema import Role
from paranym.saved.checking import Amount, Count, Positive, Saved, checked, read_saved

MANIFEST = "paranym manifest 2"
_CALLED = "manifest"
_HUGE = 2**128
"""The limit for numbers in a manifest: larger than the square of any number of rows, and small enough for a float."""


class FormulasFile(Saved):
    """The treatment of cells that a spreadsheet would run."""

    neutralized: bool


class ReleaseFile(Saved):
    """The release as a file or table."""

    format: str
    table: str | None
    columns: list[str]
    suppressed_rows: str
    formulas: FormulasFile
    sha256: str | None

    @field_validator("format")
    @classmethod
    def _is_known(cls, name: str) -> str:
        if not is_format(name):
            raise ValueError("there is no such format of releases")
        return name


class DataFile(Saved):
    """The table that was released."""

    fingerprint: str = Field(pattern="^[0-9a-f]*$")


class RoleFile(Saved):
    """A column of that table."""

    role: Role = Field(strict=False)
    weight: float = Field(default=1.0, gt=0, allow_inf_nan=False)


class RequestFile(Saved):
    """The request."""

    attributes: dict[str, RoleFile]


class AssessmentFile(Saved):
    """The claims of the release."""

    rows: Positive
    k: Positive
    suppressed: Count
    metric: str
    """The name of a loss, built-in or user-defined."""
    loss: Amount
    loss_fraction: Amount
    weighted_k: Amount
    unit: Literal["row", "person"] = "row"

    @model_validator(mode="after")
    def _check(self) -> Self:
        if max(self.suppressed, self.k) > self.rows:
            raise ValueError("k and suppressed rows are at most as many as the rows")
        return self


class ManifestFile(Saved):
    """A whole manifest."""

    id: str
    release: ReleaseFile
    data: DataFile
    recipe: RequestFile
    chosen: dict[str, Any]
    assessment: AssessmentFile
    warnings: list[str]


def read_manifest(path: Path) -> dict[str, Any]:
    """Read a manifest, and check the part that verification and report read."""
    document = read_saved(path, _CALLED, kind=MANIFEST)
    checked(ManifestFile, document, path, _CALLED)
    if _has_huge_number(document):
        raise BadInput(f"{str(path)!r} is damaged: it holds a number that is too large for any count or measure.")
    return document


def _has_huge_number(value: object) -> bool:
    if isinstance(value, dict | list):
        return any(map(_has_huge_number, value.values() if isinstance(value, dict) else value))
    return isinstance(value, int) and abs(value) >= _HUGE
