"""What each loss states about itself, and what is stated about k, holds on random tables."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from paranym.measures.loss import LOSSES
from paranym.measures.privacy.anonymity import Suppression, SuppressionUse
from reference import Levels, Sample, Solution, covers
from samples import all_nodes, evaluator, samples, solutions_of

ADDITIVE = [name for name, loss in LOSSES.items() if loss.facts.additive]
MONOTONE = [name for name, loss in LOSSES.items() if loss.facts.monotone]
BOUNDED = [name for name, loss in LOSSES.items() if loss.facts.bounded_by_unsuppressed]


def at_most(a: float, b: float) -> bool:
    return a <= b + 1e-9 * max(abs(a), abs(b))


def staircases(sample: Sample, loss: str, suppression: Suppression) -> dict[Levels, list[Solution]]:
    found: dict[Levels, list[Solution]] = {}
    for solution in solutions_of(evaluator(sample, loss, suppression)(all_nodes(sample))):
        found.setdefault(solution.node, []).append(solution)
    return found


@pytest.mark.parametrize("loss", ADDITIVE)
@settings(max_examples=30)
@given(sample=samples())
def test_an_additive_loss_is_the_sum_of_its_attributes(loss: str, sample: Sample) -> None:
    asked = evaluator(sample, loss, Suppression())
    tables = asked.per_level()

    for solution in solutions_of(asked(all_nodes(sample))):
        total = sum(float(table[level]) for table, level in zip(tables, solution.node, strict=True))
        assert solution.loss == pytest.approx(total, rel=1e-9, abs=1e-12)


@pytest.mark.parametrize("loss", ADDITIVE)
@settings(max_examples=10)
@given(sample=samples())
def test_an_additive_loss_has_an_entry_for_every_level(loss: str, sample: Sample) -> None:
    tables = evaluator(sample, loss, Suppression()).per_level()

    assert tuple(len(table) - 1 for table in tables) == sample.heights


@pytest.mark.parametrize("loss", MONOTONE)
@settings(max_examples=25)
@given(sample=samples())
def test_a_monotone_loss_never_decreases_upwards(loss: str, sample: Sample) -> None:
    found = staircases(sample, loss, Suppression())

    for upper, [above] in found.items():
        for lower, [below] in found.items():
            assert not covers(upper, lower) or at_most(below.loss, above.loss)


@pytest.mark.parametrize("loss", BOUNDED)
@settings(max_examples=25)
@given(sample=samples())
def test_suppression_never_makes_a_bounded_loss_smaller(loss: str, sample: Sample) -> None:
    for first, *higher in staircases(sample, loss, Suppression(share=1.0)).values():
        assert first.suppressed == 0
        assert all(at_most(first.loss, step.loss) for step in higher)


@pytest.mark.parametrize("loss", [name for name, loss in LOSSES.items() if loss.facts.surcharge_falls])
@settings(max_examples=25)
@given(sample=samples())
def test_what_suppression_adds_at_a_given_k_never_increases_upwards(loss: str, sample: Sample) -> None:
    found = staircases(sample, loss, Suppression(share=1.0))

    for upper, higher in found.items():
        for lower, steps in found.items():
            if covers(upper, lower):
                for step in steps:
                    above = next(up for up in higher if up.k >= step.k)
                    assert at_most(above.loss - higher[0].loss, step.loss - steps[0].loss)


@pytest.mark.parametrize("loss", LOSSES)
@settings(max_examples=25)
@given(sample=samples())
def test_no_loss_is_negative_or_exceeds_its_worst(loss: str, sample: Sample) -> None:
    asked = evaluator(sample, loss, Suppression(share=1.0))

    for solution in solutions_of(asked(all_nodes(sample))):
        assert solution.loss >= 0
        assert at_most(solution.loss, asked.worst)


@given(sample=samples(most_rows=20))
def test_each_step_is_matched_by_every_node_above(sample: Sample) -> None:
    """A node above reaches at least the same k with at most as many rows suppressed."""
    found = staircases(sample, "height", Suppression(share=1.0))

    for upper, higher in found.items():
        for lower, steps in found.items():
            if covers(upper, lower):
                assert all(any(up.k >= step.k and up.suppressed <= step.suppressed for up in higher) for step in steps)


@given(sample=samples(most_rows=20), share=st.sampled_from([0.0, 0.1, 0.3, 1.0]))
def test_the_only_k_under_the_rule_all_never_decreases_upwards(sample: Sample, share: float) -> None:
    found = staircases(sample, "height", Suppression(share=share, use=SuppressionUse.ALL))

    for upper, [above] in found.items():
        assert all(below.k <= above.k for lower, [below] in found.items() if covers(upper, lower))


@given(sample=samples(most_rows=20))
def test_a_staircase_only_climbs(sample: Sample) -> None:
    for steps in staircases(sample, "height", Suppression(share=1.0)).values():
        assert [step.k for step in steps] == sorted(step.k for step in steps)
        assert [step.suppressed for step in steps] == sorted({step.suppressed for step in steps})
