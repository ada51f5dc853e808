"""The exact search on Adult: how many nodes it evaluates, and how long it takes against evaluating all."""

import time
from functools import partial

from measure import SHARED, report, seconds

import paranym as pn
from paranym.datasets import adult

ATTRIBUTES = ("age", "workclass", "education", "marital-status", "race", "sex", "native-country", "salary-class")
BARS = {"glm": 6, "dcn": 15, "ce": 20}
LEAST_SPEED = {"glm": 3, "dcn": 1, "ce": 1}


def adult_problem(metric: str, share: float, use: str) -> pn.Problem:
    folder = adult().parent
    attributes = ATTRIBUTES[:-1] if metric == "ce" else ATTRIBUTES
    return pn.Problem(
        folder / "adult.csv",
        quasi_identifiers={name: folder / "hierarchies" / f"{name}.csv" for name in attributes},
        label="salary-class" if metric == "ce" else None,
        metric=metric,
        suppression=share,
        suppression_use=use,
    )


def arx_problem() -> pn.Problem | None:
    """Nine quasi-identifiers under the hierarchies that come with ARX."""
    files = sorted((SHARED / "data" / "hierarchies" / "arx").glob("*.csv"))
    if not files:
        return None
    return pn.Problem(
        adult().parent / "adult.csv",
        quasi_identifiers={file.stem.removeprefix("adult_hierarchy_"): file for file in files},
        suppression=0.01,
    )


def compare_with_arx() -> None:
    """The whole front in CPU time, against what ARX took on the same kind of machine for 12 values of k."""
    problem = arx_problem()
    if problem is None:
        print("the hierarchies of ARX are not here: nothing compared")
        return
    pn.frontier(problem)
    begin = time.process_time()
    front = pn.frontier(problem)
    spent = time.process_time() - begin
    report(f"{len(front)} points of the front of 9 attributes, CPU time (ARX: 12 ks in 3.9 s)", spent, " s", bar=3.9)


def compare_objectives() -> None:
    """Fronts in more than two objectives: how many nodes must be evaluated, and how large they are."""
    folder = adult().parent
    for objectives, share in (
        (("k", "l", "loss"), 0.0),
        (("k", "t", "loss"), 0.0),
        (("k", "suppression", "loss"), 0.01),
    ):
        problem = pn.Problem(
            folder / "adult.csv",
            quasi_identifiers={name: folder / "hierarchies" / f"{name}.csv" for name in ATTRIBUTES},
            sensitive=["occupation"],
            objectives=objectives,
            suppression=share,
        )
        front = pn.frontier(problem)
        evaluated = 100 * front.evaluated_nodes / front.lattice_nodes
        report(f"{', '.join(objectives)}, limit {share:.0%}: {len(front)} points, nodes evaluated", evaluated, " %")


def main() -> None:
    for metric, bar in BARS.items():
        for use in ("needed", "all"):
            for share in (0.0, 0.01, 0.05):
                front = pn.frontier(adult_problem(metric, share, use))
                kept = bar if (share, use) == (0.01, "needed") else None
                share_evaluated = 100 * front.evaluated_nodes / front.lattice_nodes
                report(f"{metric}, limit {share:.0%}, rule {use}: nodes evaluated", share_evaluated, " %", bar=kept)
    for metric, least in LEAST_SPEED.items():
        problem = adult_problem(metric, 0.01, "needed")
        exact, exhaustive = seconds(
            partial(pn.frontier, problem, method="exact"), partial(pn.frontier, problem, method="exhaustive")
        )
        verdict = "kept" if exhaustive / exact >= least else "MISSED"
        report(f"{metric}: exhaustive / exact, time (at least {least}x: {verdict})", exhaustive / exact, "x")
    problem = adult_problem("glm", 0.01, "needed")
    front = pn.frontier(problem)
    exact, verify = seconds(partial(pn.frontier, problem), partial(pn.verify_front, front, problem))
    report("glm: following the proof / exact, time", verify / exact, "x")
    compare_with_arx()
    compare_objectives()


if __name__ == "__main__":
    main()
