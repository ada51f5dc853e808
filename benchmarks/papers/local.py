"""The figures of the utility-based paper (Xu et al.: KDD 2006), made anew beside what its text says about them.

The paper prints no table of results, only plots, and its own weights are lost. Adult is the table that it takes, with
eight quasi-identifiers and the hierarchies `arx`; MultiDim is Mondrian with categories as ordered codes. Certainty
penalties are per cell, so that tables of all sizes compare. Seconds are processor time: they depend less on what else a
machine is doing.
"""

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import altair as alt
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import paranym as pn
from paranym.kernels.local.cell_penalty import span
from paranym.kernels.local.seed_splits import measure
from paranym.plots.saving import save_plot
from paranym.search.local.base import Tuples, spare_room
from paranym.solve.local import LocalTable

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from local_reference import Span, TopDown

SHARED = Path(__file__).parents[3] / "shared" / "data"
ADULT = ("age", "workclass", "education", "marital-status", "occupation", "race", "sex", "native-country")
METHODS = ("MultiDim", "bottom-up", "top-down")
KS = (2, 5, 10, 25, 50, 100)
WEIGHTS = (8.0, 4.0, 2.0, 1.0)
"""Chosen here: the first attribute matters most."""

Series = dict[str, list[tuple[float, float]]]
"""By the name of a line: where its points are."""
Draw = Callable[[str, str, str, Series], None]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="6,9,10,12,13,siblings", help="figures, siblings, reference; between commas")
    parser.add_argument("--plots", type=Path, help="where plots go; otherwise a new folder")
    asked = parser.parse_args()
    folder = asked.plots or Path(tempfile.mkdtemp(prefix="paranym-local-"))
    folder.mkdir(parents=True, exist_ok=True)
    for method in METHODS:  # compile before anything is timed
        recode(synthetic("uniform", 200, 4), 5, method)
    parts: dict[str, Callable[[Draw], None]] = {
        "6": figures_6_to_8,
        "9": figure_9,
        "10": figures_10_and_11,
        "12": figure_12,
        "13": figure_13,
        "siblings": siblings,
        "reference": reference,
    }
    for name in asked.only.split(","):
        parts[name](drawing(folder))
    print(f"\nplots: {folder}")


def adult() -> pn.Problem:
    trees = {name: SHARED / "hierarchies" / "arx" / f"adult_hierarchy_{name}.csv" for name in ADULT}
    return pn.Problem(SHARED / "adult_30162.csv", quasi_identifiers=trees)


def synthetic(
    kind: str, rows: int, attributes: int, weights: Sequence[float] | None = None, *, values: int = 16
) -> pn.Problem:
    """Integers from 1 to 16, uniform or Gaussian, as in section 5.2."""
    rng = np.random.default_rng(rows + attributes)
    shape = (rows, attributes)
    if kind == "uniform":
        drawn = rng.integers(1, values + 1, shape)
    else:
        drawn = np.clip(np.rint(rng.normal((values + 1) / 2, values / 5, shape)), 1, values).astype(np.int64)
    names = [f"a{j + 1}" for j in range(attributes)]
    return pn.Problem(
        pa.table({name: drawn[:, j] for j, name in enumerate(names)}),
        quasi_identifiers=names,
        weights=dict(zip(names, weights, strict=True)) if weights else None,
    )


def figures_6_to_8(draw: Draw) -> None:
    problem = adult()
    print(f"\nFigures 6, 7, 8: {problem}")
    print(
        "paper: bottom-up and top-down clearly below MultiDim in all three. Queries: how far half of 1,000 are off, the"
    )
    print("paper's about all attributes (few have a true answer other than zero), then about three drawn at random")
    heads = ("penalty", "dcn", "count", "sum", "count 3", "sum 3", "s")
    print(f"{'k':>4} {'method':10} " + " ".join(f"{head:>{10 if head == 'dcn' else 7}}" for head in heads))
    lines: dict[str, Series] = {"penalty": {}, "dcn": {}, "queries": {}}
    for k in KS:
        for method in METHODS:
            result, seconds = recode(problem, k, method)
            found = result.assessment
            errors = [
                pn.query_error(problem, result, at_once=some, total_of=total).median
                for some in (None, 3)
                for total in (None, "age")
            ]
            told = " ".join(f"{percent(error):>7}" for error in errors)
            print(f"{k:4} {method:10} {found.ncp_fraction:7.4f} {found.dcn:10,.0f} {told} {seconds:7.2f}")
            for name, value in {"penalty": found.ncp_fraction, "dcn": found.dcn, "queries": errors[2] or 0.0}.items():
                lines[name].setdefault(method, []).append((k, value))
    draw("figure-6", "k", "certainty penalty per cell", lines["penalty"])
    draw("figure-7", "k", "discernibility", lines["dcn"])
    draw("figure-8", "k", "median error of counts about three attributes", lines["queries"])


def figure_9(draw: Draw) -> None:
    print("\nFigure 9: 10,000 uniform tuples, 4 attributes, k = 10, weights 8, 4, 2, 1 or all 1; mean error of counts")
    print("paper: weights help where the heavy attributes are asked, and may cost a little where all are")
    weighted, plain = synthetic("uniform", 10_000, 4, WEIGHTS), synthetic("uniform", 10_000, 4)
    lines: Series = {}
    for method in ("bottom-up", "top-down"):
        for name, problem in {"weighted": weighted, "not weighted": plain}.items():
            result, _ = recode(problem, 10, method)
            for asked in range(1, 5):
                error = pn.query_error(problem, result, attributes=[f"a{j + 1}" for j in range(asked)]).mean
                lines.setdefault(f"{method}, {name}", []).append((asked, error or 0.0))
    for name, points in lines.items():
        print(f"{name:24} " + "  ".join(f"a1..a{asked:.0f} {error:.1%}" for asked, error in points))
    draw("figure-9", "attributes asked", "mean error", lines)


def figures_10_and_11(draw: Draw) -> None:
    print("\nFigures 10, 11: 10,000 tuples, k = 10, by attributes: penalty per cell and discernibility")
    print("paper: top-down slightly better than bottom-up, MultiDim worse, the more so the more attributes")
    for kind in ("uniform", "gaussian"):
        penalties: Series = {}
        sizes: Series = {}
        for attributes in (2, 4, 6, 8):
            problem = synthetic(kind, 10_000, attributes)
            found = {method: recode(problem, 10, method)[0].assessment for method in METHODS}
            told = "  ".join(f"{name} {each.ncp_fraction:.4f} {each.dcn:,.0f}" for name, each in found.items())
            print(f"{kind:9} {attributes}: {told}")
            for method, each in found.items():
                penalties.setdefault(method, []).append((attributes, each.ncp_fraction))
                sizes.setdefault(method, []).append((attributes, each.dcn))
        draw(f"figure-10-{kind}", "attributes", "certainty penalty per cell", penalties)
        draw(f"figure-11-{kind}", "attributes", "discernibility", sizes)


def figure_12(draw: Draw) -> None:
    print("\nFigure 12: Gaussian tuples, 8 attributes, k = 10: seconds")
    print("paper: up to 100,000 tuples top-down takes less than 6 times as long as MultiDim; bottom-up much longer")
    lines: Series = {}
    for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000):
        problem = synthetic("gaussian", rows, 8)
        methods = METHODS if rows <= 100_000 else ("MultiDim", "top-down")
        found = {method: recode(problem, 10, method) for method in methods}
        told = "  ".join(
            f"{method} {seconds:.2f} s, penalty {result.assessment.ncp_fraction:.4f}"
            for method, (result, seconds) in found.items()
        )
        ratio = found["top-down"][1] / found["MultiDim"][1]
        print(f"{len(problem.frequency):9,} tuples: {told}; top-down / MultiDim {ratio:.1f}")
        for method, (_, seconds) in found.items():
            lines.setdefault(method, []).append((rows, seconds))
    draw("figure-12", "tuples", "seconds", lines)


def figure_13(draw: Draw) -> None:
    print(
        "\nFigure 13: seeds found by repeated farthest tuples, over the largest penalty of any pair; mean of 10 draws"
    )
    print("paper: 97% after 3 rounds, 98.75% after 6")
    lines: Series = {}
    tables = {"adult": adult(), **{kind: synthetic(kind, 10_000, 8) for kind in ("uniform", "gaussian")}}
    for name, each in tables.items():
        tuples = LocalTable(each).tuples
        shares = np.mean([seed_shares(tuples, seed) for seed in range(10)], axis=0)
        print(f"{name:8} " + "  ".join(f"{n + 1}: {share:.1%}" for n, share in enumerate(shares)))
        lines[name] = [(n + 1, share) for n, share in enumerate(shares.tolist())]
    draw("figure-13", "rounds", "share of the largest penalty", lines)


def seed_shares(tuples: Tuples, seed: int, size: int = 1000, rounds: int = 6) -> NDArray[np.float64]:
    """For every number of rounds, the penalty of the seeds over the largest, among some tuples drawn at random."""
    some, spare = tuples.positions[tuples.whole(seed).tuples[:size]], spare_room(tuples)
    costs = np.empty((len(some), len(some)))
    for number in range(len(some)):
        measure(tuples.scale, some, number, spare, costs[number])
    at, found = 0, []
    for _ in range(rounds):
        found.append(costs[at].max())
        at = int(costs[at].argmax())
    shares: NDArray[np.float64] = np.maximum.accumulate(found) / costs.max()
    return shares


def siblings(_: Draw) -> None:
    print("\nAdjustment among siblings, k = 10: groups looked at on either side, penalty, seconds")
    for name, problem in {"adult": adult(), "gaussian": synthetic("gaussian", 30_000, 8)}.items():
        everywhere = recode(problem, 10, "top-down", reach=10**9)[0].assessment.ncp_fraction
        for reach in (16, 64, 256, 10**9):
            result, seconds = recode(problem, 10, "top-down", reach=reach)
            penalty = result.assessment.ncp_fraction
            looked = "all" if reach == 10**9 else str(reach)
            print(f"{name:8} {looked:>4}: {penalty:.4f} ({penalty / everywhere - 1:+.1%}) {seconds:.2f} s")


def reference(_: Draw, k: int = 10) -> None:
    """The same groups by plain Python: minutes."""
    problem = adult()
    tuples = LocalTable(problem).tuples
    result, seconds = recode(problem, k, "top-down")
    tables = [
        [[span(tuples.scale, j, min(a, b), max(a, b)) for b in range(size)] for a in range(size)]
        for j, size in enumerate(tuples.sizes)
    ]
    spans: list[Span] = [lambda low, high, table=table: table[low][high] for table in tables]  # type: ignore[misc]
    order = tuples.whole(0).tuples.tolist()
    members = [(tuple(tuples.positions[t].tolist()), int(tuples.counts[t])) for t in order]
    slow = TopDown(spans, k)
    begun = time.process_time()
    halved = slow.halved(members)
    print(f"\nplain Python: {time.process_time() - begun:.1f} s for halving; adjusting...", flush=True)
    found = slow.adjusted(halved)
    taken = time.process_time() - begun
    penalty = sum(slow.penalty(group) for group in found) / problem.rows / len(tuples.sizes)
    print(f"plain Python: {taken:.1f} s, penalty {penalty:.4f}")
    print(f"here: {seconds:.2f} s, penalty {result.assessment.ncp_fraction:.4f}; ratio {taken / seconds:.0f}")


def recode(problem: pn.Problem, k: int, method: str, reach: int | None = None) -> tuple[pn.LocalResult, float]:
    begun = time.process_time()
    if method == "MultiDim":
        result = pn.recode_locally(problem, k, method="mondrian", categories="codes", suppress=False, refine=0)
    else:
        result = pn.recode_locally(problem, k, method=method, reach=reach, suppress=False, refine=0)
    return result, time.process_time() - begun


def drawing(folder: Path) -> Draw:
    def draw(name: str, x: str, y: str, series: Series) -> None:
        values = [{"x": a, "y": b, "line": line} for line, points in series.items() for a, b in points]
        wide = max(a for points in series.values() for a, _ in points) >= 50
        chart = alt.Chart(alt.InlineData(values=values)).encode(
            x=alt.X("x:Q", title=x, scale=alt.Scale(type="log" if wide else "linear", zero=False)),
            y=alt.Y("y:Q", title=y, scale=alt.Scale(type="log" if y in ("seconds", "discernibility") else "linear")),
            color=alt.Color("line:N", title=None),
            shape=alt.Shape("line:N", title=None),
        )
        save_plot(
            (chart.mark_line() + chart.mark_point(size=60)).properties(width=420, height=280), folder / f"{name}.png"
        )

    return draw


def percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.1%}"


if __name__ == "__main__":
    main()
