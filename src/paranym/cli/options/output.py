"""The first and the last steps that commands share: outputs checked, table read, results written."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from paranym.problem.problem import Problem
    from paranym.recipe import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """The destinations of a result: a JSON file, a plot, and the terminal unless `quiet`."""

    json: Path | None
    quiet: bool
    plot: Path | None = None

    def checked(self) -> Self:
        """Raise now, instead of after a long search, if a file cannot be written."""
        from paranym.cli.options.files import check_target

        check_target(self.json)
        check_target(self.plot)
        if self.plot is not None:
            from paranym.plots.saving import check_drawing, check_plot_format

            check_plot_format(self.plot)
            check_drawing()
        return self

    @property
    def is_shown(self) -> bool:
        """True if the result is also shown: standard output holds either JSON or text for people."""
        return not self.quiet and str(self.json) != "-"

    def problem(
        self,
        recipe: "Recipe | Path",
        *,
        objectives: Sequence[str] = ("k", "loss"),
        memory: str | None = None,
        check: "Callable[[Problem], object] | None" = None,
    ) -> "Problem":
        """Read and count the table of a recipe; `check` it before anything is compiled or searched."""
        from paranym.cli.show.front import note_compilation, showing_progress
        from paranym.problem.problem import Problem

        with showing_progress("reading the table", quiet=self.quiet):
            problem = Problem.from_recipe(recipe, objectives=objectives, memory=memory)
        if check is not None:
            check(problem)
        note_compilation(quiet=self.quiet)
        return problem

    def write(self, result: Callable[[], dict[str, Any]]) -> None:
        """Write a result as JSON if requested; `result` is called only then."""
        from paranym.cli.options.files import write_json

        if self.json is not None:
            write_json(result(), self.json)
