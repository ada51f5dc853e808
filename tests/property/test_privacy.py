"""The privacy models against the slow reference, and the facts that they state."""

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import privacy_reference as slow
from paranym.measures.privacy import MODELS
from paranym.measures.privacy.base import Classes, Model, Reference
from paranym.measures.privacy.closeness import HierarchicalCloseness
from paranym.model.hierarchy import Hierarchy

VALUES = 6
Groups = list[list[int]]
LINES = [
    ["0", "a", "x", "*"],
    ["1", "a", "x", "*"],
    ["2", "b", "x", "*"],
    ["3", "c", "y", "*"],
    ["4", "c", "y", "*"],
    ["5", "d", "y", "*"],
]

groups = st.lists(st.lists(st.integers(0, VALUES - 1), min_size=1, max_size=8), min_size=1, max_size=6)
others = st.lists(st.integers(0, VALUES - 1), max_size=6)


def models() -> list[Model]:
    taxonomy = HierarchicalCloseness.by(Hierarchy.from_rows(LINES, attribute="s"))
    made = {
        "hierarchical-t": taxonomy,
        "recursive-c": MODELS["recursive-c"](l=3),
        "recursive-l": MODELS["recursive-l"](c=1.5),
    }
    return [made.get(name) or make() for name, make in MODELS.items() if not make.facts.needs_population]


DEFINITIONS: dict[str, Callable[[Sequence[int], Sequence[int]], float]] = {
    "k": lambda group, _: float(len(group)),
    "frequency-l": lambda group, _: slow.frequency(group),
    "distinct-l": lambda group, _: slow.distinct(group),
    "entropy-l": lambda group, _: slow.entropy(group),
    "recursive-c": lambda group, _: slow.recursive_ratio(group, 3),
    "recursive-l": lambda group, _: slow.recursive_depth(group, Fraction(3, 2)),
    "alpha": lambda group, _: slow.alpha(group),
    "equal-t": slow.equal,
    "ordered-t": slow.ordered,
    "hierarchical-t": lambda group, reference: slow.hierarchical(group, reference, LINES),
    "basic-beta": slow.basic_beta,
    "enhanced-beta": slow.enhanced_beta,
    "delta-disclosure": slow.delta_disclosure,
}


def counted(chosen: Groups, *, reference: Sequence[int] | None = None, seed: int = 0) -> Classes:
    """The groups as classes, their entries in any order."""
    entries = [(owner, column, n) for owner, group in enumerate(chosen) for column, n in Counter(group).items()]
    order = np.random.default_rng(seed).permutation(len(entries))
    owners, columns, amounts = np.array(entries, np.int64).T[:, order]
    return Classes(
        np.array([len(group) for group in chosen]),
        owners.astype(np.int32),
        columns.astype(np.int32),
        amounts,
        None if reference is None else np.bincount(reference, minlength=VALUES),
    )


def rows(chosen: Groups) -> list[int]:
    return [one for group in chosen for one in group]


def worse(model: Model, one: float, other: float) -> bool:
    """Whether one is worse than the other by more than rounding."""
    if one == other:
        return False
    gap = other - one if model.facts.larger_is_better else one - other
    return gap > 1e-9


@pytest.mark.parametrize("model", models(), ids=lambda model: model.name)
@given(chosen=groups, more=others, seed=st.integers(0, 9), released=st.booleans())
def test_every_class_has_the_value_of_the_definition(
    model: Model,
    chosen: Groups,
    more: list[int],
    seed: int,
    released: bool,  # noqa: FBT001
) -> None:
    reference = rows(chosen) if released else [*rows(chosen), *more]

    found = model.of(counted(chosen, reference=None if released else reference, seed=seed))

    assert found.tolist() == pytest.approx(
        [DEFINITIONS[model.name](group, reference) for group in chosen], rel=1e-9, abs=1e-12
    )


@given(chosen=groups, which=st.integers(0, VALUES - 1))
def test_the_share_of_one_value_is_that_of_the_definition(chosen: Groups, which: int) -> None:
    found = MODELS["alpha"](value=which).of(counted(chosen))

    assert found.tolist() == [slow.alpha(group, which) for group in chosen]


@pytest.mark.parametrize("model", models(), ids=lambda model: model.name)
@given(chosen=groups, data=st.data())
def test_merging_classes_never_makes_a_table_worse(model: Model, chosen: Groups, data: st.DataObject) -> None:
    """What going up the lattice does."""
    assert model.facts.monotone
    target = data.draw(st.lists(st.integers(0, 2), min_size=len(chosen), max_size=len(chosen)))
    merged = [rows([group for group, to in zip(chosen, target, strict=True) if to == new]) for new in range(3)]

    above = model.achieved(counted([group for group in merged if group]))

    assert not worse(model, above, model.achieved(counted(chosen)))


@pytest.mark.parametrize(
    "model", [model for model in models() if model.facts.survives_growth], ids=lambda model: model.name
)
@given(group=groups.map(lambda chosen: chosen[0]), gained=others)
def test_growth_never_makes_a_class_worse_where_that_is_stated(
    model: Model, group: list[int], gained: list[int]
) -> None:
    small, large = model.of(counted([group, [*group, *gained]]))

    assert not worse(model, large, small)


@pytest.mark.parametrize(
    "model", [model for model in models() if not model.facts.survives_growth], ids=lambda model: model.name
)
def test_growth_makes_some_class_worse_where_that_is_stated(model: Model) -> None:
    """A class of all values, each as frequent as in the reference, joins many rows of one value: below they were
    suppressed, above the whole must be.
    """
    even = list(range(VALUES))
    small, large = model.of(counted([even, [*even, *[0] * 20]], reference=even))

    assert worse(model, large, small)


@pytest.mark.parametrize("model", models(), ids=lambda model: model.name)
@given(chosen=groups.filter(lambda chosen: len(chosen) > 1))
def test_a_class_is_judged_by_itself_given_the_reference(model: Model, chosen: Groups) -> None:
    whole = counted(chosen, reference=rows(chosen))
    first = np.arange(len(chosen)) == 0

    assert model.facts.is_local(Reference.ORIGINAL)
    assert model.of(whole.kept(first))[0] == model.of(whole)[0]
    if model.facts.is_local(Reference.RELEASED):
        assert model.of(counted(chosen).kept(first))[0] == model.of(counted(chosen))[0]
