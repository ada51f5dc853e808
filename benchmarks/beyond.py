"""A table near or beyond what memory holds: counting against DuckDB's own GROUP BY, the certified front, peak memory.

    python benchmarks/beyond.py [ROWS] [--memory 12GB] [--folder FOLDER] [--minutes 60]

All eight attributes of the generated sales table, at most 1% of the rows suppressed. The GROUP BY has as much memory as
DuckDB has while we count, and is fetched as Arrow, batch by batch, in a process of its own. The table is made in the
folder, and kept there if one is given.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from measure import SHARED, report

import paranym as pn
from paranym.problem.floor import engine_share, memory_of

COLUMNS = ("zipcode", "order_date", "gender", "style", "price", "quantity", "cost", "shipment")
OWN = """
import duckdb, time
database = duckdb.connect(config={{"memory_limit": "{limit}", "temp_directory": "{folder}/spill"}})
database.execute("SET enable_progress_bar = false")
begin = time.perf_counter()
groups = sum(map(len, database.sql('''{query}''').to_arrow_reader(1_000_000)))
print(time.perf_counter() - begin, groups)
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("rows", type=int, nargs="?", default=10_000_000)
    parser.add_argument("--memory", default="4GB")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--minutes", type=float, default=60.0)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as other:
        folder = asked.folder or Path(other)
        measure(made(asked.rows, folder), folder, asked.memory, asked.minutes)


def made(rows: int, folder: Path) -> Path:
    table = folder / f"sales{rows}.parquet"
    if not table.is_file():
        maker = SHARED / "tools" / "make_landsend.py"
        subprocess.run([sys.executable, maker, str(rows), table, "--hierarchies", folder / "h"], check=True)
    return table


def measure(table: Path, folder: Path, memory: str, minutes: float) -> None:
    trees = {name: folder / "h" / f"landsend_hierarchy_{name}.csv" for name in COLUMNS}
    begin = time.perf_counter()
    problem = pn.Problem(table, quasi_identifiers=trees, suppression=0.01, memory=memory)
    counted = time.perf_counter() - begin
    found = own(at(table, trees, problem.counted.levels), folder, memory)
    begin, spent = time.perf_counter(), time.process_time()
    front = pn.frontier(problem, budget=pn.Budget(seconds=60 * minutes))
    searched, spent = time.perf_counter() - begin, time.process_time() - spent
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{problem!r}, memory {memory}, floor {problem.floor}")
    print(f"{len(front):,} points, {'proved to be all' if front.complete else 'so far'}")
    report("DuckDB's own GROUP BY there, of as many combinations", found, " s")
    report("reading, placing, estimating and counting", counted, " s")
    report("that / GROUP BY", counted / found, "x", bar=3)
    report("front", searched, " s")
    report("front, processor time", spent, " s")
    report(f"nodes evaluated, of {front.lattice_nodes:,}", front.evaluated_nodes, "")
    report("peak memory", peak, " GB", bar=16)


def at(table: Path, trees: dict[str, Path], node: tuple[int, ...]) -> str:
    """The query that counts a table at a node."""
    names = [f"t.{name}" if level == 0 else f"{name}.column{level}" for name, level in zip(COLUMNS, node, strict=True)]
    joins = "".join(
        f" JOIN read_csv('{trees[name]}', delim = ';', header = false, all_varchar = true) AS {name}"
        f" ON CAST(t.{name} AS VARCHAR) = {name}.column0"
        for name, level in zip(COLUMNS, node, strict=True)
        if level > 0
    )
    return f"SELECT {', '.join(names)}, COUNT(*) AS n FROM '{table}' AS t{joins} GROUP BY ALL"


def own(query: str, folder: Path, memory: str) -> float:
    script = OWN.format(limit=engine_share(memory_of(memory)), folder=folder, query=query)
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[-1].split()[0])


if __name__ == "__main__":
    main()
