"""What `paranym frontier --method nsga2` takes and shows."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from cyclopts import Parameter

from paranym.cli.arguments import SearchOptions, read_share, read_whole
from paranym.errors import BadInput

if TYPE_CHECKING:
    from paranym.model.front import Front
    from paranym.workbench import Problem
    from paranym.workbench.evolving import Evolving

MaybeWhole = Annotated[int | None, Parameter(converter=read_whole)]


@Parameter(name="*")
@dataclass(frozen=True, slots=True, kw_only=True)
class EvolutionOptions:
    """How to evolve cuts; for the methods nsga2, nsga3, moead and sms-emoa.

    Parameters
    ----------
    problem
        1: weighted k against generalization loss, nothing suppressed. 2: k against loss within the suppression that the
        recipe allows. 3: weighted k, generalization loss and suppression loss. 4: k, l and loss. By default 2.
    population
        Recodings per generation; by default 200, for problems 3 and 4 500.
    generations
        By default 250.
    crossover
        The share of pairs that cross; by default 0.9.
    mutation
        How likely the string of an unconstrained attribute is to have a bit flipped; by default 0.1.
    patience
        Stop when the hypervolume has not grown for so many generations; by default never.
    unconstrained
        Attributes that are cut into any intervals of the order of their leaves, such as age,education; by default those
        the recipe's, or those whose leaves are numbers. All others are cut where their trees allow.
    granularity
        Levels whose values are the finest that are published, such as age=1; by default the recipe's.
    max_loss
        List nothing that loses a larger share, such as 30%; by default the recipe's. A least k is the recipe's.
    preferred
        What is desired more in problem 4: k or l; by default l.
    start
        exact: begin with the whole front of nodes, so that the result matches or beats it everywhere. greedy: begin
        with greedy specialization from the top. both: with either.
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
    start: Literal["exact", "greedy", "both"] | None = None

    @property
    def objectives(self) -> str:
        """What is traded off unless something else is asked for."""
        return "k,l,loss" if self.problem == 4 else "k,loss"

    def check(self, search: SearchOptions) -> None:
        """Raise unless the options suit the method."""
        given = [field.name for field in fields(self) if getattr(self, field.name) is not None]
        if not search.evolves and given:
            raise BadInput(f"--{given[0].replace('_', '-')} is for --method nsga2; the method is {search.method!r}.")
        if search.evolves and search.depth is not None:
            raise BadInput(f"Only the method 'poka' has a depth; the method is {search.method!r}.")
        if self.preferred is not None and self.problem != 4:
            raise BadInput("Only problem 4 prefers k or l.")
        if self.start in ("exact", "both") and self.problem == 4:
            raise BadInput("The front of nodes is one of k and loss; problem 4 cannot start from it.")

    def run(self, recipe: Path, problem: "Problem", search: SearchOptions, *, quiet: bool) -> "Front":
        """Evolve, and say how it goes; what is not given is as the recipe has it."""
        from paranym.recipe import Recipe
        from paranym.workbench import Budget, frontier
        from paranym.workbench.evolving import Evolving

        written = Recipe.read(recipe).evolution
        max_loss = read_share("--max-loss", self.max_loss)

        chosen = {
            name: getattr(self, name)
            for name in ("population", "generations", "crossover", "mutation", "patience", "preferred")
            if getattr(self, name) is not None
        }
        evolving = Evolving(
            problem,
            self.problem or 2,
            algorithm=search.method,
            unconstrained=written.unconstrained if self.unconstrained is None else _names(self.unconstrained),
            granularity=written.granularity if self.granularity is None else _levels(self.granularity),
            max_loss=written.max_loss if max_loss is None else max_loss,
            start=frontier(problem) if self.start in ("exact", "both") else None,
            greedy=self.start in ("greedy", "both"),
            budget=Budget(seconds=search.seconds, evaluations=search.evaluations),
            seed=search.seed,
            **chosen,
        )
        _watch(evolving, self.generations or 250, quiet=quiet)
        return evolving.front()


def show_cuts(front: "Front") -> None:
    """Print a front of cuts as a table: how many values of each attribute can still be told apart."""
    from rich.table import Table
    from rich.text import Text

    from paranym.cli.show import out

    names = list(front[0].cuts or ())
    table = Table(box=None, pad_edge=False, header_style="bold", padding=(0, 1))
    for name in ("#", "k", "loss", "suppressed", *front.further):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column(Text(f"values of {', '.join(names)}"), overflow="fold")
    for number, point in enumerate(front, start=1):
        told = " ".join(str(len(cut.values)) for cut in (point.cuts or {}).values())
        table.add_row(
            str(number),
            f"{point.k:,}",
            f"{point.loss_fraction:.2%}",
            f"{point.suppressed:,}",
            *(f"{point.values[name]:.4g}" for name in front.further),
            told,
        )
    out.print(table)
    out.print(Text("\nHow many values of each attribute are told apart; --json has the cuts themselves.", style="dim"))
    out.print(Text(front.summary() + "."))


def _watch(evolving: "Evolving", generations: int, *, quiet: bool) -> None:
    """Follow evolution with a progress bar; Ctrl-C keeps what was found."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from paranym.cli.show import notes

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
            notes.print("Stopped. This is what was found so far.", style="yellow")


def _names(written: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in written.split(",") if name.strip())


def _levels(written: str) -> dict[str, int]:
    """`age=1,education=2` as levels."""
    levels = {}
    for part in _names(written):
        name, _, level = part.rpartition("=")
        if not name or not level.isdecimal():
            raise BadInput(f"--granularity takes levels such as age=1; got {written!r}.")
        levels[name] = int(level)
    return levels
