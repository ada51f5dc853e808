"""Errors help, and they survive a process pool."""

import copy
import pickle

import pytest

from paranym import errors
from paranym.errors import ParanymError


class Told:
    """Stands for what was found about another table."""

    def sentences(self) -> tuple[str, str]:
        return ("k is 1.", "Classes are too small.")


EXAMPLES: list[ParanymError] = [
    errors.ParanymError("something"),
    errors.BadInput("The limit is a share; got 2."),
    errors.RecipeFault("recipe.toml: loss.metric", "'ce' needs a label"),
    errors.UnreadableSource("people.csv", "the file is empty."),
    errors.UnreadableDocument("front.json", "it is not valid JSON."),
    errors.UnknownAttribute("agge", ("age", "sex")),
    errors.NoRole("people.csv", ("name",), "Add a role."),
    errors.AmbiguousColumns("people.csv", ("age",)),
    errors.EmptyTable("people.csv"),
    errors.BadHierarchy("age", 2, "'x' lies under both 'p' and 'q'."),
    errors.BadHierarchy("age", None, "it has no leaves."),
    errors.OutsideHierarchy("age", ("old", "young"), ("39", "40")),
    errors.OutsideHierarchy("age", ("a", "b", "c", "d", "e", "f", "g"), ("39", "40")),
    errors.UnsuitableLoss("ce", "needs a label."),
    errors.BudgetTooSmall("the first step"),
    errors.Unattainable("No solution has k = 10."),
    errors.GuaranteeLost(Told()),
    errors.GateClosed("people.csv", ("notes holds free text",), "Accept it by name."),
    errors.BrokenPromise("people.csv", ("k is 1 instead of 5",)),
    errors.MissingExtra("pandas", "pandas"),
    errors.NoBrowser(("chromium", "chrome")),
    errors.NoBrowser((), "chromium", "exit code 1"),
    errors.NoKeygen(),
    errors.NotEnoughMemory(),
    errors.NotEnoughMemory("600 MB are allowed"),
    errors.OutputLost("No space left on device"),
    errors.SeveralFaults((errors.EmptyTable("people.csv"), errors.BadHierarchy("age", 1, "it has no leaves."))),
]


def test_every_error_has_an_example() -> None:
    known = {kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, ParanymError)}

    assert known == {type(example) for example in EXAMPLES}


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_an_error_survives_pickling_with_the_same_text(error: ParanymError) -> None:
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):  # noqa: S301 - our own bytes
        assert (type(twin), str(twin), twin.exit_code) == (type(error), str(error), error.exit_code)


@pytest.mark.parametrize("error", EXAMPLES, ids=lambda error: type(error).__name__)
def test_only_a_request_that_cannot_be_met_has_exit_code_1(error: ParanymError) -> None:
    assert error.exit_code == (1 if isinstance(error, errors.Unattainable | errors.BrokenPromise) else 2)


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (errors.BadInput, ValueError),
        (errors.UnknownAttribute, LookupError),
        (errors.Unattainable, ValueError),
        (errors.MissingExtra, ImportError),
    ],
)
def test_errors_are_caught_as_the_builtin_they_resemble(kind: type[ParanymError], builtin: type[Exception]) -> None:
    assert issubclass(kind, builtin)


def test_a_missing_library_comes_with_the_line_that_installs_it() -> None:
    assert str(errors.MissingExtra("pandas", "pandas")) == (
        "This needs pandas. Install it with: pip install 'paranym[pandas]'"
    )


def test_an_error_carries_few_values_of_the_table() -> None:
    error = errors.OutsideHierarchy("age", tuple(f"value {i}" for i in range(9)), ("39",))

    assert error.args == ("age", ("value 0", "value 1", "value 2", "value 3", "value 4"), ("39",), 9)
    assert "has 9 values that its hierarchy does not place: 'value 0', " in str(error)
    assert "'value 4' and 4 more. Add" in str(error)


def test_one_fault_is_raised_as_itself() -> None:
    with pytest.raises(errors.EmptyTable):
        errors.raise_all([errors.EmptyTable("people.csv")])


def test_no_fault_is_no_error() -> None:
    errors.raise_all([])


@pytest.mark.parametrize(
    ("name", "question"),
    [("agge", " Did you mean 'age'?"), (" age ", " Did you mean 'age'?"), ("zip", ""), ("", ""), (0, "")],
)
def test_a_near_name_is_asked_for(name: str, question: str) -> None:
    assert errors.did_you_mean(name, ("age", "sex")) == question
