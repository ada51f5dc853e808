"""Options and output of `paranym frontier` for cuts."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from paranym.cli.options.levels import read_levels, read_names
from paranym.cli.options.shared import SearchOptions, read_share, read_whole
from paranym.errors import BadInput

if TYPE_CHECKING:
    from collections.abc import Iterator

    from paranym.problem.problem import Problem
    from paranym.results.front import Front, Point
    from paranym.solve.cuts import Evolving

MaybeWhole = Annotated[int | None, Parameter(converter=read_whole)]


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionOptions:
    """How to search cuts; all but `unconstrained` and `granularity` are for nsga2, nsga3, moead and sms-emoa.

    Parameters
    ----------
    problem
        1: weighted k and generalization loss, without suppression. 2: k and loss, within the recipe's suppression limit
        (default). 3: weighted k, generalization loss and suppression loss. 4: k, l and loss.
    population
        Recodings per generation; by default 200, for problems 3 and 4 500.
    generations
        Number of generations; by default 250.
    crossover
        The share of pairs that cross; by default 0.9.
    mutation
        The probability that a bit of an unconstrained attribute's string is flipped; by default 0.1.
    patience
        Stop when the hypervolume has not grown for this many generations; by default never.
    unconstrained
        Attributes whose leaves, in order, may be divided into any intervals, such as age,education, or none; by default
        those of the recipe, or those whose leaves are numbers. All others are generalized by whole subtrees.
    granularity
        The finest levels that are published, such as age=1; by default those of the recipe.
    max_loss
        List only solutions with at most this information loss, such as 30%; by default the recipe's limit.
        The smallest k to list is that of the recipe.
    preferred
        The preferred objective of problem 4: k or l; by default l.
    start
        both: start from the exact front of levels, so that the result matches or dominates it everywhere, and from
        greedy specialization of the top; the default. exact, greedy: from one of them. random: from random cuts alone,
        as in the paper.
    """

    problem: Literal[1, 2, 3, 4] | None = None
    population: MaybeWhole = None
    generations: MaybeWhole = None
    crossover: float | None = None
    mutation: float | None = None
    patience: MaybeWhole = None
    unconstrained: str | None = None
    granularity: str | None = None
    max_loss: str | None = None
    preferred: Literal["k", "l"] | None = None
    start: Literal["both", "exact", "greedy", "random"] | None = None

    @property
    def objectives(self) -> str:
        """The default objectives."""
        return "k,l,loss" if self.problem == 4 else "k,loss"

    def check(self, search: SearchOptions) -> None:
        """Raise if the options do not suit the method."""
        given = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        if search.recoding == "levels" and search.finds_cuts:
            raise BadInput(f"The method {search.method!r} searches cuts; --recoding levels is for exact, for one.")
        if search.finds_cuts:
            given = [name for name in given if name not in ("unconstrained", "granularity")]
        if not search.evolves and given:
            where = "--recoding cuts" if given[0] in ("unconstrained", "granularity") else "--method nsga2"
            raise BadInput(f"--{given[0].replace('_', '-')} is for {where}; the method is {search.method!r}.")
        if search.finds_cuts and search.depth is not None:
            raise BadInput(f"Only the method 'poka' has a depth; the method is {search.method!r}.")
        if self.preferred is not None and self.problem != 4:
            raise BadInput("Only problem 4 prefers k or l.")

    def prove(self, recipe: Path, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "Front":
        """Search cuts by a method that bounds what it does not find, and show the progress."""
        from paranym.recipe import Recipe
        from paranym.search.base import Budget
        from paranym.solve.fronts import approach

        written = Recipe.read(recipe).evolution
        fronts = approach(
            problem,
            recoding="cuts",
            method=search.method,
            unconstrained=written.unconstrained if self.unconstrained is None else _unconstrained(self.unconstrained),
            granularity=written.granularity
            if self.granularity is None
            else read_levels("--granularity", self.granularity),
            budget=Budget(seconds=search.seconds, evaluations=search.evaluations),
            seed=search.seed,
        )
        return _follow(fronts, quiet=quiet)

    def run(self, recipe: Path, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "Front":
        """Search cuts by evolution, and show the progress; options that are not given come from the recipe."""
        from paranym.recipe import Recipe
        from paranym.search.base import Budget
        from paranym.solve.cuts import Evolving

        written = Recipe.read(recipe).evolution
        max_loss = read_share("--max-loss", self.max_loss)

        chosen = {
            name: getattr(self, name)
            for name in ("population", "generations", "crossover", "mutation", "patience", "preferred", "start")
            if getattr(self, name) is not None
        }
        evolving = Evolving(
            problem,
            self.problem or 2,
            algorithm=search.method,
            unconstrained=written.unconstrained if self.unconstrained is None else _unconstrained(self.unconstrained),
            granularity=written.granularity
            if self.granularity is None
            else read_levels("--granularity", self.granularity),
            max_loss=written.max_loss if max_loss is None else max_loss,
            budget=Budget(seconds=search.seconds, evaluations=search.evaluations),
            seed=search.seed,
            **chosen,
        )
        _watch(evolving, self.generations or 250, quiet=quiet)
        return evolving.front()


def show_cuts(front: "Front") -> None:
    """Print a front of cuts as a table, with the number of published values of each attribute."""
    from rich.table import Table
    from rich.text import Text

    from paranym.cli.terminal import out
    from paranym.wording.numbers import tabulated

    names = list(front[0].cuts or ())
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    shows_bounds = front.possible is not None and not front.complete
    for name in ("#", "k", "loss", *(["at least"] if shows_bounds else []), "suppressed", *front.further):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(Text(f"values of {', '.join(names)}"), overflow="fold")
    for number, point in enumerate(front, start=1):
        values = " ".join(str(len(cut.values)) for cut in (point.cuts or {}).values())
        table.add_row(
            str(number),
            f"{point.k:,}",
            tabulated(point.loss_fraction),
            *([_bound(front, point)] if shows_bounds else []),
            f"{point.suppressed:,}",
            *(f"{point.values[name]:.4g}" for name in front.further),
            values,
        )
    out.print(table)
    out.print()
    out.print(
        Text("The last column has the number of published values of each attribute; --json has the cuts.", style="dim")
    )
    out.print(Text(front.summary() + "."))


def _bound(front: "Front", point: "Point") -> str:
    """The least loss that a cut with at least the k of a point can have."""
    from paranym.wording.numbers import tabulated

    bound = front.bound_at(point.k)
    return "proved" if front.is_proved(point) else "" if bound is None else tabulated(bound.loss_fraction)


def _follow(fronts: "Iterator[Front]", *, quiet: bool) -> "Front":
    """Follow a search with its gap; Ctrl-C keeps the best cuts so far, and the bounds on better ones."""
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    from paranym.cli.terminal import notes
    from paranym.wording.numbers import tabulated

    front: Front | None = None
    columns = (
        SpinnerColumn(),
        TextColumn("[bold]{task.description}"),
        TextColumn("{task.fields[points]} points, gap {task.fields[gap]}, {task.fields[evaluated]:,} evaluated"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=notes, disable=quiet, transient=True) as progress:
        task = progress.add_task("searching cuts", total=None, points=0, gap="unknown", evaluated=0)
        try:
            for front in fronts:
                gap = "unknown" if front.gap is None else tabulated(front.gap)
                progress.update(task, points=len(front), gap=gap, evaluated=front.evaluated_nodes)
        except KeyboardInterrupt:
            if front is None:
                raise
            notes.print("Stopped. These are the best cuts so far, with bounds on better ones.", style="yellow")
    if front is None:
        raise AssertionError("a search yields at least one step")
    return front


def _watch(evolving: "Evolving", generations: int, *, quiet: bool) -> None:
    """Follow the search with a progress bar; Ctrl-C keeps the solutions found so far."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from paranym.cli.terminal import notes

    columns = (
        TextColumn("[bold]{task.description}"),
        BarColumn(bar_width=32),
        MofNCompleteColumn(),
        TextColumn("generations, {task.fields[evaluated]} evaluated, {task.fields[points]} points, "),
        TextColumn("hypervolume {task.fields[volume]:.4f}"),
        TimeRemainingColumn(),
    )
    begun = False
    with Progress(*columns, console=notes, disable=quiet, transient=True) as progress:
        task = progress.add_task("evolving", total=generations, evaluated=0, points=0, volume=0.0)
        try:
            for step in evolving:
                begun = True
                progress.update(
                    task,
                    completed=step.generation,
                    evaluated=step.evaluated,
                    points=step.points,
                    volume=step.hypervolume,
                )
        except KeyboardInterrupt:
            if not begun:
                raise
            notes.print("Stopped. These are the solutions found so far.", style="yellow")


def _unconstrained(written: str) -> tuple[str, ...]:
    """Parse `age,education` as names, and `none` as no name at all."""
    return () if written.strip() == "none" else read_names(written)
