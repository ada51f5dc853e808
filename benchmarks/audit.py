"""The audit of Adult against pycanon's report of the same table, and of a generated sales table larger than memory.

    python benchmarks/audit.py --peer /path/to/a/python/that/has/pycanon --rows 100000000

Without --peer only our own times are printed; without --rows the sales table has 5 million rows.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import pandas as pd
from measure import SHARED, peak_memory, report, seconds

import paranym as pn

QUASI_IDENTIFIERS = (
    "age",
    "workclass",
    "education",
    "marital-status",
    "occupation",
    "race",
    "sex",
    "native-country",
)
SENSITIVE = "salary-class"
LEAST = {1: 100, 30: 50}
SALES = ("zipcode", "order_date", "gender", "style", "price", "quantity", "cost")
MEMORY = "4GB"
PEER = """
import contextlib, io, sys, time, warnings
import pandas as pd
from pycanon import report
warnings.filterwarnings("ignore")
table, times, keys, sensitive = sys.argv[1:]
frame = pd.concat([pd.read_csv(table)] * int(times), ignore_index=True)
begin = time.perf_counter()
with contextlib.redirect_stdout(io.StringIO()):
    report.get_json_report(frame, keys.split(","), [sensitive])
print(time.perf_counter() - begin)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer", help="a Python that has pycanon installed")
    parser.add_argument("--rows", type=int, default=5_000_000, help="rows of the sales table")
    options = parser.parse_args()
    table = SHARED / "data" / "adult_30162.csv"
    if not table.is_file():
        print("the tables are not here: nothing measured")
        return
    _audit_sales(options.rows)
    for times, least in LEAST.items():
        _compare(table, times, options.peer, least)


def _compare(table: Path, times: int, peer: str | None, least: int) -> None:
    frame = pd.concat([pd.read_csv(table)] * times, ignore_index=True)
    job = partial(pn.audit, frame, quasi_identifiers=QUASI_IDENTIFIERS, sensitive=[SENSITIVE])
    found = job()
    [ours] = seconds(job, runs=5)
    theirs = None if peer is None else _peer_seconds(peer, table, times)
    ours = max(ours, *seconds(job, runs=5))  # before and after: whatever else the machine does hits both
    print(f"Adult x {times}: {found.rows:,} rows, {found.sizes.count:,} classes, a pandas frame in a warm process")
    report("  audit", ours, " s")
    if theirs is not None:
        report("  pycanon's report", theirs, " s")
        verdict = "kept" if theirs / ours >= least else "MISSED"
        report(f"  pycanon / audit (at least {least}x: {verdict})", theirs / ours, "x")


def _peer_seconds(peer: str, table: Path, times: int) -> float:
    arguments = [peer, "-c", PEER, str(table), str(times), ",".join(QUASI_IDENTIFIERS), SENSITIVE]
    answer = subprocess.run(arguments, check=True, capture_output=True, text=True)
    return float(answer.stdout.strip().splitlines()[-1])


def _audit_sales(rows: int) -> None:
    """In a process of its own, for its peak memory; the engine may take part of the 8 GB that the whole may."""
    maker = SHARED / "tools" / "make_landsend.py"
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "sales.parquet"
        subprocess.run([sys.executable, str(maker), str(rows), str(table)], check=True, stdout=subprocess.DEVNULL)
        script = (
            f"import paranym as pn; "
            f"pn.audit({str(table)!r}, quasi_identifiers={SALES}, sensitive=['shipment'], memory={MEMORY!r})"
        )
        begin = time.perf_counter()
        peak = peak_memory(script)
        print(f"sales table: {rows:,} rows, almost as many classes")
        report("  audit, import included", time.perf_counter() - begin, " s")
        report("  peak memory", peak, " MB", bar=8000)


if __name__ == "__main__":
    main()
