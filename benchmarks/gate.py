"""How often the gate stops what it should, and what it should not: tables of ten trades, and columns planted in them.

Run by name: `python benchmarks/gate.py [SEEDS]`.
"""

import sys
from pathlib import Path

import pyarrow as pa

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from paranym.publishing.gate import Gate
from planting import LANGUAGES, PLANTS, TRADES, clean, planted

SIZES = (40, 400, 4000)


def stopped(table: pa.Table) -> int:
    """Columns that the gate would stop."""
    return sum(each.severity == "stop" for each in Gate().examine(table, []).findings)


def main(seeds: int) -> None:
    """Print both shares."""
    false = columns = found = total = 0
    for rows in SIZES:
        for seed in range(seeds):
            for trade in TRADES:
                table = clean(trade, seed, rows)
                false, columns = false + stopped(table), columns + table.num_columns
            for language in LANGUAGES:
                cells = [planted(plant, language, seed, rows) for plant in PLANTS]
                found += stopped(pa.table(cells, names=[f"column {n}" for n in range(len(cells))]))
                total += len(cells)
    print(f"harmless columns stopped   {false:,} of {columns:,}")
    print(f"planted columns stopped    {found:,} of {total:,} ({found / total:.1%})")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
