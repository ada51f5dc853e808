"""What a release promises, and what was found when it was read back."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paranym.errors import BrokenPromise
from paranym.model.assessment import TOLERANCE
from paranym.model.audit import Audit

MARK = "*"
"""What suppressed rows have in every quasi-identifier, where they are kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """The assessment of the recoding that a release is made by.

    >>> Promise(rows=7, k=3, suppressed=1, metric="glm", loss=3.5, loss_fraction=0.25, weighted_k=3.2).published
    6
    """

    rows: int
    """N, of the table that is released."""
    k: int
    suppressed: int
    """Rows left out."""
    metric: str
    loss: float
    loss_fraction: float
    weighted_k: float
    """The class size that a row can expect, before suppression."""

    @property
    def published(self) -> int:
        """Rows that are not left out."""
        return self.rows - self.suppressed

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {name: getattr(self, name) for name in self.__slots__}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Promise":
        """What `as_dict` wrote."""
        return cls(**{name: document[name] for name in cls.__slots__})


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One thing that was promised, and what was found.

    >>> Check(what="k", promised=5, found=4).holds
    False
    """

    what: str
    promised: float | str
    found: float | str | None
    """None if it cannot be told from what is there."""
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether both agree; None if that cannot be told."""
        if self.found is None:
            return None
        if isinstance(self.promised, str) or isinstance(self.found, str):
            return self.promised == self.found
        return abs(self.promised - self.found) <= TOLERANCE * max(abs(self.promised), abs(self.found))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        told = {"what": self.what, "promised": self.promised, "found": self.found, "holds": self.holds}
        return told | ({"note": self.note} if self.note else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """What came out when a release was read back and counted afresh.

    >>> Verification(checks=(Check(what="k", promised=5, found=5),)).holds
    True
    """

    checks: tuple[Check, ...]
    audit: Audit | None = None
    """What the release tells about the people in it."""

    @property
    def faults(self) -> tuple[str, ...]:
        """What was found to be other than promised, in plain words."""
        return tuple(
            f"{check.what} is {_told(check.found)}, not {_told(check.promised)}"
            for check in self.checks
            if check.holds is False
        )

    @property
    def holds(self) -> bool:
        """Whether nothing was found to be other than promised."""
        return not self.faults

    def demand(self, release: str) -> None:
        """Raise unless it holds; `release` begins the message."""
        if not self.holds:
            raise BrokenPromise(release, self.faults)

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "holds": self.holds,
            "checks": [check.as_dict() for check in self.checks],
            "audit": None if self.audit is None else self.audit.as_dict(),
        }


def _told(value: float | str | None) -> str:
    if isinstance(value, str) or value is None:
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.10g}"
