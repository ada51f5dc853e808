"""The columns of a release as its manifest describes them: their kind, and the labels that occur in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paranym.model.hierarchy import Label
from paranym.model.values import is_number, is_whole


@dataclass(frozen=True, slots=True)
class PublishedLabel:
    """A label that occurs in the release, and the number of leaves of its hierarchy that it covers.

    >>> PublishedLabel("20-29", level=1, leaves=10).as_dict()
    {'label': '20-29', 'level': 1, 'leaves': 10}
    """

    label: Label
    level: int | None
    """The level of the hierarchy that contains it; None if it is not a value of the hierarchy."""
    leaves: int | None
    """None if the label covers different leaves in different groups."""
    penalty: float | None = None
    """The normalized certainty penalty (NCP) of a cell, where a numeric range gives it and not the leaves."""

    def as_dict(self) -> dict[str, Any]:
        """Return the label as a dictionary for JSON."""
        document = {"label": self.label, "level": self.level, "leaves": self.leaves}
        return document if self.penalty is None else document | {"penalty": self.penalty}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "PublishedLabel":
        """Read a dictionary that `as_dict` wrote; raise `ValueError` for anything else."""
        label, level, leaves, penalty = (document.get(name) for name in cls.__slots__)
        numbers = (level is None or (is_whole(level) and level >= 0)) and (
            leaves is None or (is_whole(leaves) and leaves >= 1)
        )
        if not numbers or not (label is None or isinstance(label, str)) or not (penalty is None or is_number(penalty)):
            raise ValueError("This is not a label of a manifest.")
        return cls(label, level, leaves, penalty)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedColumn:
    """A quasi-identifier as published.

    >>> twenties = PublishedLabel("20-29", level=1, leaves=10)
    >>> age = PublishedColumn(name="age", height=3, leaves=73, level=1, loss=0.125, labels=(twenties,))
    >>> PublishedColumn.from_dict("age", age.as_dict()) == age
    True
    """

    name: str
    """The name in the release."""
    weight: float = 1.0
    height: int
    """The level of the top of its hierarchy."""
    leaves: int
    """Number of leaves of its hierarchy."""
    level: int | None
    """None if the labels are of several levels, or of no level."""
    loss: float | None
    """The average general loss of a published cell; None if it does not follow from the labels."""
    labels: tuple[PublishedLabel, ...]
    """The labels that occur in published rows, and no others."""

    def as_dict(self) -> dict[str, Any]:
        """Return the column as a dictionary for JSON, without its name."""
        document = {name: getattr(self, name) for name in self.__slots__ if name not in ("name", "labels")}
        return document | {"labels": [label.as_dict() for label in self.labels]}

    @classmethod
    def from_dict(cls, name: str, document: Mapping[str, Any]) -> "PublishedColumn":
        """Read a dictionary that `as_dict` wrote; raise `KeyError`, `TypeError` or `ValueError` for anything else."""
        weight, height, leaves, level, loss = (document[key] for key in ("weight", "height", "leaves", "level", "loss"))
        sizes = is_whole(height) and is_whole(leaves) and leaves >= 1 and (level is None or is_whole(level))
        if not sizes or not (is_number(weight) and weight > 0) or not (loss is None or is_number(loss)):
            raise ValueError("This is not a column of a manifest.")
        labels = tuple(PublishedLabel.from_dict(label) for label in document["labels"])
        return cls(name=name, weight=weight, height=height, leaves=leaves, level=level, loss=loss, labels=labels)

    def general_loss(self, rows: Mapping[Label, int]) -> float | None:
        """Return the average loss of a cell: the other leaves under its label, over all other leaves of the hierarchy.

        `rows` is the number of rows for each label.
        """
        lost, others = 0, max(self.leaves - 1, 1)
        for label in self.labels:
            if label.leaves is None:
                return None
            lost += rows.get(label.label, 0) * (label.leaves - 1)
        return lost / (others * max(sum(rows.values()), 1))
