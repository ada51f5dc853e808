"""Levels, names and amounts of memory as they are written on a command line."""

import csv
import re
from collections.abc import Sequence

from paranym.errors import BadInput

_UNITS = {"": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}


def read_names(written: str) -> tuple[str, ...]:
    """`sex,race` as names; quotes allow commas within.

    >>> read_names('sex, "city, country"')
    ('sex', 'city, country')
    """
    split = csv.reader([written], skipinitialspace=True)
    return tuple(name.strip() for line in split for name in line if name.strip())


def read_allowed(option: str, written: Sequence[str]) -> dict[str, list[int]]:
    """`age=1-3,5` as levels by attribute.

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


def read_memory(option: str, written: str) -> int:
    """`500MB` as bytes.

    >>> read_memory("--memory", "0.5 GB") == 2**29
    True
    """
    match = re.fullmatch(r"\s*(\d+\.?\d*)\s*([KMG]?B?)\s*", written.upper(), re.ASCII)
    unit = "" if match is None else match[2].removesuffix("B") and f"{match[2].removesuffix('B')}B"
    if match is None or int(float(match[1]) * _UNITS[unit]) < 1:
        raise BadInput(f"{option} takes an amount such as 500MB or 2GB; got {written!r}.")
    return int(float(match[1]) * _UNITS[unit])
