"""`paranym apply`: the recoding of a release, applied to another table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from paranym.cli.options.shared import PlaceArgument, TableArgument, read_share

if TYPE_CHECKING:
    from paranym.cli.options.output import Output
    from paranym.publishing.findings import Examined
    from paranym.releases.applying import Judgement


def apply(
    recoding: Path,
    newtable: TableArgument,
    *,
    out: PlaceArgument | None = None,
    table: str | None = None,
    name: str | None = None,
    views: Annotated[bool, Parameter(negative=())] = False,
    unknown: Literal["error", "top"] = "error",
    max_suppression: str | None = None,
    keep_suppressed: Annotated[bool, Parameter(negative=())] = False,
    suppressed_rows: Path | None = None,
    overwrite: Annotated[bool, Parameter(negative=())] = False,
    undeclared: Literal["drop", "keep"] | None = None,
    accept: Annotated[list[str] | None, Parameter(negative=())] = None,
    memory: str | None = None,
    no_registry: Annotated[bool, Parameter(negative=())] = False,
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Apply a saved recoding to another table and check whether it is still k-anonymous.

    Without --out only the result of the check is printed.

    Parameters
    ----------
    recoding
        The private file beside the release: FILE.recoding.json.
    newtable
        A table with the same columns, such as next month's: a file, or the address of a database.
    out
        The file to write: .csv, .csv.gz, .parquet, or .duckdb; or the address of the database that holds the new
        table.
    table
        The name of the new table in a DuckDB file or a database.
    name
        The table to read, if a DuckDB file or a database has several.
    views
        Allow --name to be a view of a DuckDB file, which runs a query written by the author of the file.
    unknown
        What to do with values that are not in the hierarchy: stop with an error, or publish *.
    max_suppression
        The largest share of rows to suppress, such as 5% or 0.05, instead of the limit of the release.
    keep_suppressed
        Keep suppressed rows, with * in every quasi-identifier and empty other columns, instead of removing them.
    suppressed_rows
        Write the numbers of the suppressed rows to this file, one per line, starting at 1. The file is private.
    overwrite
        Replace an existing file.
    undeclared
        What to do with columns that the recoding does not know: drop them. Without this option they are refused; keep
        is refused as well, because nobody decided to publish them.
    accept
        Accept a finding of the gate, by kind and column, such as free-text:notes. May be given several times.
    memory
        Memory for the embedded engine, such as 4GB; beyond that it spills to disk.
    no_registry
        Do not look up earlier releases of this table in your private registry, and do not record this one.
    json
        Also write the result as JSON to this file; - for standard output.
    quiet
        Print no result.
    """
    from paranym.cli.options.files import check_target
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import showing_progress
    from paranym.errors import GuaranteeLost
    from paranym.releases.applying import apply as recode

    output = Output(json=json, quiet=quiet).checked()
    check_target(suppressed_rows)
    show = _Shown(output, suppressed_rows)
    try:
        with showing_progress("reading, recoding and counting again", quiet=quiet):
            done = recode(
                recoding,
                newtable,
                out,
                table=name,
                into=table,
                unknown=unknown,
                max_suppression=read_share("--max-suppression", max_suppression),
                keep_suppressed=keep_suppressed,
                overwrite=overwrite,
                list_rows=suppressed_rows is not None,
                undeclared=undeclared,
                accept=accept or [],
                memory=memory,
                views=views,
                registry=not no_registry,
            )
    except GuaranteeLost as lost:
        show(lost.judgement, None)
        raise
    show(done.judgement, done.where, done.warnings, done.gate)
    if not done.judgement.can_hold:
        raise GuaranteeLost(done.judgement)


class _Shown:
    """Writes and prints the judgement."""

    def __init__(self, output: "Output", suppressed_rows: Path | None) -> None:
        self._output, self._rows = output, suppressed_rows

    def __call__(
        self,
        judged: "Judgement",
        written: str | None,
        warnings: tuple[str, ...] = (),
        gate: "Examined | None" = None,
    ) -> None:
        from rich.text import Text

        from paranym.cli.options.files import complete
        from paranym.cli.terminal import out

        if self._rows is not None:
            with complete(self._rows) as partial:
                partial.write_text("".join(f"{row + 1}\n" for row in judged.suppressed_rows or ()), encoding="utf-8")
        found = None if gate is None else gate.as_dict()
        self._output.write(lambda: judged.as_dict() | {"warnings": list(warnings), "gate": found})
        if not self._output.is_shown:
            return
        out.print(Text(judged.headline(gate), style="bold"))
        for warning in warnings:
            out.print(Text("Warning: ", style="bold yellow") + Text(warning))
        for sentence in judged.sentences()[1:]:
            out.print(Text(sentence))
        if written is not None:
            out.print(Text(f"Written and read back: {written}"))
