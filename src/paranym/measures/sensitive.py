"""A sensitive attribute of one table, as privacy models see it."""

from collections.abc import Callable
from dataclasses import dataclass

from paranym.model.hierarchy import Hierarchy


@dataclass(frozen=True, slots=True, eq=False)
class SensitiveAttribute:
    """The values of a sensitive attribute in the order of their codes, and what is known about them.

    >>> SensitiveAttribute("illness", ("cold", "flu"), has_order=False).hierarchy is None
    True
    """

    name: str
    values: tuple[object, ...]
    """Value by value in the order of the codes; None is the missing value."""
    has_order: bool
    """Whether the order of the values means something: that of numbers and dates does, that of text does not."""
    hierarchy: Callable[[], Hierarchy] | None = None
    """Builds the hierarchy of the attribute, if one was given."""
