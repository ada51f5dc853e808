"""Section 7.5 of the multi-objective paper (Dewri, Ray, Ray, Whitley): its questions, its answers, and ours.

Adult, nine attributes as in section 6.5, general loss, at most 10% of the rows suppressed where any may be. The paper
prints no hierarchies and no granularity of age; ours are those of the POkA paper's heights, occupation that of
Incognito's, and single years of age.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import pyarrow.compute as pc
from pyarrow import csv

import paranym as pn
from paranym.plots.axes import dressed
from paranym.plots.class_sizes import sizes_plot
from paranym.plots.objectives import objectives_plot
from paranym.plots.saving import save_plot
from paranym.search.cuts.formulations.base import D1, D2, GL, LOSS, Property
from paranym.search.cuts.formulations.safety import Safety
from paranym.solve.cuts import Evolving
from paranym.solve.starts import Start

sys.path.insert(0, str(Path(__file__).parents[1]))
from measure import SHARED

HIERARCHIES = {
    "age": "poka",
    "workclass": "poka",
    "education": "poka",
    "marital-status": "poka",
    "race": "poka",
    "sex": "poka",
    "native-country": "poka",
    "salary-class": "poka",
    "occupation": "incognito",
}
Figures = dict[str, Sequence[alt.LayerChart | alt.Chart]]
UNCONSTRAINED = ("age", "education", "race", "sex", "salary-class")
SAFE = {0.20: [(20, 4)], 0.21: [(20, 5), (22, 3), (18, 6)], 0.30: [(15, 7)]}
"""Problem 4, l desired more: what the paper has within each loss."""


class AsPrinted(Safety):
    """Problem 4 as the paper has it: what the first class that stays reaches is taken for what the table reaches."""

    @property
    def selects(self) -> tuple[str, ...]:
        return (D1, D2, GL)

    @property
    def lists(self) -> tuple[str, ...]:
        return (D1, D2, LOSS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--generations", type=int, default=250, help="the paper's 250 by default")
    parser.add_argument("--population", type=int, help="the paper's 200 or 500 by default")
    parser.add_argument("--problems", type=int, nargs="*", default=[1, 2, 3, 4])
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--algorithm", default="nsga2")
    parser.add_argument(
        "--start", choices=list(Start), default=Start.RANDOM, help="drawn at random as in the paper by default"
    )
    parser.add_argument("--age", type=int, default=1, help="age in units of so many years, which lose nothing")
    parser.add_argument("--hierarchies", choices=["arx", "incognito", "none"], help="of another source, or no trees")
    parser.add_argument(
        "--as-printed", action="store_true", help="problem 4 by d1 and d2 of the first class that stays"
    )
    parser.add_argument("--preferred", choices=["k", "l"], default="l", help="what is desired more in problem 4")
    parser.add_argument("--plots", type=Path, help="draw the paper's figures into this folder")
    asked = parser.parse_args()
    answers: dict[int, Callable[[pn.Front], None]] = {1: zero, 2: limited, 3: unlimited, 4: safe}
    for number in asked.problems:
        table = problem(sensitive=number == 4, age=asked.age, hierarchies=asked.hierarchies)
        begin, spent = time.perf_counter(), time.process_time()
        evolving = Evolving(
            table,
            AsPrinted(preferred=Property(asked.preferred)) if asked.as_printed and number == 4 else number,
            preferred=asked.preferred,
            algorithm=asked.algorithm,
            population=asked.population,
            generations=asked.generations,
            unconstrained=table.attributes if asked.hierarchies == "none" else UNCONSTRAINED,
            start=asked.start,
            seed=asked.seed,
        )
        last = list(evolving)[-1]
        taken, spent = time.perf_counter() - begin, time.process_time() - spent
        print(
            f"\nProblem {number}: {last.evaluated:,} recodings in {taken:.0f} s ({spent:.0f} s on all cores, "
            f"{1000 * spent / last.evaluated:.2f} ms each), {last.points} points, hypervolume {last.hypervolume:.4f}",
            flush=True,
        )
        front = evolving.front()
        answers[number](front)
        if asked.plots is not None:
            draw(number, table, front, asked.preferred, asked.plots)


def problem(*, sensitive: bool, age: int = 1, hierarchies: str | None = None) -> pn.Problem:
    """The table; in problem 4 the occupation is sensitive. Age in units of several years is coarsened before."""
    names = [name for name in HIERARCHIES if not (sensitive and name == "occupation")]
    folder = SHARED / "data"
    trees: dict[str, Any] = {
        name: folder / "hierarchies" / source(name, hierarchies) / f"adult_hierarchy_{name}.csv" for name in names
    }
    table = csv.read_csv(folder / "adult_30162.csv")
    if hierarchies == "none":
        trees |= {name: by_frequency(table[name].to_pylist()) for name in names if name != "age"}
    if age > 1:
        coarse = pc.multiply(pc.divide(table["age"], age), age)
        table = table.set_column(table.schema.get_field_index("age"), "age", coarse)
        trees["age"] = {"intervals": [2 * age, 4 * age, 8 * age]}
    return pn.Problem(
        table,
        quasi_identifiers=trees,
        sensitive=["occupation"] if sensitive else [],
        suppression=0.1,
        objectives=("k", "l", "loss") if sensitive else ("k", "loss"),
    )


def source(attribute: str, hierarchies: str | None) -> str:
    """The folder of an attribute's hierarchy."""
    return HIERARCHIES[attribute] if hierarchies in (None, "none") else hierarchies


def by_frequency(values: Sequence[str]) -> list[list[str]]:
    """No tree: any values that are neighbours by how often they occur can be published as one."""
    return [[value, "*"] for value, _ in Counter(values).most_common()]


def draw(number: int, table: pn.Problem, front: pn.Front, preferred: str, folder: Path) -> None:
    """The figures of section 7, each as a picture."""
    folder.mkdir(parents=True, exist_ok=True)
    suffix = f"-{preferred}-desired-more" if number == 4 else ""
    for name, panels in FIGURES[number](table, front).items():
        side_by_side = alt.hconcat(*panels).resolve_scale(color="independent")
        save_plot(dressed(side_by_side), folder / f"{name}{suffix}.png")


def figure_6(table: pn.Problem, front: pn.Front) -> Figures:
    ends = [min(front, key=lambda point: abs(point.loss_fraction - loss)) for loss in (0.1, 0.22, 0.5)]
    sizes = {f"{end.loss_fraction:.0%} loss": pn.class_sizes(table, end.solutions[0]) for end in ends}
    curve = pn.fit(front, privacy="weighted_k")
    plain = objectives_plot(front.points, axes=("weighted_k", "loss"), title="Problem 1", curve=curve)
    return {"figure-6": [plain, sizes_plot(sizes, title="Rows in classes of at most so many")]}


def figure_7(table: pn.Problem, front: pn.Front) -> Figures:
    parts = {"all": table.rows, "k up to 300": 300, "k up to 30": 30}
    return {
        "figure-7": [
            objectives_plot([p for p in front if p.k <= most], axes=("k", "loss"), title=f"Problem 2, {name}")
            for name, most in parts.items()
        ]
    }


def figures_8_and_9(_: pn.Problem, front: pn.Front) -> Figures:
    few = [point for point in front if point.values["sl"] <= 0.2]
    fine = [point for point in front if point.values["gl"] <= 0.3]
    return {
        "figure-8": [objectives_plot(front.points, axes=("weighted_k", "gl", "sl"), title="Problem 3")],
        "figure-9": [
            objectives_plot(few, axes=("weighted_k", "gl", "sl"), title="At most 20% suppression loss"),
            objectives_plot(fine, axes=("weighted_k", "sl", "gl"), title="At most 30% generalization loss"),
        ],
    }


def figures_10_and_11(_: pn.Problem, front: pn.Front) -> Figures:
    panels = [
        objectives_plot(
            [point for point in front if point.loss_fraction <= loss],
            axes=(*front.objectives[:2], "loss"),
            title=f"Problem 4, at most {loss:.0%} lost",
        )
        for loss in (0.3, 0.2, 0.21)
    ]
    return {"figure-10": panels[:1], "figure-11": panels[1:]}


FIGURES = {1: figure_6, 2: figure_7, 3: figures_8_and_9, 4: figures_10_and_11}


def zero(front: pn.Front) -> None:
    best = max((point.weighted_k for point in front if point.loss_fraction <= 0.22), default=0.0)
    least = min(point.loss_fraction for point in front if point.weighted_k >= 2528)
    print(f"  weighted k at 22% loss: paper 2528, here {best:.0f}; 2528 cost {least:.1%}")


def limited(front: pn.Front) -> None:
    for loss, paper in ((0.25, 14), (0.26, 36)):
        best = max((point.k for point in front if point.loss_fraction <= loss), default=0)
        least = min(point.loss_fraction for point in front if point.k >= paper)
        print(f"  k at {loss:.0%} loss, 10% suppressed: paper {paper}, here {best}; {paper} alike cost {least:.1%}")


def unlimited(front: pn.Front) -> None:
    near = [point for point in front if point.values["gl"] <= 0.35 and point.values["sl"] <= 0.17]
    best = max(near, key=lambda point: point.weighted_k, default=None)
    told = "nothing" if best is None else _three(best)
    print(f"  within GL 35% and SL 17%: paper a weighted k near 5000, here {told}")
    wide = min((point for point in front if point.weighted_k >= 5000), key=lambda point: point.loss, default=None)
    print(f"  weighted k of 5000 at the least loss: here {'nothing' if wide is None else _three(wide)}")


def safe(front: pn.Front) -> None:
    for loss, paper in SAFE.items():
        names = front.objectives[:2]
        within = [point for point in front if point.loss_fraction <= loss]
        here = _largest((int(point.values.get(names[0], point.k)), int(point.values[names[1]])) for point in within)
        matched = [any(k >= a and diverse >= b for k, diverse in here) for a, b in paper]
        print(f"  (k,l) within {loss:.0%} loss: paper {paper}, matched {matched}; here {here}")


def _three(point: pn.Point) -> str:
    return f"{point.weighted_k:.0f} (GL {point.values['gl']:.1%}, SL {point.values['sl']:.1%})"


def _largest(pairs: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those that no other one beats."""
    known = set(pairs)
    return sorted(p for p in known if not any(q != p and q[0] >= p[0] and q[1] >= p[1] for q in known))


if __name__ == "__main__":
    main()
