"""A question to a front: the limits that the answer must keep."""

from dataclasses import dataclass
from decimal import Decimal

from paranym.errors import BadInput
from paranym.model.values import is_number, is_whole
from paranym.results.front import Front


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The limits that a solution must keep.

    >>> Question(max_loss=0.25, max_suppression=0.1).allowed_rows(29)
    2
    """

    max_loss: float | None = None
    """A fraction: 0.25 is 25%."""
    min_k: int | None = None
    max_suppressed: int | None = None
    """Number of rows that may be suppressed."""
    max_suppression: float | None = None
    """The suppression limit as a share of the table; give one of the two."""

    def __post_init__(self) -> None:
        _check_share("The largest loss", self.max_loss)
        _check_share("The suppression limit", self.max_suppression)
        _check_whole("The smallest k", self.min_k, 1)
        _check_whole("The number of rows that may be suppressed", self.max_suppressed, 0)
        if self.max_suppressed is not None and self.max_suppression is not None:
            raise BadInput("Give the suppression limit as a share or as a number of rows, not both.")

    @property
    def is_open(self) -> bool:
        """True if neither a loss nor a k is given."""
        return self.max_loss is None and self.min_k is None

    def allowed_rows(self, rows: int) -> int | None:
        """Return how many of `rows` may be suppressed: the floor of the share, in decimal digits as given."""
        if self.max_suppression is None:
            return self.max_suppressed
        return int(Decimal(str(self.max_suppression)) * rows)

    def allowed_in(self, front: Front) -> int:
        """Return the suppression limit for a front; if the question has none, the limit of the front."""
        requested = self.allowed_rows(front.rows)
        return front.suppression_limit if requested is None else requested


def _check_share(what: str, share: float | None) -> None:
    if share is not None and not (is_number(share) and 0 <= share <= 1):
        raise BadInput(f"{what} is a fraction between 0 and 1 (0.25 is 25%); got {share!r}.")


def _check_whole(what: str, number: int | None, least: int) -> None:
    if number is not None and not (is_whole(number) and number >= least):
        raise BadInput(f"{what} is a whole number of at least {least}; got {number!r}.")
