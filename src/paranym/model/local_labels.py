"""The meaning of the labels of a local recoding, kept so that its release can be verified later."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paranym.errors import BadInput
from paranym.model.axis import Axis
from paranym.model.hierarchy import Hierarchy, Label
from paranym.model.local import LocalRecoding

Span = tuple[int, int]
"""The first and the last position on an axis."""


@dataclass(frozen=True, slots=True, eq=False)
class AttributeLabels:
    """The labels of one attribute, each with the spans of values that it is published for."""

    axis: Axis
    spans: Mapping[Label, tuple[Span, ...]]
    """Several if groups with different ends share a label: means, medians, common ancestors."""

    @property
    def attribute(self) -> str:
        """The name of the attribute."""
        return self.axis.hierarchy.attribute

    @property
    def labels(self) -> tuple[Label, ...]:
        """The published labels."""
        return tuple(self.spans)

    @property
    def hierarchy(self) -> Hierarchy:
        """The hierarchy of the attribute."""
        return self.axis.hierarchy

    @property
    def keeps_values(self) -> bool:
        """Whether every published label is a value of the column."""
        return set(self.spans) <= set(self.hierarchy.leaves)

    def as_dict(self) -> dict[str, Any]:
        """For JSON. Holds values of the table: private."""
        return {
            "attribute": self.attribute,
            "weight": self.axis.weight,
            "categorical": self.hierarchy.categorical,
            "hierarchy": [list(row) for row in self.hierarchy.rows()],
            "labels": [[label, [list(span) for span in spans]] for label, spans in self.spans.items()],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "AttributeLabels":
        """Read the output of `as_dict`."""
        hierarchy = Hierarchy.from_rows(
            document["hierarchy"], attribute=document["attribute"], categorical=document["categorical"]
        )
        spans = {label: tuple((first, last) for first, last in spans) for label, spans in document["labels"]}
        return cls(Axis(hierarchy, document["weight"]), spans)


@dataclass(frozen=True, slots=True, eq=False)
class LocalLabels:
    """The labels of all quasi-identifiers of a local recoding.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> problem = pn.Problem(pa.table({"age": [24, 25, 30, 30, 32, 32]}), quasi_identifiers=["age"])
    >>> LocalLabels.of(pn.recode_locally(problem, k=3).recoding).attributes[0].labels
    ('24-30', '30-32')
    """

    attributes: tuple[AttributeLabels, ...]

    @classmethod
    def of(cls, recoding: LocalRecoding) -> "LocalLabels":
        """Return the labels of a recoding."""
        low, high = (ends.T.tolist() for ends in recoding.box)
        found = []
        for j, axis in enumerate(recoding.axes):
            spans: dict[Label, dict[Span, None]] = {}
            for label, first, last in zip(recoding.published[j], low[j], high[j], strict=True):
                spans.setdefault(label, {})[first, last] = None
            found.append(AttributeLabels(axis, {label: tuple(each) for label, each in spans.items()}))
        return cls(tuple(found))

    def as_dict(self) -> dict[str, Any]:
        """For JSON. Holds values of the table: private."""
        return {"model": "local", "attributes": [each.as_dict() for each in self.attributes]}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "LocalLabels":
        """Read the output of `as_dict`."""
        try:
            return cls(tuple(AttributeLabels.from_dict(each) for each in document["attributes"]))
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput("This is no local recoding that paranym wrote.") from error
