"""Parsing of memory sizes such as "4GB"."""

import re
from decimal import Decimal

from paranym.errors import BadInput

_UNITS = {
    "": 1,
    **{letter: 1000**power for power, letter in enumerate("kmgtp", start=1)},
    **{f"{letter}i": 1024**power for power, letter in enumerate("kmgtp", start=1)},
}
_SIZE = re.compile(r"\s*(\d{1,18}(?:\.\d{0,18})?)\s*([kmgtp]i?)?b?\s*", re.ASCII | re.IGNORECASE)


def read_size(written: str | int, what: str = "Memory") -> int:
    """Return a size in bytes, from a number with a unit from kB to PiB; without a unit it is in bytes.

    GB is 10^9 and GiB is 2^30 bytes. `what` begins the message if this is not a size.

    >>> read_size("4GB"), read_size("1.5 GiB"), read_size("500 MB"), read_size(1000)
    (4000000000, 1610612736, 500000000, 1000)
    """
    if isinstance(written, int) and not isinstance(written, bool):
        size = int(written)
    else:
        found = _SIZE.fullmatch(written) if isinstance(written, str) else None
        size = 0 if found is None else int(Decimal(found[1]) * _UNITS[(found[2] or "").lower()])
    if size < 1:
        raise BadInput(f"{what} is given as a number and a unit, such as '4GB' or '512MiB'; got {written!r}.")
    return size
