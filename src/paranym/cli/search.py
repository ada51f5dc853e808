"""`paranym search`: the generalizations that give a fixed k."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import Whole
from paranym.model.algorithms import Algorithm


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
    """List the generalizations that give a k: the minimal ones, and the best by the loss.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    k
        Everyone shall be one of at least so many alike; instead of the recipe's k.
    algorithm
        incognito and its variants, bottom-up without and with rollup, and mingen find all; samarati those of least
        height; datafly one, with no promise.
    by
        The loss that says which is best, such as height; the recipe's if not given.
    prefer
        Attributes that matter most, such as sex,race: the best keep the first of them least general, then the second.
        Only then comes the loss.
    keep
        Attributes that must stay as they are, such as sex,race.
    levels
        Levels that an attribute may take, such as age=1-3. Can be given several times.
    forbid
        Levels that an attribute may not take, such as age=0,4. Can be given several times.
    memory
        For frequency sets that are kept to roll others up from, such as 500MB.
    every
        List every generalization that gives the k, not only the minimal ones.
    json
        Also write the result as JSON to this file; - for standard output.
    quiet
        No progress, no table.
    """
    from paranym.cli.levels import read_allowed, read_memory, read_names
    from paranym.cli.output import check_target, write_json
    from paranym.cli.show import note_compilation, telling
    from paranym.cli.show_search import follow, show_generalizations
    from paranym.workbench import Problem
    from paranym.workbench.generalizing import FixedSearch

    check_target(json)
    allowed = read_allowed("--levels", levels) | {name: [0] for name in read_names(keep)}
    forbidden, room = read_allowed("--forbid", forbid), read_memory("--memory", memory)
    with telling("reading the table", quiet=quiet):
        problem = Problem.from_recipe(recipe)
    note_compilation(quiet=quiet)
    asked = FixedSearch(
        problem,
        k=k,
        algorithm=algorithm,
        by=by,
        priorities=read_names(prefer),
        levels=allowed,
        forbidden=forbidden,
        memory=room,
    )
    found = asked.result(follow(asked.stages(), quiet=quiet))
    if json is not None:
        write_json(found.as_dict(every=every), json)
    if not quiet and str(json) != "-":
        show_generalizations(found, every=every)
