"""Top and bottom coding: all numbers beyond a bound become one value."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from paranym.errors import BadHierarchy
from paranym.hierarchies.bounds import exact, interval_label, to_bound
from paranym.hierarchies.reading import climb, read_numbers
from paranym.model.hierarchy import Hierarchy
from paranym.model.values import to_text


@dataclass(frozen=True, slots=True)
class Ends:
    """The bounds: numbers below `bottom` are one value, and so are those from `top` on."""

    bottom: Decimal | None = None
    top: Decimal | None = None

    @classmethod
    def of(cls, bottom: object, top: object, attribute: str) -> "Ends":
        """Read the bounds that a user gives; raise if they are not valid."""
        low = None if bottom is None else to_bound(bottom, what="bottom", attribute=attribute)
        high = None if top is None else to_bound(top, what="top", attribute=attribute)
        if low is not None and high is not None and low >= high:
            raise BadHierarchy(attribute, None, f"bottom ({low}) must be smaller than top ({high}).")
        return cls(low, high)

    def label(self, number: Decimal) -> str | None:
        """The value of a number beyond an end, None for those between."""
        if self.bottom is not None and number < self.bottom:
            return interval_label(None, self.bottom, whole=True)
        if self.top is not None and number >= self.top:
            return interval_label(self.top, None, whole=True)
        return None

    def __iter__(self) -> Iterator[Decimal]:
        return (end for end in (self.bottom, self.top) if end is not None)


def coding_hierarchy(
    values: Iterable[object],
    *,
    attribute: str,
    bottom: float | None = None,
    top: float | None = None,
    cover: Sequence[int] | None = None,
    apart: Sequence[object] = (),
) -> Hierarchy:
    """One level in which all numbers below `bottom` are one value, and all from `top` on; then `*`.

    >>> coding_hierarchy([2, 3, 4, 5, 9], top=4, attribute="children").labels[1]
    ('2', '3', '>=4')
    """
    ends = Ends.of(bottom, top, attribute)
    found = read_numbers(values, needs="bottom and top need numbers", attribute=attribute, apart=apart, cover=cover)
    with exact():
        return climb(found, lambda number: [ends.label(number) or str(to_text(number))], levels=1, attribute=attribute)
