"""`paranym verify`: a release checked against its manifest."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.options.shared import PlaceArgument


def verify(
    release: PlaceArgument,
    *,
    table: str | None = None,
    manifest: Path | None = None,
    signers: Path | None = None,
    original: Path | None = None,
    memory: str | None = None,
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Check a release against its manifest, field by field.

    The release is read and counted again. Fields of the manifest that it cannot confirm are listed as stated.

    Parameters
    ----------
    release
        A release: a file, or the address of a database.
    table
        The table in a DuckDB file or a database.
    manifest
        The manifest, if it is not beside the file (for a table of a database: in the current folder).
    signers
        A file of allowed signers as ssh-keygen reads it; the manifest must be signed by one of them.
    original
        The original table; only with it can a k that counts people be checked.
    memory
        Memory for the embedded engine, such as 4GB; beyond that it spills to disk.
    json
        Also write the result as JSON to this file; - for standard output.
    quiet
        Print nothing; the exit code is 0 if everything holds and 1 if not.
    """
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import showing_progress
    from paranym.cli.show.release import show_verification
    from paranym.releases.verifying import verify_release

    output = Output(json=json, quiet=quiet).checked()
    with showing_progress("reading and recounting the release", quiet=quiet):
        found = verify_release(
            release, table=table, manifest=manifest, signers=signers, original=original, memory=memory
        )
    output.write(found.as_dict)
    if output.is_shown:
        show_verification(found, release.name if isinstance(release, Path) else str(table))
    found.demand(repr(str(release) if isinstance(release, Path) else table))
