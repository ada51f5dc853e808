"""A generated sales table, Parquet to Parquet: released and verified, against the time in which DuckDB copies the file.

python benchmarks/release.py --rows 10000000
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
from measure import SHARED, report, seconds

MEMORY = "2GB"
"""What the engine may take of the 4 GB that the whole may."""
LEVELS = {"zipcode": 3, "order_date": 1, "gender": 0, "style": 1, "price": 2, "quantity": 0, "cost": 2}
JOB = """
import json, resource, sys, time
from pathlib import Path
import paranym as pn
table, hierarchies, out, levels, memory = sys.argv[1:]
levels = json.loads(levels)
begin = time.perf_counter()
problem = pn.Problem(
    table,
    quasi_identifiers={name: Path(hierarchies) / f"landsend_hierarchy_{name}.csv" for name in levels},
    sensitive=["shipment"],
    suppression=0.01,
)
counted = time.perf_counter()
point = pn.point_at(problem, levels)
chosen = time.perf_counter()
released = pn.release(problem, point, out, undeclared="keep", memory=memory, overwrite=True)
ended = time.perf_counter()
print(json.dumps({
    "rows": problem.rows, "k": point.k, "suppressed": point.suppressed, "holds": released.verification.holds,
    "count": counted - begin, "assess": chosen - counted, "release": ended - chosen,
    "times": released.manifest["times"],
    "memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="rows of the sales table")
    rows = parser.parse_args().rows
    maker = SHARED / "tools" / "make_landsend.py"
    if not maker.is_file():
        print("the generator is not here: nothing measured")
        return
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        table, hierarchies = folder / "sales.parquet", folder / "hierarchies"
        make = [sys.executable, str(maker), str(rows), str(table), "--hierarchies", str(hierarchies)]
        subprocess.run(make, check=True, stdout=subprocess.DEVNULL)
        _measure(table, hierarchies, folder)


def _measure(table: Path, hierarchies: Path, folder: Path) -> None:
    [before] = seconds(lambda: _copy(table, folder / "copy.parquet"), runs=2)
    arguments = [str(table), str(hierarchies), str(folder / "release.parquet"), json.dumps(LEVELS), MEMORY]
    done = subprocess.run([sys.executable, "-c", JOB, *arguments], check=True, capture_output=True, text=True)
    [after] = seconds(lambda: _copy(table, folder / "copy.parquet"), runs=2)
    copy, found = (before + after) / 2, json.loads(done.stdout)  # whatever else the machine does hits both
    assert found["holds"]
    print(f"sales table: {found['rows']:,} rows; k = {found['k']:,}, {found['suppressed']:,} rows suppressed")
    report("  DuckDB copies the file", copy, " s")
    report("  counting the table (once for any number of releases)", found["count"], " s")
    report("  assessing the node", found["assess"], " s")
    report("  writing", found["times"]["written_seconds"], " s")
    report("  reading back and counting afresh", found["times"]["verified_seconds"], " s")
    report("  release / copy", found["release"] / copy, "x", bar=6)
    report(
        "  counting, assessing and release / copy", (found["count"] + found["assess"] + found["release"]) / copy, "x"
    )
    report("  peak memory", found["memory"], " MB", bar=4000)


def _copy(table: Path, target: Path) -> None:
    with duckdb.connect() as database:
        database.execute("SET enable_progress_bar = false")
        database.execute(f"COPY (FROM '{table}') TO '{target}' (FORMAT parquet)")


if __name__ == "__main__":
    main()
