"""Damaged files end in success or in an error of ours: no traceback, no crash, no hang."""

import pytest

import fuzzing
from fuzz_targets import TARGETS


def test_a_damaged_file_is_read_or_refused() -> None:
    """A sample; `tests/fuzzing.py --soak` reads a hundred thousand."""
    plan = {name: target.sample for name, target in TARGETS.items()}
    for name, found in fuzzing.run(plan).items():
        assert not found.failures, "\n\n".join(found.failures[:3])
        assert sum(found.outcomes.values()) == found.cases == plan[name]
        assert found.outcomes["an error without words"] == 0
        assert len(found.outcomes) > 1  # some are read, some are not


def test_a_long_campaign_has_a_hundred_thousand_cases() -> None:
    assert sum(target.soak for target in TARGETS.values()) >= 100_000


def test_a_worker_that_dies_or_fails_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """The campaign itself can fail: here the reader of fronts kills its process, or raises."""
    script = fuzzing.HERE.with_name("fuzzing_broken.py")
    monkeypatch.setattr(fuzzing, "HERE", script)
    [found] = fuzzing.run({"broken": 6}).values()

    assert found.cases == 6
    assert len(found.failures) == 2
    assert "ended with code -6" in found.failures[1]
    assert "ZeroDivisionError" in found.failures[0]
