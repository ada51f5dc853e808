"""`paranym init`: from a bare table to a recipe that runs."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import ReadOptions, TableArgument


def init(
    table: TableArgument,
    *,
    out: Path = Path("recipe.toml"),
    ask: Annotated[bool, Parameter(negative=())] = False,
    json: Path | None = None,
    read: ReadOptions = ReadOptions(),
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Draft a recipe: what each column seems to be, how it may be generalized, and why.

    Parameters
    ----------
    table
        A CSV file (plain or in gzip), a Parquet file, a DuckDB file or an Excel workbook; - for standard input.
    out
        The recipe to write; it must not be there yet.
    ask
        Ask the few questions that matter, and show what follows from the answers.
    json
        Also write the draft as JSON to this file; - for standard output.
    quiet
        Say nothing.
    """
    from paranym.cli.output import check_new, check_target, write_json
    from paranym.cli.show import telling
    from paranym.drafting import draft
    from paranym.errors import BadInput

    check_new(out)
    check_target(json)
    if ask and str(table) == "-":
        raise BadInput("Standard input cannot hold both the table and your answers. Save the table as a file first.")
    if ask and (quiet or str(json) == "-"):
        raise BadInput("--ask speaks with you; it goes neither with --quiet nor with --json -.")
    missing = read.tokens or None
    with telling("looking at the table", quiet=quiet):
        drafted = draft(table, table=read.name, dialect=read.dialect, missing=missing)
    proposed = drafted
    if ask:
        from paranym.cli.asking import ask_about

        drafted = ask_about(drafted)
    drafted.save(out, source="-" if str(table) == "-" else None)
    if json is not None:
        write_json(drafted.as_dict(), json)
    if not quiet and str(json) != "-":
        from paranym.cli.show_draft import show_draft

        show_draft(drafted, out, columns=not ask or drafted is not proposed)
