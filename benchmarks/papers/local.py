"""The figures of the utility-based paper (Xu et al.: KDD 2006), made anew beside what its text says about them.

The paper prints no table of results, only plots, and its own weights are lost. Adult is the shipped table with its
hierarchies, or that of another recipe. Certainty penalties are per cell, so that tables of all sizes compare.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import paranym as pn
from paranym.datasets import adult
from paranym.kernels.local_scale import between, span
from paranym.localizing import LocalTable
from paranym.search.local.base import Tuples

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))
from local_reference import Span, TopDown

METHODS = ("mondrian", "bottom-up", "top-down")
WEIGHTS = (8.0, 4.0, 2.0, 1.0)
"""Chosen here: the first attribute matters most."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--adult", type=Path, default=adult(), help="the recipe of the Adult table")
    parser.add_argument("--reference", action="store_true", help="also time the plain-Python reference: minutes")
    asked = parser.parse_args()
    problem = pn.Problem.from_recipe(asked.adult)
    for method in METHODS:  # compile before anything is timed
        pn.recode_locally(synthetic("uniform", 200, 4), 5, method=method)
    figures_6_to_8(problem)
    figure_9()
    figures_10_and_11()
    figure_12()
    figure_13(problem)
    if asked.reference:
        reference(problem)


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


def figures_6_to_8(problem: pn.Problem) -> None:
    print(f"\nFigures 6, 7, 8: {problem}")
    print("paper: bottom-up and top-down clearly below MultiDim in all three; queries about all attributes, and here")
    print("about three of them, since hardly any of the former has a true answer other than zero")
    print(f"{'k':>4} {'method':10} {'penalty':>8} {'dcn':>10} {'count':>7} {'3 attr.':>7} {'sum':>7} {'CPU s':>6}")
    three = problem.attributes[:3]
    total = next(
        (a.name for a, h in zip(problem.schema.quasi_identifiers, problem.hierarchies, strict=True) if h.numbers), None
    )
    for k in (2, 5, 10, 25, 50, 100):
        for method in METHODS:
            result, seconds = timed(problem, k, method)
            found = result.assessment
            count, few = pn.query_error(problem, result), pn.query_error(problem, result, attributes=three)
            added = pn.query_error(problem, result, total_of=total) if total else count
            print(
                f"{k:4} {method:10} {found.ncp_fraction:8.4f} {found.dcn:10,.0f} {percent(count.mean)} "
                f"{percent(few.mean)} {percent(added.mean)} {seconds:6.2f}"
            )


def figure_9() -> None:
    print("\nFigure 9: 10,000 uniform tuples, 4 attributes, k = 10, weights 8, 4, 2, 1 or all 1; error of counting")
    print("paper: weights help where the heavy attributes are asked, and may cost a little where all are")
    weighted, plain = synthetic("uniform", 10_000, 4, WEIGHTS), synthetic("uniform", 10_000, 4)
    for method in ("bottom-up", "top-down"):
        results = [timed(problem, 10, method)[0] for problem in (weighted, plain)]
        for asked in range(1, 5):
            names = [f"a{j + 1}" for j in range(asked)]
            errors = [pn.query_error(plain, result, attributes=names).mean for result in results]
            print(f"{method:10} a1..a{asked}: weighted {percent(errors[0])}  not weighted {percent(errors[1])}")


def figures_10_and_11() -> None:
    print("\nFigures 10, 11: 10,000 tuples, k = 10, by attributes: penalty per cell and discernibility")
    print("paper: top-down slightly better than bottom-up, MultiDim worse, the more so the more attributes")
    for kind in ("uniform", "gaussian"):
        for attributes in (2, 4, 6, 8):
            problem = synthetic(kind, 10_000, attributes)
            found = {method: timed(problem, 10, method)[0].assessment for method in METHODS}
            told = "  ".join(f"{name} {each.ncp_fraction:.4f} {each.dcn:,.0f}" for name, each in found.items())
            print(f"{kind:9} {attributes}: {told}")


def figure_12() -> None:
    print("\nFigure 12: Gaussian tuples, 8 attributes, k = 10: CPU seconds")
    print("paper: up to 100,000 tuples top-down takes less than 6 times as long as MultiDim; bottom-up much longer")
    for rows in (10_000, 30_000, 100_000, 300_000, 1_000_000):
        problem = synthetic("gaussian", rows, 8)
        methods = METHODS if rows <= 30_000 else ("mondrian", "top-down")
        seconds = {method: timed(problem, 10, method)[1] for method in methods}
        told = "  ".join(f"{method} {each:.2f}" for method, each in seconds.items())
        ratio = seconds["top-down"] / seconds["mondrian"]
        print(f"{len(problem.frequency):9,} tuples: {told}  top-down / mondrian {ratio:.1f}")


def figure_13(problem: pn.Problem) -> None:
    print("\nFigure 13: seeds found by repeated farthest tuples, over the largest penalty of any pair")
    print("paper: 97% after 3 rounds, 98.75% after 6")
    for name, each in {"adult": problem, "uniform": synthetic("uniform", 10_000, 8)}.items():
        tuples = LocalTable(each).tuples
        shares = np.mean([seed_shares(tuples, seed) for seed in range(10)], axis=0)
        print(f"{name:8} " + "  ".join(f"{n + 1}: {share:.1%}" for n, share in enumerate(shares)))


def seed_shares(tuples: Tuples, seed: int, size: int = 1000, rounds: int = 6) -> NDArray[np.float64]:
    """For every number of rounds, the penalty of the seeds over the largest, among some tuples drawn at random."""
    some = tuples.positions[tuples.whole(seed).tuples[:size]]
    costs = np.array([[between(tuples.scale, a, b) for b in some] for a in some])
    at, found = 0, []
    for _ in range(rounds):
        found.append(costs[at].max())
        at = int(costs[at].argmax())
    shares: NDArray[np.float64] = np.maximum.accumulate(found) / costs.max()
    return shares


def reference(problem: pn.Problem, k: int = 10) -> None:
    """The same groups by plain Python."""
    tuples = LocalTable(problem).tuples
    result, seconds = timed(problem, k, "top-down")
    tables = [
        [[span(tuples.scale, j, min(a, b), max(a, b)) for b in range(size)] for a in range(size)]
        for j, size in enumerate(tuples.sizes)
    ]
    spans: list[Span] = [lambda low, high, table=table: table[low][high] for table in tables]  # type: ignore[misc]
    order = tuples.whole(0).tuples.tolist()
    members = [(tuple(tuples.positions[t].tolist()), int(tuples.counts[t])) for t in order]
    begun = time.process_time()
    slow = TopDown(spans, k)
    found = slow(members)
    taken = time.process_time() - begun
    penalty = sum(slow.penalty(group) for group in found) / problem.rows / len(tuples.sizes)
    print(f"\nplain Python: {taken:.1f} s, penalty {penalty:.4f}")
    print(f"here: {seconds:.2f} s, penalty {result.assessment.ncp_fraction:.4f}")
    print(f"ratio {taken / seconds:.0f}")


def timed(problem: pn.Problem, k: int, method: str) -> tuple[pn.LocalResult, float]:
    begun = time.process_time()
    result = pn.recode_locally(problem, k, method=method)
    return result, time.process_time() - begun


def percent(share: float | None) -> str:
    return "      -" if share is None else f"{share:7.1%}"


if __name__ == "__main__":
    main()
