"""How often one `paranym run` reads the original table and its release."""

from pathlib import Path

import duckdb
import pytest

from counting_reads import Reads, counted_reads
from paranym.cli.app import main

RECIPE = """
[data]
source = "{source}"
[attributes.name]
role = "identifier"
[attributes.age]
role = "quasi-identifier"
hierarchy = {{ intervals = [10, 20] }}
[attributes.sex]
role = "quasi-identifier"
[attributes.illness]
role = "sensitive"
[attributes.pay]
role = "sensitive"
[attributes.town]
role = "keep"
[attributes.job]
role = "keep"
[privacy]
suppression_rows = 4
{more}
[choice]
k = 3
[output]
release = "{release}"
{output}
"""
PEOPLE = """
SELECT 'p' || n AS name, CASE WHEN n % 29 = 0 THEN 99 ELSE 20 + (n * 7) % 50 END AS age,
  CASE WHEN n % 3 = 0 THEN 'F' ELSE 'M' END AS sex, ['flu', 'cold', 'gout'][1 + (n * n + n // 4) % 3] AS illness,
  1000 + n % 40 AS pay, ['Ulm', 'Bonn'][1 + (n // 5) % 2] AS town, ['cook', 'smith', NULL][1 + (n // 7) % 3] AS job
FROM range(60) AS t(n)
"""


def run(source: str, release: str, monkeypatch: pytest.MonkeyPatch, *, more: str = "", output: str = "") -> Reads:
    with duckdb.connect(source if source.endswith(".duckdb") else ":memory:") as database:
        database.execute(f"CREATE TABLE people AS {PEOPLE}")
        if not source.endswith(".duckdb"):
            database.execute(f"COPY people TO '{source}'")
    recipe = Path("recipe.toml")
    recipe.write_text(RECIPE.format(source=source, release=release, more=more, output=output), encoding="utf-8")
    with counted_reads(monkeypatch) as reads:
        main(["run", str(recipe), "--quiet"])
    return reads


@pytest.mark.parametrize("source", ["people.csv", "people.parquet", "people.duckdb"])
@pytest.mark.parametrize("release", ["out.csv", "out.parquet", "out.duckdb"])
def test_a_run_reads_the_original_three_times_and_the_release_twice(
    source: str, release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    reads = run(source, release, monkeypatch)

    assert (reads[source], reads[release]) == (3, 2), reads.scans


def test_neither_requirements_nor_marked_rows_take_further_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    reads = run(
        "people.csv",
        "out.csv",
        monkeypatch,
        more='l = { attribute = "illness", value = 2 }',
        output="keep_suppressed = true\nneutralize_formulas = true",
    )

    assert (reads["people.csv"], reads["out.csv"]) == (3, 2), reads.scans
