"""The schema of a recoding file, which serves to apply a recoding to further tables and to verify a release."""

from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from paranym.model.local_labels import LocalLabels
from paranym.model.recoding import Recoding
from paranym.recipe import PrivacySection
from paranym.saved.checking import Count, Figure, Positive, Saved, checked, has_duplicates, read_saved

RECODING = "paranym recoding 1"
_CALLED = "recoding file"
_MOST_LEVELS = 10_000

Pair = Annotated[list[str | None], Field(min_length=2, max_length=2)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Weight = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class AttributeFile(Saved):
    """The published labels of one quasi-identifier."""

    attribute: str
    level: Count | None
    height: int = Field(ge=0, le=_MOST_LEVELS)
    top: str
    weight: Weight
    categorical: bool
    builder: dict[str, Any] | None
    values: list[Pair] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if has_duplicates([leaf for leaf, _ in self.values]):
            raise ValueError("values: one is listed twice")
        if self.level is not None and self.level > self.height:
            raise ValueError("level: it lies above the top")
        if self.level is None and self.height < 2:
            raise ValueError("height: a cut lies between the leaves and the top")
        published = {label for _, label in self.values}
        if self.level == self.height and published != {self.top}:
            raise ValueError("values: at the top level all are published as the top")
        if self.level == 0 and any(leaf != label for leaf, label in self.values):
            raise ValueError("values: at level 0 all are published as they are")
        return self


class RecodingFile(Saved):
    """Labels by levels or cuts of hierarchies."""

    attributes: list[AttributeFile] = Field(min_length=1)
    sensitive: list[str]
    label: str | None
    identifiers: list[str]
    keep: list[str] = Field(default_factory=list)
    drop: list[str] = Field(default_factory=list)
    missing: list[str]

    @model_validator(mode="after")
    def _check(self) -> Self:
        label = [] if self.label is None else [self.label]
        names = [each.attribute for each in self.attributes]
        if has_duplicates([*names, *self.sensitive, *label, *self.identifiers, *self.keep, *self.drop]):
            raise ValueError("a column has more than one role")
        return self


class LocalAttributeFile(Saved):
    """The labels of one attribute, each with the spans of values that it is published for."""

    attribute: str
    weight: Weight
    categorical: bool
    hierarchy: list[Annotated[list[str | None], Field(min_length=1)]] = Field(min_length=1)
    labels: list[Annotated[list[Any], Field(min_length=2, max_length=2)]]

    @field_validator("labels")
    @classmethod
    def _spans(cls, labels: list[list[Any]]) -> list[list[Any]]:
        for label, spans in labels:
            if not (label is None or isinstance(label, str)) or not isinstance(spans, list) or not spans:
                raise ValueError("each is a label with its spans")
            if not all(isinstance(span, list) and len(span) == 2 and all(map(_is_place, span)) for span in spans):
                raise ValueError("a span is the first and the last place on an axis")
        return labels

    @model_validator(mode="after")
    def _check(self) -> Self:
        leaves = len({tuple(row) for row in self.hierarchy})
        if any(not 0 <= first <= last < leaves for _, spans in self.labels for first, last in spans):
            raise ValueError("labels: a span lies outside the axis")
        if has_duplicates([label for label, _ in self.labels]):
            raise ValueError("labels: one is listed twice")
        return self


class LocalRecodingFile(Saved):
    """Labels of groups of rows."""

    model: Literal["local"]
    attributes: list[LocalAttributeFile] = Field(min_length=1)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if has_duplicates([each.attribute for each in self.attributes]):
            raise ValueError("attributes: one is listed twice")
        return self


class LimitsFile(Saved):
    """Shares of the rows that may be unique on all published columns, or have a certain sensitive value."""

    unique: Share | None = None
    certain: Share | None = None


class GuaranteeFile(Saved):
    """The guarantees for which a recoding was chosen."""

    k: Positive
    suppression: Figure = Field(ge=0, le=1)
    privacy: dict[str, Any]
    trees: dict[str, dict[str, Any] | list[dict[str, Any] | list[Any]]]
    """The source of a hierarchy; never the name of a file, which may not exist elsewhere."""
    gate: LimitsFile = LimitsFile()
    person: str | None = None

    @field_validator("privacy")
    @classmethod
    def _requirements(cls, privacy: dict[str, Any]) -> dict[str, Any]:
        PrivacySection.of_requirements(privacy)
        return privacy


class SavedRecodingFile(Saved):
    """The private file beside a release."""

    release: str
    key: str = Field(pattern="^([0-9a-f]{2})*$")
    guarantee: GuaranteeFile
    recoding: dict[str, Any]


def _is_place(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def read_recoding_file(path: Path) -> tuple[SavedRecodingFile, Recoding | LocalLabels]:
    """Read a recoding file, and return it with its recoding."""
    file = checked(SavedRecodingFile, read_saved(path, _CALLED, kind=RECODING), path, _CALLED)
    if file.recoding.get("model") == "local":
        local = checked(LocalRecodingFile, file.recoding, path, _CALLED)
        return file, LocalLabels.from_dict(local.model_dump())
    return file, Recoding.from_dict(checked(RecodingFile, file.recoding, path, _CALLED).model_dump())
