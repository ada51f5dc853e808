"""Recoding models side by side: for every k the best that each of them finds, by one yardstick, on one front."""

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from paranym.errors import BadInput, Unattainable, did_you_mean
from paranym.measures.base import CellLoss, Domain
from paranym.measures.loss import LOSSES
from paranym.measures.loss.glm import GeneralLoss
from paranym.measures.utility.queries import QueryError, usual_workload
from paranym.model.front import Front, Point
from paranym.model.local_result import LocalResult
from paranym.model.values import is_whole
from paranym.model.wording import counted
from paranym.problem import Problem
from paranym.releases.planning import Plan, plan_release
from paranym.report.model_plot import Drawn, model_plot
from paranym.report.saving import check_plot_format, save_plot
from paranym.workbench import frontier
from paranym.workbench.evolving import evolve
from paranym.workbench.localizing import LOCAL_METHODS, recode_locally
from paranym.workbench.querying import QueriedTable, published_classes

FULL_DOMAIN = "full-domain"
CUTS = "cuts"
MODELS = (FULL_DOMAIN, CUTS, *LOCAL_METHODS)
"""The recoding models, by the names that commands use."""
USUAL = (FULL_DOMAIN, CUTS, "mondrian", "top-down", "bottom-up")
METRIC = "ncp"
"""The yardstick: it is defined for all models, and charges them alike."""
POPULATION, GENERATIONS, PATIENCE = 100, 100, 20
"""How long cuts evolve."""

Tell = Callable[[str], None]
"""Hears what is computed next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The best that one model finds for one k."""

    model: str
    asked_k: int
    k: int
    ncp: float
    ncp_fraction: float
    glm_fraction: float
    dcn: float
    suppressed: int
    classes: int
    queries: QueryError
    seconds: float
    """Processor time; of nodes and cuts that of their whole front, which serves every k."""
    choice: Point | LocalResult = field(repr=False)
    """What it takes to release it."""
    on_front: bool = False
    """Whether no other candidate has at least its k, at most its penalty, and one of them better."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "model": self.model,
            "asked_k": self.asked_k,
            "k": self.k,
            "loss": self.ncp,
            "loss_fraction": self.ncp_fraction,
            "glm_fraction": self.glm_fraction,
            "dcn": self.dcn,
            "suppressed": self.suppressed,
            "classes": self.classes,
            "count_queries": self.queries.as_dict(),
            "seconds": round(self.seconds, 3),
            "on_front": self.on_front,
            **({} if isinstance(self.choice, LocalResult) else self.choice.solutions[0].recoded),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All candidates, by k and model; where a model has none, it cannot reach that k.

    Any of them can be released: `pn.release(found.problem, found.pick("top-down", 10).choice, "out.csv")`.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [24, 25, 30, 30, 32, 32], "sex": ["F", "F", "M", "M", "F", "M"]})
    >>> problem = Problem(table, quasi_identifiers={"age": {"intervals": [5, 10]}, "sex": None})
    >>> found = compare(problem, [2, 3], models=["full-domain", "top-down"])
    >>> [(each.k, each.model, round(each.ncp_fraction, 2)) for each in found.front]
    [(3, 'top-down', 0.31), (2, 'top-down', 0.19)]
    """

    problem: Problem
    """What was compared, with the certainty penalty as its loss."""
    candidates: tuple[Candidate, ...]

    @property
    def front(self) -> tuple[Candidate, ...]:
        """Those that no other one beats, the best k first, whatever their model; the first of several that tie."""
        best: dict[tuple[int, float], Candidate] = {}
        for each in self.candidates:
            if each.on_front:
                best.setdefault((-each.k, each.ncp), each)
        return tuple(best[key] for key in sorted(best))

    def at(self, k: int) -> tuple[Candidate, ...]:
        """What the models find for one k, the smallest penalty first."""
        mine = [each for each in self.candidates if each.asked_k == k]
        return tuple(sorted(mine, key=lambda each: each.ncp_fraction))

    def pick(self, model: str, k: int) -> Candidate:
        """What one model finds for one k."""
        found = [each for each in self.at(k) if each.model == model]
        if not found:
            known = ", ".join(f"{each.model}:{each.asked_k}" for each in self.candidates)
            raise BadInput(f"There is no {model}:{k} in this comparison; it has {known}.")
        return found[0]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        problem = self.problem
        return {
            "method": "compare",
            "complete": False,
            "rows": problem.rows,
            "metric": METRIC,
            "objectives": ["k", "loss"],
            "suppression_use": problem.suppression.use.value,
            "suppression_limit": problem.suppression.limit(problem.rows),
            "points": [each.as_dict() for each in self.front],
            "candidates": [each.as_dict() for each in self.candidates],
        }


def compare(
    problem: Problem,
    k: Sequence[int] = (2, 5, 10, 20, 50, 100),
    *,
    models: Sequence[str] | None = None,
    seed: int = 0,
    tell: Tell | None = None,
) -> Comparison:
    """For every k, what each recoding model loses: full-domain generalization at its best, all others as found.

    All are measured alike: certainty penalty and general loss per cell, discernibility, and the error of the same
    random counting queries, 1,000 of them at most, each about three attributes. Nodes and cuts may suppress what the
    problem allows; local recodings suppress nothing. Cuts evolve from the front of nodes, and so never lose more; they
    need the extra `evolution`, and are left out without it unless `models` names them.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [24, 25, 30, 30, 32, 32]})
    >>> problem = Problem(table, quasi_identifiers={"age": {"intervals": [5, 10]}})
    >>> {each.model: round(each.ncp_fraction, 2) for each in compare(problem, [2]).at(2)}
    {'cuts': 0.04, 'mondrian': 0.04, 'top-down': 0.04, 'bottom-up': 0.04, 'full-domain': 0.21}
    """
    chosen = _usual() if models is None else tuple(dict.fromkeys(models))
    _check(k, chosen)
    view = _View(problem, seed)
    found = []
    for model in chosen:
        for each in k:
            if tell is not None:
                tell(f"{model}, k = {each:,}")
            try:
                found.append(view.local(model, each) if model in LOCAL_METHODS else view.generalized(model, each))
            except Unattainable:  # the comparison goes on without it, and shows the gap
                continue
    if not found:
        raise Unattainable(f"No model reaches any of the k asked for; the table has {counted(problem.rows, 'row')}.")
    order = sorted(_marked(found), key=lambda each: (each.asked_k, chosen.index(each.model)))
    return Comparison(view.problem, tuple(order))


def save_comparison_plot(comparison: Comparison, path: Path) -> None:
    """Draw the certainty penalty of every model against k."""
    problem = comparison.problem
    limit = problem.suppression.limit(problem.rows)
    suppressed = f"; full-domain and cuts may leave out {limit:,} of them" if limit else ""
    points = [
        Drawn(
            each.model,
            each.asked_k,
            each.ncp_fraction,
            each.ncp_fraction <= comparison.at(each.asked_k)[0].ncp_fraction,
            {"k reached": f"{each.k:,}", "classes": f"{each.classes:,}", "suppressed rows": f"{each.suppressed:,}"},
        )
        for each in comparison.candidates
    ]
    save_plot(model_plot(points, metric=METRIC, subtitle=f"{problem.rows:,} rows{suppressed}."), path)


class _View:
    """One table for all models: the axes, the truth, and the queries that are asked."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self.problem = copy.copy(problem)
        self.problem.loss = LOSSES[METRIC]
        self._seed = seed
        table = QueriedTable(self.problem)
        self._error = table.asked(usual_workload(table.axes, combinations=len(problem.frequency), seed=seed))

    def local(self, model: str, k: int) -> Candidate:
        begun = time.process_time()
        result = recode_locally(self.problem, k, method=model, seed=self._seed)
        seconds, found = time.process_time() - begun, result.assessment
        return Candidate(
            model=model,
            asked_k=k,
            k=found.k,
            ncp=found.ncp,
            ncp_fraction=found.ncp_fraction,
            glm_fraction=found.glm_fraction,
            dcn=found.dcn,
            suppressed=0,
            classes=found.classes,
            queries=self._error(result),
            seconds=seconds,
            choice=result,
        )

    def generalized(self, model: str, k: int) -> Candidate:
        """The node, or the cuts, of the least penalty that reaches k."""
        front, seconds = self._cuts if model == CUTS else self._nodes
        fit = [point for point in front if point.k >= k]
        if not fit:
            raise Unattainable(f"No generalization reaches k = {k:,}.")
        best = min(fit, key=lambda point: point.loss)
        plan = plan_release(self.problem, best)
        counts = published_classes(plan).counts
        return Candidate(
            model=model,
            asked_k=k,
            k=best.k,
            ncp=best.loss,
            ncp_fraction=best.loss_fraction,
            glm_fraction=_fraction(GeneralLoss(), plan),
            dcn=float(counts @ counts) + self.problem.rows * best.suppressed,
            suppressed=best.suppressed,
            classes=len(counts),
            queries=self._error(best),
            seconds=seconds,
            choice=best,
        )

    @cached_property
    def _nodes(self) -> tuple[Front, float]:
        """The exact front, once for all k."""
        begun = time.process_time()
        return frontier(self.problem), time.process_time() - begun

    @cached_property
    def _cuts(self) -> tuple[Front, float]:
        """What evolution makes of it."""
        nodes, before = self._nodes
        begun = time.process_time()
        found = evolve(
            self.problem,
            start=nodes,
            population=POPULATION,
            generations=GENERATIONS,
            patience=PATIENCE,
            seed=self._seed,
        )
        return found, before + time.process_time() - begun


def _fraction(loss: CellLoss, plan: Plan) -> float:
    """What a global recoding loses by a measure that charges cells."""
    problem, classes = plan.problem, published_classes(plan)
    total, weights = 0.0, 0.0
    for j, attribute in enumerate(plan.recoding.attributes):
        domain = Domain(attribute.hierarchy, np.zeros(len(attribute.leaves), np.int64), attribute.weight)
        costs = loss.costs(domain, problem.rows)
        cells = int(costs.numerators[attribute.place][classes.codes[:, j]] @ classes.counts) / costs.denominator
        total += attribute.weight * (cells + plan.promise.suppressed)
        weights += attribute.weight
    return total / (problem.rows * weights) if weights else 0.0


def _usual() -> tuple[str, ...]:
    return USUAL if find_spec("pymoo") else tuple(model for model in USUAL if model != CUTS)


def _marked(found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates, each with whether any other beats it."""
    return [replace(each, on_front=not any(_beats(other, each) for other in found)) for each in found]


def _beats(a: Candidate, b: Candidate) -> bool:
    at_least = a.k >= b.k and a.ncp_fraction <= b.ncp_fraction
    return at_least and (a.k > b.k or a.ncp_fraction < b.ncp_fraction)


def _check(k: Sequence[int], models: Sequence[str]) -> None:
    if not k or not all(is_whole(each) and each >= 1 for each in k):
        raise BadInput(f"A comparison takes whole numbers from 1 on for k, such as [2, 5, 10]; got {k!r}.")
    if not models:
        raise BadInput(f"A comparison takes at least one of the models {', '.join(MODELS)}.")
    for model in models:
        if model not in MODELS:
            raise BadInput(
                f"There is no recoding model {model!r}; known are {', '.join(MODELS)}.{did_you_mean(model, MODELS)}"
            )


__all__ = [
    "LOCAL_METHODS",
    "MODELS",
    "USUAL",
    "Candidate",
    "Comparison",
    "Problem",
    "check_plot_format",
    "compare",
    "save_comparison_plot",
]
