"""`paranym audit`: the privacy and the risks of a table as it is."""

from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from paranym.cli.options.shared import ReadOptions, TableArgument


def audit(
    table: TableArgument,
    *,
    quasi_identifiers: str,
    sensitive: str = "",
    identifiers: str = "",
    hierarchy: Annotated[list[str] | None, Parameter(negative=())] = None,
    population: Path | None = None,
    threshold: float = 0.2,
    read: ReadOptions = ReadOptions(),
    memory: str | None = None,
    engine: Literal["duckdb", "postgres", "spark"] | None = None,
    master: str | None = None,
    json: Path | None = None,
    plot: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Measure the privacy of a table as it is: every privacy model and every re-identification risk.

    Parameters
    ----------
    table
        A CSV file (plain or in gzip), a Parquet file or a folder of them, a DuckDB file or an Excel workbook; - for
        standard input. Or the address of a Postgres database, such as postgresql://host/database, without a password.
    quasi_identifiers
        The quasi-identifiers, such as age,sex,zipcode: columns that others could know. Quote a name that has a comma.
    sensitive
        The sensitive attributes: columns whose values must not be learned about a person.
    identifiers
        Columns that name people; if one repeats, there are several rows per person.
    hierarchy
        COLUMN=FILE: a hierarchy of a sensitive column, for hierarchical t-closeness. May be given several times.
    population
        A table of the population that the people of this table are part of.
    threshold
        Count a row as at risk if it can be re-identified with a probability above this.
    memory
        Memory for the embedded engine, such as 4GB; beyond that it spills to disk.
    engine
        The engine that reads the table; by default the one that fits the table.
    master
        Where Spark runs: local[*], spark://host:7077, or sc://host:15002 for Spark Connect.
    json
        Also write the result as JSON to this file; - for standard output.
    plot
        Also plot the sizes of the equivalence classes to this file: .html, .png, .svg or .pdf.
    quiet
        Print no result.
    """
    from paranym.audits.audit import audit as measure
    from paranym.cli.options.files import complete
    from paranym.cli.options.levels import read_names
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import showing_progress
    from paranym.engines.source import read_by

    output = Output(json=json, plot=plot, quiet=quiet).checked()
    with showing_progress("reading the table and measuring it", quiet=quiet):
        found = measure(
            read_by(engine, table, master),
            quasi_identifiers=read_names(quasi_identifiers),
            sensitive=read_names(sensitive),
            identifiers=read_names(identifiers),
            hierarchies=_hierarchies(hierarchy or []),
            population=population,
            threshold=threshold,
            missing=read.tokens,
            table=read.name,
            dialect=read.dialect,
            memory=memory,
            views=read.views,
        )
    output.write(found.as_dict)
    if plot is not None:
        from paranym.plots.audit import save_audit_plot

        with complete(plot) as partial:
            save_audit_plot(found, partial)
    if output.is_shown:
        from paranym.cli.show.audit import show_audit

        show_audit(found)


def _hierarchies(given: list[str]) -> dict[str, Path]:
    from paranym.errors import BadInput

    found: dict[str, Path] = {}
    for one in given:
        column, sign, file = one.rpartition("=")
        if not (column and sign and file):
            raise BadInput(f"--hierarchy takes COLUMN=FILE, such as illness=illness.csv; got {one!r}.")
        found[column] = Path(file)
    return found
