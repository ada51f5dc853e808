"""What a report tells, as values: gathered elsewhere, put into words and pictures here.

Of the original table it holds counts, and values of the columns only where at least k rows share them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paranym.model.audit import Audit
from paranym.model.front import Front, Point
from paranym.model.release import Promise, Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """How one quasi-identifier is published."""

    attribute: str
    level: int | None
    """None: a cut, whose values are of several levels."""
    height: int
    values_before: int
    """Different values in the original table."""
    values_after: int
    """Different values that are published."""
    is_kept: bool
    """Whether every value is published as it is."""
    examples: tuple[str, ...]
    """Published values, the most frequent first."""
    lost: float
    """The share of its detail that is lost, by the general loss measure, rows left out included."""
    weight: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__slots__} | {"examples": list(self.examples)}


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share a value, and how many of them are left out."""

    name: str
    rows: int
    left_out: int

    @property
    def share(self) -> float:
        """The share of them that is left out.

        >>> Group("F", rows=200, left_out=3).share
        0.015
        """
        return self.left_out / self.rows if self.rows else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """How suppression falls on the groups of one attribute."""

    attribute: str
    is_sensitive: bool
    groups: tuple[Group, ...]
    """The one hit hardest first; those of fewer than k rows are together."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        groups = [{"group": each.name, "rows": each.rows, "left_out": each.left_out} for each in self.groups]
        return {"attribute": self.attribute, "sensitive": self.is_sensitive, "groups": groups}


@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """How well counting questions are answered from what is published."""

    asked: int
    zero: int
    """Questions whose true answer is nobody; they are left aside."""
    median: float | None
    broad: int
    """Questions that are truly about at least one in a hundred rows."""
    broad_median: float | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """All that is told about a choice, and about its release if there is one."""

    table: str
    roles: Mapping[str, str]
    """By column."""
    front: Front
    point: Point
    reason: str
    """Why this point, in words."""
    promise: Promise
    published: tuple[Published, ...]
    before: Audit
    verification: Verification
    after: Audit
    queries: Queries
    left_out: tuple[LeftOut, ...]
    demands: str | None
    is_released: bool
    """Whether there is a release, and not only a plan."""
    manifest: Mapping[str, Any] | None = None
    """Of the release, if it is a file."""
    command: str | None = None
    """What makes the same again."""
    software: Mapping[str, str] = field(default_factory=dict)
    written: str = ""
    """When, as people write it."""
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON: what the page tells, besides the front."""
        return {
            "table": self.table,
            "roles": dict(self.roles),
            "released": self.is_released,
            "reason": self.reason,
            "demands": self.demands,
            "assessment": self.promise.as_dict(),
            "published": [each.as_dict() for each in self.published],
            "before": self.before.as_dict(),
            "verification": self.verification.as_dict(),
            "queries": self.queries.as_dict(),
            "left_out": [each.as_dict() for each in self.left_out],
            "warnings": list(self.warnings),
        }

    @property
    def rows_below_k(self) -> int:
        """Rows of the original table that fewer than k - 1 others were like."""
        return self.before.sizes.rows_below(self.promise.k)
