"""`paranym audit`: what a file, as it is, tells about the people in it."""

import csv
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from paranym.cli.arguments import TableArgument


def audit(
    table: TableArgument,
    *,
    quasi_identifiers: str,
    sensitive: str = "",
    identifiers: str = "",
    missing: str = "",
    hierarchy: Annotated[list[str] | None, Parameter(negative=())] = None,
    population: Path | None = None,
    threshold: float = 0.2,
    name: str | None = None,
    separator: str | None = None,
    quote: str | None = None,
    encoding: str | None = None,
    memory: str | None = None,
    engine: Literal["duckdb", "postgres", "spark"] | None = None,
    master: str | None = None,
    json: Path | None = None,
    plot: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Measure what a file tells about the people in it: every privacy model, every risk.

    Parameters
    ----------
    table
        A CSV file (plain or in gzip), a Parquet file or a folder of them, a DuckDB file or an Excel workbook; - for
        standard input. Or the address of a Postgres database, such as postgresql://host/database, without a password.
    quasi_identifiers
        Columns that others could know too, such as age,sex,zipcode. A name with a comma stands in quotes.
    sensitive
        Columns that nobody should learn about a person.
    identifiers
        Columns that name people; one that repeats shows that there are several rows per person.
    missing
        Texts that mean: no value, such as ?,NA. Empty cells are missing anyway.
    hierarchy
        COLUMN=FILE: a hierarchy of a sensitive column, for hierarchical t-closeness. May be given several times.
    population
        A larger table of the same kind, of which the people of this one are a part.
    threshold
        A row counts as at risk if it is found with a probability above this.
    name
        Of the table in a DuckDB file or a database that has several.
    separator
        Of a CSV file, if it is not recognized.
    quote
        Likewise.
    encoding
        Likewise.
    memory
        How much the engine may take, such as 4GB; it goes on on disk beyond that.
    engine
        Who reads it: spark, or else what the table calls for.
    master
        Where Spark runs: local[*], spark://host:7077, or sc://host:15002 for Spark Connect.
    json
        Also write the result as JSON to this file; - for standard output.
    plot
        Also draw the class sizes into this file: .html, .png, .svg or .pdf.
    quiet
        No summary.
    """
    from paranym.audits.auditing import audit as measure
    from paranym.cli.output import check_target, complete, write_json
    from paranym.cli.show import telling
    from paranym.engines.csv_dialect import CsvDialect
    from paranym.engines.source import read_by

    check_target(json)
    check_target(plot)
    if plot is not None:
        from paranym.report.saving import check_plot_format

        check_plot_format(plot)
    with telling("reading the table and measuring it", quiet=quiet):
        found = measure(
            read_by(engine, table, master),
            quasi_identifiers=_names(quasi_identifiers),
            sensitive=_names(sensitive),
            identifiers=_names(identifiers),
            hierarchies=_hierarchies(hierarchy or []),
            population=population,
            threshold=threshold,
            missing=_names(missing),
            table=name,
            dialect=CsvDialect(separator, quote, encoding),
            memory=memory,
        )
    if json is not None:
        write_json(found.as_dict(), json)
    if plot is not None:
        from paranym.report.audit_plot import save_audit_plot

        with complete(plot) as partial:
            save_audit_plot(found, partial)
    if not quiet and str(json) != "-":
        from paranym.cli.show_audit import show_audit

        show_audit(found)


def _names(listed: str) -> list[str]:
    """Names between commas, in quotes if they hold one."""
    return [name.strip() for line in csv.reader([listed], skipinitialspace=True) for name in line if name.strip()]


def _hierarchies(given: list[str]) -> dict[str, Path]:
    from paranym.errors import BadInput

    found: dict[str, Path] = {}
    for one in given:
        column, sign, file = one.rpartition("=")
        if not (column and sign and file):
            raise BadInput(f"--hierarchy takes COLUMN=FILE, such as illness=illness.csv; got {one!r}.")
        found[column] = Path(file)
    return found
