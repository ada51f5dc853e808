"""A loss of a user's own is accepted, and whatever it states wrongly about itself is found."""

from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.errors import BadInput, UnsuitableLoss
from paranym.measures.base import Domain, Floats, Loss, LossFacts, Tally
from paranym.measures.loss import LOSSES
from paranym.measures.loss.ce import ClassificationError
from paranym.measures.loss.dcn import Discernibility
from paranym.measures.loss.entropy import NonUniformEntropy
from paranym.measures.loss.glm import GeneralLoss
from paranym.measures.loss.height import Height
from paranym.testing import check_loss


def people(rows: int = 60) -> pa.Table:
    random = Random(7)  # noqa: S311 - no secrets here
    return pa.table(
        {
            "age": [random.choice([None, *range(20, 40)]) for _ in range(rows)],
            "zip": [f"537{random.randrange(30):02d}" for _ in range(rows)],
            "sex": [random.choice("FM") for _ in range(rows)],
            "label": [random.choice("yn") for _ in range(rows)],
        }
    )


def ask(metric: str | Loss = "ce", **terms: Any) -> pn.Problem:
    return pn.Problem(
        people(),
        quasi_identifiers={"age": {"intervals": [5, 10]}, "zip": {"prefix": [4, 3]}, "sex": None},
        label="label",
        metric=metric,
        **terms,
    )


@pytest.fixture(scope="module")
def problem() -> pn.Problem:
    return ask()


class OwnSum(Height):
    """The sum of the levels, and per_level halves it."""

    name: ClassVar[str] = "own"

    def per_level(self, rows: int, domains: tuple[Domain, ...]) -> tuple[Floats, ...]:
        return tuple(table / 2 for table in super().per_level(rows, domains))


class ShortTables(Height):
    name: ClassVar[str] = "own"

    def per_level(self, rows: int, domains: tuple[Domain, ...]) -> tuple[Floats, ...]:
        return tuple(table[:-1] for table in super().per_level(rows, domains))


class Falling(Discernibility):
    """The more general, the better."""

    name: ClassVar[str] = "own"
    facts: ClassVar[LossFacts] = replace(Discernibility.facts, surcharge_falls=False)

    def of(self, tally: Tally) -> Floats:
        return float(tally.rows) ** 2 - (tally.kept_squares - tally.rows * tally.suppressed) / (1 + tally.rows)

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return 2 * float(rows) ** 2


class Forgetful(Discernibility):
    """Suppressed rows cost nothing."""

    name: ClassVar[str] = "own"
    facts: ClassVar[LossFacts] = replace(Discernibility.facts, surcharge_falls=False)

    def of(self, tally: Tally) -> Floats:
        return tally.kept_squares.astype(float)


class GrowingSurcharge(Height):
    """What suppression adds grows upwards."""

    name: ClassVar[str] = "own"

    def of(self, tally: Tally) -> Floats:
        return super().of(tally) * (1 + (tally.suppressed > 0))

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return 2 * super().worst(rows, domains)


class CheapEnd(Height):
    """The larger the k, the less suppression adds; at one k it adds the same everywhere."""

    name: ClassVar[str] = "own"

    def of(self, tally: Tally) -> Floats:
        return super().of(tally) + np.where(tally.suppressed > 0, tally.rows - tally.k, 0)

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return super().worst(rows, domains) + rows


class Negative(Discernibility):
    name: ClassVar[str] = "own"

    def of(self, tally: Tally) -> Floats:
        return super().of(tally) - tally.rows**2


class NotANumber(Discernibility):
    name: ClassVar[str] = "own"

    def of(self, tally: Tally) -> Floats:
        return np.full(len(tally.k), np.nan)


class OneNumber(Discernibility):
    name: ClassVar[str] = "own"

    def of(self, tally: Tally) -> Floats:
        return np.zeros(1)


class Relative(Discernibility):
    """Compared with the largest loss of the batch."""

    name: ClassVar[str] = "own"

    def of(self, tally: Tally) -> Floats:
        own = super().of(tally)
        return np.asarray(own / own.max(), np.float64)


class SmallWorst(Discernibility):
    name: ClassVar[str] = "own"

    def worst(self, rows: int, domains: tuple[Domain, ...]) -> float:
        return float(rows)


class WithoutLabel(ClassificationError):
    name: ClassVar[str] = "own"
    facts: ClassVar[LossFacts] = replace(ClassificationError.facts, needs_label=False)


class WithoutCosts(GeneralLoss):
    name: ClassVar[str] = "own"
    facts: ClassVar[LossFacts] = replace(GeneralLoss.facts, needs_costs=False)


class WithoutSpread(NonUniformEntropy):
    name: ClassVar[str] = "own"
    facts: ClassVar[LossFacts] = replace(NonUniformEntropy.facts, needs_spread=False)


LIARS: list[tuple[Loss, set[str]]] = [
    (OwnSum(), {"additive"}),
    (ShortTables(), {"additive"}),
    (Falling(), {"monotone"}),
    (Forgetful(), {"bounded_by_unsuppressed"}),
    (GrowingSurcharge(), {"surcharge_falls"}),
    (CheapEnd(), {"surcharge_falls"}),
    (Negative(), {"of"}),
    (NotANumber(), {"of"}),
    (OneNumber(), {"of"}),
    (Relative(), {"of"}),
    (SmallWorst(), {"worst"}),
    (WithoutLabel(), {"needs_label"}),
    (WithoutCosts(), {"needs_costs"}),
    (WithoutSpread(), {"needs_spread"}),
]


@pytest.mark.parametrize("nodes", [10_000, 20])
@pytest.mark.parametrize(("loss", "facts"), LIARS, ids=lambda value: type(value).__name__)
def test_every_false_fact_is_named(problem: pn.Problem, loss: Loss, facts: set[str], nodes: int) -> None:
    found = check_loss(loss, problem, nodes=nodes, seed=3)

    assert not found.holds
    assert {fault.fact for fault in found.faults} == facts
    assert str(found.faults[0]) in str(found)


def test_every_fact_has_a_liar() -> None:
    of_words = {"about_cells", "charges_ranges"}  # what reports and manifests say of a loss, not what it computes

    assert set(LossFacts.__dataclass_fields__) - of_words <= {fact for _, facts in LIARS for fact in facts}


@pytest.mark.parametrize("nodes", [10_000, 20])
@pytest.mark.parametrize("metric", LOSSES)
def test_the_losses_of_the_package_keep_what_they_state(problem: pn.Problem, metric: str, nodes: int) -> None:
    found = check_loss(LOSSES[metric], problem, nodes=nodes)

    assert found.faults == ()
    assert 2 < found.nodes <= nodes + 2


def test_the_same_seed_draws_the_same_nodes(problem: pn.Problem) -> None:
    liar = GrowingSurcharge()

    assert check_loss(liar, problem, nodes=20, seed=5) == check_loss(liar, problem, nodes=20, seed=5)


def test_weights_limits_and_requirements_of_a_problem_do_not_hide_a_lie() -> None:
    problem = ask("glm", weights={"age": 3.0}, suppression_rows=0, privacy={"k": 5})

    assert [fault.fact for fault in check_loss(Forgetful(), problem).faults] == ["bounded_by_unsuppressed"]


def test_a_table_that_was_counted_at_a_floor_is_checked_from_there_up() -> None:
    problem = ask("glm")
    small = ask("glm", memory=1)
    assert small.floor is not None

    assert check_loss(Discernibility(), small).holds
    assert check_loss(Discernibility(), small).nodes < check_loss(Discernibility(), problem).nodes


def test_a_loss_that_needs_a_label_says_so_where_none_was_counted() -> None:
    with pytest.raises(UnsuitableLoss, match="make the problem with this loss as its metric"):
        check_loss(LOSSES["ce"], ask("glm"))


@pytest.mark.parametrize("nodes", [1, 0, 2.5, True])
def test_a_senseless_number_of_nodes_is_refused(problem: pn.Problem, nodes: Any) -> None:
    with pytest.raises(BadInput, match="whole number from 2 on"):
        check_loss(LOSSES["dcn"], problem, nodes=nodes)


def test_a_false_fact_gives_a_wrong_front_that_is_called_complete() -> None:
    """Why there is a check: the exact search believes what a loss states."""
    problem = ask(Forgetful(), suppression=1.0)

    front = pn.frontier(problem)

    assert front.complete
    assert front.points != pn.frontier(problem, method="exhaustive").points


class Own(Discernibility):
    """A loss that is what it states."""

    name: ClassVar[str] = "own"
    title: ClassVar[str] = "own discernibility"


def test_a_problem_takes_a_loss_of_its_users_own() -> None:
    problem, known = ask(Own(), suppression=0.1), ask("dcn", suppression=0.1)

    front = pn.frontier(problem)

    assert front.metric == "own"
    assert [(point.k, point.loss) for point in front] == [(point.k, point.loss) for point in pn.frontier(known)]
    assert pn.verify_front(front, problem).faults == ()


def test_what_was_chosen_by_a_loss_of_its_users_own_is_released_and_verified(tmp_path: Path) -> None:
    problem = ask(Own(), suppression=0.1)
    point = next(point for point in pn.frontier(problem) if point.k < 10)

    made = pn.release(problem, point, tmp_path / "out.csv")

    assert made.verification.holds
    assert next(check for check in made.verification.checks if check.what == "loss (own)").found == point.loss
    later = pn.verify_release(tmp_path / "out.csv")
    [loss] = [check for check in later.checks if check.what == "loss (own)"]
    assert (loss.found, loss.note) == (None, "it is measured by a loss that is not part of paranym")


@pytest.mark.parametrize(
    ("metric", "message"),
    [
        (Own, r"pass Own\(\) instead of the class"),
        (5, "5 lacks name, title, facts, of, worst"),
        (type("Own", (Own,), {"name": "glm"})(), "a loss of the name 'glm' already"),
        (type("Own", (Own,), {"facts": {"additive": True}})(), "The facts of a loss are `LossFacts`"),
        (type("Own", (Own,), {"facts": replace(Own.facts, additive=True)})(), "lacks per_level"),
        (type("Own", (Own,), {"facts": replace(Own.facts, needs_costs=True)})(), "lacks costs"),
    ],
    ids=["class", "number", "taken name", "no facts", "no tables", "no costs"],
)
def test_what_is_no_loss_is_refused(metric: Any, message: str) -> None:
    with pytest.raises(BadInput, match=message):
        ask(metric)
