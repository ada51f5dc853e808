"""`paranym search`: the generalizations that achieve a given k."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.options.shared import Whole
from paranym.search.fixed_k.names import Algorithm


def search(
    recipe: Path,
    *,
    k: Whole | None = None,
    algorithm: Algorithm = "incognito-partial",
    by: str | None = None,
    prefer: str = "",
    keep: str = "",
    levels: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    forbid: Annotated[tuple[str, ...], Parameter(negative=())] = (),
    memory: str = "2GB",
    every: Annotated[bool, Parameter(name="--all", negative=())] = False,
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Find the generalizations that achieve a given k: the minimal ones, and the best by information loss.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    k
        The k to achieve, instead of the recipe's.
    algorithm
        incognito and its variants, bottom-up with or without rollup, and mingen find all generalizations; samarati
        finds those of least height; datafly finds one, without any guarantee.
    by
        The loss measure that ranks the results, such as height; by default the recipe's.
    prefer
        Attributes to generalize least, most important first, such as sex,race; ties are ranked by information loss.
    keep
        Attributes that must not be generalized, such as sex,race.
    levels
        Levels that an attribute may take, such as age=1-3. Can be given several times.
    forbid
        Levels that an attribute may not take, such as age=0,4. Can be given several times.
    memory
        Memory for the frequency sets that others are rolled up from, such as 500MB.
    every
        List every generalization that achieves the k, not only the minimal ones.
    json
        Also write the result as JSON to this file; - for standard output.
    quiet
        Print no progress and no result.
    """
    from paranym.cli.options.levels import read_allowed, read_names
    from paranym.cli.options.output import Output
    from paranym.cli.show.search import follow, show_generalizations
    from paranym.solve.fixed_k.search import FixedSearch
    from paranym.wording.sizes import read_size

    output = Output(json=json, quiet=quiet).checked()
    allowed = read_allowed("--levels", levels) | {name: [0] for name in read_names(keep)}
    forbidden, room = read_allowed("--forbid", forbid), read_size(memory, "--memory")
    problem = output.problem(recipe)
    fixed = FixedSearch(
        problem,
        k=k,
        algorithm=algorithm,
        by=by,
        priorities=read_names(prefer),
        levels=allowed,
        forbidden=forbidden,
        memory=room,
    )
    found = fixed.result(follow(fixed.stages(), quiet=quiet))
    output.write(lambda: found.as_dict(every=every))
    if output.is_shown:
        show_generalizations(found, every=every)
