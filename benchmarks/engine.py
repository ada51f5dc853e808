"""Reading and counting a generated sales table of 5 million rows, against DuckDB's own GROUP BY of the same columns."""

import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
from measure import SHARED, report, seconds

import paranym as pn

ROWS = 5_000_000
COLUMNS = ("zipcode", "order_date", "gender", "style", "price", "quantity", "cost", "shipment")


def main() -> None:
    maker = SHARED / "tools" / "make_landsend.py"
    if not maker.is_file():
        print("the generator of the sales table is not here: nothing measured")
        return
    with tempfile.TemporaryDirectory() as folder:
        table, hierarchies = Path(folder) / "sales.parquet", Path(folder) / "hierarchies"
        arguments = [str(ROWS), str(table), "--hierarchies", str(hierarchies)]
        subprocess.run([sys.executable, str(maker), *arguments], check=True, stdout=subprocess.DEVNULL)
        for columns in (COLUMNS, COLUMNS[1:3] + COLUMNS[4:6]):
            _compare(table, hierarchies, columns)


def _compare(table: Path, hierarchies: Path, columns: tuple[str, ...]) -> None:
    files = {name: hierarchies / f"landsend_hierarchy_{name}.csv" for name in columns}
    listed = ", ".join(columns)

    def group_by() -> None:
        with duckdb.connect() as database:
            database.sql(f"SELECT {listed}, count(*) AS n FROM '{table}' GROUP BY ALL").to_arrow_table()

    ours, theirs = seconds(lambda: pn.Problem(table, quasi_identifiers=files), group_by)
    print(f"{ROWS:,} rows by {listed}")
    report("  DuckDB's GROUP BY", theirs, " s")
    report("  read, profiled, placed in hierarchies and counted", ours, " s")
    report("  ratio", ours / theirs, "x", bar=2)


if __name__ == "__main__":
    main()
