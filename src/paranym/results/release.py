"""The claims of a release, and the result of reading it back and checking them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from paranym.errors import BrokenPromise
from paranym.results.assessment import TOLERANCE
from paranym.results.audit import Audit

MARK = "*"
"""The label of suppressed rows in every quasi-identifier, where these rows are kept."""


COUNTED_IN_PEOPLE = "k counts different people by a key that is not published: the release alone does not show it"
"""The note of a manifest whose k counts people."""
K_IN_PEOPLE = "k in people"
"""The name of the check of a k that counts people."""


def are_close(one: float, other: float, *, least: float = 0.0) -> bool:
    """True if two numbers differ by rounding alone; `least` is a difference that never matters.

    >>> are_close(0.1 + 0.2, 0.3), are_close(10**400, 1.0)
    (True, False)
    """
    if one == other:
        return True
    try:
        return abs(one - other) <= max(TOLERANCE * max(abs(one), abs(other)), least)
    except OverflowError:  # a whole number that no float can hold, as a damaged manifest may have
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """The claims of a release: the assessment of the recoding that it is made with.

    >>> Claims(rows=7, k=3, suppressed=1, metric="glm", loss=3.5, loss_fraction=0.25, weighted_k=3.2).published
    6
    """

    rows: int
    """Number of rows of the original table."""
    k: int
    suppressed: int
    """Number of suppressed rows."""
    metric: str
    loss: float
    loss_fraction: float
    weighted_k: float
    """Expected class size of a published row, in rows. Over all rows, it would reveal something about the suppressed
    ones."""
    unit: str = "row"
    """The unit of k: rows, or different people ("person")."""

    @property
    def published(self) -> int:
        """Number of published rows."""
        return self.rows - self.suppressed

    def as_dict(self) -> dict[str, Any]:
        """Return the claims as a dictionary for JSON."""
        document = {name: getattr(self, name) for name in self.__slots__ if name != "unit"}
        return document if self.unit == "row" else document | {"unit": self.unit, "note": COUNTED_IN_PEOPLE}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> "Claims":
        """Read the claims from a dictionary that `as_dict` wrote."""
        return cls(
            **{name: document[name] for name in cls.__slots__ if name != "unit"}, unit=document.get("unit", "row")
        )


Relation = Literal["=", ">=", "<="]


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """One claim, and the value that was found.

    >>> Check(what="k", promised=5, found=4).holds
    False
    >>> Check(what="k asked for", promised=5, found=7, relation=">=").holds
    True
    """

    what: str
    promised: float | str
    found: float | str | None
    """None if it cannot be derived from the data at hand."""
    note: str = ""
    relation: Relation = "="
    """The relation that must hold between the found and the claimed value."""
    is_met: bool | None = None
    """True if the relation holds, where a measure has judged that with its own rounding."""

    @property
    def holds(self) -> bool | None:
        """True if the claim holds; None if that cannot be derived."""
        if self.found is None or self.is_met is not None:
            return None if self.found is None else self.is_met
        if isinstance(self.promised, str) or isinstance(self.found, str):
            return self.promised == self.found
        if are_close(self.promised, self.found):
            return True
        return self.relation != "=" and (self.found > self.promised) == (self.relation == ">=")

    @property
    def fault(self) -> str | None:
        """Return the disagreement in words, or None."""
        if self.holds is not False:
            return None
        limit = {"=": "", ">=": "at least ", "<=": "at most "}[self.relation]
        return f"{self.what} is {_as_text(self.found)}, not {limit}{_as_text(self.promised)}"

    def as_dict(self) -> dict[str, Any]:
        """Return the check as a dictionary for JSON."""
        document = {"what": self.what, "promised": self.promised, "found": _finite(self.found), "holds": self.holds}
        document |= {"relation": self.relation} if self.relation != "=" else {}
        return document | ({"note": self.note} if self.note else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class SignatureCheck:
    """The signature of a manifest: whether it is valid, and who signed.

    >>> SignatureCheck(holds=True, signer="alice@example.org", says="signed by alice@example.org").as_dict()
    {'holds': True, 'signer': 'alice@example.org', 'says': 'signed by alice@example.org'}
    """

    holds: bool | None
    """None: the validity was not checked."""
    signer: str | None
    says: str

    def as_dict(self) -> dict[str, Any]:
        """Return the check as a dictionary for JSON."""
        return {"holds": self.holds, "signer": self.signer, "says": self.says}


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of reading a release back and counting it again.

    >>> Verification(checks=(Check(what="k", promised=5, found=5),)).holds
    True
    """

    checks: tuple[Check, ...]
    """One check for each claim of the release."""
    audit: Audit | None = None
    """The audit of the release."""
    quasi_identifiers: tuple[str, ...] = ()
    """The columns that k refers to."""
    asked: tuple[Check, ...] = ()
    """The privacy requirements of the request, compared with the values found."""
    fields: tuple[Check, ...] = ()
    """Fields of the manifest that differ from the values derived again."""
    compared: int = 0
    """Number of manifest fields that were derived again."""
    stated: tuple[str, ...] = ()
    """Fields of the manifest that the release cannot confirm."""
    signature: SignatureCheck | None = None

    @property
    def faults(self) -> tuple[str, ...]:
        """Return each claim that does not hold, in plain words."""
        found = [check.fault for check in (*self.checks, *self.asked, *self.fields)]
        if self.signature is not None and self.signature.holds is False:
            found.append(self.signature.says)
        return tuple(fault for fault in found if fault is not None)

    @property
    def counts_people(self) -> bool:
        """True if the claimed k counts people."""
        return any(check.what == K_IN_PEOPLE for check in self.checks)

    @property
    def k(self) -> int | None:
        """The k that was found: in people if these are claimed; None if the data at hand do not tell."""
        if not self.counts_people:
            return None if self.audit is None else self.audit.k
        found = next(check.found for check in self.checks if check.what == K_IN_PEOPLE)
        return found if isinstance(found, int) else None

    @property
    def holds(self) -> bool:
        """True if every claim holds."""
        return not self.faults

    def demand(self, release: str) -> None:
        """Raise `BrokenPromise` unless all claims hold; `release` begins the message."""
        if not self.holds:
            raise BrokenPromise(release, self.faults)

    def of_file(self) -> dict[str, Any]:
        """Return the part that a manifest holds, for JSON: all that follows from the release and the manifest alone."""
        return {
            "holds": all(check.holds is not False for check in (*self.checks, *self.asked)),
            "checks": [check.as_dict() for check in self.checks],
            "asked": [check.as_dict() for check in self.asked],
            "audit": None if self.audit is None else self.audit.as_dict(),
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the verification as a dictionary for JSON."""
        return {
            "holds": self.holds,
            "k": self.k,
            "quasi_identifiers": list(self.quasi_identifiers),
            "faults": list(self.faults),
            **{name: value for name, value in self.of_file().items() if name != "holds"},
            "fields": {"compared": self.compared, "differing": [check.as_dict() for check in self.fields]},
            "stated": list(self.stated),
            "signature": None if self.signature is None else self.signature.as_dict(),
        }


def _finite(value: float | str | None) -> float | str | None:
    """Return a value that JSON can represent: infinity becomes text."""
    return "infinite" if isinstance(value, float) and math.isinf(value) else value


def _as_text(value: float | str | None) -> str:
    if isinstance(value, str) or value is None:
        return str(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:.10g}"
