"""Contract check of a privacy model: its facts are tested on random tables."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from paranym.errors import BadInput
from paranym.measures.catalogue import check_model_form
from paranym.measures.privacy.base import Classes, Model, ModelFacts, Reference
from paranym.model.values import is_whole
from paranym.testing.contracts import ContractCheck, ContractFault

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
Truths = NDArray[np.bool_]

_VALUES = 4
_NEAR = 1e-9


def check_privacy_model(model: Model, *, tables: int = 200, seed: int = 0) -> ContractCheck:
    """Check the facts of a privacy model on random tables of a few equivalence classes and four sensitive values.

    A search rejects nodes because of these facts, so a false one gives a front that lacks solutions. The check merges
    and adds classes, shuffles the input of the model, and removes the parts that its facts do not request.

    >>> from paranym.measures.privacy.diversity import DistinctDiversity
    >>> check_privacy_model(DistinctDiversity()).holds
    True
    >>> class Rarest(DistinctDiversity):
    ...     name, title = "rarest", "rows of the rarest value"
    ...     def of(self, classes):
    ...         return classes.sizes - classes.largest + 0.0
    >>> print(check_privacy_model(Rarest()).faults[0].rule)
    is_diversity
    """
    if not (is_whole(tables) and tables > 0):
        raise BadInput(f"The number of tables to try is a whole number from 1 on; got {tables!r}.")
    check_model_form(type(model))
    random = np.random.default_rng(seed)
    faults: dict[str, ContractFault] = {}
    for _ in range(tables):
        for fault in _faults(model, _Table.drawn(random), random):
            faults.setdefault(fault.rule, fault)
    return ContractCheck(tables, tuple(faults.values()))


class _Table:
    """Rows per class and sensitive value, and people of the population per class."""

    def __init__(self, rows: Ints, people: Ints) -> None:
        self.rows, self.people = rows, people

    @classmethod
    def drawn(cls, random: np.random.Generator) -> "_Table":
        rows = random.integers(0, 4, size=(random.integers(2, 6), _VALUES)) * random.integers(0, 2, size=_VALUES)
        rows[:, random.integers(_VALUES)] += 1  # no class is empty
        return cls(rows, rows.sum(axis=1) + random.integers(0, 5, size=len(rows)))

    def merged(self, one: int, other: int) -> "_Table":
        """Return the table with two classes merged into one, which comes first."""
        others = np.delete(np.arange(len(self.rows)), [one, other])
        together = (each[[one, other]].sum(axis=0, keepdims=True) for each in (self.rows, self.people))
        return _Table(*(np.concatenate([sum_, each[others]]) for sum_, each in zip(together, self._both, strict=True)))

    def only(self, which: Truths) -> "_Table":
        return _Table(self.rows[which], self.people[which])

    @property
    def _both(self) -> tuple[Ints, Ints]:
        return self.rows, self.people

    def classes(self, facts: ModelFacts, *, reference: Ints | None = None) -> Classes:
        """Return the classes with only the parts that the facts request."""
        sizes = self.rows.sum(axis=1)
        population = self.people if facts.needs_population else None
        if not facts.needs_sensitive:
            return Classes(sizes, population=population)
        owners, columns = np.nonzero(self.rows)
        amounts = self.rows[owners, columns]
        return Classes(sizes, owners.astype(np.int32), columns.astype(np.int32), amounts, reference, population)


def _faults(model: Model, table: _Table, random: np.random.Generator) -> Iterator[ContractFault]:
    facts, classes = model.facts, table.classes(model.facts)
    try:
        values = np.asarray(model.of(classes))
    except (IndexError, ValueError, TypeError, AttributeError) as error:
        yield ContractFault("of", f"it fails on {len(table.rows)} classes with what the facts ask for: {error}")
        return
    if values.shape != classes.sizes.shape or np.isnan(values).any():
        yield ContractFault("of", f"it must return one number for each of {len(classes.sizes)} classes")
        return
    yield from _achieved(model, classes, values)
    yield from _reads(model, table, classes, values, random)
    yield from _merging(model, table, random)
    if facts.is_diversity and (values > classes.distinct * (1 + _NEAR)).any():
        yield ContractFault("is_diversity", "a class has a value above the number of its different sensitive values")
    if not facts.is_local(Reference.RELEASED):
        yield from _bound(model, table, values, random)


def _achieved(model: Model, classes: Classes, values: Floats) -> Iterator[ContractFault]:
    expected = model.facts.worst(values.tolist())
    if not _same(model.achieved(classes), expected):
        yield ContractFault("achieved", f"it is {model.achieved(classes):g}, and the worst class has {expected:g}")


def _reads(
    model: Model, table: _Table, classes: Classes, values: Floats, random: np.random.Generator
) -> Iterator[ContractFault]:
    """Check that values depend on the classes alone, not on the order of entries or on parts that are not requested."""
    facts = model.facts
    order = random.permutation(len(classes.owners))
    shuffled = replace(
        classes, owners=classes.owners[order], columns=classes.columns[order], amounts=classes.amounts[order]
    )
    if not _same(model.of(shuffled), values):
        yield ContractFault("of", "values change with the order in which the entries of the histogram are listed")
    whole = table.rows.sum(axis=0)
    fixed = model.of(table.classes(facts, reference=whole))
    singles = np.eye(len(values), dtype=bool)
    alone = np.concatenate([model.of(table.only(one).classes(facts, reference=whole)) for one in singles])
    if not _same(alone, fixed):
        yield ContractFault("of", "the value of a class changes with the other classes, for the same reference")
    if not facts.needs_reference and not _same(
        model.of(table.classes(facts, reference=np.arange(1, _VALUES + 1))), values
    ):
        yield ContractFault("needs_reference", "it is stated as False, but values change with the reference")


def _merging(model: Model, table: _Table, random: np.random.Generator) -> Iterator[ContractFault]:
    """Check the facts about merged classes: generalization merges classes."""
    facts = model.facts
    one, other = random.choice(len(table.rows), size=2, replace=False).tolist()
    merged = table.merged(one, other).classes(facts)
    classes = table.classes(facts)
    before, after = model.of(classes), model.of(merged)
    if facts.monotone and _is_worse(facts, facts.worst(after.tolist()), facts.worst(before.tolist())):
        yield ContractFault(
            "monotone",
            f"merging two classes takes the table from {facts.worst(before.tolist()):g} to "
            f"{facts.worst(after.tolist()):g}",
        )
    if facts.survives_growth and _is_worse(facts, float(after[0]), float(before[one])):
        yield ContractFault(
            "survives_growth", f"a class that gains rows goes from {before[one]:g} to {after[0]:g}, which is worse"
        )


def _bound(model: Model, table: _Table, values: Floats, random: np.random.Generator) -> Iterator[ContractFault]:
    """Check that `at_best` bounds the value of a class, whatever other classes are suppressed."""
    kept = random.integers(0, 2, size=len(table.rows)).astype(bool)
    kept[random.integers(len(kept))] = True
    spare = int(table.rows[~kept].sum())
    best = model.at_best(values, table.classes(model.facts), spare)
    found = model.of(table.only(kept).classes(model.facts))
    for bound, value in zip(best[kept].tolist(), found.tolist(), strict=True):
        if _is_worse(model.facts, bound, value):
            yield ContractFault(
                "at_best",
                f"{bound:g} is stated as the best once {spare} rows are suppressed; {value:g} is achieved",
            )
            return


def _is_worse(facts: ModelFacts, value: float, than: float) -> bool:
    if _same(value, than):
        return False
    return value < than if facts.larger_is_better else value > than


def _same(one: Floats | float, other: Floats | float) -> bool:
    return bool(np.allclose(one, other, rtol=_NEAR, atol=_NEAR))
