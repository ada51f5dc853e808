"""What each column is to the release."""

from dataclasses import dataclass
from enum import StrEnum

from paranym.errors import BadInput, ParanymError, UnknownAttribute, raise_all
from paranym.model.values import is_number


class Role(StrEnum):
    """What an attribute is to the release."""

    IDENTIFIER = "identifier"
    """Names a person; dropped."""
    QUASI_IDENTIFIER = "quasi-identifier"
    """Could be joined with other data to find a person; generalized."""
    SENSITIVE = "sensitive"
    """What nobody should learn about a person; kept and protected."""
    LABEL = "label"
    """The class that an analyst wants to predict; kept, and the yardstick of classification error."""
    OTHER = "other"
    """Kept as it is."""


@dataclass(frozen=True, slots=True)
class Attribute:
    """A column, its role, and how much its loss weighs.

    >>> Attribute("age", Role.QUASI_IDENTIFIER).weight
    1.0
    """

    name: str
    role: Role = Role.OTHER
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not (is_number(self.weight) and 0 < self.weight < float("inf")):
            raise BadInput(f"The weight of {self.name!r} must be a positive number; got {self.weight!r}.")
        object.__setattr__(self, "weight", float(self.weight))


@dataclass(frozen=True, slots=True)
class Schema:
    """The attributes that the request names, in its order. Columns it does not name are kept as they are.

    >>> Schema((Attribute("age", Role.QUASI_IDENTIFIER), Attribute("income", Role.LABEL))).label.name
    'income'
    """

    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        faults: list[ParanymError] = []
        for twice in sorted({name for name in self.names if self.names.count(name) > 1}):
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

    def check(self, columns: tuple[str, ...]) -> None:
        """Raise unless the table has every column that this schema names."""
        raise_all([UnknownAttribute(name, columns) for name in self.names if name not in columns])
