"""A recoding: the published label of every value of every quasi-identifier, and the treatment of other columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from paranym.errors import BadInput
from paranym.model.hierarchy import Hierarchy, Label
from paranym.model.schema import Attribute, Role, Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeRecoding:
    """The published label of every leaf of one quasi-identifier; any partition of the leaves has this form.

    >>> rows = [["cat", "fur", "*"], ["dog", "fur", "*"], ["owl", "feathers", "*"]]
    >>> pets = Hierarchy.from_rows(rows, attribute="pet")
    >>> AttributeRecoding.at(pets, 1).published()
    {'cat': 'fur', 'dog': 'fur', 'owl': 'feathers'}
    """

    attribute: str
    leaves: tuple[Label, ...]
    labels: tuple[Label, ...]
    codes: tuple[int, ...]
    """The number of the label of each leaf."""
    level: int | None
    """The level whose labels these are; None if they are of several: a cut of the hierarchy."""
    height: int
    """The level of the top."""
    top: str
    """The label of the top."""
    weight: float = 1.0
    categorical: bool = False
    """Whether leaves are categories even where they are plain numbers."""
    builder: Mapping[str, Any] | None = None
    """The builder of the hierarchy, such as `{"intervals": [5, 10]}`; it also places unseen values."""

    @classmethod
    def at(
        cls, hierarchy: Hierarchy, level: int, *, weight: float = 1.0, builder: Mapping[str, Any] | None = None
    ) -> "AttributeRecoding":
        """Return the recoding to a level of a hierarchy."""
        return cls(
            attribute=hierarchy.attribute,
            leaves=hierarchy.leaves,
            labels=hierarchy.labels[level],
            codes=tuple(hierarchy.codes[level].tolist()),
            level=level,
            height=hierarchy.height,
            # published besides the labels, for unseen values
            top=str((hierarchy.distinct_labels if level < hierarchy.height else hierarchy.labels)[-1][0]),
            weight=weight,
            categorical=hierarchy.categorical,
            builder=builder,
        )

    @property
    def place(self) -> int:
        """The level of `hierarchy` that has these labels."""
        return 1 if self.level is None else self.level

    @property
    def keeps_values(self) -> bool:
        """Whether every value is published as it is."""
        return self.labels == self.leaves

    @property
    def hierarchy(self) -> Hierarchy:
        """The relevant part of the hierarchy: the leaves, their labels from level 1 to this one, then the top."""
        if self.height == 0:
            return Hierarchy(self.attribute, (self.labels,), np.array([self.codes], np.int32), self.categorical)
        between = range(1, self.height)
        labels = [self.leaves, *(self._labels(level) for level in between), (self.top,)]
        own = list(range(len(self.leaves)))
        codes = [own, *(self._codes(level) for level in between), [0] * len(own)]
        return Hierarchy(self.attribute, tuple(labels), np.array(codes, np.int32), self.categorical)

    def published(self) -> dict[Label, Label]:
        """The label of every leaf."""
        return {leaf: self.labels[code] for leaf, code in zip(self.leaves, self.codes, strict=True)}

    def as_dict(self) -> dict[str, Any]:
        """For JSON. Holds values of the table: private."""
        return {
            "attribute": self.attribute,
            "level": self.level,
            "height": self.height,
            "top": self.top,
            "weight": self.weight,
            "categorical": self.categorical,
            "builder": None if self.builder is None else dict(self.builder),
            "values": [[leaf, self.labels[code]] for leaf, code in zip(self.leaves, self.codes, strict=True)],
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "AttributeRecoding":
        """Read the output of `as_dict`."""
        numbering: dict[Label, int] = {}
        codes = tuple(numbering.setdefault(label, len(numbering)) for _, label in document["values"])
        return cls(
            attribute=document["attribute"],
            leaves=tuple(leaf for leaf, _ in document["values"]),
            labels=tuple(numbering),
            codes=codes,
            level=document["level"],
            height=document["height"],
            top=document["top"],
            weight=document["weight"],
            categorical=document["categorical"],
            builder=document["builder"],
        )

    def _labels(self, level: int) -> tuple[Label, ...]:
        if level <= self.place and not self._is_top:
            return self.labels
        return self.leaves if level <= self.place else (self.top,)

    def _codes(self, level: int) -> Sequence[int]:
        if level <= self.place and not self._is_top:
            return self.codes
        return range(len(self.leaves)) if level <= self.place else [0] * len(self.leaves)

    @property
    def _is_top(self) -> bool:
        return self.level == self.height


@dataclass(frozen=True, slots=True, kw_only=True)
class Recoding:
    """The recoding of a table: labels of the quasi-identifiers, and the other columns that are published or not.

    >>> sex = Hierarchy.suppression(["F", "M"], attribute="sex")
    >>> recoding = Recoding(attributes=(AttributeRecoding.at(sex, 1),), identifiers=("name",))
    >>> Recoding.from_dict(recoding.as_dict()) == recoding
    True
    """

    attributes: tuple[AttributeRecoding, ...]
    sensitive: tuple[str, ...] = ()
    label: str | None = None
    identifiers: tuple[str, ...] = ()
    """Not published."""
    keep: tuple[str, ...] = ()
    """Published as they are."""
    drop: tuple[str, ...] = ()
    """Not published."""
    missing: tuple[str, ...] = ()
    """Tokens that mean a missing value."""

    @property
    def names(self) -> tuple[str, ...]:
        """The quasi-identifiers."""
        return tuple(each.attribute for each in self.attributes)

    @property
    def unpublished(self) -> tuple[str, ...]:
        """The columns that are not published."""
        return (*self.identifiers, *self.drop)

    @property
    def levels(self) -> dict[str, int | None]:
        """The level of each quasi-identifier; None if it differs from value to value."""
        return {each.attribute: each.level for each in self.attributes}

    @property
    def schema(self) -> Schema:
        """The roles of the columns."""
        label = () if self.label is None else (self.label,)
        return Schema(
            (
                *(Attribute(each.attribute, Role.QUASI_IDENTIFIER, each.weight) for each in self.attributes),
                *(Attribute(name, Role.SENSITIVE) for name in self.sensitive),
                *(Attribute(name, Role.LABEL) for name in label),
                *(Attribute(name, Role.IDENTIFIER) for name in self.identifiers),
                *(Attribute(name, Role.KEEP) for name in self.keep),
                *(Attribute(name, Role.DROP) for name in self.drop),
            )
        )

    def as_dict(self) -> dict[str, Any]:
        """For JSON. Holds values of the table: private."""
        return {
            "attributes": [each.as_dict() for each in self.attributes],
            "sensitive": list(self.sensitive),
            "label": self.label,
            "identifiers": list(self.identifiers),
            "keep": list(self.keep),
            "drop": list(self.drop),
            "missing": list(self.missing),
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Recoding":
        """Read the output of `as_dict`."""
        try:
            return cls(
                attributes=tuple(AttributeRecoding.from_dict(each) for each in document["attributes"]),
                sensitive=tuple(document["sensitive"]),
                label=document["label"],
                identifiers=tuple(document["identifiers"]),
                # files of earlier versions do not name them: such columns are then refused as unknown
                keep=tuple(document.get("keep", ())),
                drop=tuple(document.get("drop", ())),
                missing=tuple(document["missing"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise BadInput("This is no recoding that paranym wrote.") from error
