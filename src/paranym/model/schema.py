"""The role of each column."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from paranym.errors import BadInput, ParanymError, UnknownAttribute, raise_all
from paranym.model.values import is_number


class Role(StrEnum):
    """The role of an attribute."""

    IDENTIFIER = "identifier"
    """Names a person directly; never published."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """Could be joined with other data to find a person; generalized."""
    SENSITIVE = "sensitive"
    """An attribute that nobody should learn about a person; published and protected."""
    LABEL = "label"
    """The class that an analyst wants to predict; kept, and used to measure classification error."""
    KEEP = "keep"
    """Published as it is."""
    DROP = "drop"
    """Not published."""

    @property
    def is_published(self) -> bool:
        """True if a column of this role is part of a release."""
        return self not in (Role.IDENTIFIER, Role.DROP)

    @classmethod
    def _missing_(cls, value: object) -> "Role | None":
        """Read `other`, which earlier recipes and manifests say for `keep`."""
        return cls.KEEP if value == FORMER_KEEP else None


FORMER_KEEP = "other"
"""The role `keep` in recipes and manifests of earlier versions."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column, its role, and how much its loss weighs.

    >>> Attribute("age", Role.QUASI_IDENTIFIER).weight
    1.0
    """

    name: str
    role: Role
    weight: float = 1.0

    def __post_init__(self) -> None:
        try:
            weight = float(self.weight) if is_number(self.weight) else 0.0
        except OverflowError:  # a whole number that no float holds
            weight = float("inf")
        if not 0 < weight < float("inf"):
            raise BadInput(f"The weight of {self.name!r} must be a positive number; got {self.weight!r}.")
        object.__setattr__(self, "weight", weight)


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes that the request gives a role, in its order. A column without a role cannot be published.

    >>> Schema((Attribute("age", Role.QUASI_IDENTIFIER), Attribute("income", Role.LABEL))).label.name
    'income'
    """

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        faults: list[ParanymError] = []
        for twice in sorted(name for name, times in Counter(self.names).items() if times > 1):
            faults.append(BadInput(f"Column {twice!r} is given more than one role."))
        labels = [attribute.name for attribute in self.attributes if attribute.role is Role.LABEL]
        if len(labels) > 1:
            faults.append(BadInput(f"Only one column can be the label; got {', '.join(map(repr, labels))}."))
        if not self.quasi_identifiers:
            faults.append(
                BadInput("No column is a quasi-identifier. Give that role to each column that others could know too.")
            )
        raise_all(faults)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are given a role."""
        return tuple(attribute.name for attribute in self.attributes)

    @property
    def quasi_identifiers(self) -> tuple[Attribute, ...]:
        """The attributes that are generalized."""
        return self.having(Role.QUASI_IDENTIFIER)

    @property
    def label(self) -> Attribute | None:
        """The attribute to predict, if there is one."""
        return next(iter(self.having(Role.LABEL)), None)

    def having(self, role: Role) -> tuple[Attribute, ...]:
        """The attributes of one role."""
        return tuple(attribute for attribute in self.attributes if attribute.role is role)

    def without_role(self, columns: Iterable[str]) -> tuple[str, ...]:
        """The columns that are given no role.

        >>> Schema((Attribute("age", Role.QUASI_IDENTIFIER),)).without_role(["age", "name"])
        ('name',)
        """
        return tuple(name for name in columns if name not in self.names)

    def giving(self, role: Role, names: Iterable[str]) -> "Schema":
        """The same schema with one more role for some columns."""
        return Schema((*self.attributes, *(Attribute(name, role) for name in names)))

    def check(self, columns: tuple[str, ...]) -> None:
        """Raise unless the table has every column that this schema names."""
        there = set(columns)
        raise_all([UnknownAttribute(name, columns) for name in self.names if name not in there])
