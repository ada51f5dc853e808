"""The golden tier: every search on one small table, with the result that it is known to give.

The results lie in `tests/golden/`, one file for each search. `make golden` records them again; a change there is a
change of behaviour, to be read before it is committed.
"""

import json
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pyarrow as pa

import paranym as pn
from paranym.search.cuts.formulations import PROBLEMS
from paranym.search.cuts.formulations.safety import Safety
from paranym.search.cuts.nsga2 import ALGORITHMS as EVOLUTIONS
from paranym.search.fixed_k.names import ALGORITHMS
from paranym.solve import fronts
from paranym.solve.fronts import METHODS
from paranym.solve.local import LOCAL_METHODS

FOLDER = Path(__file__).parent / "golden"
ROWS = 90
K = 4
Run = Callable[[], dict[str, Any]]


def table() -> pa.Table:
    """Rows by plain arithmetic, so that no generator of random numbers can change them."""
    rows = range(ROWS)
    return pa.table({
        "age": [20 + (7 * i + i * i // 11) % 40 for i in rows],
        "region": ["north", "south", "east", "west", "centre"] * (ROWS // 5),
        "sex": ["F" if (i * i + i // 3) % 5 < 2 else "M" for i in rows],
        "illness": [("flu", "cold", "gout", "flu")[(i + i // 7) % 4] for i in rows],
    })  # fmt: skip


def problem(**changes: Any) -> pn.Problem:
    regions = [
        ["north", "cold", "*"],
        ["east", "cold", "*"],
        ["south", "warm", "*"],
        ["west", "warm", "*"],
        ["centre", "centre", "*"],
    ]
    stated: dict[str, Any] = {
        "quasi_identifiers": {"age": {"intervals": [5, 10, 20]}, "region": regions, "sex": None},
        "sensitive": ["illness"],
        "suppression_rows": 5,
    }
    return pn.Problem(table(), **stated | changes)


def _front(**options: Any) -> dict[str, Any]:
    return _told(pn.frontier(problem(), seed=1, **options))


def _boxes() -> dict[str, Any]:
    """The search for lattices that no array holds, which this one would not need."""
    with patch.object(fronts, "MOST_NODES", 0):
        return _front()


def _many() -> dict[str, Any]:
    return _told(pn.frontier(problem(objectives=("k", "l", "loss"), suppression_rows=0), seed=1))


def _fixed(algorithm: str) -> dict[str, Any]:
    told = pn.generalize(problem(), k=K, algorithm=algorithm).as_dict()
    return {
        "complete": told["complete"],
        "checked_nodes": told["checked_nodes"],
        "best": told["best"],
        "solutions": sorted(told["solutions"], key=lambda each: list(each["levels"].values())),
    }


def _cuts(formulation: int = 2, **options: Any) -> dict[str, Any]:
    stated: dict[str, Any] = {"start": "random", "population": 16, "generations": 6, "seed": 1} | options
    objectives = ("k", "l", "loss") if PROBLEMS[formulation] is Safety else ("k", "loss")
    found = _told(pn.evolve(problem(objectives=objectives), formulation, **stated))
    return {"pymoo": version("pymoo")} | found  # another version may breed otherwise


def _local(method: str, *, suppress: bool = False, refine: int | None = 0) -> dict[str, Any]:
    result = pn.recode_locally(problem(), K, method=method, seed=1, suppress=suppress, refine=refine)
    measured, recoding = result.assessment, result.recoding
    return {
        "k": measured.k,
        "suppressed": measured.suppressed,
        "classes": measured.classes,
        "ncp": measured.ncp,
        "glm_fraction": measured.glm_fraction,
        "dcn": measured.dcn,
        "groups": sorted([*group] for group in zip(*recoding.published, recoding.rows.tolist(), strict=True)),
    }


def _bound() -> dict[str, Any]:
    found = pn.lower_bound(problem(), K)
    return {"k": found.k, "passes": found.passes, "values": found.values.tolist(), "ncp_fraction": found.ncp_fraction}


def _told(front: pn.Front) -> dict[str, Any]:
    told = front.as_dict()
    kept = ("method", "complete", "lattice_nodes", "evaluated_nodes", "objectives", "metric", "points")
    derived = ("bound", "bound_fraction", "proved")  # they follow from the points of a complete front
    points = [{name: value for name, value in point.items() if name not in derived} for point in told["points"]]
    return {name: told[name] for name in kept if name in told} | {"points": points}


GOLDEN: dict[str, Run] = {
    **{f"front-{method}": partial(_front, method=method) for method in METHODS},
    "front-boxes": _boxes,
    "front-many-objectives": _many,
    **{f"fixed-k-{name}": partial(_fixed, name) for name in ALGORITHMS},
    **{f"cuts-{name}": partial(_cuts, algorithm=name) for name in EVOLUTIONS},
    "cuts-exact": partial(_front, recoding="cuts"),
    "cuts-exact-by-trees": partial(_front, recoding="cuts", unconstrained=[]),
    "cuts-bounded-greedy": partial(_front, recoding="cuts", method="greedy"),
    **{f"cuts-problem-{number}": partial(_cuts, number) for number in PROBLEMS},
    "cuts-greedy": partial(_cuts, start="greedy", generations=1),
    **{f"local-{method}": partial(_local, method) for method in LOCAL_METHODS},
    "local-suppressing": partial(_local, "top-down", suppress=True),
    **{f"local-{method}-refined": partial(_local, method, refine=None) for method in LOCAL_METHODS},
    "local-bound": _bound,
    "local-suppressing-refined": partial(_local, "best", suppress=True, refine=None),
}
"""Every search by the name of its file."""


def recorded(name: str) -> dict[str, Any]:
    told: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return told


def record() -> None:
    """Write all results, and remove what no search owns."""
    FOLDER.mkdir(exist_ok=True)
    for name, run in GOLDEN.items():
        (FOLDER / f"{name}.json").write_text(_lines(run()), encoding="utf-8")
    for file in FOLDER.glob("*.json"):
        if file.stem not in GOLDEN:
            file.unlink()


def _lines(told: dict[str, Any]) -> str:
    """JSON with one line for each entry, and for each entry of its lists of tables."""
    entries = []
    for name, value in told.items():
        listed = isinstance(value, list) and value and isinstance(value[0], dict)
        text = "[\n  " + ",\n  ".join(map(json.dumps, value)) + "\n ]" if listed else json.dumps(value)
        entries.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(entries) + "\n}\n"


if __name__ == "__main__":
    record()
