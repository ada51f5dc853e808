"""A release that is killed leaves the old state or the whole new one, and nothing that the next run does not clean up.

A few moments of every kind here; all of them, and many more drawn by chance, with `make soak`.
"""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

KILLING = Path(__file__).parents[1] / "killing.py"
SOAK = bool(os.environ.get("SOAK"))
KINDS = ["csv", "csv-fresh", "parquet", "parquet-fresh", "duckdb", "duckdb-fresh", "table", "table-fresh"]
FEW = ["csv", "parquet-fresh", "table"]


def killed(folder: Path, kind: str, moments: list[str]) -> list[dict[str, str]]:
    done = subprocess.run(
        [sys.executable, KILLING, folder, kind], input="\n".join(moments), capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def moments(kind: str, calls: int) -> list[str]:
    """When to die: at every n-th call, at some lengths of a file, and in the soak also after some while."""
    chance = random.Random(kind)  # noqa: S311 - no secret
    if not SOAK:
        lengths = [chance.choice([1, 4096, 50_000, 100_000])]
        return [f"call {n}" for n in sorted(chance.sample(range(1, calls + 1), 3))] + [f"byte {n}" for n in lengths]
    lengths = sorted(chance.sample(range(1, 400_000), 60))
    return [
        *(f"call {n}" for n in range(1, calls + 1)),
        *(f"byte {n}" for n in lengths),
        *(f"second {chance.uniform(0, 2):.3f}" for _ in range(100)),
    ]


@pytest.mark.parametrize("kind", KINDS if SOAK else FEW)
def test_a_killed_release_leaves_the_old_state_or_the_new_one(tmp_path: Path, kind: str) -> None:
    [whole] = killed(tmp_path, kind, ["never"])
    assert whole["found"] == "new"

    found = killed(tmp_path, kind, moments(kind, int(whole["calls"])))

    before = "absent" if kind.endswith("fresh") else "old"
    assert [each for each in found if each["found"] not in (before, "new")] == []
    assert all(not each["calls"] for each in found if each["moment"].startswith("call"))  # it did die
    if SOAK:
        assert {each["found"] for each in found} == {before, "new"}
