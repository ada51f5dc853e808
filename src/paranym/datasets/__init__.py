"""Data that comes with paranym: the UCI Adult table with hierarchies, for the demo, the docs and the tests."""

from importlib.resources import files
from pathlib import Path


def adult() -> Path:
    """The recipe of the Adult table: 30,162 people of the 1994 US census, eight quasi-identifiers.

    >>> adult().name
    'recipe.toml'
    """
    return Path(str(files("paranym.datasets") / "adult" / "recipe.toml"))
