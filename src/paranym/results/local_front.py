"""Local recodings for several k."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from paranym.errors import BadInput
from paranym.results.local_result import LocalResult


@dataclass(frozen=True, slots=True, eq=False)
class LocalFront:
    """A local recoding for each requested k, the smallest first; the loss never falls as k grows.

    >>> import paranym as pn
    >>> import pyarrow as pa
    >>> problem = pn.Problem(pa.table({"age": [24, 25, 30, 30, 32, 32]}), quasi_identifiers=["age"])
    >>> found = pn.local_front(problem, [2, 3])
    >>> [(each.assessment.asked_k, round(each.assessment.ncp_fraction, 2)) for each in found]
    [(2, 0.04), (3, 0.5)]
    >>> found.at(3)
    LocalResult(best: 6 rows in 2 classes of at least 3, NCP 50.0% per cell)
    """

    results: tuple[LocalResult, ...]

    def __len__(self) -> int:
        return len(self.results)

    def __iter__(self) -> Iterator[LocalResult]:
        return iter(self.results)

    def at(self, k: int) -> LocalResult:
        """Return the recoding for one of the requested k."""
        for each in self.results:
            if each.assessment.asked_k == k:
                return each
        known = ", ".join(str(each.assessment.asked_k) for each in self.results)
        raise BadInput(f"There is no recoding for k = {k}; there is one for each of {known}.")

    def as_dict(self) -> dict[str, Any]:
        """Return the assessments for JSON."""
        return {"model": "local", "complete": False, "points": [each.assessment.as_dict() for each in self.results]}
