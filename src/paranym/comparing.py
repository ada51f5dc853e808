"""Recoding models side by side: for every k the best that each of them finds, by one yardstick, on one front."""

import copy
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from paranym.errors import BadInput, Unattainable, did_you_mean
from paranym.frequency import lifts_of, rollup
from paranym.localizing import LOCAL_METHODS, LocalTable, QueryError, recode_locally
from paranym.measures.loss import LOSSES
from paranym.measures.utility.queries import Boxes, Workload, boxes_of_labels, usual_workload
from paranym.measures.utility.queries import boxes_of as told_by
from paranym.measures.utility.queries import query_error as error_of
from paranym.model.front import Front, Point, Solution
from paranym.model.values import is_whole
from paranym.problem import Problem
from paranym.releases.planning import plan_release, point_at
from paranym.report.compare_plot import compare_plot
from paranym.report.saving import check_plot_format, save_plot
from paranym.workbench import frontier

FULL_DOMAIN = "full-domain"
MODELS = (FULL_DOMAIN, *LOCAL_METHODS)
"""The recoding models, by the names that commands use."""
USUAL = (FULL_DOMAIN, "mondrian", "top-down", "bottom-up")

Tell = Callable[[str], None]
"""Hears what is computed next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """The best that one model finds for one k."""

    model: str
    asked_k: int
    k: int
    ncp_fraction: float
    glm_fraction: float
    dcn: float
    suppressed: int
    classes: int
    queries: QueryError
    seconds: float
    levels: Mapping[str, int] | None
    """The node, where the model has nodes."""
    on_front: bool = False
    """Whether no other candidate has at least its k, at most its penalty, and one of them better."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "model": self.model,
            "asked_k": self.asked_k,
            "k": self.k,
            "ncp_fraction": self.ncp_fraction,
            "glm_fraction": self.glm_fraction,
            "dcn": self.dcn,
            "suppressed": self.suppressed,
            "classes": self.classes,
            "count_queries": self.queries.as_dict(),
            "seconds": round(self.seconds, 3),
            "levels": None if self.levels is None else dict(self.levels),
            "on_front": self.on_front,
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """All candidates, by k and model; where a model has none, it cannot reach that k.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [24, 25, 30, 30, 32, 32], "sex": ["F", "F", "M", "M", "F", "M"]})
    >>> problem = Problem(table, quasi_identifiers={"age": {"intervals": [5, 10]}, "sex": None})
    >>> found = compare(problem, [2, 3], models=["full-domain", "top-down"])
    >>> [(each.asked_k, each.model, round(each.ncp_fraction, 2)) for each in found.candidates if each.on_front]
    [(2, 'top-down', 0.19), (3, 'top-down', 0.31)]
    """

    candidates: tuple[Candidate, ...]
    rows: int
    suppression_limit: int

    def at(self, k: int) -> tuple[Candidate, ...]:
        """What the models find for one k, the smallest penalty first."""
        mine = [each for each in self.candidates if each.asked_k == k]
        return tuple(sorted(mine, key=lambda each: each.ncp_fraction))

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "rows": self.rows,
            "suppression_limit": self.suppression_limit,
            "candidates": [each.as_dict() for each in self.candidates],
        }

    def fronts(self) -> dict[str, Front]:
        """What each model finds, as points of k and certainty penalty."""
        models = dict.fromkeys(each.model for each in self.candidates)
        return {model: self._front(model) for model in models}

    def _front(self, model: str) -> Front:
        mine = [each for each in self.candidates if each.model == model]
        best: list[Candidate] = []
        for each in sorted(mine, key=lambda each: (-each.k, each.ncp_fraction)):
            if not best or each.ncp_fraction < best[-1].ncp_fraction:
                best.append(each)
        return Front(
            method=model,
            complete=False,
            points=tuple(_point(each) for each in best),
            lattice_nodes=0,
            evaluated_nodes=0,
            decided_nodes=0,
            rows=self.rows,
            metric="ncp",
            suppression_use="needed",
            suppression_limit=self.suppression_limit,
            heights={},
        )


def compare(
    problem: Problem,
    k: Sequence[int] = (2, 5, 10, 20, 50, 100),
    *,
    models: Sequence[str] = USUAL,
    seed: int = 0,
    tell: Tell | None = None,
) -> Comparison:
    """For every k, what each recoding model loses: full-domain generalization at its best, local recodings as found.

    All are measured alike: certainty penalty and general loss per cell, discernibility, and the error of the same
    1,000 random counting queries, each about three attributes. Full-domain generalization may suppress what the problem
    allows; local recodings suppress nothing.

    >>> import pyarrow as pa
    >>> table = pa.table({"age": [24, 25, 30, 30, 32, 32]})
    >>> problem = Problem(table, quasi_identifiers={"age": {"intervals": [5, 10]}})
    >>> {each.model: round(each.ncp_fraction, 2) for each in compare(problem, [2]).at(2)}
    {'mondrian': 0.04, 'top-down': 0.04, 'bottom-up': 0.04, 'full-domain': 0.21}
    """
    _check(k, models)
    view = _View(problem, seed)
    found = []
    for model in models:
        for each in k:
            if tell is not None:
                tell(f"{model}, k = {each:,}")
            try:
                found.append(view.node(each) if model == FULL_DOMAIN else view.local(model, each))
            except Unattainable:  # the comparison goes on without it, and shows the gap
                continue
    if not found:
        raise Unattainable(f"No model reaches any of the k asked for; the table has {problem.rows:,} rows.")
    order = sorted(_marked(found), key=lambda each: (each.asked_k, list(models).index(each.model)))
    return Comparison(tuple(order), problem.rows, problem.suppression.limit(problem.rows))


def save_comparison_plot(comparison: Comparison, path: Path) -> None:
    """Draw the certainty penalty of every model against k."""
    save_plot(compare_plot(comparison.fronts()), path)


class _View:
    """One table for all models: the axes, the truth, and the queries that are asked."""

    def __init__(self, problem: Problem, seed: int) -> None:
        self._problem, self._seed = problem, seed
        self._by_loss = {name: _with_loss(problem, name) for name in ("ncp", "glm", "dcn")}
        table = LocalTable(problem)
        self._axes = table.axes
        self._truth = Boxes(table.tuples.positions, table.tuples.positions, table.tuples.counts)
        self._workload: Workload = usual_workload(self._axes, seed=seed)
        self._front: tuple[Front, float] | None = None

    def local(self, model: str, k: int) -> Candidate:
        result = recode_locally(self._problem, k, method=model, seed=self._seed)
        found = result.assessment
        return Candidate(
            model=model,
            asked_k=k,
            k=found.k,
            ncp_fraction=found.ncp_fraction,
            glm_fraction=found.glm_fraction,
            dcn=found.dcn,
            suppressed=0,
            classes=found.classes,
            queries=self._error(told_by(result.recoding)),
            seconds=found.seconds,
            levels=None,
        )

    def node(self, k: int) -> Candidate:
        """The node of the least penalty that reaches k."""
        front, seconds = self._searched()
        fit = [point for point in front if point.k >= k]
        if not fit:
            raise Unattainable(f"No generalization reaches k = {k:,}.")
        best = min(fit, key=lambda point: point.loss)
        boxes = self._boxes(best)
        return Candidate(
            model=FULL_DOMAIN,
            asked_k=k,
            k=best.k,
            ncp_fraction=best.loss_fraction,
            glm_fraction=point_at(self._by_loss["glm"], best.levels, best.k).loss_fraction,
            dcn=point_at(self._by_loss["dcn"], best.levels, best.k).loss,
            suppressed=best.suppressed,
            classes=len(boxes.rows),
            queries=self._error(boxes),
            seconds=seconds,
            levels=dict(best.levels),
        )

    def _searched(self) -> tuple[Front, float]:
        """The exact front, once for all k."""
        if self._front is None:
            begun = time.perf_counter()
            self._front = frontier(self._by_loss["ncp"]), time.perf_counter() - begun
        return self._front

    def _boxes(self, point: Point) -> Boxes:
        """What the published classes of a node tell about their rows."""
        problem = self._by_loss["ncp"]
        levels = tuple(point.levels[name] for name in problem.attributes)
        classes = rollup(problem.frequency, lifts_of(problem.hierarchies), levels)
        gone = {tuple(codes) for codes in plan_release(problem, point).suppressed.tolist()}
        kept = np.array([tuple(codes) not in gone for codes in classes.codes.tolist()])
        labelled = [axis.hierarchy.codes[level] for axis, level in zip(self._axes, levels, strict=True)]
        return boxes_of_labels(self._axes, labelled, classes.codes[kept], classes.counts[kept])

    def _error(self, boxes: Boxes) -> QueryError:
        return error_of(self._workload, self._axes, self._truth, boxes)


def _with_loss(problem: Problem, name: str) -> Problem:
    """The same counted table under another loss that needs nothing more counted."""
    other = copy.copy(problem)
    other.loss = LOSSES[name]
    return other


def _marked(found: Sequence[Candidate]) -> list[Candidate]:
    """Candidates, each with whether any other beats it."""
    return [replace(each, on_front=not any(_beats(other, each) for other in found)) for each in found]


def _beats(a: Candidate, b: Candidate) -> bool:
    at_least = a.k >= b.k and a.ncp_fraction <= b.ncp_fraction
    return at_least and (a.k > b.k or a.ncp_fraction < b.ncp_fraction)


def _point(candidate: Candidate) -> Point:
    solution = Solution({}, candidate.suppressed, 0.0)
    return Point(candidate.k, candidate.ncp_fraction, candidate.ncp_fraction, (solution,))


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


__all__ = ["MODELS", "USUAL", "Comparison", "Problem", "check_plot_format", "compare", "save_comparison_plot"]
