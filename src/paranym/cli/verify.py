"""`paranym verify`: a release held against its manifest once more."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter


def verify(
    release: Path,
    *,
    table: str | None = None,
    memory: str | None = None,
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Read a release, count it afresh, and compare it with the manifest beside it.

    Parameters
    ----------
    release
        A file that `paranym release` wrote.
    table
        The table in a DuckDB file.
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
        found = verify_release(release, table=table, memory=memory)
    if json is not None:
        write_json(found.as_dict(), json)
    if not quiet and str(json) != "-":
        show_checks(found)
    found.demand(f"{str(release)!r}")
