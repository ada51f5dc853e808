"""`paranym bound`: the information loss that every recoding has at least."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.options.shared import read_whole, read_wholes
from paranym.errors import BadInput, Unattainable


def bound(
    recipe: Path,
    *,
    k: str = "2,5,10",
    passes: Annotated[int | None, Parameter(converter=read_whole)] = None,
    seconds: float | None = None,
    check: Annotated[bool, Parameter(negative=())] = False,
    json: Path | None = None,
    certificate: Annotated[bool, Parameter(negative=())] = False,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Bound the information loss of every recoding from below: no model can lose less at that k.

    The bound is on the normalized certainty penalty (NCP). It holds for full-domain generalization, cuts and local
    recoding, with and without suppression. Ctrl-C keeps the bound reached so far.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    k
        The values of k, such as 2,5,10.
    passes
        The most passes over all boxes for each k; 32 by default, 16 for k above 50. The search ends earlier if a pass
        gains next to nothing.
    seconds
        Begin no further pass after this many seconds for each k.
    check
        Also check every bound with independent code; the exit code is 1 if one fails.
    json
        Also write the result as JSON to this file; - for standard output.
    certificate
        Include the proof in the JSON: one value for each combination of the original table. Keep such a file private.
    quiet
        Print no progress and no result.
    """
    from paranym.cli.options.output import Output
    from paranym.cli.show.bound import following, show_bounds
    from paranym.cli.show.front import showing_progress
    from paranym.proof import verify_bound
    from paranym.solve.bounds import bounds_so_far

    output = Output(json=json, quiet=quiet).checked()
    wanted = read_wholes("--k", k)
    if not wanted:
        raise BadInput(f"--k takes at least one whole number, such as 2,5,10; got {k!r}.")
    if certificate and json is None:
        raise BadInput("--certificate is a part of the JSON; give the file to write (--json FILE).")
    problem = output.problem(recipe)
    with following(quiet=quiet) as follow:
        found = [follow(bounds_so_far(problem, each, passes=passes, seconds=seconds)) for each in wanted]
    faults: dict[int, tuple[str, ...]] = {}
    if check:
        with showing_progress("checking", quiet=quiet) as tell:
            for each in found:
                tell(f"k = {each.k:,}")
                if not (verdict := verify_bound(each, problem)).holds:
                    faults[each.k] = verdict.faults
    checked = {"checked": not faults} if check else {}
    output.write(lambda: {"bounds": [each.as_dict(certificate=certificate) for each in found], **checked})
    if output.is_shown:
        show_bounds(found, is_checked=check and not faults)
    for number, why in faults.items():
        raise Unattainable(f"The bound for k = {number:,} does not hold: {'; '.join(why)}.")
