"""`paranym local`: local recoding."""

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from paranym.cli.options.shared import TargetOptions, Whole, read_ends, read_ks, read_whole


def local(
    recipe: Path,
    *,
    k: str = "10",
    method: Literal["best", "top-down", "bottom-up", "mondrian", "mondrian-relaxed"] = "best",
    style: Literal["range", "label", "set", "mean", "median"] = "range",
    seed: Whole = 0,
    rounds: Annotated[int | None, Parameter(converter=read_whole)] = None,
    reach: Annotated[int | None, Parameter(converter=read_whole)] = None,
    categories: Literal["tree", "codes"] | None = None,
    refine: Annotated[int | None, Parameter(converter=read_whole)] = None,
    seconds: float | None = None,
    open_ends: str | None = None,
    suppress: bool | None = None,
    queries: Annotated[int | None, Parameter(converter=read_whole)] = None,
    out: Path | None = None,
    target: TargetOptions = TargetOptions(),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Anonymize by local recoding: groups of at least k rows, each generalized on its own.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    k
        The smallest size of an equivalence class; larger if the recipe requires more. Several, such as 2,5,10 or
        2-100, give a table of the least information loss for each.
    method
        best: those of the others that pay for the size of the table, and of their results the one that loses least.
        top-down, bottom-up: utility-based local recoding. mondrian: cuts at medians, with equal values together;
        mondrian-relaxed: equal values may be separated.
    style
        How the numbers of a group are published: as their range, the value of the hierarchy, the set of values, the
        mean or the median. Categories become their closest common ancestor, or a set.
    seed
        Seed for random choices; the same seed gives the same groups.
    rounds
        How often the search for two distant seeds of a split is repeated; 3 by default. For top-down and bottom-up.
    reach
        How many groups, or leaves of the index, to examine as partners of a merge; by default chosen by the size of
        the table. For top-down and bottom-up.
    categories
        How Mondrian cuts categories: between branches of the hierarchy, or anywhere in the order of codes.
    refine
        Most rounds of refinement: rows move between groups as long as that lowers the information loss. 0 keeps the
        groups as the method forms them; with Mondrian, equal values then stay together. 2 to 6 by default, fewer for a
        large table.
    seconds
        End refinement after this time. The result then depends on the speed of the machine.
    open_ends
        Publish ranges of numbers without exact extremes, such as `under 20` or `90 and over`: auto, where fewer than k
        rows have the outermost number; or bounds, such as age=20:90,hours=:60. The default is [local] in the recipe.
    suppress
        Whether to suppress outliers, within the recipe's limit, where that costs less information than generalizing
        their group. The default is [local] suppress in the recipe, else yes.
    queries
        Also answer this many random counting queries about three attributes each, and report the error.
    out
        Also write the release: .csv, .csv.gz, .parquet, or .duckdb. It appears only when it is complete and verified.
    json
        Also write the result as JSON to this file; - for standard output.
    quiet
        Print no progress and no result.
    """
    from paranym.cli.options.output import Output
    from paranym.cli.show.local import show_error, show_local, show_local_front, watching
    from paranym.cli.show.release import show_release
    from paranym.cli.terminal import out as terminal
    from paranym.comparison.queries import query_error
    from paranym.errors import BadInput
    from paranym.recipe import Recipe
    from paranym.solve.local import local_front, recode_locally

    output = Output(json=json, quiet=quiet).checked()
    several = read_ks(k)
    if len(several) > 1:
        given = {"--rounds": rounds, "--reach": reach, "--categories": categories, "--seconds": seconds}
        if refused := [
            name for name, value in {**given, "--queries": queries, "--out": out}.items() if value is not None
        ]:
            raise BadInput(f"{refused[0]} takes a single k; --k asks for {len(several)}.")
    target.check(out)
    request = Recipe.read(recipe)
    ends = request.local.ends if open_ends is None else read_ends(open_ends)
    suppresses = request.local.suppress if suppress is None else suppress
    problem = output.problem(request, check=None if out is None else target.check_roles)
    if len(several) > 1:
        with watching(quiet=quiet) as tell:
            front = local_front(
                problem,
                several,
                method=method,
                style=style,
                seed=seed,
                refine=refine,
                suppress=suppresses,
                open_ends=ends,
                tell=tell,
            )
        output.write(front.as_dict)
        if output.is_shown:
            show_local_front(front)
        return
    with watching(quiet=quiet) as tell:
        result = recode_locally(
            problem,
            several[0],
            method=method,
            style=style,
            seed=seed,
            rounds=rounds,
            reach=reach,
            categories=categories,
            refine=refine,
            seconds=seconds,
            suppress=suppresses,
            open_ends=ends,
            tell=tell,
        )
    error = None if queries is None else query_error(problem, result, queries=queries, at_once=3, seed=seed)
    document: dict[str, Any] = result.assessment.as_dict() | (
        {} if error is None else {"count_queries": error.as_dict()}
    )
    released = None
    if out is not None:
        chosen = {
            "method": method,
            "k": several[0],
            "style": style,
            "seed": seed,
            "rounds": rounds,
            "reach": reach,
            "categories": categories,
            "refine": refine,
            "seconds": seconds,
            "suppress": suppresses,
            "open_ends": ends,
        }
        released = target.release(problem, result, out, chosen=chosen, quiet=quiet)
        document["manifest"] = released.manifest
    output.write(lambda: document)
    if output.is_shown:
        show_local(result.assessment, problem)
        if error is not None:
            show_error(error)
        if released is not None:
            terminal.print()
            show_release(released)
