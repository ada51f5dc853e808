"""A lattice of half a million nodes over 100,000 distinct combinations: the whole certified front of general loss."""

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
from measure import SHARED, report

import paranym as pn

ROWS = 100_000
LADDERS = {
    "zipcode": [5, 10, 50, 100, 500, 1000, 5000, 10000, 50000],
    "day": [2, 4, 8, 16, 32, 64, 128],
    "style": [5, 50, 500, 5000],
    "price": [50, 100, 200, 400, 800, 1600, 3200, 6400],
    "cost": [20, 40, 80, 160, 320, 640, 1280, 2560, 5120],
}
SAMPLE = 2_000
"""Nodes from which the time of evaluating all is extrapolated, in runs of neighbours as in an exhaustive search."""
RUN = 200


def sales() -> pa.Table | None:
    """The first rows of the generated sales table, dates and codes as numbers."""
    maker = SHARED / "tools" / "make_landsend.py"
    if not maker.is_file():
        return None
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "sales.parquet"
        subprocess.run([sys.executable, str(maker), str(ROWS), str(table)], check=True, stdout=subprocess.DEVNULL)
        return (
            duckdb.connect()
            .sql(
                "SELECT zipcode::int AS zipcode, order_date - DATE '2003-01-01' AS day, gender, "
                f"substr(style, 2)::int AS style, price, quantity, cost, shipment FROM '{table}'"
            )
            .to_arrow_table()
        )


def sales_problem(table: pa.Table) -> pn.Problem:
    ladders = {name: {"intervals": widths} for name, widths in LADDERS.items()}
    return pn.Problem(
        table,
        quasi_identifiers=ladders | {"gender": None, "quantity": None, "shipment": None},
        metric="glm",
        suppression=0.01,
    )


def exhaustive_seconds(problem: pn.Problem) -> float:
    """How long evaluating every node would take, from runs of neighbours all over the lattice."""
    lattice, evaluator = problem.lattice, problem.evaluator()
    order = sorted(range(len(lattice.heights)), key=lambda attribute: lattice.heights[attribute])
    begins = np.linspace(0, lattice.size - RUN, SAMPLE // RUN).astype(int)
    spent = 0.0
    for start in begins.tolist():
        evaluator(lattice.nodes(start, start + RUN // 4, order=order))  # what would be in the cache by then
        begin = time.perf_counter()
        evaluator(lattice.nodes(start + RUN // 4, start + RUN, order=order))
        spent += time.perf_counter() - begin
    return spent / (len(begins) * (RUN - RUN // 4)) * lattice.size


def main() -> None:
    table = sales()
    if table is None:
        print("the generator of the sales table is not here: nothing measured")
        return
    problem = sales_problem(table)
    print(f"{problem.lattice.size:,} nodes, {len(problem.frequency):,} combinations")
    begin = time.perf_counter()
    front = pn.frontier(problem)
    spent = time.perf_counter() - begin
    report("exact front", spent, " s", bar=300)
    report("nodes evaluated", 100 * front.evaluated_nodes / front.lattice_nodes, " %")
    report("peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, " MB", bar=4096)
    every = exhaustive_seconds(problem)
    report("evaluating every node, extrapolated", every, " s")
    report(f"  ratio (at least 10x: {'kept' if every / spent >= 10 else 'MISSED'})", every / spent, "x")


if __name__ == "__main__":
    main()
