"""The searches for a fixed requirement, by the names that commands and requests use."""

from typing import Literal, get_args

Algorithm = Literal[
    "incognito",
    "incognito-super-roots",
    "incognito-cube",
    "incognito-partial",
    "samarati",
    "bottom-up",
    "bottom-up-rollup",
    "datafly",
    "mingen",
]
ALGORITHMS: tuple[Algorithm, ...] = get_args(Algorithm)
INCOMPLETE = ("samarati", "datafly")
"""Searches that find only some solutions, and therefore work on lattices of any size."""
