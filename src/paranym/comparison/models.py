"""Comparing recoding models: the best solution of each at every k, by one metric, on one front."""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from paranym.comparison.queries import QueriedTable
from paranym.errors import BadInput, MissingExtra, ParanymError, Unattainable, did_you_mean
from paranym.measures.base import CellLoss, Domain
from paranym.measures.loss.glm import GeneralLoss
from paranym.measures.loss.ncp import CertaintyPenalty
from paranym.measures.utility.queries import QueryError, usual_workload
from paranym.model.local import LabelUse
from paranym.model.values import is_whole
from paranym.plots.models import Drawn, model_plot
from paranym.plots.saving import save_plot
from paranym.problem import Problem
from paranym.publishing.plan import Plan, plan_release
from paranym.results.front import Front, Point
from paranym.results.local_result import LocalResult
from paranym.solve.cuts import evolve
from paranym.solve.fronts import frontier
from paranym.solve.local import BEST, LOCAL_METHODS, recode_locally
from paranym.wording.numbers import counted

FULL_DOMAIN = "full-domain"
CUTS = "cuts"
MODELS = (FULL_DOMAIN, CUTS, *LOCAL_METHODS)
"""The recoding models, by the names that commands use."""
USUAL = (FULL_DOMAIN, CUTS, "mondrian", BEST)
METRIC = CertaintyPenalty.name
"""The metric of the comparison: it is defined for all models in the same way."""
POPULATION, GENERATIONS, PATIENCE = 100, 100, 20
"""The settings of the evolution of cuts."""

Tell = Callable[[str], None]
"""A callback that receives the name of the next step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The best solution of one model for one k."""

    model: str
    asked_k: int
    k: int
    ncp: float
    ncp_fraction: float
    glm_fraction: float
    dcn: float
    suppressed: int
    classes: int
    labels: Mapping[str, LabelUse]
    """Per attribute: how many different labels are published, and whether they overlap."""
    queries: QueryError
    seconds: float
    """Processor time; for nodes and cuts, that of their whole front, which serves every k."""
    choice: Point | LocalResult = field(repr=False)
    """The solution to pass to `pn.release`."""
    on_front: bool = False
    """True if no other candidate dominates it by k and normalized certainty penalty (NCP)."""

    def as_dict(self) -> dict[str, Any]:
        """Return the values for JSON."""
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
            "labels": {name: use.as_dict() for name, use in self.labels.items()},
            "count_queries": self.queries.as_dict(),
            "seconds": round(self.seconds, 3),
            "on_front": self.on_front,
            **({} if isinstance(self.choice, LocalResult) else self.choice.solutions[0].recoded),
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All candidates, by k and model; a model without a candidate cannot achieve that k.

    Any of them can be released: `pn.release(found.problem, found.pick("top-down", 10).choice, "out.csv")`.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [24, 25, 30, 30, 32, 32], "sex": ["F", "F", "M", "M", "F", "M"]})
    >>> problem = Problem(table, quasi_identifiers={"age": {"intervals": [5, 10]}, "sex": None})
    >>> found = compare(problem, [2, 3], models=["full-domain", "top-down"])
    >>> [(each.k, each.model, round(each.ncp_fraction, 2)) for each in found.front]
    [(3, 'top-down', 0.31), (2, 'top-down', 0.19)]
    """

    problem: Problem
    """The problem, with the normalized certainty penalty as its metric."""
    candidates: tuple[Candidate, ...]
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Models that cannot run on this table, with the reason."""

    @property
    def front(self) -> tuple[Candidate, ...]:
        """Return the non-dominated candidates of all models, the largest k first; of several that tie, the first."""
        best: dict[tuple[int, float], Candidate] = {}
        for each in self.candidates:
            if each.on_front:
                best.setdefault((-each.k, each.ncp), each)
        return tuple(best[key] for key in sorted(best))

    def at(self, k: int) -> tuple[Candidate, ...]:
        """Return the candidates for one k, the least NCP first."""
        mine = [each for each in self.candidates if each.asked_k == k]
        return tuple(sorted(mine, key=lambda each: each.ncp_fraction))

    def pick(self, model: str, k: int) -> Candidate:
        """Return the candidate of one model for one k."""
        found = [each for each in self.at(k) if each.model == model]
        if not found:
            known = ", ".join(f"{each.model}:{each.asked_k}" for each in self.candidates)
            raise BadInput(f"There is no {model}:{k} in this comparison; it has {known}.")
        return found[0]

    def as_dict(self) -> dict[str, Any]:
        """Return the comparison for JSON."""
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
            "skipped": dict(self.skipped),
        }


def compare(
    problem: Problem,
    k: Sequence[int] = (2, 5, 10, 20, 50, 100),
    *,
    models: Sequence[str] | None = None,
    granularity: Mapping[str, int] | None = None,
    seed: int = 0,
    tell: Tell | None = None,
) -> Comparison:
    """Compare the information loss of recoding models at every k: exact for full-domain generalization, else as found.

    All models are measured in the same way: normalized certainty penalty (NCP) and general loss per cell,
    discernibility, and the error of the same random counting queries, at most 1,000, each about three attributes.
    Full-domain generalization and cuts may suppress as many rows as the problem allows; local recodings suppress
    nothing. `best` refines its groups; the other local methods form them as their papers describe. Cuts evolve from the
    front of full-domain generalization, and so never lose more. They need the extra `evolution`, and are skipped
    without it unless `models` names them. `granularity` gives the finest levels that cuts may publish. A model that
    cannot run on this table is skipped; `skipped` has the reason.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [24, 25, 30, 30, 32, 32]})
    >>> problem = Problem(table, quasi_identifiers={"age": {"intervals": [5, 10]}})
    >>> {each.model: round(each.ncp_fraction, 2) for each in compare(problem, [2]).at(2)}
    {'cuts': 0.04, 'mondrian': 0.04, 'best': 0.04, 'full-domain': 0.21}
    """
    chosen = _usual() if models is None else tuple(dict.fromkeys(models))
    _check(k, chosen)
    problem.must_count_rows("A comparison of recoding models")
    view = _View(problem, seed, granularity)
    found: list[Candidate] = []
    faults: dict[str, ParanymError] = {}
    for model in chosen:
        try:
            found += view.candidates(model, k, tell)
        except (BadInput, MissingExtra) as fault:  # the others may do
            faults[model] = fault
    if not found:
        raise next(iter(faults.values()), _unattainable(problem))
    order = sorted(_marked(found), key=lambda each: (each.asked_k, chosen.index(each.model)))
    return Comparison(view.problem, tuple(order), {model: str(fault) for model, fault in faults.items()})


def _unattainable(problem: Problem) -> Unattainable:
    return Unattainable(f"No model achieves any of the requested k; the table has {counted(problem.rows, 'row')}.")


def save_comparison_plot(comparison: Comparison, path: Path) -> None:
    """Plot the normalized certainty penalty of every model against k."""
    problem = comparison.problem
    limit = problem.suppression.limit(problem.rows)
    suppressed = f"; full-domain and cuts may suppress {limit:,} of them" if limit else ""
    points = [
        Drawn(
            each.model,
            each.asked_k,
            each.ncp_fraction,
            each.ncp_fraction <= comparison.at(each.asked_k)[0].ncp_fraction,
            {
                "achieved k": f"{each.k:,}",
                "equivalence classes": f"{each.classes:,}",
                "suppressed rows": f"{each.suppressed:,}",
            },
        )
        for each in comparison.candidates
    ]
    save_plot(model_plot(points, metric=METRIC, subtitle=f"{problem.rows:,} rows{suppressed}."), path)


class _View:
    """The table that all models recode, with the queries that all of them answer."""

    def __init__(self, problem: Problem, seed: int, granularity: Mapping[str, int] | None) -> None:
        self.problem = problem.with_metric(CertaintyPenalty())
        self._seed = seed
        self._granularity = granularity
        table = QueriedTable(self.problem)
        self._error = table.errors(usual_workload(table.axes, combinations=len(problem.frequency), seed=seed))

    def candidates(self, model: str, k: Sequence[int], tell: Tell | None) -> list[Candidate]:
        """Return the candidates of one model; there is none for a k that it cannot achieve."""
        found = []
        for each in k:
            if tell is not None:
                tell(f"{model}, k = {each:,}")
            with suppress(Unattainable):
                found.append(self.local(model, each) if model in LOCAL_METHODS else self.generalized(model, each))
        return found

    def local(self, model: str, k: int) -> Candidate:
        begun = time.process_time()
        rounds = None if model == BEST else 0
        result = recode_locally(self.problem, k, method=model, seed=self._seed, suppress=False, refine=rounds)
        seconds, found = time.process_time() - begun, result.assessment
        return Candidate(
            model=model,
            asked_k=k,
            k=found.k,
            ncp=found.ncp,
            ncp_fraction=found.ncp_fraction,
            glm_fraction=found.glm_fraction,
            dcn=found.dcn,
            suppressed=found.suppressed,
            classes=found.classes,
            labels=found.labels,
            queries=self._error(result),
            seconds=seconds,
            choice=result,
        )

    def generalized(self, model: str, k: int) -> Candidate:
        """Return the node, or the cuts, with the least NCP and at least this k."""
        front, seconds = self._cuts if model == CUTS else self._nodes
        fit = [point for point in front if point.k >= k]
        if not fit:
            raise Unattainable(f"No generalization achieves k = {k:,}.")
        best = min(fit, key=lambda point: point.loss)
        plan = plan_release(self.problem, best)
        counts = plan.class_sizes
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
            labels={
                name: LabelUse(len(np.unique(plan.published.codes[:, j])), overlapping=False)
                for j, name in enumerate(self.problem.attributes)
            },
            queries=self._error(best),
            seconds=seconds,
            choice=best,
        )

    @cached_property
    def _nodes(self) -> tuple[Front, float]:
        """Return the exact front, computed once for all k."""
        begun = time.process_time()
        return frontier(self.problem), time.process_time() - begun

    @cached_property
    def _cuts(self) -> tuple[Front, float]:
        """Return the front of cuts, evolved from the exact front."""
        nodes, before = self._nodes
        begun = time.process_time()
        found = evolve(
            self.problem,
            start=nodes,
            granularity=self._granularity,
            population=POPULATION,
            generations=GENERATIONS,
            patience=PATIENCE,
            seed=self._seed,
        )
        return found, before + time.process_time() - begun


def _fraction(loss: CellLoss, plan: Plan) -> float:
    """Return the loss of a global recoding by a measure that is summed over cells."""
    problem, classes = plan.problem, plan.published
    total, weights = 0.0, 0.0
    for j, attribute in enumerate(plan.recoding.attributes):
        domain = Domain(attribute.hierarchy, np.zeros(len(attribute.leaves), np.int64), attribute.weight)
        costs = loss.costs(domain, problem.rows)
        cells = int(costs.numerators[attribute.place][classes.codes[:, j]] @ classes.counts) / costs.denominator
        total += attribute.weight * (cells + plan.claims.suppressed)
        weights += attribute.weight
    return total / (problem.rows * weights) if weights else 0.0


def _usual() -> tuple[str, ...]:
    return USUAL if find_spec("pymoo") else tuple(model for model in USUAL if model != CUTS)


def _marked(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, each marked if no other one dominates it."""
    return [replace(each, on_front=not any(_dominates(other, each) for other in found)) for each in found]


def _dominates(a: Candidate, b: Candidate) -> bool:
    at_least = a.k >= b.k and a.ncp_fraction <= b.ncp_fraction
    return at_least and (a.k > b.k or a.ncp_fraction < b.ncp_fraction)


def _check(k: Sequence[int], models: Sequence[str]) -> None:
    if not k or not all(is_whole(each) and each >= 1 for each in k):
        raise BadInput(f"k must be a list of whole numbers from 1 on, such as [2, 5, 10]; got {k!r}.")
    if not models:
        raise BadInput(f"A comparison needs at least one of the models {', '.join(MODELS)}.")
    for model in models:
        if model not in MODELS:
            raise BadInput(
                f"There is no recoding model {model!r}. Choose from {', '.join(MODELS)}.{did_you_mean(model, MODELS)}"
            )
