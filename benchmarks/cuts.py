"""Cuts of the hierarchies: what one costs, beside a node of as many classes and beside the same loop in pandas."""

import numpy as np
import pandas as pd
from measure import report, seconds

import paranym as pn
from paranym.cutting import CutEvaluator
from paranym.datasets import adult
from paranym.measures.loss.glm import GeneralLoss
from paranym.model.cuts import Bits, CutSpace

UNCONSTRAINED = ("age", "education", "race", "sex", "salary-class")
CUTS = 200


def main() -> None:
    problem = pn.Problem.from_recipe(adult()).with_suppression(0.1)
    space = CutSpace.of(problem.hierarchies, unconstrained=UNCONSTRAINED)
    nodes = problem.lattice.unrank(np.random.default_rng(1).permutation(problem.lattice.size)[:CUTS])
    as_cuts = np.array([space.at_levels(levels) for levels in nodes.tolist()])
    drawn = space.draw(CUTS, np.random.default_rng(1))
    single, both = (evaluator(problem, space, cores) for cores in (1, 2))
    by_node = problem.evaluator(cores=1)
    node, same, cut, cut_both = seconds(
        lambda: by_node(nodes),
        lambda: single.assess(as_cuts),
        lambda: single.assess(drawn),
        lambda: both.assess(drawn),
        runs=5,
    )
    frame = pd.DataFrame(problem.frequency.codes.repeat(problem.frequency.counts, axis=0))
    [slow] = seconds(lambda: in_pandas(frame, space, drawn[:10]), runs=3)
    report("a cut drawn at random, one core", 1000 * cut / CUTS, " ms")
    report("nodes as cuts / the same nodes from their store", same / node, "x", bar=2)
    report("cuts: one core / two cores", cut / cut_both, "x")
    report("this / pandas groupby, one core, share", cut / CUTS / (slow / 10), "", bar=1 / 30)
    report("pandas / this, two cores", slow / 10 / (cut_both / CUTS), "x")


def evaluator(problem: pn.Problem, space: CutSpace, cores: int) -> CutEvaluator:
    return CutEvaluator(problem.frequency, space, GeneralLoss(), problem.suppression, cores=cores)


def in_pandas(rows: pd.DataFrame, space: CutSpace, drawn: Bits) -> list[int]:
    """The smallest class of every cut, by mapping every column and grouping the rows."""
    least = []
    for bits in drawn:
        columns = {j: cuts.codes(part)[rows[j].to_numpy()] for j, (cuts, part) in enumerate(space.parts(bits))}
        least.append(int(pd.DataFrame(columns).groupby(list(columns), sort=False).size().min()))
    return least


if __name__ == "__main__":
    main()
