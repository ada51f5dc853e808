"""Optimal losses that an independent tool, ARX, found on the Adult table; the list is in `tests/oracle/data`.

The hierarchies that come with ARX are not ours to ship. They are read from the folder that `PARANYM_ARX` names, such as
`data` of a checkout of ARX, or from `shared/data/hierarchies/arx` beside the project; without them the cases are
skipped.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from paranym.datasets import adult

CASES = Path(__file__).parent / "oracle" / "data" / "arx_adult.json"
HIERARCHIES = Path(
    os.environ.get("PARANYM_ARX") or Path(__file__).parents[2] / "shared" / "data" / "hierarchies" / "arx"
)
needs_hierarchies = pytest.mark.skipif(
    not HIERARCHIES.is_dir(), reason="the hierarchies of ARX are not here: set PARANYM_ARX to their folder"
)


def cases_of_models(number: int) -> list[dict[str, Any]]:
    """The cases with this many privacy models."""
    listed = json.loads(CASES.read_text(encoding="utf-8"))["cases"]
    return [case for case in listed if len(case["privacy"]) == number]


def table() -> Path:
    """The Adult table that comes with paranym, which is that of the cases."""
    return adult().parent / "adult.csv"


def hierarchy(attribute: str) -> Path:
    """The file of ARX for one attribute."""
    return HIERARCHIES / f"adult_hierarchy_{attribute}.csv"
