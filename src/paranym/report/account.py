"""The contents of a report, as values.

They hold counts of the original table, and values of its columns only where at least k rows share them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paranym.results.audit import Audit
from paranym.results.front import Front, Point
from paranym.results.release import Claims, Verification


@dataclass(frozen=True, slots=True, kw_only=True)
class GeneralizedColumn:
    """One quasi-identifier in the published table."""

    attribute: str
    level: int | None
    """None for a cut, whose values are of several levels."""
    height: int
    values_before: int
    """Distinct values in the original table."""
    values_after: int
    """Distinct values in the published table."""
    is_kept: bool
    """True if every value is published unchanged."""
    examples: tuple[str, ...]
    """Published values, the most frequent first."""
    lost: float
    """Its information loss by the general loss metric, suppressed rows included."""
    weight: float = 1.0

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        return {name: getattr(self, name) for name in self.__slots__} | {"examples": list(self.examples)}


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that share a value, with the number of suppressed ones."""

    name: str
    rows: int
    left_out: int

    @property
    def share(self) -> float:
        """Return the share of suppressed rows.

        >>> Group("F", rows=200, left_out=3).share
        0.015
        """
        return self.left_out / self.rows if self.rows else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """Suppressed rows by group of one attribute."""

    attribute: str
    is_sensitive: bool
    groups: tuple[Group, ...]
    """The largest share of suppressed rows first; groups of fewer than k rows are pooled."""

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        groups = [{"group": each.name, "rows": each.rows, "left_out": each.left_out} for each in self.groups]
        return {"attribute": self.attribute, "sensitive": self.is_sensitive, "groups": groups}


@dataclass(frozen=True, slots=True, kw_only=True)
class Queries:
    """The error of random counting queries that are answered from the published table."""

    asked: int
    zero: int
    """Queries whose true answer is 0; their error is not counted."""
    median: float | None
    broad: int
    """Queries whose true answer is at least 1% of the rows."""
    broad_median: float | None

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """The contents of a report on a chosen solution, and on its release if there is one."""

    table: str
    roles: Mapping[str, str]
    """The role of each column."""
    front: Front
    point: Point
    reason: str
    """A sentence that says why this point was chosen."""
    claims: Claims
    published: tuple[GeneralizedColumn, ...]
    before: Audit
    verification: Verification
    after: Audit
    queries: Queries
    left_out: tuple[LeftOut, ...]
    demands: str | None
    is_released: bool
    """True if there is a release, and not only a planned one."""
    manifest: Mapping[str, Any] | None = None
    """The manifest of the release, if the release is a file."""
    command: str | None = None
    """The command that produces the same release."""
    software: Mapping[str, str] = field(default_factory=dict)
    written: str = ""
    """Date and time of writing."""
    warnings: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """Return the contents of the page without the front, for JSON."""
        return {
            "table": self.table,
            "roles": dict(self.roles),
            "released": self.is_released,
            "reason": self.reason,
            "demands": self.demands,
            "assessment": self.claims.as_dict(),
            "published": [each.as_dict() for each in self.published],
            "before": self.before.as_dict(),
            "verification": self.verification.as_dict(),
            "queries": self.queries.as_dict(),
            "left_out": [each.as_dict() for each in self.left_out],
            "warnings": list(self.warnings),
        }

    @property
    def rows_below_k(self) -> int:
        """Return the number of original rows in equivalence classes of fewer than k rows."""
        return self.before.sizes.rows_below(self.claims.k)
