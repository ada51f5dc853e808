"""Each loss on tables small enough to be worked out by hand."""

import math

import pytest

from paranym.measures.loss import LOSSES
from paranym.measures.privacy.anonymity import Suppression
from reference import Levels, Row, Sample, Tree
from samples import as_levels, evaluator, solutions_of

AGE = Tree((("31", "30s", "*"), ("34", "30s", "*"), ("38", "30s", "*"), ("52", "50s", "*"), ("71", "70s", "*")))
PET = Tree((("cat", "fur", "*"), ("dog", "fur", "*"), ("owl", "feathers", "*")))
ALIKE = Tree((("x", "*"),))
FIXED = Tree((("x",),))

PEOPLE = (
    Row(("31", "cat"), "yes"),
    Row(("34", "dog"), "no"),
    Row(("38", "dog"), "no"),
    Row(("52", "owl"), "yes"),
)
"""Nobody is 71. At (1, 1): the 30s with fur are a class of three, the owl is alone."""


def steps(
    node: Levels,
    loss: str,
    *,
    trees: tuple[Tree, ...] = (AGE, PET),
    rows: tuple[Row, ...] = PEOPLE,
    weights: tuple[float, ...] | None = None,
) -> list[tuple[int, int, float]]:
    """(k, suppressed, loss) of the whole staircase of one node."""
    sample = Sample(trees, rows, weights or (1.0,) * len(trees))
    found = evaluator(sample, loss, Suppression(share=1.0))(as_levels([node], len(trees)))
    return [(one.k, one.suppressed, one.loss) for one in solutions_of(found)]


def losses(
    node: Levels,
    loss: str,
    *,
    trees: tuple[Tree, ...] = (AGE, PET),
    rows: tuple[Row, ...] = PEOPLE,
    weights: tuple[float, ...] | None = None,
) -> list[float]:
    return [lost for _, _, lost in steps(node, loss, trees=trees, rows=rows, weights=weights)]


def test_a_staircase_offers_every_class_size_and_the_empty_release() -> None:
    assert [(k, gone) for k, gone, _ in steps((1, 1), "height")] == [(1, 0), (3, 1), (4, 4)]


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        # leaves: age 5, pet 3, so a cell costs (under - 1)/4 and (under - 1)/2
        ((0, 0), [0, 4 * 2]),  # all four are alone: publish all or none, and a suppressed row costs 2
        ((1, 0), [3 * 2 / 4, 2 * 2 + 2 * 2 / 4, 4 * 2]),  # 30s cost 2/4 each; then only the two dogs stay
        ((1, 1), [3 * 2 / 4 + 3 * 1 / 2, 2 + 3 * 2 / 4 + 3 * 1 / 2, 8]),  # fur costs 1/2; without the owl: 2 more
        ((2, 2), [8]),  # at the top every cell costs 1, and one class of all rows needs no suppression
    ],
)
def test_general_loss_counts_leaves_under_each_cell(node: Levels, expected: list[float]) -> None:
    assert losses(node, "glm") == pytest.approx(expected, rel=1e-12)


def test_general_loss_multiplies_each_attribute_by_its_weight() -> None:
    # age weighs 2, pet 0.5: 2 * 3 * 2/4 + 0.5 * 3 * 1/2; a suppressed row costs 2.5
    assert losses((1, 1), "glm", weights=(2.0, 0.5)) == pytest.approx([3.75, 2.5 + 3.75, 4 * 2.5], rel=1e-12)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        # the range of age is 71 - 31 = 40; pets are categories: leaves under / 3
        ((1, 0), [3 * 7 / 40, 2 * 2 + 2 * 7 / 40, 8]),  # 30s span 31 to 38; then only the two dogs stay
        ((0, 1), [3 * 2 / 3, 8]),  # fur has two leaves, feathers are a single value and cost 0
        ((1, 1), [3 * 7 / 40 + 3 * 2 / 3, 2 + 3 * 7 / 40 + 3 * 2 / 3, 8]),
        ((2, 2), [8]),  # 40/40 and 3/3
    ],
)
def test_certainty_penalty_measures_ranges_and_counts_leaves(node: Levels, expected: list[float]) -> None:
    assert losses(node, "ncp") == pytest.approx(expected, rel=1e-12)


def test_certainty_penalty_is_exact_for_decimals() -> None:
    dose = Tree((("0.1", "low", "*"), ("0.3", "low", "*"), ("1.1", "high", "*")))
    rows = (Row(("0.1",)), Row(("0.3",)), Row(("1.1",)))

    # low spans 0.2 of 1.0, twice; high is a single value
    assert losses((1,), "ncp", trees=(dose,), rows=rows)[0] == 2 * (2 / 10)


def test_one_number_and_the_missing_value_are_charged_as_two_leaves() -> None:
    age = Tree((("20", "some", "*"), ("30", "30", "*"), ("60", "60", "*"), (None, "some", "*")))
    rows = (Row(("20",)), Row((None,)), Row(("30",)))

    assert losses((1,), "ncp", trees=(age,), rows=rows)[0] == 2 * (2 / 4)


def test_numbers_and_the_missing_value_cost_their_leaves_or_their_range_whichever_is_more() -> None:
    rows = (Row(("20",)), Row((None,)))
    near = Tree((("20", "some", "*"), ("30", "some", "*"), ("60", "60", "*"), (None, "some", "*")))
    far = Tree((("20", "some", "*"), ("58", "some", "*"), ("59", "59", "*"), ("60", "60", "*"), (None, "some", "*")))

    assert losses((1,), "ncp", trees=(near,), rows=rows)[0] == 2 * (3 / 4)  # more than the range, 10 of 40
    assert losses((1,), "ncp", trees=(far,), rows=rows)[0] == 2 * (38 / 40)  # more than the leaves, 3 of 5


def test_what_covers_no_missing_value_is_charged_by_its_range() -> None:
    age = Tree((("20", "some", "*"), ("30", "some", "*"), ("60", "60", "*"), (None, None, "*")))
    rows = (Row(("20",)), Row(("30",)), Row((None,)))

    assert losses((1,), "ncp", trees=(age,), rows=rows)[0] == 2 * (10 / 40)


def test_where_there_is_no_range_to_widen_leaves_are_counted() -> None:
    age = Tree((("5", "5", "*"), (None, None, "*")))
    rows = (Row(("5",)), Row((None,)))

    # at the top 5 and missing are one value, both of the two leaves
    assert [losses((level,), "ncp", trees=(age,), rows=rows)[0] for level in (0, 1, 2)] == [0, 0, 2 * (2 / 2)]


def test_missing_values_are_a_leaf_like_any_other_for_general_loss() -> None:
    age = Tree((("20", "some", "*"), ("30", "some", "*"), ("60", "60", "*"), (None, "some", "*")))

    # 'some' has three of four leaves: (3 - 1)/(4 - 1)
    assert losses((1,), "glm", trees=(age,), rows=(Row((None,)),))[0] == pytest.approx(2 / 3, rel=1e-12)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ((0, 0), [1 + 1 + 1 + 1, 4 * 4]),
        ((1, 1), [9 + 1, 9 + 4, 16]),  # a suppressed row costs N = 4
        ((2, 2), [16]),
    ],
)
def test_discernibility_squares_classes_and_charges_the_table_for_a_suppressed_row(
    node: Levels, expected: list[float]
) -> None:
    assert losses(node, "dcn") == expected


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ((0, 0), [0, 4]),  # everyone is alone and so in the majority
        ((1, 1), [1, 1 + 1, 4]),  # yes, no, no: one of three is wrong; then the owl is suppressed too
        ((2, 2), [2]),  # yes, no, no, yes: a tie of 2:2 counts 2 of 4
    ],
)
def test_classification_error_counts_rows_that_the_majority_outvotes(node: Levels, expected: list[float]) -> None:
    assert losses(node, "ce") == expected


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ((0, 0), [4 / 4, 4 / 1]),  # with everything suppressed one class is left: the suppressed rows
        ((1, 1), [4 / 2, 4 / 2, 4]),  # two classes; the owl, suppressed, still counts as one
        ((1, 0), [4 / 3, 4 / 2, 4]),  # cat, dogs, owl; then the dogs and the suppressed rows
        ((2, 2), [4]),
    ],
)
def test_average_class_size_takes_the_suppressed_rows_for_one_class(node: Levels, expected: list[float]) -> None:
    assert losses(node, "average-class-size") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ((0, 0), [4 / (4 * 1), 4]),  # nothing published counts as the worst, N
        ((1, 1), [4 / (2 * 1), 3 / (1 * 3), 4]),
        ((1, 0), [4 / (3 * 1), 2 / (1 * 2), 4]),
        ((2, 2), [4 / (1 * 4)]),
    ],
)
def test_normalized_class_size_compares_classes_with_k(node: Levels, expected: list[float]) -> None:
    assert losses(node, "c-avg") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ((0, 0), [0, 1]),
        ((1, 0), [(1 / 2 + 0) / 2, ((2 / 2 + 2) + (0 + 2)) / 4 / 2, 1]),  # two dogs stay: age at 1/2, pet at 0
        ((1, 1), [1 / 2, (3 / 2 + 1) / 4, 1]),  # both at 1/2; one row of four suppressed
        ((2, 2), [1]),
    ],
)
def test_precision_loss_is_the_mean_share_of_the_way_up(node: Levels, expected: list[float]) -> None:
    assert losses(node, "precision") == pytest.approx(expected, rel=1e-12)


def test_precision_loss_is_a_weighted_mean() -> None:
    # age weighs 3 of 4 and is half way up
    assert losses((1, 0), "precision", weights=(3.0, 1.0))[0] == pytest.approx(3 / 4 * 1 / 2, rel=1e-12)


@pytest.mark.parametrize(("node", "expected"), [((0, 0), 0), ((1, 0), 1), ((1, 2), 3), ((2, 2), 4)])
def test_height_is_the_sum_of_levels_whatever_is_suppressed(node: Levels, expected: float) -> None:
    assert set(losses(node, "height")) == {expected}


def test_entropy_without_suppression_is_what_tells_the_leaves_apart() -> None:
    # 30s: three ages, once each, so log2(3) bits for each of three rows; fur: a cat and two dogs
    age = 3 * math.log2(3)
    pet = -math.log2(1 / 3) - 2 * math.log2(2 / 3)

    assert losses((1, 1), "entropy")[0] == pytest.approx(age + pet, rel=1e-12)


def test_entropy_charges_suppressed_rows_for_what_scatters_them() -> None:
    # at (1, 0) the classes are {cat}, {dog, dog}, {owl}: cat and owl are suppressed
    published = 3 * math.log2(3)
    age = 2 * -math.log2(1 / 2)  # one of the two is in its 30s, the other in its 50s
    pet = 2 * -math.log2(1 / 2)

    assert losses((1, 0), "entropy")[1] == pytest.approx(published + age + pet, rel=1e-12)


def test_entropy_of_the_untouched_table_is_zero_and_of_the_empty_release_the_worst() -> None:
    # four ages once each: 4 * 2 bits; pets 1, 2, 1: 2 + 2 * 1 + 2 bits
    assert losses((0, 0), "entropy") == pytest.approx([0, 8 + 6], rel=1e-12)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        ("glm", 0),
        ("ncp", 0),
        ("dcn", 9),
        ("ce", 1),
        ("average-class-size", 3),
        ("c-avg", 1),
        ("precision", 0),
        ("height", 0),
        ("entropy", 0),
    ],
)
def test_an_attribute_that_cannot_be_raised_costs_nothing_to_publish(loss: str, expected: float) -> None:
    rows = (Row(("x",), "yes"), Row(("x",), "yes"), Row(("x",), "no"))

    assert losses((0,), loss, trees=(FIXED,), rows=rows) == [expected]


@pytest.mark.parametrize(("loss", "expected"), [("glm", 2 * 2), ("ncp", 2 * 2), ("precision", 1)])
def test_a_suppressed_row_pays_for_an_attribute_that_cannot_be_raised(loss: str, expected: float) -> None:
    rows = (Row(("x", "cat")), Row(("x", "owl")))

    assert losses((0, 0), loss, trees=(FIXED, PET), rows=rows) == [0, expected]


@pytest.mark.parametrize(
    ("loss", "expected"), [("glm", 0), ("ncp", 0), ("precision", 1), ("height", 1), ("entropy", 0)]
)
def test_raising_an_attribute_with_one_leaf_shows_only_in_levels(loss: str, expected: float) -> None:
    assert losses((1,), loss, trees=(ALIKE,), rows=(Row(("x",)),))[0] == expected


@pytest.mark.parametrize("loss", LOSSES)
def test_suppressing_all_rows_costs_the_worst(loss: str) -> None:
    k, suppressed, lost = steps((1, 1), loss)[-1]
    worst = evaluator(Sample((AGE, PET), PEOPLE, (1.0, 1.0)), loss, Suppression()).worst

    assert (k, suppressed) == (4, 4)
    assert lost == pytest.approx(2 if loss == "height" else worst, rel=1e-12)  # height looks at levels only


@pytest.mark.parametrize(
    ("loss", "worst"),
    [
        ("glm", 4 * 2.5),  # N times the sum of weights
        ("ncp", 4 * 2.5),
        ("dcn", 4**2),
        ("ce", 4),
        ("average-class-size", 4),
        ("c-avg", 4),
        ("precision", 1),
        ("height", 2 * 2.0 + 2 * 0.5),
        ("entropy", 8 * 2.0 + 6 * 0.5),  # bits of age and pet, see above
    ],
)
def test_a_fraction_is_taken_of_the_worst_loss(loss: str, worst: float) -> None:
    sample = Sample((AGE, PET), PEOPLE, (2.0, 0.5))

    assert evaluator(sample, loss, Suppression()).worst == pytest.approx(worst, rel=1e-12)
