"""The view of frequency sets that fixed-k searches have: node, size, and whether the requirement is met."""

from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple, Protocol

Levels = tuple[int, ...]


class Frequencies(Protocol):
    """The frequency set of a node."""

    @property
    def node(self) -> Levels:
        """The node whose classes are counted; attributes outside the family are at their top."""

    @property
    def size(self) -> int:
        """How many combinations there are."""

    @property
    def holds(self) -> bool:
        """Whether the node meets the requirement."""

    @property
    def memory(self) -> int:
        """Bytes that the set takes as long as it is kept."""


class Keep(Enum):
    """Whether the combinations are wanted once the node is checked."""

    NEVER = auto()
    IF_BROKEN = auto()
    """Only if the requirement is broken, so that nodes above must be checked."""
    ALWAYS = auto()


class Order(NamedTuple):
    """The set of `node`, to be derived from that of a node below it, or from the bottom set."""

    node: Levels
    source: Frequencies | None
    keep: Keep


class Derive(Protocol):
    """Orders in, frequency sets out."""

    @property
    def bottom_size(self) -> int:
        """Combinations of the bottom set."""

    def __call__(self, orders: Sequence[Order]) -> Sequence[Frequencies]:
        """The sets that were ordered, in that order."""
