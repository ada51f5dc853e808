"""A lattice of more than 10^9 nodes: how much of the possible hypervolume is found and certified after a minute."""

import time

import duckdb
import pyarrow as pa
from measure import report

import paranym as pn
from paranym.datasets import adult

SECONDS = 60


def wide_adult() -> pa.Table:
    """Adult with columns derived from its own."""
    table = adult().parent / "adult.csv"
    return (
        duckdb.connect()
        .sql(
            f"""SELECT *, age >= 65 AS retired, "hours-per-week" > 40 AS overtime, "education-num" >= 13 AS degree,
        "capital-gain" > 0 AS gain, "capital-loss" > 0 AS losses, "marital-status" LIKE 'Married%' AS married
        FROM '{table}'"""
        )
        .to_arrow_table()
    )


def wide_problem() -> pn.Problem:
    """20 quasi-identifiers: those of the demo, six more columns, and six derived ones."""
    files = sorted((adult().parent / "hierarchies").glob("*.csv"))
    ladders = {"education-num": [2, 4, 8], "hours-per-week": [5, 10, 20, 40]}
    ladders |= {"capital-gain": [1000, 5000, 50000], "capital-loss": [500, 1000]}
    plain = ("occupation", "relationship", "retired", "overtime", "degree", "gain", "losses", "married")
    return pn.Problem(
        wide_adult(),
        quasi_identifiers={file.stem: file for file in files}
        | {name: {"intervals": widths} for name, widths in ladders.items()}
        | dict.fromkeys(plain),
        metric="glm",
        suppression=0.01,
    )


def main() -> None:
    problem = wide_problem()
    print(f"{len(problem.attributes)} quasi-identifiers, {problem.lattice.size:,} nodes, ", end="")
    print(f"{len(problem.frequency):,} combinations")
    begin = time.perf_counter()
    front = pn.frontier(problem, budget=pn.Budget(seconds=SECONDS))
    report("time", time.perf_counter() - begin, " s")
    report("nodes evaluated", front.evaluated_nodes, "")
    report("points found", len(front), "")
    report("hypervolume found", 100 * front.hypervolume, " %")
    report("hypervolume possible", 100 * (front.possible_hypervolume or 1), " %")
    report("  certified ratio", 100 * front.hypervolume / (front.possible_hypervolume or 1), " %")


if __name__ == "__main__":
    main()
