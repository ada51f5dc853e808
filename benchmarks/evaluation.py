"""Evaluating every node of the Adult lattice: what rolling up buys, what the second core buys, memory."""

from functools import partial

from measure import peak_memory, report, seconds

from paranym.datasets import adult
from paranym.evaluation.nodes import Evaluator
from paranym.problem import Problem
from paranym.search.base import Space
from paranym.search.lattice.exhaustive import exhaustive

WHOLE_JOB = """
import paranym as pn
from paranym.datasets import adult
pn.frontier(pn.Problem.from_recipe(adult()), method="exhaustive")
"""


def main() -> None:
    report("peak memory of the whole job (import, read, 17,920 nodes, front)", peak_memory(WHOLE_JOB), " MB", bar=500)
    problem = Problem.from_recipe(adult())
    space = Space(problem.lattice, problem.rows, one_step=False, surcharge_falls=True)

    def evaluator(*, cores: int, cache_bytes: int | None) -> Evaluator:
        return Evaluator(
            problem.frequency,
            problem.hierarchies,
            problem.loss,
            problem.suppression,
            cores=cores,
            cache_bytes=cache_bytes,
        )

    def sweep(*, cores: int, cache_bytes: int | None = None) -> None:
        for _ in exhaustive(space, evaluator(cores=cores, cache_bytes=cache_bytes)):
            pass

    sweep(cores=2)  # compile
    for cores in (1, 2):
        rolled, regrouped = seconds(partial(sweep, cores=cores), partial(sweep, cores=cores, cache_bytes=0))
        report(f"all {problem.lattice.size:,} nodes, {cores} core(s)", rolled, " s")
        report("  regrouping the bottom frequency set at every node", regrouped, " s")
        report("  rolling up / regrouping", 100 * rolled / regrouped, " %", bar=20)
        if cores == 1:
            alone = rolled
    report("one core / two cores", alone / rolled, "x")


if __name__ == "__main__":
    main()
