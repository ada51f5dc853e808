"""The experiments of the Incognito paper (LeFevre, DeWitt, Ramakrishnan: SIGMOD 2005), made anew beside what it prints.

Adult (45,222 rows) with hierarchies of the heights of its Figure 9, and a generated sales table of the shape of its
second one (4,591,581 rows), which was never published. The table of nodes searched is quoted; of Figures 10 to 12,
which are plots, stands here what its text says. Every row of a table comes from a process of its own, in which a table
is counted before it is searched. Seconds are processor time of the search alone, both cores together, unless it says
otherwise: they depend less on what else a machine is doing.
"""

import argparse
import json
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb

import paranym as pn
from paranym.search.fixed_k.names import ALGORITHMS
from paranym.solve.fixed_k.search import FixedSearch

SHARED = Path(__file__).parents[3] / "shared"
ADULT = (
    "age",
    "sex",
    "race",
    "marital-status",
    "education",
    "native-country",
    "workclass",
    "occupation",
    "salary-class",
)
SALES = ("zipcode", "order_date", "gender", "style", "price", "quantity", "cost", "shipment")
"""Both in the order of Figure 9."""
SALES_ROWS = 4_591_581
SALES_HEIGHTS = (5, 3, 1, 1, 4, 1, 4, 1)
SIZES = {"adult": range(3, 10), "sales": range(3, 7)}
"""All eight attributes of the sales table are a part of their own."""
MIDDLE_SIZE = {"adult": 8, "sales": 6}
"""How many attributes Figure 11 takes."""
NODES_SEARCHED = {
    3: (14, 14),
    4: (47, 35),
    5: (206, 103),
    6: (680, 246),
    7: (2088, 664),
    8: (6366, 1778),
    9: (12818, 4307),
}
"""Section 4.2.1: by quasi-identifier size, bottom-up and Incognito."""
LEAST_WORK_FIRST = (
    "incognito-partial",
    "datafly",
    "incognito-cube",
    "bottom-up-rollup",
    "incognito-super-roots",
    "samarati",
    "incognito",
    "mingen",
    "bottom-up",
)
TIMED = [name for name in ALGORITHMS if name not in ("datafly", "mingen")]
MB = 2**20


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="nodes,agreement,size,k,cube,memory,sales", help="parts, separated by commas")
    parser.add_argument("--tables", default="adult,sales", help="of Figures 10 to 12 and of memory")
    parser.add_argument("--sales", type=Path, help="where the sales table is kept; by default a temporary folder")
    parser.add_argument("--patience", type=int, default=900, help="seconds of processor time that a search may take")
    parser.add_argument("--row", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.row:
        table, algorithm, memory, *cases = asked.row
        for found in measure(table, algorithm, int(memory), cases, asked.patience):
            print(json.dumps(found), flush=True)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = make_sales(asked.sales or Path(temporary))
        places = {"adult": "adult", "sales": str(folder)}
        bench = Bench(folder, [places[name] for name in asked.tables.split(",")], asked.patience)
        for part in asked.only.split(","):
            getattr(bench, part)()


def make_sales(folder: Path) -> Path:
    """The sales table with its hierarchies, made if it is not there."""
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "sales.parquet").is_file():
        maker = [sys.executable, str(SHARED / "tools" / "make_landsend.py"), str(SALES_ROWS)]
        subprocess.run([*maker, str(folder / "sales.parquet"), "--hierarchies", str(folder)], check=True)
    return folder


@lru_cache(maxsize=1)
def problem(table: str, size: int, share: float = 0.0) -> pn.Problem:
    """The first so many attributes of Adult, or of the sales table in that folder."""
    names, source = (ADULT, SHARED / "data" / "adult_45222.csv") if table == "adult" else (SALES, Path(table))
    if table == "adult":
        hierarchies = {name: SHARED / f"data/hierarchies/incognito/adult_hierarchy_{name}.csv" for name in names[:size]}
    else:
        hierarchies = {name: source / f"landsend_hierarchy_{name}.csv" for name in names[:size]}
        source = source / "sales.parquet"
    return pn.Problem(source, quasi_identifiers=hierarchies, metric="height", suppression=share)


def measure(table: str, algorithm: str, memory: int, cases: Sequence[str], patience: int) -> Iterator[dict[str, Any]]:
    """Search for each "attributes:k", after a search of a small table that compiles or loads the kernels.

    Whoever runs out of patience is ended by the system.
    """
    _nodes(problem("adult", 3), 2, algorithm)
    for case in cases:
        size, k = map(int, case.split(":"))
        search = FixedSearch(problem(table, size), k=k, algorithm=algorithm, memory=memory * MB)
        begin, cpu = time.perf_counter(), time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(cpu) + patience, resource.RLIM_INFINITY))
        building = 0.0
        for stage in search.stages():
            if stage.effort.checked == 0:
                building = time.process_time() - cpu
        yield {
            "seconds": time.perf_counter() - begin,
            "cpu": time.process_time() - cpu,
            "building": building,
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            "found": len(stage.found()),
            "checked": stage.effort.checked,
            "scans": stage.effort.scans,
            "rollups": stage.effort.rollups,
            "read": stage.effort.read,
            "held": stage.effort.held / MB,
        }


class Bench:
    """The parts of the benchmark."""

    def __init__(self, sales: Path, tables: Sequence[str], patience: int) -> None:
        self._sales = sales
        self._tables = tables
        self._patience = patience

    def nodes(self) -> None:
        """Section 4.2.1."""
        print("\nNodes searched on Adult, k = 2 (section 4.2.1)")
        print("attributes   bottom-up: paper    here         Incognito: paper    here    anonymous of all nodes")
        for size, (bottom_up, incognito) in NODES_SEARCHED.items():
            asked = problem("adult", size)
            up = pn.generalize(asked, k=2, algorithm="bottom-up-rollup")
            by_subsets = pn.generalize(asked, k=2)
            ours, theirs = up.cost.checked_nodes, by_subsets.cost.checked_nodes
            print(
                f"{size:>10} {bottom_up:>18,} {ours:>7,} ({ours / bottom_up - 1:+.1%}) {incognito:>13,} {theirs:>7,} "
                f"({theirs / incognito - 1:+.1%}) {len(up):>8,} of {up.lattice_nodes:,}"
            )

    def agreement(self) -> None:
        """Whether all searches find the same on Adult."""
        print("\nAdult, nine attributes: nodes found by every complete search, and by evaluating all nodes")
        whole = problem("adult", 9)
        for share in (0.0, 0.01, 0.05):
            asked = whole.with_suppression(share)
            steps = asked.evaluator()(asked.lattice.nodes(0, asked.lattice.size))
            for k in (2, 5, 10, 50, 500):
                truth = {tuple(levels) for levels in steps.levels[steps.k >= k].tolist()}
                answers = {name: _nodes(asked, k, name) for name in ALGORITHMS}
                least = min(map(sum, truth))
                lowest = {node for node in truth if sum(node) == least}
                agree = all(found == truth for name, found in answers.items() if name not in ("samarati", "datafly"))
                agree = agree and answers["samarati"] == lowest and answers["datafly"] <= truth
                said = f"{len(lowest)} of least height" if agree else "THEY DISAGREE"
                print(f"  k = {k:<4} at most {share:.0%} suppressed: {len(truth):>6,} nodes, {said}", flush=True)

    def size(self) -> None:
        """Figure 10."""
        print("\nFigure 10: seconds by quasi-identifier size")
        print("  paper: Incognito beats binary search and both bottom-ups on both tables, up to an order of magnitude")
        for table in self._tables:
            for k in (2, 10):
                self._grid(table, [(size, k) for size in SIZES[_name(table)]])

    def k(self) -> None:
        """Figure 11."""
        print("\nFigure 11: seconds by k")
        print("  paper: Incognito trends downward as k grows; binary search is more erratic")
        for table in self._tables:
            self._grid(table, [(MIDDLE_SIZE[_name(table)], k) for k in (2, 5, 10, 25, 50)])

    def cube(self) -> None:
        """Figure 12."""
        print("\nFigure 12: seconds to build the zero-generalization sets, and to search with them; k = 2")
        print("  paper: cheap on Adult, where Cube beats Basic; dear on the larger table, where it is slower in all")
        for table in self._tables:
            sizes = SIZES[_name(table)]
            cases = [(size, 2) for size in sizes]
            cubes, basics = (self._row(table, name, cases) for name in ("incognito-cube", "incognito"))
            for size, cube, basic in zip(sizes, cubes, basics, strict=False):
                rest = cube["cpu"] - cube["building"]
                told = f"{cube['building']:.2f} + {rest:.2f}; basic {basic['cpu']:.2f}"
                print(f"  {_name(table)}, {size} attributes: {told}", flush=True)

    def memory(self) -> None:
        """Section 4.2.3."""
        print("\nPartial materialization (section 4.2.3): what memory for frequency sets buys")
        for table in self._tables:
            size, k, amounts = (9, 2, (1, 2048)) if table == "adult" else (8, 10, (1, 16, 64, 256, 2048))
            for name in ("incognito-super-roots", "incognito-cube", "incognito-partial"):
                for amount in amounts:
                    found = self._row(table, name, [(size, k)], amount)
                    label = f"{_name(table)}, k = {k}, {name}, {amount:,} MB"
                    print(f"  {label:<48} {self._told(found)}", flush=True)

    def sales(self) -> None:
        """The bar: all nodes of the sales table, against one GROUP BY."""
        asked = problem(str(self._sales), 8)
        assert asked.lattice.heights == SALES_HEIGHTS
        print(f"\nSales table, {asked.rows:,} rows, {len(asked.frequency):,} combinations, 8 attributes, k = 10")
        del asked
        for name in LEAST_WORK_FIRST:
            found = self._row(str(self._sales), name, [(8, 10)])
            print(f"  {name:<22} {self._told(found)}", flush=True)
            if name == "incognito-partial" and found:
                wall, cpu = self._group_by()
                print(
                    f"  {'':<22} one GROUP BY: {wall:.2f} s, {cpu:.2f} s of processor time; "
                    f"ratios {found[0]['seconds'] / wall:.1f}x and {found[0]['cpu'] / cpu:.1f}x",
                    flush=True,
                )

    def _group_by(self) -> tuple[float, float]:
        """Seconds of the engine's own GROUP BY over the same columns, the better of two."""
        query = f"SELECT {', '.join(SALES)}, count(*) FROM '{self._sales / 'sales.parquet'}' GROUP BY ALL"
        best = (float("inf"), float("inf"))
        for _ in range(2):
            begin, cpu = time.perf_counter(), time.process_time()
            duckdb.connect().sql(f"SELECT count(*) FROM ({query})").fetchall()
            best = min(best, (time.perf_counter() - begin, time.process_time() - cpu))
        return best

    def _grid(self, table: str, cases: Sequence[tuple[int, int]]) -> None:
        """Seconds of every search for every size and k. Who was given up once is not asked for more."""
        print(f"  {_name(table):<24}" + "".join(f"{f'{size} attr, k={k}':>15}" for size, k in cases))
        for name in TIMED:
            found = self._row(table, name, cases)
            cells = [f"{each['cpu']:>15.2f}" for each in found] + [f"{'-':>15}"] * (len(cases) - len(found))
            print(f"  {name:<24}" + "".join(cells), flush=True)

    def _row(
        self, table: str, algorithm: str, cases: Sequence[tuple[int, int]], memory: int = 2048
    ) -> list[dict[str, Any]]:
        """Searches of one table in a fresh process, as far as patience goes."""
        order = [sys.executable, __file__, "--patience", str(self._patience), "--row", table, algorithm, str(memory)]
        order += [f"{size}:{k}" for size, k in cases]
        answer = subprocess.run(order, check=False, stdout=subprocess.PIPE, text=True)
        if answer.returncode not in (0, -signal.SIGXCPU):
            raise RuntimeError(f"{algorithm} on {_name(table)} ended with {answer.returncode}")
        return [json.loads(line) for line in answer.stdout.splitlines()]

    def _told(self, row: list[dict[str, Any]]) -> str:
        if not row:
            return f"given up after {self._patience:,} s of processor time"
        [found] = row
        return (
            f"{found['cpu']:.1f} s ({found['seconds']:.1f} by the clock), {found['checked']:,} checked, "
            f"{found['scans']:,} scans, {found['rollups']:,} rollups, {found['read'] / 1e6:,.1f} million read, "
            f"{found['held']:,.0f} MB kept, peak {found['peak']:,.0f} MB, {found['found']:,} found"
        )


def _name(table: str) -> str:
    return "adult" if table == "adult" else "sales"


def _nodes(asked: pn.Problem, k: int, algorithm: str) -> set[tuple[int, ...]]:
    *_, last = FixedSearch(asked, k=k, algorithm=algorithm).stages()
    return {tuple(levels) for levels in last.found().tolist()}


if __name__ == "__main__":
    main()
