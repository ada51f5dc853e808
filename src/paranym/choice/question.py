"""A question: what somebody can accept, and what must be reached."""

from dataclasses import dataclass
from decimal import Decimal

from paranym.errors import BadInput
from paranym.model.front import Front
from paranym.model.values import is_number, is_whole


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What somebody can accept, and what must be reached.

    >>> Question(max_loss=0.25, max_suppression=0.1).allowed_rows(29)
    2
    """

    max_loss: float | None = None
    """As a fraction: 0.25 is 25%."""
    min_k: int | None = None
    max_suppressed: int | None = None
    """Rows that may be left out."""
    max_suppression: float | None = None
    """The same as a share of the table, instead."""

    def __post_init__(self) -> None:
        _check_share("The largest loss", self.max_loss)
        _check_share("The suppression limit", self.max_suppression)
        _check_whole("The least k", self.min_k, 1)
        _check_whole("The number of rows that may be left out", self.max_suppressed, 0)
        if self.max_suppressed is not None and self.max_suppression is not None:
            raise BadInput("Give the suppression limit as a share or as a number of rows, not both.")

    @property
    def is_open(self) -> bool:
        """Whether neither a loss nor a k is given."""
        return self.max_loss is None and self.min_k is None

    def allowed_rows(self, rows: int) -> int | None:
        """At most so many of `rows` may be left out: the floor of the share, in the decimal digits that were given."""
        if self.max_suppression is None:
            return self.max_suppressed
        return int(Decimal(str(self.max_suppression)) * rows)

    def allowed_in(self, front: Front) -> int:
        """The same for a front; if nothing is asked, what the front was computed with."""
        asked = self.allowed_rows(front.rows)
        return front.suppression_limit if asked is None else asked


def _check_share(what: str, share: float | None) -> None:
    if share is not None and not (is_number(share) and 0 <= share <= 1):
        raise BadInput(f"{what} is a fraction between 0 and 1 (0.25 is 25%); got {share!r}.")


def _check_whole(what: str, number: int | None, least: int) -> None:
    if number is not None and not (is_whole(number) and number >= least):
        raise BadInput(f"{what} is a whole number of at least {least}; got {number!r}.")
