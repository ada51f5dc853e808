"""`paranym ask`: a question to the trade-off."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.arguments import SearchOptions, Whole, read_share


def ask(
    recipe: Path,
    *,
    max_loss: str | None = None,
    min_k: Whole | None = None,
    max_suppression: str | None = None,
    search: SearchOptions = SearchOptions(),
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Say which choice suits best: the best k within a loss, the least loss for a k, or one between both limits.

    With neither, say what the whole trade-off looks like.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    max_loss
        How much of the information may be lost, such as 25% or 0.25.
    min_k
        Everyone shall be one of at least so many alike.
    max_suppression
        At most this share of the rows may be left out, such as 5% or 0.05; instead of what the recipe says.
    json
        Also write the answer as JSON to this file; - for standard output.
    quiet
        No progress, no sentences.
    """
    from textwrap import fill

    from rich.text import Text

    from paranym.choice import Question, answer, describe
    from paranym.cli.output import check_target, write_json
    from paranym.cli.show import note_compilation, out, telling, watch
    from paranym.workbench import Problem

    question = Question(
        max_loss=read_share("--max-loss", max_loss),
        min_k=min_k,
        max_suppression=read_share("--max-suppression", max_suppression),
    )
    check_target(json)
    with telling("reading the table", quiet=quiet):
        problem = Problem.from_recipe(recipe)
    recipe_limit = problem.suppression.limit(problem.rows)
    if question.max_suppression is not None:
        problem = problem.with_suppression(question.max_suppression)  # another limit has another front
    note_compilation(quiet=quiet)
    front = watch(search.approach(problem), quiet=quiet)
    told = describe(front) if question.is_open else answer(front, question)
    if json is not None:
        write_json(told.as_dict(), json)
    if quiet or str(json) == "-":
        return
    sentences = list(told.sentences())
    if front.suppression_limit != recipe_limit:
        sentences.append(
            f"The limit for rows left out is yours, {max_suppression} ({front.suppression_limit:,} rows); "
            f"the recipe allows {recipe_limit:,}."
        )
    out.print(Text(sentences[0], style="bold"))
    for sentence in sentences[1:]:
        out.print(Text(fill(sentence, out.width, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False)))
