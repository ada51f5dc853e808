"""`paranym verify`: a release held against its manifest once more."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import PlaceArgument


def verify(
    release: PlaceArgument,
    *,
    table: str | None = None,
    manifest: Path | None = None,
    memory: str | None = None,
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Read a release, count it afresh, and compare it with the manifest beside it.

    Parameters
    ----------
    release
        A file that `paranym release` wrote, or the address of the database that it made a table in.
    table
        The table in a DuckDB file or a database.
    manifest
        Where the manifest is, if not beside the file, or in the current folder for a table of a database.
    memory
        How much the engine may take, such as 4GB; it goes on on disk beyond that.
    json
        Also write the result as JSON to this file; - for standard output.
    quiet
        No table; the exit code is 0 if all holds, 1 if not.
    """
    from paranym.cli.output import check_target, write_json
    from paranym.cli.show import telling
    from paranym.cli.show_release import show_checks
    from paranym.releases.verifying import verify_release

    check_target(json)
    with telling("reading the release and counting it afresh", quiet=quiet):
        found = verify_release(release, table=table, manifest=manifest, memory=memory)
    if json is not None:
        write_json(found.as_dict(), json)
    if not quiet and str(json) != "-":
        show_checks(found)
    found.demand(repr(str(release) if isinstance(release, Path) else table))
