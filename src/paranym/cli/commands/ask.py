"""`paranym ask`: the best solution of the front within limits."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from paranym.cli.options.shared import SearchOptions, Whole, read_share


def ask(
    recipe: Path,
    *,
    max_loss: str | None = None,
    min_k: Whole | None = None,
    max_suppression: str | None = None,
    search: SearchOptions = SearchOptions(),
    unconstrained: str | None = None,
    json: Path | None = None,
    quiet: Annotated[bool, Parameter(negative=())] = False,
) -> None:
    """Find the best solution: the largest k within a loss, the least loss for a k, or between both limits.

    Without limits, describe the whole front.

    Parameters
    ----------
    recipe
        The recipe, a TOML file.
    max_loss
        The largest information loss to accept, such as 25% or 0.25.
    min_k
        The smallest k to accept.
    max_suppression
        The largest share of rows to suppress, such as 5% or 0.05, instead of the recipe's.
    unconstrained
        With --recoding cuts: attributes that are cut into any intervals of their order, such as age, or none; by
        default those of the recipe, or those whose leaves are numbers.
    json
        Also write the answer as JSON to this file; - for standard output.
    quiet
        Print no progress and no result.
    """
    from textwrap import wrap

    from rich.text import Text

    from paranym.choice import Question, answer, describe
    from paranym.cli.options.evolution import EvolutionOptions
    from paranym.cli.options.output import Output
    from paranym.cli.show.front import watch
    from paranym.cli.terminal import out

    question = Question(
        max_loss=read_share("--max-loss", max_loss),
        min_k=min_k,
        max_suppression=read_share("--max-suppression", max_suppression),
    )
    output = Output(json=json, quiet=quiet).checked()
    EvolutionOptions(unconstrained=unconstrained).check(search)
    problem = output.problem(recipe)
    recipe_limit = problem.suppression.limit(problem.rows)
    if question.max_suppression is not None:
        problem = problem.with_suppression(question.max_suppression)  # another limit has another front
    if search.finds_cuts and not search.evolves:
        front = EvolutionOptions(unconstrained=unconstrained).prove(recipe, problem, search, quiet=quiet)
    else:
        front = watch(search.approach(problem), quiet=quiet)
    result = describe(front) if question.is_open else answer(front, question)
    output.write(result.as_dict)
    if not output.is_shown:
        return
    sentences = list(result.sentences())
    if front.suppression_limit != recipe_limit:
        sentences.append(
            f"The suppression limit is yours, {max_suppression} ({front.suppression_limit:,} rows); "
            f"the recipe allows {recipe_limit:,}."
        )
    out.print(Text(sentences[0], style="bold"))
    for sentence in sentences[1:]:
        for line in wrap(sentence, out.width, initial_indent="- ", subsequent_indent="  ", break_on_hyphens=False):
            out.print(Text(line))
