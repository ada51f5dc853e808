"""`paranym init`: from a bare table to a recipe that runs."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.options.shared import ReadOptions, TableArgument


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
        The recipe to write; it must not exist yet.
    ask
        Ask the few questions that matter and show what the answers mean.
    json
        Also write the draft as JSON to this file; - for standard output.
    quiet
        Print nothing.
    """
    from paranym.cli.options.files import check_new
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import showing_progress
    from paranym.cli.terminal import notes
    from paranym.drafting import draft
    from paranym.engines.hosts import allow_hosts_of, hosts_file
    from paranym.errors import BadInput

    check_new(out)
    output = Output(json=json, quiet=quiet).checked()
    if ask and str(table) == "-":
        raise BadInput("Standard input cannot hold both the table and your answers. Save the table as a file first.")
    if ask and not output.is_shown:
        raise BadInput("--ask speaks with you; it goes neither with --quiet nor with --json -.")
    missing = read.tokens or None
    with showing_progress("looking at the table", quiet=quiet):
        drafted = draft(table, table=read.name, dialect=read.dialect, missing=missing, views=read.views)
    proposed = drafted
    if ask:
        from paranym.cli.interview import ask_about

        drafted = ask_about(drafted)
    drafted.save(out, source="-" if str(table) == "-" else None)
    allowed = allow_hosts_of(table)  # the user typed the address, so the recipe that was drafted may name it
    output.write(drafted.as_dict)
    if output.is_shown:
        from paranym.cli.show.draft import show_draft

        show_draft(drafted, out, columns=not ask or drafted is not proposed)
        if allowed:
            notes.print(f"Recipes may name {', '.join(allowed)} from now on ({hosts_file()}).", markup=False)
