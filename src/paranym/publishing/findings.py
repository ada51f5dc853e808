"""Findings of the gate: their kind, their columns, and whether they stop a release."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from paranym.wording.numbers import percent

Severity = Literal["stop", "warn"]

KINDS: Mapping[str, str] = {
    "person-name": "holds what look like names of people",
    "e-mail": "holds e-mail addresses",
    "phone": "holds what look like phone numbers",
    "address": "holds what look like postal addresses",
    "web-address": "has a web address of its own in nearly every row",
    "account-number": "holds what look like numbers of accounts or cards",
    "identity-number": "holds what look like numbers that were given to people or their devices",
    "free-text": "holds free text, which may say anything about anybody",
    "undoes-generalization": "discloses the original values of a generalized column",
}
"""The kinds of findings that stop a release until they are accepted by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding about the published columns: it stops the release until it is accepted, or it is a warning.

    >>> Finding(kind="free-text", columns=("notes",), severity="stop", says="notes holds free text.").name
    'free-text:notes'
    """

    kind: str
    columns: tuple[str, ...]
    severity: Severity
    says: str

    @property
    def name(self) -> str:
        """The name by which the user accepts the finding."""
        return f"{self.kind}:{'+'.join(self.columns)}" if self.columns else self.kind

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, which contains no cell values."""
        return {"kind": self.kind, "columns": list(self.columns), "severity": self.severity, "says": self.says}


@dataclass(frozen=True, slots=True)
class Limits:
    """Largest shares of rows that may be unique on all published columns, or have a certain sensitive value."""

    unique: float | None = None
    certain: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form."""
        return {"unique": self.unique, "certain": self.certain}


@dataclass(frozen=True, slots=True, kw_only=True)
class Examined:
    """Findings of the gate in a table that is not published yet, and which of them were accepted.

    >>> Examined(rows=200, columns=9, unique=150, quasi_identifiers=4).uniqueness
    '150 of 200 rows (75.0%) are unique on all 9 published columns together'
    """

    rows: int
    columns: int
    """Published columns."""
    quasi_identifiers: int
    unique: int = 0
    """Rows that differ from every other row in at least one published column."""
    certain: Mapping[str, int] = field(default_factory=dict)
    """Per sensitive attribute: rows in equivalence classes with a single sensitive value."""
    findings: tuple[Finding, ...] = ()
    accepted: tuple[str, ...] = ()
    """The findings that were accepted, by name."""
    limits: Limits = Limits()
    undeclared: Mapping[str, Any] = field(default_factory=dict)

    @property
    def stopping(self) -> tuple[Finding, ...]:
        """Findings that stop the release, because they were not accepted."""
        return tuple(each for each in self.findings if each.severity == "stop" and each.name not in self.accepted)

    @property
    def warnings(self) -> tuple[str, ...]:
        """Warnings for readers of the release, followed by the accepted findings."""
        warned = [each.says for each in self.findings if each.severity == "warn"]
        return (
            *warned,
            *(f"Accepted by name ({each.name}): {each.says}" for each in self.findings if self._is_accepted(each)),
        )

    @property
    def is_mostly_unique(self) -> bool:
        """True if many rows are unique on all columns, so that k on the quasi-identifiers alone says too little."""
        return self.unique > _HIGH * self.rows

    @property
    def uniqueness(self) -> str:
        """The number of rows that are unique on all published columns, as a sentence without its end."""
        verb = "is" if self.unique == 1 else "are"
        together = f"all {self.columns:,} published columns together" if self.columns > 1 else "the published column"
        return f"{self.unique:,} of {self.rows:,} rows ({percent(self.unique / self.rows)}) {verb} unique on {together}"

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form for the manifest."""
        return {
            "findings": [each.as_dict() | {"accepted": self._is_accepted(each)} for each in self.findings],
            "accepted": list(self.accepted),
            "unique": {"rows": self.unique, "share": self.unique / self.rows if self.rows else 0.0},
            "certain": dict(self.certain),
            "limits": self.limits.as_dict(),
            "undeclared": dict(self.undeclared),
        }

    def _is_accepted(self, finding: Finding) -> bool:
        return finding.severity == "stop" and finding.name in self.accepted


_HIGH = 0.05
