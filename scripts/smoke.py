"""A few seconds of paranym, from a table to a verified release, with nothing but what `pip install paranym` brings."""

import platform
import sys
import tempfile
from pathlib import Path

import pyarrow as pa

import paranym as pn

AGES = [31, 32, 33, 41, 42, 43, 44, 90]


def main() -> int:
    """Say which interpreter did it."""
    problem = pn.Problem(
        pa.table({"age": AGES, "illness": ["flu", "cold"] * 4}),
        quasi_identifiers={"age": {"intervals": [10, 50]}},
        sensitive=["illness"],
        suppression_rows=1,
    )
    front = pn.frontier(problem)
    point = pn.ask(front, min_k=3).point
    with tempfile.TemporaryDirectory() as name:
        released = Path(name) / "released.csv"
        pn.release(problem, point, released, registry=False)
        found = pn.audit(released, quasi_identifiers=["age"])
        is_verified = pn.verify_release(released).holds
        page = pn.write_report(problem, front, Path(name) / "report.html", point=point)
        is_reported = page.stat().st_size > 0
    holds = (front.complete, found.k, is_verified, is_reported) == (True, 3, True, True)
    print(f"Python {platform.python_version()}: {'as expected' if holds else 'NOT as expected'}.")
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
