"""Cuts of the hierarchies: what one costs, beside a node of as many classes and beside the same loop in pandas."""

import time

import numpy as np
import pandas as pd
from measure import report, seconds

import paranym as pn
from paranym.datasets import adult
from paranym.evaluation.cuts import CutEvaluator
from paranym.measures.loss.glm import GeneralLoss
from paranym.model.cuts import Bits, CutSpace

UNCONSTRAINED = ("age", "education", "race", "sex", "salary-class")
CUTS, IN_PANDAS = 200, 20


def main() -> None:
    problem = pn.Problem.from_recipe(adult()).with_suppression(0.1)
    space = CutSpace.of(problem.hierarchies, unconstrained=UNCONSTRAINED)
    nodes = problem.lattice.unrank(np.random.default_rng(1).permutation(problem.lattice.size)[:CUTS])
    as_cuts = np.array([space.at_levels(levels) for levels in nodes.tolist()])
    drawn = space.draw(CUTS, np.random.default_rng(1))
    single, both = (evaluator(problem, space, cores) for cores in (1, 2))
    by_node = problem.evaluator(cores=1)
    rows = pd.DataFrame(problem.frequency.codes.repeat(problem.frequency.counts, axis=0))
    check(in_pandas(rows, space, drawn[:IN_PANDAS], problem), single, drawn[:IN_PANDAS])
    node, same, cut, slow = seconds(
        lambda: by_node(nodes),
        lambda: single.assess(as_cuts),
        lambda: single.assess(drawn),
        lambda: in_pandas(rows, space, drawn[:IN_PANDAS], problem),
        runs=7,
        clock=time.process_time,
    )
    alone, shared = seconds(lambda: single.assess(drawn), lambda: both.assess(drawn), runs=15)
    report("a cut drawn at random, processor time", 1000 * cut / CUTS, " ms")
    report("the same in pandas", 1000 * slow / IN_PANDAS, " ms")
    report("nodes as cuts / the same nodes from their store", same / node, "x", bar=2)
    report("this / pandas groupby, one core, share", cut / CUTS / (slow / IN_PANDAS), "", bar=1 / 30)
    report("pandas / this, one core", slow / IN_PANDAS / (cut / CUTS), "x")
    report("cuts: one core / two cores, by the clock on the wall", alone / shared, "x")
    evolved(problem)
    proved(problem)


def proved(problem: pn.Problem) -> None:
    """The complete front over all cuts by trees, with its proof, on one core."""
    pn.frontier(problem.with_suppression(0.5), recoding="cuts", unconstrained=["age"], budget=pn.Budget(seconds=1))
    for share in (0.0, 0.01, 0.05, 0.1):
        begin = time.process_time()
        front = pn.frontier(problem.with_suppression(share), recoding="cuts", unconstrained=[], cores=1)
        spent = time.process_time() - begin
        report(f"best cuts for every k, {share:.0%} suppressed, {len(front)} points, processor time", spent, " s")
        if not front.complete:
            raise AssertionError("the front over cuts by trees is not proved")


def evolved(problem: pn.Problem) -> None:
    """The whole of evolution, with the paper's settings for problem 2, to 50,000 evaluations."""
    pn.evolve(problem, 2, unconstrained=UNCONSTRAINED, start="random", generations=1)  # imports and compiles
    begin, spent = time.perf_counter(), time.process_time()
    evolving = pn.Evolving(problem, 2, unconstrained=UNCONSTRAINED, start="random", generations=270, seed=7)
    last = list(evolving)[-1]
    taken, spent = time.perf_counter() - begin, time.process_time() - spent
    report(f"evolution, {last.evaluated:,} evaluations", taken, " s")
    report("evolution, processor time per evaluation", 1000 * spent / last.evaluated, " ms")
    report("evolution, cores in use (fewer where others compete for them)", spent / taken, "")


def evaluator(problem: pn.Problem, space: CutSpace, cores: int) -> CutEvaluator:
    return CutEvaluator(problem.frequency, space, GeneralLoss(), problem.suppression, cores=cores)


def in_pandas(rows: pd.DataFrame, space: CutSpace, drawn: Bits, problem: pn.Problem) -> list[tuple[int, float]]:
    """The same loop with a groupby: map every column, group the rows, suppress what may be, add up the loss."""
    found = []
    limit, worst = problem.suppression.limit(problem.rows), problem.rows * len(space.attributes)
    for bits in drawn:
        codes = {j: cuts.codes(part)[rows[j].to_numpy()] for j, (cuts, part) in enumerate(space.parts(bits))}
        charges = np.zeros(len(rows))
        for j, (cuts, part) in enumerate(space.parts(bits)):
            leaves = np.bincount(cuts.codes(part))
            charges += ((leaves - 1) / (cuts.units - 1))[codes[j]]
        frame = pd.DataFrame(codes).assign(charge=charges)
        classes = frame.groupby(list(codes), sort=False)["charge"].agg(["size", "sum"])
        by_size = classes.groupby("size")["size"].sum().cumsum()
        k = int(by_size.index[by_size > limit][0])
        kept = classes[classes["size"] >= k]
        lost = (problem.rows - int(kept["size"].sum())) * len(space.attributes)
        found.append((k, (float(kept["sum"].sum()) + lost) / worst))
    return found


def check(slow: list[tuple[int, float]], fast: CutEvaluator, drawn: Bits) -> None:
    """Both loops say the same."""
    steps = fast.assess(drawn)
    last = np.flatnonzero(np.append(np.diff(steps.levels[:, 0]) > 0, True))
    assert steps.k[last].tolist() == [k for k, _ in slow]
    assert np.allclose(steps.loss[last] / fast.worst, [loss for _, loss in slow])


if __name__ == "__main__":
    main()
