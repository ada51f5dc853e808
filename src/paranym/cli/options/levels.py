"""Levels and names on the command line."""

import csv
import io
import re
from collections.abc import Sequence

from paranym.errors import BadInput

_SHOWN = 200
"""Characters of an argument that an error repeats."""
_LEVEL = re.compile(r"\s*(\d{1,6})\s*", re.ASCII)
"""No hierarchy has a million levels."""
_LEVELS = re.compile(rf"{_LEVEL.pattern}(?:-{_LEVEL.pattern})?", re.ASCII)


def read_names(written: str) -> tuple[str, ...]:
    """Parse `sex,race` as names; commas or line ends separate them, and quotes allow both within.

    >>> read_names('sex, "city, country"')
    ('sex', 'city, country')
    """
    try:
        split = [*csv.reader(io.StringIO(written, newline=""), skipinitialspace=True)]
    except csv.Error as error:
        raise BadInput(f"A name in a list is longer than {csv.field_size_limit():,} characters.") from error
    return tuple(name.strip() for line in split for name in line if name.strip())


def read_allowed(option: str, written: Sequence[str]) -> dict[str, list[int]]:
    """Parse `age=1-3,5` as levels by attribute.

    >>> read_allowed("--levels", ["age=1-3,5", "sex=0"])
    {'age': [1, 2, 3, 5], 'sex': [0]}
    """
    allowed: dict[str, list[int]] = {}
    for each in written:
        name, _, levels = each.rpartition("=")
        parts = [_LEVELS.fullmatch(part) for part in levels.split(",")]
        if not name or None in parts:
            raise BadInput(f"{option} takes levels of an attribute, such as age=1-3 or age=0,2; got {each[:_SHOWN]!r}.")
        ranges = [range(int(part[1]), int(part[2] or part[1]) + 1) for part in parts if part is not None]
        allowed.setdefault(name.strip(), []).extend(level for each_range in ranges for level in each_range)
    return allowed


def read_levels(option: str, written: str) -> dict[str, int]:
    """Parse `age=1,education=2` as one level per attribute.

    >>> read_levels("--granularity", "age=1, education=2")
    {'age': 1, 'education': 2}
    """
    levels = {}
    for each in read_names(written):
        name, _, level = each.rpartition("=")
        if not name.strip() or not _LEVEL.fullmatch(level):
            raise BadInput(f"{option} takes NAME=LEVEL between commas, such as age=2,sex=1; got {each[:_SHOWN]!r}.")
        if name.strip() in levels:
            raise BadInput(f"{option} names {name.strip()!r} twice.")
        levels[name.strip()] = int(level)
    return levels
