"""`paranym apply`: the recoding of a release, for another table."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from paranym.cli.arguments import PlaceArgument, TableArgument, read_share

if TYPE_CHECKING:
    from paranym.releases.applying import Judgement


def apply(
    recoding: Path,
    newtable: TableArgument,
    *,
    out: PlaceArgument | None = None,
    table: str | None = None,
    name: str | None = None,
    unknown: Literal["error", "top"] = "error",
    max_suppression: str | None = None,
    keep_suppressed: Annotated[bool, Parameter(negative=())] = False,
    suppressed_rows: Path | None = None,
    overwrite: Annotated[bool, Parameter(negative=())] = False,
    memory: str | None = None,
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Recode another table as a release was, and say whether its guarantee holds there.

    Without --out nothing is written but the verdict.

    Parameters
    ----------
    recoding
        The private file that lies beside the release: FILE.recoding.json.
    newtable
        A table with the same columns, such as that of the next month: a file, or the address of a database.
    out
        Where the recoded table goes: .csv, .csv.gz, .parquet, or .duckdb; or the address of the database that the new
        table is in.
    table
        The table to make in a DuckDB file or a database.
    name
        Of the table to read in a DuckDB file or a database that has several.
    unknown
        What becomes of values that belong nowhere: an error, or the top of the hierarchy.
    max_suppression
        At most this share of the rows may be left out, such as 5% or 0.05; instead of what the release allowed.
    keep_suppressed
        Keep rows that must be suppressed, as * and with nothing in their other columns.
    suppressed_rows
        Write the numbers of the rows that must be left out to this file, one a line, the first row being 1. Private.
    overwrite
        Replace a file that is there already.
    memory
        How much the engine may take, such as 4GB; it goes on on disk beyond that.
    json
        Also write the verdict as JSON to this file; - for standard output.
    quiet
        No sentences.
    """
    from paranym.cli.output import check_target
    from paranym.cli.show import telling
    from paranym.errors import GuaranteeLost
    from paranym.releases.applying import apply as recode

    check_target(json)
    check_target(suppressed_rows)
    tell = _Told(json, suppressed_rows, quiet=quiet)
    try:
        with telling("reading, recoding and counting afresh", quiet=quiet):
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
                memory=memory,
            )
    except GuaranteeLost as lost:
        tell(lost.judgement, None)
        raise
    tell(done.judgement, done.where)
    if not done.judgement.can_hold:
        raise GuaranteeLost(done.judgement)


class _Told:
    """Where the verdict goes."""

    def __init__(self, json: Path | None, suppressed_rows: Path | None, *, quiet: bool) -> None:
        self._json, self._rows, self._quiet = json, suppressed_rows, quiet

    def __call__(self, judged: "Judgement", written: str | None) -> None:
        from rich.text import Text

        from paranym.cli.output import complete, write_json
        from paranym.cli.show import out

        if self._rows is not None:
            with complete(self._rows) as partial:
                partial.write_text("".join(f"{row + 1}\n" for row in judged.suppressed_rows or ()), encoding="utf-8")
        if self._json is not None:
            write_json(judged.as_dict(), self._json)
        if self._quiet or str(self._json) == "-":
            return
        for sentence in judged.sentences():
            out.print(Text(sentence))
        if written is not None:
            out.print(Text(f"Written and read back: {written}"))
