"""What a good start is worth: problem 2 of the multi-objective paper over several seeds, by hypervolume.

From cuts drawn at random as in the paper, from the exact front of levels, and from greedy specialization as well.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import altair as alt

import paranym as pn
from paranym.plots.axes import dressed
from paranym.plots.saving import save_plot

sys.path.insert(0, str(Path(__file__).parents[1]))
from papers.multiobjective import UNCONSTRAINED, problem


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--generations", type=int, default=250)
    parser.add_argument("--plot", type=Path, help="draw the curves into this file")
    asked = parser.parse_args()
    table = problem(sensitive=False)
    nodes = pn.frontier(table)
    starts: dict[str, Callable[[int], pn.Evolving]] = {
        "drawn at random": lambda seed: evolution(table, asked.generations, seed, "random"),
        "exact front of levels": lambda seed: evolution(table, asked.generations, seed, "exact"),
        "exact front and greedy": lambda seed: evolution(table, asked.generations, seed, "both"),
    }
    runs = {name: pn.rerun(start, range(asked.seeds)) for name, start in starts.items()}
    plain = runs["drawn at random"]
    print(f"The exact front of levels has a hypervolume of {nodes.hypervolume:.4f}.")
    for name, those in runs.items():
        ahead = sum(all(matched(front, point) for point in nodes) for front in those.fronts)
        evaluated = sum(front.evaluated_nodes for front in those.fronts) / len(those.fronts)
        print(f"{name}: {those.reached} after {asked.generations} generations, {evaluated:,.0f} evaluations;", end=" ")
        print(f"more than at random by {those.gain_over(plain)};", end=" ")
        print(f"{ahead} of {asked.seeds} runs match or beat every point of the exact front")
    if asked.plot is not None:
        save_plot(dressed(curves(runs)), asked.plot)


def evolution(table: pn.Problem, generations: int, seed: int, start: str) -> pn.Evolving:
    return pn.Evolving(table, 2, generations=generations, unconstrained=UNCONSTRAINED, start=start, seed=seed)


def matched(front: pn.Front, node: pn.Point) -> bool:
    return any(point.k >= node.k and point.loss <= node.loss * (1 + 1e-9) for point in front)


def curves(runs: dict[str, pn.Runs]) -> alt.LayerChart:
    """The mean hypervolume by generation, and the band that it lies in with a confidence of 95%."""
    rows = [
        {"start": name, "generation": number, "mean": step.mean, "low": step.low, "high": step.high}
        for name, those in runs.items()
        for number, step in enumerate(those.by_generation())
    ]
    base = alt.Chart(alt.InlineData(values=rows)).encode(
        x=alt.X("generation:Q", title="generation"),
        color=alt.Color("start:N", sort=list(runs), title=None),
    )
    axis = alt.Y("mean:Q", scale=alt.Scale(zero=False), title="hypervolume, mean and 95% band")
    layers = [base.mark_area(opacity=0.25).encode(y=alt.Y("low:Q", scale=alt.Scale(zero=False)), y2="high:Q")]
    layers.append(base.mark_line().encode(y=axis))
    return alt.LayerChart(layer=layers, title="Problem 2, by what it starts from").properties(width=640, height=380)


if __name__ == "__main__":
    main()
