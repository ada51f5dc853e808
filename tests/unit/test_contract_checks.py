"""The contract checks pass everything that is built in, and catch models, searches and engines that are wrong."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.engines.base import Profile
from paranym.engines.duckdb.table import DuckDBTable
from paranym.engines.source import open_table
from paranym.measures.privacy import MODELS
from paranym.measures.privacy.base import Classes, Floats, Model, ModelFacts, WorstClass
from paranym.measures.privacy.closeness import EqualCloseness, HierarchicalCloseness
from paranym.measures.privacy.diversity import DistinctDiversity, EntropyDiversity
from paranym.model.hierarchy import Hierarchy
from paranym.results.assessment import Assessments
from paranym.search.base import BudgetSpent, Evaluate, Space, Step
from paranym.search.lattice.exhaustive import exhaustive
from paranym.solve.fronts import METHODS
from paranym.testing import check_engine, check_privacy_model, check_search

LINES = [["a", "x", "*"], ["b", "x", "*"], ["c", "y", "*"], ["d", "y", "*"]]
PEOPLE = pa.table({"age": [31, 34, 38, 52, 57, 58], "sex": ["F", "M", "F", "M", "M", "F"]})


@pytest.fixture(scope="module")
def problem() -> pn.Problem:
    return pn.Problem(PEOPLE, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None}, suppression_rows=2)


def built_in(name: str) -> Model:
    if name == "hierarchical-t":
        return HierarchicalCloseness.by(Hierarchy.from_rows(LINES, attribute="s"))
    return MODELS[name]()


@pytest.mark.parametrize("name", MODELS)
def test_built_in_models_keep_their_promises(name: str) -> None:
    assert str(check_privacy_model(built_in(name))) == "No violation was found in 200 cases."


class Falls(DistinctDiversity):
    """The share of different values: merging classes makes it smaller."""

    name: ClassVar[str] = "falls"

    def of(self, classes: Classes) -> Floats:
        return classes.distinct / classes.sizes


class Growing(EntropyDiversity):
    """Entropy can fall when a class grows."""

    name: ClassVar[str] = "growing"
    facts: ClassVar[ModelFacts] = replace(EntropyDiversity.facts, survives_growth=True)


class Relative(WorstClass):
    """Compares classes with each other and does not say so."""

    name: ClassVar[str] = "relative"
    title: ClassVar[str] = "relative size"
    facts: ClassVar[ModelFacts] = ModelFacts(larger_is_better=True, monotone=False, survives_growth=False)

    def of(self, classes: Classes) -> Floats:
        return classes.sizes / int(classes.sizes.max())


class Unasked(EqualCloseness):
    """Reads the reference and does not say so."""

    name: ClassVar[str] = "unasked"
    facts: ClassVar[ModelFacts] = replace(EqualCloseness.facts, needs_reference=False)


class Hopeless(EqualCloseness):
    """Bounds too tightly what suppression can achieve."""

    name: ClassVar[str] = "hopeless"

    def at_best(self, values: Floats, classes: Classes, spare: int) -> Floats:
        return values


class Average(DistinctDiversity):
    """A table achieves the average, not the worst."""

    name: ClassVar[str] = "average"

    def achieved(self, classes: Classes) -> float:
        return float(self.of(classes).mean())


class Short(DistinctDiversity):
    """One value for all classes."""

    name: ClassVar[str] = "short"

    def of(self, classes: Classes) -> Floats:
        return np.array([float(classes.distinct.min())])


class InOrder(DistinctDiversity):
    """Takes entries for sorted."""

    name: ClassVar[str] = "in-order"
    facts: ClassVar[ModelFacts] = replace(
        DistinctDiversity.facts, monotone=False, survives_growth=False, is_diversity=False
    )

    def of(self, classes: Classes) -> Floats:
        return classes.total(np.arange(len(classes.owners)))


class Sizes(DistinctDiversity):
    """More than there are values."""

    name: ClassVar[str] = "sizes"

    def of(self, classes: Classes) -> Floats:
        return classes.sizes.astype(float)


@pytest.mark.parametrize(
    ("model", "rule"),
    [
        (Falls(), "monotone"),
        (Growing(), "survives_growth"),
        (Relative(), "of"),
        (Unasked(), "needs_reference"),
        (Hopeless(), "at_best"),
        (Average(), "achieved"),
        (Short(), "of"),
        (InOrder(), "of"),
        (Sizes(), "is_diversity"),
    ],
    ids=lambda given: given if isinstance(given, str) else type(given).__name__,
)
def test_a_wrong_model_is_caught(model: Model, rule: str) -> None:
    assert rule in {fault.rule for fault in check_privacy_model(model).faults}


@pytest.mark.parametrize("method", METHODS)
def test_built_in_searches_keep_their_promises(method: str, problem: pn.Problem) -> None:
    assert check_search(method, problem).faults == ()


def top_only(space: Space, evaluate: Evaluate) -> Iterator[Step]:
    """Claims to be complete after one node."""
    found = evaluate(np.array([space.lattice.heights], np.int64)).solutions
    yield Step(1, space.lattice.size, found, complete=True)


def miscounting(space: Space, evaluate: Evaluate) -> Iterator[Step]:
    for step in exhaustive(space, evaluate):
        yield replace(step, evaluated=step.evaluated - 1)


def keeping_everything(space: Space, evaluate: Evaluate) -> Iterator[Step]:
    """Keeps dominated solutions."""
    nodes = np.array(list(np.ndindex(*(height + 1 for height in space.lattice.heights))), np.int64)
    yield Step(len(nodes), len(nodes), evaluate(nodes).solutions, complete=False)


def inventing(space: Space, evaluate: Evaluate) -> Iterator[Step]:
    for step in exhaustive(space, evaluate):
        yield replace(step, found=replace(step.found, loss=step.found.loss * 0.5))


def silent(space: Space, evaluate: Evaluate) -> Iterator[Step]:  # noqa: ARG001 - as the protocol has it
    yield from ()


def insatiable(space: Space, evaluate: Evaluate) -> Iterator[Step]:
    """Takes the end of the budget for the end of the search."""
    found = Assessments.join([], len(space.lattice.heights))
    nodes = np.array(list(np.ndindex(*(height + 1 for height in space.lattice.heights))), np.int64)
    evaluated = 0
    try:
        for node in nodes:
            found = space.objectives.merge(found, evaluate(node[np.newaxis]).solutions)
            evaluated += 1
    except BudgetSpent:
        pass
    yield Step(evaluated, space.lattice.size, found, complete=True)


class Moody:
    """Gives another front every time."""

    name = "moody"

    def __init__(self) -> None:
        self._runs = 0

    def __call__(self, space: Space, evaluate: Evaluate, /) -> Iterator[Step]:
        self._runs += 1
        node = [min(height, self._runs % 2 * height) for height in space.lattice.heights]
        yield Step(1, 1, evaluate(np.array([node], np.int64)).solutions[np.array([0])], complete=False)


@pytest.mark.parametrize(
    ("search", "rule"),
    [
        (top_only, "complete"),
        (miscounting, "evaluated"),
        (keeping_everything, "found"),
        (inventing, "found"),
        (silent, "result"),
        (insatiable, "budget"),
        (Moody(), "result"),
    ],
    ids=lambda given: given if isinstance(given, str) else getattr(given, "__name__", "moody"),
)
def test_a_wrong_search_is_caught(search: Any, rule: str, problem: pn.Problem) -> None:
    assert rule in {fault.rule for fault in check_search(search, problem).faults}


def test_the_embedded_engine_keeps_its_promises() -> None:
    assert str(check_engine(open_table)) == "No violation was found in 12 cases."


class Forgetful(DuckDBTable):
    """Forgets missing values."""

    def profile(self, names: Any) -> Profile:
        found = super().profile(names)
        return replace(found, columns=tuple(replace(column, missing=0) for column in found.columns))


class Alike(DuckDBTable):
    """Has one digest for all tables."""

    def digest(self) -> bytes:
        return b"same"


class Lonely(DuckDBTable):
    """Takes every row for unique."""

    def unique(self, names: Any) -> int:
        return super().profile(names).rows


class Lossy(DuckDBTable):
    """Writes nothing."""

    def write(self, rewriting: Any, target: Any) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("engine", "rule"),
    [(Forgetful, "profile"), (Alike, "digest"), (Lonely, "unique"), (Lossy, "write")],
    ids=lambda given: given if isinstance(given, str) else given.__name__,
)
def test_a_wrong_engine_is_caught(engine: type[DuckDBTable], rule: str) -> None:
    def load(table: pa.Table, *, target: Any = None) -> DuckDBTable:
        return engine(table, target=target)

    assert rule in {fault.rule for fault in check_engine(load).faults}
