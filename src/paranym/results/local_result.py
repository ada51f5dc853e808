"""The information loss and the privacy of a local recoding."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from paranym.model.local import LabelUse, LocalRecoding, Style
from paranym.wording.numbers import counted, percent


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalAssessment:
    """The loss and the privacy of the published equivalence classes, in which groups with equal labels have merged."""

    method: str
    asked_k: int
    seed: int
    start: str = ""
    """The algorithm whose groups were refined: of the method `best`, the one that led to the least loss."""
    refine: int = 0
    """Most rounds of refinement."""
    seconds_limit: float | None = None
    """When refinement had to end; None if its work alone was limited, which gives the same result everywhere."""
    style: Style
    rows: int
    k: int
    """Rows of the smallest class."""
    suppressed: int = 0
    """Number of suppressed rows, where suppression costs less than keeping them."""
    groups: int
    classes: int
    largest: int
    """Rows of the largest class."""
    ncp: float
    ncp_fraction: float
    """Per cell, weighted by attribute."""
    glm: float
    glm_fraction: float
    dcn: float
    dcn_fraction: float
    c_avg: float
    per_attribute: Mapping[str, float]
    """The normalized certainty penalty (NCP) of a cell of each attribute, without weights."""
    labels: Mapping[str, LabelUse] = field(default_factory=dict)
    """Per attribute: how many different labels are published, and whether they overlap."""
    privacy: Mapping[str, float] = field(default_factory=dict)
    """The achieved values of the privacy requirements besides k."""
    seconds: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the assessment as a dictionary for JSON."""
        return {
            "model": "local",
            "method": self.method,
            "asked_k": self.asked_k,
            "seed": self.seed,
            "start": self.start,
            "refine": self.refine,
            "seconds_limit": self.seconds_limit,
            "style": self.style.value,
            "rows": self.rows,
            "k": self.k,
            "suppressed": self.suppressed,
            "groups": self.groups,
            "classes": self.classes,
            "largest_class": self.largest,
            "ncp": self.ncp,
            "ncp_fraction": self.ncp_fraction,
            "ncp_per_attribute": dict(self.per_attribute),
            "labels": {name: use.as_dict() for name, use in self.labels.items()},
            "glm": self.glm,
            "glm_fraction": self.glm_fraction,
            "dcn": self.dcn,
            "dcn_fraction": self.dcn_fraction,
            "c_avg": self.c_avg,
            "privacy": dict(self.privacy),
            "seconds": round(self.seconds, 3),
        }


@dataclass(frozen=True, slots=True, eq=False)
class LocalResult:
    """A local recoding with its assessment.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> table = pa.table({"age": [24, 25, 30, 30, 32, 32]})
    >>> pn.recode_locally(pn.Problem(table, quasi_identifiers={"age": {"intervals": [5]}}), k=3)
    LocalResult(best: 6 rows in 2 classes of at least 3, NCP 50.0% per cell)
    """

    recoding: LocalRecoding
    assessment: LocalAssessment

    def __repr__(self) -> str:
        found = self.assessment
        suppressed = f", {counted(found.suppressed, 'row')} suppressed" if found.suppressed else ""
        return (
            f"LocalResult({found.method}: {found.rows:,} rows in {found.classes:,} classes of at least {found.k:,}"
            f"{suppressed}, NCP {percent(found.ncp_fraction)} per cell)"
        )
