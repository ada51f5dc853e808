"""Levels and names on the command line."""

import csv
import re
from collections.abc import Sequence

from paranym.errors import BadInput


def read_names(written: str) -> tuple[str, ...]:
    """Parse `sex,race` as names; quotes allow commas within.

    >>> read_names('sex, "city, country"')
    ('sex', 'city, country')
    """
    split = csv.reader([written], skipinitialspace=True)
    return tuple(name.strip() for line in split for name in line if name.strip())


def read_allowed(option: str, written: Sequence[str]) -> dict[str, list[int]]:
    """Parse `age=1-3,5` as levels by attribute.

    >>> read_allowed("--levels", ["age=1-3,5", "sex=0"])
    {'age': [1, 2, 3, 5], 'sex': [0]}
    """
    allowed: dict[str, list[int]] = {}
    for each in written:
        name, _, levels = each.rpartition("=")
        parts = [re.fullmatch(r"\s*(\d+)\s*(?:-\s*(\d+)\s*)?", part, re.ASCII) for part in levels.split(",")]
        if not name or None in parts:
            raise BadInput(f"{option} takes levels of an attribute, such as age=1-3 or age=0,2; got {each!r}.")
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
        if not name or not level.isdecimal():
            raise BadInput(f"{option} takes levels such as age=1; got {written!r}.")
        levels[name.strip()] = int(level)
    return levels
