"""`paranym local`: local recoding."""

from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter

from paranym.cli.arguments import TargetOptions, Whole, read_whole


def local(
    recipe: Path,
    *,
    k: Whole = 10,
    method: Literal["top-down", "bottom-up", "mondrian", "mondrian-relaxed"] = "top-down",
    style: Literal["range", "label", "set", "mean", "median"] = "range",
    seed: Whole = 0,
    rounds: Annotated[int | None, Parameter(converter=read_whole)] = None,
    reach: Annotated[int | None, Parameter(converter=read_whole)] = None,
    categories: Literal["tree", "codes"] | None = None,
    queries: Annotated[int | None, Parameter(converter=read_whole)] = None,
    out: Path | None = None,
    target: TargetOptions = TargetOptions(),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Gather rows into groups of at least k, each published by values of its own; say what that loses, or release it.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    k
        Every published class has at least so many rows; more if the recipe demands more.
    method
        top-down and bottom-up: the utility-based paper's. mondrian: cuts at medians, equal values stay together;
        mondrian-relaxed: they need not.
    style
        What is published of a group's numbers: their range, the value of their hierarchy, the set of values, the mean
        or the median. Categories become their closest common ancestor, or a set.
    seed
        For what is drawn at random; the same seed gives the same groups.
    rounds
        How often the two seeds of a split are sought farther apart; 3 unless told. Not for Mondrian.
    reach
        How many groups, or leaves of the index, are looked at for a merger; as many as pay unless told. Not for
        Mondrian.
    categories
        Where Mondrian cuts categories: between branches of their tree, or as codes anywhere in its order.
    queries
        Also ask so many random counting queries, each about three attributes, and say how far the answers from the
        groups are off.
    out
        Also release the table: .csv, .csv.gz, .parquet, or .duckdb. It appears only when complete and verified.
    json
        Also write the result as JSON to this file; - for standard output.
    quiet
        No progress, no table.
    """
    from paranym.cli.output import check_target, write_json
    from paranym.cli.show import note_compilation, telling
    from paranym.cli.show import out as terminal
    from paranym.cli.show_local import show_error, show_local, watching
    from paranym.cli.show_release import show_release
    from paranym.workbench.localizing import Problem, recode_locally
    from paranym.workbench.querying import query_error

    check_target(json)
    target.check(out)
    with telling("reading the table", quiet=quiet):
        problem = Problem.from_recipe(recipe)
    note_compilation(quiet=quiet)
    with watching(quiet=quiet) as tell:
        result = recode_locally(
            problem,
            k,
            method=method,
            style=style,
            seed=seed,
            rounds=rounds,
            reach=reach,
            categories=categories,
            tell=tell,
        )
    error = None if queries is None else query_error(problem, result, queries=queries, at_once=3, seed=seed)
    told: dict[str, Any] = result.assessment.as_dict() | ({} if error is None else {"count_queries": error.as_dict()})
    released = None
    if out is not None:
        chosen = {
            "method": method,
            "k": k,
            "style": style,
            "seed": seed,
            "rounds": rounds,
            "reach": reach,
            "categories": categories,
        }
        released = target.release(problem, result, out, chosen=chosen, quiet=quiet)
        told["manifest"] = released.manifest
    if json is not None:
        write_json(told, json)
    if not quiet and str(json) != "-":
        show_local(result.assessment, problem)
        if error is not None:
            show_error(error)
        if released is not None:
            terminal.print()
            show_release(released)
